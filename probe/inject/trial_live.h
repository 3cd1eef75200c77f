/*
 * trial_live.h - the rules that are kept while test candidates stand in somebody's election.
 *
 * They stand behind at least two real candidates. When a real one goes they give way, all of them; while two
 * are left (or once two stand again) they rejoin, after a pause. To have given way to fewer than two makes
 * the pause longer, and the third time is the last. That none of them ever leads nobody can promise: one that
 * finds itself first deletes its znode at once, acknowledges nothing (candidate.h, never_leads), and the
 * report says for how long it was first; and for how long at most, where it left before it knew (front.h).
 *
 * Nothing else is ever written: no directory, no mark, no data; the guard sees to that, too.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_LIVE_H
#define ELECTOP_PROBE_INJECT_TRIAL_LIVE_H

#include <stdbool.h>

struct front;
struct trial;
struct live_rules;

#define LIVE_WITHDRAWALS_MOST 3

/* The crowd has begun to stand. over: it withdrew for the last time. NULL: out of memory. */
struct live_rules *live_rules_keep(struct trial *, void (*over)(struct trial *, const char *problem));
/* After the session's last answer only while none is owed; see live_rules_clear(). NULL is fine. */
void live_rules_free(struct live_rules *);

/* Every so often; and when a watch of the run's session has fired, or its session is back. */
void live_rules_tick(struct live_rules *);
void live_rules_noticed(struct live_rules *);

/* Whether one of ours was ever first, as far as is known. */
const struct front *live_rules_front(const struct live_rules *);

/*
 * At the end: deletes what of ours still stands; done is called once, not seen where the connection went
 * before all was answered: then it may be tried again. False: there is nobody to ask.
 */
bool live_rules_clear(struct live_rules *, void (*done)(struct trial *, bool seen));

#endif
