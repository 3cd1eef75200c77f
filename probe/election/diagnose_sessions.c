#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/bystanders.h"
#include "probe/election/candidates.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/diagnose.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"

#define SESSION_TEXT 256
#define SPAN_TEXT 40
#define PATH_TEXT 512

#define NAMED 16
/* How long after a leader's end its client's new session is relevant,
   and how long it may take to volunteer. */
#define RISK_US INT64_C(600000000)
#define RISK_STAND_US INT64_C(10000000)

/* A member that makes its directory fills it soon. */
#define MADE_US INT64_C(3000000)
#define MADE_AGAIN_US INT64_C(60000000)

/* ---- one candidate ---- */

/* Its Stat holds now: the list of a lock brings it, and logs show each change. */
static bool stat_is_current(const struct election *election)
{
    return election->recipe->family == FAMILY_LOCK || cluster_is_from_logs(election->cluster);
}

/* No notification comes for a candidate's children: the first of these are read again soon, and each minute. False:
 * it may have been a directory that its member was about to fill. */
static bool made_before(struct diagnosis *d, const struct candidate *c, size_t *asked)
{
    struct election *election = d->election;
    int64_t now_us = d->f->at.mono_us, read_us = stat_is_current(election) ? now_us : c->own->read_us;
    int64_t age_us = d->f->at.wall_us - (now_us - read_us) - summary_created_us(c);
    if (stat_is_current(election)) {
        if (age_us < LEASE_US)
            diagnosis_again(d, now_us + LEASE_US - age_us);
        return true;
    }
    bool made = read_us - c->joined.mono_us >= MADE_US || (!c->joined_seen && age_us >= MADE_US);
    int64_t due_us = read_us + (!made ? MADE_US : age_us < LEASE_US ? LEASE_US - age_us : MADE_AGAIN_US);
    if (++*asked > NAMED)
        return made;
    if (now_us >= due_us)
        candidates_read_again(election, election->candidates[c->place], due_us, now_us);
    else
        diagnosis_again(d, due_us);
    return made;
}

/* So many times the usual interval between its writes pass until they have ended. */
#define WRITES_MISSED 3
#define WRITES_APART_US INT64_C(600000000)

bool diagnose_sessions_keeps(struct diagnosis *d, const struct znode_stat *stat, int64_t seen_us)
{
    int64_t written_us = cluster_stat_us(d->election->cluster, stat->mzxid, stat->mtime_ms);
    if (stat->version <= 0)
        return false;
    int64_t made_us = cluster_stat_us(d->election->cluster, stat->czxid, stat->ctime_ms);
    int64_t apart_us = (written_us - made_us) / stat->version;
    if (apart_us > WRITES_APART_US)
        apart_us = WRITES_APART_US;
    int64_t until_us = written_us + MADE_AGAIN_US + WRITES_MISSED * apart_us;
    if (seen_us < until_us)
        diagnosis_again(d, d->f->at.mono_us + until_us - seen_us);
    return seen_us < until_us;
}

/* The server marks the kind in the place of the owner, which a log keeps. */
static const char *kind_without_session(const struct election *election, uint64_t owner)
{
    if (!cluster_is_from_logs(election->cluster))
        return "it is persistent, or a container or TTL znode (a Stat shows them alike)";
    return owner == 0 ? "it is persistent" : owner >> 56 == 0xff ? "it is a TTL znode" : "it is a container";
}

/* Of several candidates none has a session, and sessions wait for some, or no server has shown yet who does: perhaps
 * all are TTL znodes, or tickets that their members delete. Under a layout that nobody knows, they may be a queue's. */
static bool have_no_session_by_design(struct election *election)
{
    const struct cluster *cluster = election->cluster;
    bool waits = election->own->waited_for, awaits_lists = false;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        if (election->candidate_count == 1 || (c->known && owner_is_session(c->stat.owner)))
            return election->own->waited_for = false;
        waits = waits || chain_watched_by(election, c, NULL, 0) > 0;
    }
    for (size_t i = 0; i < cluster->server_count && !cluster_is_from_logs(cluster); i++)
        awaits_lists |= !cluster->servers[i].watches_from && !chain_watches_problem(&cluster->servers[i]);
    election->own->waited_for = waits;
    return waits || awaits_lists || !election->recipe ||
           strcmp(election->recipe->name, RECIPE_ANY_SEQUENCE) == 0;
}

static void persistent(struct diagnosis *d, const struct candidate *c, bool by_design, size_t *asked)
{
    const struct recipe *recipe = d->election->recipe;
    if (!c->known || owner_is_session(c->stat.owner) || strcmp(recipe->name, "clickhouse") == 0)
        return;
    char when[SPAN_TEXT], path[PATH_TEXT];
    struct moment made = {.wall_us = summary_created_us(c)};
    /* Its children may live and die with the member, and come again with it. */
    bool holds_others = c->stat.children > 0, held_others = c->stat.cversion > 0;
    int64_t read_us = stat_is_current(d->election) ? d->f->at.mono_us : c->own->read_us;
    bool kept = diagnose_sessions_keeps(d, &c->stat, d->f->at.wall_us - (d->f->at.mono_us - read_us));
    /* A TTL znode is one from the first write after its creation, and a kazoo lock may be made to outlive its session.
       With several forms of names, one may belong to no candidate. */
    int64_t age_us = d->f->at.wall_us - (d->f->at.mono_us - read_us) - made.wall_us;
    bool proved = made_before(d, c, asked) && !holds_others && !held_others && !kept && !d->election->mixed &&
                  age_us >= LEASE_US && !by_design &&
                  (strcmp(recipe->name, "kazoo") != 0 || d->election->kind_proof == KIND_CONFIGURED);
    if (by_design)
        diagnosis_doubt(d, FINDING_PERSISTENT_CANDIDATE, diagnosis_subject(c));
    diagnosis_raise(d, FINDING_PERSISTENT_CANDIDATE,
                    holds_others || kept ? SEVERITY_WARNING
                    : c->place == 0      ? SEVERITY_CRITICAL
                                         : SEVERITY_ERROR,
                    proved ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, diagnosis_subject(c), &c, 1, NULL,
                    "no session owns it: %s; %s was created at %s and is %s in line%s",
                    kind_without_session(d->election, c->stat.owner), describe_path(c, path, sizeof path),
                    describe_clock(made, when, sizeof when), c->place == 0 ? "first" : "waiting",
                    holds_others  ? "; it has children, which may show that its member lives"
                    : kept        ? "; it is written to, perhaps by its member, which so keeps a TTL znode"
                    : held_others ? "; it had children, which may come again with its member"
                    : by_design   ? "; no candidate here has a session, perhaps by design"
                                  : "");
}

/*
 * A client that chooses the whole name of its znode may have made it again, in another session: it is this
 * owner's as of the latest read. False: it is asked for again.
 */
static bool owner_read_since(struct diagnosis *d, const struct candidate *c, int64_t since_us)
{
    struct election *election = d->election;
    struct candidate *candidate = election->candidates[c->place];
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK; /* each list brings its Stat */
    if (lock)
        return true;
    candidates_read_again(election, candidate, since_us, d->f->at.mono_us);
    return candidate->own->again_us >= since_us && candidate->own->read_us >= candidate->own->again_us;
}

/* If so, a suspicion is settled by further lists of connections and sessions, however soon they come. */
static void diagnose_sessions_awaits_lists(struct election *election, bool awaits)
{
    election->suspected |= awaits;
    election->own->lists_settle |= awaits;
}

/*
 * A former leader of ZooKeeper that has not noticed its loss expires every session, including those that live
 * on under its successor, where their znodes remain. So it must have led while the znode was read: its list
 * lacked the session before the sync, and still lacks it after the read, when it has also heard of our own
 * sessions again, which only the leader does.
 */
static bool ghost(struct diagnosis *d, const struct candidate *c)
{
    struct election *election = d->election;
    struct client *client = c->own->client;
    const struct session_table *clients = election->cluster->clients;
    if (!client->shown.alive_known) {
        diagnosis_keep(d, FINDING_GHOST_EPHEMERAL, diagnosis_subject(c));
        return false;
    }
    if (client->shown.alive || client->shown.connected || client->absent_rounds == 0)
        return false;
    bool listed = election->own->synced_us > client->absent_us;
    election->awaits_list = election->awaits_list || !listed;
    if (client->absent_rounds < 2 || !listed || !owner_read_since(d, c, client->absent_us)) {
        diagnose_sessions_awaits_lists(election, true);
        diagnosis_keep(d, FINDING_GHOST_EPHEMERAL, diagnosis_subject(c));
        diagnosis_keep(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c));
        return true;
    }
    if (client->outlived_us == 0)
        client->outlived_us = election->listed.mono_us;
    bool certain = clients->leads_us > client->outlived_us;
    diagnose_sessions_awaits_lists(election, !certain);
    char when[SPAN_TEXT], path[PATH_TEXT];
    diagnosis_raise(d, FINDING_GHOST_EPHEMERAL, SEVERITY_CRITICAL,
                    certain ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, diagnosis_subject(c), &c, 1, NULL,
                    "session 0x%" PRIx64 " was missing from the ensemble's sessions, %d times until %s; %s "
                    "still exists after a sync",
                    c->stat.owner, client->absent_rounds,
                    describe_clock(clients->sessions_seen, when, sizeof when),
                    describe_path(c, path, sizeof path));
    return true;
}

/* NOT_YET: further lists will tell. */
enum answer_of { NOWHERE, SOMEWHERE, NOT_YET, NOT_KNOWN };

/* Each server shows its connections as they were after that. */
static bool all_show_since(const struct cluster *cluster, int64_t since_us)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].hidden[HIDDEN_CONNECTIONS] || cluster->servers[i].listed.mono_us <= since_us)
            return false;
    return true;
}

/* Nowhere is what no list shows that was made since it was last seen, or heard somewhere. */
static enum answer_of diagnose_sessions_connection_of(const struct diagnosis *d, const struct candidate *c)
{
    const struct cluster *cluster = d->election->cluster;
    const struct client_session *shown = &c->own->client->shown;
    if (shown->connected)
        return SOMEWHERE;
    int64_t since_us = shown->seen.mono_us > c->joined.mono_us ? shown->seen.mono_us : c->joined.mono_us;
    int64_t low_us, high_us;
    if (client_was_heard(cluster, c->own->client, &low_us, &high_us) && low_us > since_us)
        since_us = low_us;
    /* An ensemble of which only some servers are known proves nothing. If its members are not known,
       fewer than three do not count as all, unless one reports that it is standalone. */
    bool fewer = cluster->server_count < 3 &&
                 (cluster->server_count == 0 || cluster->servers[0].mode != SERVER_STANDALONE);
    if (cluster->server_count == 0 || cluster->ensemble == ENSEMBLE_PART ||
        (cluster->ensemble == ENSEMBLE_UNKNOWN && fewer))
        return NOT_KNOWN;
    /* Found once, it needs no more than that lists go on without it. */
    bool stands = diagnosis_stands(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c));
    if (diagnosis_listed_since(cluster, since_us) || (stands && all_show_since(cluster, since_us)))
        return NOWHERE;
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].hidden[HIDDEN_CONNECTIONS])
            return NOT_KNOWN;
    return NOT_YET;
}

/* ZooKeeper's leader has not listed the sessions yet, or no server its tick, which only AdminServer knows: not
 * longer than for some lists. */
#define TICK_WITHIN 3
static bool awaits_sessions(const struct cluster *cluster, const struct client *client)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].mode == SERVER_LEADER)
            return !cluster->servers[i].hidden[HIDDEN_SESSIONS] &&
                   (!client->shown.alive_known ||
                    (cluster_tick_ms(cluster) == 0 && cluster->clients->session_round < TICK_WITHIN));
    return false;
}

/* A server with a port for TLS, too, lists by four-letter word the connections of the port that was asked; and an
 * observer may have joined that no other server's configuration names. A client there pings within half of its
 * timeout. */
static bool may_be_unlisted(struct diagnosis *d, const struct client *client)
{
    const struct cluster *cluster = d->election->cluster;
    size_t whole = 0;
    while (whole < cluster->server_count && server_lists_all(&cluster->servers[whole]))
        whole++;
    int64_t low_us, high_us, due_us;
    if (whole == cluster->server_count && !client_is_unlisted(client))
        return false;
    if (!client_was_heard(cluster, client, &low_us, &high_us))
        return true;
    due_us = high_us + client->shown.timeout_ms * INT64_C(500);
    if (cluster->clients->sessions_seen.mono_us >= due_us)
        return false;
    diagnosis_again(d, due_us);
    diagnose_sessions_awaits_lists(d->election, d->f->at.mono_us >= due_us);
    return true;
}

/*
 * One server has it or not. Of several, each is polled at a different time: a client that moves from one to
 * the next can be missed by all of them, repeatedly. But none accepts it before ZooKeeper's leader was
 * asked whether it lives, which counts as having heard of it. So it was on no server at the time of any of
 * these lists if that leader heard nothing of it from before the first was requested until the last had come.
 */
static enum certainty certainty_of_absence(struct diagnosis *d, const struct candidate *c)
{
    const struct cluster *cluster = d->election->cluster;
    int64_t low_us, high_us;
    if (diagnosis_is_certain(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c)))
        return CERTAINTY_CERTAIN;
    if (may_be_unlisted(d, c->own->client))
        return CERTAINTY_SUSPECTED;
    if (cluster->server_count == 1)
        return CERTAINTY_CERTAIN;
    if (cluster->ensemble != ENSEMBLE_WHOLE || cluster->clients->unlisted > 0 ||
        !client_was_heard(cluster, c->own->client, &low_us, &high_us)) {
        diagnose_sessions_awaits_lists(d->election, awaits_sessions(cluster, c->own->client));
        return CERTAINTY_SUSPECTED;
    }
    bool proved = true;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        proved = proved && server->listed.mono_us > high_us &&
                 server->listed.mono_us + server->list_took_us <= cluster->clients->sessions_seen.mono_us;
    }
    diagnose_sessions_awaits_lists(d->election, !proved);
    return proved ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
}

/* A read that came later says nothing about the time of the list before it. */
#define READ_WITHIN_US 1000000

/* With several servers, ZooKeeper's leader has just shown that the session is alive. A single server has not:
 * the session may have ended before the list, and its client may have created the same name again. */
static bool owns_while_listed(struct diagnosis *d, const struct candidate *c, int64_t since_us)
{
    const struct cluster *cluster = d->election->cluster;
    if (cluster->server_count != 1)
        return true;
    return owner_read_since(d, c, since_us) &&
           c->own->read_us - cluster->servers[0].listed.mono_us < READ_WITHIN_US;
}

static void describe_last_signs(const struct diagnosis *d, const struct client *client, char *out,
                                size_t size)
{
    const struct cluster *cluster = d->election->cluster;
    struct moment at = d->f->at;
    char when[SPAN_TEXT];
    int length = 0;
    int64_t low_us, high_us;
    *out = '\0';
    if (client->shown.seen.mono_us)
        length = snprintf(out, size, "; it was last listed at %s",
                          describe_clock(client->shown.seen, when, sizeof when));
    if (cluster->server_count > 1 && client_was_heard(cluster, client, &low_us, &high_us) &&
        high_us < cluster->clients->sessions_seen.mono_us && at.wall_us) {
        struct moment latest = {high_us, at.wall_us - (at.mono_us - high_us)};
        snprintf(out + length, size - (size_t)length,
                 "; ZooKeeper's leader has heard nothing from it since %s",
                 describe_clock(latest, when, sizeof when));
    }
}

/* When it is over if it was heard at that moment and not again. ZooKeeper's new leader gives everybody a
   whole timeout. */
static struct moment expires_unheard(const struct cluster *cluster, const struct client_session *shown,
                                     struct moment heard)
{
    int64_t later_us = cluster->epoch_us - heard.mono_us;
    if (cluster->epoch_us != 0 && later_us > 0) {
        heard.mono_us += later_us;
        heard.wall_us += heard.wall_us ? later_us : 0;
    }
    return client_expires_heard(cluster, shown, heard);
}

static void diagnose_sessions_disconnected(struct diagnosis *d, const struct candidate *c)
{
    struct election *election = d->election;
    enum answer_of where = diagnose_sessions_connection_of(d, c);
    if (where == SOMEWHERE) {
        c->own->client->refuted_us = 0;
        return;
    }
    struct moment since = diagnosis_since(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c));
    int64_t low_us, high_us;
    /* It has had a connection since that was found, though no list showed it. */
    bool heard = client_was_heard(election->cluster, c->own->client, &low_us, &high_us);
    bool heard_again = heard && low_us > since.mono_us;
    /* Candidates that were found by walking are often known only after the first lists have come. */
    diagnose_sessions_awaits_lists(election, where == NOT_YET);
    if ((where == NOT_KNOWN || where == NOT_YET) && !heard_again)
        diagnosis_keep(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c));
    if ((heard && low_us > c->own->client->refuted_us) ||
        election->cluster->epoch_us > c->own->client->refuted_us)
        c->own->client->refuted_us = 0;
    if (where != NOWHERE || heard_again || c->own->client->refuted_us != 0)
        return;
    /* It may have been heard until the first poll that did not show it. */
    struct moment expires = expires_unheard(election->cluster, &c->own->client->shown, since);
    if (expires.mono_us && d->f->at.mono_us > expires.mono_us) {
        c->own->client->refuted_us =
            since.mono_us; /* it would have expired: it is connected, and the lists are late */
        return;
    }
    diagnosis_again(d, expires.mono_us + 1);
    if (client_is_unlisted(c->own->client) && may_be_unlisted(d, c->own->client))
        return;
    enum certainty certainty = certainty_of_absence(d, c);
    if (certainty == CERTAINTY_CERTAIN && !owns_while_listed(d, c, since.mono_us)) {
        diagnose_sessions_awaits_lists(election, true);
        certainty = CERTAINTY_SUSPECTED;
    }
    char until[SPAN_TEXT], last[160], end[96] = "", path[PATH_TEXT];
    describe_last_signs(d, c->own->client, last, sizeof last);
    if (expires.mono_us)
        snprintf(end, sizeof end, "; %sit expires by %s",
                 certainty == CERTAINTY_CERTAIN ? "" : "if it has none, ",
                 describe_clock(expires, until, sizeof until));
    /* Nobody could tell it that it is first. */
    int64_t lost_us = election->change.lost_at.mono_us;
    bool untold = election->leader == c && vacancy_first_follows(election) && since.mono_us < lost_us &&
                  diagnosis_listed_since(election->cluster, lost_us);
    diagnosis_raise(d, FINDING_OWNER_DISCONNECTED,
                    untold                  ? SEVERITY_CRITICAL
                    : election->leader == c ? SEVERITY_ERROR
                                            : SEVERITY_WARNING,
                    certainty, diagnosis_subject(c), &c, 1, NULL,
                    "%s exists, but no server lists a connection of its session 0x%" PRIx64 "%s%s",
                    describe_path(c, path, sizeof path), c->stat.owner, last, end);
}

static void leader_silent(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct candidate *leader = election->leader;
    const struct client_session *shown = leader ? candidate_client(leader) : NULL;
    int percent = election->settings->allow.silent_percent;
    if (!leader || percent <= 0)
        return;
    bool known = shown && shown->connected && shown->silent_ms >= 0 && shown->timeout_ms > 0 &&
                 (leader->own->client->captured ||
                  !election->cluster->servers[shown->server].hidden[HIDDEN_CONNECTIONS]);
    if (!known) {
        /* A lost connection answers nothing; without one, that is reported instead. */
        if (!shown || diagnose_sessions_connection_of(d, leader) != NOWHERE)
            diagnosis_keep(d, FINDING_LEADER_SILENT, diagnosis_subject(leader));
        return;
    }
    /* A client that pings seldom is silent at each ping: it is late a fifth after the next one was due. */
    int64_t usual_ms = leader->own->client->ping_ms * INT64_C(6) / 5;
    bool late = shown->silent_ms > usual_ms || client_is_overdue(shown);
    if (shown->silent_ms * INT64_C(100) < (int64_t)shown->timeout_ms * percent || !late)
        return;
    /* One that became first and was not heard since has perhaps not taken over. */
    enum severity severity = vacancy_heir_is_unheard(election) ? SEVERITY_CRITICAL
                             : client_is_overdue(shown)        ? SEVERITY_ERROR
                                                               : SEVERITY_WARNING;
    char session[SESSION_TEXT], silent[SPAN_TEXT], timeout[SPAN_TEXT], until[SPAN_TEXT], advice[160];
    snprintf(advice, sizeof advice,
             "expect a failover by %s; check that client for pauses, and check its network",
             describe_clock(client_expires(election->cluster, shown), until, sizeof until));
    diagnosis_raise(d, FINDING_LEADER_SILENT, severity, CERTAINTY_SUSPECTED, diagnosis_subject(leader),
                    &leader, 1, advice, "%s has been silent for %s%s of its timeout of %s",
                    describe_session(election, shown->id, session, sizeof session),
                    shown->silent_is_bound ? "at least " : "",
                    describe_span((int64_t)shown->silent_ms * 1000, silent, sizeof silent),
                    describe_span((int64_t)shown->timeout_ms * 1000, timeout, sizeof timeout));
}

/* ---- timeouts ---- */

struct outside {
    const struct candidate *named[NAMED];
    size_t count;
    bool shown; /* by a server that shows its connections, at least of one */
    int extreme_ms;
};

static void note_outside(struct outside *outside, const struct diagnosis *d, const struct viewer *viewer)
{
    const struct candidate *owned = client_candidate(viewer->client, d->election);
    if (owned && outside->count < NAMED)
        outside->named[outside->count] = owned;
    outside->count += owned != NULL;
    const struct client_session *shown = &viewer->client->shown;
    if (shown->connected && !d->election->cluster->servers[shown->server].hidden[HIDDEN_CONNECTIONS])
        outside->shown = true;
}

static void raise_timeout(struct diagnosis *d, enum finding_code code, struct outside *outside)
{
    if (outside->count == 0)
        return;
    if (!outside->shown) {
        diagnosis_keep(d, code, NO_SUBJECT);
        return;
    }
    char worst[SPAN_TEXT], bound[SPAN_TEXT];
    const struct allowance *allow = &d->election->settings->allow;
    bool longer = code == FINDING_SESSION_TIMEOUT_LONG;
    size_t named = outside->count < NAMED ? outside->count : NAMED;
    qsort(outside->named, named, sizeof outside->named[0], diagnosis_by_place);
    diagnosis_raise(d, code, SEVERITY_WARNING, CERTAINTY_CERTAIN, NO_SUBJECT, outside->named, named, NULL,
                    "%zu of %zu candidates have a session timeout %s %s; the %s is %s", outside->count,
                    d->election->candidate_count, longer ? "above" : "below",
                    describe_span((longer ? allow->timeout_most_ms : allow->timeout_least_ms) * 1000, bound,
                                  sizeof bound),
                    longer ? "longest" : "shortest",
                    describe_span(outside->extreme_ms * INT64_C(1000), worst, sizeof worst));
}

static void timeouts(struct diagnosis *d)
{
    const struct allowance *allow = &d->election->settings->allow;
    struct outside longer = {.extreme_ms = 0}, shorter = {.extreme_ms = INT32_MAX};
    for (size_t i = 0; i < d->viewer_count; i++) {
        const struct viewer *viewer = &d->viewers[i];
        int timeout_ms = viewer->client->shown.timeout_ms;
        if (viewer->owned == 0 || timeout_ms <= 0)
            continue;
        if (allow->timeout_most_ms > 0 && timeout_ms > allow->timeout_most_ms) {
            note_outside(&longer, d, viewer);
            longer.extreme_ms = timeout_ms > longer.extreme_ms ? timeout_ms : longer.extreme_ms;
        } else if (timeout_ms < allow->timeout_least_ms) {
            note_outside(&shorter, d, viewer);
            shorter.extreme_ms = timeout_ms < shorter.extreme_ms ? timeout_ms : shorter.extreme_ms;
        }
    }
    raise_timeout(d, FINDING_SESSION_TIMEOUT_LONG, &longer);
    raise_timeout(d, FINDING_SESSION_TIMEOUT_SHORT, &shorter);
}

/* ---- a leader that may not know of its end ---- */

/* Of a lock in one znode only the holder owns a candidate: others stand by a watch on it, or are registered as
 * members. */
static bool waits_for_lock(const struct election *election, uint64_t session)
{
    uint64_t sessions[256];
    const size_t room = sizeof sessions / sizeof *sessions;
    if (!election->recipe || election->recipe->family != FAMILY_LOCK)
        return false;
    for (size_t i = 0; i < election->listed_member_count; i++)
        if (election->listed_members[i].session == session)
            return true;
    size_t count =
        election->candidate_count ? chain_watched_by(election, election->candidates[0], sessions, room) : 0;
    for (size_t i = 0; i < count && i < room; i++)
        if (sessions[i] == session)
            return true;
    return count > room;
}

/* Its session lives on, takes no new place, and watches nothing here that could have told it. */
static bool lives_on_untold(const struct diagnosis *d, const struct client *old)
{
    for (size_t i = 0; i < d->viewer_count; i++) {
        const struct viewer *viewer = &d->viewers[i];
        if (viewer->client == old && (viewer->targets > 0 || viewer->children || viewer->above))
            return false;
    }
    return old->shown.watches_known && !client_candidate(old, d->election) &&
           !waits_for_lock(d->election, old->shown.id);
}

static void evicted_leader(struct diagnosis *d, const struct departure_note *note, const struct client *old)
{
    int64_t stands_us = note->at.mono_us + RISK_STAND_US;
    if (d->f->at.mono_us < stands_us) {
        diagnosis_again(d, stands_us);
        return;
    }
    char session[SESSION_TEXT], when[SPAN_TEXT];
    if (!old->shown.connected)
        diagnosis_vanished(d, FINDING_DOUBLE_LEADER_RISK, NO_SUBJECT);
    else if (lives_on_untold(d, old))
        diagnosis_raise(d, FINDING_DOUBLE_LEADER_RISK, SEVERITY_ERROR, CERTAINTY_SUSPECTED, NO_SUBJECT, NULL,
                        0, NULL,
                        "another client deleted %s, which led, at %s; its %s lives on, but owns no candidate",
                        note->name, describe_clock(note->at, when, sizeof when),
                        describe_session(d->election, note->session, session, sizeof session));
}

static void double_leader(struct diagnosis *d)
{
    struct election *election = d->election;
    const struct session_table *clients = election->cluster->clients;
    const struct departure_note *note = NULL;
    for (size_t i = 0; (note = departed_at(election, i)) && !note->led; i++)
        continue;
    const struct failover *failover = note ? departed_failover(election, note) : NULL;
    bool evicted = failover && failover->cause == CAUSE_EVICTED && election->candidate_count > 0;
    if (!note || !(note->alone || evicted) || !clients || d->f->at.mono_us - note->at.mono_us > RISK_US)
        return;
    election->own->listens = true;
    for (size_t i = 0; i < election->cluster->server_count; i++)
        if (election->cluster->servers[i].hidden[HIDDEN_CONNECTIONS]) {
            diagnosis_keep(d, FINDING_DOUBLE_LEADER_RISK, NO_SUBJECT);
            return; /* the present line is not known */
        }
    diagnosis_again(d, note->at.mono_us + RISK_US + 1);
    const struct client *old = session_table_find(clients, note->session), *back = NULL;
    if (old && evicted)
        evicted_leader(d, note, old);
    if (!note->alone ||
        (old && (old->shown.connected || old->owned || (old->shown.alive_known && old->shown.alive))))
        return;
    const char *host;
    size_t sessions = 0, length = strlen(note->host);
    for (const struct client *c = session_table_walk(clients, NULL); c; c = session_table_walk(clients, c))
        if (c->shown.connected && !c->shown.observer && client_host(&c->shown, &host) == length &&
            memcmp(host, note->host, length) == 0) {
            sessions++;
            back = c;
        }
    if (sessions == 0)
        diagnosis_vanished(d, FINDING_DOUBLE_LEADER_RISK, NO_SUBJECT);
    if (sessions != 1 || back->owned || note->at.wall_us == 0 || waits_for_lock(election, back->shown.id))
        return;
    if (failover && (failover->cause == CAUSE_CLOSED || failover->cause == CAUSE_RESIGNED))
        return; /* its client gave it up by itself */
    int64_t established_us = client_established_us(election->cluster, &back->shown);
    if (established_us < note->at.wall_us - CLOCKS_APART_US ||
        back->shown.seen.wall_us - established_us < RISK_STAND_US)
        return;
    char session[SESSION_TEXT], when[SPAN_TEXT];
    diagnosis_raise(d, FINDING_DOUBLE_LEADER_RISK, SEVERITY_ERROR, CERTAINTY_SUSPECTED, NO_SUBJECT, NULL, 0,
                    NULL,
                    "%s, which led as session 0x%" PRIx64 " until %s, is back as %s but owns no candidate",
                    note->name, note->session, describe_clock(note->at, when, sizeof when),
                    describe_session(election, back->shown.id, session, sizeof session));
}

void diagnose_sessions(struct diagnosis *d)
{
    struct election *election = d->election;
    size_t asked = 0;
    bool by_design = have_no_session_by_design(election);
    for (size_t i = 0; i < election->candidate_count && election->recipe; i++) {
        const struct candidate *c = election->candidates[i];
        persistent(d, c, by_design, &asked);
        if (c->own->client && !ghost(d, c))
            diagnose_sessions_disconnected(d, c);
    }
    leader_silent(d);
    timeouts(d);
    double_leader(d);
}
