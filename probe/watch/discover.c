#include "probe/watch/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/clock.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/left_out.h"

/* The limits of simultaneous reads, and of directories kept for the report. */
#define READS_MOST 1000
#define KEPT_MOST 20000
/* Bytes of names that a walk keeps for later. Lists are asked for as they are likely to have room; one that has
 * none is read again once its turn comes. So many directories wait for that at most, beside those whose lists are
 * under way. */
#define NAMES_MOST (8u << 20)
#define POSTPONED_MOST READS_MOST
/* Bytes of paths in one directory that may have been elections. */
#define EMPTIED_BYTES (16u << 10)
/* With paths of so many bytes in hand, one directory is listed at a time: a path is copied for each read. */
#define PATHS_MOST (1u << 20)
/* Deeper directories are taken for ones of this depth. */
#define DEPTHS_KNOWN 16
/* The maximum number of children that are checked, one after the other, for being ephemeral: one may be a
 * persistent candidate, and another may have gone. */
#define WITNESSES_MOST 8
/* If the connection was lost during a walk, the next walk begins this long after its end. */
#define LOST_AGAIN_MS 1000
/* The rate limit applies to periods of this length; a walk that has used up its share continues in the
 * next. */
#define RATE_STEP_MS 10
/* After a change a watched directory is listed again no sooner than this, plus a millisecond for each child.
 * After that many changes since the latest walk it waits for the next interval. */
#define CHANGED_PAUSE_MS 500
#define CHANGES_CALM 8
/* Bytes of the paths of watched directories: they share a session with elections (live_cluster.h). */
#define WATCHED_BYTES (SESSION_SHARD_PATH_BYTES / 2)

/* A place for a leader's znode in a directory, until its children have told of it. */
struct awaited_place {
    struct leader_place place;
    bool unled, proved; /* nobody's session is there; it is that layout */
};

struct directory {
    struct discover *discover;
    struct directory *next;
    struct directory *parent; /* NULL: a walk begins here */
    size_t pending;           /* itself, its children to come, and those under way */
    char *names;              /* of children to come, each with its NUL; NULL: none */
    size_t names_at, names_length;
    size_t reserved; /* bytes, while its list is under way */
    int depth;
    size_t root;                  /* the index of the root where a walk begins; else as in its parent */
    bool begins;                  /* a root of the settings */
    bool alone;                   /* listed again after a change: only its new children are walked */
    bool partly;                  /* some children are not listed */
    bool part;                    /* part of a semaphore or a queue: never an election */
    bool leads;                   /* its names always need a leader, and its own says nothing of elections */
    bool leads_below;             /* a child of it does, and has candidates */
    struct text emptied;          /* the paths of children that lost all of theirs, each with its NUL */
    size_t ephemeral, persistent; /* of its children that were listed */
    char *ephemeral_at;           /* the first ephemeral child */
    char *witnesses[WITNESSES_MOST]; /* paths of children, if the directory looks like an election */
    size_t witness_count, witness_at, members;
    struct directory_verdict verdict; /* a queue, until a child disproves it */
    enum directory_kind named;        /* as its names said */
    struct awaited_place *places;
    size_t place_count, place_room;
    struct election_seen *seen; /* its list, until a witness proves an election; or NULL */
    char path[];
};

/* A directory with a child watch: its new children are found without another walk. */
struct watched_directory {
    struct watch_entry entry; /* path NULL: the directory is gone */
    struct discover *discover;
    struct watched_directory *next;
    size_t root, count;
    int depth;
    bool begins, part, dirty;
    bool denied; /* not readable */
    unsigned changes;
    uint64_t due_ms; /* if dirty: when to list it */
};

struct discover {
    struct live_cluster *live;
    const struct discover_settings *settings;
    const struct election_settings *election;
    /* Stacks, taken from in this order: depth first keeps them short. */
    struct directory *waiting;   /* to be listed: the roots, and those that changed */
    struct directory *open;      /* listed, with children to come */
    struct directory *postponed; /* to be listed again: there was no room for its names */
    size_t waiting_count, postponed_count, under_way, walked;
    size_t names_bytes; /* of the children to come */
    size_t path_bytes;  /* of all directories in hand */
    size_t reserved;    /* for those that lists under way are likely to bring */
    size_t list_bytes[DEPTHS_KNOWN];
    double budget; /* reads that the rate allows now */
    uint64_t budget_ms;
    bool walking, complete, answered;
    bool again; /* the walk repeats a complete one, since no watch shows all changes */
    bool lost;  /* this walk left something out because of a lost connection */
    struct left_out left;
    bool *root_shown; /* by root: unreadable, and shown among the elections */
    char *left_out;   /* the message about left */
    struct found_directory *kept;
    size_t kept_count, kept_room;
    struct watched_directory *watched;
    size_t watched_bytes, dirty;
    bool unwatched; /* some directory has no watch: only another walk shows its changes */
    uv_timer_t *timer, *pace, *changes;
    int references;
    bool ended;
};

static void walk_on(struct discover *d);
static void on_directory_notice(void *context, enum session_notice notice);

static void forget_place(struct leader_place *place)
{
    free(place->path);
    free(place->proof);
}

static void directory_forget(struct directory *dir)
{
    dir->discover->path_bytes -= strlen(dir->path);
    for (size_t i = 0; i < dir->place_count; i++)
        forget_place(&dir->places[i].place);
    free(dir->places);
    free(dir->seen);
    free(dir->names);
    text_free(&dir->emptied);
    for (size_t i = 0; i < dir->witness_count; i++)
        free(dir->witnesses[i]);
    free(dir->ephemeral_at);
    free(dir);
}

/* Keeps a directory for a report. With live updates only elections are shown. */
static void keep_directory(struct discover *d, const char *path, struct directory_verdict verdict,
                           size_t members)
{
    if (d->settings->follows)
        return;
    if (d->kept_count >= KEPT_MOST) {
        d->left.cut = true;
        return;
    }
    room_for_one(&d->kept, d->kept_count, &d->kept_room, sizeof *d->kept);
    d->kept[d->kept_count++] = (struct found_directory){xstrdup(path), verdict, members};
}

/* All its children have been listed: classifies the directory by them. */
static void directory_judge(const struct directory *dir)
{
    struct discover *d = dir->discover;
    if (dir->partly || dir->part || dir->ephemeral == 0 || dir->verdict.kind != DIRECTORY_OTHER || d->ended ||
        live_watches(d->live, dir->path))
        return;
    struct directory_verdict lock = directory_kind_ephemeral(dir->ephemeral_at);
    if (dir->ephemeral == 1 && lock.kind != DIRECTORY_OTHER)
        keep_directory(d, dir->ephemeral_at, lock, 1);
    else if (dir->persistent == 0)
        keep_directory(d, dir->path, directory_kind_ephemeral_members(), dir->ephemeral);
}

static void keep_emptied(struct discover *d, const char *path, enum emptied_how how)
{
    if (left_out_add_emptied(&d->left, path, how))
        keep_directory(d, path, directory_kind_emptied(how), 0);
}

/* Where an election's own name says nothing of elections, one beside it that lost its children may have been another.
 * Beside a "latch" lie queues and locks, and in the root the directories of other systems. */
static void judge_siblings(const struct directory *dir)
{
    const struct text *paths = &dir->emptied;
    for (size_t at = 0; dir->leads_below && !dir->discover->ended && at < paths->length;
         at += strlen(paths->at + at) + 1)
        keep_emptied(dir->discover, paths->at + at, EMPTIED_BESIDE);
}

/* The directory or one of its children is done. The last child completes its parent, and so on upwards. */
static void directory_done(struct directory *dir)
{
    while (dir && --dir->pending == 0) {
        struct directory *parent = dir->parent;
        directory_judge(dir);
        judge_siblings(dir);
        directory_forget(dir);
        dir = parent;
    }
}

static void directory_give_up(struct directory *dir)
{
    for (struct directory *up = dir; up; up = up->parent)
        up->partly = true;
    directory_done(dir);
}

static struct directory *stack_pop(struct directory **stack)
{
    struct directory *dir = *stack;
    *stack = dir->next;
    dir->next = NULL;
    return dir;
}

static void forget_waiting(struct discover *d)
{
    while (d->open) /* before its parents, which are deeper in the stack */
        directory_give_up(stack_pop(&d->open));
    while (d->waiting)
        directory_give_up(stack_pop(&d->waiting));
    while (d->postponed)
        directory_give_up(stack_pop(&d->postponed));
    d->waiting_count = d->postponed_count = d->names_bytes = 0;
}

static void forget_kept(struct discover *d)
{
    for (size_t i = 0; i < d->kept_count; i++)
        free(d->kept[i].path);
    d->kept_count = 0;
}

static void forget_watched(struct discover *d)
{
    for (struct watched_directory *w = d->watched, *next; w; w = next) {
        next = w->next;
        watch_map_remove(&d->live->watches, &w->entry);
        free(w);
    }
    d->live->shards[0].path_bytes -= d->watched_bytes;
    d->watched = NULL;
    d->watched_bytes = d->dirty = 0;
    d->unwatched = false;
}

static bool settle_place(struct discover *d, const struct awaited_place *awaited)
{
    if (!awaited->unled || !awaited->proved)
        return false;
    keep_emptied(d, awaited->place.path, awaited->place.missing ? EMPTIED_MISSING : EMPTIED_LEFTOVER);
    return true;
}

/* Nothing in it but a part of a known layout that comes and goes. */
static bool is_almost_empty(const struct directory *dir, char *const *names, size_t count)
{
    bool almost = true;
    for (size_t i = 0; almost && i < count; i++) {
        char *path = text_format("%s/%s", dir->path, names[i]);
        almost = directory_kind_is_momentary(path);
        free(path);
    }
    return almost;
}

/* Whether they are without a leader, and of that layout, its children may show: see told_by_child(). */
static void look_for_places(struct directory *dir, const struct znode_stat *stat, char *const *names,
                            size_t count)
{
    struct discover *d = dir->discover;
    const struct recipe_book *book = d->live->model->recipes;
    bool may_be_line = directory_kind_is_emptied(book, dir->path, stat->cversion);
    size_t row = 0;
    struct leader_place place;
    while (recipe_leader_place(book, dir->path, names, count, &row, &place)) {
        struct awaited_place awaited = {place, place.missing,
                                        !place.proof || dir->depth >= d->settings->depth};
        /* An election of another layout may be there, and an empty directory is told itself. */
        bool other = may_be_line && (count == 0 || !is_almost_empty(dir, names, count));
        if ((place.by_path && place.missing && (other || stat->cversion == 0)) || settle_place(d, &awaited)) {
            forget_place(&place);
            continue;
        }
        room_for_one(&dir->places, dir->place_count, &dir->place_room, sizeof *dir->places);
        dir->places[dir->place_count++] = awaited;
    }
}

/* Of a leader's place in its parent: it may be that place, or what proves the layout. */
static void told_by_child(const struct directory *dir, const struct znode_stat *stat, char *const *names,
                          size_t count)
{
    size_t length = strlen(dir->path);
    for (size_t i = 0; dir->parent && i < dir->parent->place_count; i++) {
        struct awaited_place *awaited = &dir->parent->places[i];
        const char *proof = awaited->place.proof;
        if (strcmp(awaited->place.path, dir->path) == 0)
            awaited->unled = !stat->owner && count == 0;
        else if (proof && strncmp(proof, dir->path, length) == 0 && proof[length] == '/')
            awaited->proved = text_is_among(proof + length + 1, names, count);
        else
            continue;
        settle_place(dir->discover, awaited);
    }
}

/* It has no candidates, or lacks the leader's znode. */
static void look_for_emptied(struct directory *dir, const struct znode_stat *stat, char *const *names,
                             size_t count)
{
    struct discover *d = dir->discover;
    const char *own = dir->path + strlen(d->live->chroot);
    if (dir->alone)
        left_out_listed(&d->left, dir->path, names, count);
    size_t servers_own = strlen("/zookeeper");
    if (dir->part ||
        (strncmp(own, "/zookeeper", servers_own) == 0 && (!own[servers_own] || own[servers_own] == '/')))
        return;
    if (count == 0 && *own && directory_kind_is_emptied(d->live->model->recipes, dir->path, stat->cversion))
        keep_emptied(d, dir->path, EMPTIED_DIRECTORY);
    else if (count == 0 && stat->cversion != 0 && dir->parent && strchr(dir->path + 1, '/') &&
             dir->parent->emptied.length < EMPTIED_BYTES)
        text_add_bytes(&dir->parent->emptied, dir->path, strlen(dir->path) + 1);
    look_for_places(dir, stat, names, count);
}

static void discover_release(struct discover *d)
{
    if (--d->references > 0)
        return;
    forget_waiting(d);
    forget_kept(d);
    free(d->kept);
    left_out_forget(&d->left);
    free(d->root_shown);
    free(d->left_out);
    free(d);
}

/* ---- watched directories ---- */

static struct watched_directory *watched_at(const struct discover *d, const char *path)
{
    struct watch_entry *e = NULL;
    while ((e = watch_map_next(&d->live->watches, path, e)))
        if (e->notice == on_directory_notice)
            return e->context;
    return NULL;
}

/* Decides whether this list leaves a watch behind, and reserves an entry for it. */
static bool watch_directory(struct discover *d, const struct directory *dir)
{
    size_t bytes = strlen(dir->path) + 16;
    if (!d->settings->follows || watched_at(d, dir->path))
        return d->settings->follows;
    struct session_shard *shard = &d->live->shards[0];
    bool room =
        d->watched_bytes + bytes <= WATCHED_BYTES && shard->path_bytes + bytes <= SESSION_SHARD_PATH_BYTES;
    struct watched_directory *w = room ? xcalloc(1, sizeof *w) : NULL;
    if (w) {
        *w = (struct watched_directory){.entry = {.notice = on_directory_notice, .context = w},
                                        .discover = d,
                                        .next = d->watched,
                                        .root = dir->root,
                                        .depth = dir->depth,
                                        .begins = dir->begins,
                                        .part = dir->part};
        watch_map_put(&d->live->watches, &w->entry, dir->path);
        d->watched = w;
        d->watched_bytes += bytes;
        shard->path_bytes += bytes;
        return true;
    }
    d->unwatched = true;
    return false;
}

static void watched_gone(struct discover *d, struct watched_directory *w)
{
    size_t bytes = strlen(w->entry.path) + 16;
    watch_map_remove(&d->live->watches, &w->entry);
    d->watched_bytes -= bytes;
    d->live->shards[0].path_bytes -= bytes;
    d->dirty -= w->dirty;
    w->dirty = false;
}

/* Removed directories are freed here and not in a notification, because several notifications may refer to
 * one. */
static void sweep_watched(struct discover *d)
{
    for (struct watched_directory **at = &d->watched; *at;) {
        struct watched_directory *w = *at;
        if (w->entry.path) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        free(w);
    }
}

static struct directory *discover_push(struct discover *d, const char *path);

static void on_changes(uv_timer_t *timer)
{
    struct discover *d = timer->data;
    uint64_t now = uv_now(d->live->loop), next = UINT64_MAX;
    sweep_watched(d);
    if (session_state(d->live->session) != CONNECTION_CONNECTED)
        return; /* discover_begin() continues the walk */
    for (struct watched_directory *w = d->watched; w && d->dirty > 0; w = w->next) {
        if (!w->dirty)
            continue;
        if (w->due_ms > now) {
            next = w->due_ms < next ? w->due_ms : next;
            continue;
        }
        struct directory *dir = discover_push(d, w->entry.path);
        dir->alone = dir->partly = true;
        dir->depth = w->depth;
        dir->root = w->root;
        dir->begins = w->begins;
        dir->part = w->part;
        w->dirty = false;
        d->dirty--;
    }
    if (next != UINT64_MAX)
        uv_timer_start(d->changes, on_changes, next - now, 0);
    walk_on(d);
}

static void list_later(struct watched_directory *w, uint64_t pause_ms)
{
    struct discover *d = w->discover;
    if (w->dirty)
        return;
    w->dirty = true;
    w->due_ms = uv_now(d->live->loop) + pause_ms;
    d->dirty++;
    if (!uv_is_active((uv_handle_t *)d->changes) || uv_timer_get_due_in(d->changes) > pause_ms)
        uv_timer_start(d->changes, on_changes, pause_ms, 0);
}

static void on_directory_notice(void *context, enum session_notice notice)
{
    struct watched_directory *w = context;
    struct discover *d = w->discover;
    if (notice == NOTICE_DELETED) {
        if (w->begins)
            list_later(w, (uint64_t)d->settings->every_ms);
        else
            watched_gone(d, w);
    } else if (notice == NOTICE_CHILDREN && (w->begins || !live_watches(d->live, w->entry.path))) {
        bool calm = w->changes++ < CHANGES_CALM;
        list_later(w, calm ? CHANGED_PAUSE_MS + w->count : (uint64_t)d->settings->every_ms);
    }
}

/* ---- the walk ---- */

/* name "": the path itself. */
static struct directory *directory_new(struct discover *d, struct directory *parent, const char *path,
                                       const char *name)
{
    bool top = strcmp(path, "/") == 0;
    size_t size = strlen(path) + strlen(name) + 2;
    struct directory *dir = xcalloc(1, sizeof *dir + size);
    if (*name)
        snprintf(dir->path, size, "%s/%s", top ? "" : path, name);
    else
        snprintf(dir->path, size, "%s", path);
    dir->discover = d;
    d->path_bytes += strlen(dir->path);
    dir->verdict.kind = DIRECTORY_OTHER;
    dir->pending = 1;
    if (parent) {
        dir->parent = parent;
        dir->depth = parent->depth + 1;
        dir->root = parent->root;
        dir->part = parent->part || directory_kind_is_part(parent->named, name);
        parent->pending++;
    }
    return dir;
}

/* A walk begins at this path. */
static struct directory *discover_push(struct discover *d, const char *path)
{
    struct directory *dir = directory_new(d, NULL, path, "");
    dir->next = d->waiting;
    d->waiting = dir;
    d->waiting_count++;
    return dir;
}

/* The next child of the deepest directory. */
static struct directory *next_child(struct discover *d)
{
    struct directory *parent = d->open;
    const char *name = parent->names + parent->names_at;
    struct directory *child = directory_new(d, parent, parent->path, name);
    size_t bytes = strlen(name) + 1;
    parent->names_at += bytes;
    d->names_bytes -= bytes;
    d->waiting_count--;
    child->alone = child->partly = parent->alone && watched_at(d, child->path);
    if (parent->names_at == parent->names_length) {
        stack_pop(&d->open);
        free(parent->names);
        parent->names = NULL;
        directory_done(parent);
    }
    return child;
}

/* The bytes of names that a list of this depth is likely to have: those of the latest ones. */
static size_t *list_bytes(struct discover *d, int depth)
{
    return &d->list_bytes[depth < DEPTHS_KNOWN ? depth : DEPTHS_KNOWN - 1];
}

/* A directory may be listed now. */
static bool may_list(struct discover *d)
{
    if (d->waiting_count == 0 || d->under_way == 0)
        return d->waiting_count > 0;
    if (d->under_way >= READS_MOST || d->path_bytes >= PATHS_MOST || d->postponed_count >= POSTPONED_MOST ||
        !(d->waiting || d->open))
        return false;
    size_t bytes = *list_bytes(d, d->waiting ? d->waiting->depth : d->open->depth + 1);
    return bytes == 0 || d->names_bytes + d->reserved + bytes <= NAMES_MOST;
}

static struct directory *next_directory(struct discover *d)
{
    bool crowded = d->postponed_count >= POSTPONED_MOST && d->names_bytes < NAMES_MOST;
    if (d->open && !d->waiting && !crowded)
        return next_child(d);
    d->waiting_count--;
    if (d->waiting)
        return stack_pop(&d->waiting);
    d->postponed_count--;
    return stack_pop(&d->postponed);
}

/* Keeps room for the names of a list that is under way. */
static void reserve_names(struct directory *dir)
{
    dir->reserved = *list_bytes(dir->discover, dir->depth);
    dir->discover->reserved += dir->reserved;
}

static void learn_list_bytes(struct directory *dir, size_t bytes)
{
    size_t *known = list_bytes(dir->discover, dir->depth);
    *known = bytes > *known ? bytes : *known - (*known - bytes) / 16;
}

/* No room for the names: the directory is listed again when nothing else is left to walk, or when too many
 * wait. A list that is read alone is always kept, so that the walk ends: at most one for each level of the
 * tree. */
static bool is_postponed(struct directory *dir, char *const *names, size_t count)
{
    struct discover *d = dir->discover;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i]) + 1;
    learn_list_bytes(dir, bytes);
    if (bytes == 0 || d->under_way == 1 || d->names_bytes + bytes <= NAMES_MOST)
        return false;
    dir->next = d->postponed;
    d->postponed = dir;
    d->postponed_count++;
    d->waiting_count++;
    return true;
}

/* seen: NULL: its watch reads it. */
static void found(struct discover *d, const char *path, const struct election_seen *seen)
{
    live_cluster_watch(d->live, path, d->election, ORIGIN_DISCOVERED, seen);
}

/* Keeps the list, in one allocation, while its witnesses are checked: a single snapshot does not read it
 * again. */
static void keep_seen(struct directory *dir, const struct znode_stat *stat, char *const *names, size_t count)
{
    size_t size = sizeof *dir->seen + count * sizeof *names;
    for (size_t i = 0; i < count; i++)
        size += strlen(names[i]) + 1;
    dir->seen = xmalloc(size);
    char **copies = (char **)(dir->seen + 1), *at = (char *)(copies + count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]) + 1;
        copies[i] = memcpy(at, names[i], length);
        at += length;
    }
    dir->seen->listed = clock_now();
    dir->seen->stat = *stat;
    dir->seen->names = copies;
    dir->seen->count = count;
}

static void list_answered(struct discover *d)
{
    d->under_way--;
    if (!d->ended)
        walk_on(d);
    discover_release(d);
}

/* All reads of a directory have been answered. */
static void discover_answered(struct directory *dir)
{
    struct discover *d = dir->discover;
    directory_done(dir);
    list_answered(d);
}

static bool ask_witness(struct directory *dir);

static void on_witness(void *context, const struct session_answer *answer)
{
    struct directory *dir = context;
    struct discover *d = dir->discover;
    struct election_seen *seen = dir->seen;
    d->lost |= answer->result == SESSION_LOST;
    if (seen && answer->result == SESSION_DENIED) { /* its data is denied, but it is known to be ephemeral */
        free(seen);
        dir->seen = NULL;
        dir->witness_at--;
    }
    if (!d->ended && answer->result == SESSION_OK && answer->stat->owner) {
        if (seen) {
            seen->read = clock_now();
            seen->child = dir->witnesses[dir->witness_at - 1];
            seen->child_stat = answer->stat;
            seen->data = answer->data;
            seen->length = answer->length;
        }
        found(d, dir->path, seen);
        dir->verdict.kind = DIRECTORY_OTHER;
        if (dir->parent)
            dir->parent->leads_below |= dir->leads;
    } else if (!d->ended && answer->result != SESSION_LOST && ask_witness(dir)) {
        return; /* the call continues the walk */
    } else if (!d->ended && answer->result == SESSION_OK && dir->witness_at == dir->witness_count) {
        struct directory_verdict verdict =
            dir->verdict.kind == DIRECTORY_QUEUE ? dir->verdict : directory_kind_persistent_sequence();
        keep_directory(d, dir->path, verdict, dir->members);
    }
    discover_answered(dir);
}

/* Checks the next witness; false: there is none. */
static bool ask_witness(struct directory *dir)
{
    struct discover *d = dir->discover;
    if (dir->witness_at >= dir->witness_count)
        return false;
    const char *path = dir->witnesses[dir->witness_at++];
    read_account_grant(d->live->account, 1); /* the rate of the walk limits it */
    /* A witness whose data is read may be the leader, so the read sets a watch. */
    bool sent = dir->seen ? session_get(d->live->session, path, true, on_witness, dir)
                          : session_exists(d->live->session, path, false, on_witness, dir);
    d->budget -= sent;
    return sent;
}

static void keep_witness(struct directory *dir, const char *name)
{
    if (dir->witness_count >= WITNESSES_MOST)
        return;
    size_t size = strlen(dir->path) + strlen(name) + 2;
    char *path = xmalloc(size);
    snprintf(path, size, "%s/%s", strcmp(dir->path, "/") == 0 ? "" : dir->path, name);
    dir->witnesses[dir->witness_count++] = path;
}

/* An unreadable root is shown like an unreadable path in the settings. */
static void root_answered(struct directory *dir, enum session_result result)
{
    struct discover *d = dir->discover;
    bool denied = result == SESSION_DENIED;
    if (result == SESSION_NO_NODE && strcmp(d->settings->roots[dir->root], "/") != 0)
        d->left.no_root = d->settings->roots[dir->root];
    if (d->root_shown[dir->root] == denied || (denied && live_watches(d->live, dir->path)))
        return;
    d->root_shown[dir->root] = denied;
    live_show_denied(d->live, dir->path, d->election, ORIGIN_DISCOVERED, denied);
}

static void report_left_out(struct discover *d)
{
    char *now = left_out_describe(&d->left);
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

/* It is listed alone, but this child of it may tell of a leader's place. */
static bool tells_of_place(const struct directory *dir, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < dir->place_count; i++) {
        const struct leader_place *place = &dir->places[i].place;
        bool proves = place->proof && strncmp(place->proof, path, length) == 0 && place->proof[length] == '/';
        if ((proves || strcmp(place->path, path) == 0) && !live_watches(dir->discover->live, place->path))
            return true;
    }
    return false;
}

/* A directory that changed is listed alone: are its children known? */
static bool is_known(const struct directory *dir, const char *name)
{
    if (!dir->alone)
        return false;
    char *path = text_format("%s/%s", strcmp(dir->path, "/") == 0 ? "" : dir->path, name);
    bool known = watched_at(dir->discover, path) && !tells_of_place(dir, path);
    free(path);
    return known;
}

/* Takes the children that may be directories, and those that may prove an election. */
static void take_children(struct directory *dir, const struct recipe *recipe, char *const *names,
                          size_t count)
{
    struct discover *d = dir->discover;
    bool top = strcmp(dir->path, "/") == 0;
    struct text taken = {0};
    for (size_t i = 0; i < count; i++) {
        bool sequential = recipe_sequence_of(names[i]) != SEQUENCE_NONE;
        dir->members += sequential;
        if (sequential && recipe)
            keep_witness(dir, names[i]);
        if (sequential || (top && strcmp(names[i], "zookeeper") == 0) || dir->depth >= d->settings->depth ||
            is_known(dir, names[i]))
            continue;
        text_add_bytes(&taken, names[i], strlen(names[i]) + 1);
        d->waiting_count++;
    }
    dir->named = dir->verdict.kind;
    if (!taken.at)
        return;
    dir->names = taken.at;
    dir->names_length = taken.length;
    d->names_bytes += taken.length;
    dir->pending++;
    dir->next = d->open;
    d->open = dir;
}

static bool has_sequence(char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (recipe_sequence_of(names[i]) != SEQUENCE_NONE)
            return true;
    return false;
}

static void count_child(struct directory *parent, const char *path, bool ephemeral)
{
    parent->ephemeral += ephemeral;
    parent->persistent += !ephemeral;
    if (ephemeral && !parent->ephemeral_at)
        parent->ephemeral_at = xstrdup(path);
}

/* Handles a list; false: the following steps handle it. */
static bool directory_listed(struct directory *dir, const struct znode_stat *stat, char *const *names,
                             size_t count)
{
    struct discover *d = dir->discover;
    const struct recipe *recipe = recipe_recognise(d->live->model->recipes, dir->path, names, count);
    bool lock = recipe && recipe->family == FAMILY_LOCK;
    if (stat->owner && lock)
        found(d, dir->path, NULL);
    if (dir->parent)
        count_child(dir->parent, dir->path, stat->owner && !lock);
    told_by_child(dir, stat, names, count);
    if (stat->owner)
        return true;
    if (lock || directory_kind_is_momentary(dir->path))
        recipe = NULL; /* a directory at such a path may contain elections */
    dir->verdict = directory_kind_named(dir->path, names, count);
    look_for_emptied(dir, stat, names, count);
    bool queue = dir->verdict.kind == DIRECTORY_QUEUE && has_sequence(names, count);
    if (dir->part) {
        recipe = NULL;
    } else if (dir->verdict.kind != DIRECTORY_OTHER && !queue) {
        keep_directory(d, dir->path, dir->verdict, count);
        recipe = NULL;
    }
    take_children(dir, recipe, names, count);
    dir->leads = recipe && recipe->signature && recipe->nature == NATURE_LEADS &&
                 !directory_kind_is_emptied(d->live->model->recipes, dir->path, 1);
    if (!recipe || live_watches(d->live, dir->path)) {
        if (dir->parent)
            dir->parent->leads_below |= dir->leads;
        return true;
    }
    if (d->live->model->one_poll)
        keep_seen(dir, stat, names, count);
    return !ask_witness(dir);
}

/* Counts the unreadable directories among all watched ones. */
static void count_denied(struct discover *d)
{
    left_out_forget_denied(&d->left);
    for (const struct watched_directory *w = d->watched; w; w = w->next)
        if (w->denied && w->entry.path)
            left_out_add_denied(&d->left, w->entry.path);
}

/* The answer decides when a watched directory is listed again without a change. */
static void watched_answered(struct directory *dir, struct watched_directory *w, enum session_result result,
                             size_t count)
{
    struct discover *d = dir->discover;
    bool denied = result == SESSION_DENIED && !dir->begins, changed = w->denied != denied;
    if (result == SESSION_LOST) {
        list_later(w, CHANGED_PAUSE_MS);
        return;
    }
    w->denied = denied;
    if (result == SESSION_OK) {
        w->count = count;
        if (dir->begins && d->left.no_root == d->settings->roots[dir->root]) {
            d->left.no_root = NULL;
            changed = true;
        }
    } else if (result == SESSION_NO_NODE && !dir->begins) {
        watched_gone(d, w);
    } else {
        list_later(w, (uint64_t)d->settings->every_ms); /* the list left no watch behind */
    }
    if (changed && dir->alone && !d->walking) {
        count_denied(d);
        report_left_out(d);
    }
}

static void discover_on_list(void *context, const struct session_answer *answer)
{
    struct directory *dir = context;
    struct discover *d = dir->discover;
    struct watched_directory *w = d->ended || !d->settings->follows ? NULL : watched_at(d, dir->path);
    d->reserved -= dir->reserved;
    if (!d->ended && answer->result == SESSION_OK && is_postponed(dir, answer->names, answer->count)) {
        list_answered(d);
        return;
    }
    d->lost |= answer->result == SESSION_LOST && !(dir->alone && w);
    d->walked += answer->result != SESSION_LOST;
    d->answered |= answer->result != SESSION_LOST;
    if (!d->ended && dir->begins && answer->result != SESSION_LOST) {
        root_answered(dir, answer->result);
    } else if (!d->ended && !dir->alone && answer->result == SESSION_DENIED) {
        left_out_add_denied(&d->left, dir->path);
    }
    if (!d->ended && answer->result == SESSION_TOO_LARGE)
        left_out_add_crowded(&d->left, dir->path);
    if (w)
        watched_answered(dir, w, answer->result, answer->count);
    if (d->ended || answer->result != SESSION_OK ||
        directory_listed(dir, answer->stat, answer->names, answer->count))
        discover_answered(dir);
}

static void discover_on_timer(uv_timer_t *timer)
{
    struct discover *d = timer->data;
    d->complete = d->complete && !d->lost && !d->unwatched; /* otherwise the whole walk is repeated */
    for (struct watched_directory *w = d->watched; w; w = w->next)
        w->changes = 0;
    discover_begin(d, false);
}

static void on_pace(uv_timer_t *timer)
{
    walk_on(timer->data);
}

static bool wait_for_rate(struct discover *d, uint64_t wait_ms)
{
    if (!uv_is_active((uv_handle_t *)d->pace))
        uv_timer_start(d->pace, on_pace, wait_ms < RATE_STEP_MS ? RATE_STEP_MS : wait_ms, 0);
    return false;
}

/* Whether the rate allows another read. The rate is applied to short periods, so that servers see no burst. A
 * repeated walk shares the account's READS_PER_S instead. */
static bool within_rate(struct discover *d)
{
    int rate = d->settings->rate_per_s;
    if (d->again)
        return read_account_take(d->live->account, false) || wait_for_rate(d, 1000 / READS_PER_S);
    if (rate <= 0)
        return true;
    uint64_t now = uv_now(d->live->loop);
    double most = rate * (2.0 * RATE_STEP_MS / 1000);
    d->budget += (double)(now - d->budget_ms) * rate / 1000;
    d->budget_ms = now;
    if (d->budget > (most > 1 ? most : 1))
        d->budget = most > 1 ? most : 1;
    if (d->budget >= 1)
        return true;
    return wait_for_rate(d, (uint64_t)((1 - d->budget) * 1000 / rate) + 1);
}

static void walk_ended(struct discover *d)
{
    d->walking = false;
    if (session_state(d->live->session) != CONNECTION_CONNECTED)
        return;
    if (d->lost) { /* the connection is back: a missed directory may be an election */
        d->complete = false;
        uv_timer_start(d->timer, discover_on_timer, LOST_AGAIN_MS, 0);
        return;
    }
    report_left_out(d);
    d->complete = true;
    if (d->settings->every_ms > 0)
        uv_timer_start(d->timer, discover_on_timer, (uint64_t)d->settings->every_ms, 0);
}

static void walk_on(struct discover *d)
{
    while (may_list(d) && within_rate(d)) {
        struct directory *dir = next_directory(d);
        if (!session_list(d->live->session, dir->path, watch_directory(d, dir), discover_on_list, dir)) {
            d->lost = true;
            directory_give_up(dir);
            continue; /* the others fail as well, and the next walk starts over */
        }
        if (!d->again)
            read_account_count(d->live->account);
        d->budget -= 1;
        reserve_names(dir);
        d->references++;
        d->under_way++;
    }
    if (d->under_way > 0 || d->waiting_count > 0)
        return;
    if (d->walking)
        walk_ended(d);
    else
        report_left_out(d); /* a directory that changed was listed again, and what is new below it */
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

/* Every walked directory is watched, so the server reports all changes. */
static bool is_followed(const struct discover *d)
{
    return d->settings->follows && d->complete && !d->lost && !d->unwatched;
}

void discover_begin(struct discover *d, bool renewed)
{
    if (d->walking || d->ended)
        return;
    uv_timer_stop(d->timer);
    if (!renewed && is_followed(d)) {
        uv_timer_start(d->timer, discover_on_timer, (uint64_t)d->settings->every_ms, 0);
        on_changes(d->changes);
        return;
    }
    d->walking = true;
    d->again = !renewed && d->walked > 0 && !d->lost;
    d->lost = false;
    d->walked = 0;
    left_out_forget(&d->left);
    forget_kept(d);
    if (renewed)
        forget_watched(d);
    d->unwatched = false;
    for (size_t i = 0; d->settings->roots && d->settings->roots[i]; i++) {
        char path[4096];
        root_path(d, d->settings->roots[i], path, sizeof path);
        struct directory *root = discover_push(d, path);
        root->root = i;
        root->begins = true;
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
            found(d, path, NULL);
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
    struct discover *d = xcalloc(1, sizeof *d);
    bool *shown = xcalloc(roots + 1, sizeof *shown);
    *d = (struct discover){.live = live,
                           .settings = settings,
                           .election = election,
                           .left = {.live = live},
                           .root_shown = shown,
                           .timer = loop_timer_new(live->loop, d),
                           .pace = loop_timer_new(live->loop, d),
                           .changes = loop_timer_new(live->loop, d),
                           .references = 1,
                           .budget_ms = uv_now(live->loop)};
    return d;
}

void discover_free(struct discover *d)
{
    if (!d)
        return;
    d->ended = true;
    loop_timer_free(d->timer);
    loop_timer_free(d->pace);
    loop_timer_free(d->changes);
    forget_watched(d);
    discover_release(d);
}

bool discover_sees_all(const struct discover *d)
{
    return left_out_is_nothing(&d->left);
}

const char *discover_left_out(const struct discover *d)
{
    return d->left_out;
}

void discover_misnamed(struct discover *d)
{
    if (!d->walking)
        report_left_out(d);
}

bool discover_complete(const struct discover *d)
{
    return d->complete;
}

struct discovery discover_state(struct discover *d)
{
    size_t denied = left_out_sort_denied(&d->left);
    return (struct discovery){.directories = d->kept,
                              .directory_count = d->kept_count,
                              .answered = d->answered,
                              .walked = d->walked,
                              .waiting = d->waiting_count + d->under_way,
                              .rate_per_s = d->settings->rate_per_s,
                              .complete = d->complete,
                              .left_out = d->left_out,
                              .denied = d->left.denied_at,
                              .denied_count = denied,
                              .emptied_more = d->left.emptied_more};
}
