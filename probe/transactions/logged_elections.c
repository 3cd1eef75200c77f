#include "probe/transactions/logged_elections.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/recipe.h"

/* Children of a directory that are looked at, in its lifetime, to tell whether it is an election. */
#define EXAMINED_MOST 1000
/* What an election and a candidate weigh beside their znodes, where memory is limited: half of what the model and the
 * recording keep of them, which copy paths, names and data several times. */
#define ELECTION_BYTES 2200
#define PATH_COPIES 6
#define CANDIDATE_BYTES 700
#define NAME_COPIES 7
#define DATA_COPIES 3
/* The weight of a candidate that ended, as the model remembers it. */
#define ENDED_BYTES 100
#define ENDED_COPIES 2
/* From this number of candidates on, a list is made only if it has changed. */
#define LIST_ALWAYS 200

enum interest_role {
    INTEREST_OWN, /* the election's own znode, and its children */
    INTEREST_ACK, /* the leader's acknowledgement */
    INTEREST_REGISTRY
};

struct interest {
    struct interest *next;
    struct logged_election *election;
    enum interest_role role;
};

/* One transaction's change of a child of an election. */
struct touched_child {
    char *name;
    bool gone, came;
};

struct logged_election {
    struct logged_election *next, *next_dirty;
    struct znode *own, *ack, *registry; /* places in the tree; the latter two may be NULL */
    const struct election_settings *settings;
    enum election_origin origin;
    bool shown, dirty;
    bool own_changed, ack_changed, registry_changed;
    struct touched_child *touched;
    size_t touched_count, touched_room;
    size_t ended; /* candidates that count in the weight of its znode */
};

struct logged_elections {
    struct znode_tree *tree;
    struct model *model;
    const struct settings *settings;
    const struct cluster_settings *cluster;
    const char *only;
    struct logged_election *all, *dirty;
    bool showing, answered;
};

static const char *chroot_of(const struct logged_elections *es)
{
    return es->model->clusters[0].chroot;
}

/* The path as people write it; NULL: it lies outside of the chroot. */
static const char *logged_below_chroot(const struct logged_elections *es, const char *path)
{
    size_t length = strlen(chroot_of(es));
    if (strncmp(path, chroot_of(es), length) != 0)
        return NULL;
    if (path[length] == '\0')
        return "/";
    return path[length] == '/' ? path + length : NULL;
}

/* ---- watched znodes ---- */

static void interest_add(struct logged_election *e, struct znode *node, enum interest_role role)
{
    struct interest *interest = xmalloc(sizeof *interest);
    *interest = (struct interest){node->interests, e, role};
    node->interests = interest;
}

static void election_touch(struct logged_elections *es, struct logged_election *e)
{
    if (e->dirty)
        return;
    e->dirty = true;
    e->next_dirty = es->dirty;
    es->dirty = e;
}

static void child_touch(struct logged_election *e, const char *name, bool gone, bool came)
{
    room_for_one(&e->touched, e->touched_count, &e->touched_room, sizeof *e->touched);
    e->touched[e->touched_count++] = (struct touched_child){text_copy(name), gone, came};
}

static void touch(struct logged_elections *es, struct znode *node, bool gone, bool came)
{
    for (struct interest *i = node->interests; i; i = i->next) {
        i->election->own_changed |= i->role == INTEREST_OWN;
        i->election->ack_changed |= i->role == INTEREST_ACK;
        i->election->registry_changed |= i->role == INTEREST_REGISTRY;
        election_touch(es, i->election);
    }
    for (struct interest *i = node->parent ? node->parent->interests : NULL; i; i = i->next) {
        if (i->role == INTEREST_ACK)
            continue;
        if (i->role == INTEREST_REGISTRY)
            i->election->registry_changed = true;
        else
            child_touch(i->election, znode_name(node), gone, came);
        election_touch(es, i->election);
    }
}

static struct logged_election *election_at(const struct znode *node)
{
    for (const struct interest *i = node ? node->interests : NULL; i; i = i->next)
        if (i->role == INTEREST_OWN)
            return i->election;
    return NULL;
}

/* ---- observations ---- */

static struct observation observe(enum observation_kind kind, const struct logged_election *e,
                                  const char *path, struct moment at)
{
    return (struct observation){.kind = kind, .at = at, .election = e->own->path, .path = path};
}

static void show_node(struct logged_elections *es, const struct logged_election *e, const struct znode *node,
                      struct moment at)
{
    struct znode_stat stat = znode_stat_of(node);
    struct observation o = observe(OBSERVED_NODE, e, node->path, at);
    o.node = (struct observed_node){
        .stat = &stat, .has_data = znode_has_data(node), .data = node->data, .data_length = node->data_kept};
    model_observe(es->model, &o);
}

static void show_absent(struct logged_elections *es, const struct logged_election *e, const char *path,
                        struct moment at)
{
    struct observation o = observe(OBSERVED_ABSENT, e, path, at);
    model_observe(es->model, &o);
}

static void show_unread(struct logged_elections *es, const struct logged_election *e,
                        const struct znode *node, struct moment at)
{
    struct observation o = observe(OBSERVED_UNREAD, e, node->path, at);
    o.unread.part = node != e->own            ? UNREAD_ACK
                    : node->short_of_children ? UNREAD_NO_ROOM
                                              : UNREAD_NOT_LISTED;
    model_observe(es->model, &o);
}

/* Whether it is known which children it has; or that it does not exist. */
static bool is_whole(const struct logged_elections *es, const struct znode *node)
{
    return !node->short_of_children && (node->listed || !es->answered);
}

static void show_missing(struct logged_elections *es, const struct logged_election *e,
                         const struct znode *node, struct moment at)
{
    if (is_whole(es, node))
        show_absent(es, e, node->path, at);
    else
        show_unread(es, e, node, at);
}

/* The complete list of a directory. Of children that are not kept the names are not known: none is a
 * candidate, unless there was no room for one. */
static void show_children(struct logged_elections *es, const struct logged_election *e,
                          const struct znode *node, struct moment at)
{
    size_t count = 0, i = 0;
    if (!is_whole(es, node)) {
        show_unread(es, e, node, at);
        return;
    }
    for (const struct znode *child = node->children; child; child = child->sibling)
        count++;
    char **names = xmalloc((count + 1) * sizeof(char *));
    for (struct znode *child = node->children; child; child = child->sibling)
        names[i++] = child->path + (znode_name(child) - child->path);
    struct znode_stat stat = znode_stat_of(node);
    struct observation o = observe(OBSERVED_CHILDREN, e, node->path, at);
    o.children = (struct observed_children){.stat = &stat, .names = names, .count = count};
    model_observe(es->model, &o);
    free(names);
}

static void show_ack(struct logged_elections *es, const struct logged_election *e, struct moment at)
{
    if (e->ack && e->ack->exists)
        show_node(es, e, e->ack, at);
    else if (e->ack)
        show_missing(es, e, e->ack, at);
    if (e->ack && e->ack->exists && !znode_has_data(e->ack))
        show_unread(es, e, e->ack, at);
}

static void show_registry(struct logged_elections *es, const struct logged_election *e, struct moment at)
{
    if (!e->registry)
        return;
    if (!e->registry->exists) {
        show_missing(es, e, e->registry, at);
        return;
    }
    show_children(es, e, e->registry, at);
    for (const struct znode *child = e->registry->children; child; child = child->sibling)
        show_node(es, e, child, at);
}

static struct znode *interest_move(struct logged_elections *es, struct logged_election *e,
                                   struct znode *before, const char *path, enum interest_role role)
{
    if (before && path && strcmp(before->path, path) == 0)
        return before;
    for (struct interest **link = before ? (struct interest **)&before->interests : NULL; link && *link;) {
        struct interest *interest = *link;
        if (interest->election == e && interest->role == role) {
            *link = interest->next;
            free(interest);
        } else {
            link = &interest->next;
        }
    }
    struct znode *place = path ? znode_tree_place(es->tree, path, strlen(path)) : NULL;
    if (place)
        interest_add(e, place, role);
    return place;
}

/* Once the recipe is known, the model says where the leader acknowledges. */
static void follow_acks(struct logged_elections *es, struct logged_election *e, struct moment at)
{
    const struct election *shown = model_election(es->model, 0, e->own->path);
    if (!shown)
        return;
    bool node = shown->ack_place == ACK_PLACE_NODE;
    struct znode *ack = interest_move(es, e, e->ack, node ? shown->ack_path : NULL, INTEREST_ACK);
    struct znode *registry = interest_move(es, e, e->registry, shown->registry_path, INTEREST_REGISTRY);
    if (ack != e->ack) {
        e->ack = ack;
        show_ack(es, e, at);
    }
    if (registry != e->registry) {
        e->registry = registry;
        show_registry(es, e, at);
    }
}

static void show_own(struct logged_elections *es, const struct logged_election *e, bool with_children,
                     struct moment at)
{
    const struct znode *own = e->own;
    if (!own->exists) {
        show_missing(es, e, own, at);
        return;
    }
    if (!own->session)
        show_children(es, e, own, at);
    show_node(es, e, own, at);
    for (const struct znode *child = with_children && !own->session ? own->children : NULL; child;
         child = child->sibling)
        if (child->known) /* of the others a capture shows the name only */
            show_node(es, e, child, at);
}

static void show_all(struct logged_elections *es, struct logged_election *e, struct moment at)
{
    if (!e->shown) {
        struct observation o = observe(OBSERVED_ELECTION, e, NULL, at);
        o.subject = (struct observed_election){.origin = e->origin, .settings = e->settings};
        model_observe(es->model, &o);
        e->shown = true;
    }
    show_own(es, e, true, at);
    follow_acks(es, e, at);
    show_ack(es, e, at);
    show_registry(es, e, at);
}

void logged_elections_show(struct logged_elections *es, struct moment at)
{
    es->showing = true;
    for (struct logged_election *e = es->all; e; e = e->next)
        /* One that was found in the past and is gone is no election of this time. */
        if (e->own->exists || e->origin == ORIGIN_CONFIGURED || e->shown)
            show_all(es, e, at);
}

/* ---- finding them ---- */

static bool is_under_root(const struct logged_elections *es, const char *path)
{
    char *const *roots = es->settings->discover.roots;
    for (size_t i = 0; roots && roots[i]; i++) {
        size_t length = strcmp(roots[i], "/") == 0 ? 0 : strlen(roots[i]);
        if (strncmp(path, roots[i], length) == 0 && (path[length] == '/' || path[length] == '\0'))
            return true;
    }
    return !roots || !roots[0];
}

/* The settings by which an election at this path is watched; NULL: it is not asked for. */
static const struct election_settings *settings_at(const struct logged_elections *es, const char *full,
                                                   enum election_origin *origin)
{
    const char *path = logged_below_chroot(es, full);
    if (!path || strcmp(path, "/zookeeper") == 0 || strncmp(path, "/zookeeper/", 11) == 0)
        return NULL;
    if (es->only && strcmp(es->only, path) != 0 && strcmp(es->only, full) != 0 &&
        !znode_pattern_match(es->only, path))
        return NULL;
    const struct election_settings *own = settings_of_election(es->cluster, path);
    if (!own && es->only && (strcmp(es->only, path) == 0 || strcmp(es->only, full) == 0)) {
        *origin = ORIGIN_CONFIGURED;
        return &es->settings->discovered;
    }
    *origin = own ? strcmp(own->path, path) == 0 ? ORIGIN_CONFIGURED : ORIGIN_PATTERN : ORIGIN_DISCOVERED;
    if (own || es->cluster->election_count > 0)
        return own;
    return is_under_root(es, path) || es->only ? &es->settings->discovered : NULL;
}

static struct logged_election *election_add(struct logged_elections *es, const char *path, size_t length,
                                            const struct election_settings *settings,
                                            enum election_origin origin)
{
    struct znode *own = znode_tree_is_full(es->tree) ? NULL : znode_tree_place(es->tree, path, length);
    if (!own)
        return NULL;
    znode_tree_weigh(es->tree, own, ELECTION_BYTES + PATH_COPIES * length);
    struct logged_election *e = xmalloc(sizeof *e);
    *e = (struct logged_election){.next = es->all, .own = own, .settings = settings, .origin = origin};
    es->all = e;
    interest_add(e, own, INTEREST_OWN);
    return e;
}

static bool logged_elections_is_ours(const struct logged_elections *es, const char *path, size_t length,
                                     const struct election_settings **settings, enum election_origin *origin)
{
    char *full = text_format("%.*s", (int)length, path);
    *settings = settings_at(es, full, origin);
    free(full);
    return *settings != NULL;
}

#define NAMES_MOST 64

/* Do these names look like candidates, or is this path a lock's? */
static bool looks_like_election(const struct logged_elections *es, const struct znode *directory,
                                const char *path, size_t length, const char *newcomer)
{
    char *names[NAMES_MOST + 1];
    size_t count = 0;
    char *full = text_format("%.*s", (int)length, path);
    char *name = text_copy(newcomer);
    if (name) /* of a lock's own znode there is none */
        names[count++] = name;
    for (struct znode *child = directory ? directory->children : NULL; child && count < NAMES_MOST;
         child = child->sibling)
        names[count++] = child->path + (znode_name(child) - child->path);
    const struct recipe *recipe = recipe_recognise(es->model->recipes, full, names, count);
    bool lock = recipe && recipe->family == FAMILY_LOCK;
    free(full);
    free(name);
    return recipe && (newcomer ? !lock : lock);
}

static size_t logged_elections_directory_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : length;
}

static void election_found(struct logged_elections *es, const char *path, size_t length,
                           const struct election_settings *settings, enum election_origin origin,
                           struct moment at)
{
    struct logged_election *e = election_add(es, path, length, settings, origin);
    if (e && es->showing)
        show_all(es, e, at);
}

/* An ephemeral znode of this name in this directory; or at this path itself. */
static void examine(struct logged_elections *es, const char *path, size_t length, struct moment at)
{
    const struct election_settings *settings;
    enum election_origin origin;
    size_t above = logged_elections_directory_length(path, length);
    struct znode *directory = znode_tree_find(es->tree, path, above);
    if (election_at(directory) || (directory && directory->examined >= EXAMINED_MOST))
        return;
    if (directory)
        directory->examined++;
    char *name = text_format("%.*s", (int)(length - above - (above > 1)), path + above + (above > 1));
    bool sequential = recipe_sequence_of(name) != SEQUENCE_NONE;
    if (sequential && logged_elections_is_ours(es, path, above, &settings, &origin) &&
        (origin != ORIGIN_DISCOVERED || looks_like_election(es, directory, path, above, name)))
        election_found(es, path, above, settings, origin, at);
    free(name);
    const struct znode *own = znode_tree_find(es->tree, path, length);
    if (sequential || election_at(own) || !logged_elections_is_ours(es, path, length, &settings, &origin))
        return;
    if (origin != ORIGIN_DISCOVERED || looks_like_election(es, NULL, path, length, NULL))
        election_found(es, path, length, settings, origin, at);
}

void logged_elections_examine(struct logged_elections *es, const struct znode_change *change,
                              struct moment at)
{
    if (change->sort == ZNODE_EPHEMERAL)
        examine(es, change->path, change->path_length, at);
}

void logged_elections_examine_list(struct logged_elections *es, const char *path, char *const *names,
                                   size_t count)
{
    const struct election_settings *settings;
    enum election_origin origin;
    size_t length = strlen(path), sample = count < NAMES_MOST ? count : NAMES_MOST;
    bool sequential = false;
    for (size_t i = 0; i < sample && !sequential; i++)
        sequential = recipe_sequence_of(names[i]) != SEQUENCE_NONE;
    if (!sequential || election_at(znode_tree_find(es->tree, path, length)) ||
        !logged_elections_is_ours(es, path, length, &settings, &origin))
        return;
    /* Other names may be those of a queue: nothing here shows that they are ephemeral. */
    const struct recipe *recipe =
        origin == ORIGIN_DISCOVERED ? recipe_recognise(es->model->recipes, path, names, sample) : NULL;
    struct logged_election *e = origin != ORIGIN_DISCOVERED || (recipe && recipe->signature)
                                    ? election_add(es, path, length, settings, origin)
                                    : NULL;
    if (e)
        election_touch(es, e);
}

struct found_paths {
    char **paths;
    size_t count, room;
};

static void collect_ephemeral(void *context, struct znode *node)
{
    struct found_paths *found = context;
    if (!node->session)
        return;
    room_for_one(&found->paths, found->count, &found->room, sizeof *found->paths);
    found->paths[found->count++] = xstrdup(node->path);
}

/* Places are made meanwhile, so the tree is gone through before. */
void logged_elections_examine_all(struct logged_elections *es)
{
    struct found_paths found = {0};
    znode_tree_each(es->tree, collect_ephemeral, &found);
    for (size_t i = 0; i < found.count; i++) {
        examine(es, found.paths[i], strlen(found.paths[i]), (struct moment){0});
        free(found.paths[i]);
    }
    free(found.paths);
}

/* ---- changes ---- */

static void show_deed(struct logged_elections *es, const struct logged_election *e, const struct znode *node,
                      const struct observed_transaction *deed, struct moment at)
{
    if (!e || !es->showing || !e->shown)
        return;
    struct observation o = observe(OBSERVED_TRANSACTION, e, node->path, at);
    o.transaction = *deed;
    model_observe(es->model, &o);
}

void logged_elections_deleted(struct logged_elections *es, struct znode *node,
                              const struct observed_transaction *deed, struct moment at)
{
    const struct logged_election *own = election_at(node);
    struct logged_election *above = election_at(node->parent);
    /* Who stood when an answer showed the election is told before one of them goes. */
    if (es->answered && above && !above->shown)
        logged_elections_settle(es, at);
    if (above && above->ended < TENURES_KEPT) {
        above->ended++;
        znode_tree_weigh(es->tree, above->own,
                         above->own->weight + ENDED_BYTES + ENDED_COPIES * strlen(znode_name(node)));
    }
    show_deed(es, own, node, deed, at);
    if (above != own)
        show_deed(es, above, node, deed, at);
    touch(es, node, true, false);
}

void logged_elections_left_out(struct logged_elections *es, const char *path)
{
    size_t above = logged_elections_directory_length(path, strlen(path));
    struct znode *directory = znode_tree_find(es->tree, path, above);
    if (directory && directory->short_of_children)
        touch(es, directory, false, false);
}

void logged_elections_changed(struct logged_elections *es, struct znode *node, bool created)
{
    if (!node->interests && node->parent && node->parent->interests)
        znode_tree_weigh(es->tree, node,
                         CANDIDATE_BYTES + NAME_COPIES * strlen(znode_name(node)) +
                             DATA_COPIES * node->data_kept);
    touch(es, node, false, created);
}

/* A lock is taken anew only once its holder's end was seen. */
static void znode_unseen(struct logged_elections *es, struct znode *node)
{
    if (!node || (node->exists && node->session) || !node->listed)
        return;
    node->listed = false;
    touch(es, node, false, false);
}

void logged_elections_unseen(struct logged_elections *es)
{
    for (struct logged_election *e = es->all; e; e = e->next) {
        znode_unseen(es, e->own);
        znode_unseen(es, e->ack);
        znode_unseen(es, e->registry);
    }
}

static bool wants_list(const struct election *shown, const struct logged_election *e)
{
    if (e->own_changed || shown->state != ELECTION_LED || shown->candidate_count <= LIST_ALWAYS)
        return true;
    for (size_t i = 0; i < e->touched_count; i++)
        if (e->touched[i].came || (shown->leader && strcmp(shown->leader->name, e->touched[i].name) == 0))
            return true;
    return false;
}

static char *child_path(const struct logged_election *e, const char *name)
{
    return text_format("%s/%s", e->own->path_length == 1 ? "" : e->own->path, name);
}

static void show_touched(struct logged_elections *es, const struct logged_election *e, bool gone, bool came,
                         struct moment at)
{
    for (size_t i = 0; i < e->touched_count; i++) {
        char *path = e->touched[i].gone == gone && e->touched[i].came >= came
                         ? child_path(e, e->touched[i].name)
                         : NULL;
        const struct znode *node = path ? znode_tree_find(es->tree, path, strlen(path)) : NULL;
        if (path && gone)
            show_absent(es, e, path, at);
        else if (node && node->exists && node->known)
            show_node(es, e, node, at);
        free(path);
    }
}

static void show_changes(struct logged_elections *es, struct logged_election *e, struct moment at)
{
    const struct election *shown = model_election(es->model, 0, e->own->path);
    if (!shown)
        return;
    bool list = wants_list(shown, e), whole = is_whole(es, e->own), all = !shown->fresh && whole;
    /* Before the end: without a whole list, the next leader is unknown. */
    if (!whole)
        show_unread(es, e, e->own, at);
    /* Where the directory itself went, that says it all. */
    if (e->own->exists && !e->own->session)
        show_touched(es, e, true, false, at);
    if (list) {
        show_touched(es, e, false, true, at); /* what is in it is known when the list names it */
        show_own(es, e, all, at);
    }
    show_touched(es, e, false, false, at);
    follow_acks(es, e, at);
    if (e->ack_changed)
        show_ack(es, e, at);
    if (e->registry_changed)
        show_registry(es, e, at);
}

bool logged_elections_settle(struct logged_elections *es, struct moment at)
{
    bool any = false;
    while (es->dirty) {
        struct logged_election *e = es->dirty;
        es->dirty = e->next_dirty;
        e->dirty = false;
        if (es->showing && !e->shown)
            show_all(es, e, at);
        else if (es->showing)
            show_changes(es, e, at);
        any = any || es->showing;
        for (size_t i = 0; i < e->touched_count; i++)
            free(e->touched[i].name);
        e->touched_count = 0;
        e->own_changed = e->ack_changed = e->registry_changed = false;
    }
    return any;
}

/* ---- life ---- */

/* Those that are named by their path are watched from the beginning, whether they exist or not. */
static bool logged_elections_add_named(struct logged_elections *es)
{
    for (size_t i = 0; i < es->cluster->election_count; i++) {
        const struct election_settings *settings = &es->cluster->elections[i];
        if (znode_is_pattern(settings->path) || (es->only && strcmp(es->only, settings->path) != 0 &&
                                                 !znode_pattern_match(es->only, settings->path)))
            continue;
        char *full = znode_path_join(chroot_of(es), settings->path);
        if (!election_add(es, full, strlen(full), settings, ORIGIN_CONFIGURED)) {
            free(full);
            return false;
        }
        free(full);
    }
    return true;
}

struct logged_elections *logged_elections_new(struct znode_tree *tree, struct model *model,
                                              const struct settings *settings, const char *only,
                                              bool answered)
{
    struct logged_elections *es = xmalloc(sizeof *es);
    *es = (struct logged_elections){.tree = tree,
                                    .model = model,
                                    .settings = settings,
                                    .cluster = &settings->clusters[0],
                                    .only = only,
                                    .answered = answered};
    if (logged_elections_add_named(es))
        return es;
    logged_elections_free(es);
    return NULL;
}

static void interests_free(struct znode *node)
{
    while (node && node->interests) {
        struct interest *interest = node->interests;
        node->interests = interest->next;
        free(interest);
    }
}

void logged_elections_free(struct logged_elections *es)
{
    for (struct logged_election *e = es ? es->all : NULL, *next; e; e = next) {
        next = e->next;
        interests_free(e->own);
        interests_free(e->ack);
        interests_free(e->registry);
        for (size_t i = 0; i < e->touched_count; i++)
            free(e->touched[i].name);
        free(e->touched);
        free(e);
    }
    free(es);
}
