#include "probe/election/failovers.h"

#include <stdlib.h>

const struct failover *election_failover_at(const struct election *election, size_t i)
{
    if (i >= election->failover_count)
        return NULL;
    return &election->failovers[(election->failover_first + i) % election->failover_room];
}

const struct failover *election_last_failover(const struct election *election)
{
    const struct failover *last =
        election->failover_count ? election_failover_at(election, election->failover_count - 1) : NULL;
    return last && last->lost_at.mono_us == election->change.lost_at.mono_us ? last : NULL;
}

/* Most elections see few: the ring grows as it fills, and wraps only at its full size. */
static struct failover *failover_slot(struct election *election)
{
    if (election->failover_count == FAILOVERS_KEPT) {
        struct failover *oldest = &election->failovers[election->failover_first];
        failover_release(oldest);
        election->failover_first = (election->failover_first + 1) % FAILOVERS_KEPT;
        election->failover_count--;
    } else if (election->failover_count == election->failover_room) {
        size_t room = election->failover_room ? election->failover_room * 2 : 2;
        struct failover *larger = realloc(election->failovers, room * sizeof *larger);
        if (!larger)
            return NULL;
        election->failovers = larger;
        election->failover_room = room;
    }
    size_t at = (election->failover_first + election->failover_count) % election->failover_room;
    return &election->failovers[at];
}

bool election_keep_failover(struct election *election, const struct failover *from)
{
    struct failover copy;
    if (!failover_copy(&copy, from))
        return false;
    struct failover *slot = failover_slot(election);
    if (!slot) {
        failover_release(&copy);
        return false;
    }
    *slot = copy;
    election->failover_count++;
    return true;
}

void failovers_free(struct election *election)
{
    for (size_t i = 0; i < election->failover_count; i++)
        failover_release(&election->failovers[(election->failover_first + i) % election->failover_room]);
    free(election->failovers);
    election->failovers = NULL;
    election->failover_count = election->failover_room = 0;
}
