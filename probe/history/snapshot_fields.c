#include "probe/history/snapshot_fields.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/registry.h"
#include "probe/history/sql.h"

/* ---- one field ---- */

static void field_number(struct fields *f, uint64_t *number)
{
    if (f->writing)
        put_number(&f->writing->item, *number);
    else
        *number = scan_number(&f->in);
}

static void field_size(struct fields *f, size_t *size)
{
    if (f->writing)
        put_number(&f->writing->item, *size);
    else
        *size = (size_t)scan_number(&f->in);
}

static void field_signed(struct fields *f, int64_t *number)
{
    if (f->writing)
        put_signed(&f->writing->item, *number);
    else
        *number = scan_signed(&f->in);
}

static void field_int(struct fields *f, int32_t *number)
{
    if (f->writing)
        put_signed(&f->writing->item, *number);
    else
        *number = scan_int32(&f->in);
}

/* As its distance from another one. Unsigned: a stranger's numbers may overflow, and come back the same. */
static void field_distance(struct fields *f, int64_t *number, int64_t from)
{
    if (f->writing)
        put_signed(&f->writing->item, (int64_t)((uint64_t)*number - (uint64_t)from));
    else
        *number = (int64_t)((uint64_t)scan_signed(&f->in) + (uint64_t)from);
}

static void field_enum(struct fields *f, unsigned *number, unsigned last)
{
    if (f->writing)
        put_number(&f->writing->item, *number);
    else
        *number = (unsigned)scan_below(&f->in, (uint64_t)last + 1);
}

static void field_flag(struct fields *f, bool *flag)
{
    if (f->writing)
        put_number(&f->writing->item, *flag);
    else
        *flag = scan_flag(&f->in);
}

/* A bit has no address. */
static bool field_bit(struct fields *f, bool bit)
{
    field_flag(f, &bit);
    return bit;
}

/* Bad where it is not a time of a recorder's own clock. */
static void field_moment(struct fields *f, struct moment *moment)
{
    if (f->writing) {
        put_moment(&f->writing->item, *moment, f->base_us);
        return;
    }
    *moment = scan_moment(&f->in, f->base_us);
    if (moment->mono_us > SQL_NUMBER_MOST || moment->mono_us < -SQL_NUMBER_MOST) {
        f->in.bad = true;
        moment->mono_us = 0;
    }
}

/* Owned by the struct. */
static void field_text(struct fields *f, char **text)
{
    if (f->writing) {
        put_text(&f->writing->item, *text);
        return;
    }
    free(*text);
    *text = scan_text(&f->in);
}

/* A text that the struct borrows: returns the copy that it shall point at. */
static char *field_kept(struct fields *f, const char *text)
{
    if (f->writing) {
        put_text(&f->writing->item, text);
        return (char *)text;
    }
    size_t length;
    const char *piece = scan_piece(&f->in, &length);
    return piece ? arena_text(&f->kept, piece, length) : NULL;
}

/* In an array of size bytes. Cut where it is longer, as only a stranger's is. */
static void field_words(struct fields *f, char *words, size_t size)
{
    if (f->writing) {
        put_text(&f->writing->item, words);
        return;
    }
    size_t length;
    const char *piece = scan_piece(&f->in, &length);
    length = length < size ? length : size - 1;
    memset(words, 0, size);
    if (piece)
        memcpy(words, piece, length);
}

/* How many follow, each of them a byte at least. */
static void field_count(struct fields *f, size_t *count)
{
    field_size(f, count);
    if (!f->writing && (f->in.bad || *count > (size_t)(f->in.end - f->in.at))) {
        f->in.bad = true;
        *count = 0;
    }
}

/* By word: the numbers of codes may change from one version of the program to the next. */
static void field_code(struct fields *f, enum finding_code *code)
{
    if (f->writing) {
        put_text(&f->writing->item, *code < FINDING_COUNT ? finding_kind(*code)->word : NULL);
        return;
    }
    size_t length;
    const char *word = scan_piece(&f->in, &length);
    unsigned at = 0;
    while (word && at < FINDING_COUNT &&
           (strlen(finding_kind((enum finding_code)at)->word) != length ||
            memcmp(finding_kind((enum finding_code)at)->word, word, length) != 0))
        at++;
    *code = word ? (enum finding_code)at : FINDING_COUNT;
}

/* The fields until here identify the item among its siblings. */
static void fields_key(struct fields *f)
{
    if (f->writing)
        item_key(f->writing);
}

/* Always there. */
static void fields_need(struct fields *f, const void *text)
{
    f->in.bad = f->in.bad || !text;
}

/* ---- a cluster ---- */

void cluster_fields(struct fields *f, struct cluster *cluster)
{
    /* One number, for the second flag came later. */
    unsigned reached = (unsigned)cluster->ever_connected | (unsigned)cluster->no_chroot << 1;
    field_text(f, &cluster->name);
    field_text(f, &cluster->hosts);
    field_text(f, &cluster->chroot);
    field_enum(f, &cluster->connection, CONNECTION_REFUSED);
    field_enum(f, &reached, 3);
    cluster->ever_connected = reached & 1;
    cluster->no_chroot = reached & 2;
    field_moment(f, &cluster->connection_since);
    field_number(f, &cluster->session);
    field_int(f, &cluster->timeout_ms);
    field_text(f, &cluster->connected_to);
    field_text(f, &cluster->problem);
    field_moment(f, &cluster->stood_still_from);
    field_moment(f, &cluster->stood_still_to);
    field_enum(f, &cluster->ensemble, ENSEMBLE_PART);
    field_signed(f, &cluster->ahead_us);
    field_flag(f, &cluster->clocks_differ);
    field_signed(f, &cluster->epoch); /* of its znodes: cluster_stat_us() */
    f->in.bad = f->in.bad || !clock_is_near(cluster->ahead_us);
    fields_need(f, cluster->name);
    fields_need(f, cluster->hosts);
    fields_need(f, cluster->chroot);
}

static void load_fields(struct fields *f, struct server *figures)
{
    struct server_load *load = &figures->load;
    field_moment(f, &figures->load_seen);
    field_signed(f, &load->id);
    field_signed(f, &load->uptime_ms);
    field_signed(f, &load->latency_min_us);
    field_signed(f, &load->latency_avg_us);
    field_signed(f, &load->latency_max_us);
    field_signed(f, &load->outstanding);
    field_signed(f, &load->znodes);
    field_signed(f, &load->ephemerals);
    field_signed(f, &load->watches);
    field_signed(f, &load->address_connections_most);
    field_signed(f, &figures->lag);
    field_signed(f, &figures->lag_us);
    field_int(f, &figures->busiest_connections);
    field_words(f, figures->busiest_address, sizeof figures->busiest_address);
}

void server_fields(struct fields *f, struct server *server, struct server *figures)
{
    field_text(f, &server->address);
    field_flag(f, &server->unasked);
    field_flag(f, &server->reachable);
    field_enum(f, &server->mode, SERVER_READ_ONLY);
    field_text(f, &server->version);
    field_text(f, &server->problem);
    server->watches_from = field_kept(f, server->watches_from);
    for (size_t i = 0; i < sizeof server->hidden / sizeof server->hidden[0]; i++)
        field_text(f, &server->hidden[i]);
    field_signed(f, &figures->answer_us);
    field_signed(f, &figures->zxid);
    field_int(f, &figures->connections);
    field_signed(f, &figures->child_watches);
    field_size(f, &figures->watch_count);
    field_moment(f, &figures->seen);
    field_moment(f, &figures->watches_seen);
    load_fields(f, figures);
    field_int(f, &server->bad_replies);
    field_words(f, server->bad_reply, sizeof server->bad_reply);
    field_signed(f, &figures->load.slow_fsyncs);
    field_moment(f, &figures->slow_fsync);
    fields_need(f, server->address);
}

/* ---- an election ---- */

static void settings_fields(struct fields *f, const struct election_settings **settings)
{
    struct election_settings s = *settings ? **settings : (struct election_settings){0};
    bool there = *settings != NULL;
    field_flag(f, &there);
    if (!there)
        return;
    s.path = field_kept(f, s.path);
    s.name = field_kept(f, s.name);
    field_enum(f, &s.kind, KIND_AUTO);
    s.recipe = field_kept(f, s.recipe);
    s.acknowledgement = field_kept(f, s.acknowledgement);
    s.identity = field_kept(f, s.identity);
    field_enum(f, &s.inject, INJECT_LIVE);
    field_signed(f, &s.allow.vacancy_ms);
    field_signed(f, &s.allow.failover_ms);
    field_int(f, &s.allow.silent_percent);
    field_int(f, &s.allow.leader_changes);
    field_signed(f, &s.allow.leader_changes_ms);
    fields_need(f, s.path);
    fields_need(f, s.recipe);
    if (!f->writing)
        *settings = memcpy(arena_take(&f->kept, sizeof s), &s, sizeof s);
}

static void recipe_fields(struct fields *f, const struct recipe **recipe)
{
    struct recipe r = *recipe ? **recipe : (struct recipe){.source = ""};
    r.name = field_kept(f, r.name);
    if (!r.name)
        return;
    r.title = field_kept(f, r.title);
    field_enum(f, &r.family, FAMILY_HYBRID);
    r.candidate = field_kept(f, r.candidate);
    field_flag(f, &r.signature);
    field_enum(f, &r.watches, WATCHES_MEMBER);
    field_enum(f, &r.ack_place, ACK_PLACE_REGISTRY);
    r.ack = field_kept(f, r.ack);
    fields_need(f, r.title);
    if (!f->writing)
        *recipe = memcpy(arena_take(&f->kept, sizeof r), &r, sizeof r);
}

void election_fields(struct fields *f, struct election *e)
{
    field_text(f, &e->name);
    field_enum(f, &e->kind, KIND_LOCK);
    field_enum(f, &e->origin, ORIGIN_ORPHANED);
    settings_fields(f, &e->settings);
    recipe_fields(f, &e->recipe);
    field_enum(f, &e->recognised, RECOGNISED_CONFIGURED);
    field_enum(f, &e->ack_place, ACK_PLACE_REGISTRY);
    field_text(f, &e->ack_path);
    field_text(f, &e->registry_path);
    fields_need(f, e->name);
    fields_need(f, e->settings);
}

static void leader_fields(struct fields *f, struct election *e)
{
    bool led = e->leader != NULL;
    field_flag(f, &led);
    if (!f->writing && led) /* the line is there already */
        e->leader = e->candidate_count ? e->candidates[0] : NULL;
    field_moment(f, &e->leader_since);
    field_flag(f, &e->leader_since_exact);
}

static void acknowledgement_fields(struct fields *f, struct election *e)
{
    field_enum(f, &e->acknowledged, ACK_YES);
    field_moment(f, &e->unacknowledged_since);
    field_flag(f, &e->ack_known);
    field_flag(f, &e->ack_present);
    field_number(f, &e->ack_stat.owner);
    field_text(f, &e->ack_identity);
    if (f->writing)
        put_number(&f->writing->item, registry_complete(e));
    else
        e->registry_complete = scan_flag(&f->in);
}

static void directory_fields(struct fields *f, struct election *e)
{
    bool listed = e->listed.mono_us != 0;
    field_flag(f, &e->directory_known);
    field_flag(f, &listed);
    if (!f->writing && listed)
        e->listed = f->now;
    field_flag(f, &e->fresh);
    field_moment(f, &e->stale_since);
    field_signed(f, &e->next_sequence);
    field_size(f, &e->unknown_count);
    uint64_t shown = e->shows_predecessor | (uint64_t)e->written_lately << 1 | (uint64_t)e->childless << 2;
    field_number(f, &shown);
    e->shows_predecessor = shown & 1;
    e->written_lately = shown >> 1 & 1;
    e->childless = shown >> 2 & 1;
}

static void counters_fields(struct fields *f, struct counters *counters)
{
    field_number(f, &counters->joined);
    field_number(f, &counters->left);
    field_number(f, &counters->leader_changes);
    field_number(f, &counters->missed_changes);
    field_number(f, &counters->unseen_joined);
    field_number(f, &counters->unseen_left);
}

static void change_fields(struct fields *f, struct change *change)
{
    field_text(f, &change->from);
    field_text(f, &change->from_identity);
    field_text(f, &change->to);
    field_text(f, &change->to_identity);
    field_moment(f, &change->lost_at);
    field_flag(f, &change->lost_seen);
    field_signed(f, &change->vacancy_us);
    field_signed(f, &change->takeover_us);
}

static void foreign_fields(struct fields *f, struct election *e)
{
    size_t count = e->foreign_count;
    field_size(f, &count);
    if (count == 0)
        return;
    if (!f->writing) {
        free(e->foreign);
        e->foreign = xcalloc(FOREIGN_KEPT, sizeof *e->foreign);
        e->foreign_count = count;
    }
    for (size_t i = 0; e->foreign && i < count && i < FOREIGN_KEPT; i++) {
        e->foreign[i] = field_kept(f, e->foreign[i]);
        fields_need(f, e->foreign[i]);
    }
}

void state_fields(struct fields *f, struct election *e)
{
    field_enum(f, &e->state, ELECTION_DENIED);
    field_moment(f, &e->state_since);
    field_flag(f, &e->state_since_exact);
    e->problem = field_kept(f, e->problem);
    leader_fields(f, e);
    acknowledgement_fields(f, e);
    directory_fields(f, e);
    counters_fields(f, &e->counters);
    change_fields(f, &e->change);
    foreign_fields(f, e);
    field_moment(f, &e->unseen_at);
    field_enum(f, &e->kind_proof, KIND_CONFIGURED);
    field_flag(f, &e->hidden_watches);
    field_signed(f, &e->ack_stat.ctime_ms);
    field_signed(f, &e->ack_stat.mtime_ms);
    field_flag(f, &e->members_listed);
    field_text(f, &e->members_path);
    field_flag(f, &e->led_elsewhere);
}

/* ---- its candidates, and their sessions ---- */

static void stat_fields(struct fields *f, struct znode_stat *stat)
{
    field_signed(f, &stat->czxid);
    field_distance(f, &stat->mzxid, stat->czxid);
    field_distance(f, &stat->pzxid, stat->czxid);
    field_signed(f, &stat->ctime_ms);
    field_distance(f, &stat->mtime_ms, stat->ctime_ms);
    field_int(f, &stat->version);
    field_int(f, &stat->cversion);
    field_int(f, &stat->aversion);
    field_int(f, &stat->data_length);
    field_int(f, &stat->children);
    field_number(f, &stat->owner);
}

/* Its owner, by id: the session is there already. */
static void owner_fields(struct fields *f, struct candidate *c)
{
    const struct client_session *session = f->writing && !c->outside ? candidate_client(c) : NULL;
    uint64_t id = session ? session->id : 0;
    field_number(f, &id);
    struct client *client =
        !f->writing && id != 0 ? session_table_find(c->election->cluster->clients, id) : NULL;
    if (client)
        client_owns(client, c);
}

static void data_fields(struct fields *f, struct candidate *c)
{
    if (f->writing) {
        put_bytes(&f->writing->item, c->data, c->data_length);
        return;
    }
    size_t length;
    const char *data = scan_piece(&f->in, &length);
    f->in.bad = f->in.bad || length > CANDIDATE_DATA_KEPT;
    if (length == 0 || f->in.bad)
        return;
    c->data = xmemdup(data, length);
    c->data_length = length;
}

#define WATCHERS_FEW 64

/* The sessions that watch it. */
static void watchers_fields(struct fields *f, struct candidate *c)
{
    uint64_t few[WATCHERS_FEW], *sessions = few;
    size_t count = f->writing ? chain_watched_by(c->election, c, few, WATCHERS_FEW) : 0;
    field_count(f, &count);
    if (count > WATCHERS_FEW) {
        sessions = xmalloc(count * sizeof *sessions);
        if (f->writing)
            chain_watched_by(c->election, c, sessions, count);
    }
    for (size_t i = 0; i < count; i++)
        field_number(f, &sessions[i]);
    if (!f->writing)
        chain_restore(c->election, c, sessions, count);
    if (sessions != few)
        free(sessions);
}

/* Fields that change during its life come last. */
void candidate_fields(struct fields *f, struct candidate *c)
{
    field_signed(f, &c->sequence);
    field_flag(f, &c->ranked);
    field_moment(f, &c->joined);
    field_flag(f, &c->joined_seen);
    field_flag(f, &c->known);
    field_flag(f, &c->denied);
    if (c->known)
        stat_fields(f, &c->stat);
    owner_fields(f, c);
    data_fields(f, c);
    field_text(f, &c->identity);
    field_enum(f, &c->identity_source, IDENTITY_ACKNOWLEDGEMENT);
    field_enum(f, &c->link, LINK_STUCK);
    c->link_why = field_kept(f, c->link_why);
    field_code(f, &c->wrong);
    field_code(f, &c->proof);
    watchers_fields(f, c);
    field_flag(f, &c->reads);
}

static void watches_fields(struct fields *f, struct client_session *s)
{
    size_t count = s->watch_count;
    field_count(f, &count);
    if (f->writing) {
        for (size_t i = 0; i < count; i++)
            field_kept(f, s->watches[i]);
        return;
    }
    const char **paths = xcalloc(count + 1, sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        paths[i] = field_kept(f, NULL);
        fields_need(f, paths[i]);
    }
    struct seen_watches seen = {s->id, paths, count, NULL};
    if (!f->in.bad)
        client_keep_watches(s, &seen);
    free(paths);
}

/* From 1; 0: none is known. */
static void field_server(struct fields *f, uint16_t *server)
{
    uint64_t number = *server == CLIENT_NOWHERE ? 0 : (uint64_t)*server + 1;
    field_number(f, &number);
    *server = number == 0 || number > CLIENT_NOWHERE ? CLIENT_NOWHERE : (uint16_t)(number - 1);
}

void session_fields(struct fields *f, struct client_session *s)
{
    /* While it pings in time, no round is worth a patch. */
    bool silent = f->writing && (client_is_silent(s) || (f->last && s->connected && s->silent_ms >= 0));
    field_text(f, &s->address);
    field_int(f, &s->timeout_ms);
    field_server(f, &s->server);
    s->connected = field_bit(f, s->connected);
    s->alive_known = field_bit(f, s->alive_known);
    s->alive = field_bit(f, s->alive);
    s->watches_known = field_bit(f, s->watches_known);
    s->watches_listed = field_bit(f, s->watches_listed);
    watches_fields(f, s);
    field_flag(f, &silent);
    if (!silent)
        return;
    field_int(f, &s->silent_ms);
    s->silent_is_bound = field_bit(f, s->silent_is_bound);
    field_moment(f, &s->seen);
}

/* ---- an election's course ---- */

static void subjects_fields(struct fields *f, struct finding *finding)
{
    size_t count = finding->candidate_count;
    field_count(f, &count);
    if (!f->writing) {
        finding->candidates = xcalloc(count + 1, sizeof *finding->candidates);
        finding->candidate_count = count;
    }
    for (size_t i = 0; i < count; i++) {
        field_text(f, &finding->candidates[i]);
        fields_need(f, finding->candidates[i]);
    }
}

static void advice_fields(struct fields *f, struct finding *finding)
{
    const char *usual = finding_kind(finding->code)->advice;
    bool is_usual = finding->advice && strcmp(finding->advice, usual) == 0;
    field_flag(f, &is_usual);
    if (!is_usual)
        field_text(f, &finding->advice);
    else if (!f->writing)
        finding->advice = xstrdup(usual);
}

void finding_fields(struct fields *f, struct finding *finding)
{
    field_code(f, &finding->code);
    field_number(f, &finding->subject);
    fields_key(f);
    field_moment(f, &finding->since);
    field_flag(f, &finding->one_poll);
    subjects_fields(f, finding);
    if (finding->code >= FINDING_COUNT) {
        f->in.bad = true;
        return;
    }
    advice_fields(f, finding);
    field_enum(f, &finding->severity, SEVERITY_CRITICAL);
    field_enum(f, &finding->certainty, CERTAINTY_CERTAIN);
    field_moment(f, &finding->unconfirmed_since);
    field_text(f, &finding->evidence);
    fields_need(f, finding->evidence);
    fields_need(f, finding->advice);
}

void tenure_fields(struct fields *f, struct tenure *tenure, uint64_t number)
{
    int64_t from_us = tenure->from.mono_us;
    field_signed(f, &from_us);
    field_number(f, &number);
    fields_key(f);
    field_moment(f, &tenure->from);
    field_text(f, &tenure->name);
    field_text(f, &tenure->identity);
    field_flag(f, &tenure->from_exact);
    field_flag(f, &tenure->gap);
    field_number(f, &tenure->session);
    field_moment(f, &tenure->to);
}

void departed_fields(struct fields *f, struct departure_note *note, uint64_t number)
{
    field_number(f, &number);
    fields_key(f);
    field_words(f, note->host, sizeof note->host);
    field_words(f, note->name, sizeof note->name);
    field_flag(f, &note->led);
    field_flag(f, &note->alone);
    field_number(f, &note->session);
    field_moment(f, &note->at);
}

void member_fields(struct fields *f, struct member *member)
{
    field_text(f, &member->name);
    fields_key(f);
    field_text(f, &member->identity);
    field_text(f, &member->about);
    field_number(f, &member->session);
    fields_need(f, member->name);
}
