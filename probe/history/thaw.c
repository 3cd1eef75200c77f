#include "probe/history/thaw.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/clients.h"
#include "probe/election/diagnose.h"
#include "probe/election/roster.h"
#include "probe/election/registry.h"
#include "probe/history/items.h"

/* Texts and more that live as long as the model. */
struct keep {
    struct keep *next;
    max_align_t room[];
};

struct thawed {
    struct model *model;
    struct keep *keeps;
};

struct thawing {
    struct thawed *thawed;
    const struct picture *picture;
    int64_t base_us;
    /* By slot; only one of both is set. */
    struct cluster **clusters;
    struct election **elections;
    struct candidate **candidates;
    struct finding **findings;
    bool bad;
};

static void *keep(struct thawing *t, size_t size)
{
    struct keep *room = calloc(1, sizeof *room + size);
    if (!room) {
        t->bad = true;
        return NULL;
    }
    room->next = t->thawed->keeps;
    t->thawed->keeps = room;
    return room->room;
}

/* Where nobody frees it. */
static char *keep_text(struct thawing *t, struct scan *scan)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    char *text = piece ? keep(t, length + 1) : NULL;
    if (text)
        memcpy(text, piece, length);
    return text;
}

static struct moment moment_of(const struct thawing *t, struct scan *scan)
{
    return scan_moment(scan, t->base_us);
}

/* ---- clusters ---- */

static void thaw_cluster(struct thawing *t, size_t at, struct scan *scan)
{
    struct model *model = t->thawed->model;
    uint64_t i = scan_below(scan, model->cluster_count);
    if (scan->bad || t->clusters[at] || model->clusters[i].name)
        return;
    struct cluster *cluster = &model->clusters[i];
    cluster->name = scan_text(scan);
    cluster->hosts = scan_text(scan);
    cluster->chroot = scan_text(scan);
    cluster->connection = (enum connection_state)scan_below(scan, CONNECTION_REFUSED + 1);
    cluster->ever_connected = scan_flag(scan);
    cluster->connection_since = moment_of(t, scan);
    cluster->session = scan_number(scan);
    cluster->timeout_ms = scan_int32(scan);
    cluster->connected_to = scan_text(scan);
    cluster->problem = scan_text(scan);
    cluster->stood_still_from = moment_of(t, scan);
    cluster->stood_still_to = moment_of(t, scan);
    t->bad = t->bad || !cluster->name || !cluster->hosts || !cluster->chroot;
    t->clusters[at] = cluster;
}

static void thaw_server(struct thawing *t, struct cluster *cluster, struct scan *scan)
{
    uint64_t i = scan_below(scan, cluster->server_count);
    if (scan->bad || cluster->servers[i].address)
        return;
    struct server *server = &cluster->servers[i];
    server->address = scan_text(scan);
    server->reachable = scan_flag(scan);
    server->mode = (enum server_mode)scan_below(scan, SERVER_READ_ONLY + 1);
    server->version = scan_text(scan);
    server->problem = scan_text(scan);
    server->watches_from = keep_text(t, scan);
    for (size_t k = 0; k < sizeof server->hidden / sizeof server->hidden[0]; k++)
        server->hidden[k] = scan_text(scan);
    server->answer_us = scan_signed(scan);
    server->zxid = scan_signed(scan);
    server->connections = scan_int32(scan);
    server->child_watches = scan_signed(scan);
    server->watch_count = (size_t)scan_number(scan);
    server->seen = moment_of(t, scan);
    server->watches_seen = moment_of(t, scan);
    t->bad = t->bad || !server->address;
}

/* ---- elections ---- */

static const struct recipe *thaw_recipe(struct thawing *t, struct scan *scan)
{
    const char *name = keep_text(t, scan);
    struct recipe *recipe = name ? keep(t, sizeof *recipe) : NULL;
    if (!recipe)
        return NULL;
    recipe->name = name;
    recipe->title = keep_text(t, scan);
    recipe->family = (enum recipe_family)scan_below(scan, FAMILY_HYBRID + 1);
    recipe->candidate = keep_text(t, scan);
    recipe->signature = scan_flag(scan);
    recipe->watches = (enum recipe_watches)scan_below(scan, WATCHES_UNKNOWN + 1);
    recipe->mark_place = (enum mark_place)scan_below(scan, MARK_REGISTRY + 1);
    recipe->mark = keep_text(t, scan);
    recipe->source = "";
    t->bad = t->bad || !recipe->title;
    return recipe;
}

static const struct election_settings *thaw_settings(struct thawing *t, struct scan *scan)
{
    struct election_settings *settings = scan_flag(scan) ? keep(t, sizeof *settings) : NULL;
    if (!settings)
        return NULL;
    settings->path = keep_text(t, scan);
    settings->name = keep_text(t, scan);
    settings->kind = (enum election_kind)scan_below(scan, KIND_LOCK + 1);
    settings->recipe = keep_text(t, scan);
    settings->acknowledgement = keep_text(t, scan);
    settings->identity = keep_text(t, scan);
    settings->inject = (enum inject_leave)scan_below(scan, INJECT_LIVE + 1);
    settings->allow.vacancy_ms = scan_signed(scan);
    settings->allow.failover_ms = scan_signed(scan);
    settings->allow.silent_percent = scan_int32(scan);
    settings->allow.leader_changes = scan_int32(scan);
    settings->allow.leader_changes_ms = scan_signed(scan);
    t->bad = t->bad || !settings->path || !settings->recipe;
    return settings;
}

static void thaw_election(struct thawing *t, size_t at, struct cluster *cluster, struct scan *scan)
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
    e->settings = thaw_settings(t, scan);
    e->recipe = thaw_recipe(t, scan);
    e->recognised = (enum recognised)scan_below(scan, RECOGNISED_CONFIGURED + 1);
    e->mark_place = (enum mark_place)scan_below(scan, MARK_REGISTRY + 1);
    e->mark_path = scan_text(scan);
    e->registry_path = scan_text(scan);
    t->bad = t->bad || !e->name || !e->settings;
}

static void thaw_state(struct thawing *t, struct election *e, struct scan *scan)
{
    e->state = (enum election_state)scan_below(scan, ELECTION_DENIED + 1);
    e->state_since = moment_of(t, scan);
    e->state_since_exact = scan_flag(scan);
    e->problem = keep_text(t, scan);
    if (scan_flag(scan)) /* the line is there already */
        e->leader = e->candidate_count ? e->candidates[0] : NULL;
    e->leader_since = moment_of(t, scan);
    e->leader_since_exact = scan_flag(scan);
    e->acknowledged = (enum acknowledged)scan_below(scan, ACK_YES + 1);
    e->unacknowledged_since = moment_of(t, scan);
    e->mark_known = scan_flag(scan);
    e->mark_present = scan_flag(scan);
    e->mark_stat.owner = scan_number(scan);
    free(e->mark_identity);
    e->mark_identity = scan_text(scan);
    e->registry_complete = scan_flag(scan);
    e->directory_known = scan_flag(scan);
    if (scan_flag(scan))
        e->listed = t->thawed->model->now;
    e->fresh = scan_flag(scan);
    e->stale_since = moment_of(t, scan);
    e->next_sequence = scan_signed(scan);
    e->unknown_count = (size_t)scan_number(scan);
    e->shows_predecessor = scan_flag(scan);
    e->counters.joined = scan_number(scan);
    e->counters.left = scan_number(scan);
    e->counters.leader_changes = scan_number(scan);
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
    change->lost_at = moment_of(t, scan);
    change->lost_seen = scan_flag(scan);
    change->vacancy_us = scan_signed(scan);
    change->takeover_us = scan_signed(scan);
    uint64_t count = scan_number(scan);
    if (count == 0 || scan->at == scan->end)
        return;
    e->foreign = calloc(FOREIGN_KEPT, sizeof *e->foreign);
    e->foreign_count = (size_t)count;
    for (size_t i = 0; e->foreign && i < count && i < FOREIGN_KEPT; i++) {
        e->foreign[i] = keep_text(t, scan);
        t->bad = t->bad || !e->foreign[i];
    }
    t->bad = t->bad || !e->foreign;
}

/* ---- candidates ---- */

static struct znode_stat thaw_stat(struct scan *scan)
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

static enum finding_code thaw_code(struct scan *scan)
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

static void thaw_watchers(struct thawing *t, struct election *e, struct candidate *c, struct scan *scan)
{
    uint64_t count = scan_number(scan);
    if (scan->bad || count > (uint64_t)(scan->end - scan->at)) {
        scan->bad = true;
        return;
    }
    if (count == 0)
        return;
    uint64_t *sessions = malloc((size_t)count * sizeof *sessions);
    if (!sessions) {
        t->bad = true;
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        sessions[i] = scan_number(scan);
    t->bad = !chain_restore(e, c, sessions, (size_t)count) || t->bad;
    free(sessions);
}

static void thaw_candidate(struct thawing *t, size_t at, struct election *e, bool outside, struct scan *scan)
{
    char *name = scan_text(scan);
    struct candidate *c = name ? candidate_new(name, roster_hash(name, strlen(name), e->hash_seed)) : NULL;
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
    c->joined = moment_of(t, scan);
    c->joined_seen = scan_flag(scan);
    c->known = scan_flag(scan);
    c->denied = scan_flag(scan);
    if (c->known)
        c->stat = thaw_stat(scan);
    uint64_t session = scan_number(scan);
    struct client *client = session ? clients_find(e->cluster->clients, session) : NULL;
    if (client)
        client_owns(client, c);
    size_t length;
    const char *data = scan_piece(scan, &length);
    if (length > 0 && length <= CANDIDATE_DATA_KEPT && (c->data = malloc(length))) {
        memcpy(c->data, data, length);
        c->data_length = length;
    }
    t->bad = t->bad || c->data_length != length;
    c->identity = scan_text(scan);
    c->identity_source = (enum identity_source)scan_below(scan, IDENTITY_DATA + 1);
    c->link = (enum link_state)scan_below(scan, LINK_STUCK + 1);
    c->link_why = keep_text(t, scan);
    c->wrong = thaw_code(scan);
    c->proof = thaw_code(scan);
    thaw_watchers(t, e, c, scan);
}

/* The children of one election in their order. */
static void thaw_order(struct thawing *t, struct election *e, bool outside, struct scan *scan)
{
    size_t most = (size_t)(scan->end - scan->at), count = 0;
    struct candidate **list = malloc((most + 1) * sizeof(struct candidate *));
    if (!list || !roster_reserve(e, most + 1)) {
        free(list);
        t->bad = true;
        return;
    }
    while (scan->at < scan->end && !scan->bad) {
        uint64_t at = scan_below(scan, t->picture->count);
        struct candidate *c = t->candidates[at];
        if (scan->bad || !c || c->election != e || c->outside != outside) {
            t->bad = true;
            break;
        }
        t->candidates[at] = NULL; /* it stands once */
        list[count++] = c;
        roster_index(e, c);
        if (!outside)
            e->candidates[e->candidate_count++] = c;
    }
    if (outside)
        roster_add(e, list, count);
    free(list);
}

static void thaw_session(struct thawing *t, struct election *e, struct scan *scan)
{
    struct client *client = clients_make(e->cluster, scan_number(scan));
    if (!client || scan->bad) {
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
    const char **paths = calloc((size_t)count + 1, sizeof *paths);
    for (uint64_t i = 0; paths && i < count; i++) {
        paths[i] = keep_text(t, scan);
        t->bad = t->bad || !paths[i];
    }
    struct seen_watches seen = {s->id, paths, (size_t)count};
    t->bad = t->bad || !paths || !client_keep_watches(s, &seen);
    free(paths);
    if (!scan_flag(scan))
        return;
    s->silent_ms = scan_int32(scan);
    s->silent_is_bound = scan_flag(scan);
    s->seen = moment_of(t, scan);
}

/* ---- findings and tenures ---- */

static void thaw_finding(struct thawing *t, size_t at, struct scan *scan)
{
    enum finding_code code = thaw_code(scan);
    struct finding *f = keep(t, sizeof *f);
    if (!f)
        return;
    f->code = code;
    f->subject = scan_number(scan);
    f->since = moment_of(t, scan);
    f->one_look = scan_flag(scan);
    uint64_t count = scan_number(scan);
    if (scan->bad || code >= FINDING_COUNT || count > (uint64_t)(scan->end - scan->at)) {
        t->bad = true;
        return;
    }
    f->candidates = keep(t, ((size_t)count + 1) * sizeof(char *));
    for (uint64_t i = 0; f->candidates && i < count; i++) {
        f->candidates[i] = keep_text(t, scan);
        t->bad = t->bad || !f->candidates[i];
    }
    f->candidate_count = (size_t)count;
    bool usual = scan_flag(scan);
    const char *advice = finding_kind(code)->advice;
    f->advice = usual ? keep(t, strlen(advice) + 1) : keep_text(t, scan);
    if (usual && f->advice)
        memcpy(f->advice, advice, strlen(advice));
    f->severity = (enum severity)scan_below(scan, SEVERITY_CRITICAL + 1);
    f->certainty = (enum certainty)scan_below(scan, CERTAINTY_CERTAIN + 1);
    f->unconfirmed_since = moment_of(t, scan);
    f->evidence = keep_text(t, scan);
    t->bad = t->bad || !f->evidence || !f->advice;
    t->findings[at] = f;
}

static void thaw_worst(struct thawing *t, struct election *e, struct scan *scan)
{
    size_t most = (size_t)(scan->end - scan->at), count = 0;
    struct finding **list = malloc((most + 1) * sizeof(struct finding *));
    while (list && scan->at < scan->end && !scan->bad) {
        struct finding *f = t->findings[scan_below(scan, t->picture->count)];
        if (scan->bad || !f)
            break;
        list[count++] = f;
    }
    struct election from = {.findings = list, .finding_count = count};
    t->bad = !list || scan->bad || scan->at < scan->end || e->findings || !findings_copy(&from, e) || t->bad;
    free(list);
}

static void thaw_tenure(struct thawing *t, struct election *e, struct scan *scan)
{
    (void)scan_signed(scan);
    (void)scan_number(scan);
    struct tenure tenure = {.from = moment_of(t, scan)};
    tenure.name = scan_text(scan);
    tenure.identity = scan_text(scan);
    tenure.from_exact = scan_flag(scan);
    tenure.gap = scan_flag(scan);
    tenure.to = moment_of(t, scan);
    if (e->tenure_count == e->tenure_room) {
        size_t room = e->tenure_room ? e->tenure_room * 2 : TENURES_KEPT;
        struct tenure *tenures = realloc(e->tenures, room * sizeof *tenures);
        if (!tenures) {
            free(tenure.name);
            free(tenure.identity);
            t->bad = true;
            return;
        }
        e->tenures = tenures;
        e->tenure_room = room;
    }
    e->tenures[e->tenure_count++] = tenure;
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

/* ---- the whole ---- */

/* What an item is, and below what. */
static bool read_head(const struct picture *picture, size_t i, struct scan *scan, unsigned *kind,
                      size_t *parent)
{
    size_t length;
    const unsigned char *bytes = picture_item(picture, i, &length);
    if (!bytes)
        return false;
    *scan = (struct scan){bytes + 1, bytes + length, false};
    *kind = bytes[0];
    *parent = (size_t)scan_number(scan) - 1;
    return !scan->bad && length > 0;
}

static void thaw_item(struct thawing *t, unsigned kind, size_t i, size_t parent, struct scan *scan)
{
    bool below = parent < t->picture->count;
    struct cluster *cluster = below ? t->clusters[parent] : NULL;
    struct election *e = below ? t->elections[parent] : NULL;
    if (kind == ITEM_CLUSTER)
        thaw_cluster(t, i, scan);
    else if (kind == ITEM_CLOCK)
        t->base_us = scan_signed(scan);
    else if (kind == ITEM_SERVER && cluster)
        thaw_server(t, cluster, scan);
    else if (kind == ITEM_ELECTION && cluster)
        thaw_election(t, i, cluster, scan);
    else if (!e)
        t->bad = true;
    else if (kind == ITEM_SESSION)
        thaw_session(t, e, scan);
    else if (kind == ITEM_CANDIDATE || kind == ITEM_OUTSIDER)
        thaw_candidate(t, i, e, kind == ITEM_OUTSIDER, scan);
    else if (kind == ITEM_FINDING)
        thaw_finding(t, i, scan);
    else if (kind == ITEM_TENURE)
        thaw_tenure(t, e, scan);
    else if (kind == ITEM_LINE || kind == ITEM_FOREIGN)
        thaw_order(t, e, kind == ITEM_FOREIGN, scan);
    else if (kind == ITEM_STATE)
        thaw_state(t, e, scan);
    else if (kind == ITEM_WORST)
        thaw_worst(t, e, scan);
    t->bad = t->bad || scan->bad;
}

/* Rooms for all of one kind that stand in a row. */
static void count_items(struct thawing *t, unsigned wanted)
{
    struct model *model = t->thawed->model;
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

static void thaw_kind(struct thawing *t, unsigned wanted)
{
    struct scan scan;
    unsigned kind;
    size_t parent;
    for (size_t i = 0; i < t->picture->count && !t->bad; i++)
        if (read_head(t->picture, i, &scan, &kind, &parent) && kind == wanted)
            thaw_item(t, kind, i, parent, &scan);
}

/* What nobody placed: only in a damaged picture. */
static void drop_loose(struct thawing *t)
{
    for (size_t i = 0; t->candidates && i < t->picture->count; i++)
        if (t->candidates[i]) {
            candidate_free(t->candidates[i]);
            t->bad = true;
        }
}

/* Rows that were announced and are not there would be read by everyone. */
static void check_whole(struct thawing *t)
{
    struct model *model = t->thawed->model;
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

static void finish(struct thawing *t)
{
    struct model *model = t->thawed->model;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &model->clusters[i];
        for (size_t k = 0; k < cluster->election_count; k++) {
            struct election *e = cluster->elections[k];
            if (e->tenure_count > 1)
                qsort(e->tenures, e->tenure_count, sizeof *e->tenures, by_beginning);
        }
    }
}

struct thawed *thaw(const struct picture *picture, int64_t wall_us, uint64_t generation)
{
    /* What others point at comes first. */
    static const unsigned char order[] = {
        ITEM_CLOCK,   ITEM_CLUSTER, ITEM_SERVER, ITEM_ELECTION, ITEM_SESSION, ITEM_CANDIDATE, ITEM_OUTSIDER,
        ITEM_FINDING, ITEM_TENURE,  ITEM_LINE,   ITEM_FOREIGN,  ITEM_WORST,   ITEM_STATE};
    struct thawing t = {.picture = picture, .thawed = calloc(1, sizeof *t.thawed)};
    size_t count = picture->count + 1;
    if (!t.thawed || !(t.thawed->model = calloc(1, sizeof *t.thawed->model)))
        goto fail;
    struct model *model = t.thawed->model;
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
        thaw_kind(&t, order[i]);
        if (order[i] == ITEM_CLOCK)
            model->now = (struct moment){(int64_t)((uint64_t)wall_us - (uint64_t)t.base_us), wall_us};
    }
    drop_loose(&t);
    check_whole(&t);
    if (!t.bad)
        finish(&t);
fail:
    free(t.clusters);
    free(t.elections);
    free(t.candidates);
    free(t.findings);
    if (t.thawed && t.thawed->model && !t.bad)
        return t.thawed;
    thawed_free(t.thawed);
    return NULL;
}

const struct model *thawed_model(const struct thawed *thawed)
{
    return thawed->model;
}

void thawed_free(struct thawed *thawed)
{
    if (!thawed)
        return;
    model_free(thawed->model);
    while (thawed->keeps) {
        struct keep *next = thawed->keeps->next;
        free(thawed->keeps);
        thawed->keeps = next;
    }
    free(thawed);
}

void thawed_lapse(struct thawed *thawed, int64_t since_wall_us, const char *why)
{
    struct model *model = thawed->model;
    struct moment since = {model->now.mono_us - (model->now.wall_us - since_wall_us), since_wall_us};
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &model->clusters[i];
        free(cluster->problem);
        cluster->problem = text_copy(why);
        cluster->connection = CONNECTION_CONNECTING;
        cluster->connection_since = since;
        for (size_t k = 0; k < cluster->election_count; k++) {
            struct election *e = cluster->elections[k];
            if (e->fresh)
                e->stale_since = since;
            e->fresh = false;
        }
    }
}
