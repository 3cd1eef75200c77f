#include "probe/watch/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
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
    struct live *live;
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
    d->live->watch(d->live, path, d->election, ORIGIN_DISCOVERED);
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
    d->live->left_out(d->live);
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

struct discover *discover_new(struct live *live, const struct discover_settings *settings,
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
