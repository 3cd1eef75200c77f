/*
 * test_candidate.c - see test_candidate.h. The steps stand in the order in which a candidate takes them.
 *
 * Every answer and every notice leads to one of a handful of steps, and a step may be taken again at any
 * time: it reads before it acts. So a lost connection needs one rule only: back on it, proceed() from what
 * is known. SESSION_LOST answers are therefore left alone; the session's next CONNECTED does the rest.
 *
 * This is the recipe. Where a candidate is to be ill, its manner (behaviour.h) says whom it watches instead
 * and which step it leaves out.
 */
#include "probe/inject/test_candidate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/inject/behaviour.h"
#include "probe/inject/guid.h"

#define DIRECTORIES_MOST 32

struct test_candidate {
    uv_loop_t *loop;
    char *hosts, *election, *name, *data, *mark, *mark_data;
    int timeout_ms;
    bool lock;
    const struct manner *manner;
    test_candidate_fn fn;
    void *context;

    struct session *session; /* NULL: gone */
    enum test_candidate_state state;
    bool standing;           /* it wants to stand */
    bool creating, deleting; /* its znode; the answer is still to come */
    bool in_doubt;           /* the connection broke before that answer: it may stand or not */
    bool acknowledged;
    char guid[GUID_UUID_SIZE]; /* what finds its znode again; "": nothing in its name does */
    char *own;                 /* path of its znode; NULL: none that it knows of */
    char *awaited;             /* path that it watches: its predecessor, or the lock */
    char problem[200];
};

static void proceed(struct test_candidate *);
static void volunteer(struct test_candidate *);
static void look(struct test_candidate *);
static void contend(struct test_candidate *);
static void acknowledge(struct test_candidate *);
static void step_down(struct test_candidate *);

/* ---- what all steps need ---- */

static bool text_set(char **text, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    free(*text);
    *text = copy;
    return copy || !value;
}

static void candidate_destroy(struct test_candidate *c)
{
    free(c->hosts);
    free(c->election);
    free(c->name);
    free(c->data);
    free(c->mark);
    free(c->mark_data);
    free(c->own);
    free(c->awaited);
    free(c);
}

static void change_state(struct test_candidate *c, enum test_candidate_state state)
{
    if (c->state == state)
        return;
    c->state = state;
    if (c->fn)
        c->fn(c->context, c, state);
}

static void session_leave(struct test_candidate *c, void (*how)(struct session *))
{
    struct session *session = c->session;
    c->session = NULL; /* first: answers still owed come from in there, and mean nothing any more */
    if (session)
        how(session);
    text_set(&c->own, NULL);
    text_set(&c->awaited, NULL);
    c->creating = c->deleting = c->in_doubt = c->acknowledged = false;
}

/* What no second try would change. */
static void give_up(struct test_candidate *c, const char *what, const char *path)
{
    snprintf(c->problem, sizeof c->problem, "cannot %s %.120s", what, path);
    c->standing = false;
    session_leave(c, session_close);
    change_state(c, CANDIDATE_GONE);
}

static bool is_lost(const struct test_candidate *c, enum session_result result)
{
    return !c->session || result == SESSION_LOST;
}

/* For what nothing hangs on: the request after it says what there is to say. */
static void on_whatever(void *context, enum session_result result, const char *path)
{
    (void)context;
    (void)result;
    (void)path;
}

/* ---- volunteer: create my znode ---- */

static void on_directories(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result != SESSION_OK && result != SESSION_NODE_EXISTS)
        give_up(c, "make the directory of", c->election);
    else
        proceed(c);
}

/* Makes every directory above a path, in one go: ZooKeeper answers a session's requests in their order. */
static void make_directories(struct test_candidate *c, const char *path, bool itself)
{
    size_t ends[DIRECTORIES_MOST], count = 0;
    for (size_t i = 1; path[i] && count < DIRECTORIES_MOST - 1; i++)
        if (path[i] == '/')
            ends[count++] = i;
    if (itself)
        ends[count++] = strlen(path);
    for (size_t i = 0; i < count; i++) {
        char *upper = strndup(path, ends[i]);
        if (!upper)
            return;
        session_create(c->session, upper, "", 0, CREATE_PERSISTENT, NULL,
                       i + 1 < count ? on_whatever : on_directories, c);
        free(upper);
    }
}

/* The pattern of its name with everything in it replaced; malloc'd. Sets guid. */
static char *name_new(struct test_candidate *c)
{
    static const char *const words[] = {"{uuid}", "{hex}", "{session}", "{session_hex}"};
    char uuid[GUID_UUID_SIZE], hex[GUID_HEX_SIZE], session[24], session_hex[20];
    if (!guid_uuid36(uuid) || !guid_hex32(hex))
        return NULL;
    snprintf(session, sizeof session, "%" PRId64, (int64_t)session_id(c->session)); /* Java's long */
    snprintf(session_hex, sizeof session_hex, "%016" PRIx64, session_id(c->session));
    const char *const values[] = {uuid, hex, session, session_hex};

    size_t size = strlen(c->name) + strlen(c->election) + 4 * GUID_UUID_SIZE + 2, used;
    char *name = malloc(size);
    if (!name)
        return NULL;
    used = (size_t)snprintf(name, size, "%s/", c->election);
    c->guid[0] = '\0';
    for (const char *at = c->name; *at && used + GUID_UUID_SIZE < size;) {
        size_t word = 0;
        while (word < 4 && strncmp(at, words[word], strlen(words[word])) != 0)
            word++;
        if (word == 4) {
            name[used++] = *at++;
            continue;
        }
        used += (size_t)snprintf(name + used, size - used, "%s", values[word]);
        snprintf(c->guid, sizeof c->guid, "%s", values[word]);
        at += strlen(words[word]);
    }
    name[used] = '\0';
    return name;
}

static void on_volunteered(void *context, enum session_result result, const char *path)
{
    struct test_candidate *c = context;
    c->creating = false;
    c->in_doubt = c->session && result == SESSION_LOST;
    if (is_lost(c, result))
        return;
    if (result == SESSION_OK && c->manner->leaves) {
        test_candidate_close(c);
    } else if (result == SESSION_OK) {
        text_set(&c->own, path);
        proceed(c); /* look; or step down again, if it has changed its mind meanwhile */
    } else if (result == SESSION_NO_NODE) {
        make_directories(c, c->election, true);
    } else {
        give_up(c, "create a znode in", c->election);
    }
}

static void volunteer(struct test_candidate *c)
{
    char *name = name_new(c);
    if (!name) {
        give_up(c, "make a name in", c->election);
        return;
    }
    if (c->manner->creates_twice)
        session_create(c->session, name, c->data, strlen(c->data), c->manner->mode, NULL, on_whatever, c);
    c->creating =
        session_create(c->session, name, c->data, strlen(c->data), c->manner->mode, NULL, on_volunteered, c);
    free(name);
}

/* ---- after a lost connection: was my create carried out? ---- */

static void session_begin(struct test_candidate *);

static void on_found(void *context, enum session_result result, const struct znode_stat *stat,
                     char *const *names, size_t count)
{
    (void)stat;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result != SESSION_OK && result != SESSION_NO_NODE) {
        give_up(c, "read", c->election);
        return;
    }
    c->in_doubt = false;
    for (size_t i = 0; i < count; i++)
        if (strstr(names[i], c->guid)) {
            size_t size = strlen(c->election) + strlen(names[i]) + 2;
            char *path = malloc(size);
            if (path)
                snprintf(path, size, "%s/%s", c->election, names[i]);
            free(c->own);
            c->own = path;
        }
    proceed(c);
}

/*
 * By the GUID in its name. sync first: the create may have gone to another server than the one that
 * answers now, and this one may not have heard of it yet.
 */
static void find(struct test_candidate *c)
{
    if (c->guid[0]) {
        session_sync(c->session, c->election, on_whatever, c);
        session_children(c->session, c->election, false, on_found, c);
        return;
    }
    /* A bare name cannot be told from the others'. The session's end removes what it may have left. */
    session_leave(c, session_close);
    session_begin(c);
}

/* ---- look: who stands before me? ---- */

static void on_watched(void *context, enum session_result result, const struct znode_stat *stat,
                       const void *data, size_t length)
{
    (void)stat;
    (void)data;
    (void)length;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result == SESSION_OK)
        change_state(c, CANDIDATE_WAITING);
    else if (result == SESSION_NO_NODE)
        look(c); /* it went between look and watch: nobody would wake us */
    else
        give_up(c, "watch", c->awaited ? c->awaited : c->election);
}

static void lead(struct test_candidate *c)
{
    text_set(&c->awaited, NULL);
    if (c->mark && !c->acknowledged && !c->manner->is_mute)
        acknowledge(c);
    change_state(c, CANDIDATE_LEADING);
}

/* name: NULL for one that never watches; it waits for ever. */
static void watch(struct test_candidate *c, const char *name)
{
    text_set(&c->awaited, NULL);
    if (!name) {
        change_state(c, CANDIDATE_WAITING);
        return;
    }
    size_t size = strlen(c->election) + strlen(name) + 2;
    c->awaited = malloc(size);
    if (!c->awaited)
        return;
    snprintf(c->awaited, size, "%s/%s", c->election, name);
    session_exists(c->session, c->awaited, true, on_watched, c);
}

static void on_looked(void *context, enum session_result result, const struct znode_stat *stat,
                      char *const *names, size_t count)
{
    (void)stat;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (!c->standing || !c->own) {
        proceed(c); /* it has stepped down since it asked */
        return;
    }
    if (result != SESSION_OK && result != SESSION_NO_NODE) {
        give_up(c, "read", c->election);
        return;
    }
    const char *mine = strrchr(c->own, '/') + 1;
    struct place place = place_in_line(mine, names, count);
    if (!place.stands) {
        /* Somebody removed it, or the whole directory: stand anew. */
        text_set(&c->own, NULL);
        change_state(c, CANDIDATE_JOINING);
        proceed(c);
    } else if (!place.predecessor) {
        lead(c);
    } else {
        watch(c, place_watched(&place, c->manner->watches, mine));
    }
}

static void look(struct test_candidate *c)
{
    session_children(c->session, c->election, false, on_looked, c);
}

/* ---- the lock: one znode for all ---- */

static void on_lock_seen(void *context, enum session_result result, const struct znode_stat *stat,
                         const void *data, size_t length)
{
    (void)data;
    (void)length;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result == SESSION_NO_NODE) {
        text_set(&c->own, NULL);
        proceed(c); /* free: try again */
    } else if (result != SESSION_OK) {
        give_up(c, "watch", c->election);
    } else if (stat->owner == session_id(c->session)) {
        text_set(&c->own, c->election);
        if (c->standing)
            lead(c);
        else
            proceed(c);
    } else {
        text_set(&c->own, NULL);
        change_state(c, c->standing ? CANDIDATE_WAITING : CANDIDATE_RESIGNED);
    }
}

static void on_lock_tried(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result == SESSION_NO_NODE) {
        make_directories(c, c->election, false);
    } else if (result != SESSION_OK && result != SESSION_NODE_EXISTS) {
        give_up(c, "create", c->election);
    } else {
        /* Its owner says whose it is: it may be our own create from before the connection broke. */
        text_set(&c->awaited, c->election);
        session_exists(c->session, c->election, true, on_lock_seen, c);
    }
}

static void contend(struct test_candidate *c)
{
    session_create(c->session, c->election, c->data, strlen(c->data), CREATE_EPHEMERAL, NULL, on_lock_tried,
                   c);
}

/* ---- acknowledge: write the mark ---- */

static void on_mark_seen(void *context, enum session_result result, const struct znode_stat *stat,
                         const void *data, size_t length)
{
    (void)data;
    (void)length;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result == SESSION_OK && stat->owner == session_id(c->session)) {
        c->acknowledged = c->standing;
        if (c->manner->keeps_mark)
            test_candidate_resign(c);
        else if (!c->standing)
            session_delete(c->session, c->mark, -1, on_whatever, c);
    } else if (result == SESSION_NO_NODE && c->standing && c->state == CANDIDATE_LEADING) {
        acknowledge(c);
    }
    /* Else it is our predecessor's, whose session has yet to end: its watch tells us. */
}

static void on_mark_written(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct test_candidate *c = context;
    if (is_lost(c, result))
        return;
    if (result == SESSION_NO_NODE)
        make_directories(c, c->mark, false); /* and proceed from there */
    else if (result == SESSION_OK || result == SESSION_NODE_EXISTS)
        session_exists(c->session, c->mark, true, on_mark_seen, c);
    else
        give_up(c, "write the mark", c->mark);
}

static void acknowledge(struct test_candidate *c)
{
    session_create(c->session, c->mark, c->mark_data, strlen(c->mark_data), CREATE_EPHEMERAL, NULL,
                   on_mark_written, c);
}

/* ---- step down: the mark first, then the znode ---- */

static void on_deleted(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct test_candidate *c = context;
    c->deleting = false;
    if (is_lost(c, result))
        return;
    if (result != SESSION_OK && result != SESSION_NO_NODE) {
        give_up(c, "delete a znode in", c->election);
        return;
    }
    text_set(&c->own, NULL);
    text_set(&c->awaited, NULL);
    change_state(c, CANDIDATE_RESIGNED);
    if (c->standing)
        proceed(c);
}

static void step_down(struct test_candidate *c)
{
    if (c->acknowledged && !c->manner->keeps_mark)
        session_delete(c->session, c->mark, -1, on_whatever, c);
    c->acknowledged = false;
    c->deleting = session_delete(c->session, c->own, -1, on_deleted, c);
}

/*
 * After a lost connection a lock or a mark may be another's by now, since its path is everybody's: whose
 * it is is read again before it is deleted. A candidate's own name is nobody else's.
 */
static void step_down_again(struct test_candidate *c)
{
    c->acknowledged = false;
    if (c->mark)
        session_exists(c->session, c->mark, false, on_mark_seen, c);
    if (c->lock)
        session_exists(c->session, c->election, false, on_lock_seen, c);
    else
        proceed(c);
}

/* ---- the next step, from what is known ---- */

static void proceed(struct test_candidate *c)
{
    if (!c->session || session_state(c->session) != CONNECTION_CONNECTED || c->creating || c->deleting)
        return; /* an answer, or the connection, leads here again */
    if (c->in_doubt)
        find(c);
    else if (!c->standing && c->own)
        step_down(c);
    else if (!c->standing)
        change_state(c, CANDIDATE_RESIGNED);
    else if (c->lock)
        contend(c);
    else if (c->own)
        look(c);
    else
        volunteer(c);
}

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct test_candidate *c = context;
    snprintf(c->problem, sizeof c->problem, "%s", state != CONNECTION_CONNECTED && problem ? problem : "");
    if (state == CONNECTION_CONNECTED) {
        if (renewed) {
            text_set(&c->own, NULL);
            text_set(&c->awaited, NULL);
            c->in_doubt = c->acknowledged = false;
        }
        if (!c->standing && !c->in_doubt)
            step_down_again(c);
        else
            proceed(c);
    } else if (state == CONNECTION_REFUSED) {
        c->standing = false;
        session_leave(c, session_close);
        change_state(c, CANDIDATE_GONE);
    } else if (c->standing) {
        /* Somebody else may lead before we know: no leader without a connection. */
        change_state(c, CANDIDATE_JOINING);
    }
}

static void on_notice(void *context, enum session_notice notice, const char *path)
{
    (void)notice; /* whatever happened to it, its watch is spent */
    struct test_candidate *c = context;
    if (c->standing && c->mark && strcmp(path, c->mark) == 0) {
        if (c->state == CANDIDATE_LEADING && !c->acknowledged)
            acknowledge(c);
    } else if (c->standing && c->awaited && strcmp(path, c->awaited) == 0) {
        proceed(c);
    } else if (c->standing && c->lock && strcmp(path, c->election) == 0) {
        change_state(c, CANDIDATE_JOINING); /* the lock that we hold was touched: is it still ours? */
        proceed(c);
    }
}

static void session_begin(struct test_candidate *c)
{
    static const struct session_listener listener = {.state = on_state, .notice = on_notice};
    const struct session_options options = {.hosts = c->hosts, .timeout_ms = c->timeout_ms};
    c->problem[0] = '\0';
    c->session = session_open(c->loop, &options, &listener, c);
    if (!c->session)
        snprintf(c->problem, sizeof c->problem, "no session: out of memory");
    change_state(c, c->session ? CANDIDATE_JOINING : CANDIDATE_GONE);
}

/* ---- for its owner ---- */

struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct test_candidate_options *options,
                                          test_candidate_fn fn, void *context)
{
    struct test_candidate *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->loop = loop;
    c->timeout_ms = options->timeout_ms;
    c->lock = options->lock;
    c->manner = behaviour_manner(options->behaviour);
    c->standing = true;
    c->state = CANDIDATE_JOINING;
    if (text_set(&c->hosts, options->hosts) && text_set(&c->election, options->election) &&
        text_set(&c->name, options->name ? options->name : "") && text_set(&c->data, options->data) &&
        text_set(&c->mark, options->mark) &&
        text_set(&c->mark_data, options->mark_data ? options->mark_data : options->data))
        session_begin(c);
    if (!c->session) {
        candidate_destroy(c);
        return NULL;
    }
    c->fn = fn;
    c->context = context;
    return c;
}

enum test_candidate_state test_candidate_state(const struct test_candidate *c)
{
    return c->state;
}

const char *test_candidate_path(const struct test_candidate *c)
{
    return c->own;
}

bool test_candidate_acknowledged(const struct test_candidate *c)
{
    return c->acknowledged;
}

uint64_t test_candidate_session(const struct test_candidate *c)
{
    return c->session ? session_id(c->session) : 0;
}

const char *test_candidate_problem(const struct test_candidate *c)
{
    return c->problem[0] ? c->problem : NULL;
}

static void depart(struct test_candidate *c, void (*how)(struct session *))
{
    c->standing = false;
    session_leave(c, how);
    change_state(c, CANDIDATE_GONE);
}

void test_candidate_close(struct test_candidate *c)
{
    depart(c, session_close);
}

void test_candidate_drop(struct test_candidate *c)
{
    depart(c, session_drop);
}

void test_candidate_resign(struct test_candidate *c)
{
    c->standing = false;
    proceed(c);
}

void test_candidate_pause(struct test_candidate *c)
{
    if (c->session)
        session_pause(c->session);
}

void test_candidate_resume(struct test_candidate *c)
{
    if (c->session)
        session_resume(c->session);
}

void test_candidate_depart(struct test_candidate *c, enum departure how)
{
    static void (*const ways[DEPART_COUNT])(struct test_candidate *) = {
        [DEPART_CLOSE] = test_candidate_close,
        [DEPART_RESIGN] = test_candidate_resign,
        [DEPART_DROP] = test_candidate_drop,
        [DEPART_PAUSE] = test_candidate_pause,
    };
    ways[how](c);
}

void test_candidate_volunteer(struct test_candidate *c)
{
    if (c->standing)
        return;
    c->standing = true;
    if (!c->session) {
        session_begin(c);
    } else if (!c->own) { /* else its znode is being deleted: on_deleted() goes on */
        change_state(c, CANDIDATE_JOINING);
        proceed(c);
    }
}

void test_candidate_free(struct test_candidate *c)
{
    if (!c)
        return;
    session_leave(c, session_drop);
    candidate_destroy(c);
}
