#include "probe/inject/sandbox_dir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/guard.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/log.h"
#include "probe/zookeeper/session.h"

/*
 * Deletes a znode and its descendants, through the guard, if they are known to be this program's (guard.h).
 * Foreign znodes stay, and so do their parents. The Stat and data of each znode are read first; it is deleted
 * in that version, so that a znode that is written meanwhile stays.
 */

/* gone: false where something stays. kept: the first that is not ours, valid during the call; NULL: all that
   was found is (and where something stays, the connection was lost, or we may not delete it). */
typedef void (*delete_tree_fn)(void *context, bool gone, const char *kept);

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

/* Which znode of a path is meant: read earlier, and perhaps replaced since. */
struct meant {
    int64_t czxid;  /* 0: not known */
    int64_t latest; /* created at the latest then; 0: not known */
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

static void delete_tree_on_children(void *context, enum session_result result, const struct znode_stat *stat,
                                    char *const *names, size_t count)
{
    struct deletion *deletion = context;
    if (stat && stat->czxid != deletion->czxid) { /* the list is that of another */
        deletion_end(deletion, true);
        return;
    }
    deletion->listed_at = stat ? stat->pzxid : 0;
    deletion->waiting = 1;
    deletion->failed = result != SESSION_OK && result != SESSION_NO_NODE;
    for (size_t i = 0; i < count && !deletion->failed; i++) {
        char *path = path_join(deletion->path, names[i]);
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

static void delete_tree_on_deleted(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct deletion *deletion = context;
    if (result == SESSION_OK || result == SESSION_NO_NODE)
        deletion_end(deletion, true);
    else if (result != SESSION_FAILED || deletion->depth > DEPTH_MOST || /* SESSION_FAILED: it has children */
             !session_children(deletion->session, deletion->path, false, delete_tree_on_children, deletion))
        deletion_end(deletion, false);
}

static bool deletion_delete(struct deletion *deletion)
{
    return guard_delete(deletion->guard, deletion->session, deletion->path, deletion->version,
                        delete_tree_on_deleted, deletion);
}

/* Where its name could be a stranger's, its owner tells; and where that is not one of ours its session's end
   removes it. */
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
static bool delete_tree_is_ours(const struct deletion *deletion, const struct znode_stat *stat,
                                const void *data, size_t length)
{
    if (stat->owner == 0)
        return run_marker_is(stat, data, length);
    return !deletion->above || run_marker_fits(deletion->above->names, strrchr(deletion->path, '/') + 1);
}

static void on_read(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    struct deletion *deletion = context;
    if (result == SESSION_NO_NODE || (result == SESSION_OK && is_another(deletion, stat))) {
        deletion_end(deletion, true);
        return;
    }
    /* A copied ACL may keep us from reading our own candidate: its Stat is everybody's. */
    if (result == SESSION_DENIED &&
        session_exists(deletion->session, deletion->path, false, on_read, deletion))
        return;
    if (result == SESSION_OK && !delete_tree_is_ours(deletion, stat, data, length)) {
        deletion_keep(deletion);
        return;
    }
    if (result == SESSION_OK && is_left_to_its_session(deletion, stat)) {
        log_line(LOG_LEVEL_INFO, "%.300s is left to the end of its session", deletion->path);
        deletion_end(deletion, false);
        return;
    }
    if (result == SESSION_OK) {
        deletion->czxid = stat->czxid;
        deletion->version = stat->version;
        deletion->names = stat->owner == 0 ? run_marker_names(data, length) : NULL;
    }
    if (result != SESSION_OK || !deletion_delete(deletion))
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

/* A run's znode, or an ephemeral or lasting sign beside it. fn is called once, from the loop; also when the
   session ends before. False: nothing was begun. */
static bool delete_tree(struct guard *guard, struct session *session, const char *path, struct meant meant,
                        delete_tree_fn fn, void *context)
{
    return deletion_begin(guard, session, path, meant, NULL, fn, context);
}

/*
 * Whether a directory contains foreign candidates, so that a run must not write there:
 * many clients parse the name of every sibling, and fail on one of another kind.
 */

/* by: the name of a foreign candidate, valid during the call; NULL: none was seen. result: of the list, or
   SESSION_LOST. */
typedef void (*occupied_fn)(void *context, enum session_result result, const char *by);

/* Of the names with a number so many are read: in an election nearly all are ephemeral. */
#define OCCUPANTS_MOST 16

struct occupied_check {
    struct session *session;
    char *directory;
    occupied_fn fn;
    void *context;
    char *names[OCCUPANTS_MOST];
    size_t count, reported, owed;
    enum session_result result;
    size_t by; /* OCCUPANTS_MOST: none */
};

static void occupied_check_end(struct occupied_check *check)
{
    if (check->owed > 0)
        return;
    check->fn(check->context, check->result, check->by < check->count ? check->names[check->by] : NULL);
    for (size_t i = 0; i < check->count; i++)
        free(check->names[i]);
    free(check->directory);
    free(check);
}

/* Answers come in the order of the questions. */
static void occupied_on_candidate(void *context, enum session_result result, const struct znode_stat *stat,
                                  const void *data, size_t length)
{
    (void)data, (void)length;
    struct occupied_check *check = context;
    if (result == SESSION_LOST)
        check->result = SESSION_LOST;
    if (result == SESSION_OK && stat->owner != 0 && check->by == OCCUPANTS_MOST)
        check->by = check->reported;
    check->reported++;
    check->owed--;
    occupied_check_end(check);
}

static void occupied_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                             char *const *names, size_t count)
{
    (void)stat;
    struct occupied_check *check = context;
    check->result = result;
    for (size_t i = 0; result == SESSION_OK && i < count && check->count < OCCUPANTS_MOST; i++) {
        if (recipe_sequence_of(names[i]) == SEQUENCE_NONE)
            continue;
        check->names[check->count] = xstrdup(names[i]);
        char *path = path_join(check->directory, names[i]);
        if (session_exists(check->session, path, false, occupied_on_candidate, check)) {
            check->count++;
            check->owed++;
        } else {
            free(check->names[check->count]);
            check->result = SESSION_LOST;
        }
        free(path);
    }
    check->owed--;
    occupied_check_end(check);
}

/* fn is called once, from the loop; also when the session ends before. False: nothing was asked. */
static bool occupied_check(struct session *session, const char *directory, occupied_fn fn, void *context)
{
    struct occupied_check *check = xcalloc(1, sizeof *check);
    *check = (struct occupied_check){
        .session = session, .fn = fn, .context = context, .by = OCCUPANTS_MOST, .owed = 1};
    check->directory = xstrdup(directory);
    if (session_children(session, directory, false, occupied_on_list, check))
        return true;
    free(check->directory);
    free(check);
    return false;
}

/*
 * sandbox_dir.c - see sandbox_dir.h. A walk through steps: each asks for something, and its answer leads to
 * the next.
 */

#define ALIVE ".alive-"
/* The end of another run may remove the sandbox just now. */
#define CREATE_TRIES 10

struct sandbox_dir {
    struct guard *guard;
    struct session *session;
    char *sandbox, *run, *within, *run_path, *alive_path;
    char *candidates_path; /* of the candidates' directory; NULL: they share a lock */
    int64_t candidates_czxid;
    char *searched; /* where candidates of others are being looked for */
    bool joins;
    sandbox_dir_fn fn;
    void *context;
    int tries;
    char **over; /* names of runs without a sign of life, to be looked at */
    size_t over_count, over_at;
    char *sweeping;
    int64_t sweeping_czxid, run_czxid; /* run: of our own znode; 0: it is not there yet */
    void (*lost)(void *context);
    void *lost_context;
    size_t swept;
    size_t owed;
    char *kept;     /* the first znode below a run that is not ours */
    bool removes;   /* it has begun to remove itself */
    bool is_signed; /* our sign of life is there, as far as we know */
    bool failed;
    bool may_delete; /* in the sandbox: tried */
};

static void sandbox_dir_marker(struct sandbox_dir *);
static void find_others(struct sandbox_dir *);
static void next_over(struct sandbox_dir *);
static void make_run(struct sandbox_dir *);
static void make_within(struct sandbox_dir *, size_t from);

/* ---- ends ---- */

static void over_free(struct sandbox_dir *p)
{
    for (size_t i = 0; i < p->over_count; i++)
        free(p->over[i]);
    free(p->over);
    p->over = NULL;
    p->over_count = p->over_at = 0;
}

static void sandbox_dir_done(struct sandbox_dir *p, const char *problem)
{
    over_free(p);
    sandbox_dir_fn fn = p->fn;
    p->fn = NULL;
    if (fn)
        fn(p->context, problem);
}

static void sandbox_dir_fail(struct sandbox_dir *p, enum session_result result, const char *what,
                             const char *path)
{
    char text[600];
    char *quoted = text_quoted(path);
    const char *shown = quoted;
    if (result == SESSION_DENIED)
        snprintf(text, sizeof text,
                 "no permission to %s %.200s; ask an administrator to create the sandbox directory, or name "
                 "another one in the configuration, inject: {sandbox: /path}",
                 what, shown);
    else if (result == SESSION_NO_NODE)
        snprintf(text, sizeof text,
                 "cannot %s %.200s: its parent directory does not exist; create it, or configure inject: "
                 "{sandbox: /path}",
                 what, shown);
    else if (result == SESSION_LOST)
        snprintf(text, sizeof text, "lost the connection before it could %s %.200s; try again", what, shown);
    else
        snprintf(text, sizeof text, "cannot %s %.200s; --log FILE may say more", what, shown);
    free(quoted);
    sandbox_dir_done(p, text);
}

/* ---- make: a sign of life first ---- */

static void on_sandbox(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    if (result == SESSION_OK || result == SESSION_NODE_EXISTS)
        sandbox_dir_marker(p);
    else
        sandbox_dir_fail(p, result, "create", p->sandbox);
}

static void on_proved(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    p->may_delete = result == SESSION_OK || result == SESSION_NO_NODE;
    if (p->may_delete)
        sandbox_dir_marker(p);
    else
        sandbox_dir_fail(p, result, "delete the znodes of a run, such as", p->alive_path);
}

/* Where znodes may be made and not deleted a run would leave its own behind: our sign, which goes with its
   session, is the one on which that can be tried. */
static bool sandbox_dir_prove(struct sandbox_dir *p)
{
    return guard_delete(p->guard, p->session, p->alive_path, -1, on_proved, p);
}

/* A host and a process number are no more than likely to be unique: two containers may have the same. */
static void refuse_namesake(struct sandbox_dir *p)
{
    char text[400];
    char *quoted = text_quoted(p->alive_path);
    snprintf(text, sizeof text, "%.300s is the marker of another run; wait for its end, or name another path",
             quoted);
    free(quoted);
    sandbox_dir_done(p, text);
}

static void sandbox_dir_on_marked(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    p->is_signed = result == SESSION_OK;
    if (result == SESSION_OK && !p->may_delete && sandbox_dir_prove(p))
        return;
    if (result == SESSION_OK)
        find_others(p);
    else if (result == SESSION_NODE_EXISTS)
        refuse_namesake(p);
    else if (result != SESSION_NO_NODE || ++p->tries > CREATE_TRIES)
        sandbox_dir_fail(p, result, "create", p->alive_path);
    else if (!guard_create(p->guard, p->session, p->sandbox, "", 0, CREATE_PERSISTENT, NULL, on_sandbox, p))
        sandbox_dir_fail(p, SESSION_LOST, "create", p->sandbox);
}

static void sandbox_dir_marker(struct sandbox_dir *p)
{
    if (!guard_create(p->guard, p->session, p->alive_path, "", 0, CREATE_EPHEMERAL, NULL,
                      sandbox_dir_on_marked, p))
        sandbox_dir_fail(p, SESSION_LOST, "create", p->alive_path);
}

/* ---- ... then finished runs ---- */

/* Others than we live in this run. */
static bool is_alive(const struct sandbox_dir *p, const char *run, char *const *names, size_t count)
{
    size_t length = strlen(run);
    const char *mine = p->alive_path + strlen(p->sandbox) + 1;
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], run, length) == 0 && strncmp(names[i] + length, ALIVE, strlen(ALIVE)) == 0 &&
            strcmp(names[i], mine) != 0)
            return true;
    return false;
}

/* One list shows markers and runs at one moment. */
static void on_others(void *context, enum session_result result, const struct znode_stat *stat,
                      char *const *names, size_t count)
{
    (void)stat;
    struct sandbox_dir *p = context;
    if (result != SESSION_OK) {
        sandbox_dir_fail(p, result, "read", p->sandbox);
        return;
    }
    p->over = xcalloc(count + 1, sizeof *p->over);
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(names[i], ".");
        if (names[i][length] == '.' || strcmp(names[i], p->run) == 0 || is_alive(p, names[i], names, count))
            continue;
        p->over[p->over_count] = xstrdup(names[i]);
        p->over_count++;
    }
    /* An earlier run of the same name may have left our own run's znode: then only our own marker is there.
     */
    if (!is_alive(p, p->run, names, count)) {
        p->over[p->over_count] = xstrdup(p->run);
        p->over_count++;
    }
    next_over(p);
}

static void find_others(struct sandbox_dir *p)
{
    if (!session_children(p->session, p->sandbox, false, on_others, p))
        sandbox_dir_fail(p, SESSION_LOST, "read", p->sandbox);
}

static void sandbox_dir_keep(struct sandbox_dir *p, const char *kept)
{
    if (!kept)
        return;
    log_line(LOG_LEVEL_WARNING, "%.300s was not created by a run of electop: it stays, and so do its parents",
             kept);
    if (!p->kept)
        p->kept = xstrdup(kept);
}

static void on_beside_swept(void *context, bool gone, const char *kept)
{
    struct sandbox_dir *p = context;
    p->failed |= !gone;
    sandbox_dir_keep(p, kept);
    if (--p->owed == 0) {
        free(p->sweeping);
        p->sweeping = NULL;
        p->swept += !p->failed;
        next_over(p);
    }
}

/* Siblings of a run under its name, unless somebody has begun it again since it was found over: this list is
   later than the reading of its znode, and the sign of a run is older than its znode. Not the run itself: it
   goes last, so that the remains of an interrupted removal are found again. */
static void on_beside(void *context, enum session_result result, const struct znode_stat *stat,
                      char *const *names, size_t count)
{
    struct sandbox_dir *p = context;
    size_t length = strlen(p->sweeping);
    const struct meant run = {.czxid = p->sweeping_czxid}, beside = {.latest = stat ? stat->pzxid : 0};
    p->owed = 1;
    p->failed = result != SESSION_OK || is_alive(p, p->sweeping, names, count);
    for (size_t i = 0; i < count && !p->failed; i++) {
        if (!guard_is_marker(names[i], p->sweeping) || strncmp(names[i] + length, ALIVE, strlen(ALIVE)) == 0)
            continue;
        char *path = path_join(p->sandbox, names[i]);
        p->owed++;
        if (!delete_tree(p->guard, p->session, path, beside, on_beside_swept, p)) {
            p->owed--;
            p->failed = true;
        }
        free(path);
    }
    char *path = path_join(p->sandbox, p->sweeping);
    if (p->failed || !delete_tree(p->guard, p->session, path, run, on_beside_swept, p))
        on_beside_swept(p, false, NULL);
    free(path);
}

static void on_signed(void *context, enum session_result result, const struct znode_stat *stat,
                      const void *data, size_t length)
{
    struct sandbox_dir *p = context;
    bool is_run = result == SESSION_OK && run_marker_is(stat, data, length);
    p->sweeping_czxid = is_run ? stat->czxid : 0;
    if (is_run && guard_adopt(p->guard, p->sweeping) &&
        session_children(p->session, p->sandbox, false, on_beside, p)) {
        log_line(LOG_LEVEL_INFO, "removing the run %s, which is over", p->sweeping);
        return;
    }
    free(p->sweeping); /* not a run: not ours */
    p->sweeping = NULL;
    next_over(p);
}

static void next_over(struct sandbox_dir *p)
{
    while (p->over && p->over_at < p->over_count) {
        free(p->sweeping);
        p->sweeping = xstrdup(p->over[p->over_at++]);
        char *path = path_join(p->sandbox, p->sweeping);
        bool asked = session_get(p->session, path, false, on_signed, p);
        free(path);
        if (asked)
            return;
    }
    make_run(p);
}

/* ---- is it still ours? ---- */

static void sandbox_dir_is_lost(struct sandbox_dir *p)
{
    void (*lost)(void *) = p->lost;
    p->lost = NULL;
    if (lost)
        lost(p->lost_context);
}

/* Without a sign of life others take the run for one that is over. */
static void on_sign_read(void *context, enum session_result result, const struct znode_stat *stat,
                         const void *data, size_t length)
{
    (void)data, (void)length;
    struct sandbox_dir *p = context;
    bool is_foreign = result == SESSION_OK && stat->owner != session_id(p->session);
    if (result != SESSION_NO_NODE && !is_foreign)
        return;
    p->is_signed = false;
    sandbox_dir_is_lost(p);
}

static void on_run_read(void *context, enum session_result result, const struct znode_stat *stat,
                        const void *data, size_t length)
{
    (void)data, (void)length;
    struct sandbox_dir *p = context;
    if (result == SESSION_NO_NODE || (result == SESSION_OK && stat->czxid != p->run_czxid))
        sandbox_dir_is_lost(p);
}

static void on_candidates_data(void *context, enum session_result result, const struct znode_stat *stat,
                               const void *data, size_t length)
{
    struct sandbox_dir *p = context;
    if (result == SESSION_OK && run_marker_is(stat, data, length))
        p->candidates_czxid = stat->czxid;
    else if (result == SESSION_OK || result == SESSION_DENIED)
        sandbox_dir_is_lost(p);
}

/* Candidates make it again where it was removed; but another client may have made one. */
static void on_candidates_read(void *context, enum session_result result, const struct znode_stat *stat,
                               const void *data, size_t length)
{
    (void)data, (void)length;
    struct sandbox_dir *p = context;
    if (result == SESSION_OK && stat->czxid != p->candidates_czxid)
        session_get(p->session, p->candidates_path, false, on_candidates_data, p);
}

void sandbox_dir_noticed(struct sandbox_dir *p, const char *path)
{
    if (p->removes)
        return;
    if (p->candidates_path && strcmp(path, p->candidates_path) == 0)
        session_exists(p->session, path, true, on_candidates_read, p);
    if (strcmp(path, p->alive_path) == 0)
        session_exists(p->session, path, true, on_sign_read, p);
    else if (strcmp(path, p->run_path) == 0 && p->run_czxid)
        session_exists(p->session, path, true, on_run_read, p);
}

/* ---- ... then its place ---- */

/* Its znode is a run's, and ours: from now on it may be removed. Read at once after it was made or found: by
   its czxid it is known again, and its watch tells when it goes. */
static void on_own_read(void *context, enum session_result result, const struct znode_stat *stat,
                        const void *data, size_t length)
{
    (void)data, (void)length;
    struct sandbox_dir *p = context;
    if (result == SESSION_NO_NODE &&
        ++p->tries <= CREATE_TRIES) { /* the last of its agents has just left it */
        make_run(p);
        return;
    }
    if (result != SESSION_OK) {
        sandbox_dir_fail(p, result, "read", p->run_path);
        return;
    }
    p->run_czxid = stat->czxid;
    make_within(p, 0);
}

static bool adopt_own(struct sandbox_dir *p)
{
    return guard_adopt(p->guard, p->run) &&
           session_exists(p->session, p->alive_path, true, on_sign_read, p) &&
           session_exists(p->session, p->run_path, true, on_own_read, p);
}

static void on_run_signed(void *context, enum session_result result, const struct znode_stat *stat,
                          const void *data, size_t length)
{
    struct sandbox_dir *p = context;
    bool is_run = result == SESSION_OK && run_marker_is(stat, data, length);
    if (is_run && p->joins && adopt_own(p))
        return;
    if (result == SESSION_NO_NODE && ++p->tries <= CREATE_TRIES) { /* removed just now: its place is free */
        make_run(p);
        return;
    }
    if (result != SESSION_OK) {
        sandbox_dir_fail(p, result, "read", p->run_path);
        return;
    }
    char text[400];
    char *quoted = text_quoted(p->run_path);
    snprintf(
        text, sizeof text,
        is_run
            ? "another run is at %.200s; wait for its end, name another path, or let both share one run with "
              "--join"
            : "%.200s exists and is not a run of electop; name another path in the sandbox",
        quoted);
    free(quoted);
    sandbox_dir_done(p, text);
}

static void on_run(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    if (result == SESSION_OK && adopt_own(p))
        return;
    if (result != SESSION_NODE_EXISTS || !session_get(p->session, p->run_path, false, on_run_signed, p))
        sandbox_dir_fail(p, result, "create", p->run_path);
}

static void make_run(struct sandbox_dir *p)
{
    if (!guard_create(p->guard, p->session, p->run_path, "", 0, CREATE_PERSISTENT, NULL, on_run, p))
        sandbox_dir_fail(p, SESSION_LOST, "create", p->run_path);
}

static void on_within(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    p->failed |= result != SESSION_OK && result != SESSION_NODE_EXISTS;
    if (--p->owed > 0)
        return;
    if (p->failed) {
        sandbox_dir_fail(p, result, "create directories in", p->run_path);
        return;
    }
    if (p->candidates_path)
        sandbox_dir_noticed(p, p->candidates_path);
    sandbox_dir_done(p, NULL);
}

/* All of them in one go: the answers come in the order of the questions. */
static void make_within(struct sandbox_dir *p, size_t from)
{
    p->owed = 1;
    p->failed = false;
    for (size_t end = from; p->within && p->within[end];) {
        end += strcspn(p->within + end, "/");
        char *path = text_format("%s/%.*s", p->run_path, (int)end, p->within);
        p->owed++;
        if (!guard_create(p->guard, p->session, path, "", 0, CREATE_PERSISTENT, NULL, on_within, p)) {
            p->owed--;
            p->failed = true;
        }
        free(path);
        end += p->within[end] == '/';
    }
    on_within(p, SESSION_OK, NULL);
}

/* ---- remove ---- */

static void on_removed_sandbox(void *context, enum session_result result, const char *path)
{
    (void)result, (void)path; /* others may still need it: then it stays, and that is right */
    sandbox_dir_done(context, NULL);
}

static void on_sandbox_signed(void *context, enum session_result result, const struct znode_stat *stat,
                              const void *data, size_t length)
{
    struct sandbox_dir *p = context;
    bool is_ours = result == SESSION_OK && length == strlen(SANDBOX_MARKER) && stat->children == 0 &&
                   stat->version == 0 && data && memcmp(data, SANDBOX_MARKER, length) == 0;
    if (!is_ours || !guard_delete(p->guard, p->session, p->sandbox, stat->version, on_removed_sandbox, p))
        sandbox_dir_done(p, NULL);
}

static void on_unmarked(void *context, enum session_result result, const char *path)
{
    (void)result, (void)path; /* it is ephemeral: it goes at the latest with the session */
    struct sandbox_dir *p = context;
    if (!session_get(p->session, p->sandbox, false, on_sandbox_signed, p))
        sandbox_dir_done(p, NULL);
}

static void unmark(struct sandbox_dir *p)
{
    if (p->failed)
        sandbox_dir_fail(p, SESSION_FAILED, "remove all of", p->run_path);
    else if (!p->is_signed)
        on_unmarked(p, SESSION_NO_NODE, NULL);
    else if (!guard_delete(p->guard, p->session, p->alive_path, -1, on_unmarked, p))
        sandbox_dir_done(p, NULL);
}

static void part_swept(struct sandbox_dir *p)
{
    if (--p->owed == 0)
        unmark(p);
}

/* A foreign part stays, and ends this step. */
static void on_part_swept(void *context, bool gone, const char *kept)
{
    struct sandbox_dir *p = context;
    p->failed |= !gone && !kept;
    sandbox_dir_keep(p, kept);
    part_swept(p);
}

static void on_parts(void *context, enum session_result result, const struct znode_stat *stat,
                     char *const *names, size_t count)
{
    struct sandbox_dir *p = context;
    size_t length = strlen(p->run);
    const struct meant run = {.czxid = p->run_czxid}, beside = {.latest = stat ? stat->pzxid : 0};
    if (result != SESSION_OK && result != SESSION_NO_NODE) {
        sandbox_dir_fail(p, result, "read", p->sandbox);
        return;
    }
    bool is_last = p->run_czxid && !is_alive(p, p->run, names, count); /* of several agents: removes it */
    p->owed = 1;
    p->failed = false;
    for (size_t i = 0; i < count && is_last; i++) {
        bool is_run = strcmp(names[i], p->run) == 0;
        bool is_of_run = is_run || (guard_is_marker(names[i], p->run) &&
                                    strncmp(names[i] + length, ALIVE, strlen(ALIVE)) != 0);
        char *path = is_of_run ? path_join(p->sandbox, names[i]) : NULL;
        if (path) {
            p->owed++;
            if (!delete_tree(p->guard, p->session, path, is_run ? run : beside, on_part_swept, p)) {
                p->owed--;
                p->failed = true;
            }
        }
        free(path);
    }
    part_swept(p);
}

static void on_left(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct sandbox_dir *p = context;
    if (result == SESSION_LOST || !session_children(p->session, p->sandbox, false, on_parts, p))
        sandbox_dir_fail(p, SESSION_LOST, "read", p->sandbox);
}

void sandbox_dir_remove(struct sandbox_dir *p, sandbox_dir_fn fn, void *context)
{
    p->fn = fn;
    p->context = context;
    p->removes = true;
    /* Each agent leaves before it checks whether any is left: so the last one sees none. */
    if (p->joins && p->is_signed) {
        if (!guard_delete(p->guard, p->session, p->alive_path, -1, on_left, p))
            sandbox_dir_fail(p, SESSION_LOST, "leave", p->run_path);
        return;
    }
    if (!session_children(p->session, p->sandbox, false, on_parts, p))
        sandbox_dir_fail(p, SESSION_LOST, "read", p->sandbox);
}

/* ---- first: never put anything into a foreign election ---- */

static void refuse_occupied(struct sandbox_dir *p, const char *by)
{
    char text[600];
    char *where = text_quoted(p->searched), *who = text_quoted(by);
    snprintf(
        text, sizeof text,
        "%.200s is an election in use (%.100s is a candidate), and its clients may not understand a run's "
        "znodes; choose an unused directory with inject: {sandbox: /path}",
        where, who);
    free(where);
    free(who);
    sandbox_dir_done(p, text);
}

/* The sandbox; where it does not exist yet, its future parent. */
static void sandbox_dir_on_occupied(void *context, enum session_result result, const char *by)
{
    struct sandbox_dir *p = context;
    char *end = strrchr(p->searched, '/');
    if (by) {
        refuse_occupied(p, by);
    } else if (result == SESSION_LOST) {
        sandbox_dir_fail(p, result, "read", p->searched);
    } else if (result == SESSION_NO_NODE && strcmp(p->searched, p->sandbox) == 0 && end > p->searched) {
        *end = '\0';
        if (!occupied_check(p->session, p->searched, sandbox_dir_on_occupied, p))
            sandbox_dir_fail(p, SESSION_LOST, "read", p->searched);
    } else {
        sandbox_dir_marker(p);
    }
}

/* ---- for its owner ---- */

void sandbox_dir_make(struct sandbox_dir *p, sandbox_dir_fn fn, void *context)
{
    p->fn = fn;
    p->context = context;
    if (!occupied_check(p->session, p->searched, sandbox_dir_on_occupied, p))
        sandbox_dir_fail(p, SESSION_LOST, "read", p->searched);
}

size_t sandbox_dir_swept(const struct sandbox_dir *p)
{
    return p->swept;
}

const char *sandbox_dir_kept(const struct sandbox_dir *p)
{
    return p->kept;
}

struct sandbox_dir *sandbox_dir_new(struct guard *guard, struct session *session,
                                    const struct sandbox_dir_options *options)
{
    struct sandbox_dir *p = xcalloc(1, sizeof *p);
    p->guard = guard;
    p->session = session;
    p->sandbox = xstrdup(options->sandbox);
    p->searched = xstrdup(options->sandbox);
    p->run = xstrdup(options->run);
    p->within = options->within ? xstrdup(options->within) : NULL;
    p->run_path = path_join(options->sandbox, options->run);
    p->candidates_path = options->within ? path_join(p->run_path, options->within) : NULL;
    p->alive_path = text_format("%s/%s" ALIVE "%s", options->sandbox, options->run, options->agent);
    p->joins = options->joins;
    p->lost = options->lost;
    p->lost_context = options->context;
    return p;
}

void sandbox_dir_free(struct sandbox_dir *p)
{
    if (!p)
        return;
    over_free(p);
    free(p->sweeping);
    free(p->kept);
    free(p->sandbox);
    free(p->searched);
    free(p->run);
    free(p->within);
    free(p->run_path);
    free(p->candidates_path);
    free(p->alive_path);
    free(p);
}
