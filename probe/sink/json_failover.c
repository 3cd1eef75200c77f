#include "probe/sink/json_failover.h"

void json_span_write(struct json_writer *writer, struct span span)
{
    if (span.low_us < 0 && span.high_us < 0) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '[');
    json_write_ms(writer, span.low_us);
    json_write_ms(writer, span.high_us);
    json_write_end(writer, ']');
}

static void write_text(struct json_writer *writer, const char *key, const char *text)
{
    json_write_key(writer, key);
    json_write_string(writer, text);
}

static void write_span(struct json_writer *writer, const char *key, struct span span)
{
    json_write_key(writer, key);
    json_span_write(writer, span);
}

void json_failover_write_members(struct json_writer *writer, const struct failover *failover)
{
    bool known = failover->cause != CAUSE_UNKNOWN;
    write_text(writer, "from", failover->from);
    write_text(writer, "from_identity", failover->from_identity);
    write_text(writer, "to", failover->to);
    write_text(writer, "to_identity", failover->to_identity);
    write_text(writer, "cause", failover_cause_word(failover->cause));
    write_text(writer, "cause_certainty", known ? certainty_word(failover->cause_certainty) : NULL);
    write_text(writer, "evidence", failover->evidence);
    write_span(writer, "detection_ms", failover->detection);
    write_span(writer, "vacancy_ms", failover->vacancy);
    write_span(writer, "takeover_ms", failover->takeover);
    write_span(writer, "total_ms", failover->total);
}

void json_failover_write(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}
