#include "probe/history/snapshot_read_election.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/bystanders.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_life.h"
#include "probe/election/findings.h"
#include "probe/election/candidates.h"
#include "probe/election/session_table.h"

static const struct recipe *snapshot_read_recipe(struct snapshot_reader *t, struct scan *scan)
{
    const char *name = snapshot_read_text(t, scan);
    struct recipe *recipe = name ? snapshot_read_keep(t, sizeof *recipe) : NULL;
    if (!recipe)
        return NULL;
    recipe->name = name;
    recipe->title = snapshot_read_text(t, scan);
    recipe->family = (enum recipe_family)scan_below(scan, FAMILY_HYBRID + 1);
    recipe->candidate = snapshot_read_text(t, scan);
    recipe->signature = scan_flag(scan);
    recipe->watches = (enum recipe_watches)scan_below(scan, WATCHES_UNKNOWN + 1);
    recipe->mark_place = (enum mark_place)scan_below(scan, MARK_REGISTRY + 1);
    recipe->mark = snapshot_read_text(t, scan);
    recipe->source = "";
    t->bad = t->bad || !recipe->title;
    return recipe;
}

static const struct election_settings *snapshot_read_settings(struct snapshot_reader *t, struct scan *scan)
{
    struct election_settings *settings = scan_flag(scan) ? snapshot_read_keep(t, sizeof *settings) : NULL;
    if (!settings)
        return NULL;
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

void snapshot_read_election(struct snapshot_reader *t, size_t at, struct cluster *cluster, struct scan *scan)
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
    e->mark_place = (enum mark_place)scan_below(scan, MARK_REGISTRY + 1);
    e->mark_path = scan_text(scan);
    e->registry_path = scan_text(scan);
    t->bad = t->bad || !e->name || !e->settings;
}

static void snapshot_read_foreign(struct snapshot_reader *t, struct election *e, struct scan *scan)
{
    uint64_t count = scan_number(scan);
    if (count == 0 || scan->at == scan->end)
        return;
    e->foreign = calloc(FOREIGN_KEPT, sizeof *e->foreign);
    e->foreign_count = (size_t)count;
    for (size_t i = 0; e->foreign && i < count && i < FOREIGN_KEPT; i++) {
        e->foreign[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !e->foreign[i];
    }
    t->bad = t->bad || !e->foreign;
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
    e->mark_known = scan_flag(scan);
    e->mark_present = scan_flag(scan);
    e->mark_stat.owner = scan_number(scan);
    free(e->mark_identity);
    e->mark_identity = scan_text(scan);
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

static void snapshot_read_watchers(struct snapshot_reader *t, struct election *e, struct candidate *c,
                                   struct scan *scan)
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
    c->link_why = snapshot_read_text(t, scan);
    c->wrong = snapshot_read_code(scan);
    c->proof = snapshot_read_code(scan);
    snapshot_read_watchers(t, e, c, scan);
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
        t->candidates[at] = NULL; /* it has one place */
        list[count++] = c;
        roster_index(e, c);
        if (!outside) {
            c->place = (uint32_t)e->candidate_count;
            e->candidates[e->candidate_count++] = c;
        }
    }
    if (outside)
        roster_add(e, list, count);
    free(list);
}

static void snapshot_read_session(struct snapshot_reader *t, struct election *e, struct scan *scan)
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
        paths[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !paths[i];
    }
    struct seen_watches seen = {s->id, paths, (size_t)count};
    t->bad = t->bad || !paths || !client_keep_watches(s, &seen);
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
    if (!f)
        return;
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
    for (uint64_t i = 0; f->candidates && i < count; i++) {
        f->candidates[i] = snapshot_read_text(t, scan);
        t->bad = t->bad || !f->candidates[i];
    }
    f->candidate_count = (size_t)count;
    bool usual = scan_flag(scan);
    const char *advice = finding_kind(code)->advice;
    f->advice = usual ? snapshot_read_keep(t, strlen(advice) + 1) : snapshot_read_text(t, scan);
    if (usual && f->advice)
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
    t->bad = scan->bad || !election_keep_failover(e, &f) || t->bad;
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
    t->bad = scan->bad || !departed_put(e, &note) || t->bad;
}

void snapshot_read_below(struct snapshot_reader *t, unsigned kind, size_t i, struct election *e,
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
}
