/*
 * tally.h - what a crowd counts: who stands how, how long it took, and each failover with its phases and its
 * cost.
 *
 * Told what happens and when (microseconds); reads no clock and asks nobody.
 */
#ifndef ELECTOP_PROBE_INJECT_TALLY_H
#define ELECTOP_PROBE_INJECT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/candidate.h"
#include "probe/inject/crowd.h"

#define TALLY_NOBODY SIZE_MAX

struct tally {
    struct histogram to_stand, to_fail_over;
    size_t by_state[CANDIDATE_STATES];
    struct standing {
        uint64_t due_us;   /* 0: it has stood once */
        uint64_t first_us; /* never_leads: since when it has been first; 0: it is not */
        uint8_t state;
    } * all;
    size_t count, room;
    size_t yet_to_stand; /* of those that are in all */

    struct crowd_failover *failovers;
    size_t failover_count, failover_room;
    bool open;         /* the last one is under way */
    size_t leader;     /* who leads, by its own knowledge; or TALLY_NOBODY */
    int64_t number;    /* of the last that led, or SEQUENCE_NONE */
    bool acknowledged; /* it has */
    uint64_t lost_us;  /* when it stopped */

    uint64_t requests, lists, creates, deletes, notices, errors;
    uint64_t under_way;                     /* asked and not answered */
    uint64_t death_notices, death_requests; /* as they were at the last death */
    uint64_t first_most_us, survived;
};

void tally_init(struct tally *);
void tally_free(struct tally *);

/* One more, due to stand since then. False: out of memory. */
bool tally_enter(struct tally *, uint64_t due_us);
/* The last one did not come on after all. */
void tally_leave(struct tally *);
void tally_changed(struct tally *, size_t i, const struct candidacy *, uint64_t now_us);
/* It has looked, and is not to lead. */
void tally_placed(struct tally *, size_t i, bool first, uint64_t now_us);
void tally_asked(struct tally *, enum candidate_ask);
void tally_answered(struct tally *);
void tally_noticed(struct tally *, int64_t number, uint64_t now_us);

/* The leader dies now, and should have at due_us. Before it is done. */
void tally_death(struct tally *, enum departure, uint64_t due_us, uint64_t now_us);
/* The death was none: the leader was back before anybody noticed. */
void tally_survived(struct tally *);
/* Ends the failover that is under way where it has come to its end, or anyway: true, once. */
bool tally_settle(struct tally *, bool anyway);

#endif
