#include "probe/sink/json_event.h"

#include "probe/election/model.h"
#include "probe/sink/json_failover.h"
#include "probe/sink/json_finding.h"
#include "probe/sink/json_writer.h"
#include "probe/sink/look.h"

static void begin_line(struct json_writer *writer, struct moment at, const char *cluster,
                       const char *election, const char *word)
{
    json_write_begin(writer, '{');
    json_write_key(writer, "schema");
    json_write_int(writer, JSON_SCHEMA);
    json_write_key(writer, "time");
    json_write_time(writer, at.wall_us);
    json_write_key(writer, "cluster");
    json_write_string(writer, cluster && *cluster ? cluster : NULL);
    json_write_key(writer, "election");
    json_write_string(writer, election);
    json_write_key(writer, "event");
    json_write_string(writer, word);
}

static void end_line(struct json_writer *writer)
{
    json_write_end(writer, '}');
    buffer_put_char(writer->out, '\n');
}

static void write_candidate(struct json_writer *writer, const struct event *event)
{
    json_write_key(writer, "candidate");
    json_write_string(writer, event->candidate);
    json_write_key(writer, "identity");
    json_write_string(writer, event->identity);
}

static void write_after(struct json_writer *writer, const struct event *event)
{
    json_write_key(writer, "after_ms");
    json_write_ms(writer, event->after_us);
}

static void write_gap(struct json_writer *writer, const struct event *event)
{
    bool finding = event->kind == EVENT_FINDING_RAISED || event->kind == EVENT_FINDING_CLEARED;
    if (event->gap_us <= 0 || finding)
        return;
    json_write_key(writer, event->kind == EVENT_CONNECTION ? "gap_ms" : "after_gap_ms");
    json_write_ms(writer, event->gap_us);
}

static void write_recipe(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "recipe");
    json_write_string(writer, election && election->recipe ? election->recipe->name : NULL);
    json_write_key(writer, "kind");
    json_write_string(writer, election ? election_kind_word(election->kind) : NULL);
}

static void write_change(struct json_writer *writer, const struct event *event)
{
    json_write_key(writer, "from");
    json_write_string(writer, event->from);
    json_write_key(writer, "from_identity");
    json_write_string(writer, event->from_identity);
    json_write_key(writer, "to");
    json_write_string(writer, event->candidate);
    json_write_key(writer, "to_identity");
    json_write_string(writer, event->identity);
    write_after(writer, event);
}

void json_event_write(struct buffer *out, const struct event *event)
{
    struct json_writer writer = json_writer_to(out, false);
    begin_line(&writer, event->at, event->cluster ? event->cluster->name : NULL,
               event->election ? look_path(event->election) : NULL, event_word(event->kind));
    switch (event->kind) {
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
        write_recipe(&writer, event->election);
        break;
    case EVENT_CANDIDATE_JOINED:
    case EVENT_CANDIDATE_LEFT:
        write_candidate(&writer, event);
        json_write_key(&writer, "position");
        json_write_uint(&writer, event->position);
        break;
    case EVENT_LEADER_LOST:
        write_candidate(&writer, event);
        break;
    case EVENT_LEADER_ELECTED:
        write_change(&writer, event);
        break;
    case EVENT_LEADER_ACKNOWLEDGED:
        write_candidate(&writer, event);
        write_after(&writer, event);
        break;
    case EVENT_FAILOVER:
        json_write_key(&writer, "failover");
        json_failover_write(&writer, event->failover);
        break;
    case EVENT_CONNECTION:
        json_write_key(&writer, "state");
        json_write_string(&writer, event->connection);
        json_write_key(&writer, "detail");
        json_write_string(&writer, event->detail);
        break;
    case EVENT_UNSEEN:
        json_write_key(&writer, "joined");
        json_write_uint(&writer, event->unseen_joined);
        json_write_key(&writer, "left");
        json_write_uint(&writer, event->unseen_left);
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
        json_write_key(&writer, "finding");
        json_finding_write(&writer, event->finding);
        break;
    }
    write_gap(&writer, event);
    end_line(&writer);
}

void json_event_write_dropped(struct buffer *out, struct moment at, uint64_t dropped)
{
    struct json_writer writer = json_writer_to(out, false);
    begin_line(&writer, at, NULL, NULL, event_word(EVENT_CONNECTION));
    json_write_key(&writer, "state");
    json_write_string(&writer, "gap");
    json_write_key(&writer, "detail");
    json_write_string(&writer, "these lines were read too slowly: some were dropped");
    json_write_key(&writer, "dropped");
    json_write_uint(&writer, dropped);
    end_line(&writer);
}
