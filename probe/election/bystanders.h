/*
 * bystanders.h - the clients beside an election: recent departures, and sessions that may watch something in
 * it without owning a candidate.
 */
#ifndef ELECTOP_PROBE_ELECTION_BYSTANDERS_H
#define ELECTOP_PROBE_ELECTION_BYSTANDERS_H

#include "probe/election/election.h"

struct update;

/* This session may watch something in the election. */
void bystander_note(struct election *election, uint64_t session);

/* A candidate leaves, whether or not it led. */
void bystander_left(struct election *election, const struct candidate *candidate, bool led, struct moment at);

/* The departures kept, in a ring, newest last. */
#define DEPARTED_KEPT 16
struct departure_note {
    uint64_t session; /* 0: gone before it was read */
    struct moment at;
    bool led;
    bool alone;    /* no other session came from its host */
    char host[48]; /* of its client; "": unknown */
    char name[80]; /* of its znode, cut if longer */
};
struct departed {
    struct departure_note notes[DEPARTED_KEPT];
    size_t count, next;
};
/* The first candidate, if it was gone before it was read. */
void departed_brief(struct election *election, const struct candidate *candidate, struct moment at);
/* Adds a recorded departure: those from before this run come first. */
void departed_put(struct election *election, const struct departure_note *note);
/* Takes over recorded departures from before this run (baseline.h). */
void departed_take_baseline(const struct update *update, const struct election *then);
/* i = 0 is the latest; NULL: no more. */
const struct departure_note *departed_at(const struct election *election, size_t i);
/* The failover that its loss began; NULL: it did not lead, or none is judged yet. */
const struct failover *departed_failover(const struct election *election, const struct departure_note *note);

#endif
