/* Which items a model makes in a snapshot: everything that a screen or a sink reads. */
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "probe/election/bystanders.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/history/items.h"
#include "probe/history/snapshot.h"
#include "probe/history/snapshot_fields.h"

/* Other figures of a server than those that say something are noted as often. */
#define FIGURES_EVERY_US 60000000

struct writing {
    struct snapshot *snapshot;
    struct buffer *patch, *out; /* out: the item being written */
    struct fields fields;       /* into it: they leave the model as it is, so they may cast its const away */
};

static void snapshot_items_begin(struct writing *w, enum item_kind kind, uint32_t parent)
{
    item_begin(w->snapshot, kind, parent);
}

static uint32_t snapshot_items_end(struct writing *w)
{
    return item_end(w->snapshot, w->patch);
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

static bool same_knowledge(const struct server *a, const struct server *b)
{
    return (a->answer_us < 0) == (b->answer_us < 0) && (a->zxid < 0) == (b->zxid < 0) &&
           (a->child_watches < 0) == (b->child_watches < 0) && (a->connections < 0) == (b->connections < 0) &&
           (a->load_seen.mono_us == 0) == (b->load_seen.mono_us == 0) &&
           (a->slow_fsync.mono_us == 0) == (b->slow_fsync.mono_us == 0) && (a->lag > 0) == (b->lag > 0) &&
           (a->busiest_connections < 0) == (b->busiest_connections < 0) &&
           (a->watches_seen.mono_us == 0) == (b->watches_seen.mono_us == 0);
}

static void note_figures(struct last_figures *f, const struct server *s, int64_t now_us)
{
    uint32_t whose = hash_bytes(s->address, strlen(s->address), 0);
    if (f->noted_us != INT64_MIN && now_us - f->noted_us < FIGURES_EVERY_US && f->whose == whose &&
        same_knowledge(&f->noted, s))
        return;
    f->whose = whose;
    f->noted_us = now_us;
    f->noted = *s;
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
    server_fields(&w->fields, (struct server *)server, &figures->noted);
    snapshot_items_end(w);
}

static uint32_t snapshot_items_write_cluster(struct writing *w, const struct cluster *cluster, size_t i)
{
    snapshot_items_begin(w, ITEM_CLUSTER, SLOT_NONE);
    put_number(w->out, i);
    item_key(w->snapshot);
    cluster_fields(&w->fields, (struct cluster *)cluster);
    return snapshot_items_end(w);
}

/* ---- an election ---- */

static uint32_t snapshot_items_write_election(struct writing *w, const struct election *e, size_t i,
                                              uint32_t cluster)
{
    snapshot_items_begin(w, ITEM_ELECTION, cluster);
    put_text(w->out, e->path);
    item_key(w->snapshot);
    put_number(w->out, i);
    election_fields(&w->fields, (struct election *)e);
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

static void write_state(struct writing *w, const struct election *e, uint32_t at)
{
    snapshot_items_begin(w, ITEM_STATE, at);
    item_key(w->snapshot);
    state_fields(&w->fields, (struct election *)e);
    snapshot_items_end(w);
}

static uint32_t snapshot_items_write_candidate(struct writing *w, const struct candidate *c, uint32_t at)
{
    snapshot_items_begin(w, c->outside ? ITEM_OUTSIDER : ITEM_CANDIDATE, at);
    put_text(w->out, c->name);
    item_key(w->snapshot);
    candidate_fields(&w->fields, (struct candidate *)c);
    return snapshot_items_end(w);
}

static void write_session(struct writing *w, const struct client_session *session, uint32_t at)
{
    snapshot_items_begin(w, ITEM_SESSION, at);
    put_number(w->out, session->id);
    item_key(w->snapshot);
    session_fields(&w->fields, (struct client_session *)session);
    snapshot_items_end(w);
}

static void write_children(struct writing *w, struct candidate *const *list, size_t count,
                           enum item_kind order, uint32_t at)
{
    struct buffer *slots = &w->snapshot->order;
    buffer_clear(slots);
    for (size_t i = 0; i < count; i++) {
        const struct client_session *session = candidate_client(list[i]);
        put_number(slots, snapshot_items_write_candidate(w, list[i], at));
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
    finding_fields(&w->fields, (struct finding *)f);
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

/* Replaces the list of a history's written items: reads the old one and writes the new one, both in the order
 * of serials. */
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
    tenure_fields(&w->fields, (struct tenure *)tenure, same);
    return snapshot_items_end(w);
}

/* They begin one after the other; several that begin at once differ by their number. */
static void write_tenures(struct writing *w, const struct election *e, uint32_t at)
{
    struct keeping keeping = keeping_begin(item_tenures(w->snapshot, at));
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

/* Each in its place of the ring: who left changes one of them. Whose client was never seen, it says nothing
 * of. */
static void write_departed(struct writing *w, const struct election *e, uint32_t at)
{
    for (size_t i = 0; e->departed && i < e->departed->count; i++) {
        const struct departure_note *note = &e->departed->notes[i];
        if (note->session != 0 && note->host[0] == '\0')
            continue;
        snapshot_items_begin(w, ITEM_DEPARTED, at);
        departed_fields(&w->fields, (struct departure_note *)note, i);
        snapshot_items_end(w);
    }
}

static void snapshot_write_members(struct writing *w, const struct election *e, uint32_t at)
{
    for (size_t i = 0; i < e->listed_member_count; i++) {
        snapshot_items_begin(w, ITEM_MEMBER, at);
        member_fields(&w->fields, &e->listed_members[i]);
        snapshot_items_end(w);
    }
}

static void write_all_of(struct writing *w, const struct election *e, uint32_t at)
{
    write_state(w, e, at);
    write_children(w, e->candidates, e->candidate_count, ITEM_LINE, at);
    write_children(w, e->outsiders, e->outsider_count, ITEM_FOREIGN, at);
    snapshot_items_write_findings(w, e, at);
    write_tenures(w, e, at);
    write_departed(w, e, at);
    snapshot_write_members(w, e, at);
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

static void snapshot_write_elections(struct writing *w, const struct cluster *cluster, size_t *n, uint32_t at)
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
    struct writing w = {
        .snapshot = p, .patch = patch, .out = &p->item, .fields = {.writing = p, .last = model->finished}};
    size_t n = 0;
    p->round++;
    if (!p->has_base) {
        p->base_us = (int64_t)((uint64_t)model->now.wall_us - (uint64_t)model->now.mono_us);
        p->has_base = true;
    }
    w.fields.base_us = p->base_us;
    snapshot_items_begin(&w, ITEM_CLOCK, SLOT_NONE);
    item_key(p);
    put_signed(w.out, p->base_us);
    snapshot_items_end(&w);
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        uint32_t at = snapshot_items_write_cluster(&w, cluster, i);
        for (size_t k = 0; k < cluster->server_count; k++)
            snapshot_items_write_server(&w, model, i, k, at);
        snapshot_write_elections(&w, cluster, &n, at);
        items_sweep(p, at, patch);
    }
    items_sweep(p, SLOT_NONE, patch);
    p->election_count = n;
    p->turn = model->turn;
}
