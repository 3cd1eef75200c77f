/*
 * alerts.h - carries out the configuration's alerts: runs programs, posts JSON.
 *
 * Alerts never delay the loop. Programs run in parallel, at most ALERTS_RUNNING_MOST at once, each in a
 * separate session, and are ended with their process group at their timeout. The messages of one alert are
 * sent in order. A failed program is reported. A failed post is repeated at growing intervals until it is
 * obsolete.
 *
 * A program gets its facts in the environment: ELECTOP_STATE (raised, again, resolved, event), _CODE,
 * _CLUSTER, _ELECTION, _NAME, _SEVERITY, _CERTAINTY, _EVIDENCE, _ADVICE, _OWNER, _RUNBOOK, _SINCE, _KEY; and in its
 * arguments, which may contain {state}, {code}, {cluster}, {election}, {name}, {severity}, {certainty},
 * {evidence}, {advice}, {owner}, {runbook}, {since} and {key}. Its standard input is empty. ELECTOP_RUN is another one
 * for each program: what still has it once that program has ended was left behind by it, and is killed.
 */
#ifndef ELECTOP_PROBE_ALERT_ALERTS_H
#define ELECTOP_PROBE_ALERT_ALERTS_H

#include "config/settings.h"
#include "probe/monitor.h"

#define ALERTS_RUNNING_MOST 8

struct alerts;

/* Why an alert could not be sent, as a text. */
typedef void (*alerts_problem_fn)(void *context, const char *problem);

/*
 * The settings must outlive it, or be replaced by alerts_follow(). file: stores open alerts across a restart
 * (copied); NULL: none.
 */
struct alerts *alerts_start(uv_loop_t *loop, struct monitor *monitor, const struct settings *settings,
                            const char *file, alerts_problem_fn problem, void *context);
/* Running programs continue; waiting alerts are reported. NULL is allowed. */
void alerts_stop(struct alerts *alerts);

/* Call this after a reload: open alerts continue. monitor NULL: there is none for now. */
void alerts_follow(struct alerts *alerts, struct monitor *monitor, const struct settings *settings);

/* The numbers of alerts sent, and of those that could not be sent. */
uint64_t alerts_sent(const struct alerts *alerts);
uint64_t alerts_failed(const struct alerts *alerts);

#endif
