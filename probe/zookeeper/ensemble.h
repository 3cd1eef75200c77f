/*
 * ensemble.h - the members of an ensemble, from the znode /zookeeper/config.
 *
 *   server.1=zk1:2888:3888:participant;0.0.0.0:2181
 *
 * The address after the semicolon is the clients'. It is often missing (then it is in each
 * server's own configuration), or names every interface. Pure.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H
#define ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H

#include <stddef.h>

#define ENSEMBLE_MEMBERS 64 /* at most; further ones are counted only */

struct ensemble_member {
    char id[24];    /* as written; "?" where there is none */
    char host[256]; /* the clients' host: without brackets; "": it is no host name */
    int port;       /* 0: not said */
};

/*
 * How many lines name a member; the first ENSEMBLE_MEMBERS of them are filled in. text: strangers' bytes, not
 * NUL-terminated.
 */
size_t ensemble_parse(const char *text, size_t length, struct ensemble_member members[ENSEMBLE_MEMBERS]);

#endif
