#include "probe/election/election.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/cluster.h"
#include "probe/election/registry.h"
#include "probe/election/replicas.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"
#include "probe/election/tenure.h"
#include "probe/election/candidates.h"
#include "probe/election/election_private.h"

#define VANISHED_KEPT_MS (UINT64_C(5) * 60 * 1000)
/* Paths that each run of a job makes anew must not pile up. */
#define ABSENT_KEPT_MS (UINT64_C(24) * 3600 * 1000)

const struct tenure *election_tenure_at(const struct election *election, size_t i)
{
    if (i >= election->tenure_count)
        return NULL;
    return &election->tenures[(election->tenure_first + i) % election->tenure_room];
}

const struct candidate *election_find(const struct election *election, const char *name)
{
    const struct candidate *found = candidates_find(election, name, candidates_hash(election, name));
    return found && !found->outside ? found : NULL;
}

size_t election_position(const struct election *election, const struct candidate *candidate)
{
    return candidates_position(election, candidate);
}

const struct candidate *election_predecessor(const struct election *election,
                                             const struct candidate *candidate)
{
    size_t at = candidates_position(election, candidate);
    return at > 0 ? election->candidates[at - 1] : NULL;
}

bool election_may_have_led(const struct election *election, const char *name)
{
    int64_t sequence = recipe_sequence_of(name);
    return !election->leader || (sequence != SEQUENCE_NONE && sequence < election->leader->sequence);
}

bool election_complete(const struct election *election)
{
    switch (election->state) {
    case ELECTION_ABSENT:
    case ELECTION_DENIED:
        return election->fresh || election->state == ELECTION_DENIED;
    case ELECTION_UNKNOWN:
    case ELECTION_ELECTING:
        return false;
    case ELECTION_LED:
    case ELECTION_VACANT:
        break;
    }
    if (!election->fresh || election->unknown_count > 0 || election->own->ack_unread)
        return false;
    if (election->ack_place == ACK_PLACE_REGISTRY)
        return election->own->ack_denied || registry_complete(election);
    if (!election->ack_path || election->own->ack_denied)
        return true;
    return election->ack_known && (!election->ack_present || election->ack_stat.owner != 0 ||
                                   election->own->ack_data_mzxid == election->ack_stat.mzxid);
}

const struct candidate *election_take_unread(struct election *election)
{
    struct candidate *first = election->own->unread_first;
    if (first)
        candidates_unqueue(election, first);
    return first;
}

bool election_has_unread(const struct election *election)
{
    return election->own->unread_first != NULL;
}

void election_requeue_unread(struct election *election)
{
    if (election->unknown_count == 0)
        return;
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *candidate = election->candidates[i];
        if (!candidate->known && !candidate->denied)
            candidates_queue(election, candidate);
    }
}

bool election_guard(const struct election *election, unsigned i, char *buffer, size_t size)
{
    const char *directory = NULL, *name = NULL;
    if (i == 0 && election->recipe && election->recipe->family == FAMILY_LOCK)
        directory = election->path;
    else if (i == 0 && election->candidate_count > 0) {
        directory = election->path;
        name = election->candidates[0]->name;
    } else if (i == 1)
        directory = election->ack_path;
    else if (i >= 2 && i < ELECTION_GUARDS)
        directory = election->own->further_acks[i - 2].path;
    if (!directory)
        return false;
    int length = name ? snprintf(buffer, size, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name)
                      : snprintf(buffer, size, "%s", directory);
    return length > 0 && (size_t)length < size;
}

bool election_has_no_line(const struct election *election)
{
    const char *name = strrchr(election->path, '/');
    bool all_lead = election->outsider_count == 1 && name && strcmp(name, "/leader_election") == 0 &&
                    strcmp(election->outsiders[0]->name, RECIPE_NOBODY_STANDS) == 0;
    return election->candidate_count == 0 && (all_lead || election->led_elsewhere);
}

const char *election_problem(const struct election *election, char *buffer, size_t size)
{
    size_t children = election->recipe ? election->foreign_count : election->outsider_count;
    if (election->state == ELECTION_ELECTING && !election->problem)
        return "its leader has left, and its successor is not confirmed yet";
    if (election->led_elsewhere)
        return "another system leads: Kafka's controller in KRaft";
    if (election->state != ELECTION_VACANT || children == 0)
        return election->problem;
    if (election_has_no_line(election))
        return "nobody stands: every replica leads";
    if (children == 1)
        snprintf(buffer, size, "1 child, which is not a candidate");
    else
        snprintf(buffer, size, "%zu children, none of them a candidate", children);
    return buffer;
}

bool election_is_matched(const struct election *election)
{
    return election->origin == ORIGIN_PATTERN || election->origin == ORIGIN_EXPECTED;
}

bool election_awaits_list(const struct election *election)
{
    return election->state == ELECTION_VACANT && election->own->gone_since_list > 0;
}

bool election_is_wanted(const struct election *election)
{
    return election_is_named(election) || election_is_matched(election) ||
           election->origin == ORIGIN_ORPHANED;
}

bool election_is_proven(const struct election *election)
{
    bool known = election->kind_proof == KIND_CONFIGURED;
    if (election->first_waits || (election->mixed && !known))
        return false;
    if (election->recognised != RECOGNISED_NAME || election_has_no_line(election))
        return true;
    /* A path that a pattern matches may be a directory of directories; so may a path without further
     * configuration. */
    size_t others = election->recipe ? election->foreign_count : election->outsider_count;
    bool holds_others = election->candidate_count == 0 && others > 0;
    bool empty = election->candidate_count == 0 && !holds_others;
    bool named = election->origin == ORIGIN_CONFIGURED || (empty && election_is_matched(election));
    return (named && known) || ((named || known) && !holds_others);
}

/* The number of siblings that must be alike, and the number that are compared. */
#define ALIKE_LEAST 2
#define COMPARED_MOST 8

static bool has_one_member(const struct election *election)
{
    /* A later number was once given out: there was a contender. */
    return election->origin == ORIGIN_DISCOVERED && election->kind_proof == KIND_ASSUMED &&
           election->candidate_count == 1 && election->candidates[0]->known &&
           election->next_sequence <= election->candidates[0]->sequence + 1 &&
           owner_is_session(election->candidates[0]->stat.owner);
}

/* 1: has one member, too, of another session; 0: lies deeper; -1: it is no such directory. */
static int compare_sibling(const struct election *election, const struct election *other)
{
    size_t length = (size_t)(strrchr(election->path, '/') - election->path) + 1;
    if (other->origin != ORIGIN_DISCOVERED || strncmp(other->path, election->path, length) != 0)
        return -1;
    if (strchr(other->path + length, '/'))
        return 0;
    return has_one_member(other) && other->candidates[0]->stat.owner != election->candidates[0]->stat.owner
               ? 1
               : -1;
}

bool election_has_one_owner(const struct election *election)
{
    const struct cluster *cluster = election->cluster;
    if (!has_one_member(election))
        return false;
    size_t place = cluster_place(cluster, election);
    int alike = 0, same;
    for (size_t i = 1; i <= COMPARED_MOST && place + i < cluster->election_count; i++, alike += same)
        if ((same = compare_sibling(election, cluster->elections[place + i])) < 0)
            break;
    for (size_t i = 1; i <= COMPARED_MOST && i <= place; i++, alike += same)
        if ((same = compare_sibling(election, cluster->elections[place - i])) < 0)
            break;
    return alike >= ALIKE_LEAST;
}

/* The number of candidates that joined behind it, and their pace. */
#define TRIES_LEAST 3
#define TRIED_EVERY_US INT64_C(30000000)

bool election_is_tried(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (!leader || !leader->known || election->candidate_count != 1 || leader->sequence < 0)
        return false;
    int64_t tries = election->next_sequence - leader->sequence - 1;
    int64_t age_us = election->listed.wall_us - summary_created_us(leader);
    /* A clock that is behind the server's shows nothing. */
    return tries >= TRIES_LEAST && age_us > 0 && age_us < tries * TRIED_EVERY_US;
}

/* Nothing but a crash or another hand explains its end. A session that just ended may have been closed, but one that
   ended while nothing watched ended with all that showed how. */
static bool was_taken_away(const struct failover *failover)
{
    return failover->cause == CAUSE_EXPIRED || (failover->cause == CAUSE_ENDED && failover->gap_us > 0) ||
           (failover->cause == CAUSE_EVICTED && failover->cause_certainty == CERTAINTY_CERTAIN);
}

/* As far as is known, its last leader did not leave on purpose; it has no successor: its directory was deleted
 * because it was empty. */
static bool election_read_was_needed(const struct election *election)
{
    const struct change *change = &election->change;
    const struct failover *last = election_last_failover(election);
    return election->kind == KIND_LEADER && election->kind_proof != KIND_ASSUMED && change->from &&
           !change->to && last &&
           (was_taken_away(last) || (last->cause == CAUSE_UNKNOWN && election->origin != ORIGIN_ORPHANED));
}

/* Its leader resigned or ended its session, and had no successor: the purpose of the election may have ended then.
 * The same holds for an unknown cause, if the vacancy was longer than allowed and a leader followed. */
static bool was_over(const struct election *election, const struct failover *one)
{
    bool ended = one->cause == CAUSE_CLOSED || one->cause == CAUSE_RESIGNED || one->cause == CAUSE_DELETED ||
                 one->cause == CAUSE_ENDED;
    if (one->in_line) /* they wait for a leader */
        return false;
    if (one->cause == CAUSE_UNKNOWN)
        return one->to && one->vacancy.low_us >= election->settings->allow.vacancy_ms * 1000;
    return ended && (!one->to || one->vacancy.low_us > 0);
}

/* A leader that led for less was perhaps needed for one task. */
#define LASTING_LEADER_US INT64_C(60000000)

/* The last leader led for so long. A gap in the observation does not end its leadership. */
static bool led_lasting(const struct election *election)
{
    const struct tenure *last = NULL;
    for (size_t i = election->tenure_count; i-- > 0;) {
        const struct tenure *tenure = election_tenure_at(election, i);
        if (!tenure->name)
            continue;
        if (last && tenure_is_other(last, tenure))
            return false;
        last = last ? last : tenure;
        if (last->to.mono_us - tenure->from.mono_us >= LASTING_LEADER_US)
            return true;
    }
    return false;
}

bool election_may_be_over(const struct election *election)
{
    size_t count = election->failover_count;
    if (election_is_named(election) || election->listed_member_count > 0) /* they still need a leader */
        return false;
    if (election->state == ELECTION_ABSENT) {
        const struct failover *last = election_last_failover(election);
        return last &&
               (last->cause == CAUSE_UNKNOWN ||
                (last->cause == CAUSE_EVICTED && !led_lasting(election))); /* a job's, or by mistake */
    }
    const struct failover *latest = count ? election_failover_at(election, count - 1) : NULL;
    if (!latest || !failover_is_open(latest))
        return election_was_over(election); /* its loss is not judged yet */
    if (latest->cause == CAUSE_UNKNOWN)
        return !led_lasting(election) || election_was_over(election);
    return election->kind_proof == KIND_BY_LAYOUT && was_over(election, latest);
}

bool election_was_over(const struct election *election)
{
    bool over = false;
    for (size_t i = 0; election->kind_proof == KIND_BY_LAYOUT && i < election->failover_count && !over; i++)
        over = was_over(election, election_failover_at(election, i));
    return over && !election_is_named(election);
}

bool election_is_named(const struct election *election)
{
    return election->origin == ORIGIN_CONFIGURED || election->origin == ORIGIN_EXPECTED;
}

bool election_vanished(const struct election *election)
{
    bool lock = election->kind == KIND_LOCK && election->recipe && election->recipe->family == FAMILY_LOCK;
    return election->state == ELECTION_ABSENT && !election_is_named(election) && !lock &&
           !election_read_was_needed(election);
}

uint64_t election_absent_kept_ms(const struct election *election)
{
    bool lies_at_path = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (election_is_named(election) ||
        (election->state != ELECTION_ABSENT && (election->state != ELECTION_VACANT || !lies_at_path)))
        return 0;
    return election_vanished(election) ? VANISHED_KEPT_MS : ABSENT_KEPT_MS;
}

const char *election_state_word(enum election_state state)
{
    switch (state) {
    case ELECTION_LED:
        return "led";
    case ELECTION_VACANT:
        return "vacant";
    case ELECTION_ABSENT:
        return "absent";
    case ELECTION_DENIED:
        return "denied";
    case ELECTION_ELECTING: /* there is a candidate, which may lead or be gone */
    case ELECTION_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *recognised_word(enum recognised recognised)
{
    switch (recognised) {
    case RECOGNISED_SIGNATURE:
        return "signature";
    case RECOGNISED_WATCH:
        return "watch";
    case RECOGNISED_CONFIGURED:
        return "configured";
    case RECOGNISED_NAME:
        break;
    }
    return "name";
}

const char *recipe_family_word(enum recipe_family family)
{
    switch (family) {
    case FAMILY_LOCK:
        return "lock";
    case FAMILY_HYBRID:
        return "hybrid";
    case FAMILY_SEQUENCE:
        break;
    }
    return "sequence";
}

const char *kind_proof_word(enum kind_proof proof)
{
    switch (proof) {
    case KIND_BY_LAYOUT:
        return "layout";
    case KIND_BY_BEHAVIOUR:
        return "behaviour";
    case KIND_CONFIGURED:
        return "configured";
    case KIND_ASSUMED:
        break;
    }
    return "assumed";
}

const char *election_kind_known(const struct election *election)
{
    return election->kind_proof == KIND_ASSUMED ? "assumed" : election_kind_word(election->kind);
}

const char *election_kind_word(enum election_kind kind)
{
    return kind == KIND_LOCK ? "lock" : "leader";
}

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
    return last && moment_is(last->lost_at, election->change.lost_at) ? last : NULL;
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
        struct failover *larger = xreallocarray(election->failovers, room, sizeof *larger);
        election->failovers = larger;
        election->failover_room = room;
    }
    size_t at = (election->failover_first + election->failover_count) % election->failover_room;
    return &election->failovers[at];
}

const struct failover *election_keep_failover(struct election *election, const struct failover *from)
{
    struct failover copy; /* before the oldest goes, which it may be */
    failover_copy(&copy, from);
    return election_take_failover(election, &copy);
}

/* It was reported before, as open; or is reported as open now, as who followed never led. */
static struct failover *same_open(struct election *election, const struct failover *failover)
{
    for (size_t i = 0; i < election->failover_count; i++) {
        struct failover *kept =
            &election->failovers[(election->failover_first + i) % election->failover_room];
        if ((failover_is_open(kept) || failover_is_open(failover)) &&
            moment_is(kept->lost_at, failover->lost_at))
            return kept;
    }
    return NULL;
}

const struct failover *election_take_failover(struct election *election, const struct failover *own)
{
    struct failover *slot = same_open(election, own);
    if (slot) {
        failover_release(slot);
    } else {
        slot = failover_slot(election);
        election->failover_count++;
    }
    *slot = *own;
    return slot;
}

void failovers_free(struct election *election)
{
    for (size_t i = 0; i < election->failover_count; i++)
        failover_release(&election->failovers[(election->failover_first + i) % election->failover_room]);
    free(election->failovers);
    election->failovers = NULL;
    election->failover_count = election->failover_room = 0;
}
