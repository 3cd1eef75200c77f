#include "probe/election/acknowledge.h"

#include <string.h>

#include "probe/election/fold.h"
#include "probe/election/recalled.h"
#include "probe/election/registry.h"

enum contained { NOWHERE, WITHIN_A_WORD, AS_A_WORD };

static bool is_of_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* "host-1" is not the one that "host-10" names; what stands before it may be a binary length. */
static enum contained contains(const unsigned char *data, size_t length, const char *text)
{
    size_t wanted = strlen(text);
    enum contained found = NOWHERE;
    for (size_t i = 0; wanted > 0 && i + wanted <= length && found != AS_A_WORD; i++)
        if (memcmp(data + i, text, wanted) == 0)
            found = i + wanted == length || !is_of_word(data[i + wanted]) ? AS_A_WORD : WITHIN_A_WORD;
    return found;
}

/* Who wrote a mark that belongs to no session: its data is the leader's own, or names it. */
static enum acknowledged by_data(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (leader->data_length > 0 && leader->data_length == election->mark_data_length &&
        memcmp(leader->data, election->mark_data, leader->data_length) == 0)
        return ACK_YES;
    if (contains(election->mark_data, election->mark_data_length, leader->name) != NOWHERE)
        return ACK_YES;
    if (!leader->identity)
        return leader->data_length > 0 ? ACK_NO : ACK_UNKNOWN;
    if (election->mark_identity && strcmp(election->mark_identity, leader->identity) == 0)
        return ACK_YES;
    enum contained named = contains(election->mark_data, election->mark_data_length, leader->identity);
    if (named == AS_A_WORD)
        return ACK_YES;
    /* It may name it further on; and what a longer word in the midst of others means, nobody knows. */
    bool all_kept = election->mark_stat.data_length <= CANDIDATE_DATA_KEPT;
    bool one_word =
        election->mark_identity && strcspn(election->mark_identity, " ,;") == election->mark_data_length;
    return all_kept && (named == NOWHERE || one_word) ? ACK_NO : ACK_UNKNOWN;
}

static enum acknowledged judge(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (!election->mark_path)
        return ACK_NO_MARK;
    if (election->mark_unread)
        return ACK_UNKNOWN;
    if (election->mark_place == MARK_REGISTRY) {
        const struct registry *registry = election->registry;
        if (!registry_is_listed(registry) || election->mark_denied)
            return ACK_UNKNOWN;
        /* The recipe may be used without its registry. */
        if (registry_is_absent(registry) && !election->mark_configured)
            return ACK_NO_MARK;
        if (!leader || !leader->known)
            return ACK_UNKNOWN;
        if (registry_holds(registry, leader->stat.owner))
            return ACK_YES;
        return registry_unread(registry) == 0 ? ACK_NO : ACK_UNKNOWN;
    }
    if (!leader || !election->mark_known)
        return ACK_UNKNOWN;
    if (!election->mark_present)
        return ACK_NO;
    if (!leader->known)
        return ACK_UNKNOWN;
    if (election->mark_place == MARK_NODE && election->mark_stat.owner != 0)
        return election->mark_stat.owner == leader->stat.owner ? ACK_YES : ACK_NO;
    if (election->mark_data_mzxid != election->mark_stat.mzxid)
        return election->acknowledged == ACK_NO_MARK ? ACK_UNKNOWN : election->acknowledged;
    return by_data(election);
}

void acknowledge_update(const struct fold *f)
{
    struct election *election = f->election;
    enum acknowledged before = election->acknowledged, now = judge(election);
    if (before == now)
        return;
    election->acknowledged = now;
    if (now == ACK_NO) {
        election->unacknowledged_since = recalled_unacknowledged(f);
        election->unacknowledged_found = before != ACK_YES;
    }
    fold_touched(f);
    struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    bool elected = leader && change->to && strcmp(change->to, leader->name) == 0;
    if (now != ACK_YES || !(before == ACK_NO || elected))
        return;
    struct event event = {.kind = EVENT_LEADER_ACKNOWLEDGED,
                          .candidate = leader->name,
                          .identity = leader->identity,
                          .position = 1,
                          .after_us = -1};
    if (election->leader_since_exact)
        event.after_us = f->at.mono_us - election->leader_since.mono_us;
    if (elected && change->takeover_us < 0)
        change->takeover_us = event.after_us;
    fold_tell(f, &event);
}
