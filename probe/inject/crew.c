#include "probe/inject/crew.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/recipe.h"
#include "probe/inject/crew_asks.h"
#include "probe/inject/crew_session.h"
#include "probe/inject/crew_state.h"

/* ---- what the session brings ---- */

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct crew *crew = context;
    struct session *session = crew->session;
    crew_set_problem(crew, state == CONNECTION_CONNECTED ? NULL : problem);
    crew_set_connected(crew, state);
    if (state == CONNECTION_REFUSED) {
        crew_all_gone(crew, session_close);
        return;
    }
    for (size_t i = 0; i < crew->count && crew->session == session; i++) {
        struct test_candidate *t = &crew->candidates[i];
        if (state == CONNECTION_CONNECTED) {
            crew_perform(t, candidate_connected(&t->machine, &t->casting->rules, renewed));
        } else {
            candidate_disconnected(&t->machine);
            crew_tell(t);
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

static const struct session_listener listener = {.state = on_state, .notice = on_notice};

/* ---- for its owner ---- */

struct crew *crew_new(const struct crew_options *options, size_t candidates)
{
    struct crew *crew = calloc(1, sizeof *crew + candidates * sizeof *crew->candidates);
    if (!crew)
        return NULL;
    crew->options = options;
    crew->brings = &listener;
    crew->room = candidates;
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    crew_session_end(crew, session_drop);
    for (size_t i = 0; i < crew->count; i++) {
        struct test_candidate *t = &crew->candidates[i];
        crew_delays_forget(t);
        free(t->name);
    }
    free(crew->problem);
    free(crew);
}

struct test_candidate *crew_enter(struct crew *crew, const struct casting *casting, uint32_t tag)
{
    if (crew->count == crew->room || (!crew->session && !crew_session_begin(crew)))
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
    crew_all_gone(crew, session_close);
    return said;
}

void crew_drop(struct crew *crew)
{
    crew_all_gone(crew, session_drop);
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
    for (size_t i = 0; i < crew->count && crew->connected; i++) { /* who came on meanwhile */
        struct test_candidate *t = &crew->candidates[i];
        if (!t->machine.connected && t->machine.standing)
            crew_perform(t, candidate_connected(&t->machine, &t->casting->rules, false));
    }
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
    if (!crew->session && !crew_session_begin(crew))
        return;
    crew_perform(t, candidate_volunteer(&t->machine, &t->casting->rules));
}

void crew_look(struct test_candidate *t)
{
    if (!t->crew->paused)
        crew_perform(t, candidate_noticed_directory(&t->machine, &t->casting->rules));
}
