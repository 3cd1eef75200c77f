#include "probe/history/snapshot_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/bystanders.h"
#include "probe/election/cluster.h"
#include "probe/election/election_life.h"
#include "probe/election/registry.h"
#include "probe/election/candidates.h"
#include "probe/election/tenure.h"
#include "probe/history/snapshot_read_election.h"
#include "probe/history/snapshot_read_state.h"

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
static bool read_head(const struct picture *picture, size_t i, struct scan *scan, unsigned *kind,
                      size_t *parent)
{
    size_t length;
    const unsigned char *bytes = snapshot_item(picture, i, &length);
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
    bool below = parent < t->picture->count;
    struct cluster *cluster = below ? t->clusters[parent] : NULL;
    struct election *e = below ? t->elections[parent] : NULL;
    if (kind == ITEM_CLUSTER)
        snapshot_read_cluster(t, i, scan);
    else if (kind == ITEM_CLOCK)
        t->base_us = scan_signed(scan);
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
    for (size_t i = 0; i < t->picture->count; i++) {
        if (!read_head(t->picture, i, &scan, &kind, &parent) || kind != wanted)
            continue;
        struct cluster *cluster = parent < t->picture->count ? t->clusters[parent] : NULL;
        if (kind == ITEM_CLUSTER)
            model->cluster_count++;
        else if (kind == ITEM_SERVER && cluster)
            cluster->server_count++;
        else if (kind == ITEM_ELECTION && cluster)
            cluster->election_count++;
    }
    if (wanted == ITEM_CLUSTER &&
        !(model->clusters = calloc(model->cluster_count + 1, sizeof *model->clusters))) {
        model->cluster_count = 0;
        t->bad = true;
    }
    for (size_t i = 0; i < model->cluster_count && wanted != ITEM_CLUSTER; i++) {
        struct cluster *cluster = &model->clusters[i];
        if (wanted == ITEM_SERVER &&
            !(cluster->servers = calloc(cluster->server_count + 1, sizeof *cluster->servers))) {
            cluster->server_count = 0;
            t->bad = true;
        }
        if (wanted == ITEM_ELECTION &&
            !(cluster->elections = calloc(cluster->election_count + 1, sizeof(struct election *)))) {
            cluster->election_count = 0;
            t->bad = true;
        }
    }
}

static void snapshot_read_kind(struct snapshot_reader *t, unsigned wanted)
{
    struct scan scan;
    unsigned kind;
    size_t parent;
    for (size_t i = 0; i < t->picture->count && !t->bad; i++)
        if (read_head(t->picture, i, &scan, &kind, &parent) && kind == wanted)
            snapshot_read_item(t, kind, i, parent, &scan);
}

/* Items without a place: only in a damaged picture. */
static void drop_loose(struct snapshot_reader *t)
{
    for (size_t i = 0; t->candidates && i < t->picture->count; i++)
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
            } else if (!cluster_add(cluster, list[k])) {
                election_free(list[k]);
                t->bad = true;
            }
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
        }
    }
}

struct snapshot_model *snapshot_read(const struct picture *picture, int64_t wall_us, uint64_t generation)
{
    /* What others point at comes first. */
    static const unsigned char order[] = {ITEM_CLOCK,   ITEM_CLUSTER,   ITEM_SERVER,   ITEM_ELECTION,
                                          ITEM_SESSION, ITEM_CANDIDATE, ITEM_OUTSIDER, ITEM_FINDING,
                                          ITEM_TENURE,  ITEM_FAILOVER,  ITEM_LINE,     ITEM_FOREIGN,
                                          ITEM_WORST,   ITEM_STATE,     ITEM_DEPARTED};
    struct snapshot_reader t = {.picture = picture, .restored = calloc(1, sizeof *t.restored)};
    size_t count = picture->count + 1;
    if (!t.restored || !(t.restored->model = calloc(1, sizeof *t.restored->model)))
        goto fail;
    struct model *model = t.restored->model;
    char *error = NULL;
    model->recipes = recipe_book_new(NULL, 0, &error);
    free(error);
    model->generation = generation;
    t.clusters = calloc(count, sizeof(struct cluster *));
    t.elections = calloc(count, sizeof(struct election *));
    t.candidates = calloc(count, sizeof(struct candidate *));
    t.findings = calloc(count, sizeof(struct finding *));
    t.bad = !model->recipes || !t.clusters || !t.elections || !t.candidates || !t.findings;
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
fail:
    free(t.clusters);
    free(t.elections);
    free(t.candidates);
    free(t.findings);
    if (t.restored && t.restored->model && !t.bad)
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
