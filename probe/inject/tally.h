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
#include "probe/inject/departure.h"
#include "probe/inject/histogram.h"

#define TALLY_NOBODY SIZE_MAX

/*
 * One change of leader among the crowd. Times are 0 where it did not come to that.
 * Phases: detection from due_us to told_us (a close or a resignation is told at once), takeover from
 * first_us to led_us; in between nobody stood.
 */
struct crowd_failover {
    int64_t from, to; /* sequence numbers; to SEQUENCE_NONE: nobody yet */
    enum departure how;
    bool planned; /* false: it was no death of ours (its session expired under it, somebody deleted its znode)
                   */
    uint64_t due_us;   /* when the death should have been; unplanned: when we knew of it */
    uint64_t dead_us;  /* when it was done */
    uint64_t told_us;  /* the first notification of it to any of us */
    uint64_t first_us; /* the next one knew that it is first */
    uint64_t led_us;   /* ... and acknowledged, where it does */
    /* What it cost, from the death until nobody of us had anything under way; broken off: at least so much.
     */
    uint64_t notices, requests;
    bool broken_off; /* the crowd's end was sooner */
};

struct tally {
    struct histogram to_stand,
        to_fail_over; /* the latter: planned ones only, of others nobody knows since when */
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
    uint64_t first_most_us, survived, unplanned;
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
/* A failover is under way, in which somebody leads already. */
bool tally_has_led(const struct tally *);
/* Ends the failover that is under way where it has come to its end, or anyway: true, once. */
bool tally_settle(struct tally *, bool anyway);

#endif
