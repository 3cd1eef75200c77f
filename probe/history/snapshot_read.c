#include "probe/history/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/bystanders.h"
#include "probe/election/candidates.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_life.h"
#include "probe/election/findings.h"
#include "probe/election/model.h"
#include "probe/election/registry.h"
#include "probe/election/session_table.h"
#include "probe/election/tenure.h"
#include "probe/history/items.h"
#include "probe/history/sql.h"

/*
 * A model that is being made from a snapshot's bytes: first the items below an election, then the whole and
 * its clusters.
 *
 * Bytes may be damaged or forged: an item that does not fit sets `bad`, and the model is discarded.
 */

/* Texts and more that live as long as the model. */
struct kept_block {
    struct kept_block *next;
    max_align_t room[];
};

struct snapshot_model {
    struct model *model;
    struct kept_block *keeps;
};

struct snapshot_reader {
    struct snapshot_model *restored;
    const struct snapshot *snapshot;
    int64_t base_us;
    /* By slot; only one of both is set. */
    struct cluster **clusters;
    struct election **elections;
    struct candidate **candidates;
    struct finding **findings;
    bool bad;
};

/* Bad where it is not a time of a recorder's own clock. */
static struct moment snapshot_read_moment(const struct snapshot_reader *t, struct scan *scan)
{
    struct moment moment = scan_moment(scan, t->base_us);
    if (moment.mono_us > SQL_NUMBER_MOST || moment.mono_us < -SQL_NUMBER_MOST) {
        scan->bad = true;
        moment.mono_us = 0;
    }
    return moment;
}

/* Zeroed, and freed with the model. */
static void *snapshot_read_keep(struct snapshot_reader *t, size_t size)
{
    struct kept_block *room = xcalloc(1, sizeof *room + size);
    room->next = t->restored->keeps;
    t->restored->keeps = room;
    return room->room;
}

/* Where it is not freed. */
static char *snapshot_read_text(struct snapshot_reader *t, struct scan *scan)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    return piece ? memcpy(snapshot_read_keep(t, length + 1), piece, length) : NULL;
}

/* ---- the items below an election: its candidates, their sessions, its findings, its leaders ---- */

static const struct recipe *snapshot_read_recipe(struct snapshot_reader *t, struct scan *scan)
{
    const char *name = snapshot_read_text(t, scan);
    if (!name)
        return NULL;
    struct recipe *recipe = snapshot_read_keep(t, sizeof *recipe);
    recipe->name = name;
    recipe->title = snapshot_read_text(t, scan);
    recipe->family = (enum recipe_family)scan_below(scan, FAMILY_HYBRID + 1);
    recipe->candidate = snapshot_read_text(t, scan);
    recipe->signature = scan_flag(scan);
    recipe->watches = (enum recipe_watches)scan_below(scan, WATCHES_UNKNOWN + 1);
    recipe->ack_place = (enum ack_place)scan_below(scan, ACK_PLACE_REGISTRY + 1);
    recipe->ack = snapshot_read_text(t, scan);
    recipe->source = "";
    t->bad = t->bad || !recipe->title;
    return recipe;
}

static const struct election_settings *snapshot_read_settings(struct snapshot_reader *t, struct scan *scan)
{
    if (!scan_flag(scan))
        return NULL;
    struct election_settings *settings = snapshot_read_keep(t, sizeof *settings);
    settings->path = snapshot_read_text(t, scan);
    settings->name = snapshot_read_text(t, scan);
    settings->kind = (enum election_kind)scan_below(scan, KIND_AUTO + 1);
    settings->recipe = snapshot_read_text(t, scan);
    settings->acknowledgement = snapshot_read_text(t, scan);
    settings->identity = snapshot_read_text(t, scan);
    settings->inject = (enum inject_leave)scan_below(scan, INJECT_LIVE + 1);
    settings->allow.vacancy_ms = scan_signed(scan);
    settings->allow.failover_ms = scan_signed(scan);
    settings->allow.silent_percent = scan_int32(scan);
    settings->allow.leader_changes = scan_int32(scan);
    settings->allow.leader_changes_ms = scan_signed(scan);
    t->bad = t->bad || !settings->path || !settings->recipe;
    return settings;
}

/* The item of an election itself. */
static void snapshot_read_election(struct snapshot_reader *t, size_t at, struct cluster *cluster,
                                   struct scan *scan)
{
    char *path = scan_text(scan);
    uint64_t i = scan_below(scan, cluster->election_count);
    struct election *e = NULL;
    if (path && !scan->bad && !cluster->elections[i])
        e = election_new(cluster, path, cluster_path_hash(path, strlen(path)));
    free(path);
    if (!e) {
        t->bad = true;
        return;
    }
    cluster->elections[i] = e;
    t->elections[at] = e;
    e->name = scan_text(scan);
    e->kind = (enum election_kind)scan_below(scan, KIND_LOCK + 1);
    e->origin = (enum election_origin)scan_below(scan, ORIGIN_DISCOVERED + 1);
    e->settings = snapshot_read_settings(t, scan);
    e->recipe = snapshot_read_recipe(t, scan);
    e->recognised = (enum recognised)scan_below(scan, RECOGNISED_CONFIGURED + 1);
    e->ack_place = (enum ack_place)scan_below(scan, ACK_PLACE_REGISTRY + 1);
    e->ack_path = scan_text(scan);
    e->registry_path = scan_text(scan);
    t->bad = t->bad || !e->name || !e->settings;
}

static void snapshot_read_foreign(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    uint64_t count = scan_number(scan);
    if (count == 0 || scan->at == scan->end)
        return;
    e->foreign = xcalloc(FOREIGN_KEPT, sizeof *e->foreign);
    e->foreign_count = (size_t)count;
    for (size_t i = 0; i < count && i < FOREIGN_KEPT; i++) {
        e->foreign[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !e->foreign[i];
    }
}

static void snapshot_read_state(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    e->state = (enum election_state)scan_below(scan, ELECTION_DENIED + 1);
    e->state_since = snapshot_read_moment(t, scan);
    e->state_since_exact = scan_flag(scan);
    e->problem = snapshot_read_text(t, scan);
    if (scan_flag(scan)) /* the line is there already */
        e->leader = e->candidate_count ? e->candidates[0] : NULL;
    e->leader_since = snapshot_read_moment(t, scan);
    e->leader_since_exact = scan_flag(scan);
    e->acknowledged = (enum acknowledged)scan_below(scan, ACK_YES + 1);
    e->unacknowledged_since = snapshot_read_moment(t, scan);
    e->ack_known = scan_flag(scan);
    e->ack_present = scan_flag(scan);
    e->ack_stat.owner = scan_number(scan);
    free(e->ack_identity);
    e->ack_identity = scan_text(scan);
    e->registry_complete = scan_flag(scan);
    e->directory_known = scan_flag(scan);
    if (scan_flag(scan))
        e->listed = t->restored->model->now;
    e->fresh = scan_flag(scan);
    e->stale_since = snapshot_read_moment(t, scan);
    e->next_sequence = scan_signed(scan);
    e->unknown_count = (size_t)scan_number(scan);
    e->shows_predecessor = scan_flag(scan);
    e->counters.joined = scan_number(scan);
    e->counters.left = scan_number(scan);
    e->counters.leader_changes = scan_number(scan);
    e->counters.missed_changes = scan_number(scan);
    e->counters.unseen_joined = scan_number(scan);
    e->counters.unseen_left = scan_number(scan);
    struct change *change = &e->change;
    if (change->from || change->to) {
        scan->bad = true; /* a second one */
        return;
    }
    change->from = scan_text(scan);
    change->from_identity = scan_text(scan);
    change->to = scan_text(scan);
    change->to_identity = scan_text(scan);
    change->lost_at = snapshot_read_moment(t, scan);
    change->lost_seen = scan_flag(scan);
    change->vacancy_us = scan_signed(scan);
    change->takeover_us = scan_signed(scan);
    snapshot_read_foreign(t, e, scan);
    if (!scan->bad && scan->at < scan->end)
        e->unseen_at = snapshot_read_moment(t, scan);
    /* A recording from before this was written took every kind for configured. */
    e->kind_proof = KIND_CONFIGURED;
    if (!scan->bad && scan->at < scan->end)
        e->kind_proof = (enum kind_proof)scan_below(scan, KIND_CONFIGURED + 1);
    if (!scan->bad && scan->at < scan->end)
        e->hidden_watches = scan_flag(scan);
    if (!scan->bad && scan->at < scan->end) {
        e->ack_stat.ctime_ms = scan_signed(scan);
        e->ack_stat.mtime_ms = scan_signed(scan);
    }
    if (!scan->bad && scan->at < scan->end) {
        e->members_listed = scan_flag(scan);
        e->members_path = scan_text(scan);
    }
}

/* ---- candidates ---- */

static struct znode_stat snapshot_read_stat(struct scan *scan)
{
    struct znode_stat stat = {.czxid = scan_signed(scan)};
    stat.mzxid = (int64_t)((uint64_t)scan_signed(scan) + (uint64_t)stat.czxid);
    stat.pzxid = (int64_t)((uint64_t)scan_signed(scan) + (uint64_t)stat.czxid);
    stat.ctime_ms = scan_signed(scan);
    stat.mtime_ms = (int64_t)((uint64_t)scan_signed(scan) + (uint64_t)stat.ctime_ms);
    stat.version = scan_int32(scan);
    stat.cversion = scan_int32(scan);
    stat.aversion = scan_int32(scan);
    stat.data_length = scan_int32(scan);
    stat.children = scan_int32(scan);
    stat.owner = scan_number(scan);
    return stat;
}

static enum finding_code snapshot_read_code(struct scan *scan)
{
    size_t length;
    const char *word = scan_piece(scan, &length);
    unsigned code = 0;
    while (word && code < FINDING_COUNT &&
           (strlen(finding_kind((enum finding_code)code)->word) != length ||
            memcmp(finding_kind((enum finding_code)code)->word, word, length) != 0))
        code++;
    return word ? (enum finding_code)code : FINDING_COUNT;
}

static void snapshot_read_watchers(struct election *e, struct candidate *c, struct scan *scan)
{
    uint64_t count = scan_number(scan);
    if (scan->bad || count > (uint64_t)(scan->end - scan->at)) {
        scan->bad = true;
        return;
    }
    if (count == 0)
        return;
    uint64_t *sessions = xmalloc((size_t)count * sizeof *sessions);
    for (uint64_t i = 0; i < count; i++)
        sessions[i] = scan_number(scan);
    chain_restore(e, c, sessions, (size_t)count);
    free(sessions);
}

static void snapshot_read_candidate(struct snapshot_reader *t, size_t at, struct election *e, bool outside,
                                    struct scan *scan)
{
    char *name = scan_text(scan);
    struct candidate *c = name ? candidate_new(name, name_hash(name, strlen(name), e->hash_seed)) : NULL;
    free(name);
    if (!c) {
        t->bad = true;
        return;
    }
    t->candidates[at] = c;
    c->election = e;
    c->outside = outside;
    c->sequence = scan_signed(scan);
    c->ranked = scan_flag(scan);
    c->joined = snapshot_read_moment(t, scan);
    c->joined_seen = scan_flag(scan);
    c->known = scan_flag(scan);
    c->denied = scan_flag(scan);
    if (c->known)
        c->stat = snapshot_read_stat(scan);
    uint64_t session = scan_number(scan);
    struct client *client = session ? session_table_find(e->cluster->clients, session) : NULL;
    if (client)
        client_owns(client, c);
    size_t length;
    const char *data = scan_piece(scan, &length);
    if (length > 0 && length <= CANDIDATE_DATA_KEPT) {
        c->data = xmalloc(length);
        memcpy(c->data, data, length);
        c->data_length = length;
    }
    t->bad = t->bad || c->data_length != length;
    c->identity = scan_text(scan);
    c->identity_source = (enum identity_source)scan_below(scan, IDENTITY_ACKNOWLEDGEMENT + 1);
    c->link = (enum link_state)scan_below(scan, LINK_STUCK + 1);
    c->link_why = snapshot_read_text(t, scan);
    c->wrong = snapshot_read_code(scan);
    c->proof = snapshot_read_code(scan);
    snapshot_read_watchers(e, c, scan);
    if (!scan->bad && scan->at < scan->end)
        c->reads = scan_flag(scan);
    if (!outside)
        e->reader_count += c->reads;
}

/* The children of one election in their order. */
static void snapshot_read_order(struct snapshot_reader *t, struct election *e, bool outside,
                                struct scan *scan)
{
    size_t most = (size_t)(scan->end - scan->at), count = 0;
    if (most > t->snapshot->count) /* a candidate has one place */
        most = t->snapshot->count;
    struct candidate **list = xmalloc((most + 1) * sizeof(struct candidate *));
    candidates_reserve(e, most + 1);
    while (scan->at < scan->end && !scan->bad) {
        uint64_t at = scan_below(scan, t->snapshot->count);
        struct candidate *c = t->candidates[at];
        if (scan->bad || !c || c->election != e || c->outside != outside) {
            t->bad = true;
            break;
        }
        t->candidates[at] = NULL; /* it has one place */
        list[count++] = c;
        candidates_index(e, c);
        if (!outside) {
            c->place = (uint32_t)e->candidate_count;
            e->candidates[e->candidate_count++] = c;
        }
    }
    if (outside)
        candidates_add(e, list, count);
    free(list);
}

static void snapshot_read_session(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    struct client *client = session_table_make(e->cluster, scan_number(scan));
    if (scan->bad) {
        t->bad = true;
        return;
    }
    struct client_session *s = &client->shown;
    bool known = s->address || s->watches || s->connected; /* from another election, the same */
    char *address = scan_text(scan);
    if (known)
        free(address);
    else
        s->address = address;
    s->timeout_ms = scan_int32(scan);
    uint64_t server = scan_number(scan);
    s->server = server == 0 || server > e->cluster->server_count ? CLIENT_NOWHERE : (uint16_t)(server - 1);
    s->connected = scan_flag(scan);
    s->alive_known = scan_flag(scan);
    s->alive = scan_flag(scan);
    s->watches_known = scan_flag(scan);
    s->watches_listed = scan_flag(scan);
    uint64_t count = scan_number(scan);
    if (scan->bad || count > (uint64_t)(scan->end - scan->at)) {
        scan->bad = true;
        return;
    }
    const char **paths = xcalloc((size_t)count + 1, sizeof *paths);
    for (uint64_t i = 0; i < count; i++) {
        paths[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !paths[i];
    }
    struct seen_watches seen = {s->id, paths, (size_t)count};
    if (!t->bad)
        client_keep_watches(s, &seen);
    free(paths);
    if (!scan_flag(scan))
        return;
    s->silent_ms = scan_int32(scan);
    s->silent_is_bound = scan_flag(scan);
    s->seen = snapshot_read_moment(t, scan);
}

/* ---- findings and tenures ---- */

static void snapshot_read_finding(struct snapshot_reader *t, size_t at, struct scan *scan)
{
    enum finding_code code = snapshot_read_code(scan);
    struct finding *f = snapshot_read_keep(t, sizeof *f);
    f->code = code;
    f->subject = scan_number(scan);
    f->since = snapshot_read_moment(t, scan);
    f->one_look = scan_flag(scan);
    uint64_t count = scan_number(scan);
    if (scan->bad || code >= FINDING_COUNT || count > (uint64_t)(scan->end - scan->at)) {
        t->bad = true;
        return;
    }
    f->candidates = snapshot_read_keep(t, ((size_t)count + 1) * sizeof(char *));
    for (uint64_t i = 0; i < count; i++) {
        f->candidates[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !f->candidates[i];
    }
    f->candidate_count = (size_t)count;
    bool usual = scan_flag(scan);
    const char *advice = finding_kind(code)->advice;
    f->advice = usual ? snapshot_read_keep(t, strlen(advice) + 1) : snapshot_read_text(t, scan);
    if (usual)
        memcpy(f->advice, advice, strlen(advice));
    f->severity = (enum severity)scan_below(scan, SEVERITY_CRITICAL + 1);
    f->certainty = (enum certainty)scan_below(scan, CERTAINTY_CERTAIN + 1);
    f->unconfirmed_since = snapshot_read_moment(t, scan);
    f->evidence = snapshot_read_text(t, scan);
    t->bad = t->bad || !f->evidence || !f->advice;
    t->findings[at] = f;
}

static void snapshot_read_worst(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    size_t most = (size_t)(scan->end - scan->at), count = 0;
    struct finding **list = xmalloc((most + 1) * sizeof(struct finding *));
    while (scan->at < scan->end && !scan->bad) {
        struct finding *f = t->findings[scan_below(scan, t->snapshot->count)];
        if (scan->bad || !f)
            break;
        list[count++] = f;
    }
    struct election from = {.findings = list, .finding_count = count};
    if (scan->bad || scan->at < scan->end || e->findings)
        t->bad = true;
    else
        findings_copy(&from, e);
    free(list);
}

static void snapshot_read_tenure(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    (void)scan_signed(scan);
    (void)scan_number(scan);
    struct tenure tenure = {.from = snapshot_read_moment(t, scan)};
    tenure.name = scan_text(scan);
    tenure.identity = scan_text(scan);
    tenure.from_exact = scan_flag(scan);
    tenure.gap = scan_flag(scan);
    tenure.to = snapshot_read_moment(t, scan);
    if (e->tenure_count == e->tenure_room) {
        size_t room = e->tenure_room ? e->tenure_room * 2 : TENURES_KEPT;
        struct tenure *tenures = xreallocarray(e->tenures, room, sizeof *tenures);
        e->tenures = tenures;
        e->tenure_room = room;
    }
    e->tenures[e->tenure_count++] = tenure;
}

static struct span snapshot_read_span(struct scan *scan)
{
    struct span span = {.low_us = scan_signed(scan)};
    span.high_us = scan_signed(scan);
    return span;
}

static void snapshot_read_failover(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    struct failover f = {.lost_at = snapshot_read_moment(t, scan)};
    f.from = snapshot_read_text(t, scan);
    f.to = snapshot_read_text(t, scan);
    f.from_identity = snapshot_read_text(t, scan);
    f.to_identity = snapshot_read_text(t, scan);
    f.elected_at = snapshot_read_moment(t, scan);
    f.cause = (enum failover_cause)scan_below(scan, CAUSE_COUNT);
    f.cause_certainty = (enum certainty)scan_below(scan, CERTAINTY_CERTAIN + 1);
    f.detection = snapshot_read_span(scan);
    f.vacancy = snapshot_read_span(scan);
    f.takeover = snapshot_read_span(scan);
    f.total = snapshot_read_span(scan);
    f.gap_us = scan_signed(scan);
    f.evidence = snapshot_read_text(t, scan);
    if (scan->bad)
        t->bad = true;
    else
        election_keep_failover(e, &f);
}

/* Cut where it is longer, as only a stranger's is. */
static void snapshot_read_words(struct scan *scan, char *buffer, size_t size)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    length = length < size ? length : size - 1;
    if (piece)
        memcpy(buffer, piece, length);
}

static void snapshot_read_departed(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    struct departure_note note = {0};
    (void)scan_number(scan);
    snapshot_read_words(scan, note.host, sizeof note.host);
    snapshot_read_words(scan, note.name, sizeof note.name);
    note.led = scan_flag(scan);
    note.alone = scan_flag(scan);
    note.session = scan_number(scan);
    note.at = snapshot_read_moment(t, scan);
    if (scan->bad)
        t->bad = true;
    else
        departed_put(e, &note);
}

static void snapshot_read_member(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    struct member member = {.name = scan_text(scan)};
    member.identity = scan_text(scan);
    member.about = scan_text(scan);
    member.session = scan_number(scan);
    if (!scan->bad && member.name) {
        members_add(e, &member);
        return;
    }
    free(member.name);
    free(member.identity);
    free(member.about);
    t->bad = true;
}

/* An item of any other kind below the election. */
static void snapshot_read_below(struct snapshot_reader *t, unsigned kind, size_t i, struct election *e,
                                struct scan *scan)
{
    if (kind == ITEM_SESSION)
        snapshot_read_session(t, e, scan);
    else if (kind == ITEM_CANDIDATE || kind == ITEM_OUTSIDER)
        snapshot_read_candidate(t, i, e, kind == ITEM_OUTSIDER, scan);
    else if (kind == ITEM_FINDING)
        snapshot_read_finding(t, i, scan);
    else if (kind == ITEM_TENURE)
        snapshot_read_tenure(t, e, scan);
    else if (kind == ITEM_FAILOVER)
        snapshot_read_failover(t, e, scan);
    else if (kind == ITEM_LINE || kind == ITEM_FOREIGN)
        snapshot_read_order(t, e, kind == ITEM_FOREIGN, scan);
    else if (kind == ITEM_STATE)
        snapshot_read_state(t, e, scan);
    else if (kind == ITEM_WORST)
        snapshot_read_worst(t, e, scan);
    else if (kind == ITEM_DEPARTED)
        snapshot_read_departed(t, e, scan);
    else if (kind == ITEM_MEMBER)
        snapshot_read_member(t, e, scan);
}

/* ---- clusters ---- */

static void snapshot_read_cluster(struct snapshot_reader *t, size_t at, struct scan *scan)
{
    struct model *model = t->restored->model;
    uint64_t i = scan_below(scan, model->cluster_count);
    if (scan->bad || t->clusters[at] || model->clusters[i].name)
        return;
    struct cluster *cluster = &model->clusters[i];
    cluster->name = scan_text(scan);
    cluster->hosts = scan_text(scan);
    cluster->chroot = scan_text(scan);
    cluster->connection = (enum connection_state)scan_below(scan, CONNECTION_REFUSED + 1);
    cluster->ever_connected = scan_flag(scan);
    cluster->connection_since = snapshot_read_moment(t, scan);
    cluster->session = scan_number(scan);
    cluster->timeout_ms = scan_int32(scan);
    cluster->connected_to = scan_text(scan);
    cluster->problem = scan_text(scan);
    cluster->stood_still_from = snapshot_read_moment(t, scan);
    cluster->stood_still_to = snapshot_read_moment(t, scan);
    cluster->ensemble = (enum ensemble_known)scan_below(scan, ENSEMBLE_PART + 1);
    t->bad = t->bad || !cluster->name || !cluster->hosts || !cluster->chroot;
    t->clusters[at] = cluster;
}

/* Recordings of earlier versions end before it. */
static void snapshot_read_load(struct snapshot_reader *t, struct server *server, struct scan *scan)
{
    server->load = SERVER_LOAD_UNKNOWN;
    server->lag = server->busiest_connections = -1;
    if (scan->bad || scan->at == scan->end)
        return;
    server->load_seen = snapshot_read_moment(t, scan);
    struct server_load *load = &server->load;
    int64_t *const figures[] = {&load->id,
                                &load->uptime_ms,
                                &load->latency_min_us,
                                &load->latency_avg_us,
                                &load->latency_max_us,
                                &load->outstanding,
                                &load->znodes,
                                &load->ephemerals,
                                &load->watches,
                                &load->address_connections_most,
                                &server->lag,
                                &server->lag_us};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        *figures[i] = scan_signed(scan);
    server->busiest_connections = scan_int32(scan);
    char *address = scan_text(scan);
    snprintf(server->busiest_address, sizeof server->busiest_address, "%s", address ? address : "");
    free(address);
}

static void snapshot_read_bad_replies(struct server *server, struct scan *scan)
{
    server->bad_replies = -1;
    if (scan->bad || scan->at == scan->end)
        return;
    server->bad_replies = scan_int32(scan);
    char *what = scan_text(scan);
    snprintf(server->bad_reply, sizeof server->bad_reply, "%s", what ? what : "");
    free(what);
}

static void snapshot_read_slow_fsyncs(struct snapshot_reader *t, struct server *server, struct scan *scan)
{
    if (scan->bad || scan->at == scan->end)
        return;
    server->load.slow_fsyncs = scan_signed(scan);
    server->slow_fsync = snapshot_read_moment(t, scan);
}

static void snapshot_read_server(struct snapshot_reader *t, struct cluster *cluster, struct scan *scan)
{
    uint64_t i = scan_below(scan, cluster->server_count);
    if (scan->bad || cluster->servers[i].address)
        return;
    struct server *server = &cluster->servers[i];
    server->address = scan_text(scan);
    server->unasked = scan_flag(scan);
    server->reachable = scan_flag(scan);
    server->mode = (enum server_mode)scan_below(scan, SERVER_READ_ONLY + 1);
    server->version = scan_text(scan);
    server->problem = scan_text(scan);
    server->watches_from = snapshot_read_text(t, scan);
    for (size_t k = 0; k < sizeof server->hidden / sizeof server->hidden[0]; k++)
        server->hidden[k] = scan_text(scan);
    server->answer_us = scan_signed(scan);
    server->zxid = scan_signed(scan);
    server->connections = scan_int32(scan);
    server->child_watches = scan_signed(scan);
    server->watch_count = (size_t)scan_number(scan);
    server->seen = snapshot_read_moment(t, scan);
    server->watches_seen = snapshot_read_moment(t, scan);
    snapshot_read_load(t, server, scan);
    snapshot_read_bad_replies(server, scan);
    snapshot_read_slow_fsyncs(t, server, scan);
    t->bad = t->bad || !server->address;
}

/* ---- the whole ---- */

static int by_loss(const void *a, const void *b)
{
    const struct failover *x = a, *y = b;
    return (x->lost_at.mono_us > y->lost_at.mono_us) - (x->lost_at.mono_us < y->lost_at.mono_us);
}

static int by_departure(const void *a, const void *b)
{
    const struct departure_note *x = a, *y = b;
    return (x->at.mono_us > y->at.mono_us) - (x->at.mono_us < y->at.mono_us);
}

static int by_beginning(const void *a, const void *b)
{
    const struct tenure *x = a, *y = b;
    if (x->from.mono_us != y->from.mono_us)
        return x->from.mono_us < y->from.mono_us ? -1 : 1;
    /* Those that began at once: an ended one came before one that goes on. */
    int64_t x_to = x->to.mono_us ? x->to.mono_us : INT64_MAX,
            y_to = y->to.mono_us ? y->to.mono_us : INT64_MAX;
    return (x_to > y_to) - (x_to < y_to);
}

/* What an item is, and below what. */
static bool read_head(const struct snapshot *snapshot, size_t i, struct scan *scan, unsigned *kind,
                      size_t *parent)
{
    size_t length;
    const unsigned char *bytes = snapshot_item(snapshot, i, &length);
    if (!bytes)
        return false;
    *scan = (struct scan){bytes + 1, bytes + length, false};
    *kind = bytes[0];
    *parent = (size_t)scan_number(scan) - 1;
    return !scan->bad && length > 0;
}

static void snapshot_read_item(struct snapshot_reader *t, unsigned kind, size_t i, size_t parent,
                               struct scan *scan)
{
    bool below = parent < t->snapshot->count;
    struct cluster *cluster = below ? t->clusters[parent] : NULL;
    struct election *e = below ? t->elections[parent] : NULL;
    if (kind == ITEM_CLUSTER)
        snapshot_read_cluster(t, i, scan);
    else if (kind == ITEM_CLOCK)
        scan->bad =
            scan->bad || (t->base_us = scan_signed(scan)) > SQL_NUMBER_MOST || t->base_us < -SQL_NUMBER_MOST;
    else if (kind == ITEM_SERVER && cluster)
        snapshot_read_server(t, cluster, scan);
    else if (kind == ITEM_ELECTION && cluster)
        snapshot_read_election(t, i, cluster, scan);
    else if (!e)
        t->bad = true;
    else
        snapshot_read_below(t, kind, i, e, scan);
    t->bad = t->bad || scan->bad;
}

/* Room for a run of items of one kind. */
static void count_items(struct snapshot_reader *t, unsigned wanted)
{
    struct model *model = t->restored->model;
    struct scan scan;
    unsigned kind;
    size_t parent;
    for (size_t i = 0; i < t->snapshot->count; i++) {
        if (!read_head(t->snapshot, i, &scan, &kind, &parent) || kind != wanted)
            continue;
        struct cluster *cluster = parent < t->snapshot->count ? t->clusters[parent] : NULL;
        if (kind == ITEM_CLUSTER)
            model->cluster_count++;
        else if (kind == ITEM_SERVER && cluster)
            cluster->server_count++;
        else if (kind == ITEM_ELECTION && cluster)
            cluster->election_count++;
    }
    if (wanted == ITEM_CLUSTER)
        model->clusters = xcalloc(model->cluster_count + 1, sizeof *model->clusters);
    for (size_t i = 0; i < model->cluster_count && wanted != ITEM_CLUSTER; i++) {
        struct cluster *cluster = &model->clusters[i];
        if (wanted == ITEM_SERVER)
            cluster->servers = xcalloc(cluster->server_count + 1, sizeof *cluster->servers);
        if (wanted == ITEM_ELECTION)
            cluster->elections = xcalloc(cluster->election_count + 1, sizeof(struct election *));
    }
}

static void snapshot_read_kind(struct snapshot_reader *t, unsigned wanted)
{
    struct scan scan;
    unsigned kind;
    size_t parent;
    for (size_t i = 0; i < t->snapshot->count && !t->bad; i++)
        if (read_head(t->snapshot, i, &scan, &kind, &parent) && kind == wanted)
            snapshot_read_item(t, kind, i, parent, &scan);
}

/* Items without a place: only in a damaged snapshot. */
static void drop_loose(struct snapshot_reader *t)
{
    for (size_t i = 0; t->candidates && i < t->snapshot->count; i++)
        if (t->candidates[i]) {
            candidate_free(t->candidates[i]);
            t->bad = true;
        }
}

/* Rows that were announced and are not there would be read by everyone. */
static void check_whole(struct snapshot_reader *t)
{
    struct model *model = t->restored->model;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &model->clusters[i];
        t->bad = t->bad || !cluster->name;
        for (size_t k = 0; k < cluster->server_count; k++)
            t->bad = t->bad || !cluster->servers[k].address;
        /* Each in its place; now they can be found by path, too. */
        struct election **list = cluster->elections;
        size_t count = cluster->election_count;
        cluster->elections = NULL;
        cluster->election_count = cluster->election_room = 0;
        for (size_t k = 0; k < count; k++)
            if (!list[k]) {
                t->bad = true;
            } else
                cluster_add(cluster, list[k]);
        free(list);
    }
}

static void snapshot_read_finish(struct snapshot_reader *t)
{
    struct model *model = t->restored->model;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &model->clusters[i];
        for (size_t k = 0; k < cluster->election_count; k++) {
            struct election *e = cluster->elections[k];
            /* Not so many that it wrapped, so it begins at 0. */
            if (e->failover_count > 1)
                qsort(e->failovers, e->failover_count, sizeof *e->failovers, by_loss);
            if (e->departed) /* no more than are kept, so they begin at 0 */
                qsort(e->departed->notes, e->departed->count, sizeof e->departed->notes[0], by_departure);
            if (e->tenure_count > 1)
                qsort(e->tenures, e->tenure_count, sizeof *e->tenures, by_beginning);
            members_sort(e);
        }
    }
}

struct snapshot_model *snapshot_read(const struct snapshot *snapshot, int64_t wall_us, uint64_t generation)
{
    /* What others point at comes first. */
    static const unsigned char order[] = {ITEM_CLOCK,   ITEM_CLUSTER,   ITEM_SERVER,   ITEM_ELECTION,
                                          ITEM_SESSION, ITEM_CANDIDATE, ITEM_OUTSIDER, ITEM_FINDING,
                                          ITEM_TENURE,  ITEM_FAILOVER,  ITEM_LINE,     ITEM_FOREIGN,
                                          ITEM_WORST,   ITEM_STATE,     ITEM_DEPARTED, ITEM_MEMBER};
    struct snapshot_reader t = {.snapshot = snapshot, .restored = xcalloc(1, sizeof *t.restored)};
    size_t count = snapshot->count + 1;
    t.restored->model = xcalloc(1, sizeof *t.restored->model);
    struct model *model = t.restored->model;
    char *error = NULL;
    model->recipes = recipe_book_new(NULL, 0, &error);
    free(error);
    model->generation = generation;
    t.clusters = xcalloc(count, sizeof(struct cluster *));
    t.elections = xcalloc(count, sizeof(struct election *));
    t.candidates = xcalloc(count, sizeof(struct candidate *));
    t.findings = xcalloc(count, sizeof(struct finding *));
    t.bad = !model->recipes;
    for (size_t i = 0; i < sizeof order && !t.bad; i++) {
        if (order[i] == ITEM_CLUSTER || order[i] == ITEM_SERVER || order[i] == ITEM_ELECTION)
            count_items(&t, order[i]);
        snapshot_read_kind(&t, order[i]);
        if (order[i] == ITEM_CLOCK)
            model->now = (struct moment){(int64_t)((uint64_t)wall_us - (uint64_t)t.base_us), wall_us};
    }
    drop_loose(&t);
    check_whole(&t);
    if (!t.bad)
        snapshot_read_finish(&t);
    free(t.clusters);
    free(t.elections);
    free(t.candidates);
    free(t.findings);
    if (!t.bad)
        return t.restored;
    snapshot_model_free(t.restored);
    return NULL;
}

const struct model *snapshot_model_model(const struct snapshot_model *restored)
{
    return restored->model;
}

void snapshot_model_free(struct snapshot_model *restored)
{
    if (!restored)
        return;
    model_free(restored->model);
    while (restored->keeps) {
        struct kept_block *next = restored->keeps->next;
        free(restored->keeps);
        restored->keeps = next;
    }
    free(restored);
}

void snapshot_model_lapse(struct snapshot_model *restored, const char *name, int64_t since_wall_us,
                          const char *why)
{
    struct model *model = restored->model;
    struct moment since = {model->now.mono_us - (model->now.wall_us - since_wall_us), since_wall_us};
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &model->clusters[i];
        if (name && (strcmp(cluster->name, name) != 0 || cluster->connection != CONNECTION_CONNECTED))
            continue; /* another one, or it was known to be away */
        free(cluster->problem);
        cluster->problem = text_copy(why);
        cluster->connection = CONNECTION_CONNECTING;
        cluster->connection_since = since;
        for (size_t k = 0; k < cluster->election_count; k++)
            if (cluster->elections[k]->fresh)
                election_lapse(cluster->elections[k], since);
    }
}
