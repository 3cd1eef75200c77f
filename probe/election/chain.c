#include "probe/election/chain.h"

#include <stdlib.h>
#include <string.h>

#include "config/room.h"
#include "probe/election/clients.h"
#include "probe/election/findings.h"
#include "probe/election/looks.h"
#include "probe/election/name_hash.h"
#include "probe/election/roster.h"

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
    return candidate->client ? &candidate->client->shown : NULL;
}

/* Whom members of this layout watch, as far as that can be seen. */
static enum recipe_watches layout_watches(const struct election *election)
{
    const struct recipe *recipe = election->recipe;
    if (!recipe || recipe->family == FAMILY_LOCK)
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
        return election->candidates[place - 1];
    case WATCHES_LEADER:
        return election->candidates[0];
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
    uint32_t at = candidate->watchers;
    while (at != 0 && at <= election->link_count) {
        const struct chain_link *link = &election->links[at - 1];
        if (count < room)
            sessions[count] = link->session;
        count++;
        at = link->next;
    }
    return count;
}

const char *chain_watches_problem(const struct server *server)
{
    return server->hidden[HIDDEN_WATCHES] ? server->hidden[HIDDEN_WATCHES]
                                          : server->hidden[HIDDEN_CONNECTIONS];
}

bool chain_watches_complete(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (!cluster->servers[i].watches_from || chain_watches_problem(&cluster->servers[i]))
            return false;
    return cluster->server_count > 0 && cluster->ensemble != ENSEMBLE_PART;
}

/* ---- who watches whom ---- */

/* NULL: there was no memory for it. */
static struct viewer *viewer_find(const struct diagnosis *d, const struct client *client)
{
    bool found = client->scratch < d->viewer_count && d->viewers[client->scratch].client == client;
    return found ? &d->viewers[client->scratch] : NULL;
}

/* Made where there is none; NULL: out of memory. */
static struct viewer *viewer_of(struct diagnosis *d, struct client *client)
{
    struct viewer *found = viewer_find(d, client);
    if (found)
        return found;
    if (d->viewer_count == d->viewer_room) {
        size_t room = d->viewer_room ? d->viewer_room * 2 : d->election->candidate_count + 4;
        struct viewer *viewers = realloc(d->viewers, room * sizeof *viewers);
        if (!viewers)
            return NULL;
        d->viewers = viewers;
        d->viewer_room = room;
    }
    client->scratch = (uint32_t)d->viewer_count;
    struct viewer *viewer = &d->viewers[d->viewer_count++];
    *viewer = (struct viewer){.client = client, .lowest = UINT32_MAX};
    return viewer;
}

static void link_add(struct election *election, struct candidate *target, uint64_t session)
{
    if (!room_for_one(&election->links, election->link_count, &election->link_room, sizeof *election->links))
        return;
    struct chain_link *link = &election->links[election->link_count++];
    *link = (struct chain_link){session, target->watchers};
    target->watchers = (uint32_t)election->link_count;
}

static void see_target(struct diagnosis *d, struct viewer *viewer, struct candidate *target)
{
    struct election *election = d->election;
    link_add(election, target, viewer->client->shown.id);
    if (target->client == viewer->client)
        target->tells_self = true;
    else
        viewer->targets++;
    if (target->place < viewer->lowest)
        viewer->lowest = target->place;
    struct candidate *next =
        target->place + 1u < election->candidate_count ? election->candidates[target->place + 1] : NULL;
    if (next && next->client == viewer->client)
        next->tells_right = true;
    else if (target->client != viewer->client && !viewer->other)
        viewer->other = target;
}

static void see_watches(struct diagnosis *d, struct viewer *viewer)
{
    struct election *election = d->election;
    const struct client_session *shown = &viewer->client->shown;
    size_t length = strlen(election->path);
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (!shown->watches_known || shown->observer)
        return;
    for (size_t i = 0; i < shown->watch_count; i++) {
        const char *path = shown->watches[i];
        const char *name = lock ? NULL : child_in(election->path, length, path);
        if (name) {
            struct candidate *target =
                roster_find(election, name, name_hash(name, strlen(name), election->hash_seed));
            struct candidate_name parsed;
            if (target && !target->outside)
                see_target(d, viewer, target);
            else if (!target && election->recipe &&
                     recipe_parse_name(d->f->model->recipes, election->recipe, name, &parsed))
                viewer->deleted = path;
            continue;
        }
        size_t part = strlen(path);
        if (part > length || strncmp(path, election->path, part) != 0)
            continue;
        if (lock && part == length && election->candidate_count > 0)
            see_target(d, viewer, election->candidates[0]);
        else if (part == length || part == 1 || election->path[part] == '/')
            viewer->above = true;
    }
}

/* Those who watch and own nothing become viewers, too; the others are forgotten. */
static void take_bystanders(struct diagnosis *d)
{
    struct election *election = d->election;
    size_t kept = 0;
    for (size_t i = 0; i < election->bystander_count; i++) {
        struct client *client = clients_find(election->cluster->clients, election->bystanders[i]);
        if (!client || !client->shown.connected || client->shown.observer)
            continue;
        size_t before = d->viewer_count;
        struct viewer *viewer = viewer_of(d, client);
        if (!viewer || d->viewer_count == before)
            continue; /* an owner, or noted twice */
        see_watches(d, viewer);
        if (viewer->targets == 0 && client->shown.watches_known) {
            d->viewer_count--;
            continue;
        }
        election->bystanders[kept++] = client->shown.id;
    }
    election->bystander_count = kept;
}

bool chain_copy(const struct election *from, struct election *to)
{
    if (from->link_count == 0)
        return true;
    to->links = malloc(from->link_count * sizeof *to->links);
    if (!to->links)
        return false;
    memcpy(to->links, from->links, from->link_count * sizeof *to->links);
    to->link_count = to->link_room = from->link_count;
    return true;
}

bool chain_restore(struct election *election, struct candidate *candidate, const uint64_t *sessions,
                   size_t count)
{
    size_t before = election->link_count;
    for (size_t i = count; i-- > 0;)
        link_add(election, candidate, sessions[i]);
    return election->link_count == before + count;
}

/* ---- each candidate's link ---- */

static const char *why_unknown(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    if (c->denied)
        return "its znode may not be read";
    if (!c->known)
        return "its znode has not been read yet";
    if (!owner_is_session(c->stat.owner))
        return "it belongs to no session";
    bool asked = false;
    size_t hiding = 0, hiding_both = 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        hiding += server->hidden[HIDDEN_CONNECTIONS] != NULL;
        hiding_both += server->hidden[HIDDEN_CONNECTIONS] && server->hidden[HIDDEN_WATCHES];
        asked = asked || server->list_round > 0 || chain_watches_problem(server);
    }
    if (!asked)
        return "the servers have not been asked yet";
    const struct client_session *shown = candidate_client(c);
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
    if (client_doubled(cluster, c->client))
        return "two servers show a connection of its session";
    return "its server has not been asked twice yet";
}

static void link_is(struct candidate *c, enum link_state state, const char *why)
{
    c->link = state;
    c->link_why = why;
}

/* Whom its members watch is only guessed from their names, and its server holds more watches on children than
   this program's own, one for each election: they may be how it is told. */
static bool told_by_children(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    const struct client_session *shown = candidate_client(c);
    if (election->recognised != RECOGNISED_NAME || election->shows_predecessor || !shown ||
        shown->server >= cluster->server_count)
        return false;
    const struct server *server = &cluster->servers[shown->server];
    bool ours = cluster->connected_to && strcmp(cluster->connected_to, server->address) == 0;
    return server->foreign_children != 0 &&
           server->child_watches > (ours ? (int64_t)cluster->election_count : 0);
}

/* What is not as it should be: the code, or FINDING_COUNT where it is right or cannot be judged. */
static enum finding_code judge(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct candidate *expected = expected_at(election, c->place);
    enum recipe_watches watches = layout_watches(election);
    c->by_children = false;
    if (c->place == 0) {
        link_is(c, LINK_FIRST, NULL);
        return FINDING_COUNT;
    }
    struct client *client = c->client;
    if (!client || !client->shown.watches_known) {
        election->listens = election->listens || (client && client->shown.connected);
        link_is(c, LINK_UNKNOWN, why_unknown(election, c));
        return FINDING_COUNT;
    }
    const struct viewer *viewer = viewer_find(d, client);
    if (!viewer) {
        link_is(c, LINK_UNKNOWN, "out of memory");
        return FINDING_COUNT;
    }
    bool follows_leader = expected == election->candidates[0] && viewer->lowest == 0;
    if (c->tells_right || follows_leader) {
        link_is(c, LINK_RIGHT, NULL);
        return FINDING_COUNT;
    }
    if (!expected) {
        link_is(c, LINK_UNKNOWN,
                watches == WATCHES_CHILDREN ? "this layout watches the directory, which no server shows"
                                            : "whom this layout watches is not known");
        return FINDING_COUNT;
    }
    if (viewer->above) {
        link_is(c, LINK_UNKNOWN, "it watches the directory, perhaps with all in it");
        return FINDING_COUNT;
    }
    if (c->before_us != 0 && client->shown.watches_seen_us < c->before_us + SETTLING_US) {
        link_is(c, LINK_UNKNOWN, "the line has just changed");
        election->listens = true;
        return FINDING_COUNT;
    }
    if (viewer->other) {
        link_is(c, LINK_WRONG, NULL);
        return FINDING_WRONG_PREDECESSOR;
    }
    if (c->tells_self) {
        link_is(c, LINK_WRONG, NULL);
        return FINDING_WATCH_SELF;
    }
    if (viewer->deleted) {
        link_is(c, LINK_WRONG, NULL);
        return FINDING_WATCH_ON_DELETED;
    }
    c->by_children = told_by_children(election, c);
    if (c->by_children) {
        link_is(c, LINK_UNKNOWN, "its watches on children cannot be seen");
        return FINDING_COUNT;
    }
    link_is(c, LINK_SUSPECT, NULL);
    return FINDING_NO_WATCH;
}

/* Could watches that no server shows (on the directory's children) tell it? */
static bool layout_certain(const struct election *election, const struct candidate *c)
{
    if (election->recognised == RECOGNISED_CONFIGURED || election->shows_predecessor)
        return true;
    if (election->recognised == RECOGNISED_SIGNATURE && c->named)
        return true;
    const struct client_session *shown = candidate_client(c);
    return shown && shown->server < election->cluster->server_count &&
           election->cluster->servers[shown->server].foreign_children == 0;
}

/*
 * The looks of its run count, and the line was the same before the first and after the last: the first list
 * that showed these children came before the run, and a list after a sync came after it. (The first need
 * not follow a sync: a directory whose pzxid has not moved by then was not changed in between.)
 */
static bool proved(const struct election *election, const struct candidate *c)
{
    const struct client *client = c->client;
    return client_proved(client) && layout_certain(election, c) && election->quiet_us != 0 &&
           election->quiet_us <= client->run_us && election->synced_us > client_counted_end_us(client);
}

/* A session's znode went while it still has nothing to be told by: it does not know. */
static void became_first(struct candidate *c)
{
    if (c->proof == FINDING_NO_WATCH || c->proof == FINDING_WATCH_SELF ||
        c->proof == FINDING_WATCH_ON_DELETED)
        c->deaf = true;
    c->proof = FINDING_COUNT;
}

static void update_link(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct candidate *before = c->place ? election->candidates[c->place - 1] : NULL;
    uint32_t hash = before ? before->hash | 1 : 0;
    if (hash != c->before_hash) {
        bool stood = c->before_hash == 0 && !c->joined_seen && before && !before->joined_seen;
        c->before_us = stood ? 0 : d->f->at.mono_us;
        c->before_hash = hash;
    }
    enum link_state was = c->link;
    const char *why = c->link_why;
    enum finding_code was_wrong = c->wrong, was_proof = c->proof, wrong = judge(d, c);
    if (wrong != c->wrong) {
        c->wrong = wrong;
        c->wrong_us = wrong != FINDING_COUNT ? c->client->shown.watches_seen_us : 0;
    }
    /* A proof lasts as long as it can be seen to hold: nobody knows what happened while it was hidden. */
    bool known = c->client && c->client->shown.watches_known;
    if (!known || c->link == LINK_RIGHT || (wrong != FINDING_COUNT && c->proof != wrong))
        c->proof = FINDING_COUNT;
    if (c->place == 0)
        became_first(c);
    if (wrong != FINDING_COUNT && c->proof != wrong) {
        client_look_again(c->client, election->quiet_us);
        if (proved(election, c)) {
            c->proof = wrong;
            client_is_proved(c->client);
        }
    }
    if (c->link == LINK_SUSPECT && c->proof == FINDING_NO_WATCH)
        c->link = LINK_STUCK;
    /* Two looks settle it, unless the layout keeps it from being certain for ever. */
    if (wrong != FINDING_COUNT && c->proof != wrong &&
        (layout_certain(election, c) || c->client->counted < 2))
        election->suspected = true;
    if (wrong != FINDING_COUNT && c->proof != wrong)
        election->listens = true;
    if (c->link != was || c->link_why != why || c->wrong != was_wrong || c->proof != was_proof)
        d->f->model->generation++;
}

/* A client pings at a third of its timeout; a look, and the list after it, take a moment themselves. */
#define PINGS_A_TIMEOUT 3
#define LOOK_TAKES_US INT64_C(3000000)

int64_t chain_certain_after_us(const struct candidate *c)
{
    if (!c->client || c->wrong == FINDING_COUNT || c->proof == c->wrong || !layout_certain(c->election, c))
        return 0;
    int64_t apart_us = client_apart_us(c->client);
    return apart_us ? apart_us + c->client->shown.timeout_ms * INT64_C(1000) / PINGS_A_TIMEOUT + LOOK_TAKES_US
                    : 0;
}

int64_t chain_look_due_us(const struct election *election, int64_t now_us)
{
    int64_t due_us = INT64_MAX;
    bool anybody = false;
    for (size_t i = 0; i < election->candidate_count; i++)
        anybody = anybody || chain_certain_after_us(election->candidates[i]) > 0;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        /* Where nobody's own watches are suspected, it is who watches whom: any session may be meant. */
        if (!c->client || (anybody ? chain_certain_after_us(c) == 0 : client_proved(c->client)))
            continue;
        int64_t apart_us = client_apart_us(c->client), run_us = c->client->run_us;
        int64_t from_us = run_us ? c->client->run_shown_us : now_us;
        if (apart_us && from_us + apart_us < due_us)
            due_us = from_us + apart_us;
    }
    return due_us;
}

void chain_update(struct diagnosis *d)
{
    struct election *election = d->election;
    election->link_count = 0;
    election->suspected = false;
    election->overdue_us = 0;
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *c = election->candidates[i];
        c->place = (uint32_t)i;
        c->watchers = 0;
        c->tells_right = c->tells_self = false;
        struct viewer *viewer = c->client ? viewer_of(d, c->client) : NULL;
        if (viewer)
            viewer->owned++;
    }
    for (size_t i = 0; i < d->viewer_count; i++)
        see_watches(d, &d->viewers[i]);
    take_bystanders(d);
    /* Where the layout is not known, the second one may as well watch the leader as such. */
    size_t telling = election->recipe && election->recipe->watches == WATCHES_PREDECESSOR ? 1 : 2;
    for (size_t i = telling; i < election->candidate_count && !election->shows_predecessor; i++)
        election->shows_predecessor = election->candidates[i]->tells_right;
    if (election->shows_predecessor && election->recognised == RECOGNISED_NAME && election->recipe) {
        election->recognised = RECOGNISED_WATCH;
        d->f->model->generation++;
    }
    for (size_t i = 0; i < election->candidate_count; i++)
        update_link(d, election->candidates[i]);
}
