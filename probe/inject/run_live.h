/*
 * run_live.h - the rules that hold while test candidates are in a live election.
 *
 * They queue behind at least two real candidates. When a real one goes, all of them withdraw; while two
 * are left (or once there are two again) they rejoin, after a pause. Withdrawing with fewer than two left
 * makes the pause longer, and the third time is the last. That none of them ever leads cannot be guaranteed:
 * one that finds itself first deletes its znode at once, acknowledges nothing (candidate.h, never_leads), and
 * the report says for how long it was first; or an upper bound, where it left before it knew (leads_check.h).
 *
 * Nothing else is ever written: no directory, no acknowledgement, no data; the guard enforces that, too.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_LIVE_H
#define ELECTOP_PROBE_INJECT_RUN_LIVE_H

#include <stdbool.h>

struct leads_check;
struct run;
struct live_rules;

#define LIVE_WITHDRAWALS_MOST 3

/* The crowd has begun to join. over: it withdrew for the last time. NULL: out of memory. */
struct live_rules *live_rules_keep(struct run *, void (*over)(struct run *, const char *problem));
/* After the session's last answer only while none is owed; see live_rules_clear(). NULL is fine. */
void live_rules_free(struct live_rules *);

/* Every so often; and when a watch of the run's session has fired, or its session is back. */
void live_rules_tick(struct live_rules *);
void live_rules_noticed(struct live_rules *);

/* Whether one of ours was ever first, as far as is known. */
const struct leads_check *live_rules_front(const struct live_rules *);

/*
 * At the end: deletes znodes of ours that still exist; done is called once, with seen false where the
 * connection was lost before all answers came: then it may be tried again. False: no connection.
 */
bool live_rules_clear(struct live_rules *, void (*done)(struct run *, bool seen));

#endif
