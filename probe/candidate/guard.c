#include "probe/candidate/guard.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/log.h"

#define RUN_NAMES RUN_MARKER "\nnames "
#define NUMBER_DIGITS 10

char *run_marker_make(const char *names)
{
    return names ? text_format(RUN_NAMES "%s", names) : xstrdup(RUN_MARKER);
}

static bool begins_with(const void *data, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(data, word, strlen(word)) == 0;
}

bool run_marker_is(const struct session_answer *answer)
{
    size_t prefix = strlen(RUN_MARKER);
    const char *data = answer->data;
    return answer->result == SESSION_OK && answer->stat->owner == 0 && answer->stat->version == 0 && data &&
           begins_with(data, answer->length, RUN_MARKER) &&
           (answer->length == prefix || data[prefix] == '\n');
}

char *run_marker_names(const void *data, size_t length)
{
    size_t prefix = strlen(RUN_NAMES);
    if (!data || length <= prefix || !begins_with(data, length, RUN_NAMES))
        return NULL;
    return text_format("%.*s", (int)(length - prefix), (const char *)data + prefix);
}

bool run_marker_fits(const char *names, const char *name)
{
    size_t length = strlen(name);
    if (!names)
        return false;
    if (*names == '=')
        return strcmp(names + 1, name) == 0;
    if (recipe_sequence_of(name) == SEQUENCE_NONE || length < NUMBER_DIGITS)
        return false;
    char *prefix = xstrndup(name, length - NUMBER_DIGITS);
    bool fits = name_fits(names, prefix);
    free(prefix);
    return fits;
}

enum purpose { PURPOSE_PRIVATE, PURPOSE_SANDBOX, PURPOSE_LIVE };

/* Paths in no order; few, but in a live election with --load. */
struct paths {
    char **list;
    size_t count, room;
};

struct guard {
    enum purpose purpose;
    char *root;          /* the sandbox, or the election */
    char *name;          /* the run, or the pattern of names */
    char *candidates;    /* sandbox: the directory of the run's candidates */
    char *marker;        /* sandbox: of that directory; any other of the run has RUN_MARK alone */
    struct paths others; /* sandbox: names of adopted runs. live: znodes created, or possibly created */
    bool is_open, is_unique, is_lost;
    int64_t directory;  /* live: czxid of the election's directory; 0: not known yet */
    uint64_t *sessions; /* sandbox, live: those that created ephemerals through it, in order */
    size_t session_count, session_room;
    uint64_t refused, created;
};

static void paths_add(struct paths *paths, const char *path)
{
    room_for_one(&paths->list, paths->count, &paths->room, sizeof *paths->list);
    paths->list[paths->count++] = xstrdup(path);
}

static void paths_remove(struct paths *paths, size_t i)
{
    free(paths->list[i]);
    paths->list[i] = paths->list[--paths->count];
}

static struct guard *guard_new(enum purpose purpose, const char *root, const char *name)
{
    struct guard *guard = xcalloc(1, sizeof *guard);
    guard->purpose = purpose;
    guard->root = xstrdup(root);
    guard->name = xstrdup(name);
    guard->is_unique = name_is_unique(name, true);
    return guard;
}

struct guard *guard_new_private(void)
{
    return guard_new(PURPOSE_PRIVATE, "", "");
}

static bool is_one_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct guard *guard_new_sandbox(const char *sandbox, const char *run, const char *candidates,
                                const char *names)
{
    if (sandbox[0] != '/' || !sandbox[1] || !is_one_name(run))
        return NULL;
    struct guard *guard = guard_new(PURPOSE_SANDBOX, sandbox, run);
    guard->marker = run_marker_make(names);
    guard->candidates = xstrdup(candidates);
    return guard;
}

struct guard *guard_new_live(const char *election, const char *name_pattern)
{
    return guard_new(PURPOSE_LIVE, election, name_pattern);
}

void guard_free(struct guard *guard)
{
    if (!guard)
        return;
    while (guard->others.count)
        paths_remove(&guard->others, guard->others.count - 1);
    free(guard->others.list);
    free(guard->sessions);
    free(guard->root);
    free(guard->name);
    free(guard->candidates);
    free(guard->marker);
    free(guard);
}

void guard_open(struct guard *guard, bool open)
{
    guard->is_open = open;
}

bool guard_adopt(struct guard *guard, const char *run)
{
    if (guard->purpose != PURPOSE_SANDBOX || !is_one_name(run))
        return false;
    paths_add(&guard->others, run);
    return true;
}

/* ---- whose an ephemeral is ---- */

/* Its path, also of one that is not there. */
static size_t sessions_find(const struct guard *guard, uint64_t session)
{
    size_t low = 0, high = guard->session_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (guard->sessions[middle] < session)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool guard_name_is_unique(const struct guard *guard)
{
    return guard->is_unique;
}

bool guard_is_our_session(const struct guard *guard, uint64_t session)
{
    size_t at = sessions_find(guard, session);
    return session != 0 && at < guard->session_count && guard->sessions[at] == session;
}

static void sessions_add(struct guard *guard, uint64_t session)
{
    if (session == 0 || guard_is_our_session(guard, session))
        return;
    size_t at = sessions_find(guard, session);
    room_for_one(&guard->sessions, guard->session_count, &guard->session_room, sizeof *guard->sessions);
    memmove(guard->sessions + at + 1, guard->sessions + at,
            (guard->session_count - at) * sizeof *guard->sessions);
    guard->sessions[at] = session;
    guard->session_count++;
}

/* ---- who owns the root ---- */

void guard_lose(struct guard *guard)
{
    guard->is_lost = true;
}

bool guard_is_lost(const struct guard *guard)
{
    return guard->is_lost;
}

void guard_see_directory(struct guard *guard, const struct znode_stat *stat)
{
    if (guard->purpose != PURPOSE_LIVE || !stat)
        return;
    if (guard->directory == 0)
        guard->directory = stat->czxid;
    guard->is_lost |= stat->czxid != guard->directory;
}

/* The rest of a path below a directory, or NULL. */
static const char *below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

bool guard_is_marker(const char *name, const char *run)
{
    static const char *const kinds[] = {".alive-", ".over-", ".part-", ".ready-"};
    size_t length = strlen(run);
    if (strncmp(name, run, length) != 0 || strchr(name, '/'))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name + length, kinds[i], strlen(kinds[i])) == 0 && name[length + strlen(kinds[i])])
            return true;
    return strcmp(name + length, ".leader") == 0 || strcmp(name + length, ".go") == 0;
}

/* The run's znode, and its descendants. */
static bool is_of_run(const char *path, const char *run)
{
    size_t length = strlen(run);
    return strncmp(path, run, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

bool guard_keeps(const struct guard *guard, const char *path)
{
    if (guard->purpose != PURPOSE_SANDBOX)
        return false;
    const char *rest = below(path, guard->root);
    return rest ? strcmp(rest, guard->name) == 0
                : strcmp(path, guard->root) == 0 || below(guard->root, path) != NULL;
}

static bool sandbox_allows(const struct guard *guard, const char *path, bool deletes)
{
    if (strcmp(path, guard->root) == 0)
        return true; /* ZooKeeper itself deletes no directory with anything in it */
    const char *rest = below(path, guard->root);
    bool allowed = rest && (guard_is_marker(rest, guard->name) || (!deletes && is_of_run(rest, guard->name)));
    for (size_t i = 0; rest && deletes && !allowed && i < guard->others.count; i++)
        allowed = is_of_run(rest, guard->others.list[i]) || guard_is_marker(rest, guard->others.list[i]);
    return allowed;
}

static bool live_allows_create(const struct guard *guard, const char *path, const void *data,
                               enum create_mode mode)
{
    const char *name = below(path, guard->root);
    return guard->is_open && name && !strchr(name, '/') && data && mode == CREATE_EPHEMERAL_SEQUENTIAL &&
           name_fits(guard->name, name);
}

/* The path that was created, or, with a GUID in it, asked for: then the server's number follows it. */
static size_t live_find(const struct guard *guard, const char *path)
{
    size_t i = 0;
    for (; i < guard->others.count; i++) {
        const char *ours = guard->others.list[i];
        size_t length = strlen(ours);
        if (strcmp(path, ours) == 0 ||
            (guard->is_unique && strncmp(path, ours, length) == 0 && strlen(path + length) >= 10 &&
             path[length + strspn(path + length, "-0123456789")] == '\0'))
            break;
    }
    return i;
}

bool guard_owns(const struct guard *guard, const char *path)
{
    return guard->purpose == PURPOSE_LIVE && live_find(guard, path) < guard->others.count;
}

static bool guard_refuse(struct guard *guard, const char *what, const char *path)
{
    guard->refused++;
    log_line(LOG_LEVEL_ERROR, "the guard refused to %s %s", what, path);
    return false;
}

/* ---- creations are counted; live, a znode is ours only if our create made it ---- */

struct created {
    struct guard *guard;
    session_answer_fn fn;
    void *context;
};

static void guard_on_created(void *context, const struct session_answer *answer)
{
    struct created created = *(struct created *)context;
    free(context);
    created.guard->created += answer->result == SESSION_OK;
    if (created.guard->purpose == PURPOSE_LIVE && answer->result == SESSION_OK && answer->path &&
        !created.guard->is_unique)
        paths_add(&created.guard->others, answer->path);
    created.fn(created.context, answer);
}

static bool create_counted(struct guard *guard, struct session *session, const char *path, const void *data,
                           size_t length, enum create_mode mode, const struct acl *acl, session_answer_fn fn,
                           void *context)
{
    struct created *created = xmalloc(sizeof *created);
    *created = (struct created){guard, fn, context};
    if (guard->purpose == PURPOSE_LIVE && guard->is_unique)
        paths_add(&guard->others, path);
    if (!session_create(session, path, data, length, mode, acl, guard_on_created, created)) {
        free(created);
        return false;
    }
    return true;
}

/* Not the signs beside it: they say that it ends. */
static bool is_in_lost_run(const struct guard *guard, const char *path)
{
    const char *rest = below(path, guard->root);
    return guard->purpose == PURPOSE_SANDBOX && (!rest || is_of_run(rest, guard->name));
}

bool guard_create(struct guard *guard, struct session *session, const char *path, const void *data,
                  size_t length, enum create_mode mode, const struct acl *acl, session_answer_fn fn,
                  void *context)
{
    bool allowed = guard->purpose == PURPOSE_PRIVATE   ? true
                   : guard->purpose == PURPOSE_SANDBOX ? sandbox_allows(guard, path, false)
                                                       : live_allows_create(guard, path, data, mode);
    if (guard->is_lost && (guard->purpose == PURPOSE_LIVE || is_in_lost_run(guard, path)))
        return false; /* no defect: the owner of the run ends it */
    if (!allowed)
        return guard_refuse(guard, "create", path);
    if (mode == CREATE_EPHEMERAL || mode == CREATE_EPHEMERAL_SEQUENTIAL)
        sessions_add(guard, session_id(session));
    if (guard->purpose == PURPOSE_LIVE)
        mode = CREATE_EPHEMERAL_SEQUENTIAL;
    if (guard->purpose != PURPOSE_PRIVATE && mode == CREATE_PERSISTENT && length == 0) {
        data = strcmp(path, guard->root) == 0         ? SANDBOX_MARKER
               : strcmp(path, guard->candidates) == 0 ? guard->marker
                                                      : RUN_MARKER;
        length = strlen(data);
    }
    return create_counted(guard, session, path, data, length, mode, acl, fn, context);
}

bool guard_delete(struct guard *guard, struct session *session, const char *path, int32_t version,
                  session_answer_fn fn, void *context)
{
    bool allowed = guard->purpose == PURPOSE_PRIVATE   ? true
                   : guard->purpose == PURPOSE_SANDBOX ? sandbox_allows(guard, path, true)
                                                       : live_find(guard, path) < guard->others.count;
    if (!allowed)
        return guard_refuse(guard, "delete", path);
    return session_delete(session, path, version, fn, context);
}

bool guard_is_used(const struct guard *guard)
{
    return guard->session_count > 0;
}

uint64_t guard_created(const struct guard *guard)
{
    return guard->created;
}

uint64_t guard_refused(const struct guard *guard)
{
    return guard->refused;
}
