#include "probe/election/update.h"

#include "probe/election/bystanders.h"
#include "probe/election/event.h"
#include "probe/election/tenure.h"

const char *event_word(enum event_kind kind)
{
    switch (kind) {
    case EVENT_ELECTION_SEEN:
        return "election-seen";
    case EVENT_ELECTION_GONE:
        return "election-gone";
    case EVENT_CANDIDATE_JOINED:
        return "candidate-joined";
    case EVENT_CANDIDATE_LEFT:
        return "candidate-left";
    case EVENT_LEADER_LOST:
        return "leader-lost";
    case EVENT_LEADER_ELECTED:
        return "leader-elected";
    case EVENT_LEADER_ACKNOWLEDGED:
        return "leader-acknowledged";
    case EVENT_FAILOVER:
        return "failover";
    case EVENT_CONNECTION:
        return "connection";
    case EVENT_FINDING_RAISED:
        return "finding-raised";
    case EVENT_FINDING_CLEARED:
        return "finding-cleared";
    case EVENT_FINDING_MUTED:
        return "finding-muted";
    case EVENT_UNSEEN:
        break;
    }
    return "unseen";
}

void diagnose_soon(struct election *election)
{
    election->touched = true;
    diagnose_again(election);
}

void diagnose_again(struct election *election)
{
    if (election->dirty)
        return;
    struct cluster *cluster = election->cluster;
    election->dirty = true;
    election->dirty_next = cluster->dirty;
    cluster->dirty = election;
}

void diagnose_forget(struct election *election)
{
    struct election **link = &election->cluster->dirty;
    while (*link && *link != election)
        link = &(*link)->dirty_next;
    if (*link)
        *link = election->dirty_next;
    election->dirty = false;
}

void model_tell(struct model *model, const struct event *event)
{
    model->generation++;
    if (model->on_event)
        model->on_event(model->context, event);
}

void update_tell(const struct update *f, struct event *event)
{
    event->at = f->at;
    event->cluster = f->election->cluster;
    event->election = f->election;
    if (event->kind != EVENT_FAILOVER && f->election->lapsed &&
        f->at.mono_us > f->election->stale_since.mono_us)
        event->gap_us = f->at.mono_us - f->election->stale_since.mono_us;
    if (event->kind == EVENT_UNSEEN)
        f->election->unseen_at = f->at;
    if (event->kind != EVENT_FINDING_RAISED && event->kind != EVENT_FINDING_CLEARED)
        diagnose_soon(f->election);
    f->election->turn = f->model->turn;
    model_tell(f->model, event);
}

void update_tell_candidate(const struct update *f, enum event_kind kind, const struct candidate *candidate,
                           size_t position)
{
    update_tell(f, &(struct event){.kind = kind,
                                   .candidate = candidate->name,
                                   .identity = candidate->identity,
                                   .position = position,
                                   .after_us = -1});
    if (kind == EVENT_CANDIDATE_LEFT || kind == EVENT_LEADER_LOST)
        bystander_left(f->election, candidate, kind == EVENT_LEADER_LOST, f->at);
}

void update_tell_elected(const struct update *f)
{
    struct election *election = f->election;
    election->leader_untold = false;
    const struct change *change = &election->change;
    struct event event = {.kind = EVENT_LEADER_ELECTED,
                          .candidate = election->leader->name,
                          .identity = election->leader->identity,
                          .position = 1,
                          .from = change->from,
                          .from_identity = change->from_identity,
                          .after_us = -1};
    if (change->from && change->vacancy_us >= 0)
        event.after_us = f->at.mono_us - change->lost_at.mono_us;
    update_tell(f, &event);
}

void update_tell_elected_read(const struct update *f, bool read)
{
    if (f->election->leader_untold && read)
        update_tell_elected(f);
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
    election->state_since = f->at;
    election->state_since_exact = election->fresh;
    update_touched(f);
}

void update_fresh(const struct update *f)
{
    struct election *election = f->election;
    if (election->fresh)
        return;
    election->fresh = true;
    election->lapsed = false;
    election->stale_since = (struct moment){0};
    update_touched(f);
}
