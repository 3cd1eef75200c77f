/*
 * crew.c - see crew.h: the session, what it brings, and its owner's will.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/recipe.h"
#include "probe/inject/crew_inner.h"

/* ---- what all need ---- */

static void tell_change(struct test_candidate *t)
{
    const struct crew_options *options = t->crew->options;
    if (t->told == t->machine.state && t->told_acknowledged == t->machine.acknowledged)
        return;
    t->told = t->machine.state;
    t->told_acknowledged = t->machine.acknowledged;
    if (options->listener.changed)
        options->listener.changed(options->context, t);
}

static void set_problem(struct crew *crew, const char *text)
{
    free(crew->problem);
    crew->problem = text ? strdup(text) : NULL;
}

static void set_connected(struct crew *crew, enum connection_state state)
{
    const struct crew_options *options = crew->options;
    bool was_connected = crew->connected;
    crew->connected = state == CONNECTION_CONNECTED;
    if (options->listener.connection)
        options->listener.connection(options->context, crew, was_connected, state);
}

/* ---- the session ---- */

static bool session_begin(struct crew *);

static void session_end(struct crew *crew, void (*how)(struct session *))
{
    struct session *session = crew->session;
    for (size_t i = 0; i < crew->count; i++)
        candidate_disconnected(&crew->candidates[i].machine); /* what it still owes means nothing any more */
    if (session)
        how(session);
    crew->session = NULL;
    crew->paused = false;
    if (session && crew->connected)
        set_connected(crew, CONNECTION_CONNECTING);
}

static void all_gone(struct crew *crew, void (*how)(struct session *))
{
    session_end(crew, how);
    for (size_t i = 0; i < crew->count; i++) {
        candidate_gone(&crew->candidates[i].machine);
        tell_change(&crew->candidates[i]);
    }
}

/* Another session: what the old one may have left goes with it. */
static void session_renew(struct crew *crew)
{
    session_end(crew, session_close);
    if (!session_begin(crew))
        all_gone(crew, session_drop);
}

/* One gives up. On a shared session the others go on, and its znode with them. */
static void leave(struct test_candidate *t, const char *problem)
{
    struct crew *crew = t->crew;
    if (problem) {
        char text[200];
        snprintf(text, sizeof text, "cannot %s %.120s", problem, t->casting->election);
        set_problem(crew, text);
        if (crew->options->listener.gave_up)
            crew->options->listener.gave_up(crew->options->context, text);
    }
    if (crew->room == 1)
        all_gone(crew, session_close);
}

/* ---- carrying out ---- */

/* It could not be asked: as good as without a connection, and the next one leads on. */
static void answer_lost(struct test_candidate *t, enum candidate_ask what)
{
    struct candidacy *c = &t->machine;
    const struct candidate_rules *rules = &t->casting->rules;
    candidate_disconnected(c);
    switch (what) {
    case ASK_DIRECTORY:
    case ASK_MARK_DIRECTORY:
        crew_perform(t, candidate_prepared(c, rules, SESSION_LOST));
        break;
    case ASK_CREATE:
        crew_perform(t, candidate_created(c, rules, SESSION_LOST, SEQUENCE_NONE));
        break;
    case ASK_LOOK:
    case ASK_LOOK_AND_WATCH:
        crew_perform(t, candidate_looked(c, rules, SESSION_LOST, NULL));
        break;
    case ASK_WATCH:
        crew_perform(t, candidate_watched(c, rules, SESSION_LOST));
        break;
    case ASK_DELETE:
        crew_perform(t, candidate_deleted(c, rules, SESSION_LOST));
        break;
    default: /* to the others a lost answer changes nothing */
        break;
    }
}

static bool is_request(const struct test_candidate *t, enum candidate_ask what)
{
    return what != ASK_DELAY && !(what == ASK_LOOK && t->crew->options->reading);
}

void crew_perform(struct test_candidate *t, struct candidate_asks asks)
{
    tell_change(t);
    for (unsigned i = 0; i < asks.count; i++) {
        enum candidate_ask what = asks.list[i].what;
        if (what == ASK_LEAVE)
            leave(t, asks.problem);
        else if (what == ASK_RENEW)
            session_renew(t->crew);
        else if (!t->crew->session || !crew_ask(t, what, asks.list[i].name))
            answer_lost(t, what);
        else if (is_request(t, what))
            crew_count_question(t, what);
    }
    tell_change(t);
}

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct crew *crew = context;
    struct session *session = crew->session;
    set_problem(crew, state == CONNECTION_CONNECTED ? NULL : problem);
    set_connected(crew, state);
    if (state == CONNECTION_REFUSED) {
        all_gone(crew, session_close);
        return;
    }
    for (size_t i = 0; i < crew->count && crew->session == session; i++) {
        struct test_candidate *t = &crew->candidates[i];
        if (state == CONNECTION_CONNECTED) {
            crew_perform(t, candidate_connected(&t->machine, &t->casting->rules, renewed));
        } else {
            candidate_disconnected(&t->machine);
            tell_change(t);
        }
    }
}

/* What a notice is about, for one candidate. */
static struct candidate_asks noticed(struct test_candidate *t, enum session_notice notice, const char *path,
                                     int64_t number)
{
    const struct casting *casting = t->casting;
    const struct candidate_rules *rules = &casting->rules;
    if (number != SEQUENCE_NONE)
        return candidate_noticed(&t->machine, rules, number);
    if (casting->mark && strcmp(path, casting->mark) == 0)
        return candidate_noticed_mark(&t->machine, rules);
    if (strcmp(path, casting->election) == 0 && rules->lock)
        return candidate_noticed_lock(&t->machine, rules);
    if (strcmp(path, casting->election) == 0 && notice == NOTICE_CHILDREN &&
        rules->manner->watches == WHOM_CHILDREN)
        return candidate_noticed_directory(&t->machine, rules);
    return (struct candidate_asks){.count = 0};
}

static void on_notice(void *context, enum session_notice notice, const char *path)
{
    struct crew *crew = context;
    struct session *session = crew->session;
    if (crew->count == 0)
        return;
    const char *name = strrchr(path, '/') + 1, *election = crew->candidates[0].casting->election;
    size_t front = (size_t)(name - path) - 1;
    bool inside = strlen(election) == front && strncmp(path, election, front) == 0;
    int64_t number = inside ? recipe_sequence_of(name) : SEQUENCE_NONE;
    if (crew->options->listener.noticed)
        crew->options->listener.noticed(crew->options->context, number);
    for (size_t i = 0; i < crew->count && crew->session == session; i++) {
        struct test_candidate *t = &crew->candidates[i];
        if (number == SEQUENCE_NONE || t->machine.awaited == number)
            crew_perform(t, noticed(t, notice, path, number));
    }
}

static bool session_begin(struct crew *crew)
{
    static const struct session_listener listener = {.state = on_state, .notice = on_notice};
    set_problem(crew, NULL);
    crew->session = session_open(crew->options->loop, &crew->options->session, &listener, crew);
    if (!crew->session)
        set_problem(crew, "no session: out of memory");
    return crew->session != NULL;
}

/* ---- for its owner ---- */

struct crew *crew_new(const struct crew_options *options, size_t candidates)
{
    struct crew *crew = calloc(1, sizeof *crew + candidates * sizeof *crew->candidates);
    if (!crew)
        return NULL;
    crew->options = options;
    crew->room = candidates;
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    session_end(crew, session_drop);
    for (size_t i = 0; i < crew->count; i++) {
        struct test_candidate *t = &crew->candidates[i];
        crew_delay_forget(t);
        free(t->name);
    }
    free(crew->problem);
    free(crew);
}

struct test_candidate *crew_enter(struct crew *crew, const struct casting *casting, uint32_t tag)
{
    if (crew->count == crew->room || (!crew->session && !session_begin(crew)))
        return NULL;
    struct test_candidate *t = &crew->candidates[crew->count++];
    *t = (struct test_candidate){.crew = crew, .casting = casting, .tag = tag, .told = CANDIDATE_JOINING};
    candidate_init(&t->machine);
    if (crew->connected && !crew->paused)
        crew_perform(t, candidate_connected(&t->machine, &casting->rules, true));
    return t;
}

void *crew_context(const struct crew *crew)
{
    return crew->options->context;
}

size_t crew_count(const struct crew *crew)
{
    return crew->count;
}

struct test_candidate *crew_candidate(struct crew *crew, size_t i)
{
    return &crew->candidates[i];
}

bool crew_close(struct crew *crew)
{
    bool said = crew->session && crew->connected;
    all_gone(crew, session_close);
    return said;
}

void crew_drop(struct crew *crew)
{
    all_gone(crew, session_drop);
}

void crew_pause(struct crew *crew)
{
    if (!crew->session)
        return;
    crew->paused = true;
    session_pause(crew->session);
}

void crew_resume(struct crew *crew)
{
    if (!crew->paused)
        return;
    crew->paused = false;
    session_resume(crew->session);
}

bool crew_paused(const struct crew *crew)
{
    return crew->paused;
}

struct session *crew_session(const struct crew *crew)
{
    return crew->session;
}

const char *crew_problem(const struct crew *crew)
{
    return crew->problem;
}

struct crew *crew_of(const struct test_candidate *t)
{
    return t->crew;
}

uint32_t crew_tag(const struct test_candidate *t)
{
    return t->tag;
}

const struct candidacy *crew_machine(const struct test_candidate *t)
{
    return &t->machine;
}

const char *crew_name(const struct test_candidate *t)
{
    return t->machine.own != SEQUENCE_NONE && !t->casting->rules.lock ? t->name : NULL;
}

void crew_resign(struct test_candidate *t)
{
    if (!t->crew->paused)
        crew_perform(t, candidate_resign(&t->machine, &t->casting->rules));
}

void crew_volunteer(struct test_candidate *t)
{
    struct crew *crew = t->crew;
    if (crew->paused || t->machine.standing)
        return;
    if (!crew->session && !session_begin(crew))
        return;
    crew_perform(t, candidate_volunteer(&t->machine, &t->casting->rules));
}
