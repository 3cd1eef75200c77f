#include "probe/candidate/candidate_session.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/candidate_io.h"
#include "probe/candidate/candidate_session_state.h"
#include "probe/election/recipe.h"

void candidate_session_report(struct test_candidate *t)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    if (t->reported == t->machine.state && t->reported_acknowledged == t->machine.acknowledged)
        return;
    t->reported = t->machine.state;
    t->reported_acknowledged = t->machine.acknowledged;
    if (options->listener.changed)
        options->listener.changed(options->context, t);
}

void candidate_session_set_problem(struct candidate_session *candidate_session, const char *text)
{
    free(candidate_session->problem);
    candidate_session->problem = text ? xstrdup(text) : NULL;
}

static void candidate_session_set_connected(struct candidate_session *candidate_session,
                                            enum connection_state state)
{
    const struct candidate_session_options *options = candidate_session->options;
    bool was_connected = candidate_session->connected;
    candidate_session->connected = state == CONNECTION_CONNECTED;
    if (options->listener.connection)
        options->listener.connection(options->context, candidate_session, was_connected, state);
}

/* False: no descriptor is left. */
static bool shared_session_begin(struct candidate_session *candidate_session)
{
    candidate_session_set_problem(candidate_session, NULL);
    candidate_session->session =
        session_open(candidate_session->options->loop, &candidate_session->options->session,
                     candidate_session->brings, candidate_session);
    if (!candidate_session->session)
        candidate_session_set_problem(candidate_session,
                                      "no descriptor is left; raise the limit of open files (ulimit -n)");
    return candidate_session->session != NULL;
}

/* how: session_close or session_drop. What the session still owes means nothing any more. */
static void shared_session_end(struct candidate_session *candidate_session, void (*how)(struct session *))
{
    struct session *session = candidate_session->session;
    for (size_t i = 0; i < candidate_session->count; i++)
        candidate_disconnected(&candidate_session->candidates[i].machine); /* answers still owed are void */
    if (session)
        how(session);
    candidate_session->session = NULL;
    candidate_session->paused = false;
    if (session && candidate_session->connected)
        candidate_session_set_connected(candidate_session, CONNECTION_CONNECTING);
}

void shared_session_all_gone(struct candidate_session *candidate_session, void (*how)(struct session *))
{
    shared_session_end(candidate_session, how);
    for (size_t i = 0; i < candidate_session->count; i++) {
        candidate_gone(&candidate_session->candidates[i].machine);
        candidate_session_report(&candidate_session->candidates[i]);
    }
}

void shared_session_renew(struct candidate_session *candidate_session)
{
    shared_session_end(candidate_session, session_close);
    if (!shared_session_begin(candidate_session))
        shared_session_all_gone(candidate_session, session_drop);
}

/* ---- what the session brings ---- */

static void candidate_session_on_state(void *context, enum connection_state state, bool renewed,
                                       const char *problem)
{
    struct candidate_session *candidate_session = context;
    struct session *session = candidate_session->session;
    candidate_session_set_problem(candidate_session, state == CONNECTION_CONNECTED ? NULL : problem);
    candidate_session_set_connected(candidate_session, state);
    if (state == CONNECTION_REFUSED) {
        shared_session_all_gone(candidate_session, session_close);
        return;
    }
    for (size_t i = 0; i < candidate_session->count && candidate_session->session == session; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        if (state == CONNECTION_CONNECTED) {
            candidate_io_perform(t, candidate_connected(&t->machine, &t->candidate_options->rules, renewed));
        } else {
            candidate_disconnected(&t->machine);
            candidate_session_report(t);
        }
    }
}

/* What a notice is about, for one candidate. */
static struct candidate_asks noticed(struct test_candidate *t, enum session_notice notice, const char *path,
                                     int64_t number)
{
    const struct candidate_options *candidate_options = t->candidate_options;
    const struct candidate_rules *rules = &candidate_options->rules;
    if (number != SEQUENCE_NONE)
        return candidate_noticed(&t->machine, rules, number);
    if (candidate_options->ack && strcmp(path, candidate_options->ack) == 0)
        return candidate_noticed_ack(&t->machine, rules);
    if (strcmp(path, candidate_options->election) == 0 && rules->lock)
        return candidate_noticed_lock(&t->machine, rules);
    if (strcmp(path, candidate_options->election) == 0 && notice == NOTICE_CHILDREN &&
        rules->behaviour->watches == WHOM_CHILDREN)
        return candidate_noticed_directory(&t->machine, rules);
    return (struct candidate_asks){.count = 0};
}

static void candidate_session_on_notice(void *context, enum session_notice notice, const char *path)
{
    struct candidate_session *candidate_session = context;
    struct session *session = candidate_session->session;
    if (candidate_session->count == 0)
        return;
    const char *name = strrchr(path, '/') + 1,
               *election = candidate_session->candidates[0].candidate_options->election;
    size_t front = (size_t)(name - path) - 1;
    bool inside = strlen(election) == front && strncmp(path, election, front) == 0;
    int64_t number = inside ? recipe_sequence_of(name) : SEQUENCE_NONE;
    if (candidate_session->options->listener.noticed)
        candidate_session->options->listener.noticed(candidate_session->options->context, number);
    for (size_t i = 0; i < candidate_session->count && candidate_session->session == session; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        if (number == SEQUENCE_NONE || t->machine.awaited == number)
            candidate_io_perform(t, noticed(t, notice, path, number));
    }
}

static const struct session_listener listener = {.state = candidate_session_on_state,
                                                 .notice = candidate_session_on_notice};

/* ---- for its owner ---- */

struct candidate_session *candidate_session_new(const struct candidate_session_options *options,
                                                size_t candidates)
{
    struct candidate_session *candidate_session =
        xcalloc(1, sizeof *candidate_session + candidates * sizeof *candidate_session->candidates);
    candidate_session->options = options;
    candidate_session->brings = &listener;
    candidate_session->room = candidates;
    return candidate_session;
}

void candidate_session_free(struct candidate_session *candidate_session)
{
    if (!candidate_session)
        return;
    shared_session_end(candidate_session, session_drop);
    for (size_t i = 0; i < candidate_session->count; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        candidate_io_forget_delays(t);
        free(t->name);
    }
    free(candidate_session->problem);
    free(candidate_session);
}

struct test_candidate *candidate_session_enter(struct candidate_session *candidate_session,
                                               const struct candidate_options *candidate_options,
                                               uint32_t tag)
{
    if (candidate_session->count == candidate_session->room ||
        (!candidate_session->session && !shared_session_begin(candidate_session)))
        return NULL;
    struct test_candidate *t = &candidate_session->candidates[candidate_session->count++];
    *t = (struct test_candidate){.candidate_session = candidate_session,
                                 .candidate_options = candidate_options,
                                 .tag = tag,
                                 .reported = CANDIDATE_JOINING};
    candidate_init(&t->machine);
    if (candidate_session->connected && !candidate_session->paused)
        candidate_io_perform(t, candidate_connected(&t->machine, &candidate_options->rules, true));
    return t;
}

void *candidate_session_context(const struct candidate_session *candidate_session)
{
    return candidate_session->options->context;
}

size_t candidate_session_count(const struct candidate_session *candidate_session)
{
    return candidate_session->count;
}

struct test_candidate *candidate_session_candidate(struct candidate_session *candidate_session, size_t i)
{
    return &candidate_session->candidates[i];
}

bool candidate_session_close(struct candidate_session *candidate_session)
{
    bool said = candidate_session->session && candidate_session->connected;
    shared_session_all_gone(candidate_session, session_close);
    return said;
}

void candidate_session_drop(struct candidate_session *candidate_session)
{
    shared_session_all_gone(candidate_session, session_drop);
}

void candidate_session_pause(struct candidate_session *candidate_session)
{
    if (!candidate_session->session)
        return;
    candidate_session->paused = true;
    session_pause(candidate_session->session);
}

void candidate_session_resume(struct candidate_session *candidate_session)
{
    if (!candidate_session->paused)
        return;
    candidate_session->paused = false;
    session_resume(candidate_session->session);
    for (size_t i = 0; i < candidate_session->count && candidate_session->connected;
         i++) { /* who came on meanwhile */
        struct test_candidate *t = &candidate_session->candidates[i];
        if (!t->machine.connected && t->machine.standing)
            candidate_io_perform(t, candidate_connected(&t->machine, &t->candidate_options->rules, false));
    }
}

bool candidate_session_paused(const struct candidate_session *candidate_session)
{
    return candidate_session->paused;
}

struct session *candidate_session_session(const struct candidate_session *candidate_session)
{
    return candidate_session->session;
}

const char *candidate_session_problem(const struct candidate_session *candidate_session)
{
    return candidate_session->problem;
}

struct candidate_session *candidate_session_of(const struct test_candidate *t)
{
    return t->candidate_session;
}

uint32_t candidate_session_tag(const struct test_candidate *t)
{
    return t->tag;
}

const struct candidacy *candidate_session_machine(const struct test_candidate *t)
{
    return &t->machine;
}

const char *candidate_session_name(const struct test_candidate *t)
{
    return t->machine.own != SEQUENCE_NONE && !t->candidate_options->rules.lock ? t->name : NULL;
}

void candidate_session_resign(struct test_candidate *t)
{
    if (!t->candidate_session->paused)
        candidate_io_perform(t, candidate_resign(&t->machine, &t->candidate_options->rules));
}

void candidate_session_volunteer(struct test_candidate *t)
{
    struct candidate_session *candidate_session = t->candidate_session;
    if (candidate_session->paused || t->machine.standing)
        return;
    if (!candidate_session->session && !shared_session_begin(candidate_session))
        return;
    candidate_io_perform(t, candidate_volunteer(&t->machine, &t->candidate_options->rules));
}

void candidate_session_look(struct test_candidate *t)
{
    if (!t->candidate_session->paused)
        candidate_io_perform(t, candidate_noticed_directory(&t->machine, &t->candidate_options->rules));
}
