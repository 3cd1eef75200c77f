/*
 * ensemble.h - parses the members of an ensemble from the znode /zookeeper/config.
 *
 *   server.1=zk1:2888:3888:participant;0.0.0.0:2181
 *
 * The address after the semicolon serves clients. It is often missing (then each server's own configuration
 * contains it), or means every interface. Pure.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H
#define ELECTOP_PROBE_ZOOKEEPER_ENSEMBLE_H

#include <stddef.h>

#define ENSEMBLE_MEMBERS 64 /* the limit; further members are only counted */

struct ensemble_member {
    char id[24];    /* as written; "?" if missing */
    char host[256]; /* the host for clients, without brackets; "": not a host name */
    int port;       /* 0: not given */
};

/*
 * Returns the number of lines that name a member, and fills in the first ENSEMBLE_MEMBERS of them. text:
 * untrusted bytes, not NUL-terminated.
 */
size_t ensemble_parse(const char *text, size_t length, struct ensemble_member members[ENSEMBLE_MEMBERS]);

#endif
