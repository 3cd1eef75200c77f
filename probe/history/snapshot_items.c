/* What of a model is written into a snapshot: everything that a screen or a sink reads (as model_copy()). */
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/bystanders.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/registry.h"
#include "probe/history/items.h"
#include "probe/history/snapshot.h"

/* Other figures of a server than those that say something are noted as often. */
#define FIGURES_EVERY_US 60000000

struct writing {
    struct snapshot *snapshot;
    struct buffer *patch, *out; /* out: the item being written */
};

static void snapshot_items_begin(struct writing *w, enum item_kind kind, uint32_t parent)
{
    item_begin(w->snapshot, kind, parent);
}

static uint32_t snapshot_items_end(struct writing *w)
{
    return item_end(w->snapshot, w->patch);
}

static void put_flag(struct writing *w, bool flag)
{
    put_number(w->out, flag);
}

static void snapshot_items_put_time(struct writing *w, struct moment moment)
{
    put_moment(w->out, moment, w->snapshot->base_us);
}

/* ---- a cluster ---- */

static struct last_figures *snapshot_items_figures_of(struct snapshot *p, size_t cluster, size_t server)
{
    for (size_t i = 0; i < p->figure_count; i++)
        if (p->figures[i].cluster == cluster && p->figures[i].server == server)
            return &p->figures[i];
    struct last_figures *figures = xreallocarray(p->figures, p->figure_count + 1, sizeof *figures);
    p->figures = figures;
    figures = &p->figures[p->figure_count++];
    *figures = (struct last_figures){.cluster = cluster, .server = server, .noted_us = INT64_MIN};
    return figures;
}

static bool same_knowledge(const struct last_figures *f, const struct server *s)
{
    return (f->answer_us < 0) == (s->answer_us < 0) && (f->zxid < 0) == (s->zxid < 0) &&
           (f->child_watches < 0) == (s->child_watches < 0) && (f->connections < 0) == (s->connections < 0) &&
           (f->load_seen.mono_us == 0) == (s->load_seen.mono_us == 0) &&
           (f->slow_fsync.mono_us == 0) == (s->slow_fsync.mono_us == 0) && (f->lag > 0) == (s->lag > 0) &&
           (f->busiest_connections < 0) == (s->busiest_connections < 0) &&
           (f->watches_seen.mono_us == 0) == (s->watches_seen.mono_us == 0);
}

static void note_figures(struct last_figures *f, const struct server *s, int64_t now_us)
{
    uint32_t whose = name_hash(s->address, strlen(s->address), 0);
    if (f->noted_us != INT64_MIN && now_us - f->noted_us < FIGURES_EVERY_US && f->whose == whose &&
        same_knowledge(f, s))
        return;
    *f = (struct last_figures){.cluster = f->cluster,
                               .server = f->server,
                               .whose = whose,
                               .noted_us = now_us,
                               .answer_us = s->answer_us,
                               .zxid = s->zxid,
                               .child_watches = s->child_watches,
                               .connections = s->connections,
                               .watch_count = s->watch_count,
                               .seen = s->seen,
                               .watches_seen = s->watches_seen,
                               .load_seen = s->load_seen,
                               .load = s->load,
                               .slow_fsync = s->slow_fsync,
                               .lag = s->lag,
                               .lag_us = s->lag_us,
                               .busiest_connections = s->busiest_connections};
    memcpy(f->busiest_address, s->busiest_address, sizeof f->busiest_address);
}

static void snapshot_items_write_load(struct writing *w, const struct last_figures *f)
{
    const struct server_load *load = &f->load;
    const int64_t figures[] = {load->id,
                               load->uptime_ms,
                               load->latency_min_us,
                               load->latency_avg_us,
                               load->latency_max_us,
                               load->outstanding,
                               load->znodes,
                               load->ephemerals,
                               load->watches,
                               load->address_connections_most,
                               f->lag,
                               f->lag_us,
                               f->busiest_connections};
    snapshot_items_put_time(w, f->load_seen);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        put_signed(w->out, figures[i]);
    put_text(w->out, f->busiest_address);
}

static void snapshot_items_write_server(struct writing *w, const struct model *model, size_t cluster,
                                        size_t i, uint32_t at)
{
    const struct server *server = &model->clusters[cluster].servers[i];
    struct last_figures *figures = snapshot_items_figures_of(w->snapshot, cluster, i);
    note_figures(figures, server, model->now.mono_us);
    snapshot_items_begin(w, ITEM_SERVER, at);
    put_number(w->out, i);
    item_key(w->snapshot);
    put_text(w->out, server->address);
    put_flag(w, server->unasked);
    put_flag(w, server->reachable);
    put_number(w->out, server->mode);
    put_text(w->out, server->version);
    put_text(w->out, server->problem);
    put_text(w->out, server->watches_from);
    for (size_t k = 0; k < sizeof server->hidden / sizeof server->hidden[0]; k++)
        put_text(w->out, server->hidden[k]);
    put_signed(w->out, figures->answer_us);
    put_signed(w->out, figures->zxid);
    put_signed(w->out, figures->connections);
    put_signed(w->out, figures->child_watches);
    put_number(w->out, figures->watch_count);
    snapshot_items_put_time(w, figures->seen);
    snapshot_items_put_time(w, figures->watches_seen);
    snapshot_items_write_load(w, figures);
    put_signed(w->out, server->bad_replies);
    put_text(w->out, server->bad_reply);
    put_signed(w->out, figures->load.slow_fsyncs);
    snapshot_items_put_time(w, figures->slow_fsync);
    snapshot_items_end(w);
}

static uint32_t snapshot_items_write_cluster(struct writing *w, const struct cluster *cluster, size_t i)
{
    snapshot_items_begin(w, ITEM_CLUSTER, SLOT_NONE);
    put_number(w->out, i);
    item_key(w->snapshot);
    put_text(w->out, cluster->name);
    put_text(w->out, cluster->hosts);
    put_text(w->out, cluster->chroot);
    put_number(w->out, cluster->connection);
    put_flag(w, cluster->ever_connected);
    snapshot_items_put_time(w, cluster->connection_since);
    put_number(w->out, cluster->session);
    put_signed(w->out, cluster->timeout_ms);
    put_text(w->out, cluster->connected_to);
    put_text(w->out, cluster->problem);
    snapshot_items_put_time(w, cluster->stood_still_from);
    snapshot_items_put_time(w, cluster->stood_still_to);
    put_number(w->out, cluster->ensemble);
    return snapshot_items_end(w);
}

/* ---- an election ---- */

static void put_recipe(struct writing *w, const struct recipe *recipe)
{
    put_text(w->out, recipe ? recipe->name : NULL);
    if (!recipe)
        return;
    put_text(w->out, recipe->title);
    put_number(w->out, recipe->family);
    put_text(w->out, recipe->candidate);
    put_flag(w, recipe->signature);
    put_number(w->out, recipe->watches);
    put_number(w->out, recipe->ack_place);
    put_text(w->out, recipe->ack);
}

static void put_settings(struct writing *w, const struct election_settings *settings)
{
    put_flag(w, settings != NULL);
    if (!settings)
        return;
    put_text(w->out, settings->path);
    put_text(w->out, settings->name);
    put_number(w->out, settings->kind);
    put_text(w->out, settings->recipe);
    put_text(w->out, settings->acknowledgement);
    put_text(w->out, settings->identity);
    put_number(w->out, settings->inject);
    put_signed(w->out, settings->allow.vacancy_ms);
    put_signed(w->out, settings->allow.failover_ms);
    put_signed(w->out, settings->allow.silent_percent);
    put_signed(w->out, settings->allow.leader_changes);
    put_signed(w->out, settings->allow.leader_changes_ms);
}

static uint32_t snapshot_items_write_election(struct writing *w, const struct election *e, size_t i,
                                              uint32_t cluster)
{
    snapshot_items_begin(w, ITEM_ELECTION, cluster);
    put_text(w->out, e->path);
    item_key(w->snapshot);
    put_number(w->out, i);
    put_text(w->out, e->name);
    put_number(w->out, e->kind);
    put_number(w->out, e->origin);
    put_settings(w, e->settings);
    put_recipe(w, e->recipe);
    put_number(w->out, e->recognised);
    put_number(w->out, e->ack_place);
    put_text(w->out, e->ack_path);
    put_text(w->out, e->registry_path);
    return snapshot_items_end(w);
}

/* Nothing was observed of the n-th of all elections: it stays, with all that is below it. SLOT_NONE: it is
 * not there yet. */
static uint32_t keep_election(struct writing *w, const struct election *e, size_t n, uint32_t cluster)
{
    struct snapshot *p = w->snapshot;
    if (n < p->election_count && e->serial != 0 && p->elections[n].serial == e->serial) {
        item_stays(p, p->elections[n].slot);
        return p->elections[n].slot;
    }
    snapshot_items_begin(w, ITEM_ELECTION, cluster);
    put_text(w->out, e->path);
    item_key(p);
    return item_keep(p);
}

static void put_change(struct writing *w, const struct change *change)
{
    put_text(w->out, change->from);
    put_text(w->out, change->from_identity);
    put_text(w->out, change->to);
    put_text(w->out, change->to_identity);
    snapshot_items_put_time(w, change->lost_at);
    put_flag(w, change->lost_seen);
    put_signed(w->out, change->vacancy_us);
    put_signed(w->out, change->takeover_us);
}

static void write_state(struct writing *w, const struct election *e, uint32_t at)
{
    snapshot_items_begin(w, ITEM_STATE, at);
    item_key(w->snapshot);
    put_number(w->out, e->state);
    snapshot_items_put_time(w, e->state_since);
    put_flag(w, e->state_since_exact);
    put_text(w->out, e->problem);
    put_flag(w, e->leader != NULL);
    snapshot_items_put_time(w, e->leader_since);
    put_flag(w, e->leader_since_exact);
    put_number(w->out, e->acknowledged);
    snapshot_items_put_time(w, e->unacknowledged_since);
    put_flag(w, e->ack_known);
    put_flag(w, e->ack_present);
    put_number(w->out, e->ack_stat.owner);
    put_text(w->out, e->ack_identity);
    put_flag(w, registry_complete(e));
    put_flag(w, e->directory_known);
    put_flag(w, e->listed.mono_us != 0);
    put_flag(w, e->fresh);
    snapshot_items_put_time(w, e->stale_since);
    put_signed(w->out, e->next_sequence);
    put_number(w->out, e->unknown_count);
    put_flag(w, e->shows_predecessor);
    put_number(w->out, e->counters.joined);
    put_number(w->out, e->counters.left);
    put_number(w->out, e->counters.leader_changes);
    put_number(w->out, e->counters.missed_changes);
    put_number(w->out, e->counters.unseen_joined);
    put_number(w->out, e->counters.unseen_left);
    put_change(w, &e->change);
    put_number(w->out, e->foreign_count);
    for (size_t i = 0; e->foreign && i < e->foreign_count && i < FOREIGN_KEPT; i++)
        put_text(w->out, e->foreign[i]);
    /* These came later than the rest: they may be missing. */
    snapshot_items_put_time(w, e->unseen_at);
    put_number(w->out, e->kind_proof);
    put_flag(w, e->hidden_watches);
    put_signed(w->out, e->ack_stat.ctime_ms);
    put_signed(w->out, e->ack_stat.mtime_ms);
    put_flag(w, e->members_listed);
    put_text(w->out, e->members_path);
    snapshot_items_end(w);
}

static void put_stat(struct writing *w, const struct znode_stat *stat)
{
    put_signed(w->out, stat->czxid);
    put_signed(w->out, (int64_t)((uint64_t)stat->mzxid - (uint64_t)stat->czxid));
    put_signed(w->out, (int64_t)((uint64_t)stat->pzxid - (uint64_t)stat->czxid));
    put_signed(w->out, stat->ctime_ms);
    put_signed(w->out, (int64_t)((uint64_t)stat->mtime_ms - (uint64_t)stat->ctime_ms));
    put_signed(w->out, stat->version);
    put_signed(w->out, stat->cversion);
    put_signed(w->out, stat->aversion);
    put_signed(w->out, stat->data_length);
    put_signed(w->out, stat->children);
    put_number(w->out, stat->owner);
}

/* By word: the numbers of codes may change from one version of the program to the next. */
static void snapshot_items_put_code(struct writing *w, enum finding_code code)
{
    put_text(w->out, code < FINDING_COUNT ? finding_kind(code)->word : NULL);
}

#define WATCHERS_FEW 64

static void snapshot_items_put_watchers(struct writing *w, const struct election *e,
                                        const struct candidate *c)
{
    uint64_t few[WATCHERS_FEW], *sessions = few;
    size_t count = chain_watched_by(e, c, few, WATCHERS_FEW);
    if (count > WATCHERS_FEW) {
        sessions = xmalloc(count * sizeof *sessions);
        chain_watched_by(e, c, sessions, count);
    }
    put_number(w->out, count);
    for (size_t i = 0; i < count; i++)
        put_number(w->out, sessions[i]);
    if (sessions != few)
        free(sessions);
}

/* Fields that change during its life come last. */
static uint32_t snapshot_items_write_candidate(struct writing *w, const struct election *e,
                                               const struct candidate *c, uint32_t at)
{
    snapshot_items_begin(w, c->outside ? ITEM_OUTSIDER : ITEM_CANDIDATE, at);
    put_text(w->out, c->name);
    item_key(w->snapshot);
    put_signed(w->out, c->sequence);
    put_flag(w, c->ranked);
    snapshot_items_put_time(w, c->joined);
    put_flag(w, c->joined_seen);
    put_flag(w, c->known);
    put_flag(w, c->denied);
    if (c->known)
        put_stat(w, &c->stat);
    const struct client_session *session = c->outside ? NULL : candidate_client(c);
    put_number(w->out, session ? session->id : 0);
    put_bytes(w->out, c->data, c->data_length);
    put_text(w->out, c->identity);
    put_number(w->out, c->identity_source);
    put_number(w->out, c->link);
    put_text(w->out, c->link_why);
    snapshot_items_put_code(w, c->wrong);
    snapshot_items_put_code(w, c->proof);
    snapshot_items_put_watchers(w, e, c);
    if (c->reads) /* since later than the rest */
        put_flag(w, true);
    return snapshot_items_end(w);
}

static void write_session(struct writing *w, const struct client_session *s, uint32_t at)
{
    /* While it pings in time, nothing is worth a patch a round. */
    bool silent = client_is_silent(s);
    snapshot_items_begin(w, ITEM_SESSION, at);
    put_number(w->out, s->id);
    item_key(w->snapshot);
    put_text(w->out, s->address);
    put_signed(w->out, s->timeout_ms);
    put_number(w->out, s->server == CLIENT_NOWHERE ? 0 : (uint64_t)s->server + 1);
    put_flag(w, s->connected);
    put_flag(w, s->alive_known);
    put_flag(w, s->alive);
    put_flag(w, s->watches_known);
    put_flag(w, s->watches_listed);
    put_number(w->out, s->watch_count);
    for (uint32_t i = 0; i < s->watch_count; i++)
        put_text(w->out, s->watches[i]);
    put_flag(w, silent);
    if (silent) {
        put_signed(w->out, s->silent_ms);
        put_flag(w, s->silent_is_bound);
        snapshot_items_put_time(w, s->seen);
    }
    snapshot_items_end(w);
}

static void write_children(struct writing *w, const struct election *e, struct candidate *const *list,
                           size_t count, enum item_kind order, uint32_t at)
{
    struct buffer *slots = &w->snapshot->order;
    buffer_clear(slots);
    for (size_t i = 0; i < count; i++) {
        const struct client_session *session = candidate_client(list[i]);
        put_number(slots, snapshot_items_write_candidate(w, e, list[i], at));
        if (session && !list[i]->outside)
            write_session(w, session, at);
    }
    snapshot_items_begin(w, order, at);
    item_key(w->snapshot);
    buffer_put(w->out, slots->bytes, slots->length);
    snapshot_items_end(w);
}

static uint32_t snapshot_items_write_finding(struct writing *w, const struct finding *f, uint32_t at)
{
    snapshot_items_begin(w, ITEM_FINDING, at);
    snapshot_items_put_code(w, f->code);
    put_number(w->out, f->subject);
    item_key(w->snapshot);
    snapshot_items_put_time(w, f->since);
    put_flag(w, f->one_look);
    put_number(w->out, f->candidate_count);
    for (size_t i = 0; i < f->candidate_count; i++)
        put_text(w->out, f->candidates[i]);
    bool usual = f->advice && strcmp(f->advice, finding_kind(f->code)->advice) == 0;
    put_flag(w, usual);
    if (!usual)
        put_text(w->out, f->advice);
    put_number(w->out, f->severity);
    put_number(w->out, f->certainty);
    snapshot_items_put_time(w, f->unconfirmed_since);
    put_text(w->out, f->evidence);
    return snapshot_items_end(w);
}

static void snapshot_items_write_findings(struct writing *w, const struct election *e, uint32_t at)
{
    struct buffer *slots = &w->snapshot->order;
    buffer_clear(slots);
    for (size_t i = 0; i < e->finding_count; i++)
        put_number(slots, snapshot_items_write_finding(w, e->findings[i], at));
    snapshot_items_begin(w, ITEM_WORST, at);
    item_key(w->snapshot);
    buffer_put(w->out, slots->bytes, slots->length);
    snapshot_items_end(w);
}

/* A list of what was written of a history is gone through and written anew, both in the order of serials. */
struct keeping {
    struct kept_list *list;
    size_t count, next; /* of the update before */
};

static struct keeping keeping_begin(struct kept_list *list)
{
    struct keeping k = {list, list->count, 0};
    list->count = 0;
    return k;
}

static void keeping_add(struct keeping *k, struct kept_item item)
{
    struct kept_list *list = k->list;
    room_for_one(&list->items, list->count, &list->room, sizeof *list->items);
    list->items[list->count++] = item;
}

/* It was written before, and cannot have changed. */
static bool keep_settled(struct writing *w, struct keeping *k, uint64_t serial, struct kept_item *kept)
{
    const struct kept_item *items = k->list->items;
    while (k->next < k->count && items[k->next].serial < serial)
        k->next++;
    if (serial == 0 || k->next == k->count || items[k->next].serial != serial || !items[k->next].settled)
        return false;
    *kept = items[k->next];
    item_stays(w->snapshot, kept->slot);
    return true;
}

static uint32_t snapshot_items_write_tenure(struct writing *w, const struct tenure *tenure, uint32_t same,
                                            uint32_t at)
{
    snapshot_items_begin(w, ITEM_TENURE, at);
    put_signed(w->out, tenure->from.mono_us);
    put_number(w->out, same);
    item_key(w->snapshot);
    snapshot_items_put_time(w, tenure->from);
    put_text(w->out, tenure->name);
    put_text(w->out, tenure->identity);
    put_flag(w, tenure->from_exact);
    put_flag(w, tenure->gap);
    snapshot_items_put_time(w, tenure->to);
    return snapshot_items_end(w);
}

/* They begin one after the other; several that begin at once differ by their number. */
static void write_tenures(struct writing *w, const struct election *e, uint32_t at)
{
    struct keeping keeping = keeping_begin(&item_history(w->snapshot, at)->tenures);
    struct kept_item item = {0};
    for (size_t i = 0; i < e->tenure_count; i++) {
        const struct tenure *tenure = election_tenure_at(e, i);
        if (!keep_settled(w, &keeping, tenure->serial, &item)) {
            bool again = i > 0 && election_tenure_at(e, i - 1)->from.mono_us == tenure->from.mono_us;
            item.same = again ? item.same + 1 : 0;
            item.serial = tenure->serial;
            item.settled = i + 3 < e->tenure_count;
            item.slot = snapshot_items_write_tenure(w, tenure, item.same, at);
        }
        keeping_add(&keeping, item);
    }
}

static void snapshot_items_put_span(struct writing *w, struct span span)
{
    put_signed(w->out, span.low_us);
    put_signed(w->out, span.high_us);
}

static uint32_t snapshot_items_write_failover(struct writing *w, const struct failover *f, uint32_t at)
{
    snapshot_items_begin(w, ITEM_FAILOVER, at);
    snapshot_items_put_time(w, f->lost_at);
    put_text(w->out, f->from);
    put_text(w->out, f->to);
    item_key(w->snapshot);
    put_text(w->out, f->from_identity);
    put_text(w->out, f->to_identity);
    snapshot_items_put_time(w, f->elected_at);
    put_number(w->out, f->cause);
    put_number(w->out, f->cause_certainty);
    snapshot_items_put_span(w, f->detection);
    snapshot_items_put_span(w, f->vacancy);
    snapshot_items_put_span(w, f->takeover);
    snapshot_items_put_span(w, f->total);
    put_signed(w->out, f->gap_us);
    put_text(w->out, f->evidence);
    return snapshot_items_end(w);
}

static void snapshot_items_write_failovers(struct writing *w, const struct election *e, uint32_t at)
{
    struct keeping keeping = keeping_begin(&item_history(w->snapshot, at)->failovers);
    struct kept_item item = {.settled = true};
    for (size_t i = 0; i < e->failover_count; i++) {
        const struct failover *f = election_failover_at(e, i);
        if (!keep_settled(w, &keeping, f->serial, &item)) {
            item.serial = f->serial;
            item.slot = snapshot_items_write_failover(w, f, at);
        }
        keeping_add(&keeping, item);
    }
}

/* Each in its place of the ring: who left changes one of them. Whose client was never seen, it says nothing
 * of. */
static void write_departed(struct writing *w, const struct election *e, uint32_t at)
{
    for (size_t i = 0; e->departed && i < e->departed->count; i++) {
        const struct departure_note *note = &e->departed->notes[i];
        if (note->host[0] == '\0')
            continue;
        snapshot_items_begin(w, ITEM_DEPARTED, at);
        put_number(w->out, i);
        item_key(w->snapshot);
        put_text(w->out, note->host);
        put_text(w->out, note->name);
        put_flag(w, note->led);
        put_flag(w, note->alone);
        put_number(w->out, note->session);
        snapshot_items_put_time(w, note->at);
        snapshot_items_end(w);
    }
}

static void write_members(struct writing *w, const struct election *e, uint32_t at)
{
    for (size_t i = 0; i < e->listed_member_count; i++) {
        const struct member *member = &e->listed_members[i];
        snapshot_items_begin(w, ITEM_MEMBER, at);
        put_text(w->out, member->name);
        item_key(w->snapshot);
        put_text(w->out, member->identity);
        put_text(w->out, member->about);
        put_number(w->out, member->session);
        snapshot_items_end(w);
    }
}

static void write_all_of(struct writing *w, const struct election *e, uint32_t at)
{
    write_state(w, e, at);
    write_children(w, e, e->candidates, e->candidate_count, ITEM_LINE, at);
    write_children(w, e, e->outsiders, e->outsider_count, ITEM_FOREIGN, at);
    snapshot_items_write_findings(w, e, at);
    write_tenures(w, e, at);
    snapshot_items_write_failovers(w, e, at);
    write_departed(w, e, at);
    write_members(w, e, at);
    items_sweep(w->snapshot, at, w->patch);
}

static void note_election(struct snapshot *p, size_t n, const struct election *e, uint32_t at)
{
    if (n == p->election_count) {
        room_for_one(&p->elections, p->election_count, &p->election_room, sizeof *p->elections);
        p->election_count++;
    }
    p->elections[n] = (struct kept_item){.serial = e->serial, .slot = at};
}

static void write_elections(struct writing *w, const struct cluster *cluster, size_t *n, uint32_t at)
{
    struct snapshot *p = w->snapshot;
    for (size_t k = 0; k < cluster->election_count; k++, ++*n) {
        const struct election *e = cluster->elections[k];
        bool same = e->turn <= p->turn && cluster->turn <= p->turn;
        uint32_t election = same ? keep_election(w, e, *n, at) : SLOT_NONE;
        if (election == SLOT_NONE) {
            election = snapshot_items_write_election(w, e, k, at);
            write_all_of(w, e, election);
        }
        note_election(p, *n, e, election);
    }
}

void snapshot_update(struct snapshot *p, const struct model *model, struct buffer *patch)
{
    struct writing w = {.snapshot = p, .patch = patch, .out = &p->item};
    size_t n = 0;
    p->round++;
    if (!p->has_base) {
        p->base_us = (int64_t)((uint64_t)model->now.wall_us - (uint64_t)model->now.mono_us);
        p->has_base = true;
    }
    snapshot_items_begin(&w, ITEM_CLOCK, SLOT_NONE);
    item_key(p);
    put_signed(w.out, p->base_us);
    snapshot_items_end(&w);
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        uint32_t at = snapshot_items_write_cluster(&w, cluster, i);
        for (size_t k = 0; k < cluster->server_count; k++)
            snapshot_items_write_server(&w, model, i, k, at);
        write_elections(&w, cluster, &n, at);
        items_sweep(p, at, patch);
    }
    items_sweep(p, SLOT_NONE, patch);
    p->election_count = n;
    p->turn = model->turn;
}
