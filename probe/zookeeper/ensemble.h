/*
 * ensemble.h - who belongs to an ensemble, as the znode /zookeeper/config says it.
 *
 *   server.1=zk1:2888:3888:participant;0.0.0.0:2181
 *
 * What stands behind the semicolon is where clients connect. It is often missing (then it stands in each
 * server's own configuration), or names every interface. Pure.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H
#define ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H

#include <stddef.h>

#define ENSEMBLE_MEMBERS 64 /* at most; further ones are counted only */

struct ensemble_member {
    char id[24];    /* as written; "?" where there is none */
    char host[256]; /* where clients reach it: without brackets; "": what stands there is no host */
    int port;       /* 0: not said */
};

/*
 * How many lines name a member; the first ENSEMBLE_MEMBERS of them are filled in. text: strangers' bytes, not
 * NUL-terminated.
 */
size_t ensemble_parse(const char *text, size_t length, struct ensemble_member members[ENSEMBLE_MEMBERS]);

#endif
