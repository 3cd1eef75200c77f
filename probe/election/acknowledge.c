#include "probe/election/acknowledge.h"

#include <string.h>

#include "probe/election/update.h"
#include "probe/election/recalled.h"
#include "probe/election/registry.h"

enum contained { NOWHERE, WITHIN_A_WORD, AS_A_WORD };

static bool is_of_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* "host-10" does not name "host-1"; the byte before the text may be a binary length. */
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
    /* The text may be further on; and the meaning of a longer word among others is unknown. */
    bool all_kept = election->mark_stat.data_length <= CANDIDATE_DATA_KEPT;
    bool one_word =
        election->mark_identity && strcspn(election->mark_identity, " ,;") == election->mark_data_length;
    return all_kept && (named == NOWHERE || one_word) ? ACK_NO : ACK_UNKNOWN;
}

static enum acknowledged by_mark(const struct election *election)
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

/* A layout whose leader writes several has acknowledged with the last of them. */
static enum acknowledged by_further_marks(const struct election *election)
{
    const struct candidate *leader = election->leader;
    for (size_t i = 0; i < FURTHER_MARKS; i++) {
        const struct further_mark *mark = &election->further_marks[i];
        if (!mark->path)
            continue;
        if (!mark->known || !leader->known)
            return ACK_UNKNOWN;
        if (!mark->present || mark->owner != leader->stat.owner)
            return ACK_NO;
    }
    return ACK_YES;
}

/* The session of this member has written it. */
static bool is_members(const struct election *election, const struct candidate *c)
{
    if (!c->known || c->stat.owner == 0 || !election->mark_known)
        return false;
    if (election->mark_place == MARK_REGISTRY)
        return registry_is_listed(election->registry) && registry_holds(election->registry, c->stat.owner);
    return election->mark_present && election->mark_place == MARK_NODE &&
           c->stat.owner == election->mark_stat.owner;
}

/* A member is known to own it, or the leader to have written it: this layout has it. */
static bool is_proved(const struct election *election, enum acknowledged now)
{
    if (now == ACK_YES)
        return true;
    for (size_t i = 0; i < election->candidate_count; i++)
        if (is_members(election, election->candidates[i]))
            return true;
    return false;
}

/* What one election of the cluster shows of the layout's version holds for the others. */
static bool is_proved_elsewhere(const struct election *election)
{
    const struct recipe *const *proved = election->cluster->marks_proved;
    for (size_t i = 0; i < sizeof election->cluster->marks_proved / sizeof *proved && proved[i]; i++)
        if (proved[i] == election->recipe)
            return true;
    return false;
}

static void prove_everywhere(const struct update *f)
{
    struct cluster *cluster = f->election->cluster;
    const size_t room = sizeof cluster->marks_proved / sizeof *cluster->marks_proved;
    size_t at = 0;
    while (at < room && cluster->marks_proved[at])
        at++;
    if (at == room || is_proved_elsewhere(f->election))
        return;
    cluster->marks_proved[at] = f->election->recipe;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *other = cluster->elections[i];
        if (other != f->election && other->recipe == f->election->recipe && other->mark_doubted)
            acknowledge_update(&(struct update){f->model, other, f->at});
    }
}

static enum acknowledged acknowledge_judge(struct election *election)
{
    election->mark_doubted = false;
    enum acknowledged now = by_mark(election);
    bool doubtful = !election->mark_configured && !election->mark_proved;
    if (doubtful && (now == ACK_YES || now == ACK_NO))
        election->mark_proved = is_proved(election, now) || is_proved_elsewhere(election);
    if (now == ACK_YES)
        return by_further_marks(election);
    /* Not there, and never seen: another version of the layout may do without it. */
    bool missing = election->mark_place == MARK_REGISTRY || !election->mark_present;
    election->mark_doubted =
        election->recipe && now == ACK_NO && missing && doubtful && !election->mark_proved;
    return election->mark_doubted && recipe_mark_varies(election->recipe) ? ACK_UNKNOWN : now;
}

void acknowledge_update(const struct update *f)
{
    struct election *election = f->election;
    bool was_missing = election->acknowledged == ACK_NO || election->mark_doubted;
    bool was_proved = election->mark_proved;
    enum acknowledged before = election->acknowledged, now = acknowledge_judge(election);
    if (election->mark_proved && !was_proved) {
        update_touched(f);
        if (election->recipe)
            prove_everywhere(f);
    }
    if (before == now)
        return;
    election->acknowledged = now;
    if (now == ACK_NO) {
        election->unacknowledged_since = recalled_unacknowledged(f);
        election->unacknowledged_found = before != ACK_YES;
    }
    update_touched(f);
    struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    bool elected = leader && change->to && strcmp(change->to, leader->name) == 0;
    if (now != ACK_YES || !(was_missing || elected))
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
    update_tell(f, &event);
}

void acknowledge_member(const struct update *f, const struct candidate *member)
{
    if (!f->election->mark_proved && is_members(f->election, member))
        acknowledge_update(f);
}
