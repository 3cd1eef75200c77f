/*
 * alert_facts.h - the facts of an alert for its receiver: a program's arguments and environment, or the JSON
 * of a post. alerts.h lists the facts.
 */
#ifndef ELECTOP_PROBE_ALERT_ALERT_FACTS_H
#define ELECTOP_PROBE_ALERT_ALERT_FACTS_H

#include "config/settings.h"
#include "probe/alert/alert_book.h"
#include "probe/json/buffer.h"

enum fact {
    FACT_STATE,
    FACT_CODE,
    FACT_CLUSTER,
    FACT_ELECTION,
    FACT_NAME,
    FACT_SEVERITY,
    FACT_CERTAINTY,
    FACT_EVIDENCE,
    FACT_ADVICE,
    FACT_OWNER,
    FACT_RUNBOOK,
    FACT_SINCE,
    FACT_KEY,
    ALERT_FACTS
};

/* The word of each fact in an argument, between braces; NULL at the end. */
extern const char *const alert_fact_words[ALERT_FACTS + 1];

/* Each is malloc'd, without characters that end a line or mislead. */
void alert_facts(const struct alert *alert, enum alert_state state, char *facts[ALERT_FACTS]);

/* {code} and other known words are replaced by their facts; other braces are kept. malloc'd. */
char *alert_fill(const char *argument, char *const facts[ALERT_FACTS]);

/* The program's environment: the mark ("NAME=value", first), the usual few variables and the facts, nothing
 * else. A malloc'd list of malloc'd texts. */
char **alert_environment(const char *mark, char *const facts[ALERT_FACTS]);

/* Writes the JSON for Alertmanager's v2 API: a list of alerts. Alertmanager resolves an alert that is not
 * posted again. */
void alert_body(struct buffer *out, const struct alert *alert, const struct alert_settings *rule,
                enum alert_state state);

#endif
