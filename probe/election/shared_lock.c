#include "probe/election/shared_lock.h"

bool shared_lock(const struct election *election)
{
    return election->reader_count > 0;
}

size_t shared_lock_holders(const struct election *election)
{
    size_t count = 0;
    if (election->candidate_count == 0 || !shared_lock(election) || !election->candidates[0]->reads)
        return election->candidate_count > 0;
    while (count < election->candidate_count && election->candidates[count]->reads)
        count++;
    return count;
}

bool shared_lock_holds(const struct election *election, const struct candidate *candidate)
{
    if (!shared_lock(election))
        return election->candidate_count > 0 && election->candidates[0] == candidate;
    return candidate->place < shared_lock_holders(election) &&
           election->candidates[candidate->place] == candidate;
}

const struct candidate *shared_lock_awaited(const struct election *election, size_t place)
{
    struct candidate *const *line = election->candidates;
    if (place == 0 || place < shared_lock_holders(election))
        return NULL;
    if (!line[place]->reads)
        return line[place - 1];
    while (place-- > 0)
        if (!line[place]->reads)
            return line[place];
    return NULL;
}

bool shared_lock_serves(const struct election *election, const struct candidate *member,
                        const struct candidate *watched)
{
    if (watched->place >= member->place || member->place < shared_lock_holders(election))
        return false;
    return member->reads ? !watched->reads : watched->place + 1u == member->place;
}
