#include "probe/inject/delete_tree.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/naming.h"
#include "probe/log.h"

/* Creates may still arrive: a crowd's last ones. */
#define DELETE_TRIES 5
#define DEPTH_MOST 64
/* Of the signs beside a run (guard.h) the one whose name every run of the same name has. */
#define LEADER ".leader"

struct deletion {
    struct guard *guard;
    struct session *session;
    struct deletion *above; /* NULL: the first */
    delete_tree_fn fn;      /* of the first */
    void *context;
    char *kept;     /* of the first */
    char *names;    /* of the candidates below it */
    size_t waiting; /* children that are being swept, and the one who sets them off */
    int tries, depth;
    int64_t czxid;     /* of the first, given: any other znode at this path is not meant; 0: any */
    int64_t latest;    /* it was created by then */
    int64_t listed_at; /* pzxid of its list: its children that are meant were created by then */
    int32_t version;
    bool failed;
    char path[];
};

static bool deletion_begin(struct guard *, struct session *, const char *path, struct meant,
                           struct deletion *above, delete_tree_fn, void *);
static bool deletion_delete(struct deletion *);

static void deletion_end(struct deletion *deletion, bool gone);

static void child_ended(struct deletion *deletion)
{
    if (--deletion->waiting > 0)
        return;
    if (deletion->failed || ++deletion->tries >= DELETE_TRIES || !deletion_delete(deletion))
        deletion_end(deletion, false);
}

static void deletion_end(struct deletion *deletion, bool gone)
{
    struct deletion *above = deletion->above;
    free(deletion->names);
    if (above) {
        above->failed |= !gone;
        free(deletion);
        child_ended(above);
        return;
    }
    delete_tree_fn fn = deletion->fn;
    void *context = deletion->context;
    char *kept = deletion->kept;
    free(deletion);
    fn(context, gone, kept);
    free(kept);
}

/* It is foreign. */
static void deletion_keep(struct deletion *deletion)
{
    struct deletion *first = deletion;
    while (first->above)
        first = first->above;
    if (!first->kept)
        first->kept = xstrdup(deletion->path);
    deletion_end(deletion, false);
}

static void delete_tree_on_children(void *context, const struct session_answer *answer)
{
    struct deletion *deletion = context;
    if (answer->stat && answer->stat->czxid != deletion->czxid) { /* the list is that of another */
        deletion_end(deletion, true);
        return;
    }
    deletion->listed_at = answer->stat ? answer->stat->pzxid : 0;
    deletion->waiting = 1;
    deletion->failed = answer->result != SESSION_OK && answer->result != SESSION_NO_NODE;
    for (size_t i = 0; i < answer->count && !deletion->failed; i++) {
        char *path = path_join(deletion->path, answer->names[i]);
        deletion->waiting++;
        const struct meant meant = {.latest = deletion->listed_at};
        if (!deletion_begin(deletion->guard, deletion->session, path, meant, deletion, NULL, NULL)) {
            deletion->waiting--;
            deletion->failed = true;
        }
        free(path);
    }
    child_ended(deletion);
}

static void delete_tree_on_deleted(void *context, const struct session_answer *answer)
{
    struct deletion *deletion = context;
    if (answer->result == SESSION_OK || answer->result == SESSION_NO_NODE)
        deletion_end(deletion, true);
    else if (answer->result != SESSION_FAILED ||
             deletion->depth > DEPTH_MOST || /* SESSION_FAILED: it has children */
             !session_children(deletion->session, deletion->path, false, delete_tree_on_children, deletion))
        deletion_end(deletion, false);
}

static bool deletion_delete(struct deletion *deletion)
{
    return guard_delete(deletion->guard, deletion->session, deletion->path, deletion->version,
                        delete_tree_on_deleted, deletion);
}

/* An ephemeral znode whose name could be a stranger's is recognised by its owner. If that is not one of our
 * sessions, its session's end removes it. */
static bool is_left_to_its_session(const struct deletion *deletion, const struct znode_stat *stat)
{
    if (stat->owner == 0 || guard_is_our_session(deletion->guard, stat->owner))
        return false;
    if (!deletion->above) {
        size_t length = strlen(deletion->path), marker = strlen(LEADER);
        return length > marker && strcmp(deletion->path + length - marker, LEADER) == 0;
    }
    const char *names = deletion->above->names;
    return names && (*names == '=' || !name_is_unique(names, true));
}

/* It has taken the place of the one that was listed or read. */
static bool is_another(const struct deletion *deletion, const struct znode_stat *stat)
{
    return (deletion->czxid && stat->czxid != deletion->czxid) ||
           (deletion->latest && stat->czxid > deletion->latest);
}

/* The first is what the guard lets be deleted: where it is ephemeral, a sign. */
static bool delete_tree_is_ours(const struct deletion *deletion, const struct session_answer *answer)
{
    if (answer->stat->owner == 0)
        return run_marker_is(answer);
    return !deletion->above || run_marker_fits(deletion->above->names, strrchr(deletion->path, '/') + 1);
}

static void on_read(void *context, const struct session_answer *answer)
{
    struct deletion *deletion = context;
    if (answer->result == SESSION_NO_NODE ||
        (answer->result == SESSION_OK && is_another(deletion, answer->stat))) {
        deletion_end(deletion, true);
        return;
    }
    /* A copied ACL may keep us from reading our own candidate: its Stat is everybody's. */
    if (answer->result == SESSION_DENIED &&
        session_exists(deletion->session, deletion->path, false, on_read, deletion))
        return;
    if (answer->result == SESSION_OK && !delete_tree_is_ours(deletion, answer)) {
        deletion_keep(deletion);
        return;
    }
    if (answer->result == SESSION_OK && is_left_to_its_session(deletion, answer->stat)) {
        log_line(LOG_LEVEL_INFO, "%.300s is left to the end of its session", deletion->path);
        deletion_end(deletion, false);
        return;
    }
    if (answer->result == SESSION_OK) {
        deletion->czxid = answer->stat->czxid;
        deletion->version = answer->stat->version;
        deletion->names = answer->stat->owner == 0 ? run_marker_names(answer->data, answer->length) : NULL;
    }
    if (answer->result != SESSION_OK || !deletion_delete(deletion))
        deletion_end(deletion, false);
}

static bool deletion_begin(struct guard *guard, struct session *session, const char *path, struct meant meant,
                           struct deletion *above, delete_tree_fn fn, void *context)
{
    size_t size = strlen(path) + 1;
    struct deletion *deletion = xcalloc(1, sizeof *deletion + size);
    deletion->guard = guard;
    deletion->session = session;
    deletion->above = above;
    deletion->czxid = meant.czxid;
    deletion->latest = meant.latest;
    deletion->fn = fn;
    deletion->context = context;
    deletion->depth = above ? above->depth + 1 : 0;
    memcpy(deletion->path, path, size);
    if (session_get(session, path, false, on_read, deletion))
        return true;
    free(deletion);
    return false;
}

bool delete_tree(struct guard *guard, struct session *session, const char *path, struct meant meant,
                 delete_tree_fn fn, void *context)
{
    return deletion_begin(guard, session, path, meant, NULL, fn, context);
}
