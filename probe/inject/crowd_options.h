/*
 * crowd_options.h - options of a crowd of test candidates: how many, how they behave, which ones die and
 * how.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_OPTIONS_H
#define ELECTOP_PROBE_INJECT_CROWD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/behaviour.h"
#include "probe/candidate/kill_mode.h"
#include "probe/candidate/guard.h"
#include "probe/zookeeper/session.h"

/* Parts of a mixture: of a hundred candidates, so many behave so. What the parts leave is the recipe's. */
struct crowd_part {
    enum behaviour behaviour;
    double percent; /* > 0; all together at most 100 */
    int slow_ms;    /* BEHAVIOUR_SLOW: how late it acknowledges */
};

enum crowd_look {
    LOOK_OWN,   /* every candidate reads the directory itself, as the recipe says */
    LOOK_SHARED /* one reading serves all that asked before it began */
};

enum crowd_victim { VICTIM_NOBODY, VICTIM_LEADER, VICTIM_RANDOM };

struct crowd_options {
    struct session_options session; /* hosts, timeout, credentials */
    struct guard *guard;            /* through which they write; must outlive the crowd */

    const char *election; /* the directory, made if missing; or the lock */
    bool lock;
    const char *name; /* in front of the number, with {uuid}, {hex}, {session}, {session_hex}: naming.h */
    const char *data; /* of every candidate's znode; never NULL */
    const char *mark; /* where the leader acknowledges, or NULL */
    const char *mark_data; /* NULL: data */
    const struct acl *acl; /* of all that they create; NULL: open to everyone. Not copied */
    bool never_leads; /* one that finds itself first deletes its znode at once, and acknowledges nothing */

    size_t count;      /* candidates to begin with */
    double rate_per_s; /* at most so many begin in a second; 0: as fast as the servers take them */
    const struct crowd_part *parts;
    size_t part_count;
    size_t per_session; /* candidates on one session; 1: each has its own. More sessions are taken where the
                           watches of so many could not be set again in one packet: see figures */
    enum crowd_look look;
    uint64_t seed; /* who behaves how, and who dies; the same seed, the same choice */

    enum crowd_victim victim; /* who dies by itself ... */
    uint64_t every_ms;        /* ... and how often, once all are in line */
    enum kill_mode how;
    uint64_t away_ms; /* how long one that died stays away before it volunteers again; 0: for ever */
};

#endif
