#include "probe/json/json_failover.h"

#include "probe/json/json_member.h"

void json_failover_write_span(struct json_writer *writer, const char *key, struct span span)
{
    if (span.low_us < 0 && span.high_us < 0) {
        json_member_null(writer, key);
        return;
    }
    json_member_begin(writer, key, '[');
    json_write_ms(writer, span.low_us);
    json_write_ms(writer, span.high_us);
    json_write_end(writer, ']');
}

void json_failover_write_members(struct json_writer *writer, const struct failover *failover)
{
    bool known = failover->cause != CAUSE_UNKNOWN;
    json_member_text(writer, "from", failover->from);
    json_member_text(writer, "from_identity", failover->from_identity);
    json_member_text(writer, "to", failover->to);
    json_member_text(writer, "to_identity", failover->to_identity);
    json_member_text(writer, "cause", failover_cause_word(failover->cause));
    json_member_text(writer, "cause_certainty", known ? certainty_word(failover->cause_certainty) : NULL);
    json_member_text(writer, "evidence", failover->evidence);
    json_failover_write_span(writer, "detection_ms", failover->detection);
    json_failover_write_span(writer, "vacancy_ms", failover->vacancy);
    json_failover_write_span(writer, "takeover_ms", failover->takeover);
    json_failover_write_span(writer, "total_ms", failover->total);
}

void json_failover_write(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}
