#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/bystanders.h"
#include "probe/election/candidates.h"
#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/diagnose.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/identity.h"
#include "probe/election/registry.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"

#define SPAN_TEXT 40
/* The server prints an int32; past it creates are refused or count negative. */
#define SEQUENCE_LAST INT64_C(2147483647)
#define SEQUENCE_NEAR (SEQUENCE_LAST + 1 - 1000000)
/* A forecast from less time says nothing. */
#define RATE_LEAST_US INT64_C(60000000)
/* A candidate that left at most so long before its directory went lost its place with it. */
#define GONE_WITH_US INT64_C(30000000)
/* One that left earlier than this may have left on purpose: an empty container goes later. */
#define GONE_AT_ONCE_US INT64_C(250000)

static bool is_recipe(const struct election *election, const char *const *names)
{
    for (; election->recipe && *names; names++)
        if (strcmp(election->recipe->name, *names) == 0)
            return true;
    return false;
}

/* ---- numbers ---- */

static void overflow(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct candidate *first = election->candidate_count ? election->candidates[0] : NULL;
    /* A number that the server has not given yet is a client's own: an id, as registries have them. */
    bool negative =
        first && first->sequence < 0 && first->sequence + SEQUENCE_LAST + 1 < election->next_sequence;
    /* At the last number the server's counter sticks: every further name gets that number, and one that is equal to an
       earlier name is refused. */
    if (negative || election->next_sequence >= SEQUENCE_LAST) {
        diagnosis_raise(d, FINDING_SEQUENCE_OVERFLOWED, SEVERITY_CRITICAL, CERTAINTY_CERTAIN, NO_SUBJECT,
                        &first, negative, NULL,
                        "the next number under %s is %" PRId64 ", the last valid number is 2147483647: %s%s",
                        election->path, election->next_sequence,
                        negative ? "the first in line is "
                                 : "further candidates get that number, too, or are refused",
                        negative ? first->name : "");
        return;
    }
    if (election->next_sequence <= SEQUENCE_NEAR)
        return;
    char forecast[96] = "", span[SPAN_TEXT];
    int64_t watched_us = d->f->at.mono_us - election->own->first_listed.mono_us;
    int64_t used = election->next_sequence - election->own->first_next;
    if (watched_us >= RATE_LEAST_US && used > 0) {
        double left_us =
            (double)(SEQUENCE_LAST - election->next_sequence) * (double)watched_us / (double)used;
        snprintf(forecast, sizeof forecast, "; at the present rate the numbers are used up in %s",
                 left_us < 9e17 ? describe_span((int64_t)left_us, span, sizeof span) : "centuries");
    }
    diagnosis_raise(d, FINDING_SEQUENCE_NEAR_OVERFLOW, SEVERITY_WARNING, CERTAINTY_CERTAIN, NO_SUBJECT, NULL,
                    0, NULL, "the next number under %s is %" PRId64 ", %" PRId64 " before the last one%s",
                    election->path, election->next_sequence, SEQUENCE_LAST - election->next_sequence,
                    forecast);
}

static int by_name(const void *a, const void *b)
{
    const struct candidate *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static uint64_t tie_subject(const struct candidate *tied)
{
    return UINT64_C(1) << 63 | (uint32_t)tied->sequence;
}

/*
 * By their number and by name: which of them comes first is known only when they have been read, and who
 * reads that a finding was cleared must know it again.
 */
static void tie(struct diagnosis *d, enum severity severity, const struct candidate *const *at, size_t count)
{
    const struct candidate **tied = xmalloc(count * sizeof *tied);
    char more[48] = "";
    memcpy(tied, at, count * sizeof *tied);
    qsort(tied, count, sizeof *tied, by_name);
    if (count > 2)
        snprintf(more, sizeof more, " and %zu more", count - 2);
    /* No server gives a number twice: in a layout that is not known, members may choose theirs. */
    diagnosis_raise(d, FINDING_SEQUENCE_TIE, severity,
                    certainty_is_unknown_line(d->election) ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN,
                    tie_subject(tied[0]), tied, count, NULL, "%s and %s%s have the same number %" PRId64,
                    tied[0]->name, tied[1]->name, more, tied[0]->sequence);
    free(tied);
}

static bool all_read(const struct candidate *const *tied, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tied[i]->known && !tied[i]->denied)
            return false;
    return true;
}

/* The holder of Curator's write lock may read, too: that reader has the number of its writer. The order of one
 * session's own members concerns no other session. */
static bool of_one_session(const struct candidate *const *tied, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!owner_is_session(tied[i]->stat.owner) || tied[i]->stat.owner != tied[0]->stat.owner)
            return false;
    return true;
}

static void ties(struct diagnosis *d)
{
    struct election *election = d->election;
    for (size_t i = 0, end; i < election->candidate_count; i = end) {
        const struct candidate *const *tied = (const struct candidate *const *)&election->candidates[i];
        int64_t number = tied[0]->sequence;
        for (end = i + 1; end < election->candidate_count; end++)
            if (election->candidates[end]->sequence != number)
                break;
        if (end - i < 2 || number == SEQUENCE_NONE || certainty_own_numbers(election))
            continue;
        if (all_read(tied, end - i))
            tie(d,
                candidates_tie_by_name(election) || of_one_session(tied, end - i) ? SEVERITY_INFO
                                                                                  : SEVERITY_ERROR,
                tied, end - i);
        else
            diagnosis_keep(d, FINDING_SEQUENCE_TIE, tie_subject(tied[0]));
    }
}

/* ---- names ---- */

/* Where clients read the number in every name they may crash, but names alone do not show which client it is. */
static void foreign(struct diagnosis *d)
{
    static const char *const parses_numbers[] = {"zk-election-go", "zookeeper-c-lock", "zookeeper",
                                                 "zookeeper-support", NULL};
    static const char *const usual[] = {"clickhouse", NULL};
    struct election *election = d->election;
    if (election->foreign_count == 0 || election->candidate_count == 0 || is_recipe(election, usual))
        return;
    char more[48] = "";
    if (election->foreign_count > 1)
        snprintf(more, sizeof more, " and %zu more", election->foreign_count - 1);
    bool may_crash = is_recipe(election, parses_numbers);
    diagnosis_raise(d, FINDING_FOREIGN_CHILD, may_crash ? SEVERITY_WARNING : SEVERITY_INFO,
                    may_crash ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "%s/%.200s%s is not a candidate of this layout (%s)", election->path,
                    election->foreign[0], more, election->recipe->title);
}

static void no_guid(struct diagnosis *d)
{
    struct election *election = d->election;
    if (election->candidate_count == 0 || election->recognised == RECOGNISED_NAME ||
        election->recipe->family == FAMILY_LOCK || election->candidates[0]->own->named ||
        certainty_holds_guid(election->candidates[0]->name))
        return;
    diagnosis_raise(d, FINDING_NO_GUID, SEVERITY_INFO, CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "names like %s do not show which client created them", election->candidates[0]->name);
}

/* ---- acknowledgements ---- */

/* A leader that resigns takes its acknowledgement away first: so long it may be without it. */
#define RESIGNING_US 2000000

enum overdue { NOT_OVERDUE, OVERDUE_BY_STAT, OVERDUE_AS_WATCHED };

/*
 * A leader that was found leading may have led before. But if the youngest candidate's creation was
 * the directory's latest change, none has left since, so the leader was first then. By the server's clock,
 * which may differ from ours: a suspicion. mono_us 0: unknown.
 */
static struct moment first_by(const struct diagnosis *d)
{
    const struct election *election = d->election;
    for (size_t i = election->candidate_count; i-- > 0 && election->directory_known;) {
        const struct candidate *c = election->candidates[i];
        if (!c->known || c->stat.czxid != election->own->directory.pzxid)
            continue;
        int64_t age_us = d->f->at.wall_us - summary_created_us(c);
        if (d->f->at.wall_us > 0 && age_us > 0 && age_us < d->f->at.mono_us)
            return (struct moment){d->f->at.mono_us - age_us, d->f->at.wall_us - age_us};
        break;
    }
    return (struct moment){0};
}

/* First in line and without its acknowledgement for longer than a takeover may last; since: when it was
 * first. */
static enum overdue overdue(struct diagnosis *d, uint64_t subject, struct moment *since)
{
    struct election *election = d->election;
    int64_t allowed_us = election->settings->allow.failover_ms * 1000, now_us = d->f->at.mono_us;
    int64_t seen_us = election->unacknowledged_since.mono_us;
    *since = election->leader_since;
    if (election->leader_since_exact && election->leader_since.mono_us > seen_us)
        seen_us = election->leader_since.mono_us;
    if (allowed_us <= 0 || seen_us == 0)
        return NOT_OVERDUE;
    if (now_us >= seen_us + allowed_us)
        return OVERDUE_AS_WATCHED;
    diagnosis_again(d, seen_us + allowed_us);
    struct moment first = first_by(d);
    if (election->leader_since_exact || !election->own->unacknowledged_found)
        return NOT_OVERDUE;
    if (first.mono_us == 0) {
        election->overdue_us = seen_us + allowed_us;
        return NOT_OVERDUE;
    }
    *since = first;
    if (now_us < first.mono_us + allowed_us) {
        election->overdue_us = first.mono_us + allowed_us;
        diagnosis_again(d, first.mono_us + allowed_us);
        return NOT_OVERDUE;
    }
    bool watched = now_us >= seen_us + RESIGNING_US;
    d->one_poll = !watched && d->f->model->one_poll;
    if (watched || d->one_poll || diagnosis_stands(d, FINDING_NEVER_ACKNOWLEDGED, subject) ||
        diagnosis_stands(d, FINDING_ACKNOWLEDGEMENT_MISMATCH, subject))
        return OVERDUE_BY_STAT;
    election->suspected = true;
    diagnosis_again(d, seen_us + RESIGNING_US);
    return NOT_OVERDUE;
}

static bool is_acknowledged_by_name(const struct election *election, const char *identity)
{
    return (election->ack_identity && strcmp(identity, election->ack_identity) == 0) ||
           identity_in_java(election->own->ack_data, election->own->ack_data_length, identity);
}

static const struct candidate *marked_one(const struct election *election)
{
    for (size_t i = 1; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        if (election->ack_stat.owner ? c->stat.owner == election->ack_stat.owner
                                     : c->identity && is_acknowledged_by_name(election, c->identity))
            return c;
    }
    return NULL;
}

/* Solr's leaderVoteWait, unless it is set. */
#define VOTE_WAIT_US INT64_C(180000000)

/* It may be at work before it acknowledges: Solr's first of a shard waits for its replicas after a cold start,
 * zk-ruby's acknowledges after all its callbacks, and Flink's has acknowledged some of its parts while others
 * recover. */
static bool may_take_over_yet(struct diagnosis *d, const struct candidate *leader, struct moment since,
                              bool partly)
{
    const struct election *election = d->election;
    const char *recipe = election->recipe->name;
    bool begun = partly, waits = (strcmp(recipe, "solr-shard") == 0 || strcmp(recipe, "zk-ruby") == 0) &&
                                 d->f->at.mono_us < since.mono_us + VOTE_WAIT_US;
    for (size_t i = 0; i < FURTHER_ACKS; i++)
        begun = begun || (leader->stat.owner && election->own->further_acks[i].owner == leader->stat.owner);
    if (waits)
        diagnosis_again(d, since.mono_us + VOTE_WAIT_US);
    return begun || waits;
}

static void unacknowledged(struct diagnosis *d, const struct candidate *leader, enum overdue late,
                           struct moment since)
{
    struct election *election = d->election;
    uint64_t subject = diagnosis_subject(leader);
    char span[SPAN_TEXT], when[SPAN_TEXT];
    /* The youngest candidate cannot have been first before. */
    bool least = late == OVERDUE_BY_STAT && leader->stat.czxid != election->own->directory.pzxid;
    const char *bound = least ? " or earlier, as no candidate has joined or left since then"
                        : late == OVERDUE_BY_STAT ? ", when it joined, as no candidate has left since then"
                                                  : "";
    bool most = late != OVERDUE_BY_STAT && !election->leader_since_exact;
    (most ? describe_span_at_most : describe_span)(d->f->at.mono_us - since.mono_us, span, sizeof span);
    describe_clock(since, when, sizeof when);
    /* Of several marks it has set the first. */
    bool partly =
        election->ack_present && leader->stat.owner && election->ack_stat.owner == leader->stat.owner;
    if (election->ack_place == ACK_PLACE_REGISTRY || !election->ack_present || partly) {
        /* A process may register by a second session, or another process does so for it. */
        bool registry = election->ack_place == ACK_PLACE_REGISTRY;
        int64_t first_us =
            election->leader_since_exact ? election->leader_since.wall_us : summary_created_us(leader);
        const char *beside = registry ? registry_entry_since(election, first_us - CLOCKS_APART_US) : NULL;
        diagnosis_raise(d, FINDING_NEVER_ACKNOWLEDGED, beside ? SEVERITY_WARNING : SEVERITY_CRITICAL,
                        late == OVERDUE_BY_STAT || beside || may_take_over_yet(d, leader, since, partly)
                            ? CERTAINTY_SUSPECTED
                            : CERTAINTY_CERTAIN,
                        subject, &leader, 1, NULL, "%s has been first since %s%s (%s%s), and %s %s%s%.120s%s",
                        leader->name, when, bound,
                        least  ? "at least "
                        : most ? "at most "
                               : "",
                        span, election->ack_path,
                        registry ? "has no entry for its session"
                        : partly ? "is from it, but not every acknowledgement of this layout"
                                 : "has no acknowledgement from it",
                        beside ? "; the entry " : "", beside ? beside : "",
                        beside ? ", of another session, is as new and may be its" : "");
        return;
    }
    const struct candidate *other = marked_one(election);
    const struct candidate *who[] = {leader, other};
    char owner[64] = "";
    if (election->ack_stat.owner)
        snprintf(owner, sizeof owner, " (session 0x%" PRIx64 ")", election->ack_stat.owner);
    bool sure = election->ack_stat.owner != 0 || other;
    diagnosis_raise(d, FINDING_ACKNOWLEDGEMENT_MISMATCH, SEVERITY_CRITICAL,
                    sure && late == OVERDUE_AS_WATCHED ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, subject,
                    who, other ? 2 : 1, NULL,
                    "%s names %.120s%s; %s (session 0x%" PRIx64 ") has been first since %s%s",
                    election->ack_path,
                    election->ack_identity ? election->ack_identity
                    : other                ? other->name
                                           : "another candidate",
                    owner, leader->name, leader->stat.owner, when, bound);
}

/* So long a return of the acknowledgement counts. */
#define CONTESTED_US INT64_C(30000000)

/* One process may write it by several sessions, or an agent for it, always the same. */
static bool are_two_clients(const struct election *election, const struct ack_contest *contest)
{
    uint64_t one = contest->owner, two = contest->rival;
    const struct client_session *first = cluster_client(election->cluster, one),
                                *second = cluster_client(election->cluster, two);
    bool one_stands = false, two_stands = false;
    if (contest->says != 0 && contest->says == contest->rival_says)
        return false;
    for (size_t i = 0; i < election->candidate_count; i++) {
        one_stands |= election->candidates[i]->stat.owner == one;
        two_stands |= election->candidates[i]->stat.owner == two;
    }
    return (one_stands && two_stands) ||
           (first && second && first->address && second->address && !client_is_beside(first, second));
}

static bool contested(struct diagnosis *d, const struct candidate *leader)
{
    const struct election *election = d->election;
    const struct ack_contest *contest = &election->own->ack_contest;
    int64_t until_us = contest->latest[1].mono_us + CONTESTED_US;
    if (contest->latest[1].mono_us == 0 || d->f->at.mono_us >= until_us)
        return false;
    diagnosis_again(d, until_us);
    bool owns = contest->owner == leader->stat.owner || contest->rival == leader->stat.owner;
    uint64_t other = contest->owner == leader->stat.owner ? contest->rival : contest->owner;
    char first[160], second[160], when[SPAN_TEXT];
    describe_session(election, owns ? leader->stat.owner : contest->rival, first, sizeof first);
    describe_session(election, other, second, sizeof second);
    diagnosis_raise(d, FINDING_SPLIT_BRAIN, SEVERITY_CRITICAL,
                    are_two_clients(election, contest) ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, NO_SUBJECT,
                    &leader, 1, owns ? NULL : "stop both clients: neither owns the first candidate",
                    "%s%s and %s take %s from each other: seen to return %u time%s, the latest at %s", first,
                    owns ? " (the first candidate's)" : "", second, election->ack_path, contest->returned,
                    contest->returned == 1 ? "" : "s", describe_clock(contest->latest[0], when, sizeof when));
    return true;
}

static void acks(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct candidate *leader = election->leader;
    bool expected =
        election->own->ack_configured || (election->recipe && election->recipe->family == FAMILY_HYBRID);
    if (!leader || !expected || election->acknowledged == ACK_NOT_USED || contested(d, leader))
        return;
    if (election->acknowledged == ACK_UNKNOWN) {
        diagnosis_keep_all(d, FINDING_NEVER_ACKNOWLEDGED);
        diagnosis_keep_all(d, FINDING_ACKNOWLEDGEMENT_MISMATCH);
        return;
    }
    if (election->acknowledged != ACK_NO)
        return;
    uint64_t subject = diagnosis_subject(leader);
    struct moment since;
    enum overdue late = overdue(d, subject, &since);
    if (late != NOT_OVERDUE)
        unacknowledged(d, leader, late, since);
    d->one_poll = false;
}

static void stale_lock(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct candidate *holder = election->candidate_count ? election->candidates[0] : NULL;
    if (!holder || election->recipe->family != FAMILY_LOCK || !holder->known)
        return;
    /* An application may have sessions, too. The first byte of one of ZooKeeper's names the server that made it. */
    uint64_t session = identity_session(holder->data, holder->data_length);
    /* A broker creates its lock for a session that exists. */
    bool written_since = holder->stat.mzxid != holder->stat.czxid;
    bool known = session != 0 && cluster_client(election->cluster, session);
    if (!known && session >> 56 != holder->stat.owner >> 56)
        session = 0;
    if (session == 0 && holder->identity && !registry_identity(election, holder->stat.owner)) {
        session = registry_session(election, holder->identity);
        known = written_since = true;
    }
    if (session == 0 || session == holder->stat.owner)
        return;
    /* For a client of another host the lock is held, even where the holder has no connection at present: it may
     * return. */
    const struct client_session *owner = candidate_client(holder),
                                *other = cluster_client(election->cluster, session);
    bool lives = other && other->connected && !client_is_silent(other);
    bool apart = owner && other && owner->address && other->address && !client_is_beside(owner, other);
    if (lives && apart)
        return;
    diagnosis_raise(
        d, FINDING_STALE_LOCK, SEVERITY_ERROR,
        known && written_since && lives && owner && owner->address && !owner->connected ? CERTAINTY_CERTAIN
                                                                                        : CERTAINTY_SUSPECTED,
        NO_SUBJECT, &holder, 1, NULL,
        "the data of %s belongs to session 0x%" PRIx64 " (%.120s), but session 0x%" PRIx64 " owns it",
        election->path, session, holder->identity ? holder->identity : "no identity", holder->stat.owner);
}

/* Of two clocks, and of a late notification. */
#define AT_ONCE_US 1000000

/* Where the holder's znode should lie lies one without an owner, so no client can create its own. Where none
   was seen to hold it, it may be the directory of another layout at such a path. */
static void blocked_lock(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct znode_stat *stat = &election->own->directory;
    if (election->recipe->family != FAMILY_LOCK || election->state != ELECTION_VACANT ||
        !election->directory_known || stat->czxid == 0 || stat->owner != 0 || stat->data_length == 0 ||
        election->led_elsewhere)
        return;
    bool held = false;
    for (size_t i = 0; i < election->tenure_count && !held; i++)
        held = election_tenure_at(election, i)->name != NULL;
    /* That a holder's znode went is no proof that the place was free: another may have come in the same transaction. */
    int64_t lost_us = election->change.lost_at.wall_us,
            made_us = cluster_stat_us(election->cluster, stat->czxid, stat->ctime_ms),
            age_us = d->f->at.wall_us - made_us;
    bool kept = diagnose_sessions_keeps(d, stat, d->f->at.wall_us);
    bool sure = held && !kept && age_us >= LEASE_US && !election->own->handed_over &&
                (lost_us == 0 || made_us >= lost_us + AT_ONCE_US);
    if (age_us < LEASE_US)
        diagnosis_again(d, d->f->at.mono_us + LEASE_US - age_us);
    char when[SPAN_TEXT];
    diagnosis_raise(
        d, FINDING_PERSISTENT_CANDIDATE, kept ? SEVERITY_WARNING : SEVERITY_CRITICAL,
        sure ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, NO_SUBJECT, NULL, 0,
        sure ? "delete it by hand, once no client uses it"
             : "check whether clients want to create this znode; if so, delete it by hand",
        "%s has no owner: it is persistent, or a container or TTL znode (a Stat shows them alike), "
        "created at %s; %s can lead while it exists, because it takes the place of the ephemeral "
        "znode of %s%s",
        election->path, describe_clock((struct moment){.wall_us = made_us}, when, sizeof when),
        sure ? "nobody" : "perhaps nobody", election->recipe->title,
        kept ? "; it is written to, perhaps by the leader, which so keeps a TTL znode"
        : election->own->handed_over
            ? "; it took that place at once, perhaps by design, as where another system leads now"
            : "");
}

/* ---- the directory ---- */

/* A session that comes and goes has a note for each of its candidates. */
static bool left_since(const struct election *election, size_t i)
{
    uint64_t session = departed_at(election, i)->session;
    while (i-- > 0)
        if (departed_at(election, i)->session == session)
            return true;
    return false;
}

static void election_gone(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct departure_note *note;
    size_t left = 0, connected = 0, together = 0;
    const char *one = NULL;
    for (; (note = departed_at(election, left)); left++) {
        if (note->at.mono_us < election->state_since.mono_us - GONE_WITH_US)
            break;
        election->own->listens = true;
        const struct client_session *shown = cluster_client(election->cluster, note->session);
        if (!shown || !shown->connected || shown->seen.mono_us <= election->state_since.mono_us ||
            election->cluster->servers[shown->server].hidden[HIDDEN_CONNECTIONS])
            continue;
        connected += !left_since(election, left);
        together += note->at.mono_us >= election->state_since.mono_us - GONE_AT_ONCE_US;
        one = note->name;
    }
    const struct failover *last = election_last_failover(election);
    bool resigned = last && last->cause == CAUSE_RESIGNED, evicted = last && last->cause == CAUSE_EVICTED;
    /* A client may release a lock and then delete its directory, and a coordinator deletes a job's election while
     * its workers live on: only a named path was meant to stay. */
    bool at_once = together > 0 && election_is_named(election) && !resigned;
    /* A short job ends so, whose candidate is the only one; and a container that nobody stood in any more, as where a
     * lock was released: ZooKeeper removes it. Unless another is known to have deleted the last candidate. */
    bool found = !election_is_named(election);
    bool short_job =
        left == 1 && together == 1 && election->own->lasted_us > 0 && election->own->lasted_us < GONE_WITH_US;
    bool emptied = together == 0 && (found || election->kind == KIND_LOCK);
    bool released = !evicted && (emptied || (found && short_job));
    char when[SPAN_TEXT];
    if (connected > 0 && !released)
        diagnosis_raise(
            d, FINDING_ELECTION_GONE, at_once ? SEVERITY_CRITICAL : SEVERITY_WARNING,
            at_once ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, NO_SUBJECT, NULL, 0, NULL,
            "%s has not existed since %s; %zu of the sessions that had a candidate in it are still connected "
            "(%s)",
            election->path, describe_clock(election->state_since, when, sizeof when), connected, one);
    else
        diagnosis_vanished(d, FINDING_ELECTION_GONE, NO_SUBJECT);
}

/* Whoever names a path is told at once that nobody leads there: so long it waits for a lease's second write. */
#define LEASE_FIRST_US INT64_C(120000000)

/* A znode without an owner that was made or written to lately, and never had a child, may be a lease: not the directory
 * of a layout whose candidates are its children. */
static void lease(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct znode_stat *stat = &election->own->directory;
    bool directory = election->recipe && election->recipe->family != FAMILY_LOCK;
    d->election->childless = election->directory_known && !directory && stat->owner == 0 &&
                             stat->data_length > 0 && stat->cversion == 0;
    d->election->written_lately = d->election->childless;
    if (!d->election->childless)
        return;
    int64_t age_us = d->f->at.wall_us - cluster_stat_us(d->election->cluster, stat->czxid, stat->ctime_ms);
    if (age_us < LEASE_FIRST_US)
        diagnosis_again(d, d->f->at.mono_us + LEASE_FIRST_US - age_us);
    else
        d->election->written_lately = diagnose_sessions_keeps(d, stat, d->f->at.wall_us);
}

void diagnose_names(struct diagnosis *d)
{
    struct election *election = d->election;
    lease(d);
    if (election->state == ELECTION_ABSENT)
        election_gone(d);
    if (!election->recipe || election->state == ELECTION_ABSENT)
        return;
    if (election->recipe->family != FAMILY_LOCK) {
        overflow(d);
        ties(d);
        foreign(d);
        no_guid(d);
    }
    acks(d);
    stale_lock(d);
    blocked_lock(d);
}
