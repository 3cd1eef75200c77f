#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/test_candidate_state.h"
#include "probe/candidate/naming.h"
#include "probe/candidate/shared_list.h"
#include "probe/election/recipe.h"
#include "probe/loop_timer.h"

#define DIRECTORIES_MOST 32
/* Whether one that hangs has gone on: looked for so often. */
#define PAUSED_MS 50
/* Overloaded servers are left alone for so long, up to twice of it. */
#define REST_MS 250

/* ---- counters ---- */

static void candidate_io_count_question(const struct test_candidate *t, enum candidate_ask what)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    if (options->listener.asked)
        options->listener.asked(options->context, what);
}

static void candidate_io_count_answer(const struct test_candidate *t, enum session_result result)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    if (options->listener.answered)
        options->listener.answered(options->context, result);
}

/* ---- answers ---- */

/* Whose it is; it is counted. */
static struct test_candidate *candidate_io_answered(void *context, const struct session_answer *answer)
{
    candidate_io_count_answer(context, answer->result);
    return context;
}

/* The result does not matter: the next request shows the problem. */
static void on_whatever(void *context, const struct session_answer *answer)
{
    candidate_io_count_answer(context, answer->result);
}

static void on_prepared_above(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    if (t->above == SESSION_OK && answer->result != SESSION_NODE_EXISTS)
        t->above = (uint8_t)answer->result;
}

static void on_prepared(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    enum session_result result = answer->result;
    if (result == SESSION_NO_NODE && t->above != SESSION_OK)
        result = (enum session_result)t->above; /* why there is none */
    candidate_io_perform(t, candidate_prepared(&t->candidacy, t->options, result));
}

static void candidate_io_on_created(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    int64_t number = SEQUENCE_NONE;
    if (answer->result == SESSION_OK) {
        free(t->name);
        t->name = xstrdup(strrchr(answer->path, '/') + 1);
        number = recipe_sequence_of(t->name);
    }
    candidate_io_perform(t, candidate_created(&t->candidacy, t->options, answer->result, number));
}

static void candidate_io_on_found(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    int64_t number = SEQUENCE_NONE;
    size_t length = t->name ? strlen(t->name) : 0;
    for (size_t i = 0; i < answer->count && t->name && number == SEQUENCE_NONE; i++)
        if (strncmp(answer->names[i], t->name, length) == 0) {
            char *name = xstrdup(answer->names[i]);
            number = recipe_sequence_of(name);
            free(t->name);
            t->name = name;
        }
    candidate_io_perform(t, candidate_found(&t->candidacy, t->options, answer->result, number));
}

void candidate_io_looked(struct test_candidate *t, enum session_result result,
                         const struct line_position *position)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    struct line_position mine = *position;
    /* If the directory was deleted, numbers start again: another candidate may have the same number. */
    if (mine.in_line && t->name && strcmp(mine.self.name, t->name) != 0)
        mine.in_line = false;
    if (result == SESSION_OK && options->listener.positioned)
        options->listener.positioned(options->context, t, &mine);
    candidate_io_perform(t, candidate_looked(&t->candidacy, t->options, result, &mine));
}

static void candidate_io_on_list(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    guard_see_directory(t->options->guard, answer->stat);
    struct line_position position = {.in_line = false};
    if (answer->result == SESSION_OK)
        position = position_in_line(t->candidacy.own, answer->names, answer->count);
    candidate_io_looked(t, answer->result, &position);
}

static void on_watched(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t, candidate_watched(&t->candidacy, t->options, answer->result));
}

static void candidate_io_on_deleted(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t, candidate_deleted(&t->candidacy, t->options, answer->result));
}

static bool is_mine(const struct test_candidate *t, const struct session_answer *answer)
{
    const struct session *session = t->candidate_session->session;
    return answer->stat && session && answer->stat->owner == session_id(session);
}

static void on_contended(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t, candidate_contended(&t->candidacy, t->options, answer->result));
}

static void on_lock_seen(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t,
                         candidate_lock_seen(&t->candidacy, t->options, answer->result, is_mine(t, answer)));
}

static void on_ack_written(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t, candidate_ack_written(&t->candidacy, t->options, answer->result));
}

static void on_ack_gone(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t, candidate_ack_gone(&t->candidacy, t->options, answer->result));
}

static void on_ack_seen(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    candidate_io_perform(t,
                         candidate_ack_seen(&t->candidacy, t->options, answer->result, is_mine(t, answer)));
}

/* ---- questions ---- */

static bool create(struct test_candidate *t, const char *path, const char *data, enum create_mode mode,
                   session_answer_fn answer)
{
    return guard_create(t->options->guard, t->candidate_session->session, path, data, strlen(data), mode,
                        t->options->acl, answer, t);
}

/*
 * Makes every directory above a path, in one go: ZooKeeper answers a session's requests in their order. The
 * last one's answer is the one that counts.
 */
static bool create_directories(struct test_candidate *t, const char *path, bool itself)
{
    size_t ends[DIRECTORIES_MOST], count = 0;
    for (size_t i = 1; path[i] && count < DIRECTORIES_MOST - 1; i++)
        if (path[i] == '/')
            ends[count++] = i;
    if (itself)
        ends[count++] = strlen(path);
    bool asked = false;
    t->above = SESSION_OK;
    for (size_t i = 0; i < count; i++) {
        char *upper = xstrndup(path, ends[i]);
        if (guard_keeps(t->options->guard, upper)) { /* gone: the run ends */
            free(upper);
            continue;
        }
        asked = guard_create(t->options->guard, t->candidate_session->session, upper, "", 0,
                             CREATE_PERSISTENT, NULL, i + 1 < count ? on_prepared_above : on_prepared, t);
        free(upper);
        if (!asked)
            return false;
        if (i + 1 < count)
            candidate_io_count_question(t, ASK_DIRECTORY);
    }
    return asked;
}

/* Each znode gets a new name, so that the remains of a lost create differ from the next one. */
static bool create_candidate(struct test_candidate *t, session_answer_fn answer)
{
    char *name =
        name_make(t->options->name ? t->options->name : "", session_id(t->candidate_session->session));
    char *path = name ? path_join(t->options->election, name) : NULL;
    bool asked =
        path && create(t, path, t->options->data, behaviour_rules_of(t->options->behaviour)->mode, answer);
    free(path);
    free(t->name);
    t->name = name;
    return asked;
}

/* Of the lock, of a candidate, or of the acknowledgement: its owner is read first where others may have the
 * same path.
 */
static bool delete_own(struct test_candidate *t, const char *path, session_answer_fn answer)
{
    return t->candidate_session->session &&
           guard_delete(t->options->guard, t->candidate_session->session, path, -1, answer, t);
}

static char *own_path(const struct test_candidate *t)
{
    if (t->options->lock)
        return xstrdup(t->options->election);
    return t->name ? path_join(t->options->election, t->name) : NULL;
}

/* Not ours: ours is gone, and a stranger's has its path. */
static enum session_result owned(const struct test_candidate *t, const struct session_answer *answer)
{
    return answer->result == SESSION_OK && !is_mine(t, answer) ? SESSION_NO_NODE : answer->result;
}

/* Deletes it, or passes on in its place why not. */
static void delete_seen(struct test_candidate *t, const struct session_answer *seen, const char *path,
                        session_answer_fn answer)
{
    struct session_answer instead = {.result = owned(t, seen)};
    if (instead.result == SESSION_OK && path && delete_own(t, path, answer)) {
        candidate_io_count_answer(t, instead.result);
        return;
    }
    if (instead.result == SESSION_OK)
        instead.result = SESSION_LOST;
    answer(t, &instead);
}

static void on_own_seen(void *context, const struct session_answer *answer)
{
    char *path = own_path(context);
    delete_seen(context, answer, path, candidate_io_on_deleted);
    free(path);
}

static void on_own_ack_seen(void *context, const struct session_answer *answer)
{
    const struct test_candidate *t = context;
    delete_seen(context, answer, t->options->ack, on_ack_gone);
}

static bool read_owner(struct test_candidate *t, const char *path, session_answer_fn answer)
{
    if (!session_exists(t->candidate_session->session, path, false, answer, t))
        return false;
    candidate_io_count_question(t, ASK_ACK_SEEN);
    return true;
}

static bool delete_candidate(struct test_candidate *t)
{
    char *path = own_path(t);
    bool is_unique = t->options->findable && !t->options->lock;
    bool asked =
        path && (is_unique ? delete_own(t, path, candidate_io_on_deleted) : read_owner(t, path, on_own_seen));
    free(path);
    return asked;
}

static void on_synced_to_find(void *context, const struct session_answer *answer)
{
    struct test_candidate *t = candidate_io_answered(context, answer);
    bool asked = answer->result == SESSION_OK && t->candidate_session->session &&
                 session_children(t->candidate_session->session, t->options->election, false,
                                  candidate_io_on_found, t);
    if (asked) {
        candidate_io_count_question(t, ASK_FIND);
        return;
    }
    enum session_result result = answer->result == SESSION_OK ? SESSION_LOST : answer->result;
    candidate_io_perform(t, candidate_found(&t->candidacy, t->options, result, SEQUENCE_NONE));
}

/*
 * sync first: the create may have gone to another server, and this one may not have seen it yet. A list
 * without it would cause a second znode.
 */
static bool find_candidate(struct test_candidate *t)
{
    return session_sync(t->candidate_session->session, t->options->election, on_synced_to_find, t);
}

static bool watch_candidate(struct test_candidate *t, const char *name)
{
    char *path = path_join(t->options->election, name);
    bool asked = session_exists(t->candidate_session->session, path, true, on_watched, t);
    free(path);
    return asked;
}

/* ---- being slow, and resting ---- */

struct delay {
    uv_timer_t *timer;
    struct test_candidate *candidate;
    struct delay *next; /* of the same candidate */
    bool rests;
};

static void delay_end(struct delay *delay)
{
    struct delay **at = &delay->candidate->delays;
    while (*at != delay)
        at = &(*at)->next;
    *at = delay->next;
    loop_timer_free(delay->timer);
    free(delay);
}

static void on_delayed(uv_timer_t *timer)
{
    struct delay *delay = timer->data;
    struct test_candidate *t = delay->candidate;
    bool rests = delay->rests;
    /* Nothing can be asked: a process that hangs notices its timers late. */
    if (t->candidate_session->paused) {
        uv_timer_start(timer, on_delayed, PAUSED_MS, 0);
        return;
    }
    delay_end(delay);
    candidate_io_perform(t, rests ? candidate_rested(&t->candidacy, t->options)
                                  : candidate_delayed(&t->candidacy, t->options));
}

void candidate_io_forget_delays(struct test_candidate *t)
{
    while (t->delays)
        delay_end(t->delays);
}

static bool delay_begin(struct test_candidate *t, uint64_t ms, bool rests)
{
    struct delay *delay = xcalloc(1, sizeof *delay);
    delay->timer = loop_timer_new(t->candidate_session->options->loop, delay);
    delay->candidate = t;
    delay->rests = rests;
    delay->next = t->delays;
    t->delays = delay;
    return uv_timer_start(delay->timer, on_delayed, ms, 0) == 0;
}

/* ---- asking ---- */

static bool candidate_io_ask(struct test_candidate *t, enum candidate_ask what, const char *name)
{
    struct session *session = t->candidate_session->session;
    const struct candidate_options *options = t->options;
    struct shared_list *shared_list = t->candidate_session->options->shared_list;
    switch (what) {
    case ASK_DIRECTORY:
        return create_directories(t, options->election, !options->lock);
    case ASK_ORPHAN:
        return create_candidate(t, on_whatever);
    case ASK_CREATE:
        return create_candidate(t, candidate_io_on_created);
    case ASK_FIND:
        return find_candidate(t);
    case ASK_LOOK:
        if (shared_list) {
            shared_list_want(shared_list, t);
            return true;
        }
        return session_children(session, options->election, false, candidate_io_on_list, t);
    case ASK_LOOK_AND_WATCH: /* a watch belongs to its session, and is set only by a read of that session */
        return session_children(session, options->election, true, candidate_io_on_list, t);
    case ASK_WATCH:
        return watch_candidate(t, name);
    case ASK_DELETE:
        return delete_candidate(t);
    case ASK_CONTEND:
        return create(t, options->election, options->data, CREATE_EPHEMERAL, on_contended);
    case ASK_LOCK:
        return session_exists(session, options->election, true, on_lock_seen, t);
    case ASK_ACK:
        return create(t, options->ack, options->ack_data ? options->ack_data : options->data,
                      CREATE_EPHEMERAL, on_ack_written);
    case ASK_ACK_DIRECTORY:
        return create_directories(t, options->ack, false);
    case ASK_ACK_SEEN:
        return session_exists(session, options->ack, true, on_ack_seen, t);
    case ASK_ACK_GONE:
        return read_owner(t, options->ack, on_own_ack_seen);
    case ASK_REST: /* not all of a crowd at the same moment */
        return delay_begin(t, REST_MS + t->tag % REST_MS, true);
    case ASK_DELAY:
        return delay_begin(t, (uint64_t)t->options->slow_ms, false);
    case ASK_RENEW:
    case ASK_LEAVE:
        break; /* not of the servers: candidate_io_perform() */
    }
    return false;
}

/* ---- carrying out ---- */

static const char *reason_of(enum session_result why)
{
    return why == SESSION_DENIED    ? "not allowed with these credentials"
           : why == SESSION_NO_NODE ? "its parent does not exist"
                                    : "the servers refuse it (a full quota, or an invalid ACL or name)";
}

/* One gives up. On a shared session the others go on, and its znode with them. */
static void candidate_io_leave(struct test_candidate *t, const char *problem, enum session_result why)
{
    struct candidate_session *candidate_session = t->candidate_session;
    if (problem) {
        char text[300];
        snprintf(text, sizeof text, "cannot %s %.120s: %s", problem, t->options->election, reason_of(why));
        candidate_session_set_problem(candidate_session, text);
        if (candidate_session->options->listener.gave_up)
            candidate_session->options->listener.gave_up(candidate_session->options->context, text);
    }
    if (candidate_session->room == 1)
        candidate_session_end(candidate_session, session_close);
}

/* It could not be asked: as good as without a connection, and the next one leads on. */
static void answer_lost(struct test_candidate *t, enum candidate_ask what)
{
    struct candidacy *c = &t->candidacy;
    const struct candidate_options *options = t->options;
    candidate_disconnected(c);
    switch (what) {
    case ASK_DIRECTORY:
    case ASK_ACK_DIRECTORY:
        candidate_io_perform(t, candidate_prepared(c, options, SESSION_LOST));
        break;
    case ASK_CREATE:
        candidate_io_perform(t, candidate_created(c, options, SESSION_LOST, SEQUENCE_NONE));
        break;
    case ASK_LOOK:
    case ASK_LOOK_AND_WATCH:
        candidate_io_perform(t, candidate_looked(c, options, SESSION_LOST, NULL));
        break;
    case ASK_WATCH:
        candidate_io_perform(t, candidate_watched(c, options, SESSION_LOST));
        break;
    case ASK_DELETE:
        candidate_io_perform(t, candidate_deleted(c, options, SESSION_LOST));
        break;
    case ASK_REST:
        candidate_io_perform(t, candidate_rested(c, options));
        break;
    default: /* to the others a lost answer changes nothing */
        break;
    }
}

static bool is_request(const struct test_candidate *t, enum candidate_ask what)
{
    return what != ASK_DELAY && what != ASK_REST &&
           !(what == ASK_LOOK && t->candidate_session->options->shared_list);
}

void candidate_io_perform(struct test_candidate *t, struct candidate_asks asks)
{
    candidate_session_report(t);
    for (unsigned i = 0; i < asks.count; i++) {
        enum candidate_ask what = asks.list[i].what;
        if (what == ASK_LEAVE)
            candidate_io_leave(t, asks.problem, asks.why);
        else if (what == ASK_RENEW)
            candidate_session_renew(t->candidate_session);
        else if (!t->candidate_session->session || !candidate_io_ask(t, what, asks.list[i].name))
            answer_lost(t, what);
        else if (is_request(t, what))
            candidate_io_count_question(t, what);
    }
    candidate_session_report(t);
}
