#include "probe/alert/alert_facts.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"
#include "probe/clock.h"
#include "probe/json/json_writer.h"

const char *const alert_fact_words[ALERT_FACTS + 1] = {
    "state",    "code",   "cluster", "election", "name",  "severity",  "certainty",
    "evidence", "advice", "owner",   "runbook",  "since", "elections", NULL};

/* Strangers' bytes on one line: what would end it, or deceive who reads it, becomes a question mark. */
static char *fact_clean(const char *text)
{
    struct text out = {0};
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t eaten = utf8_decode(text + i, length - i, &code);
        if (!eaten || utf8_deceives(code))
            text_add(&out, "?");
        else
            text_add_bytes(&out, text + i, eaten);
        i += eaten ? eaten : 1;
    }
    return text_take(&out);
}

static char *fact_time(int64_t wall_us)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_time(&writer, wall_us);
    struct text text = {0};
    if (out.length > 2 && out.bytes[0] == '"') /* without its quotes; null: not known */
        text_add_bytes(&text, out.bytes + 1, out.length - 2);
    buffer_free(&out);
    return text_take(&text);
}

/* The gravest of those that are open. */
static const struct alert_member *alert_gravest(const struct alert *alert)
{
    const struct alert_member *gravest = &alert->members[0];
    for (size_t i = 1; i < alert->member_count; i++)
        if (alert->members[i].open && (!gravest->open || alert->members[i].severity > gravest->severity))
            gravest = &alert->members[i];
    return gravest;
}

void alert_facts(const struct alert *alert, enum alert_state state, char *facts[ALERT_FACTS])
{
    const struct alert_member *m = alert_gravest(alert);
    const char *raw[ALERT_FACTS] = {alert_state_word(state),
                                    alert->code,
                                    alert->cluster,
                                    m->election,
                                    m->name,
                                    severity_word(m->severity),
                                    certainty_word(m->certainty),
                                    m->evidence,
                                    m->advice,
                                    m->owner,
                                    m->runbook,
                                    NULL,
                                    NULL};
    for (int i = 0; i < ALERT_FACTS; i++)
        facts[i] = i == FACT_SINCE       ? fact_time(m->since_wall_us)
                   : i == FACT_ELECTIONS ? text_format("%zu", alert->member_count)
                                         : fact_clean(raw[i] ? raw[i] : "");
}

/* {code} and other known words are replaced by their facts; other braces are kept. */
char *alert_fill(const char *argument, char *const facts[ALERT_FACTS])
{
    struct text out = {0};
    while (*argument) {
        int found = ALERT_FACTS;
        for (int i = 0; *argument == '{' && i < ALERT_FACTS; i++) {
            size_t length = strlen(alert_fact_words[i]);
            if (strncmp(argument + 1, alert_fact_words[i], length) == 0 && argument[1 + length] == '}')
                found = i;
        }
        if (found < ALERT_FACTS) {
            text_add(&out, facts[found]);
            argument += strlen(alert_fact_words[found]) + 2;
        } else {
            text_add_bytes(&out, argument++, 1);
        }
    }
    return text_take(&out);
}

static char *election_list(const struct alert *alert)
{
    struct text out = {0};
    for (size_t i = 0; i < alert->member_count && i < ALERT_LISTED_MOST; i++) {
        char *clean = fact_clean(alert->members[i].election);
        text_printf(&out, "%s%s", i ? "\n" : "", clean);
        free(clean);
    }
    return text_take(&out);
}

/* The program's environment: the usual few, and the facts. It gets nothing else. */
char **alert_environment(const struct alert *alert, char *const facts[ALERT_FACTS])
{
    static const char *const kept[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"};
    char **list = xcalloc(ALERT_FACTS + sizeof kept / sizeof *kept + 2, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);
        if (value) {
            list[count] = text_format("%s=%s", kept[i], value);
            count++;
        }
    }
    for (int i = 0; i < ALERT_FACTS; i++) {
        char word[16];
        size_t k = 0;
        for (; alert_fact_words[i][k]; k++)
            word[k] = (char)(alert_fact_words[i][k] - 'a' + 'A');
        word[k] = '\0';
        list[count] = text_format("ELECTOP_%s=%s", word, facts[i]);
        count++;
    }
    char *elections = election_list(alert);
    list[count] = text_format("ELECTOP_ELECTION_LIST=%s", elections);
    free(elections);
    return list;
}

/* ---- the body of a post ---- */

static void json_pair(struct json_writer *writer, const char *key, const char *value)
{
    if (!value || !*value)
        return; /* Alertmanager refuses labels without a value */
    char *clean = fact_clean(value);
    json_write_key(writer, key);
    json_write_string(writer, clean);
    free(clean);
}

static void json_member_alert(struct json_writer *writer, const struct alert *alert,
                              const struct alert_member *m, bool resolved, int64_t now_us, int64_t until_us)
{
    char *summary = text_format("%s in %s", alert->code, m->name ? m->name : m->election);
    json_write_begin(writer, '{');
    json_write_key(writer, "labels");
    json_write_begin(writer, '{');
    json_pair(writer, "alertname", alert->code);
    json_pair(writer, "cluster", alert->cluster);
    json_pair(writer, "election", m->election);
    json_pair(writer, "candidate", m->candidate);
    json_pair(writer, "severity", severity_word(m->severity));
    json_pair(writer, "owner", m->owner);
    json_write_end(writer, '}');
    json_write_key(writer, "annotations");
    json_write_begin(writer, '{');
    json_pair(writer, "summary", summary);
    json_pair(writer, "description", m->evidence);
    json_pair(writer, "advice", m->advice);
    json_pair(writer, "certainty", certainty_word(m->certainty));
    json_pair(writer, "runbook_url", m->runbook);
    json_write_end(writer, '}');
    json_write_key(writer, "startsAt");
    json_write_time(writer, m->since_wall_us ? m->since_wall_us : now_us);
    json_write_key(writer, "endsAt");
    json_write_time(writer, resolved ? now_us : until_us);
    json_write_end(writer, '}');
    free(summary);
}

/* What Alertmanager's v2 API takes: a list of alerts. One that is not posted again is over by itself. */
void alert_body(struct buffer *out, const struct alert *alert, const struct alert_settings *rule,
                enum alert_state state)
{
    struct json_writer writer = json_writer_to(out, false);
    int64_t now_us = clock_wall_us();
    int64_t lasts_us =
        rule->again_after_ms ? 2 * rule->again_after_ms * 1000 + 300000000 : INT64_C(86400000000);
    if (state == ALERT_EVENT)
        lasts_us = 300000000;
    json_write_begin(&writer, '[');
    for (size_t i = 0; i < alert->member_count && i < ALERT_LISTED_MOST; i++)
        json_member_alert(&writer, alert, &alert->members[i],
                          state == ALERT_RESOLVED || !alert->members[i].open, now_us, now_us + lasts_us);
    json_write_end(&writer, ']');
}
