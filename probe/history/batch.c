#include "probe/history/batch.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/json/json_writer.h"

struct batch *batch_new(void)
{
    return xcalloc(1, sizeof(struct batch));
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    buffer_free(&batch->texts);
    buffer_free(&batch->patch);
    buffer_free(&batch->snapshot);
    buffer_free(&batch->observed);
    free(batch->subjects);
    free(batch->happenings);
    free(batch->tenures);
    free(batch->facts);
    free(batch);
}

bool batch_is_empty(const struct batch *batch)
{
    return batch->patch.length == 0 && batch->happening_count == 0 && batch->tenure_count == 0 &&
           batch->fact_count == 0 && batch->observed.length == 0 && batch->begins == BATCH_GOES_ON;
}

size_t batch_size(const struct batch *batch)
{
    return sizeof *batch + batch->observed.room + batch->texts.room + batch->patch.room +
           batch->snapshot.room + batch->subject_room * sizeof *batch->subjects +
           batch->happening_room * sizeof *batch->happenings + batch->tenure_room * sizeof *batch->tenures +
           batch->fact_room * sizeof *batch->facts;
}

static batch_text batch_put(struct batch *batch, const char *text)
{
    if (!text)
        return 0;
    size_t at = batch->texts.length;
    buffer_put(&batch->texts, text, strlen(text) + 1);
    if (at >= UINT32_MAX) {
        batch->failed = true;
        return 0;
    }
    return (batch_text)(at + 1);
}

static batch_text names_as_json(struct batch *batch, const struct finding *finding)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_begin(&writer, '[');
    for (size_t i = 0; i < finding->candidate_count; i++)
        json_write_string(&writer, finding->candidates[i]);
    json_write_end(&writer, ']');
    buffer_put_char(&out, '\0');
    batch_text text = batch_put(batch, out.bytes);
    buffer_free(&out);
    return text;
}

static void add_finding(struct batch *batch, struct happening *h, const struct finding *finding)
{
    h->code = batch_put(batch, finding_kind(finding->code)->word);
    h->severity = finding->severity;
    h->certainty = finding->certainty;
    h->subject = finding->subject;
    h->one_poll = finding->one_poll;
    h->candidates = names_as_json(batch, finding);
    h->evidence = batch_put(batch, finding->evidence);
    h->advice = batch_put(batch, finding->advice);
    h->since_us = finding->since.wall_us;
    h->unconfirmed_us = finding->unconfirmed_since.mono_us ? finding->unconfirmed_since.wall_us : 0;
}

static void add_failover(struct batch *batch, struct happening *h, const struct failover *failover)
{
    h->failover = true;
    h->lost_us = failover->lost_at.wall_us;
    h->lost_mono_us = failover->lost_at.mono_us;
    h->elected_us = failover->elected_at.mono_us ? failover->elected_at.wall_us : 0;
    h->cause = batch_put(batch, failover_cause_word(failover->cause));
    h->certainty = failover->cause_certainty;
    h->evidence = batch_put(batch, failover->evidence);
    h->gap_us = failover->gap_us;
    h->spans[0] = failover->detection;
    h->spans[1] = failover->vacancy;
    h->spans[2] = failover->takeover;
    h->notified_us = failover->notified_us;
    h->reacted_us = failover->reacted_us;
    h->spans[3] = failover->total;
}

void batch_add_event(struct batch *batch, const struct event *event)
{
    room_for_one(&batch->happenings, batch->happening_count, &batch->happening_room,
                 sizeof *batch->happenings);
    struct happening *h = &batch->happenings[batch->happening_count++];
    *h = (struct happening){.kind = event->kind,
                            .at_us = event->at.wall_us,
                            .cluster = batch_put(batch, event->cluster ? event->cluster->name : NULL),
                            .election = batch_put(batch, event->election ? event->election->path : NULL),
                            .candidate = batch_put(batch, event->candidate),
                            .identity = batch_put(batch, event->identity),
                            .other = batch_put(batch, event->from),
                            .other_identity = batch_put(batch, event->from_identity),
                            .state = batch_put(batch, event->connection),
                            .detail = batch_put(batch, event->detail),
                            .position = event->position,
                            .joined = event->unseen_joined,
                            .gone = event->unseen_left,
                            .gap_us = event->gap_us,
                            .after_us = event->after_us};
    bool seen = event->kind == EVENT_ELECTION_SEEN || event->kind == EVENT_ELECTION_GONE;
    if (seen && event->election && event->election->recipe) /* as it was then */
        h->detail = batch_put(batch, event->election->recipe->name);
    if (event->finding)
        add_finding(batch, h, event->finding);
    if (event->failover)
        add_failover(batch, h, event->failover);
}

void batch_add_known_failover(struct batch *batch, const struct election *election,
                              const struct failover *failover)
{
    batch_add_event(batch, &(struct event){.kind = EVENT_FAILOVER,
                                           .at = {.wall_us = batch->at_us},
                                           .cluster = election->cluster,
                                           .election = election,
                                           .candidate = failover->to,
                                           .identity = failover->to_identity,
                                           .from = failover->from,
                                           .from_identity = failover->from_identity,
                                           .failover = failover});
    batch->happenings[batch->happening_count - 1].known = true;
}

void batch_add_subject(struct batch *batch, const struct cluster *cluster, const struct election *election)
{
    room_for_one(&batch->subjects, batch->subject_count, &batch->subject_room, sizeof *batch->subjects);
    struct subject_row *row = &batch->subjects[batch->subject_count++];
    *row = (struct subject_row){.cluster = batch_put(batch, cluster->name),
                                .hosts = batch_put(batch, cluster->hosts),
                                .chroot = batch_put(batch, cluster->chroot),
                                .away = cluster->connection != CONNECTION_CONNECTED};
    if (!election)
        return;
    row->election = batch_put(batch, election->path);
    row->name = batch_put(batch, election->name);
    row->kind = batch_put(batch, election_kind_word(election->kind));
    row->recipe = batch_put(batch, election->recipe ? election->recipe->name : NULL);
}

void batch_add_tenure(struct batch *batch, const struct election *election, const struct tenure *tenure,
                      int64_t number)
{
    room_for_one(&batch->tenures, batch->tenure_count, &batch->tenure_room, sizeof *batch->tenures);
    batch->tenures[batch->tenure_count++] =
        (struct tenure_row){.cluster = batch_put(batch, election->cluster->name),
                            .election = batch_put(batch, election->path),
                            .number = number,
                            .candidate = batch_put(batch, tenure->name),
                            .identity = batch_put(batch, tenure->identity),
                            .from_us = tenure->from.wall_us,
                            .to_us = tenure->to.mono_us ? tenure->to.wall_us : 0,
                            .from_exact = tenure->from_exact,
                            .gap = tenure->gap,
                            .session = tenure->session};
}

void batch_add_fact(struct batch *batch, const char *cluster, const struct logged_fact *fact)
{
    room_for_one(&batch->facts, batch->fact_count, &batch->fact_room, sizeof *batch->facts);
    struct fact_row *row = &batch->facts[batch->fact_count++];
    *row = (struct fact_row){
        .fact = *fact, .cluster = batch_put(batch, cluster), .path = batch_put(batch, fact->path)};
    row->fact.path = NULL;
}
