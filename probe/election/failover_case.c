#include "probe/election/failover_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/bystanders.h"
#include "probe/election/captured.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/election_life.h"
#include "probe/election/session_table.h"
#include "probe/election/known_transactions.h"
#include "probe/election/leadership.h"
#include "probe/election/logged_ends.h"
#include "probe/election/summary.h"
#include "probe/election/update.h"

/* Where no server shows anything, its owner may yet volunteer again. */
#define HOPELESS_AFTER_US INT64_C(1000000)
/* A vacant election's lists are not looked through for ever. */
#define COLLECT_US INT64_C(60000000)
/* Rounds that only examine a leader's end omit the watches: not for longer without a successor.
   Facts of the usual rounds still count. */
#define WANTED_US INT64_C(5000000)
/* If no setting limits the time until it is reported. */
#define TOLD_AFTER_US INT64_C(10000000)
/* Where packets are read, the notification of the next one follows within this time, if it is shown at all. */
#define NOTIFIED_AFTER_US INT64_C(1000000)
/* ... and those of all others that it wakes, within this time. */
#define WOKEN_WITHIN_US INT64_C(20000)
/* From this many clients on, the herd comes first in the evidence. */
#define HERD 10
/* A list is as old as its coming, and the notification of a loss may be this late. */
#define NOTIFIED_US INT64_C(100000)
/* What our own session sees is this late at most, or twice as late as servers lately answered. */
#define SEEN_LATE_US INT64_C(100000)
#define SEEN_LATE_ANSWERS 2
/* A server ends the connection of a session that expires, so that both are seen in that time. */
#define ENDED_TOGETHER_US INT64_C(1000000)

/* Where a server's log is being read, so long it is waited for: it says for certain what lists only suggest.
 */
#define LOG_WAITED_US INT64_C(1500000)
#define LOG_FOLLOWED_US INT64_C(5000000)

/* ---- a case ---- */

static struct failover_case *case_of(const struct election *election)
{
    struct failover_case *c = election->cluster->cases;
    while (c && c->election != election)
        c = c->next;
    return c;
}

void failover_case_forget(struct election *election)
{
    struct failover_case **link = &election->cluster->cases;
    while (*link && (*link)->election != election)
        link = &(*link)->next;
    struct failover_case *c = *link;
    if (!c)
        return;
    *link = c->next;
    free(c);
}

void cluster_note_epoch(struct cluster *cluster, int64_t zxid, struct moment at)
{
    int64_t epoch = zxid > 0 ? zxid >> 32 : 0;
    if (epoch <= cluster->epoch)
        return;
    if (cluster->epoch != 0)
        cluster->epoch_us = at.mono_us;
    cluster->epoch = epoch;
}

static void note_caught_up(struct cluster *cluster, int64_t zxid, int64_t at_us)
{
    if (zxid <= 0)
        return;
    memmove(cluster->caught_up + 1, cluster->caught_up, (CAUGHT_UP_KEPT - 1) * sizeof cluster->caught_up[0]);
    cluster->caught_up[0] = (struct caught_up){zxid, at_us};
}

/*
 * A server answers a session in the order of events, notifications included. A list shows how far
 * it had got with ours; once a further request has been answered, all earlier events have been
 * notified. So a znode not known to be gone by the second of two lists still existed at the transaction of
 * the first.
 */
static int64_t stood_at(const struct cluster *cluster, int64_t since_us)
{
    size_t i = 0;
    while (i < CAUGHT_UP_KEPT && cluster->caught_up[i].at_us > since_us - NOTIFIED_US)
        i++;
    return i + 1 < CAUGHT_UP_KEPT ? cluster->caught_up[i + 1].zxid : 0;
}

static void note_before(struct failover_case *c, const struct cluster *cluster, const struct client *client)
{
    struct failover_evidence *e = &c->evidence;
    const struct client_session *shown = &client->shown;
    e->timeout_ms = shown->timeout_ms;
    e->ping_ms = client->ping_ms;
    if (shown->server >= cluster->server_count || shown->seen.mono_us == 0)
        return;
    const struct server *server = &cluster->servers[shown->server];
    c->server = shown->server;
    e->listed_us = shown->seen.mono_us;
    e->parted_us = shown->connected ? 0 : client->parted_us;
    if (client->response_ms > 0 && server->clock_low_known) {
        e->heard_low_us = client->response_ms * 1000 + server->clock_low_us;
        e->heard_high_us = client->response_ms * 1000 + server->clock_high_us + 1000;
    }
    c->last_cxid = shown->connected ? shown->last_cxid : -1;
    c->established_ms = shown->established_ms;
    c->asked_zxid = shown->connected ? client->last_zxid : -1;
    c->at_leader = server->mode == SERVER_LEADER || server->mode == SERVER_STANDALONE;
}

/* Since when it was found without a connection, in every list until its end: it had none when this run began. Servers
 * that were started since may have lost one, and give each session a whole timeout anew. */
static int64_t apart_since_us(const struct election *election, const struct candidate *leader)
{
    const struct cluster *cluster = election->cluster;
    if (leader->joined.mono_us < cluster->connection_since.mono_us ||
        cluster->epoch_us > leader->joined.mono_us)
        return 0;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        if (finding->code == FINDING_OWNER_DISCONNECTED && finding->candidate_count > 0 &&
            strcmp(finding->candidates[0], leader->name) == 0)
            return finding->since.mono_us;
    }
    return 0;
}

/* ---- evidence from a log ---- */

/* Is this the path of the election's candidate of that name? A lock's holder lies at the election's own. */
static bool is_path_of(const struct election *election, const char *name, const char *path)
{
    size_t length = strcmp(election->path, "/") == 0 ? 0 : strlen(election->path);
    if (strncmp(path, election->path, length) != 0)
        return false;
    return path[length] == '\0' || (path[length] == '/' && strcmp(path + length + 1, name) == 0);
}

/* Else a silent client may have moved to another server. Captures alone are judged before: see ends.c. */
static bool all_are_captured(const struct cluster *cluster)
{
    for (size_t i = 0; cluster->session != 0 && i < cluster->server_count; i++)
        if (!server_is_captured(&cluster->servers[i]))
            return false;
    return cluster->session == 0 || cluster->ensemble != ENSEMBLE_PART;
}

static void take_logged(struct failover_case *c, const struct observed_transaction *t)
{
    struct failover_evidence *e = &c->evidence;
    const struct cluster *cluster = c->election->cluster;
    /* The same name may have been used before, or again since. */
    bool same = t->czxid != 0 && c->czxid != 0 ? t->czxid == c->czxid : t->zxid > c->czxid;
    /* A log proves the deed, and packets show its times. */
    bool first = e->logged == DEED_NONE, proves = first || (e->captured && !t->captured);
    if (same && t->captured && (first || t->deed == e->logged)) {
        e->captured_gone_us = t->gone_us;
        e->captured_heard_us = t->heard_us;
    }
    if (!same || !proves)
        return;
    e->logged = t->deed;
    e->logged_unproven =
        t->unproven || (t->captured && t->deed == DEED_EXPIRED && !all_are_captured(cluster));
    e->logged_stalled = t->stalled;
    e->logged_session = t->session;
    e->logged_zxid = t->zxid;
    e->captured = t->captured;
    if (c->zxid == 0 && !t->captured)
        c->zxid = t->zxid;
    if (e->timeout_ms == 0)
        e->timeout_ms = t->timeout_ms;
    /* A request proves that its client lived; one from long before says nothing of how it died. */
    if (e->heard_low_us == 0 && t->active_us != 0 &&
        e->gone_us - t->active_us <= (int64_t)e->timeout_ms * 3000)
        e->heard_low_us = e->heard_high_us = t->active_us;
    /* Packets show all that its client asked for. A leader that resigned does not believe that it leads. */
    const struct client *own = session_table_find(cluster->clients, e->session);
    e->by_another = t->deed == DEED_DELETED && (t->session ? t->session != e->session : own && own->captured);
    int64_t gone_us = t->gone_us ? t->gone_us : e->gone_us;
    bool elsewhere = t->unproven && own && !own->captured && own->parted_us < gone_us - ENDED_TOGETHER_US;
    if (first && (t->deed == DEED_EXPIRED || e->by_another))
        captured_lost(c->election, e->session, gone_us, e->by_another, elsewhere);
}

/* One from before the log was followed may be an earlier znode's, of the same name. */
static bool is_since(const struct failover_case *c, bool before)
{
    return !before || (c->gap_us == 0 && c->czxid != 0);
}

static void find_logged(struct failover_case *c, const struct election *election, const char *name)
{
    const struct logged_end *end;
    for (size_t i = 0; i < LOGGED_ENDS_KEPT && (end = logged_ends_at(election->cluster, i)); i++)
        if (is_since(c, end->evidence != NULL) && is_path_of(election, name, end->path))
            take_logged(c, &end->transaction);
}

/* Of a loss that was found after a gap: the end of the znode that led when the gap began. Of a lock every holder's has
 * the same name: its creation must be in the log. */
static bool is_its_end(const struct failover_case *c, const struct logged_end *end)
{
    const struct observed_transaction *t = &end->transaction;
    const char *name = c->election->change.from;
    bool named = t->czxid != 0 ? t->czxid == c->czxid : recipe_sequence_of(name) != SEQUENCE_NONE;
    return !t->captured && named && t->zxid > c->czxid && is_path_of(c->election, name, end->path);
}

/* The log tells when it was, and whether any candidate may have come and gone since. */
static void take_past(struct failover_case *c, const struct logged_end *end)
{
    struct election *election = c->election;
    struct change *change = &election->change;
    const struct observed_transaction *t = &end->transaction;
    int64_t gone_us = logged_end_us(end, election->cluster);
    if (!is_its_end(c, end))
        return;
    take_logged(c, t);
    /* By another clock it may be outside of the gap. */
    if (c->told || t->zxid != c->evidence.logged_zxid || gone_us < c->evidence.since_us ||
        gone_us > c->evidence.gone_us)
        return;
    change->lost_at = (struct moment){gone_us, change->lost_at.wall_us - (change->lost_at.mono_us - gone_us)};
    change->lost_seen = true;
    election->own->lost_after = (struct moment){0};
    if (election->state == ELECTION_VACANT && t->zxid == election->own->directory.pzxid) {
        c->gap_us = 0; /* nothing came or went since */
        election->state_since = change->lost_at;
        election->state_since_exact = true;
    } else {
        election->own->led_unseen |= !election->leader;
    }
}

static void find_past(struct failover_case *c)
{
    const struct logged_end *end;
    bool gap = c->gap_us > 0 && !c->recalled && c->election->change.from;
    for (size_t i = 0; gap && i < LOGGED_ENDS_KEPT && (end = logged_ends_at(c->election->cluster, i)); i++)
        take_past(c, end);
}

/* Where nothing stands, the name of the last candidate shows the layout. */
static void recognise_logged(const struct update *f, const char *name)
{
    struct election *election = f->election;
    const struct recipe *recipe =
        election->recipe || election->outsider_count > 0
            ? NULL
            : recipe_recognise(f->model->recipes, election->path, (char *const[]){(char *)name}, 1);
    if (recipe && recipe->family != FAMILY_LOCK)
        election_take_recipe(election, recipe, recipe->signature ? RECOGNISED_SIGNATURE : RECOGNISED_NAME);
}

/* It needs a leader and has none, or its first never led: the log says who led last. It proves that nobody came since,
 * but perhaps not of a path that does not exist. */
static bool is_logged_loss(const struct update *f, struct failover *lost)
{
    const struct election *election = f->election;
    *lost = (struct failover){
        .detection = SPAN_UNKNOWN, .vacancy = SPAN_UNKNOWN, .takeover = SPAN_UNKNOWN, .total = SPAN_UNKNOWN};
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    bool nobody = election->state == ELECTION_VACANT || election->state == ELECTION_ABSENT ||
                  election->own->denied.mono_us != 0;
    if (lock || !nobody || !logged_ends_before(election, f->at, lost))
        return false;
    recognise_logged(f, lost->from);
    return election->kind == KIND_LEADER && summary_must_lead(election);
}

/* Found so, without a recording of who led. */
void failover_case_logged(const struct update *f)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    struct failover lost;
    bool awaited = election->own->earlier && !election->own->recalled;
    if (awaited || change->from || case_of(election) || !is_logged_loss(f, &lost))
        return;
    change->from = text_copy(lost.from);
    change->from_identity = text_copy(lost.from_identity);
    change->lost_at = lost.lost_at;
    change->lost_seen = lost.cause_certainty == CERTAINTY_CERTAIN;
    if (!election->leader) {
        election->state_since = lost.lost_at;
        election->state_since_exact = change->lost_seen;
    }
    change->vacancy_us = change->takeover_us = -1;
    election->own->lost_after = (struct moment){0};
    election->own->led_unseen = false;
    lost.vacancy = (struct span){f->at.mono_us - lost.lost_at.mono_us, SPAN_OPEN};
    failover_case_recalled(f, 0);
    failover_case_tell(f, &lost, 0);
    update_touched(f);
}

void failover_cases_logged(struct model *model, struct cluster *cluster, struct moment at, const char *path,
                           const struct observed_transaction *t)
{
    bool before = t->gone_us != 0 && !t->captured;
    cluster->logged_us = at.mono_us;
    if (!before)
        cluster_note_epoch(cluster, t->zxid, at);
    if (!path || t->deed == DEED_NONE)
        return;
    logged_ends_add(cluster, at, path, t, before);
    for (struct failover_case *c = cluster->cases; c; c = c->next)
        if (is_since(c, before) && c->election->change.from &&
            is_path_of(c->election, c->election->change.from, path))
            take_logged(c, t);
    size_t length;
    struct election *election = before ? cluster_election_around(cluster, path, &length) : NULL;
    if (election) {
        failover_case_logged(&(struct update){model, election, at});
        diagnose_soon(election); /* what it says of the loss */
    }
}

/* A log that is being read has not come to this loss yet, or a capture beside a cluster, which may be a second late. */
static bool awaits_log(const struct failover_case *c, struct moment now)
{
    const struct cluster *cluster = c->election->cluster;
    bool follows =
        cluster->logged_us != 0 && (c->gap_us > 0 || now.mono_us - cluster->logged_us < LOG_FOLLOWED_US);
    bool captured = cluster_is_captured(cluster), beside = cluster->session != 0 && captured;
    /* Its client's next ping shows that it lives on. */
    const struct client *own = captured ? session_table_find(cluster->clients, c->evidence.session) : NULL;
    bool lives = own && own->captured && own->shown.connected;
    int64_t wait_us = LOG_WAITED_US + (lives ? own->shown.timeout_ms * INT64_C(1000) / 3 : 0);
    return c->evidence.logged == DEED_NONE && (follows || beside || lives) &&
           now.mono_us - (c->won.mono_us ? c->won.mono_us : c->evidence.gone_us) < wait_us;
}

static struct failover_case *case_new(struct election *election, int64_t gone_us)
{
    struct failover_case *c = xcalloc(1, sizeof *c);
    *c = (struct failover_case){.next = election->cluster->cases,
                                .election = election,
                                .evidence = {.since_us = gone_us, .gone_us = gone_us},
                                .server = SIZE_MAX,
                                .last_cxid = -1,
                                .asked_zxid = -1,
                                .established_ms = -1};
    election->cluster->cases = c;
    return c;
}

void failover_case_open(const struct update *f, const struct candidate *leader)
{
    struct cluster *cluster = f->election->cluster;
    struct failover_case *c = case_new(f->election, f->at.mono_us);
    int64_t after_us = f->election->own->lost_after.mono_us;
    if (after_us != 0 && after_us < f->at.mono_us) {
        c->evidence.since_us = after_us;
        c->gap_us = f->at.mono_us - after_us;
    }
    c->listed_us = f->election->own->listed_before.mono_us;
    c->evidence.no_session = leader->known && leader->stat.owner == 0;
    c->listed_zxid = c->czxid = leader->known ? leader->stat.czxid : 0;
    if (leader->known && owner_is_session(leader->stat.owner))
        c->evidence.session = leader->stat.owner;
    if (leader->own->client)
        note_before(c, cluster, leader->own->client);
    if (leader->own->client && c->evidence.listed_us == 0)
        c->evidence.apart_us = apart_since_us(f->election, leader);
    int64_t stood_zxid = stood_at(cluster, f->at.mono_us);
    if (leader->known && leader->stat.czxid <= stood_zxid)
        c->stood_zxid = stood_zxid;
    find_logged(c, f->election, leader->name);
}

void failover_case_found(const struct update *f, const struct candidate *leader, struct moment since)
{
    struct election *election = f->election;
    struct candidate_private nothing = {0}; /* of its session, and of its connection */
    struct candidate gone = *leader;
    gone.own = &nothing;
    election->own->lost_after = since;
    bystander_left(election, &gone, true, f->at);
    failover_case_open(f, &gone);
    struct failover_case *c = case_of(election);
    c->found = true;
    c->stood_zxid = 0; /* this run's reads are later */
    c->zxid_most = election->directory_known ? election->own->directory.pzxid : 0;
    if (election->leader) {
        failover_case_won(f);
        election->counters.leader_changes++;
    }
}

void failover_case_recalled(const struct update *f, int64_t gap_us)
{
    struct failover_case *c = case_new(f->election, f->election->change.lost_at.mono_us);
    c->recalled = c->told = true;
    c->gap_us = gap_us;
}

void failover_case_listed(const struct update *f, const struct znode_stat *old)
{
    struct failover_case *c = case_of(f->election);
    const struct znode_stat *now = &f->election->own->directory;
    if (!c || c->zxid_most != 0)
        return;
    c->zxid_most = now->pzxid;
    if (old && old->czxid == now->czxid && old->pzxid > c->listed_zxid)
        c->listed_zxid = old->pzxid;
    /* One change since, and it took the leader: this is the one. */
    if (old && old->czxid == now->czxid && (uint32_t)now->cversion == (uint32_t)old->cversion + 1)
        c->zxid = now->pzxid;
    if (c->zxid != 0 && c->evidence.session != 0)
        known_transactions_note(&f->election->cluster->transactions, c->zxid, c->evidence.session, false);
    cluster_note_epoch(f->election->cluster, now->pzxid, f->at);
}

void failover_case_gone_by(const struct update *f, int64_t zxid)
{
    struct failover_case *c = case_of(f->election);
    if (c && c->zxid_most == 0)
        c->zxid_most = zxid;
}

/* It is the znode that led: a directory that was made anew gives its names again. */
static bool is_still(const struct failover_case *c, const struct candidate *named)
{
    return c->czxid == 0 || !c->found ||
           (named->known ? named->stat.czxid == c->czxid : c->election->own->directory.czxid < c->czxid);
}

static int64_t seen_late_us(const struct cluster *cluster)
{
    int64_t most_us = 0;
    if (cluster->session == 0) /* a log has the times themselves */
        return 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        most_us = server->list_took_us > most_us ? server->list_took_us : most_us;
        for (unsigned k = 0; k < SERVER_ANSWERS_KEPT && k < server->answer_count; k++)
            most_us = server->answers_us[k] > most_us ? server->answers_us[k] : most_us;
    }
    int64_t late_us = SEEN_LATE_ANSWERS * most_us;
    return late_us > SEEN_LATE_US ? late_us : SEEN_LATE_US;
}

static struct span span_about(int64_t us, int64_t late_us)
{
    return (struct span){us > late_us ? us - late_us : 0, us + late_us};
}

/* A candidate that waited is first as soon as the leader is gone. The times of two other changes are those when
   they were seen; of a loss that only a list shows, it is known that it came after the list before. */
static struct span case_vacancy(const struct failover_case *c, struct moment won)
{
    const struct election *election = c->election;
    const struct change *change = &election->change;
    const struct election_private *own = election->own;
    int64_t lost_us = change->lost_at.mono_us, least_us = 0;
    bool denied = change->vacancy_us < 0 && own->denied.mono_us > lost_us && !own->led_unseen;
    if (c->gap_us != 0 || (change->vacancy_us < 0 && !denied))
        return SPAN_UNKNOWN;
    bool taken_over = !own->still_open || change->vacancy_us == 0; /* perhaps acknowledged late */
    if (taken_over && (election->leader->joined.mono_us < lost_us || c->evidence.displaced))
        return (struct span){0, 0};
    struct span vacancy = span_about(change->vacancy_us, c->late_us);
    if (denied) { /* it was first all the while, and had not led by then */
        least_us = own->denied.mono_us - lost_us;
        vacancy = (struct span){least_us, won.mono_us - lost_us + c->late_us};
    }
    if (c->late_us != 0 && !change->lost_seen && !c->recalled)
        vacancy = c->listed_us == 0 ? SPAN_UNKNOWN
                                    : (struct span){least_us, won.mono_us - c->listed_us + c->late_us};
    return vacancy;
}

struct span failover_case_recorded_vacancy(const struct election *then)
{
    const struct change *change = &then->change;
    if (change->vacancy_us < 0 || !then->leader)
        return SPAN_UNKNOWN;
    if (then->leader->joined.mono_us < change->lost_at.mono_us)
        return (struct span){0, 0};
    return change->lost_seen ? span_about(change->vacancy_us, seen_late_us(then->cluster)) : SPAN_UNKNOWN;
}

void failover_case_won(const struct update *f)
{
    const struct election *election = f->election;
    struct failover_case *c = case_of(election);
    if (!c)
        return;
    c->won = f->at;
    /* Every holder of a lock has the same name: if that one leads, it has no predecessor. */
    const struct candidate *before =
        election->change.from ? election_find(election, election->change.from) : NULL;
    c->evidence.displaced = before && before != election->leader && is_still(c, before);
    int64_t since_us = election->fresh ? 0 : election->stale_since.mono_us;
    if (election->own->lost_after.mono_us != 0) {
        since_us = election->own->lost_after.mono_us;
        c->evidence.since_us = since_us;
    }
    if (since_us != 0 && f->at.mono_us > since_us)
        c->gap_us = f->at.mono_us - since_us;
    c->in_line = election->own->denied.mono_us != 0;
    c->late_us = seen_late_us(election->cluster);
    c->vacancy = case_vacancy(c, f->at);
}

bool failover_case_reopen(struct election *election)
{
    struct failover_case *c = case_of(election);
    if (!c || c->won.mono_us == 0)
        return false;
    c->won = (struct moment){0};
    c->evidence.displaced = false;
    return true;
}

void failover_case_denied(const struct update *f)
{
    const struct failover *reported = election_last_failover(f->election);
    /* A session that created its candidate again was no failover: the latest is an older one. */
    if (failover_case_reopen(f->election) || !reported ||
        !moment_is(reported->lost_at, f->election->change.lost_at))
        return;
    int64_t gap_us = failover_lost_within_us(reported);
    f->election->own->led_unseen |= gap_us == 0 && reported->gap_us > 0;
    failover_case_recalled(f, gap_us);
    f->election->cluster->cases->told = false;
}

/* ---- facts seen afterwards ---- */

static bool collects(const struct failover_case *c, struct moment at)
{
    int64_t after_us = at.mono_us - c->evidence.gone_us;
    return after_us >= 0 && after_us <= COLLECT_US;
}

/* The transaction that removed the znode is this one at the latest; 0: not known. */
static int64_t gone_by_zxid(const struct failover_case *c)
{
    return c->zxid_most != 0 ? c->zxid_most : c->seen_zxid;
}

/* Its facts are later than the removal of the znode. */
static bool is_past_it(const struct failover_case *c, const struct server *server)
{
    return gone_by_zxid(c) != 0 && server->zxid >= gone_by_zxid(c);
}

static bool is_deletion(const char *operation)
{
    return operation && (strncmp(operation, "DEL", 3) == 0 || strncmp(operation, "MULT", 4) == 0);
}

static void note_own(struct failover_case *c, const struct cluster *cluster, size_t index, struct moment at,
                     const struct seen_connection *seen)
{
    const struct server *server = &cluster->servers[index];
    struct failover_evidence *e = &c->evidence;
    bool same = index == c->server && seen->established_ms == c->established_ms;
    if (!same || seen->last_cxid < 0 || seen->last_cxid != c->last_cxid || seen->outstanding != 0)
        c->other_request = true;
    else if (is_past_it(c, server))
        c->same_request = true;
    int64_t heard_us = seen->last_response_ms * 1000 + server->clock_low_us;
    if (e->fate == FATE_UNKNOWN && server->clock_low_known && is_past_it(c, server) &&
        heard_us > e->gone_us) {
        e->fate = FATE_ALIVE;
        e->fate_us = at.mono_us;
        e->alive_by = "its connection was heard afterwards";
    }
}

static void note_deletion(struct failover_case *c, const struct seen_connection *seen)
{
    if (c->zxid != 0 && seen->last_zxid != c->zxid)
        return;
    if (c->deletion_count == DELETIONS_KEPT) {
        memmove(c->deletions, c->deletions + 1, (DELETIONS_KEPT - 1) * sizeof c->deletions[0]);
        c->deletion_count--;
    }
    c->deletions[c->deletion_count++] = (struct seen_deletion){seen->session, seen->last_zxid};
}

void failover_cases_connections(struct cluster *cluster, size_t server, struct moment at,
                                const struct observed_connections *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        const struct seen_connection *one = &seen->list[i];
        known_transactions_note_request(&cluster->transactions, one->last_zxid, one->session,
                                        one->last_operation);
    }
    note_caught_up(cluster, seen->own_zxid, at.mono_us + seen->took_us);
    for (struct failover_case *c = cluster->cases; c; c = c->next) {
        if (!collects(c, at))
            continue;
        if (c->seen_zxid == 0)
            c->seen_zxid = seen->own_zxid;
        for (size_t i = 0; i < seen->count; i++) {
            const struct seen_connection *one = &seen->list[i];
            if (one->session != 0 && one->session == c->evidence.session)
                note_own(c, cluster, server, at, one);
            if (one->session != 0 && one->last_zxid > 0 && is_deletion(one->last_operation))
                note_deletion(c, one);
        }
    }
}

/* A former leader that has not noticed its loss expires sessions that live on under its successor. */
static bool is_former_leader(const struct failover_case *c, const struct server *server)
{
    return server->zxid > 0 && server->zxid >> 32 < c->zxid_most >> 32;
}

void failover_cases_sessions(struct cluster *cluster, size_t server, struct moment at,
                             const struct observed_sessions *seen)
{
    for (struct failover_case *c = cluster->cases; c; c = c->next) {
        struct failover_evidence *e = &c->evidence;
        if (!collects(c, at) || e->session == 0 || e->fate != FATE_UNKNOWN ||
            is_former_leader(c, &cluster->servers[server]))
            continue;
        bool there = false;
        for (size_t i = 0; i < seen->count && !there; i++)
            there = seen->list[i].id == e->session;
        /* A server may show a session for a moment that it is just about to end. */
        if (there && !is_past_it(c, &cluster->servers[server]))
            continue;
        e->fate = there ? FATE_ALIVE : FATE_OVER;
        e->fate_us = at.mono_us;
        c->over_server = server;
    }
}

void failover_cases_stated(struct cluster *cluster, size_t server, int64_t zxid)
{
    for (struct failover_case *c = cluster->cases; c; c = c->next)
        if (c->evidence.fate == FATE_OVER && c->over_zxid == 0 && c->over_server == server && zxid > 0)
            c->over_zxid = zxid;
}

static void server_left(size_t *index, size_t left)
{
    if (*index == left)
        *index = SIZE_MAX;
    else if (*index != SIZE_MAX && *index > left)
        --*index;
}

void failover_cases_server_left(struct cluster *cluster, size_t server)
{
    for (struct failover_case *c = cluster->cases; c; c = c->next) {
        server_left(&c->server, server);
        server_left(&c->over_server, server);
    }
}

/* No directory counts the changes of a lock: the transaction that removed it is known if only one is possible. */
static void find_taker(struct failover_case *c)
{
    struct cluster *cluster = c->election->cluster;
    int64_t gone_zxid = c->over_zxid != 0 ? c->over_zxid : gone_by_zxid(c);
    if (c->zxid != 0)
        return;
    c->zxid = known_transactions_taker(cluster->transactions, c->stood_zxid, gone_zxid);
    if (c->zxid != 0 && c->evidence.session != 0)
        known_transactions_note(&cluster->transactions, c->zxid, c->evidence.session, false);
}

/* A client that deletes a znode and then closes its session does so in two transactions, perhaps at once: no
   list distinguishes that from closing alone. Only if every other transaction in question is known to be
   something else did one do both. */
static bool went_together(const struct failover_case *c)
{
    return c->evidence.session != 0 && known_transactions_are_one(c->election->cluster->transactions, c->zxid,
                                                                  c->over_zxid, c->evidence.session);
}

/* Our own session sees a session's znodes go all at once: if one still exists, it lives. */
static void find_other_znodes(struct failover_case *c)
{
    struct failover_evidence *e = &c->evidence;
    if (e->fate != FATE_UNKNOWN || e->session == 0)
        return;
    const struct client *client = session_table_find(c->election->cluster->clients, e->session);
    for (const struct candidate *one = client ? client->owned : NULL; one; one = one->own->owned_next) {
        if (!one->election->fresh || one->election->listed.mono_us < e->gone_us)
            continue;
        if (one->election == c->election && one->joined.mono_us < e->gone_us && c->zxid_most == 0)
            continue;
        e->fate = FATE_ALIVE;
        e->fate_us = one->election->listed.mono_us;
        e->alive_by = one->election == c->election ? "it is a candidate here again"
                                                   : "it is a candidate in another election";
        return;
    }
}

/* ---- reporting ---- */

/* A follower reports the sessions it heard to ZooKeeper's leader within half a tick, but only while it lives:
   it must have answered all along, and once more since, and other connections to it must have lasted. */
static bool is_unreported(const struct failover_case *c)
{
    const struct cluster *cluster = c->election->cluster;
    if (c->at_leader)
        return false;
    if (c->server >= cluster->server_count || c->evidence.parted_us != 0)
        return true;
    const struct server *server = &cluster->servers[c->server];
    return !server->reachable || server->missed.mono_us > c->evidence.listed_us ||
           server->listed.mono_us < c->evidence.gone_us || server->lasting_us > c->evidence.listed_us;
}

/* Our own session may learn of a loss late, when its server is stalled: not the times of lists, but
   their transactions show that its last request then did not remove its znode. */
static bool had_asked_before(const struct failover_case *c)
{
    int64_t stood_zxid = c->stood_zxid > c->listed_zxid ? c->stood_zxid : c->listed_zxid;
    return c->asked_zxid > 0 && (c->zxid != 0 ? c->asked_zxid < c->zxid : c->asked_zxid <= stood_zxid);
}

/* The servers' list of sessions is asked for. */
static bool sessions_shown(const struct cluster *cluster)
{
    const struct session_table *clients = cluster->clients;
    return clients && clients->sessions_seen.mono_us != 0 &&
           clients->sessions_server < cluster->server_count &&
           !cluster->servers[clients->sessions_server].hidden[HIDDEN_SESSIONS];
}

static bool shows_nothing(const struct cluster *cluster)
{
    size_t hiding = 0;
    while (hiding < cluster->server_count && cluster->servers[hiding].hidden[HIDDEN_CONNECTIONS])
        hiding++;
    return hiding > 0 && hiding == cluster->server_count && !sessions_shown(cluster);
}

static void finish_evidence(struct failover_case *c)
{
    const struct cluster *cluster = c->election->cluster;
    struct failover_evidence *e = &c->evidence;
    e->tick_ms = cluster_tick_ms(cluster);
    /* A proof stays one: an open failover is judged again when it closes, with less evidence if servers stood still. */
    c->reported = c->reported || !is_unreported(c);
    e->unreported = !c->reported;
    e->hidden = shows_nothing(cluster);
    e->packets = cluster_is_captured(cluster);
    e->server = c->server < cluster->server_count ? cluster->servers[c->server].address : NULL;
    /* Also where only its timeout is known, the latest that it can have been heard. */
    int64_t heard_us = e->heard_low_us, most_us = failover_expiry_most_us(e->timeout_ms, e->tick_ms);
    if (most_us >= 0 && e->gone_us - most_us > heard_us)
        heard_us = e->gone_us - most_us;
    e->restarted = cluster->epoch_us > heard_us || cluster->connection_since.mono_us > heard_us;
    find_taker(c);
    e->together = e->together || went_together(c);
    e->resigned = false;
    e->deleter = 0;
    for (size_t i = 0; c->zxid != 0 && i < c->deletion_count; i++)
        if (c->deletions[i].zxid == c->zxid) {
            e->resigned = c->deletions[i].session == e->session;
            e->deleter = e->resigned ? 0 : c->deletions[i].session;
        }
    e->idle = c->same_request && !c->other_request && c->last_cxid >= 0 && had_asked_before(c);
}

/* Lists that are asked for from here on may show more. */
static bool may_be_shown(const struct failover_case *c, struct moment now)
{
    const struct cluster *cluster = c->election->cluster;
    const struct failover_evidence *e = &c->evidence;
    bool shown = false, waits = false;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (!server->reachable || server->hidden[HIDDEN_CONNECTIONS] || server->listed.mono_us == 0)
            continue;
        shown = true;
        waits = waits || server->listed.mono_us < e->gone_us;
    }
    bool hopeful = now.mono_us - e->gone_us < HOPELESS_AFTER_US;
    if (!shown && !sessions_shown(cluster))
        return hopeful;
    return waits || e->fate == FATE_UNKNOWN || (e->fate == FATE_OVER && c->over_zxid == 0 && hopeful);
}

/* Nothing that comes from here on would say more. */
static bool failover_case_is_exhausted(const struct failover_case *c, struct moment now)
{
    /* The later transactions may still become known, as their results are read. */
    bool may_prove = c->zxid != 0 || c->stood_zxid != 0 || c->zxid_most == 0;
    bool proves = c->evidence.fate == FATE_OVER && may_prove && !c->evidence.together &&
                  now.mono_us - c->evidence.gone_us < HOPELESS_AFTER_US;
    return !proves && !may_be_shown(c, now);
}

static bool is_narrow(enum failover_cause cause)
{
    return cause == CAUSE_RESIGNED || cause == CAUSE_EVICTED || cause == CAUSE_CLOSED ||
           cause == CAUSE_EXPIRED;
}

/* By the clock of ZooKeeper's leader, which wrote both times, if the leader created its znode on winning.
   A later write to the acknowledgement would not be as late as the one that was seen. */
static struct span case_takeover(const struct failover_case *c)
{
    const struct election *election = c->election;
    const struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    struct span takeover = span_about(change->takeover_us, c->late_us);
    if (!leader || !leader->known || leader->joined.mono_us < change->lost_at.mono_us ||
        leader->stat.czxid >> 32 != election->ack_stat.mzxid >> 32)
        return takeover;
    int64_t exact_us = acknowledge_time_us(election) - summary_created_us(leader);
    return exact_us >= takeover.low_us && exact_us <= takeover.high_us ? (struct span){exact_us, exact_us}
                                                                       : takeover;
}

static void fill_phases(const struct failover_case *c, struct failover *failover, struct moment now)
{
    const struct election *election = c->election;
    const struct change *change = &election->change;
    failover->vacancy = failover->takeover = SPAN_UNKNOWN;
    failover->elected_at = c->won;
    if (c->won.mono_us != 0 && c->vacancy.low_us >= 0)
        failover->vacancy = c->vacancy;
    if (c->won.mono_us != 0 && c->vacancy.low_us >= 0 && change->vacancy_us >= 0) {
        failover->elected_at.mono_us = change->lost_at.mono_us + change->vacancy_us;
        if (change->lost_at.wall_us)
            failover->elected_at.wall_us = change->lost_at.wall_us + change->vacancy_us;
    }
    bool still_leads = election->leader && change->to && strcmp(election->leader->name, change->to) == 0;
    if (c->gap_us == 0 && change->takeover_us >= 0)
        failover->takeover = case_takeover(c);
    else if (c->gap_us == 0 && election->acknowledged == ACK_NO && still_leads)
        failover->takeover = (struct span){now.mono_us - failover->elected_at.mono_us, SPAN_OPEN};
}

/* How soon the one that leads now was notified, and reacted. */
static void case_reactions(const struct failover_case *c, int64_t *notified_us, int64_t *reacted_us)
{
    const struct election *election = c->election;
    const struct candidate *leader = election->leader;
    const struct change *change = &election->change;
    int64_t gone_us = c->evidence.captured_gone_us ? c->evidence.captured_gone_us : c->evidence.gone_us;
    bool still_leads = leader && change->to && strcmp(leader->name, change->to) == 0;
    *notified_us = *reacted_us = 0;
    bool one_clock = c->evidence.captured_gone_us != 0 || election->cluster->session == 0;
    if (still_leads && change->from && one_clock)
        captured_phases(election, change->from, leader->stat.owner, gone_us, notified_us, reacted_us);
}

/* The remarkable comes first, because a screen may show the beginning only. */
static void evidence_add(char *evidence, size_t size, const char *part, bool first)
{
    char *both =
        text_format("%s%s%s", first ? part : evidence, *evidence ? "; " : "", first ? evidence : part);
    snprintf(evidence, size, "%s", both);
    free(both);
}

static void describe_reactions(const struct failover *failover, char *evidence, size_t size)
{
    char part[160];
    double notified_ms = (double)failover->notified_us / 1e3, reacted_ms = (double)failover->reacted_us / 1e3;
    if (failover->notified_us == 0)
        return;
    if (failover->reacted_us != 0)
        snprintf(
            part, sizeof part,
            "the successor sent its next request %.3f ms after the leader's znode went, and was notified "
            "after %.3f ms",
            reacted_ms, notified_ms);
    else
        snprintf(part, sizeof part,
                 "the successor was notified %.3f ms after the leader's znode went, and sent no request",
                 notified_ms);
    evidence_add(evidence, size, part, failover->reacted_us - failover->notified_us > NOTIFIED_AFTER_US);
}

static struct captured_herd case_herd(const struct failover_case *c)
{
    const struct change *change = &c->election->change;
    int64_t gone_us = c->evidence.captured_gone_us ? c->evidence.captured_gone_us : c->evidence.gone_us;
    return change->from ? captured_herd(c->election, change->from, c->evidence.session, gone_us)
                        : (struct captured_herd){0};
}

/* More than the successor were woken. */
static void describe_herd(const struct failover_case *c, char *evidence, size_t size)
{
    const struct captured_herd herd = case_herd(c);
    char part[280], last[80] = "", slowest[80] = "";
    if (herd.clients < 2)
        return;
    if (herd.last_us)
        snprintf(last, sizeof last, ", the last of them after %.3f ms", (double)herd.last_us / 1e3);
    if (herd.slowest_us)
        snprintf(slowest, sizeof slowest, "; the slowest answer by then took %.3f ms",
                 (double)herd.slowest_us / 1e3);
    snprintf(part, sizeof part, "the leader's end woke %zu clients, which sent at least %d requests%s%s",
             herd.clients, herd.requests, last, slowest);
    evidence_add(evidence, size, part, herd.clients >= HERD);
}

/* Cause, certainty and detection, from the evidence so far. */
static struct failover case_judge(struct failover_case *c)
{
    const struct change *change = &c->election->change;
    struct failover failover = {.from = change->from,
                                .from_identity = change->from_identity,
                                .to = change->to,
                                .to_identity = change->to_identity,
                                .lost_at = change->lost_at,
                                .gap_us = c->gap_us,
                                .in_line = c->in_line || c->election->own->denied.mono_us != 0};
    const struct failover *recorded = c->recalled ? election_last_failover(c->election) : NULL;
    if (recorded) {
        failover.cause = recorded->cause;
        failover.cause_certainty = recorded->cause_certainty;
        failover.evidence = recorded->evidence;
        failover.detection = recorded->detection;
        return failover;
    }
    find_other_znodes(c);
    finish_evidence(c);
    failover_judge(&c->evidence, &failover);
    return failover;
}

/* Its client created it again before any other led: no change of leader. In a gap those in between may have led. */
static bool is_same_again(const struct failover_case *c)
{
    const struct candidate *leader = c->election->leader;
    const char *from = c->election->change.from;
    if (c->gap_us > 0 && leader && from && leader->sequence != recipe_sequence_of(from) + 1)
        return false;
    return leader && leader->known && c->evidence.session != 0 && leader->stat.owner == c->evidence.session &&
           leader->joined.mono_us >= c->evidence.gone_us;
}

void failover_case_tell(const struct update *f, const struct failover *failover, int64_t czxid)
{
    const struct failover *kept = election_keep_failover(f->election, failover);
    struct event event = {.kind = EVENT_FAILOVER,
                          .czxid = czxid,
                          .candidate = kept->to,
                          .identity = kept->to_identity,
                          .position = 1,
                          .from = kept->from,
                          .from_identity = kept->from_identity,
                          .gap_us = kept->gap_us,
                          .after_us = -1,
                          .failover = kept};
    update_emit(f, &event);
}

/* failover: as judged. ended: the election is over, without a leader. */
static void case_report(struct model *model, struct failover_case *c, struct failover *failover,
                        struct moment now, bool ended)
{
    struct election *election = c->election;
    bool open = c->won.mono_us == 0;
    char evidence[512];
    update_emit_elected_read(&(struct update){model, election, now}, true);
    /* One that was reported as open is closed all the same. */
    if (!open && !c->told && !c->found && is_same_again(c)) {
        failover_case_forget(election);
        return;
    }
    if (failover->evidence)
        snprintf(evidence, sizeof evidence, "%s", failover->evidence);
    else
        failover_evidence_describe(&c->evidence, failover->cause, evidence, sizeof evidence);
    fill_phases(c, failover, now);
    case_reactions(c, &failover->notified_us, &failover->reacted_us);
    describe_reactions(failover, evidence, sizeof evidence);
    describe_herd(c, evidence, sizeof evidence);
    failover->evidence = evidence[0] ? evidence : NULL;
    /* Another may have led in a gap, until it was found. */
    int64_t since_us =
        now.mono_us - (election->own->led_unseen ? c->evidence.gone_us : election->change.lost_at.mono_us);
    if (open)
        failover->vacancy = (struct span){since_us, ended ? since_us : SPAN_OPEN};
    if (ended) { /* another gap hides no loss, and perhaps a leader */
        int64_t after_us = election->own->lost_after.mono_us;
        failover->gap_us = after_us != 0 ? election->change.lost_at.mono_us - after_us : 0;
        failover->vacancy.low_us = c->recalled && election->own->led_unseen ? 0 : since_us;
    }
    int64_t czxid = election->recipe && election->recipe->family == FAMILY_LOCK ? c->czxid : 0;
    struct failover whole = *failover;
    if (failover_was_closed(&c->evidence))
        whole.detection = (struct span){0, 0};
    failover->total = failover_total(&whole);
    election->counters.missed_changes += !open && c->gap_us > 0;
    c->told = open;
    if (!open || ended)
        failover_case_forget(election);
    failover_case_tell(&(struct update){model, election, now}, failover, czxid);
}

void failover_case_close(const struct update *f)
{
    struct failover_case *c = case_of(f->election);
    if (c && c->won.mono_us != 0) {
        struct failover failover = case_judge(c);
        case_report(f->model, c, &failover, f->at, false);
    } else {
        failover_case_forget(f->election);
    }
}

void failover_case_end(struct model *model, struct election *election, struct moment at)
{
    struct failover_case *c = case_of(election);
    if (c && c->told && c->won.mono_us == 0) {
        struct failover failover = case_judge(c);
        case_report(model, c, &failover, at, true);
    } else {
        failover_case_forget(election);
    }
}

/* Its data, which says who it is, is asked for already and comes in a moment. */
static bool is_unread(const struct election *election)
{
    const struct candidate *leader = election->leader;
    return leader && !leader->known && !leader->denied;
}

/* One that does not acknowledge in time is found so within this, and then never led. */
#define DENIED_WITHIN_US INT64_C(1000000)

int64_t failover_case_wait_us(const struct election *election)
{
    int64_t within_us = election->settings->allow.failover_ms * 1000;
    return within_us > 0 ? within_us : TOLD_AFTER_US;
}

/* The longest wait for more evidence is over. */
static bool is_late(const struct failover_case *c, struct moment now)
{
    int64_t since_us = c->won.mono_us ? c->won.mono_us : c->election->change.lost_at.mono_us;
    if (c->won.mono_us && c->election->acknowledged == ACK_NO)
        since_us += DENIED_WITHIN_US;
    return now.mono_us - since_us >= failover_case_wait_us(c->election);
}

/* Nothing else than the cause is awaited. */
static bool awaits_cause_only(const struct failover_case *c, struct moment now)
{
    const struct election *election = c->election;
    int64_t notified_us, reacted_us;
    case_reactions(c, &notified_us, &reacted_us);
    bool captures = cluster_is_captured(election->cluster);
    if (captures && (notified_us ? reacted_us == 0 : now.mono_us - c->won.mono_us < NOTIFIED_AFTER_US))
        return false;
    int64_t since_us = now.mono_us - c->won.mono_us;
    if (captures && since_us < WOKEN_WITHIN_US)
        return false;
    if (captures && since_us < NOTIFIED_AFTER_US) {
        const struct captured_herd herd = case_herd(c);
        if (herd.clients > 1 && !herd.answered)
            return false;
    }
    bool acknowledges =
        election->acknowledged == ACK_NO ||
        (election->acknowledged == ACK_UNKNOWN && !election->own->ack_denied && !election->own->ack_doubted);
    return !acknowledges && !election->own->leader_unreported && !is_unread(election) && !awaits_log(c, now);
}

/* Lost in a gap, and the log proves that another one led last: that one followed, and was lost in turn. */
static bool follow_logged(const struct update *f, struct failover_case *c)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    struct failover lost;
    if (c->gap_us <= 0 || !change->from || !is_logged_loss(f, &lost) ||
        lost.cause_certainty != CERTAINTY_CERTAIN || lost.lost_at.mono_us <= change->lost_at.mono_us ||
        strcmp(lost.from, change->from) == 0)
        return false;
    change->to = text_copy(lost.from);
    change->to_identity = text_copy(lost.from_identity);
    c->won = lost.lost_at; /* at the latest */
    c->gap_us = lost.lost_at.mono_us - change->lost_at.mono_us;
    c->vacancy = SPAN_UNKNOWN;
    election->counters.leader_changes++;
    struct failover failover = case_judge(c);
    case_report(f->model, c, &failover, f->at, false);
    leadership_clear_change(change);
    failover_case_logged(f);
    return true;
}

/* Nobody leads, and that was not reported yet. Not for a lock: it is free most of the time. */
static bool is_to_tell_open(const struct failover_case *c)
{
    const struct election *election = c->election;
    bool nobody = election->state == ELECTION_VACANT || election->state == ELECTION_ABSENT ||
                  election->own->denied.mono_us != 0;
    return !c->told && nobody && election->kind == KIND_LEADER;
}

void failover_cases_settle(struct model *model, struct cluster *cluster, struct moment now)
{
    struct failover_case *next;
    for (struct failover_case *c = cluster->cases; c; c = next) {
        next = c->next;
        find_past(c);
        bool open = c->won.mono_us == 0,
             late = (c->found && !may_be_shown(c, now) && !awaits_log(c, now)) || is_late(c, now);
        bool awaits_more = open ? awaits_log(c, now) : !awaits_cause_only(c, now);
        if ((open && follow_logged(&(struct update){model, c->election, now}, c)) ||
            (open && !is_to_tell_open(c)) || (!late && awaits_more))
            continue;
        struct failover failover = case_judge(c);
        if (late || c->recalled || is_narrow(failover.cause) || c->evidence.no_session ||
            c->evidence.displaced || failover_case_is_exhausted(c, now))
            case_report(model, c, &failover, now, false);
    }
}

void failover_cases_finish(struct model *model, struct cluster *cluster, struct moment now)
{
    struct failover_case *next;
    for (struct failover_case *c = cluster->cases; c; c = next) {
        next = c->next;
        if (c->won.mono_us != 0) {
            failover_case_close(&(struct update){model, c->election, now});
        } else if (is_to_tell_open(c)) {
            struct failover failover = case_judge(c);
            case_report(model, c, &failover, now, false);
        }
    }
}

bool failover_cases_want_evidence(const struct cluster *cluster, struct moment now)
{
    for (const struct failover_case *c = cluster->cases; c; c = c->next)
        if (collects(c, now) && now.mono_us - c->evidence.gone_us < WANTED_US && may_be_shown(c, now))
            return true;
    return false;
}
