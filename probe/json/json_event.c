#include "probe/json/json_event.h"

#include "probe/election/certainty.h"
#include "probe/election/model.h"
#include "probe/election/summary.h"
#include "probe/json/json_writer.h"

void json_finding_write(struct json_writer *writer, const struct finding *finding,
                        const struct election *election)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "code", finding_kind(finding->code)->word);
    json_member_text(writer, "severity", severity_word(finding->severity));
    json_member_text(writer, "certainty", certainty_word(finding->certainty));
    json_member_begin(writer, "candidates", '[');
    for (size_t i = 0; i < finding->candidate_count; i++)
        json_write_string(writer, finding->candidates[i]);
    json_write_end(writer, ']');
    json_member_time(writer, "since", finding->since.wall_us);
    if (election)
        json_member_time(writer, "possible_since", certainty_possible_since_us(election, finding));
    json_member_time(writer, "unconfirmed_since",
                     finding->unconfirmed_since.mono_us ? finding->unconfirmed_since.wall_us : 0);
    json_member_text(writer, "evidence", finding->evidence);
    json_member_text(writer, "advice", finding->advice);
    json_write_end(writer, '}');
}

void json_failover_write_span(struct json_writer *writer, const char *key, struct span span)
{
    if (span.low_us < 0 && span.high_us < 0) {
        json_member_null(writer, key);
        return;
    }
    if (span.low_us != span.high_us) { /* bounds stay bounds in whole milliseconds */
        span.low_us -= span.low_us >= 10000 ? span.low_us % 1000 : 0;
        span.high_us += span.high_us >= 10000 ? 999 - (span.high_us + 999) % 1000 : 0;
    }
    json_member_begin(writer, key, '[');
    json_write_ms(writer, span.low_us);
    json_write_ms(writer, span.high_us);
    json_write_end(writer, ']');
}

static void write_point(struct json_writer *writer, const char *key, int64_t after_us)
{
    json_failover_write_span(writer, key, after_us ? (struct span){after_us, after_us} : SPAN_UNKNOWN);
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
    json_member_bool(writer, "open", failover_is_open(failover));
    json_failover_write_span(writer, "detection_ms", failover->detection);
    json_failover_write_span(writer, "vacancy_ms", failover->vacancy);
    write_point(writer, "notified_ms", failover->notified_us);
    write_point(writer, "reacted_ms", failover->reacted_us);
    json_failover_write_span(writer, "takeover_ms", failover->takeover);
    json_failover_write_span(writer, "total_ms", failover->total);
}

void json_failover_write(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}

static void begin_line(struct json_writer *writer, struct moment at, const char *cluster,
                       const char *election, const char *word)
{
    json_write_begin(writer, '{');
    json_member_int(writer, "schema", JSON_SCHEMA);
    json_member_time(writer, "time", at.wall_us);
    json_member_text(writer, "cluster", cluster && *cluster ? cluster : NULL);
    json_member_text(writer, "election", election);
    json_member_text(writer, "event", word);
}

static void end_event_line(struct json_writer *writer)
{
    json_write_end(writer, '}');
    buffer_put_char(writer->out, '\n');
}

static void json_event_write_candidate(struct json_writer *writer, const struct event *event)
{
    json_member_text(writer, "candidate", event->candidate);
    json_member_text(writer, "identity", event->identity);
}

static void write_after(struct json_writer *writer, const struct event *event)
{
    json_member_ms(writer, "after_ms", event->after_us);
}

static void json_event_write_gap(struct json_writer *writer, const struct event *event)
{
    bool finding = event->kind == EVENT_FINDING_RAISED || event->kind == EVENT_FINDING_CLEARED;
    if (event->gap_us <= 0 || finding)
        return;
    json_member_ms(writer, event->kind == EVENT_CONNECTION ? "gap_ms" : "after_gap_ms", event->gap_us);
}

static void write_recipe(struct json_writer *writer, const struct election *election)
{
    json_member_text(writer, "recipe", election && election->recipe ? election->recipe->name : NULL);
    json_member_text(writer, "kind", election ? election_kind_word(election->kind) : NULL);
}

static void write_change(struct json_writer *writer, const struct event *event)
{
    json_member_text(writer, "from", event->from);
    json_member_text(writer, "from_identity", event->from_identity);
    json_member_text(writer, "to", event->candidate);
    json_member_text(writer, "to_identity", event->identity);
    write_after(writer, event);
}

void json_event_write(struct buffer *out, const struct event *event)
{
    struct json_writer writer = json_writer_to(out, false);
    begin_line(&writer, event->at, event->cluster ? event->cluster->name : NULL,
               event->election ? summary_path(event->election) : NULL, event_word(event->kind));
    switch (event->kind) {
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
        write_recipe(&writer, event->election);
        break;
    case EVENT_CANDIDATE_JOINED:
    case EVENT_CANDIDATE_LEFT:
        json_event_write_candidate(&writer, event);
        json_member_uint(&writer, "position", event->position);
        break;
    case EVENT_LEADER_LOST:
        json_event_write_candidate(&writer, event);
        break;
    case EVENT_LEADER_ELECTED:
        write_change(&writer, event);
        break;
    case EVENT_LEADER_ACKNOWLEDGED:
        json_event_write_candidate(&writer, event);
        write_after(&writer, event);
        if (event->detail)
            json_member_text(&writer, "detail", event->detail);
        break;
    case EVENT_FAILOVER:
        json_write_key(&writer, "failover");
        json_failover_write(&writer, event->failover);
        break;
    case EVENT_CONNECTION:
        json_member_text(&writer, "state", event->connection);
        json_member_text(&writer, "detail", event->detail);
        break;
    case EVENT_UNSEEN:
        json_member_uint(&writer, "joined", event->unseen_joined);
        json_member_uint(&writer, "left", event->unseen_left);
        break;
    case EVENT_FINDING_MUTED:
        json_member_text(&writer, "author", event->identity);
        json_member_text(&writer, "note", event->detail);
        json_member_ms(&writer, "for_ms", event->after_us);
        json_write_key(&writer, "finding");
        json_finding_write(&writer, event->finding, NULL);
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
        json_write_key(&writer, "finding");
        json_finding_write(&writer, event->finding, NULL);
        break;
    }
    json_event_write_gap(&writer, event);
    end_event_line(&writer);
}

void json_event_write_dropped(struct buffer *out, struct moment at, uint64_t dropped)
{
    struct json_writer writer = json_writer_to(out, false);
    begin_line(&writer, at, NULL, NULL, event_word(EVENT_CONNECTION));
    json_member_text(&writer, "state", "gap");
    json_member_text(&writer, "detail", "these lines were read too slowly: some were dropped");
    json_member_uint(&writer, "dropped", dropped);
    end_event_line(&writer);
}
