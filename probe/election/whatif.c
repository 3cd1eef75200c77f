#include "probe/election/whatif.h"

#include <stddef.h>

#include "probe/election/chain.h"
#include "probe/election/session_table.h"

static bool same_session(const struct candidate *one, const struct candidate *other)
{
    return one->known && other->known && owner_is_session(one->stat.owner) &&
           one->stat.owner == other->stat.owner;
}

bool candidate_stays(const struct candidate *c)
{
    return c->known && c->stat.owner == 0;
}

enum answer whatif_notified(const struct candidate *c, const char **why)
{
    const struct client_session *shown = candidate_client(c);
    *why = NULL;
    switch (c->link) {
    case LINK_RIGHT:
        if (!shown || !shown->connected || !client_is_overdue(shown))
            return ANSWER_YES;
        *why = "its client has been silent for most of its timeout";
        return ANSWER_UNKNOWN;
    case LINK_STUCK:
        *why = "it watches nothing here";
        return ANSWER_NO;
    case LINK_WRONG:
        if (c->proof == FINDING_COUNT) {
            *why = c->wrong == FINDING_WATCH_SELF ? "it was seen to watch only itself"
                                                  : "it was seen to watch something else";
            return ANSWER_UNKNOWN;
        }
        *why = c->wrong == FINDING_WATCH_SELF ? "it watches only itself" : "it watches something else";
        return ANSWER_NO;
    case LINK_SUSPECT:
        *why = "no watch of it was seen";
        return ANSWER_UNKNOWN;
    case LINK_UNKNOWN:
    case LINK_FIRST:
        break;
    }
    if (candidate_stays(c)) {
        *why = "no session owns it";
        return ANSWER_UNKNOWN; /* its creator may still be there, under an unknown session */
    }
    *why = c->link_why ? c->link_why : "its watches are not known";
    return ANSWER_UNKNOWN;
}

/* The one behind it that is left when its session ends, at this place or later; NULL: none. */
static const struct candidate *left_behind(const struct election *election, const struct candidate *goes,
                                           size_t at)
{
    while (at < election->candidate_count && same_session(election->candidates[at], goes))
        at++;
    return at < election->candidate_count ? election->candidates[at] : NULL;
}

/* In a layout where all watch the leader, no other departure needs a notification. */
static bool all_watch_leader(const struct election *election)
{
    return election->recipe && election->recipe->watches == WATCHES_LEADER;
}

/* Does anybody behind it, the successor left out, watch what no server shows? */
static bool others_unknown(const struct election *election, size_t at, const struct candidate *successor)
{
    for (size_t i = at + 1; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        const struct client_session *shown = candidate_client(c);
        if (c != successor && !candidate_stays(c) && !(shown && shown->watches_known))
            return true;
    }
    return false;
}

/* Of a read-write lock: as long as another reader holds it, no turn comes. */
static void shared_departure(const struct election *election, size_t at, struct departure *departure)
{
    size_t holders = shared_lock_holders(election);
    if (at < holders && holders > 1) {
        departure->held_by = election->candidates[at == 0];
        departure->why = "other readers still hold it";
        return;
    }
    if (at + 1 >= election->candidate_count)
        return;
    const struct candidate *next = election->candidates[at + 1];
    if (next->reads && election->candidates[at]->reads) {
        departure->why = "no reader waits for a reader";
        return;
    }
    departure->successor = next;
    departure->leads = at == 0;
    departure->successor_stays = candidate_stays(next);
    departure->notified = whatif_notified(next, &departure->why);
}

struct departure whatif_goes(const struct election *election, const struct candidate *goes)
{
    struct departure departure = {
        .goes = goes, .stays = candidate_stays(goes), .why = "there is no candidate after it"};
    size_t at = election_position(election, goes);
    if (shared_lock(election)) {
        shared_departure(election, at, &departure);
    } else if ((departure.successor = left_behind(election, goes, at + 1)) != NULL) {
        departure.leads = at == 0;
        departure.successor_stays = candidate_stays(departure.successor);
        if (at > 0 && all_watch_leader(election)) {
            departure.notified = ANSWER_NO;
            departure.why = "all watch the leader and need no other notification";
        } else {
            departure.notified = whatif_notified(departure.successor, &departure.why);
        }
    }
    if (!departure.successor && at + 1 < election->candidate_count && !shared_lock(election)) {
        departure.why = "all behind it belong to its own session";
        departure.notified = ANSWER_NO;
    }
    uint64_t sessions[64];
    size_t count = chain_watched_by(election, goes, sessions, sizeof sessions / sizeof sessions[0]);
    size_t known =
        count < sizeof sessions / sizeof sessions[0] ? count : sizeof sessions / sizeof sessions[0];
    const size_t most = sizeof departure.others / sizeof departure.others[0];
    /* Of a session with several candidates, the nearest one behind counts. */
    for (size_t i = 0; i < known; i++) {
        if ((departure.successor && departure.successor->stat.owner == sessions[i]) ||
            goes->stat.owner == sessions[i])
            continue;
        const struct candidate *other = NULL;
        for (size_t k = at + 1; k < election->candidate_count && !other && departure.other_count < most; k++)
            if (election->candidates[k]->stat.owner == sessions[i])
                other = election->candidates[k];
        if (other)
            departure.others[departure.other_count++] = other;
    }
    if (count > known)
        departure.other_count += count - known;
    if (departure.notified == ANSWER_NO)
        departure.others_unknown = others_unknown(election, at, departure.successor);
    return departure;
}

size_t whatif_lock_notified(const struct election *election)
{
    if (election->candidate_count == 0)
        return 0;
    const struct candidate *holder = election->candidates[0];
    uint64_t sessions[64];
    const size_t room = sizeof sessions / sizeof sessions[0];
    size_t count = chain_watched_by(election, holder, sessions, room), notified = count;
    for (size_t i = 0; i < count && i < room; i++)
        if (sessions[i] == holder->stat.owner) /* it watches itself: that notifies no other session */
            notified--;
    return notified;
}

/* A child watch, or a recursive one above, notifies just as well. */
static bool shows_all_waiters(const struct election *election)
{
    return all_watch_leader(election) && chain_watches_complete(election->cluster) &&
           !election->hidden_watches;
}

enum answer member_leads(const struct election *election, const struct member *member)
{
    if (election->state == ELECTION_ABSENT)
        return ANSWER_NO;
    if (!election->leader || !election->leader->known || member->session == 0)
        return ANSWER_UNKNOWN;
    return election->leader->stat.owner == member->session ? ANSWER_YES : ANSWER_NO;
}

enum answer member_watches(const struct election *election, const struct member *member)
{
    uint64_t sessions[256];
    const size_t room = sizeof sessions / sizeof sessions[0];
    if (election->candidate_count == 0 || member->session == 0)
        return ANSWER_UNKNOWN;
    size_t count = chain_watched_by(election, election->candidates[0], sessions, room);
    for (size_t i = 0; i < count && i < room; i++)
        if (sessions[i] == member->session)
            return ANSWER_YES;
    return count <= room && shows_all_waiters(election) ? ANSWER_NO : ANSWER_UNKNOWN;
}

const struct candidate *whatif_heir(const struct election *election)
{
    size_t holders = shared_lock_holders(election);
    if (election->candidate_count <= holders)
        return NULL;
    return shared_lock(election) ? election->candidates[holders]
                                 : left_behind(election, election->candidates[0], holders);
}

struct next_failover whatif_next(const struct election *election)
{
    struct next_failover next = {.chain = CHAIN_UNKNOWN};
    if (election->state != ELECTION_LED || election->candidate_count == 0)
        return next;
    const char *why;
    const struct candidate *leader = election->candidates[0];
    next.by_itself = !leader->known ? ANSWER_UNKNOWN : candidate_stays(leader) ? ANSWER_NO : ANSWER_YES;
    if (election->recipe && election->recipe->family == FAMILY_LOCK) { /* its waiters are in no line */
        next.notified = whatif_lock_notified(election) ? ANSWER_YES
                        : shows_all_waiters(election)  ? ANSWER_NO
                                                       : ANSWER_UNKNOWN;
        return next;
    }
    next.chain = CHAIN_COMPLETE;
    size_t holders = shared_lock_holders(election);
    if (election->candidate_count == holders) {
        next.notified = ANSWER_UNKNOWN;
        return next;
    }
    next.successor = whatif_heir(election);
    next.notified = next.successor ? whatif_notified(next.successor, &why) : ANSWER_NO;
    if (!next.successor) { /* a candidate that waits for its own session's znode ends with it, or waits forever */
        next.chain = CHAIN_BROKEN;
        next.broken_at = election->candidates[holders];
        return next;
    }
    for (size_t i = election_position(election, next.successor); i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        enum answer notified = whatif_notified(c, &why);
        if (notified == ANSWER_NO) {
            next.chain = CHAIN_BROKEN;
            next.broken_at = c;
            return next;
        }
        if (notified == ANSWER_UNKNOWN)
            next.chain = CHAIN_UNKNOWN;
    }
    return next;
}
