#include "probe/election/chain.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/announced.h"
#include "probe/election/candidates.h"
#include "probe/election/certainty.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/session_table.h"
#include "probe/election/watch_proof.h"

bool shared_lock(const struct election *election)
{
    return election->reader_count > 0;
}

size_t shared_lock_holders(const struct election *election)
{
    size_t count = 0;
    if (election->candidate_count == 0 || !shared_lock(election) || !election->candidates[0]->reads)
        return election->candidate_count > 0;
    while (count < election->candidate_count && election->candidates[count]->reads)
        count++;
    return count;
}

bool shared_lock_holds(const struct election *election, const struct candidate *candidate)
{
    if (!shared_lock(election))
        return election->candidate_count > 0 && election->candidates[0] == candidate;
    return candidate->place < shared_lock_holders(election) &&
           election->candidates[candidate->place] == candidate;
}

/* The member that the one at this place waits for: of several possible ones, the nearest. NULL: none, it
 * holds. */
static const struct candidate *shared_lock_awaited(const struct election *election, size_t place)
{
    struct candidate *const *line = election->candidates;
    if (place == 0 || place < shared_lock_holders(election))
        return NULL;
    if (!line[place]->reads)
        return line[place - 1];
    while (place-- > 0)
        if (!line[place]->reads)
            return line[place];
    return NULL;
}

/* The member waits for this one, or may as well: its end brings the member's turn nearer. */
static bool shared_lock_serves(const struct election *election, const struct candidate *member,
                               const struct candidate *watched)
{
    if (watched->place >= member->place || member->place < shared_lock_holders(election))
        return false;
    return member->reads ? !watched->reads : watched->place + 1u == member->place;
}

/* How long a client may take to look again after its predecessor changed. */
#define SETTLING_US 2000000

/* One watch of a session on a candidate. */
struct chain_link {
    uint64_t session;
    uint32_t next; /* of the same candidate, from 1; 0: the last */
};

/* ---- for readers ---- */

const struct client_session *candidate_client(const struct candidate *candidate)
{
    return candidate->own->client ? &candidate->own->client->shown : NULL;
}

static bool each_leads(const struct election *election)
{
    const struct candidate *first = election->candidate_count ? election->candidates[0] : NULL;
    size_t length = strlen(RECIPE_EACH_LEADS);
    for (size_t i = 0; first && first->data && i + length <= first->data_length; i++)
        if (memcmp(first->data + i, RECIPE_EACH_LEADS, length) == 0)
            return true;
    return false;
}

#define SEQUENCE_LENGTH 10

static bool same_member(const struct candidate *one, const struct candidate *other)
{
    size_t length = strlen(one->name);
    return length > SEQUENCE_LENGTH && strlen(other->name) == length &&
           memcmp(one->name, other->name, length - SEQUENCE_LENGTH) == 0;
}

/* The candidate before this one, not counting further znodes of one member. NULL: it is such a further znode. */
static const struct candidate *member_before(const struct election *election, size_t place)
{
    struct candidate *const *line = election->candidates;
    const struct candidate *first = line[place - 1];
    for (size_t i = place; i-- > 0;) {
        if (same_member(line[i], line[place]))
            return NULL;
        if (same_member(line[i], line[place - 1]))
            first = line[i];
    }
    return first;
}

/* What members of this layout watch, as far as that is visible. */
static enum recipe_watches layout_watches(const struct election *election)
{
    const struct recipe *recipe = election->recipe;
    if (!recipe || recipe->family == FAMILY_LOCK || each_leads(election))
        return WATCHES_NOTHING;
    if (recipe->watches == WATCHES_UNKNOWN && election->shows_predecessor)
        return WATCHES_PREDECESSOR;
    return recipe->watches;
}

static const struct candidate *expected_at(const struct election *election, size_t place)
{
    if (place == 0)
        return NULL;
    switch (layout_watches(election)) {
    case WATCHES_PREDECESSOR:
        return shared_lock(election) ? shared_lock_awaited(election, place) : election->candidates[place - 1];
    case WATCHES_LEADER:
        return election->candidates[0];
    case WATCHES_MEMBER:
        return member_before(election, place);
    case WATCHES_CHILDREN:
    case WATCHES_NOTHING:
    case WATCHES_UNKNOWN:
        break;
    }
    return NULL;
}

const struct candidate *chain_expected(const struct election *election, const struct candidate *candidate)
{
    return expected_at(election, election_position(election, candidate));
}

/* The name of a direct child in this path, or NULL. */
static const char *child_in(const char *directory, size_t length, const char *path)
{
    if (length == 1)
        length = 0; /* the root */
    if (strncmp(path, directory, length) != 0 || path[length] != '/' || path[length + 1] == '\0' ||
        strchr(path + length + 1, '/'))
        return NULL;
    return path + length + 1;
}

const struct candidate *chain_candidate_at(const struct election *election, const char *path)
{
    if (election->recipe && election->recipe->family == FAMILY_LOCK)
        return strcmp(path, election->path) == 0 && election->candidate_count ? election->candidates[0]
                                                                              : NULL;
    const char *name = child_in(election->path, strlen(election->path), path);
    return name ? election_find(election, name) : NULL;
}

size_t chain_watched_by(const struct election *election, const struct candidate *candidate,
                        uint64_t *sessions, size_t room)
{
    size_t count = 0;
    uint32_t at = candidate->own->watchers;
    while (at != 0 && at <= election->own->link_count) {
        const struct chain_link *link = &election->own->links[at - 1];
        if (count < room)
            sessions[count] = link->session;
        count++;
        at = link->next;
    }
    return count;
}

bool chain_is_watched(const struct election *election, const struct candidate *candidate, uint64_t session)
{
    uint32_t at = candidate->own->watchers;
    while (at != 0 && at <= election->own->link_count && election->own->links[at - 1].session != session)
        at = election->own->links[at - 1].next;
    return at != 0 && at <= election->own->link_count;
}

const char *chain_watches_problem(const struct server *server)
{
    return server->hidden[HIDDEN_WATCHES] || server_is_captured(server) ? server->hidden[HIDDEN_WATCHES]
                                                                        : server->hidden[HIDDEN_CONNECTIONS];
}

bool chain_watches_complete(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (!cluster->servers[i].watches_from || chain_watches_problem(&cluster->servers[i]))
            return false;
    return cluster->server_count > 0 && cluster->ensemble != ENSEMBLE_PART;
}

/* ---- the links of the chain ---- */

/* NULL: there is none yet. */
static struct viewer *viewer_find(const struct diagnosis *d, const struct client *client)
{
    bool found = client->scratch < d->viewer_count && d->viewers[client->scratch].client == client;
    return found ? &d->viewers[client->scratch] : NULL;
}

/* Made where there is none. */
static struct viewer *viewer_of(struct diagnosis *d, struct client *client)
{
    struct viewer *found = viewer_find(d, client);
    if (found)
        return found;
    if (d->viewer_count == d->viewer_room) {
        size_t room = d->viewer_room ? d->viewer_room * 2 : d->election->candidate_count + 4;
        d->viewers = xreallocarray(d->viewers, room, sizeof *d->viewers);
        d->viewer_room = room;
    }
    client->scratch = (uint32_t)d->viewer_count;
    struct viewer *viewer = &d->viewers[d->viewer_count++];
    *viewer = (struct viewer){.client = client, .lowest = UINT32_MAX};
    return viewer;
}

static void link_add(struct election *election, struct candidate *target, uint64_t session)
{
    room_for_one(&election->own->links, election->own->link_count, &election->own->link_room,
                 sizeof *election->own->links);
    struct chain_link *link = &election->own->links[election->own->link_count++];
    *link = (struct chain_link){session, target->own->watchers};
    target->own->watchers = (uint32_t)election->own->link_count;
}

/* The watch notifies its session when the candidate right behind the target comes nearer; false: it has
   another owner.
 */
static bool serve_next(const struct election *election, const struct viewer *viewer,
                       const struct candidate *target)
{
    struct candidate *next =
        target->place + 1u < election->candidate_count ? election->candidates[target->place + 1] : NULL;
    if (!next || next->own->client != viewer->client)
        return false;
    next->own->watches_right = next->own->has_watched = true;
    return true;
}

static bool serve_member(const struct election *election, const struct viewer *viewer,
                         const struct candidate *target)
{
    bool any = false;
    for (struct candidate *c = viewer->client->owned; c; c = c->own->owned_next)
        if (c->election == election && !c->outside && expected_at(election, c->place) == target)
            any = c->own->watches_right = c->own->has_watched = true;
    return any;
}

static bool serve_shared(const struct election *election, const struct viewer *viewer,
                         const struct candidate *target)
{
    bool any = false;
    for (struct candidate *c = viewer->client->owned; c; c = c->own->owned_next)
        if (c->election == election && !c->outside && shared_lock_serves(election, c, target))
            any = c->own->watches_right = c->own->has_watched = true;
    return any;
}

static void see_target(struct diagnosis *d, struct viewer *viewer, struct candidate *target)
{
    struct election *election = d->election;
    link_add(election, target, viewer->client->shown.id);
    if (target->own->client == viewer->client)
        target->own->watches_self = true;
    else
        viewer->targets++;
    if (target->place < viewer->lowest)
        viewer->lowest = target->place;
    bool serves = shared_lock(election)                        ? serve_shared(election, viewer, target)
                  : layout_watches(election) == WATCHES_MEMBER ? serve_member(election, viewer, target)
                                                               : serve_next(election, viewer, target);
    if (!serves && target->own->client != viewer->client && !viewer->other)
        viewer->other = target;
}

/* A watch of this kind notifies of every child that comes and goes. */
static bool watches_children_of(const struct election *election, const char *path, enum watch_kind kind)
{
    size_t length = strlen(path);
    if (kind == WATCH_CHILDREN || kind == WATCH_PERSISTENT)
        return strcmp(path, election->path) == 0;
    return kind == WATCH_RECURSIVE &&
           (length == 1 || (strncmp(path, election->path, length) == 0 &&
                            (election->path[length] == '/' || election->path[length] == '\0')));
}

/* Nearly all watch the one before their own, which is not looked up. */
static struct candidate *child_named(const struct election *election, const struct viewer *viewer,
                                     const char *name)
{
    const struct candidate *own = viewer->client->owned;
    bool stands = own && own->election == election && !own->outside && own->place > 0;
    struct candidate *before = stands ? election->candidates[own->place - 1] : NULL;
    return before && strcmp(before->name, name) == 0
               ? before
               : candidates_find(election, name, candidates_hash(election, name));
}

static void chain_see_watches(struct diagnosis *d, struct viewer *viewer)
{
    struct election *election = d->election;
    const struct client_session *shown = &viewer->client->shown;
    size_t length = strlen(election->path);
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (!shown->watches_known || shown->observer)
        return;
    d->watches += shown->watch_count;
    for (size_t i = 0; i < shown->watch_count; i++) {
        const char *path = shown->watches[i];
        const char *name = lock ? NULL : child_in(election->path, length, path);
        enum watch_kind kind = shown->watch_kinds ? (enum watch_kind)shown->watch_kinds[i] : WATCH_DATA;
        if (!lock && watches_children_of(election, path, kind)) {
            viewer->children = true;
            continue;
        }
        if (kind == WATCH_CHILDREN)
            continue;
        if (name) {
            struct candidate *target = child_named(election, viewer, name);
            struct candidate_name parsed;
            if (target && target->outside && recipe_sequence_of(name) != SEQUENCE_NONE) {
                viewer->outsider = target;
                link_add(election, target, shown->id);
            } else if (target && target->outside) {
                continue;
            } else if (target) {
                see_target(d, viewer, target);
            } else if (election->recipe &&
                       recipe_parse_name(d->f->model->recipes, election->recipe, name, &parsed)) {
                viewer->deleted = path;
            }
            continue;
        }
        size_t part = strlen(path);
        if (part > length || strncmp(path, election->path, part) != 0)
            continue;
        if (lock && part == length && election->candidate_count > 0)
            see_target(d, viewer, election->candidates[0]);
        else if (!shown->all_watches && (part == length || part == 1 || election->path[part] == '/'))
            viewer->above = true;
    }
}

/* Those who watch and own nothing become viewers, too; the others are forgotten. */
static void take_bystanders(struct diagnosis *d)
{
    struct election *election = d->election;
    size_t kept = 0;
    for (size_t i = 0; i < election->own->bystander_count; i++) {
        struct client *client = session_table_find(election->cluster->clients, election->own->bystanders[i]);
        if (!client || !client->shown.connected || client->shown.observer)
            continue;
        size_t before = d->viewer_count;
        struct viewer *viewer = viewer_of(d, client);
        if (d->viewer_count == before)
            continue; /* an owner, or noted twice */
        chain_see_watches(d, viewer);
        if (viewer->targets == 0 && client->shown.watches_known) {
            d->viewer_count--;
            continue;
        }
        election->own->bystanders[kept++] = client->shown.id;
    }
    election->own->bystander_count = kept;
}

void chain_restore(struct election *election, struct candidate *candidate, const uint64_t *sessions,
                   size_t count)
{
    for (size_t i = count; i-- > 0;)
        link_add(election, candidate, sessions[i]);
}

/* ---- each candidate's link ---- */

static const char *chain_why_unknown(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    if (c->denied)
        return "permission denied for its znode";
    if (!c->known)
        return "its znode has not been read yet";
    if (!owner_is_session(c->stat.owner))
        return "it belongs to no session";
    if (cluster_is_from_logs(cluster))
        return "logs contain no watches";
    bool asked = false, captured = false;
    size_t hiding = 0, hiding_both = 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        captured = captured || server_is_captured(server);
        hiding += server->hidden[HIDDEN_CONNECTIONS] != NULL;
        hiding_both += server->hidden[HIDDEN_CONNECTIONS] && server->hidden[HIDDEN_WATCHES];
        asked = asked || server->list_round > 0 || chain_watches_problem(server);
    }
    const struct client_session *shown = candidate_client(c);
    if (captured && (!shown || !shown->watches_known))
        return "its connection was opened before the capture began, or packets of it are missing";
    if (!asked)
        return "the servers have not been polled yet";
    if (!shown || !shown->connected) {
        if (hiding == 0)
            return "no server shows a connection of its session";
        if (hiding_both == cluster->server_count)
            return "no server shows its watches";
        return hiding_both > 0 ? "a server shows neither its connections nor its watches"
                               : "a server does not show its connections";
    }
    if (cluster->servers[shown->server].hidden[HIDDEN_WATCHES])
        return "its server does not show its watches";
    if (client_doubled(cluster, c->own->client))
        return "two servers show a connection of its session";
    return "its server has not been polled twice yet";
}

static void link_is(struct candidate *c, enum link_state state, const char *why)
{
    c->link = state;
    c->link_why = why;
}

/* The layout is only guessed from names, and its server has more child watches than
   this program's own, one for each election: they may notify it. */
static bool notified_by_children(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    const struct client_session *shown = candidate_client(c);
    if (election->recognised != RECOGNISED_NAME || election->shows_predecessor || !shown ||
        shown->server >= cluster->server_count)
        return false;
    const struct server *server = &cluster->servers[shown->server];
    bool ours = cluster->connected_to && strcmp(cluster->connected_to, server->address) == 0;
    return !announced_none(server) &&
           server->child_watches - server->announced > (ours ? (int64_t)cluster->election_count : 0);
}

/* What a read-write lock allows beyond its rule; true: nothing can be said of this one. */
static bool judge_shared(const struct election *election, struct candidate *c, const struct viewer *viewer)
{
    const struct candidate *awaited = shared_lock_awaited(election, c->place);
    /* Curator: who holds the write lock may read. */
    if (c->reads && awaited && awaited->own->client == c->own->client) {
        link_is(c, LINK_UNKNOWN, "the writer ahead of it belongs to its own session");
        return true;
    }
    /* kazoo: a Lock in a directory of ReadLocks does not see them, and waits for the lock before it. */
    bool readers_between = viewer->other && viewer->other->place < c->place && !viewer->other->reads;
    for (size_t i = readers_between ? viewer->other->place + 1u : c->place; i < c->place && readers_between;
         i++)
        readers_between = election->candidates[i]->reads;
    if (!c->reads && readers_between) {
        link_is(c, LINK_UNKNOWN, "it waits for the writer ahead of it and ignores the readers between");
        return true;
    }
    return false;
}

/* The fault: its code, or FINDING_COUNT where there is none or it cannot be judged. */
static enum finding_code chain_judge(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct candidate *expected = expected_at(election, c->place);
    enum recipe_watches watches = layout_watches(election);
    bool shared = shared_lock(election);
    c->own->by_children = false;
    if (c->place == 0 || (shared && shared_lock_holds(election, c))) {
        link_is(c, LINK_FIRST, NULL);
        return FINDING_COUNT;
    }
    struct client *client = c->own->client;
    if (!client || !client->shown.watches_known) {
        election->own->listens = election->own->listens || (client && client->shown.connected);
        link_is(c, LINK_UNKNOWN, chain_why_unknown(election, c));
        return FINDING_COUNT;
    }
    const struct viewer *viewer = viewer_find(d, client); /* each owner has one: chain_update() */
    bool follows_leader = !shared && expected == election->candidates[0] && viewer->lowest == 0;
    if (c->own->watches_right || follows_leader || viewer->children) {
        link_is(c, LINK_RIGHT, NULL);
        return FINDING_COUNT;
    }
    if (!expected) {
        link_is(c, LINK_UNKNOWN,
                watches == WATCHES_CHILDREN
                    ? "members of this layout watch the directory, and no server shows that"
                    : "the watches of this layout are not known");
        return FINDING_COUNT;
    }
    if (viewer->above) {
        link_is(c, LINK_UNKNOWN, "it watches the directory, perhaps recursively");
        return FINDING_COUNT;
    }
    if (viewer->outsider) {
        link_is(c, LINK_UNKNOWN, "it watches a child of another layout, which may be ahead of it");
        return FINDING_COUNT;
    }
    /* Packets show its watches of now; no poll will look again. */
    int64_t seen_us = client->captured ? d->f->at.mono_us : client->shown.watches_seen_us;
    if (c->own->before_us != 0 && seen_us < c->own->before_us + SETTLING_US) {
        link_is(c, LINK_UNKNOWN, "the line has just changed");
        if (client->captured)
            diagnosis_again(d, c->own->before_us + SETTLING_US);
        election->own->listens = election->suspected = true; /* the next poll tells */
        return FINDING_COUNT;
    }
    if (shared && judge_shared(election, c, viewer))
        return FINDING_COUNT;
    if (!certainty_order(election, c)) {
        link_is(c, LINK_UNKNOWN, "the order of equal sequence numbers is not defined");
        return FINDING_COUNT;
    }
    bool waits_behind = viewer->other && c->reads && viewer->other->place > c->place;
    if (viewer->other && !waits_behind) {
        link_is(c, LINK_WRONG, NULL);
        return FINDING_WRONG_PREDECESSOR;
    }
    if (c->own->watches_self) {
        link_is(c, LINK_WRONG, NULL);
        return FINDING_WATCH_SELF;
    }
    if (viewer->deleted || waits_behind) {
        link_is(c, LINK_WRONG, NULL);
        return c->reads ? FINDING_ORPHAN_READER : FINDING_WATCH_ON_DELETED;
    }
    c->own->by_children = notified_by_children(election, c);
    if (c->own->by_children) {
        link_is(c, LINK_UNKNOWN, "its watches on children cannot be seen");
        return FINDING_COUNT;
    }
    link_is(c, LINK_SUSPECT, NULL);
    return c->reads ? FINDING_ORPHAN_READER : FINDING_NO_WATCH;
}

/* ... which a later poll may settle: observers have announced as many as there are. */
static bool layout_may_settle(const struct candidate *c)
{
    const struct client_session *shown = candidate_client(c);
    const struct cluster *cluster = c->election->cluster;
    return shown && shown->server < cluster->server_count &&
           announced_may_settle(&cluster->servers[shown->server]);
}

/* All that is presumed of it holds, except what time proves: that its client waits, and that nobody asks for it. */
static bool layout_certain(const struct candidate *c)
{
    unsigned in_time = 1u << PRESUMES_PASSIVE;
    if (certainty_may_be_alone(c->election, c))
        in_time |= 1u << PRESUMES_ALONE;
    return (c->own->holds | in_time) == CERTAINTY_OF_MEMBER;
}

/* Since then it has had the same place behind the same one. Who joins or leaves elsewhere changes nothing for it. */
static int64_t placed_us(const struct election *election, const struct candidate *c)
{
    const struct candidate *before = c->place ? election->candidates[c->place - 1] : NULL;
    if (!before || shared_lock(election) || expected_at(election, c->place) != before)
        return election->own->quiet_us;
    int64_t since_us = c->own->before_us ? c->own->before_us : c->joined.mono_us;
    return before->joined.mono_us > since_us ? before->joined.mono_us : since_us;
}

bool chain_series_counts(struct election *election, const struct client *client, int64_t since_us)
{
    if (!client_proved(client) || election->own->quiet_us == 0 || since_us > client->series_us)
        return false;
    bool listed = election->own->synced_us > client_counted_end_us(client);
    election->awaits_list = election->awaits_list || !listed;
    return listed;
}

static bool chain_proved(struct election *election, const struct candidate *c)
{
    const struct client *client = c->own->client;
    return c->own->holds == CERTAINTY_OF_MEMBER && client->idle &&
           chain_series_counts(election, client, placed_us(election, c));
}

bool chain_is_deaf(enum finding_code code)
{
    return code == FINDING_NO_WATCH || code == FINDING_WATCH_SELF || code == FINDING_WATCH_ON_DELETED ||
           code == FINDING_ORPHAN_READER;
}

void chain_hears(struct candidate *candidate)
{
    candidate->own->deaf = candidate->own->doubted = candidate->own->believed = false;
    candidate->own->recorded_deaf = (struct moment){0};
    candidate->own->sibling = 0;
}

/* A session's znode went while nothing could notify it: it does not know. */
static void became_first(struct candidate *c)
{
    const struct client *client = c->own->client;
    c->own->deaf = c->own->deaf || chain_is_deaf(c->proof);
    /* A hidden watch on children would lead to a request, which ends the doubt. No layout notifies whose packets show
     * no watch. */
    unsigned holds = c->own->holds | 1u << PRESUMES_PASSIVE | 1u << PRESUMES_WATCHES;
    if (client && client->captured && c->wrong == FINDING_NO_WATCH)
        holds |= 1u << PRESUMES_LAYOUT;
    c->own->doubted = c->own->doubted || (chain_is_deaf(c->wrong) && holds == CERTAINTY_OF_MEMBER && client &&
                                          client->shown.watches_seen_us > c->own->wrong_us);
    c->proof = FINDING_COUNT;
}

static void see_fault(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct candidate *before = c->place ? election->candidates[c->place - 1] : NULL;
    uint32_t hash = before ? before->own->hash | 1 : 0;
    if (hash != c->own->before_hash) {
        bool stood = c->own->before_hash == 0 && !c->joined_seen && before && !before->joined_seen;
        c->own->before_us = stood ? 0 : d->f->at.mono_us;
        c->own->before_hash = hash;
    }
    bool was_known = c->link != LINK_UNKNOWN;
    enum finding_code wrong = chain_judge(d, c);
    if ((c->link != LINK_UNKNOWN) != was_known)
        d->f->model->generation++;
    if (c->place == 0 || c->link == LINK_FIRST)
        became_first(c);
    if (wrong != c->wrong) {
        c->wrong = wrong;
        c->own->wrong_us = wrong != FINDING_COUNT ? c->own->client->shown.watches_seen_us : 0;
        d->f->model->generation++;
    }
    const struct viewer *viewer = c->own->client ? viewer_find(d, c->own->client) : NULL;
    c->own->watched = viewer && wrong != FINDING_COUNT ? viewer->other : NULL;
}

static void prove_fault(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    struct client *client = c->own->client;
    enum finding_code was_proof = c->proof;
    /* A proof lasts as long as its facts are visible: while they were hidden it may have changed. */
    if (c->wrong == FINDING_COUNT) {
        if (!client || !client->shown.watches_known || c->link == LINK_RIGHT)
            c->proof = FINDING_COUNT;
    } else {
        c->own->holds = certainty_of_member(election, c);
        if (c->proof != c->wrong || !certainty_lasts(c, c->own->holds))
            c->proof = FINDING_COUNT;
        client_restart_proof(client, placed_us(election, c));
        client_restart_busy(client);
        if (chain_proved(election, c)) {
            c->proof = c->wrong;
            client_is_proved(client);
        }
        if (c->link == LINK_SUSPECT && c->proof != FINDING_COUNT)
            c->link = LINK_STUCK;
        /* Two polls settle it, unless the layout keeps it from being certain for ever. */
        bool seen_once = client->counted < 2 || client->shown.watches_seen_us <= c->own->wrong_us;
        if (c->proof != c->wrong && (layout_certain(c) || layout_may_settle(c) || seen_once))
            election->suspected = true;
    }
    if (c->proof != was_proof)
        d->f->model->generation++;
}

/* ---- evidence of the whole line ---- */

/* Several watches are a cache, or a leak: they speak for no order. */
static void see_member(struct election *election, const struct viewer *viewer)
{
    struct line_shown *line = &election->own->line;
    uint32_t last = 0;
    for (const struct candidate *c = viewer->client->owned; c; c = c->own->owned_next)
        if (c->election == election && !c->outside && c->place > last)
            last = c->place;
    line->watching++;
    line->backwards = line->backwards || (viewer->targets == 1 && viewer->lowest > last);
}

/* The candidate that all watching sessions of members watch, where there are two and more. */
static const struct candidate *watched_by_all(struct diagnosis *d)
{
    const struct election *election = d->election;
    for (size_t i = 0; election->own->line.watching >= 2 && i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        uint32_t count = 0;
        for (uint32_t at = c->own->watchers; at != 0; at = election->own->links[at - 1].next) {
            struct client *client =
                session_table_find(election->cluster->clients, election->own->links[at - 1].session);
            const struct viewer *viewer = client && client != c->own->client ? viewer_find(d, client) : NULL;
            count += viewer && viewer->owned > 0;
        }
        if (count == election->own->line.watching)
            return c;
    }
    return NULL;
}

/* Its watches here serve none of its candidates; perhaps they serve that of another session of its client. */
static bool serves_others(const struct viewer *viewer)
{
    return viewer->owned == 0 ? viewer->targets > 0 || viewer->deleted || viewer->above
                              : viewer->other != NULL;
}

/* A session without a candidate that watches this one: its client may own the one behind it by another session, from
 * whatever address, or tell it. NULL: there is none. */
static const struct client *watches_for_another(const struct diagnosis *d, const struct candidate *c)
{
    const struct election *election = d->election;
    for (uint32_t at = c ? c->own->watchers : 0; at != 0; at = election->own->links[at - 1].next) {
        struct client *client =
            session_table_find(election->cluster->clients, election->own->links[at - 1].session);
        const struct viewer *viewer = client ? viewer_find(d, client) : NULL;
        if (viewer && viewer->owned == 0 && !client->shown.observer)
            return client;
    }
    return NULL;
}

/* With more helpers and more faulty members than this, members and helpers are not compared: each member may
 * have a helper. */
#define HELPERS_MOST 1000

/* With more faulty members than this, each session beside them may help any of them. */
#define BESIDE_MOST 64

struct beside {
    bool hides;       /* a watch on children, which has no owner, may be its client's */
    int64_t asked_us; /* one that is no member here was seen to make requests: client_asks_us() */
};

static bool together(int64_t one_us, int64_t other_us)
{
    return one_us != 0 && one_us < other_us + SETTLING_US && other_us < one_us + SETTLING_US;
}

/* It joined another line, or its predecessor there left, as the children here changed: it had requests of its own. */
static bool was_busy_elsewhere(const struct election *election, const struct client *client)
{
    int64_t changed_us = election->own->changed_us;
    const struct candidate *c = client->owned;
    while (c && !(c->joined_seen && together(c->joined.mono_us, changed_us)) &&
           !together(c->own->before_us, changed_us))
        c = c->own->owned_next;
    return c != NULL;
}

/* One of whatever host that is no member here did, since the children changed: a watch on them may have notified it. */
static bool others_react(const struct election *election)
{
    const struct session_table *clients = election->cluster->clients;
    for (const struct client *c = session_table_walk(clients, NULL); c; c = session_table_walk(clients, c))
        if ((c->still_us == 0 || c->still_us >= election->own->changed_us) && c->shown.connected &&
            !c->shown.observer && !c->ours && !client_candidate(c, election) &&
            !was_busy_elsewhere(election, c))
            return true;
    return false;
}

/* The other sessions of its host may be its client's: one to own the candidate, one to read. everywhere: those of all
 * hosts count. */
static struct beside seen_beside(const struct election *election, const struct client *client,
                                 bool everywhere)
{
    const struct cluster *cluster = election->cluster;
    struct beside beside = {0};
    const struct client *other = NULL;
    for (uint32_t at = 0;;) {
        other = everywhere ? session_table_walk(cluster->clients, other)
                           : session_table_beside(cluster->clients, client, &at);
        if (!other)
            break;
        const struct client_session *its = &other->shown;
        if (!its->connected || its->observer || other->ours || other == client)
            continue;
        const struct server *server =
            its->server < cluster->server_count ? &cluster->servers[its->server] : NULL;
        beside.hides = beside.hides ||
                       (server &&
                        (everywhere || its->server != client->shown.server ? !announced_none(server)
                                                                           : server->foreign_children != 0) &&
                        !server_is_captured(server)); /* packets show whose each watch is */
        int64_t asked_us = client_asks_us(other);
        if (asked_us > beside.asked_us && !client_candidate(other, election))
            beside.asked_us = asked_us;
    }
    return beside;
}

static void see_helpers(struct diagnosis *d, size_t faults)
{
    size_t helpers = 0;
    const struct candidate *watched = NULL;
    const struct client *found = NULL;
    struct beside beside = {0};
    bool everywhere = faults > BESIDE_MOST, known = false, reacts = false;
    for (size_t i = 0; i < d->viewer_count; i++)
        helpers += serves_others(&d->viewers[i]);
    bool many = helpers > HELPERS_MOST && faults > HELPERS_MOST;
    for (size_t k = 0; faults > 0 && k < d->election->candidate_count; k++) {
        struct candidate *c = d->election->candidates[k];
        const struct candidate *expected =
            c->wrong == FINDING_COUNT ? NULL : expected_at(d->election, c->place);
        if (expected && expected != watched)
            found = watches_for_another(d, watched = expected);
        const struct client *helper = expected ? found : NULL;
        for (size_t i = 0; expected && !helper && i < d->viewer_count; i++) {
            const struct viewer *viewer = &d->viewers[many ? c->own->client->scratch : i];
            /* Sessions of one pool may each watch for the other: its own znode is that predecessor. */
            bool swaps = expected->own->watches_self && viewer->client == expected->own->client;
            if (many || (viewer->client != c->own->client && (swaps || serves_others(viewer)) &&
                         client_is_beside(&viewer->client->shown, &c->own->client->shown)))
                helper = viewer->client;
        }
        if (expected && !(everywhere && known))
            beside = seen_beside(d->election, c->own->client, everywhere);
        if (expected && !known)
            reacts = others_react(d->election);
        known = known || expected;
        c->own->elsewhere = expected && beside.hides;
        c->own->others_react = expected && reacts;
        if (expected && beside.asked_us > c->own->helped_us)
            c->own->helped_us = beside.asked_us;
        if (helper)
            c->own->helped_us = helper->shown.seen.mono_us;
    }
}

/* A primary, and its backup behind it. Of two pairs, a member of one line may as well have lost its watch. */
#define PAIR 2

static void see_line(struct diagnosis *d)
{
    struct election *election = d->election;
    struct line_shown *line = &election->own->line;
    *line = (struct line_shown){0};
    size_t faults = 0;
    line->pairs = election->candidate_count > 2 * PAIR;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        line->pairs = line->pairs && c->own->watches_right == (i % PAIR != 0);
        line->waiting += i > 0 && c->own->client && c->own->client->shown.watches_known;
        line->right += c->link == LINK_RIGHT;
        line->wrong += c->wrong == FINDING_WRONG_PREDECESSOR;
        line->deaf += c->wrong != FINDING_COUNT && c->wrong != FINDING_WRONG_PREDECESSOR;
        faults += c->wrong != FINDING_COUNT;
    }
    for (size_t i = 0; i < d->viewer_count; i++)
        if (d->viewers[i].owned > 0 && d->viewers[i].targets > 0)
            see_member(election, &d->viewers[i]);
    line->watched_by_all = faults == 0 || shared_lock(election) ? NULL : watched_by_all(d);
    if (line->deaf == 0 && (line->watching > 2 || line->wrong > 1))
        election->own->all_watch_first = line->watched_by_all == election->candidates[0];
    if (faults > 0)
        see_helpers(d, faults);
}

/* A client pings at a third of its timeout; a poll, and the list after it, take a moment themselves. */
#define PINGS_A_TIMEOUT 3
#define POLL_TAKES_US INT64_C(3000000)

int64_t chain_certain_after_us(const struct candidate *c)
{
    if (!c->own->client || c->wrong == FINDING_COUNT || c->proof == c->wrong || !layout_certain(c))
        return 0;
    const struct client *client = c->own->client;
    int64_t proof_us = client_proof_us(client);
    if (proof_us == 0 || client->still_us == 0)
        return 0;
    int64_t passive_us = client_passive_at_us(client) - client->still_us;
    proof_us += client->shown.timeout_ms * INT64_C(1000) / PINGS_A_TIMEOUT;
    return (proof_us > passive_us ? proof_us : passive_us) + POLL_TAKES_US;
}

/* The earlier of the two. proves: two polls suspect it of a fault, which takes a passive client. */
static int64_t client_due_by(const struct client *client, bool proves, int64_t now_us, int64_t due_us,
                             bool *watches)
{
    int64_t own_us = client_due_us(client, now_us);
    if (proves && client->enclosed >= 2 && client_passive_at_us(client) > own_us)
        own_us = client_passive_at_us(client);
    *watches = *watches || (own_us <= now_us && !client_awaits_list(client));
    return own_us < due_us ? own_us : due_us;
}

int64_t chain_poll_due_us(const struct election *election, int64_t now_us, bool *watches)
{
    int64_t due_us = INT64_MAX;
    bool anybody = false;
    for (size_t i = 0; i < election->candidate_count; i++)
        anybody = anybody || chain_certain_after_us(election->candidates[i]) > 0;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        /* If no candidate's own watches are suspected, the links are: any session may be meant. */
        if (!c->own->client || (anybody ? chain_certain_after_us(c) == 0 : client_proved(c->own->client)))
            continue;
        bool proves = anybody && c->own->client->enclosed >= 2;
        int64_t alone_us = proves ? client_alone_at_us(c->own->helped_us) : 0;
        if (alone_us <= now_us)
            due_us = client_due_by(c->own->client, anybody, now_us, due_us, watches);
        else if (alone_us < due_us)
            due_us = alone_us;
    }
    /* ... and those who watch without a candidacy. */
    for (size_t i = 0; i < election->own->bystander_count; i++) {
        const struct client *client =
            session_table_find(election->cluster->clients, election->own->bystanders[i]);
        if (client && client->shown.connected && !client->shown.observer && !client_proved(client))
            due_us = client_due_by(client, false, now_us, due_us, watches);
    }
    return due_us;
}

/* A member watches its predecessor. In an election that discovery found, more members do so than watch nothing here: in
 * a registry, too, one may depend on another. A session that watches more members than it has is a cache. */
static bool line_shows_predecessor(const struct diagnosis *d)
{
    const struct election *election = d->election;
    /* Where the layout is not known, the second one may as well watch the leader as such. */
    size_t reporting = election->recipe && election->recipe->watches == WATCHES_PREDECESSOR ? 1 : 2;
    size_t right = 0, deaf = 0, shows = 0;
    for (size_t i = 1; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        const struct viewer *viewer = c->own->client ? viewer_find(d, c->own->client) : NULL;
        bool watches = viewer && c->own->watches_right && viewer->targets <= viewer->owned;
        right += watches;
        shows += watches && i >= reporting;
        deaf += i >= reporting && viewer && c->own->client->shown.watches_known && viewer->targets == 0;
    }
    return shows > 0 && (right > deaf || election_is_named(election));
}

void chain_update(struct diagnosis *d)
{
    struct election *election = d->election;
    election->own->link_count = 0;
    election->suspected = election->awaits_list = election->own->lists_settle = false;
    election->hidden_watches = certainty_hidden_watches(election);
    election->overdue_us = 0;
    election->reader_count = 0;
    for (size_t i = 0; i < election->outsider_count; i++)
        election->outsiders[i]->own->watchers = 0;
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *c = election->candidates[i];
        c->place = (uint32_t)i;
        c->own->watchers = 0;
        c->own->watches_right = c->own->watches_self = false;
        if (c->own->client)
            viewer_of(d, c->own->client)->owned++;
        election->reader_count += c->reads;
    }
    for (size_t i = 0; i < d->viewer_count; i++)
        chain_see_watches(d, &d->viewers[i]);
    take_bystanders(d);
    election->shows_predecessor = election->shows_predecessor || line_shows_predecessor(d);
    if (election->shows_predecessor && election->recognised == RECOGNISED_NAME && election->recipe) {
        election->recognised = RECOGNISED_WATCH;
        certainty_settle_kind(election);
        d->f->model->generation++;
    }
    election->own->shows_layout = certainty_shows_layout(election);
    election->mixed = certainty_mixed(election);
    election->first_waits = certainty_first_waits(election);
    for (size_t i = 0; i < election->candidate_count; i++)
        see_fault(d, election->candidates[i]);
    see_line(d);
    for (size_t i = 0; i < election->candidate_count; i++)
        prove_fault(d, election->candidates[i]);
}
