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
#include "probe/inject/delete_tree.h"
#include "probe/inject/occupied_check.h"
#include "probe/log.h"
#include "probe/zookeeper/session.h"

/*
 * A walk through steps: each asks for something, and its answer leads to the next.
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
static void make_within(struct sandbox_dir *);

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

static void on_sandbox(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_OK || answer->result == SESSION_NODE_EXISTS)
        sandbox_dir_marker(p);
    else
        sandbox_dir_fail(p, answer->result, "create", p->sandbox);
}

static void on_proved(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    p->may_delete = answer->result == SESSION_OK || answer->result == SESSION_NO_NODE;
    if (p->may_delete)
        sandbox_dir_marker(p);
    else
        sandbox_dir_fail(p, answer->result, "delete the znodes of a run, such as", p->alive_path);
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

static void sandbox_dir_on_marked(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    p->is_signed = answer->result == SESSION_OK;
    if (answer->result == SESSION_OK && !p->may_delete && sandbox_dir_prove(p))
        return;
    if (answer->result == SESSION_OK)
        find_others(p);
    else if (answer->result == SESSION_NODE_EXISTS)
        refuse_namesake(p);
    else if (answer->result != SESSION_NO_NODE || ++p->tries > CREATE_TRIES)
        sandbox_dir_fail(p, answer->result, "create", p->alive_path);
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
static void on_others(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result != SESSION_OK) {
        sandbox_dir_fail(p, answer->result, "read", p->sandbox);
        return;
    }
    p->over = xcalloc(answer->count + 1, sizeof *p->over);
    for (size_t i = 0; i < answer->count; i++) {
        size_t length = strcspn(answer->names[i], ".");
        if (answer->names[i][length] == '.' || strcmp(answer->names[i], p->run) == 0 ||
            is_alive(p, answer->names[i], answer->names, answer->count))
            continue;
        p->over[p->over_count] = xstrdup(answer->names[i]);
        p->over_count++;
    }
    /* An earlier run of the same name may have left our own run's znode: then only our own marker is there.
     */
    if (!is_alive(p, p->run, answer->names, answer->count)) {
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

/* Deletes the siblings that bear the name of a run that is over, unless it has begun again since: this list is
 * later than the reading of its znode, and the sign of a run is older than its znode. The run's own znode goes
 * last, so that the remains of an interrupted removal are found again. */
static void on_beside(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    size_t length = strlen(p->sweeping);
    const struct meant run = {.czxid = p->sweeping_czxid},
                       beside = {.latest = answer->stat ? answer->stat->pzxid : 0};
    p->owed = 1;
    p->failed = answer->result != SESSION_OK || is_alive(p, p->sweeping, answer->names, answer->count);
    for (size_t i = 0; i < answer->count && !p->failed; i++) {
        if (!guard_is_marker(answer->names[i], p->sweeping) ||
            strncmp(answer->names[i] + length, ALIVE, strlen(ALIVE)) == 0)
            continue;
        char *path = path_join(p->sandbox, answer->names[i]);
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

static void on_signed(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    bool is_run = run_marker_is(answer);
    p->sweeping_czxid = is_run ? answer->stat->czxid : 0;
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
static void on_sign_read(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    bool is_foreign = answer->result == SESSION_OK && answer->stat->owner != session_id(p->session);
    if (answer->result != SESSION_NO_NODE && !is_foreign)
        return;
    p->is_signed = false;
    sandbox_dir_is_lost(p);
}

static void on_run_read(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_NO_NODE ||
        (answer->result == SESSION_OK && answer->stat->czxid != p->run_czxid))
        sandbox_dir_is_lost(p);
}

static void on_candidates_data(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (run_marker_is(answer))
        p->candidates_czxid = answer->stat->czxid;
    else if (answer->result == SESSION_OK || answer->result == SESSION_DENIED)
        sandbox_dir_is_lost(p);
}

/* Candidates create it again after it was removed; but another client may have created this one. */
static void on_candidates_read(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_OK && answer->stat->czxid != p->candidates_czxid)
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

/* The run's znode is ours: from now on it may be removed. It is read as soon as it was created or found: its
 * czxid identifies it, and the watch notifies of its deletion. */
static void on_own_read(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_NO_NODE &&
        ++p->tries <= CREATE_TRIES) { /* the last of its agents has just left it */
        make_run(p);
        return;
    }
    if (answer->result != SESSION_OK) {
        sandbox_dir_fail(p, answer->result, "read", p->run_path);
        return;
    }
    p->run_czxid = answer->stat->czxid;
    make_within(p);
}

static bool adopt_own(struct sandbox_dir *p)
{
    return guard_adopt(p->guard, p->run) &&
           session_exists(p->session, p->alive_path, true, on_sign_read, p) &&
           session_exists(p->session, p->run_path, true, on_own_read, p);
}

static void on_run_signed(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    bool is_run = run_marker_is(answer);
    if (is_run && p->joins && adopt_own(p))
        return;
    if (answer->result == SESSION_NO_NODE &&
        ++p->tries <= CREATE_TRIES) { /* removed just now: its place is free */
        make_run(p);
        return;
    }
    if (answer->result != SESSION_OK) {
        sandbox_dir_fail(p, answer->result, "read", p->run_path);
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

static void on_run(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_OK && adopt_own(p))
        return;
    if (answer->result != SESSION_NODE_EXISTS ||
        !session_get(p->session, p->run_path, false, on_run_signed, p))
        sandbox_dir_fail(p, answer->result, "create", p->run_path);
}

static void make_run(struct sandbox_dir *p)
{
    if (!guard_create(p->guard, p->session, p->run_path, "", 0, CREATE_PERSISTENT, NULL, on_run, p))
        sandbox_dir_fail(p, SESSION_LOST, "create", p->run_path);
}

static void on_within(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    p->failed |= answer->result != SESSION_OK && answer->result != SESSION_NODE_EXISTS;
    if (--p->owed > 0)
        return;
    if (p->failed) {
        sandbox_dir_fail(p, answer->result, "create directories in", p->run_path);
        return;
    }
    if (p->candidates_path)
        sandbox_dir_noticed(p, p->candidates_path);
    sandbox_dir_done(p, NULL);
}

/* All of them in one go: the answers come in the order of the questions. */
static void make_within(struct sandbox_dir *p)
{
    p->owed = 1;
    p->failed = false;
    for (size_t end = 0; p->within && p->within[end];) {
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
    on_within(p, &(struct session_answer){.result = SESSION_OK});
}

/* ---- remove ---- */

static void on_removed_sandbox(void *context, const struct session_answer *answer)
{
    (void)answer; /* others may still need it: then it stays, and that is right */
    sandbox_dir_done(context, NULL);
}

static void on_sandbox_signed(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    bool is_ours = answer->result == SESSION_OK && answer->length == strlen(SANDBOX_MARKER) &&
                   answer->stat->children == 0 && answer->stat->version == 0 && answer->data &&
                   memcmp(answer->data, SANDBOX_MARKER, answer->length) == 0;
    if (!is_ours ||
        !guard_delete(p->guard, p->session, p->sandbox, answer->stat->version, on_removed_sandbox, p))
        sandbox_dir_done(p, NULL);
}

static void on_unmarked(void *context, const struct session_answer *answer)
{
    (void)answer; /* it is ephemeral: it is deleted with the session at the latest */
    struct sandbox_dir *p = context;
    if (!session_get(p->session, p->sandbox, false, on_sandbox_signed, p))
        sandbox_dir_done(p, NULL);
}

static void unmark(struct sandbox_dir *p)
{
    if (p->failed)
        sandbox_dir_fail(p, SESSION_FAILED, "remove all of", p->run_path);
    else if (!p->is_signed)
        on_unmarked(p, &(struct session_answer){.result = SESSION_NO_NODE});
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

static void on_parts(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    size_t length = strlen(p->run);
    const struct meant run = {.czxid = p->run_czxid},
                       beside = {.latest = answer->stat ? answer->stat->pzxid : 0};
    if (answer->result != SESSION_OK && answer->result != SESSION_NO_NODE) {
        sandbox_dir_fail(p, answer->result, "read", p->sandbox);
        return;
    }
    bool is_last = p->run_czxid &&
                   !is_alive(p, p->run, answer->names, answer->count); /* of several agents: removes it */
    p->owed = 1;
    p->failed = false;
    for (size_t i = 0; i < answer->count && is_last; i++) {
        bool is_run = strcmp(answer->names[i], p->run) == 0;
        bool is_of_run = is_run || (guard_is_marker(answer->names[i], p->run) &&
                                    strncmp(answer->names[i] + length, ALIVE, strlen(ALIVE)) != 0);
        char *path = is_of_run ? path_join(p->sandbox, answer->names[i]) : NULL;
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

static void on_left(void *context, const struct session_answer *answer)
{
    struct sandbox_dir *p = context;
    if (answer->result == SESSION_LOST || !session_children(p->session, p->sandbox, false, on_parts, p))
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
