#include "probe/history/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/certainty.h"
#include "probe/election/bystanders.h"
#include "probe/election/candidates.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_life.h"
#include "probe/election/findings.h"
#include "probe/election/model.h"
#include "probe/election/registry.h"
#include "probe/election/session_table.h"
#include "probe/election/tenure.h"
#include "probe/history/items.h"
#include "probe/history/snapshot_fields.h"
#include "probe/history/sql.h"

/*
 * A model that is being made from a snapshot's bytes: first the items below an election, then the whole and
 * its clusters.
 *
 * Bytes may be damaged or forged: an item that does not fit sets `bad`, and the model is discarded.
 */

struct snapshot_model {
    struct model *model;
    struct arena kept;
};

struct snapshot_reader {
    struct snapshot_model *restored;
    const struct snapshot *snapshot;
    struct fields fields; /* of the item that is being read */
    /* By slot; only one of both is set. */
    struct cluster **clusters;
    struct election **elections;
    struct candidate **candidates;
    struct finding **findings; /* owned */
    bool bad;
};

/* ---- the items below an election: its candidates, their sessions, its findings, its leaders ---- */

/* The item of an election itself. */
static void snapshot_read_election(struct snapshot_reader *t, size_t at, struct cluster *cluster)
{
    char *path = scan_text(&t->fields.in);
    uint64_t i = scan_below(&t->fields.in, cluster->election_count);
    struct election *e = NULL;
    if (path && !t->fields.in.bad && !cluster->elections[i])
        e = election_new(cluster, path, cluster_path_hash(path, strlen(path)));
    free(path);
    if (!e) {
        t->bad = true;
        return;
    }
    cluster->elections[i] = e;
    t->elections[at] = e;
    election_fields(&t->fields, e);
    /* A recording from before this was written took every kind for configured. */
    e->kind_proof = KIND_CONFIGURED;
}

/* ---- candidates ---- */

static void snapshot_read_candidate(struct snapshot_reader *t, size_t at, struct election *e, bool outside)
{
    char *name = scan_text(&t->fields.in);
    struct candidate *c = name ? candidate_new(name, candidates_hash(e, name)) : NULL;
    free(name);
    if (!c) {
        t->bad = true;
        return;
    }
    t->candidates[at] = c;
    c->election = e;
    c->outside = outside;
    candidate_fields(&t->fields, c);
    if (!outside)
        e->reader_count += c->reads;
}

/* The children of one election in their order. */
static void snapshot_read_order(struct snapshot_reader *t, struct election *e, bool outside)
{
    struct scan *scan = &t->fields.in;
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

static void snapshot_read_session(struct snapshot_reader *t, struct election *e)
{
    struct client *client = session_table_make(e->cluster, scan_number(&t->fields.in));
    session_fields(&t->fields, &client->shown);
    if (client->shown.server >= e->cluster->server_count)
        client->shown.server = CLIENT_NOWHERE;
    client->shown.pings =
        client->shown.connected && client->shown.timeout_ms > 0 && client->shown.silent_ms < 0;
}

/* ---- findings and tenures ---- */

static void snapshot_read_finding(struct snapshot_reader *t, size_t at)
{
    t->findings[at] = xcalloc(1, sizeof *t->findings[at]);
    finding_fields(&t->fields, t->findings[at]);
}

static void snapshot_read_worst(struct snapshot_reader *t, struct election *e)
{
    struct scan *scan = &t->fields.in;
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

static void snapshot_read_tenure(struct snapshot_reader *t, struct election *e)
{
    struct tenure tenure = {0};
    tenure_fields(&t->fields, &tenure, 0);
    if (e->tenure_count == e->tenure_room) {
        size_t room = e->tenure_room ? e->tenure_room * 2 : 2; /* as the ring of a live one grows */
        struct tenure *tenures = xreallocarray(e->tenures, room, sizeof *tenures);
        e->tenures = tenures;
        e->tenure_room = room;
    }
    e->tenures[e->tenure_count++] = tenure;
}

static void snapshot_read_departed(struct snapshot_reader *t, struct election *e)
{
    struct departure_note note = {0};
    departed_fields(&t->fields, &note, 0);
    if (!t->fields.in.bad)
        departed_put(e, &note);
}

static void snapshot_read_member(struct snapshot_reader *t, struct election *e)
{
    struct member member = {0};
    member_fields(&t->fields, &member);
    members_add(e, &member);
}

/* An item of any other kind below the election. */
static void snapshot_read_below(struct snapshot_reader *t, unsigned kind, size_t i, struct election *e)
{
    if (kind == ITEM_SESSION)
        snapshot_read_session(t, e);
    else if (kind == ITEM_CANDIDATE || kind == ITEM_OUTSIDER)
        snapshot_read_candidate(t, i, e, kind == ITEM_OUTSIDER);
    else if (kind == ITEM_FINDING)
        snapshot_read_finding(t, i);
    else if (kind == ITEM_TENURE)
        snapshot_read_tenure(t, e);
    else if (kind == ITEM_LINE || kind == ITEM_FOREIGN)
        snapshot_read_order(t, e, kind == ITEM_FOREIGN);
    else if (kind == ITEM_STATE)
        state_fields(&t->fields, e);
    else if (kind == ITEM_WORST)
        snapshot_read_worst(t, e);
    else if (kind == ITEM_DEPARTED)
        snapshot_read_departed(t, e);
    else if (kind == ITEM_MEMBER)
        snapshot_read_member(t, e);
}

/* ---- clusters ---- */

static void snapshot_read_cluster(struct snapshot_reader *t, size_t at)
{
    struct model *model = t->restored->model;
    uint64_t i = scan_below(&t->fields.in, model->cluster_count);
    if (t->fields.in.bad || t->clusters[at] || model->clusters[i].name)
        return;
    cluster_fields(&t->fields, &model->clusters[i]);
    t->clusters[at] = &model->clusters[i];
}

static void snapshot_read_server(struct snapshot_reader *t, struct cluster *cluster)
{
    uint64_t i = scan_below(&t->fields.in, cluster->server_count);
    if (t->fields.in.bad || cluster->servers[i].address)
        return;
    struct server *server = &cluster->servers[i];
    server_fields(&t->fields, server, server);
}

/* ---- the whole ---- */

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

/* Below what an item of this kind is. False: it is of another. */
static bool snapshot_read_head(const struct snapshot *snapshot, size_t i, unsigned kind, struct scan *scan,
                               size_t *parent)
{
    size_t length;
    const unsigned char *bytes = snapshot_item(snapshot, i, &length);
    if (!bytes || length == 0 || bytes[0] != kind)
        return false;
    *scan = (struct scan){bytes + 1, bytes + length, false};
    *parent = (size_t)scan_number(scan) - 1;
    return !scan->bad;
}

static void snapshot_read_clock(struct fields *f)
{
    f->base_us = scan_signed(&f->in);
    f->in.bad = f->in.bad || f->base_us > SQL_NUMBER_MOST || f->base_us < -SQL_NUMBER_MOST;
}

/* Of what t->fields holds. */
static void snapshot_read_item(struct snapshot_reader *t, unsigned kind, size_t i, size_t parent)
{
    bool below = parent < t->snapshot->count;
    struct cluster *cluster = below ? t->clusters[parent] : NULL;
    struct election *e = below ? t->elections[parent] : NULL;
    if (kind == ITEM_CLUSTER)
        snapshot_read_cluster(t, i);
    else if (kind == ITEM_CLOCK)
        snapshot_read_clock(&t->fields);
    else if (kind == ITEM_SERVER && cluster)
        snapshot_read_server(t, cluster);
    else if (kind == ITEM_ELECTION && cluster)
        snapshot_read_election(t, i, cluster);
    else if (!e)
        t->bad = true;
    else
        snapshot_read_below(t, kind, i, e);
    t->bad = t->bad || t->fields.in.bad;
}

/* Room for a run of items of one kind. */
static void count_items(struct snapshot_reader *t, unsigned wanted)
{
    struct model *model = t->restored->model;
    struct scan scan;
    size_t parent;
    for (size_t i = 0; i < t->snapshot->count; i++) {
        if (!snapshot_read_head(t->snapshot, i, wanted, &scan, &parent))
            continue;
        struct cluster *cluster = parent < t->snapshot->count ? t->clusters[parent] : NULL;
        if (wanted == ITEM_CLUSTER)
            model->cluster_count++;
        else if (wanted == ITEM_SERVER && cluster)
            cluster->server_count++;
        else if (wanted == ITEM_ELECTION && cluster)
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
    size_t parent;
    for (size_t i = 0; i < t->snapshot->count && !t->bad; i++)
        if (snapshot_read_head(t->snapshot, i, wanted, &t->fields.in, &parent))
            snapshot_read_item(t, wanted, i, parent);
}

/* Findings have been copied to their places. A candidate without a place is only in a damaged snapshot. */
static void drop_loose(struct snapshot_reader *t)
{
    for (size_t i = 0; i < t->snapshot->count; i++) {
        if (t->candidates[i]) {
            candidate_free(t->candidates[i]);
            t->bad = true;
        }
        if (t->findings[i])
            finding_release(t->findings[i]);
        free(t->findings[i]);
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
            if (e->departed) /* no more than are kept, so they begin at 0 */
                qsort(e->departed->notes, e->departed->count, sizeof e->departed->notes[0], by_departure);
            if (e->tenure_count > 1)
                qsort(e->tenures, e->tenure_count, sizeof *e->tenures, by_beginning);
            members_sort(e);
            e->mixed = certainty_mixed(e);
            e->first_waits = certainty_first_waits(e);
        }
    }
}

struct snapshot_model *snapshot_read(const struct snapshot *snapshot, int64_t wall_us, uint64_t generation)
{
    /* Items that others point at come first. */
    static const unsigned char order[] = {ITEM_CLOCK,   ITEM_CLUSTER,   ITEM_SERVER,   ITEM_ELECTION,
                                          ITEM_SESSION, ITEM_CANDIDATE, ITEM_OUTSIDER, ITEM_FINDING,
                                          ITEM_TENURE,  ITEM_LINE,      ITEM_FOREIGN,  ITEM_WORST,
                                          ITEM_STATE,   ITEM_DEPARTED,  ITEM_MEMBER};
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
            t.fields.now = model->now =
                (struct moment){(int64_t)((uint64_t)wall_us - (uint64_t)t.fields.base_us), wall_us};
    }
    drop_loose(&t);
    check_whole(&t);
    if (!t.bad)
        snapshot_read_finish(&t);
    free(t.clusters);
    free(t.elections);
    free(t.candidates);
    free(t.findings);
    t.restored->kept = t.fields.kept;
    if (!t.bad)
        return t.restored;
    snapshot_model_free(t.restored);
    return NULL;
}

/* A recording keeps failovers in separate rows; a snapshot has none. */
static void copy_failovers(struct model *copy, const struct model *model)
{
    for (size_t c = 0; c < copy->cluster_count && c < model->cluster_count; c++)
        for (size_t i = 0; i < copy->clusters[c].election_count; i++) {
            struct election *to = copy->clusters[c].elections[i];
            const struct election *from = cluster_election(&model->clusters[c], to->path, strlen(to->path));
            for (size_t k = 0; from && k < from->failover_count; k++)
                election_keep_failover(to, election_failover_at(from, k));
        }
}

struct snapshot_model *snapshot_model_of(const struct model *model, int64_t wall_us)
{
    struct snapshot *snapshot = snapshot_new();
    struct buffer patch = {0};
    snapshot_update(snapshot, model, &patch);
    struct snapshot_model *copy = snapshot_read(snapshot, wall_us, model->generation);
    if (copy)
        copy_failovers(copy->model, model);
    buffer_free(&patch);
    snapshot_free(snapshot);
    return copy;
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
    arena_free(&restored->kept);
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
