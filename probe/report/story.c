#include "probe/report/story.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/dangers.h"
#include "probe/election/whatif.h"
#include "probe/history/history.h"
#include "probe/election/summary.h"

#define DAY_US (INT64_C(24) * 3600 * 1000000)
/* A client that goes on is a candidate again within this time. */
#define RETURN_US INT64_C(3000000)
/* Where it is not known since when a client was silent, this time before the loss is looked through. */
#define WITHOUT_SILENCE_US INT64_C(60000000)

struct earlier_loss {
    int64_t lost_us;
    char *from; /* its candidate; or NULL */
};

struct story_search {
    const struct story_query *query;
    struct story *story;
    const struct model *model;                                /* just before the loss; or NULL */
    enum outage { NO_OUTAGE, PERHAPS_OUTAGE, OUTAGE } outage; /* the story is of one that lasts */
    struct earlier_loss earlier[STORY_NAMES]; /* the latest, at their number modulo STORY_NAMES */
};

static bool story_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool story_wants(const struct story_query *query, const struct election *election)
{
    const char *cluster = election->cluster->name;
    if (query->cluster && !story_same(query->cluster, cluster))
        return false;
    const char *path = summary_path(election);
    return !query->election || story_same(query->election, path) ||
           story_same(query->election, election->path) || story_same(query->election, election->name);
}

static void story_take(struct story *story, const struct election *election, const struct failover *failover)
{
    story->after_count = 0;
    free(story->cluster);
    free(story->election);
    free(story->name);
    failover_release(&story->failover);
    const char *cluster = election->cluster->name;
    story->cluster = text_copy(cluster && *cluster ? cluster : NULL);
    story->election = text_copy(election->path);
    story->name = text_copy(election->name ? election->name : summary_path(election));
    failover_copy(&story->failover, failover);
}

/* The recorder has missed it, so only who asks knows of it. */
static void story_take_seen(struct story *story, const struct story_query *query)
{
    story->cluster = text_copy(query->cluster);
    story->election = text_copy(query->election);
    story->name = text_copy(query->election);
    failover_copy(&story->failover, query->like);
}

/* Nearer to the one that is wanted than the one that was found. */
static bool story_is_nearer(const struct story *story, const struct failover *like,
                            const struct failover *failover)
{
    int64_t own_us = failover->lost_at.wall_us - like->lost_at.wall_us,
            found_us = story->failover.lost_at.wall_us - like->lost_at.wall_us;
    return failover_is_same(failover, like) && (!story->election || llabs(own_us) < llabs(found_us));
}

static bool story_find(void *context, const struct election *election, const struct failover *failover)
{
    struct story_search *search = context;
    const struct story *story = search->story;
    if (story_wants(search->query, election) &&
        (!search->query->like || story_is_nearer(story, search->query->like, failover)) &&
        !(search->query->open_first && story->election && failover_is_open(&story->failover) &&
          !failover_is_open(failover)))
        story_take(search->story, election, failover);
    return true;
}

/* Of an election that has no leader, though no open failover says so. What may be does not hide what is, and what was
 * so from the beginning no failover of another election. The latest of several is taken. */
static void story_outage(struct story_search *search, const struct election *election, struct moment now)
{
    struct story *story = search->story;
    const struct finding *doubt = vacancy_doubt(election);
    enum outage outage = doubt && !vacancy_is_sure(doubt) ? PERHAPS_OUTAGE : OUTAGE;
    struct failover lost;
    if (!vacancy_lost(election, now, &lost) || outage < search->outage ||
        (story->election && !lost.from && !search->query->election))
        return;
    if (!lost.from)
        lost.lost_at = election->state == ELECTION_LED ? now : election->state_since;
    if (outage == search->outage && lost.lost_at.wall_us < story->failover.lost_at.wall_us)
        return;
    search->outage = outage;
    story->loss_unseen = !lost.from;
    story_take(story, election, &lost);
    if (story->loss_unseen)
        story->after_count = vacancy_reasons(election, story->after);
}

/* The loss as it was recorded, which a moment of a recording does not keep. */
static bool story_recorded(void *context, const struct election *election, const struct failover *failover)
{
    struct story *story = context;
    bool same = failover->lost_at.wall_us == story->failover.lost_at.wall_us &&
                story_same(failover->from, story->failover.from);
    if (same && story_same(election->path, story->election))
        story_take(story, election, failover);
    return true;
}

/* As the recording ends, or at the moment that was asked for. */
static void story_find_outage(struct story_search *search, struct history *history)
{
    int64_t from_us, to_us, at_us = search->query->at_us;
    if (!search->query->open_first ||
        (search->story->election && failover_is_open(&search->story->failover)) ||
        !history_bounds(history, &from_us, &to_us, NULL))
        return;
    if (search->query->now_us)
        at_us = to_us = history_end_us(history);
    char *unread = NULL;
    const struct model *model = history_at(history, at_us < to_us ? at_us : to_us, &unread);
    free(unread);
    for (size_t i = 0; model && i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            if (story_wants(search->query, model->clusters[i].elections[k]))
                story_outage(search, model->clusters[i].elections[k], model->now);
    const struct history_filter own = {.cluster = search->query->cluster,
                                       .election = search->story->election};
    int64_t lost_us = search->story->failover.lost_at.wall_us;
    if (search->outage == PERHAPS_OUTAGE &&
        !history_failovers(history, &own, lost_us, lost_us + 1, story_recorded, search->story, &unread))
        free(unread); /* its cause stays unknown */
}

/* ---- who it was ---- */

static bool story_tenure(void *context, const struct history_stretch *stretch)
{
    struct story *story = context;
    if (stretch->kind == STRETCH_LED && stretch->from_us <= story->failover.lost_at.wall_us &&
        story_same(stretch->name, story->failover.from)) {
        /* One goes on through a gap. */
        story->led_since_us = stretch->from_us;
        story->led_exact = stretch->from_exact;
    }
    return true;
}

static const struct election *story_election_of(const struct story_search *search)
{
    const struct story *story = search->story;
    for (size_t i = 0; search->model && i < search->model->cluster_count; i++) {
        const struct cluster *cluster = &search->model->clusters[i];
        if (story->cluster && !story_same(story->cluster, cluster->name))
            continue;
        for (size_t k = 0; k < cluster->election_count; k++)
            if (story_same(story->election, cluster->elections[k]->path))
                return cluster->elections[k];
    }
    return NULL;
}

static void story_client(struct story *story, const struct election *election, const struct candidate *leader)
{
    story->session = leader->known ? leader->stat.owner : 0;
    const struct client_session *session = cluster_client(election->cluster, story->session);
    if (!session)
        return;
    story->client = text_copy(session->address);
    if (session->timeout_ms > 0)
        story->timeout_ms = session->timeout_ms;
    if (session->server < election->cluster->server_count)
        story->server = text_copy(election->cluster->servers[session->server].address);
}

static void story_chain(struct story *story, const struct election *election)
{
    struct next_failover next = whatif_next(election);
    story->candidates = election->candidate_count;
    story->successor =
        next.successor ? text_copy(next.successor->identity ? next.successor->identity : next.successor->name)
                       : NULL;
    story->successor_notified = next.notified == ANSWER_YES ? 1 : next.notified == ANSWER_NO ? 0 : -1;
    story->chain_broken = next.chain == CHAIN_BROKEN;
    story->findings = xcalloc(election->finding_count + 1, sizeof *story->findings);
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        story->findings[story->finding_count++] =
            (struct story_finding){finding->code, finding->certainty, text_copy(finding->evidence)};
    }
}

static void story_server(struct story *story, const struct cluster *cluster, const struct server *server)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    size_t count = server_dangers(cluster, server, dangers);
    for (size_t i = 0; i < count; i++)
        if (dangers[i].severity != SEVERITY_INFO)
            story->dangers[story->danger_count++] = (struct story_danger){
                text_copy(server->address), dangers[i].code, text_copy(dangers[i].evidence)};
    if (server->load_seen.mono_us != 0 && server->load.outstanding >= STORY_WAITING_LEAST)
        story->loads[story->load_count++] = (struct story_load){
            text_copy(server->address), server->load.outstanding, server->load.latency_avg_us,
            server->load.latency_max_us, server->load_seen.wall_us};
}

static void story_servers(struct story *story, const struct cluster *cluster)
{
    story->dangers = xcalloc(cluster->server_count * SERVER_DANGERS_MOST + 1, sizeof *story->dangers);
    story->loads = xcalloc(cluster->server_count + 1, sizeof *story->loads);
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        story->server_count++;
        story->servers_away += server_reach(cluster, server) == SERVER_SILENT;
        story_server(story, cluster, server);
    }
}

/* The candidate of this name as it was then; its election is in search->model. NULL: it was not there, or
 * that watched. */
static const struct candidate *story_candidate_at(struct story_search *search, struct history *history,
                                                  int64_t at_us, const char *name)
{
    char *error = NULL;
    search->model = history_at(history, at_us, &error);
    free(error);
    const struct election *election = story_election_of(search);
    return election && name ? election_find(election, name) : NULL;
}

/* The leader that was lost then, as it was recorded while it led. Changes that follow each other closely are
   recorded together, as of the first of them. */
static const struct candidate *story_leader(struct story_search *search, struct history *history,
                                            int64_t lost_us, const char *name)
{
    static const int64_t before_us[] = {1000, 20000, 200000, 1100000};
    for (size_t i = 0; name && i < sizeof before_us / sizeof *before_us; i++) {
        const struct candidate *leader = story_candidate_at(search, history, lost_us - before_us[i], name);
        if (leader && story_election_of(search)->leader == leader)
            return leader;
    }
    return NULL;
}

/* What happens at once is seen one after the other, and changes that follow each other closely are recorded
 * together. */
#define STORY_ABOUT_US INT64_C(1100000)

/* The state just before, as it was recorded. */
static void story_before(struct story_search *search, struct history *history)
{
    struct story *story = search->story;
    const struct candidate *leader =
        story_leader(search, history, story->failover.lost_at.wall_us, story->failover.from);
    if (!leader) {
        /* It led for less time than lies between two states: its candidate shows whose session it was. */
        leader = story_candidate_at(search, history, story->failover.lost_at.wall_us - 20000,
                                    story->failover.from);
        if (leader)
            story_client(story, story_election_of(search), leader);
        return;
    }
    const struct election *election = story_election_of(search);
    story->snapshot = true;
    story->only_first = vacancy_is_denied(election);
    story_client(story, election, leader);
    story_chain(story, election);
    story_servers(story, election->cluster);
    const struct candidate *successor = whatif_next(election).successor;
    char *name = successor ? text_copy(successor->name) : NULL;
    bool stands =
        name && story_candidate_at(search, history, story->failover.lost_at.wall_us + STORY_ABOUT_US, name);
    story->successor_left = name && !stands && search->model && story->failover.gap_us == 0 &&
                            !story_same(name, story->failover.to);
    free(name);
}

/* ---- further circumstances ---- */

/* "host:port", both. */
static bool story_same_host(const char *a, const char *b)
{
    const char *end = a && b ? strrchr(a, ':') : NULL;
    size_t length = end ? (size_t)(end - a) : 0;
    return length > 0 && strncmp(a, b, length) == 0 && strrchr(b, ':') == b + length;
}

/* ZooKeeper puts the number of the server at which a session began into its first byte. */
static uint64_t story_server_of(uint64_t session)
{
    return session >> 56;
}

/* The candidate of a session, in any election, as people call it. */
static const char *story_candidate_of(const struct story_search *search, uint64_t session)
{
    for (size_t i = 0; search->model && i < search->model->cluster_count; i++) {
        const struct cluster *cluster = &search->model->clusters[i];
        for (size_t k = 0; k < cluster->election_count; k++)
            for (size_t n = 0; n < cluster->elections[k]->candidate_count; n++) {
                const struct candidate *candidate = cluster->elections[k]->candidates[n];
                if (candidate->known && candidate->stat.owner == session)
                    return candidate->identity ? candidate->identity : candidate->name;
            }
    }
    return NULL;
}

static void count_expired(struct story_search *search, const struct logged_fact *fact)
{
    struct story *story = search->story;
    int64_t apart_us = fact->at.wall_us - story->failover.lost_at.wall_us;
    if (fact->session == story->session) {
        if (fact->timeout_ms > 0)
            story->timeout_ms = fact->timeout_ms;
        return;
    }
    if (apart_us < -story->together_us || apart_us > story->together_us)
        return;
    story->expired_beside++;
    story->expired_same_server += story_server_of(fact->session) == story_server_of(story->session);
    const char *name = story_candidate_of(search, fact->session);
    /* A client with two sessions is one client. */
    story->expired_same_name += name && !story_same(name, story->failover.from_identity) &&
                                story_same_host(name, story->failover.from_identity);
    if (name && story->beside_count < STORY_NAMES)
        story->beside[story->beside_count++] = text_copy(name);
    const struct election *election = story_election_of(search);
    const struct client_session *other = election ? cluster_client(election->cluster, fact->session) : NULL;
    if (!other || !other->address || !story->client)
        return;
    story->expired_known++;
    story->expired_same_host += story_same_host(other->address, story->client);
}

static bool story_is_candidate(const struct model *model, uint64_t session)
{
    return story_candidate_of(&(struct story_search){.model = model}, session) != NULL;
}

struct owner_sessions {
    uint64_t *sessions;
    size_t count, room;
};

/* Sessions of candidates, each once, that began at the same server as the leader's. */
static void put_owners(const struct story_search *search, const struct election *election,
                       struct owner_sessions *owners)
{
    const struct story *story = search->story;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *candidate = election->candidates[i];
        uint64_t session = candidate->known ? candidate->stat.owner : 0;
        bool known = session == 0 || session == story->session ||
                     story_server_of(session) != story_server_of(story->session);
        for (size_t k = 0; k < owners->count && !known; k++)
            known = owners->sessions[k] == session;
        if (known)
            continue;
        room_for_one(&owners->sessions, owners->count, &owners->room, sizeof *owners->sessions);
        owners->sessions[owners->count++] = session;
    }
}

/* Who began where the leader's session had begun, and was still there when those beside it had expired. */
static void story_survivors(struct story_search *search, struct history *history)
{
    struct story *story = search->story;
    struct owner_sessions owners = {0};
    char *error = NULL;
    const struct election *own = story_election_of(search);
    for (size_t i = 0; own && i < own->cluster->election_count; i++)
        put_owners(search, own->cluster->elections[i], &owners);
    search->model = history_at(history, story->failover.lost_at.wall_us + story->together_us, &error);
    free(error); /* no later records: no session is known to have lived */
    for (size_t i = 0; i < owners.count; i++)
        story->lived_same_server += story_is_candidate(search->model, owners.sessions[i]);
    free(owners.sessions);
}

/* How far apart clients that fell silent together expire is known once the timeout is. And when it was heard again. */
static bool story_timeout(void *context, const struct logged_fact *fact)
{
    struct story *story = context;
    if (fact->kind == FACT_SESSION_EXPIRED && fact->session == story->session && fact->timeout_ms > 0)
        story->timeout_ms = fact->timeout_ms;
    if (fact->kind == FACT_SESSION_BACK && fact->session == story->session && story->session != 0 &&
        story->heard_us == 0 && fact->at.wall_us > story->failover.lost_at.wall_us)
        story->heard_us = fact->at.wall_us;
    return true;
}

/* What became of the servers so long before may have to do with it. */
static bool is_recent(const struct story *story, int64_t at_us)
{
    enum failover_cause cause = story->failover.cause;
    int64_t before_us = 3 * (int64_t)story->timeout_ms * 1000, lost_us = story->failover.lost_at.wall_us;
    if (before_us < STORY_START_US)
        before_us = STORY_START_US;
    if (cause == CAUSE_CLOSED || cause == CAUSE_RESIGNED)
        before_us = STORY_NEAR_US; /* its client did that, and did not wait for a timeout */
    return at_us >= lost_us - before_us;
}

static void story_started(struct story *story, const struct logged_fact *fact)
{
    if (story->start_count == STORY_NAMES || !is_recent(story, fact->at.wall_us) ||
        fact->at.wall_us > story->failover.lost_at.wall_us + STORY_NEAR_US)
        return;
    story->starts[story->start_count++] = (struct story_start){.server = text_copy(fact->path),
                                                               .number = fact->owner,
                                                               .zxid = fact->zxid,
                                                               .from_us = fact->began_us,
                                                               .to_us = fact->at.wall_us};
}

static void count_deleted(struct story *story, const struct logged_fact *fact, const char *own)
{
    if (story_same(fact->path, own) && fact->session != fact->owner &&
        fact->at.wall_us == story->failover.lost_at.wall_us)
        story->deleter = fact->session;
}

static bool story_fact(void *context, const struct logged_fact *fact)
{
    struct story_search *search = context;
    struct story *story = search->story;
    char *own = text_format("%s/%s", story->election, story->failover.from ? story->failover.from : "");
    story->logged = true;
    if (fact->kind == FACT_SESSION_EXPIRED)
        count_expired(search, fact);
    else if (fact->kind == FACT_DELETED)
        count_deleted(story, fact, own);
    else if (fact->kind == FACT_EPOCH && fact->at.wall_us <= story->failover.lost_at.wall_us &&
             is_recent(story, fact->at.wall_us)) {
        story->epoch_us = fact->at.wall_us;
        story->epoch_zxid = fact->zxid;
        story->epoch_from_us = fact->began_us;
    } else if (fact->kind == FACT_SERVER_STARTED)
        story_started(story, fact);
    else if (fact->kind == FACT_CLOCK_BACK)
        story->back_us = fact->back_us;
    else if (fact->kind == FACT_MISSING)
        story->missing++;
    free(own);
    return true;
}

static bool story_deleter_others(void *context, const struct logged_fact *fact)
{
    struct story *story = context;
    size_t length = strlen(story->election);
    bool own = fact->path && strncmp(fact->path, story->election, length) == 0 && fact->path[length] == '/' &&
               story_same(fact->path + length + 1, story->failover.from);
    if (fact->kind != FACT_DELETED || fact->session != story->deleter || own)
        return true;
    if (story->deleter_others++ == 0)
        story->deleter_path = text_copy(fact->path);
    return true;
}

/* ---- beside it, and before ---- */

static bool story_same_leader(const struct failover *a, const struct failover *b)
{
    return a->from_identity || b->from_identity ? story_same(a->from_identity, b->from_identity)
                                                : story_same(a->from, b->from);
}

/* Whether one cause may be a less precise form of the other. */
static bool story_causes_agree(enum failover_cause a, enum failover_cause b)
{
    static const enum failover_cause wide[][2] = {{CAUSE_ENDED, CAUSE_CLOSED},
                                                  {CAUSE_ENDED, CAUSE_EXPIRED},
                                                  {CAUSE_DELETED, CAUSE_RESIGNED},
                                                  {CAUSE_DELETED, CAUSE_EVICTED}};
    bool agree = a == b || a == CAUSE_UNKNOWN || b == CAUSE_UNKNOWN;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        agree = agree || (wide[i][0] == a && wide[i][1] == b) || (wide[i][0] == b && wide[i][1] == a);
    return agree;
}

static bool story_near(void *context, const struct election *election, const struct failover *failover)
{
    struct story *story = context;
    const char *name = election->name ? election->name : election->path;
    bool again = false;
    /* Within a gap it may have been at any time. */
    if (story_same(election->path, story->election) || failover_lost_within_us(failover) > 0 ||
        failover_lost_within_us(&story->failover) > 0)
        return true;
    for (size_t i = 0; i < story->near_count && !again; i++)
        again = story_same(story->near[i], name);
    if (!again) {
        room_for_one(&story->near, story->near_count, &story->near_room, sizeof *story->near);
        story->near[story->near_count++] = text_copy(name);
    }
    story->near_same_session += failover->from_identity && story_same_leader(failover, &story->failover) &&
                                story_causes_agree(failover->cause, story->failover.cause);
    return true;
}

/* Another candidate of the identity that was lost: of which session, since when. */
static void story_same_identity(struct story *story, const struct candidate *c)
{
    int64_t lost_us = story->failover.lost_at.wall_us, since_us = summary_created_us(c);
    int64_t timeout_us = (int64_t)story->timeout_ms * 1000;
    if (since_us == 0 || story_same(c->name, story->failover.from))
        return;
    story->deleter_is_next |= story->deleter != 0 && c->stat.owner == story->deleter;
    if (since_us <= lost_us) {
        /* Its client was started again while the servers still waited for the old session. */
        if (c->stat.owner != story->session && since_us >= lost_us - 2 * timeout_us &&
            since_us > story->in_line_us)
            story->in_line_us = since_us;
    } else if (story->returned_us == 0 || since_us < story->returned_us) {
        free(story->returned);
        story->returned = text_copy(c->name);
        story->returned_us = since_us;
    }
}

/* Who it is does not show as it joins, but in the state of a while later. */
static bool story_returned(struct story_search *search, struct history *history, int64_t after_us)
{
    struct story *story = search->story;
    char *error = NULL;
    search->model = history_at(history, story->failover.lost_at.wall_us + after_us, &error);
    free(error); /* the recording ends before */
    const struct election *election = story_election_of(search);
    for (size_t i = 0; election && i < election->candidate_count; i++)
        if (story_same(election->candidates[i]->identity, story->failover.from_identity))
            story_same_identity(story, election->candidates[i]);
    return search->model && story->returned_us == 0 && story->in_line_us == 0;
}

static void story_search_again(struct story_search *search, struct history *history)
{
    static const int64_t after_s[] = {1, 10, 30, 120, STORY_RETURN_S};
    const char *identity = search->story->failover.from_identity;
    for (size_t i = 0; identity && i < sizeof after_s / sizeof *after_s; i++)
        if (!story_returned(search, history, after_s[i] * 1000000))
            break;
    search->model = NULL;
}

static bool is_same_time(int64_t a_us, int64_t b_us)
{
    int64_t apart_us = (a_us - b_us) % DAY_US;
    apart_us = apart_us < 0 ? apart_us + DAY_US : apart_us;
    return apart_us <= STORY_SAME_TIME_US || apart_us >= DAY_US - STORY_SAME_TIME_US;
}

static bool story_earlier(void *context, const struct election *election, const struct failover *failover)
{
    struct story_search *search = context;
    struct story *story = search->story;
    const struct failover *own = &story->failover;
    if (!story_same(election->path, story->election) || failover->lost_at.wall_us >= own->lost_at.wall_us)
        return true;
    bool another_day = own->lost_at.wall_us - failover->lost_at.wall_us > DAY_US / 2;
    struct earlier_loss *earlier = &search->earlier[story->before++ % STORY_NAMES];
    free(earlier->from);
    *earlier = (struct earlier_loss){failover->lost_at.wall_us, text_copy(failover->from)};
    story->before_same_time += another_day && is_same_time(own->lost_at.wall_us, failover->lost_at.wall_us);
    story->before_same_from += story_same_leader(own, failover);
    story->before_same_cause += own->cause == failover->cause;
    return true;
}

/* At which servers the sessions of the latest leaders before had begun. */
static void story_leaders_before(struct story_search *search, struct history *history)
{
    struct story *story = search->story;
    for (size_t i = 0; i < STORY_NAMES; i++) {
        char *from = search->earlier[i].from;
        const struct candidate *leader = story_server_of(story->session)
                                             ? story_leader(search, history, search->earlier[i].lost_us, from)
                                             : NULL;
        uint64_t session = leader && leader->known ? leader->stat.owner : 0;
        story->before_known += session != 0;
        story->before_same_server +=
            session != 0 && story_server_of(session) == story_server_of(story->session);
        free(from);
    }
}

static bool story_facts(struct story_search *search, struct history *history, char **error)
{
    struct story *story = search->story;
    int64_t from_us = story->failover.lost_at.wall_us - STORY_AROUND_US,
            to_us = story->failover.lost_at.wall_us + STORY_AROUND_US;
    if (!history_facts(history, from_us, to_us, story_timeout, story, error))
        return false;
    int64_t third_us = (int64_t)story->timeout_ms * 1000 / 3;
    story->together_us = third_us > STORY_TOGETHER_US ? third_us : STORY_TOGETHER_US;
    char *unread = NULL; /* who they were shows the state before the first of them */
    search->model = history_at(history, story->failover.lost_at.wall_us - story->together_us - 1000, &unread);
    free(unread);
    if (!history_facts(history, from_us, to_us, story_fact, search, error))
        return false;
    if (story->expired_beside > 0 || story->start_count > 0)
        story_survivors(search, history);
    return (!story->deleter || history_facts(history, from_us, to_us, story_deleter_others, story, error));
}

/* Was the election's directory deleted with it, and made again? */
static void story_deleted(struct story *story, struct history *history)
{
    struct history_filter own = {
        .cluster = story->cluster, .election = story->election, .events = UINT64_C(1) << EVENT_ELECTION_GONE};
    int64_t lost_us = story->failover.lost_at.wall_us, at_us;
    if (!history_step(history, &own, lost_us - 1, true, &at_us) || at_us > lost_us + STORY_DELETED_US)
        return;
    story->deleted_us = at_us;
    own.events = UINT64_C(1) << EVENT_ELECTION_SEEN;
    if (history_step(history, &own, at_us - 1, true, &at_us) &&
        at_us <= lost_us + STORY_RETURN_S * INT64_C(1000000))
        story->remade_us = at_us;
}

/* No leader since: there is no candidate, or the first in line does not lead. */
static void story_after(struct story_search *search, struct history *history)
{
    struct story *story = search->story;
    const struct failover *failover = &story->failover;
    int64_t from_us, to_us;
    char *error = NULL;
    if (!history_bounds(history, &from_us, &to_us, NULL))
        return;
    to_us = history_end_us(history);
    search->model = history_at(history, to_us, &error);
    free(error);
    const struct election *election = story_election_of(search);
    const char *first = election && election->leader ? election->leader->name : NULL;
    bool still = failover_is_open(failover) || (first && story_same(failover->to, first));
    if (election && still) {
        story->after_count = vacancy_reasons(election, story->after);
        story->led_unseen = vacancy_led_unseen(election, failover);
        if (search->query->now_us - to_us > STORY_ENDED_US)
            story->ends_us = to_us;
    }
}

static bool story_gather(struct story_search *search, struct history *history, char **error)
{
    struct story *story = search->story;
    int64_t lost_us = story->failover.lost_at.wall_us;
    const struct history_filter own = {.election = story->election, .cluster = story->cluster};
    const struct history_filter all = {.cluster = story->cluster};
    story_before(search, history);
    story_deleted(story, history);
    int64_t to_us;
    if (!history_bounds(history, &story->before_since_us, &to_us, NULL) ||
        story->before_since_us < lost_us - STORY_BACK_US)
        story->before_since_us = lost_us - STORY_BACK_US;
    bool fine =
        history_stretches(history, story->cluster ? story->cluster : "", story->election,
                          lost_us - STORY_BACK_US, lost_us + 1, story_tenure, story, error) &&
        story_facts(search, history, error) &&
        history_failovers(history, &all, lost_us - STORY_NEAR_US, lost_us + STORY_NEAR_US, story_near, story,
                          error) &&
        history_failovers(history, &own, lost_us - STORY_BACK_US, lost_us, story_earlier, search, error);
    if (fine) {
        story_search_again(search, history);
        story_after(search, history);
    }
    return fine;
}

int64_t story_silent_since(const struct story *story)
{
    const struct failover *f = &story->failover;
    int64_t silent_us = f->detection.high_us >= 0 ? f->detection.high_us : story->silent_us;
    return silent_us > 0 ? f->lost_at.wall_us - silent_us : 0;
}

/* The pause of its client that overlaps its silence. */
static bool story_read_client_logs(const struct story_search *search, char **error)
{
    const struct story_query *query = search->query;
    struct story *story = search->story;
    int64_t lost_us = story->failover.lost_at.wall_us, from_us = story_silent_since(story);
    if (query->client_logs.count == 0)
        return true;
    struct client_silence silence = {
        .from_us = from_us ? from_us : lost_us - WITHOUT_SILENCE_US,
        .to_us = lost_us,
        .alive_us = story->heard_us,
        .exact = from_us && story->failover.detection.low_us == story->failover.detection.high_us,
        .least_us = (from_us ? lost_us - from_us : story->timeout_ms * INT64_C(1000)) / 2};
    if (from_us && story->timeout_ms > 0 && !query->client_logs.of_one_host) {
        silence.back_us = story->heard_us ? story->heard_us : story->returned_us;
        silence.before_us = story->timeout_ms * INT64_C(1000) / 3 + RETURN_US;
    }
    story->pauses_read =
        client_log_find(query->client_logs.files, query->client_logs.count, &silence, &story->pause, error);
    story->pause_assumed = query->client_logs.of_one_host;
    return story->pauses_read;
}

struct story *story_make(struct history *history, const struct story_query *query, char **error)
{
    struct story *story = xcalloc(1, sizeof *story);
    struct story_search search = {.query = query, .story = story};
    const struct history_filter filter = {.cluster = query->cluster};
    *error = NULL;
    story->successor_notified = -1;
    bool fine =
        history_failovers(history, &filter, query->from_us, query->at_us + 1, story_find, &search, error);
    if (fine)
        story_find_outage(&search, history);
    if (fine && query->like && !story->election)
        story_take_seen(story, query);
    bool found = fine && story->election;
    fine = fine && (!found || story->loss_unseen ||
                    (story_gather(&search, history, error) && story_read_client_logs(&search, error)));
    story_leaders_before(&search, history);
    if (fine && found)
        return story;
    story_free(story);
    return NULL;
}

void story_free(struct story *story)
{
    if (!story)
        return;
    failover_release(&story->failover);
    for (size_t i = 0; i < story->finding_count; i++)
        free(story->findings[i].evidence);
    for (size_t i = 0; i < story->danger_count; i++) {
        free(story->dangers[i].server);
        free(story->dangers[i].evidence);
    }
    for (size_t i = 0; i < story->load_count; i++)
        free(story->loads[i].server);
    free(story->dangers);
    free(story->loads);
    for (size_t i = 0; i < story->near_count; i++)
        free(story->near[i]);
    free(story->near);
    for (size_t i = 0; i < STORY_NAMES; i++) {
        free(story->beside[i]);
        free(story->starts[i].server);
    }
    free(story->returned);
    free(story->findings);
    free(story->cluster);
    free(story->election);
    free(story->name);
    free(story->client);
    free(story->server);
    free(story->deleter_path);
    free(story->successor);
    free(story);
}
