#include "probe/case/observation_codec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/case/coding.h"
#include "probe/case/server_lists.h"
#include "probe/election/cluster.h"

#define KEPT_MEMORY_MOST ((size_t)64 << 20)
#define UNKNOWN_KIND ((enum observation_kind)KINDS)

struct kept_settings {
    struct kept_settings *next;
    struct election_settings settings;
    size_t size; /* of all from here on */
};

/* ---- a znode ---- */

#define STAT_LANES 11

static void stat_coding(struct coding *c, struct znode_stat *stat)
{
    coding_distance(c, &stat->czxid, c->zxid);
    coding_distance(c, &stat->mzxid, stat->czxid);
    coding_distance(c, &stat->pzxid, stat->czxid);
    coding_signed(c, &stat->ctime_ms);
    coding_distance(c, &stat->mtime_ms, stat->ctime_ms);
    coding_int(c, &stat->version);
    coding_int(c, &stat->cversion);
    coding_int(c, &stat->aversion);
    coding_int(c, &stat->data_length);
    coding_int(c, &stat->children);
    coding_number(c, &stat->owner);
    c->zxid = stat->czxid;
}

/* NULL where it may be. */
static void stat_there(struct coding *c, const struct znode_stat **stat, bool needed)
{
    bool there = c->out && *stat;
    coding_flag(c, &there);
    size_t lane = c->field;
    struct znode_stat *copy = there ? coding_take(c, 1, sizeof *copy) : NULL;
    if (copy && c->out)
        *copy = **stat;
    if (copy)
        stat_coding(c, copy);
    c->field = lane + STAT_LANES;
    *stat = copy;
    c->bad |= needed && !copy;
}

static void children_coding(struct coding *c, struct observed_children *o)
{
    const char *const *names = (const char *const *)o->names;
    stat_there(c, &o->stat, true);
    coding_strings(c, &names, &o->count);
    coding_distance(c, &o->synced_us, c->at.mono_us);
    o->names = (char *const *)(uintptr_t)names;
}

static void node_coding(struct coding *c, struct observed_node *o)
{
    stat_there(c, &o->stat, true);
    coding_flag(c, &o->has_data);
    size_t lane = c->field;
    if (o->has_data && c->pseudonyms)
        o->data = pseudonyms_data(c->pseudonyms, o->data, &o->data_length);
    if (o->has_data)
        coding_bytes(c, &o->data, &o->data_length);
    c->field = lane + 1;
}

/* ---- an election's settings ---- */

#define SETTINGS_LANES 16

static void settings_text(struct coding *c, char **text, bool needed)
{
    const char *words = *text;
    coding_text(c, &words, needed);
    *text = (char *)(uintptr_t)words;
}

static void settings_coding(struct coding *c, struct election_settings *s)
{
    settings_text(c, &s->path, true);
    settings_text(c, &s->name, false);
    coding_enum(c, &s->kind, KIND_AUTO);
    settings_text(c, &s->recipe, true);
    settings_text(c, &s->acknowledgement, false);
    settings_text(c, &s->identity, false);
    coding_enum(c, &s->inject, INJECT_LIVE);
    settings_text(c, &s->owner, false);
    settings_text(c, &s->runbook, false);
    coding_signed(c, &s->allow.vacancy_ms);
    coding_signed(c, &s->allow.failover_ms);
    coding_int(c, &s->allow.silent_percent);
    coding_int(c, &s->allow.leader_changes);
    coding_signed(c, &s->allow.leader_changes_ms);
    coding_signed(c, &s->allow.timeout_least_ms);
    coding_signed(c, &s->allow.timeout_most_ms);
}

#define SETTINGS_TEXTS 7

static size_t settings_texts(struct election_settings *s, char **texts[SETTINGS_TEXTS])
{
    char **all[SETTINGS_TEXTS] = {&s->path,     &s->name,  &s->recipe, &s->acknowledgement,
                                  &s->identity, &s->owner, &s->runbook};
    size_t size = sizeof(struct kept_settings);
    memcpy(texts, all, sizeof all);
    for (size_t i = 0; i < SETTINGS_TEXTS; i++)
        size += *all[i] ? strlen(*all[i]) + 1 : 0;
    return size;
}

static bool same_settings(struct election_settings *a, struct election_settings *b)
{
    char **texts[SETTINGS_TEXTS], **others[SETTINGS_TEXTS];
    bool same =
        a->kind == b->kind && a->inject == b->inject && memcmp(&a->allow, &b->allow, sizeof a->allow) == 0;
    settings_texts(a, texts);
    settings_texts(b, others);
    for (size_t i = 0; same && i < SETTINGS_TEXTS; i++)
        same = *texts[i] && *others[i] ? strcmp(*texts[i], *others[i]) == 0 : *texts[i] == *others[i];
    return same;
}

/* The same settings are kept once: each election may name them again and again. */
static const struct election_settings *settings_keep(struct coding *c, struct election_settings *s)
{
    char **texts[SETTINGS_TEXTS];
    struct kept_settings *k = *c->kept;
    while (k && !same_settings(&k->settings, s))
        k = k->next;
    if (k)
        return &k->settings;
    size_t size = settings_texts(s, texts) + (*c->kept ? (*c->kept)->size : 0);
    if (size > KEPT_MEMORY_MOST) {
        c->bad = true;
        return NULL;
    }
    k = xcalloc(1, sizeof *k);
    *k = (struct kept_settings){*c->kept, *s, size};
    settings_texts(&k->settings, texts);
    for (size_t i = 0; i < SETTINGS_TEXTS; i++)
        *texts[i] = text_copy(*texts[i]);
    *c->kept = k;
    return &k->settings;
}

void kept_settings_free(struct kept_settings *kept)
{
    while (kept) {
        struct kept_settings *next = kept->next;
        char **texts[SETTINGS_TEXTS];
        settings_texts(&kept->settings, texts);
        for (size_t i = 0; i < SETTINGS_TEXTS; i++)
            free(*texts[i]);
        free(kept);
        kept = next;
    }
}

static void election_coding(struct coding *c, struct observed_election *o)
{
    struct election_settings s = {.path = NULL};
    bool there = c->out && o->settings;
    if (there)
        s = *o->settings;
    coding_enum(c, &o->origin, ORIGIN_ORPHANED);
    coding_flag(c, &there);
    size_t lane = c->field;
    if (there)
        settings_coding(c, &s);
    c->field = lane + SETTINGS_LANES;
    if (!c->out)
        o->settings = there && !c->bad ? settings_keep(c, &s) : NULL;
}

/* ---- the other kinds ---- */

static void connection_coding(struct coding *c, struct observed_connection *o)
{
    coding_enum(c, &o->state, CONNECTION_REFUSED);
    coding_number(c, &o->session);
    coding_int(c, &o->timeout_ms);
    coding_text(c, &o->server, false);
    coding_signed(c, &o->silent_us);
    coding_sentence(c, &o->problem);
    coding_flag(c, &o->sees_all);
    coding_flag(c, &o->no_chroot);
}

static void server_coding(struct coding *c, struct observed_server *o)
{
    coding_text(c, &o->address, true);
    coding_flag(c, &o->unasked);
    coding_flag(c, &o->reachable);
    coding_enum(c, &o->mode, SERVER_READ_ONLY);
    coding_signed(c, &o->answer_us);
    coding_signed(c, &o->zxid);
    coding_int(c, &o->connections);
    coding_int(c, &o->tick_ms);
    coding_text(c, &o->version, false);
    coding_sentence(c, &o->problem);
}

static void load_coding(struct coding *c, const struct observation *o, struct observed_load *seen)
{
    struct server_load *load = &seen->load;
    coding_text(c, &seen->address, true);
    coding_flag(c, &seen->part);
    coding_signed(c, &load->id);
    server_lists_clock(c, o, seen->address, &load->uptime_ms);
    coding_signed(c, &load->latency_min_us);
    coding_signed(c, &load->latency_avg_us);
    coding_signed(c, &load->latency_max_us);
    coding_signed(c, &load->outstanding);
    coding_signed(c, &load->znodes);
    coding_signed(c, &load->ephemerals);
    coding_signed(c, &load->watches);
    coding_signed(c, &load->address_connections_most);
    coding_signed(c, &load->slow_fsyncs);
}

static void replica_coding(struct coding *c, struct observed_replica *o)
{
    coding_uint32(c, &o->round);
    coding_text(c, &o->address, false);
    stat_there(c, &o->stat, false);
}

static void transaction_coding(struct coding *c, struct observed_transaction *o)
{
    coding_signed(c, &o->zxid);
    coding_flag(c, &o->unproven);
    coding_enum(c, &o->deed, DEED_EXPIRED);
    coding_number(c, &o->session);
    coding_signed(c, &o->czxid);
    coding_int(c, &o->timeout_ms);
    coding_flag(c, &o->stalled);
    coding_distance(c, &o->active_us, c->at.mono_us);
    coding_flag(c, &o->captured);
    coding_distance(c, &o->heard_us, c->at.mono_us);
    coding_distance(c, &o->gone_us, c->at.mono_us);
    if (coding_holds_next(c))
        coding_text(c, &o->identity, false);
    if (coding_holds_next(c))
        coding_number(c, &o->owner);
}

static void captured_coding(struct coding *c, struct observed_captured *o)
{
    coding_enum(c, &o->step, CAPTURED_APART);
    coding_text(c, &o->address, true);
    coding_number(c, &o->session);
    coding_text(c, &o->client, o->session != 0); /* 0: of a server */
    coding_int(c, &o->timeout_ms);
    coding_flag(c, &o->connected);
    coding_flag(c, &o->watches_known);
    coding_distance(c, &o->heard_us, c->at.mono_us);
    coding_distance(c, &o->asked_us, c->at.mono_us);
    o->count = coding_count(c, o->count);
    struct captured_watch *watches = coding_take(c, o->count, sizeof *watches);
    if (!watches)
        o->count = 0;
    size_t lane = c->field;
    for (size_t i = 0; i < o->count; i++) {
        c->field = lane;
        if (c->out)
            watches[i] = o->watches[i];
        const char *path = watches[i].path;
        coding_text(c, &path, true);
        coding_enum(c, &watches[i].kind, WATCH_RECURSIVE);
        coding_distance(c, &watches[i].since_us, c->at.mono_us);
        watches[i].path = (char *)(uintptr_t)path;
    }
    c->field = lane + 3;
    o->watches = watches;
    if (!coding_holds_next(c))
        return; /* of before these were kept */
    coding_int(c, &o->requests);
    coding_signed(c, &o->slowest_us);
}

static void payload_coding(struct coding *c, struct observation *o)
{
    switch (o->kind) {
    case OBSERVED_CONNECTION:
        connection_coding(c, &o->connection);
        break;
    case OBSERVED_SERVER:
        server_coding(c, &o->server);
        break;
    case OBSERVED_ELECTION:
        election_coding(c, &o->subject);
        break;
    case OBSERVED_CHILDREN:
        children_coding(c, &o->children);
        break;
    case OBSERVED_NODE:
        node_coding(c, &o->node);
        break;
    case OBSERVED_UNREAD:
        coding_enum(c, &o->unread.part, UNREAD_NOT_LISTED);
        break;
    case OBSERVED_GAP:
        coding_signed(c, &o->gap_us);
        break;
    case OBSERVED_CONNECTIONS:
        server_lists_connections(c, o);
        break;
    case OBSERVED_WATCHES:
        server_lists_watches(c, o);
        break;
    case OBSERVED_SESSIONS:
        server_lists_sessions(c, o);
        break;
    case OBSERVED_HIDDEN:
        coding_text(c, &o->hidden.address, true);
        coding_enum(c, &o->hidden.part, HIDDEN_SESSIONS);
        coding_sentence(c, &o->hidden.problem);
        break;
    case OBSERVED_REPLICA:
        replica_coding(c, &o->replica);
        break;
    case OBSERVED_SILENCE:
        coding_signed(c, &o->silent_since.mono_us);
        coding_signed(c, &o->silent_since.wall_us);
        break;
    case OBSERVED_ENSEMBLE:
        coding_strings(c, &o->ensemble.addresses, &o->ensemble.count);
        coding_enum(c, &o->ensemble.known, ENSEMBLE_PART);
        break;
    case OBSERVED_LOAD:
        load_coding(c, o, &o->load);
        break;
    case OBSERVED_BAD_REPLY:
        coding_text(c, &o->bad_reply.address, true);
        coding_sentence(c, &o->bad_reply.what);
        c->bad |= !o->bad_reply.what;
        break;
    case OBSERVED_TRANSACTION:
        transaction_coding(c, &o->transaction);
        break;
    case OBSERVED_CAPTURED:
        captured_coding(c, &o->captured);
        break;
    case OBSERVED_CLOCK:
        coding_text(c, &o->clock.address, true);
        coding_signed(c, &o->clock.ahead_us);
        break;
    case OBSERVED_DROPPED:
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
    case OBSERVED_TICK:
    case OBSERVED_CLEARED:
    case OBSERVED_READ:
        break;
    }
}

/* The same for all kinds, known or not. The first field is the kind. */
static void observation_coding(struct coding *c, struct observation *o)
{
    uint64_t kind = o->kind;
    c->group = c->field = 0;
    coding_number(c, &kind);
    int64_t wall_us = (int64_t)((uint64_t)c->at.wall_us - (uint64_t)c->at.mono_us);
    uint64_t cluster = o->cluster;
    coding_distance(c, &o->at.mono_us, c->at.mono_us);
    coding_distance(c, &o->at.wall_us, (int64_t)((uint64_t)wall_us + (uint64_t)o->at.mono_us));
    coding_number(c, &cluster);
    coding_text(c, &o->election, false);
    coding_text(c, &o->path, false);
    o->cluster = (unsigned)cluster;
    o->kind = kind < KINDS ? (enum observation_kind)kind : UNKNOWN_KIND;
    c->at = o->at;
    c->group = (size_t)o->kind + 1;
    c->field = 0;
}

/* ---- a whole one ---- */

void coding_put(struct coding *c, const struct observation *observation)
{
    struct observation o = *observation;
    observation_coding(c, &o);
    payload_coding(c, &o);
}

bool coding_get(struct coding *c, struct observation *o)
{
    while (!c->bad && c->lanes[1].in.at < c->lanes[1].in.end) {
        *o = (struct observation){.kind = OBSERVED_TICK};
        observation_coding(c, o);
        c->skipped += o->kind == UNKNOWN_KIND;
        if (o->kind == UNKNOWN_KIND)
            continue;
        if (!c->heads)
            payload_coding(c, o);
        if (!c->bad)
            return true;
    }
    return false;
}
