/*
 * alerts.h - carries out the configuration's alerts: runs programs, posts JSON.
 *
 * Nothing of it delays the loop: programs run beside it, at most ALERTS_RUNNING_MOST at once, in a session of
 * their own, and are ended with their process group at their timeout. What one alert sends goes out in
 * order. A program that fails is reported; a post that fails is tried again, ever more rarely, until it is
 * obsolete.
 *
 * A program gets its facts in the environment: ELECTOP_STATE (raised, again, resolved, event), _CODE,
 * _CLUSTER, _ELECTION, _NAME, _SEVERITY, _CERTAINTY, _EVIDENCE, _ADVICE, _OWNER, _RUNBOOK, _SINCE, _ELECTIONS
 * (their number), _ELECTION_LIST (a line each, at most 100); and in its arguments, where {state}, {code},
 * {cluster}, {election}, {name}, {severity}, {certainty}, {evidence}, {advice}, {owner}, {runbook}, {since}
 * and {elections} stand for them.
 */
#ifndef ELECTOP_PROBE_ALERT_ALERTS_H
#define ELECTOP_PROBE_ALERT_ALERTS_H

#include "config/settings.h"
#include "probe/monitor.h"

#define ALERTS_RUNNING_MOST 8

struct alerts;

/* Why an alert could not be sent; in words. */
typedef void (*alerts_problem_fn)(void *context, const char *problem);

/*
 * The settings must outlive it, or be replaced by alerts_follow(). file: keeps open alerts over a restart;
 * NULL: none. pair: several recorders of this name keep that in the sandbox directory of the first cluster,
 * and one of them sends (pair.h); NULL: it is alone. Both are copied. NULL: the pair cannot be
 * joined (alerts_follow()).
 */
struct alerts *alerts_start(uv_loop_t *loop, struct monitor *monitor, const struct settings *settings,
                            const char *file, const char *pair, alerts_problem_fn problem, void *context);
/* What runs goes on by itself; what waits is reported. NULL is fine. */
void alerts_stop(struct alerts *alerts);

/* After a reload: what is open goes on. monitor NULL: there is none for now. False: the pair cannot
   be joined (pair_start()). */
bool alerts_follow(struct alerts *alerts, struct monitor *monitor, const struct settings *settings);

enum alerts_role {
    ALERTS_ALONE,     /* no pair */
    ALERTS_SENDING,   /* it leads its pair */
    ALERTS_FOLLOWING, /* another recorder does, or none */
};
enum alerts_role alerts_role(const struct alerts *alerts);

/* So far: alerts that went out, and those that could not. */
uint64_t alerts_sent(const struct alerts *alerts);
uint64_t alerts_failed(const struct alerts *alerts);

#endif
