#include "probe/election/recalled.h"

#include <string.h>

struct moment recalled_moment(const struct model *model, struct moment then)
{
    const struct moment *until = &model->earlier_until;
    if (then.mono_us == 0)
        return then;
    int64_t mono_us = until->mono_us + (then.wall_us - until->wall_us);
    return (struct moment){mono_us ? mono_us : 1, then.wall_us};
}

bool recalled_znode(const struct candidate *a, const struct candidate *b)
{
    return a && b && a->known && b->known && strcmp(a->name, b->name) == 0 &&
           a->stat.czxid == b->stat.czxid && a->stat.ctime_ms == b->stat.ctime_ms &&
           a->stat.owner == b->stat.owner;
}

struct moment recalled_unacknowledged(const struct update *f)
{
    const struct election *now = f->election, *then = now->earlier;
    bool same =
        then && now->recalled && then->acknowledged == ACK_NO && recalled_znode(now->leader, then->leader);
    return same && then->unacknowledged_since.mono_us ? recalled_moment(f->model, then->unacknowledged_since)
                                                      : f->at;
}

/* A candidate's is identified by its znode: its number is made anew in each run. */
static bool same_finding(const struct election *now, const struct finding *finding, size_t about,
                         const struct election *then, const struct finding *recorded)
{
    if (recorded->code != finding->code)
        return false;
    if (about == SIZE_MAX)
        return recorded->subject == finding->subject;
    return about < recorded->candidate_count &&
           recalled_znode(election_find(now, finding->candidates[about]),
                          election_find(then, recorded->candidates[about]));
}

void recalled_finding(const struct update *f, struct finding *finding, size_t about)
{
    const struct election *now = f->election, *then = now->earlier;
    for (size_t i = 0; then && now->recalled && i < then->finding_count; i++)
        if (same_finding(now, finding, about, then, then->findings[i])) {
            finding->since = recalled_moment(f->model, then->findings[i]->since);
            return;
        }
}
