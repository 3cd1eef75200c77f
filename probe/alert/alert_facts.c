#include "probe/alert/alert_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"
#include "probe/clock.h"
#include "probe/json/json_writer.h"

const char *const alert_fact_words[ALERT_FACTS + 1] = {
    "state",    "code",   "cluster", "election", "name",  "severity", "certainty",
    "evidence", "advice", "owner",   "runbook",  "since", "key",      NULL};

/* Strangers' bytes on one line: bytes that would end it, or deceive its reader, become question marks. */
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

static char *fact_key(const struct alert *alert)
{
    return text_format("%016" PRIx64, alert->key);
}

void alert_facts(const struct alert *alert, enum alert_state state, char *facts[ALERT_FACTS])
{
    const char *raw[ALERT_FACTS] = {[FACT_STATE] = alert_state_word(state),
                                    [FACT_CODE] = alert->code,
                                    [FACT_CLUSTER] = alert->cluster,
                                    [FACT_ELECTION] = alert->election,
                                    [FACT_NAME] = alert->name,
                                    [FACT_SEVERITY] = severity_word(alert->severity),
                                    [FACT_CERTAINTY] = certainty_word(alert->certainty),
                                    [FACT_EVIDENCE] = alert->evidence,
                                    [FACT_ADVICE] = alert->advice,
                                    [FACT_OWNER] = alert->owner,
                                    [FACT_RUNBOOK] = alert->runbook};
    for (int i = 0; i < ALERT_FACTS; i++)
        facts[i] = i == FACT_SINCE ? fact_time(alert->since_wall_us)
                   : i == FACT_KEY ? fact_key(alert)
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

/* The program's environment: the mark, the usual few, and the facts. It gets nothing else. */
char **alert_environment(const char *mark, char *const facts[ALERT_FACTS])
{
    static const char *const kept[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"};
    char **list = xcalloc(1 + ALERT_FACTS + sizeof kept / sizeof *kept + 1, sizeof *list);
    size_t count = 0;
    list[count++] = xstrdup(mark);
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

/* What Alertmanager's v2 API takes: a list of alerts. One that is not posted again is over by itself. */
void alert_body(struct buffer *out, const struct alert *alert, const struct alert_settings *rule,
                enum alert_state state)
{
    struct json_writer json = json_writer_to(out, false), *writer = &json;
    int64_t now_us = clock_wall_us();
    int64_t lasts_us = state == ALERT_EVENT   ? 300000000
                       : rule->again_after_ms ? 2 * rule->again_after_ms * 1000 + 300000000
                                              : INT64_C(86400000000);
    char *summary = text_format("%s in %s", alert->code, alert->name ? alert->name : alert->election);
    char *key = fact_key(alert);
    json_write_begin(writer, '[');
    json_write_begin(writer, '{');
    json_write_key(writer, "labels");
    json_write_begin(writer, '{');
    json_pair(writer, "alertname", alert->code);
    json_pair(writer, "cluster", alert->cluster);
    json_pair(writer, "election", alert->election);
    json_pair(writer, "candidate", alert->candidate);
    json_pair(writer, "severity", severity_word(alert->severity));
    json_pair(writer, "owner", alert->owner);
    json_pair(writer, "key", key);
    json_write_end(writer, '}');
    json_write_key(writer, "annotations");
    json_write_begin(writer, '{');
    json_pair(writer, "summary", summary);
    json_pair(writer, "description", alert->evidence);
    json_pair(writer, "advice", alert->advice);
    json_pair(writer, "certainty", certainty_word(alert->certainty));
    json_pair(writer, "runbook_url", alert->runbook);
    json_write_end(writer, '}');
    json_write_key(writer, "startsAt");
    json_write_time(writer, alert->since_wall_us ? alert->since_wall_us : now_us);
    json_write_key(writer, "endsAt");
    json_write_time(writer, state == ALERT_RESOLVED ? now_us : now_us + lasts_us);
    json_write_end(writer, '}');
    json_write_end(writer, ']');
    free(summary);
    free(key);
}
