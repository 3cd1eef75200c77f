#include "probe/watch/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "config/znode_path.h"
#include "probe/log.h"
#include "probe/loop_timer.h"

/* Lists under way at a time, directories a walk, and children of one directory that are walked into. */
#define LISTS_MOST 32
#define DIRECTORIES_MOST 100000
#define CHILDREN_MOST 2000
/* Children that are asked, one after the other, whether they are ephemeral: one may be a persistent
   candidate, and another may have gone by then. */
#define WITNESSES_MOST 8
/* A walk during which the connection was lost begins again this long after its end. */
#define LOST_AGAIN_MS 1000

struct directory {
    struct discover *discover;
    struct directory *next;
    int depth;
    size_t root;                     /* where it is one: which */
    char *witnesses[WITNESSES_MOST]; /* of a directory that looks like an election: paths of children */
    size_t witness_count, witness_at;
    char path[];
};

struct discover {
    struct live_cluster *live;
    const struct discover_settings *settings;
    const struct election_settings *election;
    struct directory *waiting; /* a stack: depth first keeps it short */
    size_t under_way, seen;
    bool walking, looked;
    bool cut, lost;      /* this walk left something out: for its bounds, or for a lost connection */
    size_t denied;       /* directories that it may not read, the roots not counted */
    char *denied_at;     /* the first of them by its path, below the chroot */
    const char *no_root; /* one of the roots, which does not exist; NULL: they all do */
    bool *root_shown;    /* of each root: it is not readable, and is shown among the elections */
    char *left_out;
    uv_timer_t *timer;
    int references;
    bool ended;
};

static void walk_on(struct discover *d);

static void directory_free(struct directory *dir)
{
    for (size_t i = 0; i < dir->witness_count; i++)
        free(dir->witnesses[i]);
    free(dir);
}

static void discover_release(struct discover *d)
{
    if (--d->references > 0)
        return;
    for (struct directory *dir = d->waiting, *next; dir; dir = next) {
        next = dir->next;
        directory_free(dir);
    }
    free(d->denied_at);
    free(d->root_shown);
    free(d->left_out);
    free(d);
}

/* NULL: it is left out, for the walk's bounds or for want of memory. */
static struct directory *discover_push(struct discover *d, const char *parent, const char *name, int depth)
{
    if (d->seen >= DIRECTORIES_MOST) {
        d->cut = true;
        return NULL;
    }
    bool root = strcmp(parent, "/") == 0;
    size_t size = strlen(parent) + strlen(name) + 2;
    struct directory *dir = calloc(1, sizeof *dir + size);
    if (!dir)
        return NULL;
    if (*name)
        snprintf(dir->path, size, "%s/%s", root ? "" : parent, name);
    else
        snprintf(dir->path, size, "%s", parent);
    dir->discover = d;
    dir->depth = depth;
    dir->next = d->waiting;
    d->waiting = dir;
    d->seen++;
    return dir;
}

static void found(struct discover *d, const char *path)
{
    live_cluster_watch(d->live, path, d->election, ORIGIN_DISCOVERED);
}

static void discover_done(struct directory *dir)
{
    struct discover *d = dir->discover;
    d->under_way--;
    directory_free(dir);
    if (!d->ended)
        walk_on(d);
    discover_release(d);
}

static bool ask_witness(struct directory *dir);

static void on_witness(void *context, enum session_result result, const struct znode_stat *stat,
                       const void *data, size_t length)
{
    (void)data, (void)length;
    struct directory *dir = context;
    struct discover *d = dir->discover;
    d->lost |= result == SESSION_LOST;
    if (!d->ended && result == SESSION_OK && stat->owner)
        found(d, dir->path);
    else if (!d->ended && result != SESSION_LOST && ask_witness(dir))
        return; /* it goes on in there */
    discover_done(dir);
}

/* Asks the next one; false: there is none. */
static bool ask_witness(struct directory *dir)
{
    return dir->witness_at < dir->witness_count &&
           session_exists(dir->discover->live->session, dir->witnesses[dir->witness_at++], false, on_witness,
                          dir);
}

static void keep_witness(struct directory *dir, const char *name)
{
    size_t size = strlen(dir->path) + strlen(name) + 2;
    char *path = dir->witness_count < WITNESSES_MOST ? malloc(size) : NULL;
    if (!path)
        return;
    snprintf(path, size, "%s/%s", strcmp(dir->path, "/") == 0 ? "" : dir->path, name);
    dir->witnesses[dir->witness_count++] = path;
}

/* A root that may not be read is what a path is that may not be. */
static void root_answered(struct directory *dir, enum session_result result)
{
    struct discover *d = dir->discover;
    bool denied = result == SESSION_DENIED;
    if (result == SESSION_NO_NODE && strcmp(d->settings->roots[dir->root], "/") != 0)
        d->no_root = d->settings->roots[dir->root];
    if (d->root_shown[dir->root] == denied || (denied && live_watches(d->live, dir->path)))
        return;
    d->root_shown[dir->root] = denied;
    live_show_denied(d->live, dir->path, d->election, ORIGIN_DISCOVERED, denied);
}

static void directory_denied(struct directory *dir)
{
    struct discover *d = dir->discover;
    const char *path = dir->path + strlen(d->live->chroot);
    d->denied++;
    if (d->denied_at && strcmp(d->denied_at, path) <= 0)
        return;
    free(d->denied_at);
    d->denied_at = strdup(path);
}

/* In words; NULL: nothing was left out. */
static char *describe_left_out(const struct discover *d)
{
    const char *where = d->denied_at ? d->denied_at : "?";
    const char *cut = d->cut ? "the tree is too large to be walked whole: name the elections" : NULL;
    char *root =
        d->no_root ? text_format("%s, where elections are looked for, does not exist", d->no_root) : NULL;
    char *denied = NULL;
    if (d->denied == 1)
        denied = text_format("%s may not be read: not searched", where);
    else if (d->denied > 1)
        denied = text_format("%zu directories, such as %s, may not be read: not searched", d->denied, where);
    char *all = NULL;
    if (root || denied || cut)
        all = text_format("%s%s%s%s%s", root ? root : "", root && (denied || cut) ? "; " : "",
                          denied ? denied : "", denied && cut ? "; " : "", cut ? cut : "");
    free(root);
    free(denied);
    return all;
}

static void tell_left_out(struct discover *d)
{
    char *now = describe_left_out(d);
    bool same = now && d->left_out ? strcmp(now, d->left_out) == 0 : !now && !d->left_out;
    if (same) {
        free(now);
        return;
    }
    free(d->left_out);
    d->left_out = now;
    if (now)
        log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(d->live), now);
    live_cluster_left_out(d->live);
}

static void discover_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                             char *const *names, size_t count)
{
    struct directory *dir = context;
    struct discover *d = dir->discover;
    d->lost |= result == SESSION_LOST;
    if (!d->ended && dir->depth == 0 && result != SESSION_LOST)
        root_answered(dir, result);
    else if (!d->ended && result == SESSION_DENIED)
        directory_denied(dir);
    if (d->ended || result != SESSION_OK) {
        discover_done(dir);
        return;
    }
    const struct recipe *recipe = recipe_recognise(d->live->model->recipes, dir->path, names, count);
    if (recipe && recipe->family == FAMILY_LOCK) {
        if (stat->owner)
            found(d, dir->path);
        discover_done(dir);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool sequential = recipe_sequence_of(names[i]) != SEQUENCE_NONE;
        if (sequential && recipe)
            keep_witness(dir, names[i]);
        bool own = strcmp(dir->path, "/") == 0 && strcmp(names[i], "zookeeper") == 0;
        if (sequential || own || dir->depth >= d->settings->depth)
            continue;
        d->cut |= i >= CHILDREN_MOST;
        if (i < CHILDREN_MOST)
            discover_push(d, dir->path, names[i], dir->depth + 1);
    }
    if (recipe && !live_watches(d->live, dir->path) && ask_witness(dir))
        return; /* it goes on in there */
    discover_done(dir);
}

static void discover_on_timer(uv_timer_t *timer)
{
    discover_begin(timer->data);
}

static void walk_on(struct discover *d)
{
    while (d->under_way < LISTS_MOST && d->waiting) {
        struct directory *dir = d->waiting;
        d->waiting = dir->next;
        dir->next = NULL;
        if (!session_children(d->live->session, dir->path, false, discover_on_list, dir)) {
            d->lost = true;
            directory_free(dir); /* the rest goes the same way, and the next walk begins anew */
            continue;
        }
        d->references++;
        d->under_way++;
    }
    if (!d->walking || d->under_way > 0 || d->waiting)
        return;
    d->walking = false;
    if (session_state(d->live->session) != CONNECTION_CONNECTED)
        return;
    if (d->lost) { /* it is back already: a missed directory may be an election */
        uv_timer_start(d->timer, discover_on_timer, LOST_AGAIN_MS, 0);
        return;
    }
    tell_left_out(d);
    d->looked = true;
    if (d->settings->every_ms > 0)
        uv_timer_start(d->timer, discover_on_timer, (uint64_t)d->settings->every_ms, 0);
}

/* A root as a full path. */
static void root_path(const struct discover *d, const char *root, char *path, size_t size)
{
    const char *chroot = d->live->chroot;
    if (strcmp(root, "/") == 0)
        snprintf(path, size, "%s", *chroot ? chroot : "/");
    else
        snprintf(path, size, "%s%s", chroot, root);
}

void discover_begin(struct discover *d)
{
    if (d->walking || d->ended)
        return;
    d->walking = true;
    d->cut = d->lost = false;
    d->seen = d->denied = 0;
    d->no_root = NULL;
    free(d->denied_at);
    d->denied_at = NULL;
    uv_timer_stop(d->timer);
    for (size_t i = 0; d->settings->roots && d->settings->roots[i]; i++) {
        char path[4096];
        root_path(d, d->settings->roots[i], path, sizeof path);
        struct directory *root = discover_push(d, path, "", 0);
        if (root)
            root->root = i;
    }
    walk_on(d);
}

void discover_known(struct discover *d, const char *path)
{
    for (size_t i = 0; d->settings->roots && d->settings->roots[i]; i++) {
        char root[4096];
        root_path(d, d->settings->roots[i], root, sizeof root);
        size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0')) {
            found(d, path);
            return;
        }
    }
}

struct discover *discover_new(struct live_cluster *live, const struct discover_settings *settings,
                              const struct election_settings *election)
{
    size_t roots = 0;
    while (settings->roots && settings->roots[roots])
        roots++;
    struct discover *d = calloc(1, sizeof *d);
    uv_timer_t *timer = loop_timer_new(live->loop, d);
    bool *shown = calloc(roots + 1, sizeof *shown);
    if (!d || !timer || !shown) {
        free(d);
        loop_timer_free(timer);
        free(shown);
        return NULL;
    }
    d->root_shown = shown;
    d->live = live;
    d->settings = settings;
    d->election = election;
    d->references = 1;
    d->timer = timer;
    return d;
}

void discover_free(struct discover *d)
{
    if (!d)
        return;
    d->ended = true;
    loop_timer_free(d->timer);
    discover_release(d);
}

const char *discover_left_out(const struct discover *d)
{
    return d->left_out;
}

bool discover_looked(const struct discover *d)
{
    return d->looked;
}

/* Directories and waited-for matches of one pattern; more are left out, which the log says. */
#define SERVER_ADDRESSES_MOST 20000

/* A directory whose children are matched, or (end true) a concrete path that is waited for. */
struct pattern_directory {
    struct pattern *pattern;
    char *path;
    const char *rest; /* what follows its children's names, "" or "/leader"; points into the pattern */
    const char *glob; /* what its children must match; NULL: path is a whole match */
    struct watch_entry entry;
    bool asking, looked;
    bool denied; /* it may not be read: asked again from time to time */
    struct pattern_directory *next;
};

struct pattern {
    struct live_cluster *live;
    char *path;
    const struct election_settings *settings;
    struct pattern_directory *places;
    size_t place_count;
    int unanswered; /* places not looked at yet */
    size_t denied;  /* places that may not be read now */
    bool shown;     /* the pattern itself is shown among the elections, as denied */
    int references; /* answers still owed, and the owner */
    bool ended;
};

static void place_ask(struct pattern_directory *place);

static void pattern_release(struct pattern *p)
{
    if (--p->references > 0)
        return;
    for (struct pattern_directory *place = p->places, *next; place; place = next) {
        next = place->next;
        free(place->path);
        free(place);
    }
    free(p->path);
    free(p);
}

static bool has_wildcard(const char *text, size_t length)
{
    return memchr(text, '*', length) || memchr(text, '?', length);
}

static void pattern_on_notice(void *context, enum session_notice notice)
{
    (void)notice;
    place_ask(context);
}

static bool place_known(const struct pattern *p, const char *path)
{
    for (const struct watch_entry *e = NULL; (e = watch_map_next(&p->live->watches, path, e));)
        if (e->notice == pattern_on_notice && ((const struct pattern_directory *)e->context)->pattern == p)
            return true;
    return false;
}

/* The place for prefix followed by rest: up to the next component with a wildcard, or the whole of it. */
static void place_add(struct pattern *p, const char *prefix, const char *rest)
{
    const char *component = rest, *end;
    for (;; component = end) {
        if (!*component)
            break;
        end = component + 1 + strcspn(component + 1, "/");
        if (has_wildcard(component, (size_t)(end - component)))
            break;
    }
    size_t fixed = (size_t)(component - rest), length = strlen(prefix);
    char *path = malloc(length + fixed + 2);
    if (!path)
        return;
    memcpy(path, prefix, length);
    memcpy(path + length, rest, fixed);
    path[length + fixed] = '\0';
    if (!path[0])
        strcpy(path, "/");
    if (place_known(p, path)) {
        free(path);
        return;
    }
    bool full = p->place_count >= SERVER_ADDRESSES_MOST;
    struct pattern_directory *place = full ? NULL : calloc(1, sizeof *place);
    if (!place) {
        log_line(LOG_LEVEL_WARNING, "%s: %s; left out: %s", p->path,
                 full ? "too many places to look at" : "out of memory", path);
        free(path);
        return;
    }
    place->pattern = p;
    place->path = path;
    place->glob = *component ? component + 1 : NULL;
    place->rest = *component ? component + 1 + strcspn(component + 1, "/") : "";
    place->entry = (struct watch_entry){.notice = pattern_on_notice, .context = place};
    place->next = p->places;
    p->places = place;
    p->place_count++;
    p->unanswered++;
    watch_map_put(&p->live->watches, &place->entry, path);
    place_ask(place);
}

static bool glob_matches(const struct pattern_directory *place, const char *name)
{
    char glob[512];
    size_t length = strcspn(place->glob, "/");
    if (length >= sizeof glob)
        return false;
    memcpy(glob, place->glob, length);
    glob[length] = '\0';
    return znode_pattern_match(glob, name);
}

static void child_found(struct pattern_directory *place, const char *name)
{
    struct pattern *p = place->pattern;
    if (!glob_matches(place, name))
        return;
    bool root = strcmp(place->path, "/") == 0;
    size_t size = strlen(place->path) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        return;
    snprintf(path, size, "%s/%s", root ? "" : place->path, name);
    /* The tool's and ZooKeeper's own trees contain no elections. */
    if (strcmp(path, "/zookeeper") != 0) {
        if (*place->rest)
            place_add(p, path, place->rest);
        else
            live_cluster_watch(p->live, path, p->settings, ORIGIN_PATTERN);
    }
    free(path);
}

static void place_looked(struct pattern_directory *place)
{
    if (!place->looked) {
        place->looked = true;
        place->pattern->unanswered--;
    }
}

/*
 * The contents of an unreadable directory are unknown: the pattern itself is then shown among the
 * elections, as denied, until every directory can be read.
 */
static void show_denied(struct pattern *p)
{
    if (p->shown == (p->denied > 0))
        return;
    p->shown = p->denied > 0;
    live_show_denied(p->live, p->path, p->settings, ORIGIN_PATTERN, p->shown);
}

static void place_denied(struct pattern_directory *place, bool denied)
{
    struct pattern *p = place->pattern;
    if (place->denied == denied)
        return;
    place->denied = denied;
    p->denied += denied ? 1 : (size_t)-1;
    show_denied(p);
}

/* One answer has come; false: nothing more is to be done for this place. */
static bool answered(struct pattern_directory *place, enum session_result result)
{
    struct pattern *p = place->pattern;
    place->asking = false;
    bool alive = !p->ended && result != SESSION_LOST;
    if (alive)
        place_looked(place);
    if (alive && result == SESSION_DENIED && !place->denied)
        log_line(LOG_LEVEL_WARNING, "%s: %s may not be read", p->path, place->path);
    if (alive)
        place_denied(place, result == SESSION_DENIED);
    return alive;
}

static void place_wait(struct pattern_directory *place);

static void on_exists(void *context, enum session_result result, const struct znode_stat *stat,
                      const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct pattern_directory *place = context;
    struct pattern *p = place->pattern;
    if (answered(place, result)) {
        if (result == SESSION_OK)
            live_cluster_watch(p->live, place->path, p->settings, ORIGIN_PATTERN);
        else if (result == SESSION_NO_NODE)
            place_wait(place);
    }
    pattern_release(p);
}

static void on_waiting(void *context, enum session_result result, const struct znode_stat *stat,
                       const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct pattern_directory *place = context;
    struct pattern *p = place->pattern;
    if (answered(place, result) && result == SESSION_OK)
        place_ask(place); /* it appeared between the two questions */
    pattern_release(p);
}

/* Leaves a watch. An existing znode is read without one: an election's own watches are enough then. */
static void place_wait(struct pattern_directory *place)
{
    if (session_exists(place->pattern->live->session, place->path, true, on_waiting, place)) {
        place->asking = true;
        place->pattern->references++;
    }
}

static void pattern_on_children(void *context, enum session_result result, const struct znode_stat *stat,
                                char *const *names, size_t count)
{
    (void)stat;
    struct pattern_directory *place = context;
    struct pattern *p = place->pattern;
    if (answered(place, result)) {
        if (result == SESSION_NO_NODE) {
            place_wait(place);
        } else if (result == SESSION_OK) {
            for (size_t i = 0; i < count; i++)
                child_found(place, names[i]);
        }
    }
    pattern_release(p);
}

static void place_ask(struct pattern_directory *place)
{
    struct pattern *p = place->pattern;
    struct session *session = p->live->session;
    if (place->asking || p->ended)
        return;
    if (!place->glob && live_watches(p->live, place->path)) {
        place_looked(place); /* another one's election: named, or of another pattern */
        return;
    }
    bool sent = place->glob ? session_children(session, place->path, true, pattern_on_children, place)
                            : session_exists(session, place->path, false, on_exists, place);
    if (sent) {
        place->asking = true;
        p->references++;
    }
}

struct pattern *pattern_new(struct live_cluster *live, const char *path,
                            const struct election_settings *settings)
{
    struct pattern *p = calloc(1, sizeof *p);
    if (!p || !(p->path = strdup(path))) {
        free(p);
        return NULL;
    }
    p->live = live;
    p->settings = settings;
    p->references = 1;
    place_add(p, "", p->path);
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    p->ended = true;
    for (struct pattern_directory *place = p->places; place; place = place->next)
        watch_map_remove(&p->live->watches, &place->entry);
    pattern_release(p);
}

void pattern_begin(struct pattern *p)
{
    for (struct pattern_directory *place = p->places; place; place = place->next) {
        place->asking = false;
        place_ask(place);
    }
}

void pattern_wait_again(struct pattern *p, const char *path)
{
    for (struct pattern_directory *place = p->places; place; place = place->next)
        if (!place->glob && strcmp(place->path, path) == 0)
            place_ask(place);
}

void pattern_try_again(struct pattern *p)
{
    for (struct pattern_directory *place = p->places; place; place = place->next)
        if (place->denied)
            place_ask(place);
}

bool pattern_looked(const struct pattern *p)
{
    return p->unanswered == 0;
}
