#include "probe/election/update.h"

#include "probe/election/bystanders.h"
#include "probe/election/election_private.h"
#include "probe/election/event.h"
#include "probe/election/tenure.h"

static const struct {
    const char *word, *meaning;
} event_table[EVENT_KINDS] = {
    [EVENT_ELECTION_SEEN] = {"election-seen", "An election is seen for the first time."},
    [EVENT_ELECTION_GONE] = {"election-gone", "The directory of an election no longer exists."},
    [EVENT_CANDIDATE_JOINED] = {"candidate-joined", "A candidate registered."},
    [EVENT_CANDIDATE_LEFT] = {"candidate-left", "A candidate's znode no longer exists."},
    [EVENT_LEADER_LOST] = {"leader-lost", "The leader's znode no longer exists."},
    [EVENT_LEADER_ELECTED] = {"leader-elected", "Another candidate is first."},
    [EVENT_LEADER_ACKNOWLEDGED] = {"leader-acknowledged",
                                   "The new leader wrote its acknowledgement: it acts as leader."},
    [EVENT_FAILOVER] =
        {"failover",
         "For every change of leader, when its evidence is complete: the cause, both leaders and the length "
         "of "
         "each phase. While nobody leads, first as open; as open, too, after it was told as complete, if who "
         "followed turns out never to have led."},
    [EVENT_CONNECTION] = {"connection",
                          "The connection to the cluster was established, lost or interrupted."},
    [EVENT_UNSEEN] = {"unseen", "Candidates joined and left between two reads."},
    [EVENT_FINDING_RAISED] = {"finding-raised",
                              "A finding was raised, became certain or became more severe."},
    [EVENT_FINDING_CLEARED] = {"finding-cleared", "A finding was cleared."},
    [EVENT_FINDING_MUTED] = {"finding-muted", "A person muted a finding in the dashboard."},
};

const char *event_word(enum event_kind kind)
{
    return event_table[kind].word;
}

const char *event_meaning(enum event_kind kind)
{
    return event_table[kind].meaning;
}

void diagnose_soon(struct election *election)
{
    election->own->touched = true;
    diagnose_again(election);
}

void diagnose_again(struct election *election)
{
    if (election->own->dirty)
        return;
    struct cluster *cluster = election->cluster;
    election->own->dirty = true;
    election->own->dirty_next = cluster->dirty;
    cluster->dirty = election;
}

void diagnose_forget(struct election *election)
{
    struct election **link = &election->cluster->dirty;
    while (*link && *link != election)
        link = &(*link)->own->dirty_next;
    if (*link)
        *link = election->own->dirty_next;
    election->own->dirty = false;
}

void model_emit(struct model *model, const struct event *event)
{
    model->generation++;
    if (model->on_event)
        model->on_event(model->context, event);
}

void update_emit(const struct update *f, struct event *event)
{
    event->at = f->at;
    event->cluster = f->election->cluster;
    event->election = f->election;
    if (event->czxid == 0 && f->election->directory_known)
        event->czxid = f->election->own->directory.czxid;
    if (event->kind != EVENT_FAILOVER && f->election->own->lapsed &&
        f->at.mono_us > f->election->stale_since.mono_us)
        event->gap_us = f->at.mono_us - f->election->stale_since.mono_us;
    if (event->kind == EVENT_UNSEEN)
        f->election->unseen_at = f->at;
    if (event->kind != EVENT_FINDING_RAISED && event->kind != EVENT_FINDING_CLEARED)
        diagnose_soon(f->election);
    f->election->turn = f->model->turn;
    model_emit(f->model, event);
}

static int64_t lock_czxid(const struct election *election, const struct candidate *candidate)
{
    return election->recipe && election->recipe->family == FAMILY_LOCK ? candidate->stat.czxid : 0;
}

void update_emit_candidate(const struct update *f, enum event_kind kind, const struct candidate *candidate,
                           size_t position)
{
    if (kind == EVENT_LEADER_LOST && f->election->own->denied.mono_us != 0)
        return;
    update_emit(f, &(struct event){.kind = kind,
                                   .czxid = lock_czxid(f->election, candidate),
                                   .candidate = candidate->name,
                                   .identity = candidate->identity,
                                   .position = position,
                                   .after_us = -1});
    if (kind == EVENT_CANDIDATE_LEFT || kind == EVENT_LEADER_LOST)
        bystander_left(f->election, candidate, kind == EVENT_LEADER_LOST, f->at);
}

void update_emit_elected(const struct update *f)
{
    struct election *election = f->election;
    election->own->leader_unreported = false;
    const struct change *change = &election->change;
    struct event event = {.kind = EVENT_LEADER_ELECTED,
                          .czxid = lock_czxid(election, election->leader),
                          .candidate = election->leader->name,
                          .identity = election->leader->identity,
                          .position = 1,
                          .from = change->from,
                          .from_identity = change->from_identity,
                          .after_us = -1};
    if (change->from && change->vacancy_us >= 0)
        event.after_us = f->at.mono_us - change->lost_at.mono_us;
    update_emit(f, &event);
}

void update_emit_elected_read(const struct update *f, bool read)
{
    if (f->election->own->leader_unreported && read)
        update_emit_elected(f);
}

void update_touched(const struct update *f)
{
    f->model->generation++;
    f->election->turn = f->model->turn;
    diagnose_soon(f->election);
}

void update_state(const struct update *f, enum election_state state)
{
    struct election *election = f->election;
    if (election->state == state)
        return;
    election->state = state;
    update_state_found(f);
}

void update_state_found(const struct update *f)
{
    struct election *election = f->election;
    bool reopened = election->fresh && election->own->still_open && election->state == ELECTION_VACANT;
    bool lost = election->change.from != NULL; /* else nobody was seen to lead before */
    election->state_since = reopened && lost ? election->change.lost_at : f->at;
    election->state_since_exact = election->fresh && (!reopened || lost);
    update_touched(f);
}

void update_fresh(const struct update *f)
{
    struct election *election = f->election;
    if (election->fresh)
        return;
    election->fresh = true;
    election->own->lapsed = false;
    election->stale_since = (struct moment){0};
    update_touched(f);
}
