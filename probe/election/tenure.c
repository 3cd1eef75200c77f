#include "probe/election/tenure.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"

struct tenure *tenure_at(struct election *election, size_t i)
{
    return &election->tenures[(election->tenure_first + i) % election->tenure_room];
}

struct tenure *tenure_last(struct election *election)
{
    return election->tenure_count ? tenure_at(election, election->tenure_count - 1) : NULL;
}

void tenure_drop_last(struct election *election)
{
    struct tenure *last = tenure_last(election);
    free(last->name);
    free(last->identity);
    election->tenure_count--;
}

void tenure_deny(struct tenure *tenure)
{
    free(tenure->name);
    free(tenure->identity);
    tenure->name = tenure->identity = NULL;
    tenure->session = 0;
}

/* Most elections see few changes: the ring grows as it fills. */
static void tenure_room(struct election *election)
{
    if (election->tenure_count < election->tenure_room)
        return;
    if (election->tenure_room == TENURES_KEPT) {
        struct tenure *oldest = tenure_at(election, 0);
        free(oldest->name);
        free(oldest->identity);
        election->tenure_first = (election->tenure_first + 1) % election->tenure_room;
        election->tenure_count--;
        return;
    }
    size_t room = election->tenure_room ? election->tenure_room * 2 : 2;
    /* Not wrapped yet: it only wraps at its full size. */
    election->tenures = xreallocarray(election->tenures, room, sizeof *election->tenures);
    election->tenure_room = room;
}

static uint64_t tenure_serial(struct election *election)
{
    return election->cluster ? ++election->cluster->serial : 0;
}

void tenure_begin(struct election *election, const struct candidate *who, struct moment from, bool exact,
                  bool gap)
{
    struct tenure *last = tenure_last(election);
    if (last && last->to.mono_us == 0)
        last->to = from;
    tenure_room(election);
    election->tenure_count++;
    *tenure_last(election) = (struct tenure){.name = who ? text_copy(who->name) : NULL,
                                             .identity = who ? text_copy(who->identity) : NULL,
                                             .session = who && who->known ? who->stat.owner : 0,
                                             .from = from,
                                             .from_exact = exact,
                                             .gap = gap,
                                             .serial = tenure_serial(election)};
}

void tenure_put(struct election *election, const struct tenure *tenure)
{
    tenure_room(election);
    election->tenure_count++;
    struct tenure *last = tenure_last(election);
    *last = *tenure;
    last->serial = tenure_serial(election);
    last->name = text_copy(tenure->name);
    last->identity = text_copy(tenure->identity);
}

struct moment moment_later(struct moment a, struct moment b)
{
    return a.mono_us >= b.mono_us ? a : b;
}

void election_lapse(struct election *election, struct moment since)
{
    struct tenure *last = tenure_last(election);
    election->stale_since = last ? moment_later(since, last->from) : since;
    election->fresh = false;
    election->own->lapsed = true;
    if (last && !last->gap)
        tenure_begin(election, NULL, election->stale_since, true, true);
}

void election_lapsed_before(struct election *election, struct moment since)
{
    struct tenure *last = tenure_last(election);
    if (!election->own->lapsed || election->stale_since.mono_us <= since.mono_us ||
        election->listed.mono_us > since.mono_us)
        return;
    election->stale_since = since;
    if (!last || !last->gap)
        return;
    if (election->tenure_count > 1) {
        struct tenure *before = tenure_at(election, election->tenure_count - 2);
        election->stale_since = moment_later(since, before->from);
        before->to = election->stale_since;
    }
    last->from = election->stale_since;
}

void tenures_free(struct election *election)
{
    while (election->tenure_count)
        tenure_drop_last(election);
    free(election->tenures);
}

bool tenure_is_other(const struct tenure *before, const struct tenure *now)
{
    if (before->session != 0 && now->session != 0)
        return before->session != now->session;
    if (before->identity && now->identity)
        return strcmp(before->identity, now->identity) != 0;
    return strcmp(before->name, now->name) != 0;
}

bool tenure_goes_on(const struct election *election)
{
    size_t i = election->tenure_count;
    const struct tenure *now = i > 0 ? election_tenure_at(election, --i) : NULL;
    if (!now || !now->name || now->session == 0)
        return false;
    bool vacant = false;
    while (i-- > 0) {
        const struct tenure *before = election_tenure_at(election, i);
        if (before->gap)
            return false;
        if (before->name) {
            bool renamed = before->identity && now->identity && strcmp(before->identity, now->identity) != 0;
            return before->session == now->session && (vacant || !renamed);
        }
        vacant = true;
    }
    return false;
}
