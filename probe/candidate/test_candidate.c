#include "probe/candidate/test_candidate.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/candidate_session.h"
#include "probe/candidate/naming.h"

/* A session with one candidate, with copies of its borrowed options. */
struct alone {
    struct candidate_session_options options;
    struct candidate_options candidate_options;
    struct candidate_session *candidate_session;
    test_candidate_fn fn;
    void *context;
    char *texts[6];
    size_t text_count;
};

static void test_candidate_on_changed(void *context, struct test_candidate *t)
{
    struct alone *alone = context;
    if (alone->fn)
        alone->fn(alone->context, t, test_candidate_state(t));
}

/* NULL for NULL. */
static const char *test_candidate_keep(struct alone *alone, const char *text)
{
    char *copy = text ? xstrdup(text) : NULL;
    if (copy)
        alone->texts[alone->text_count++] = copy;
    return copy;
}

static void alone_free(struct alone *alone)
{
    candidate_session_free(alone->candidate_session);
    for (size_t i = 0; i < alone->text_count; i++)
        free(alone->texts[i]);
    free(alone);
}

struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct test_candidate_options *options,
                                          test_candidate_fn fn, void *context)
{
    struct alone *alone = xcalloc(1, sizeof *alone);
    const char *name = options->name ? options->name : "";
    const char *ack_data = options->ack_data ? options->ack_data : options->data;
    alone->candidate_options = (struct candidate_options){
        .guard = options->guard,
        .election = test_candidate_keep(alone, options->election),
        .name = test_candidate_keep(alone, name),
        .data = test_candidate_keep(alone, options->data),
        .ack = test_candidate_keep(alone, options->ack),
        .ack_data = test_candidate_keep(alone, ack_data),
        .rules = {.behaviour = behaviour_rules_of(options->behaviour),
                  .lock = options->lock,
                  .ack = options->ack != NULL,
                  .findable = name_is_unique(name, true)},
        .slow_ms = options->slow_ms,
    };
    alone->options = (struct candidate_session_options){
        .loop = loop,
        .session = {.hosts = test_candidate_keep(alone, options->hosts),
                    .timeout_ms = options->timeout_ms,
                    .security = options->security},
        .listener = {.changed = test_candidate_on_changed},
        .context = alone,
    };
    alone->candidate_session = candidate_session_new(&alone->options, 1);
    struct test_candidate *t =
        candidate_session_enter(alone->candidate_session, &alone->candidate_options, 0);
    if (!t) {
        alone_free(alone);
        return NULL;
    }
    alone->fn = fn;
    alone->context = context;
    return t;
}

enum candidate_state test_candidate_state(const struct test_candidate *t)
{
    return candidate_session_machine(t)->state;
}

const char *test_candidate_name(const struct test_candidate *t)
{
    return candidate_session_name(t);
}

bool test_candidate_acknowledged(const struct test_candidate *t)
{
    return candidate_session_machine(t)->acknowledged;
}

uint64_t test_candidate_session(const struct test_candidate *t)
{
    struct session *session = candidate_session_session(candidate_session_of(t));
    return session ? session_id(session) : 0;
}

bool test_candidate_is_paused(const struct test_candidate *t)
{
    return candidate_session_paused(candidate_session_of(t));
}

const char *test_candidate_problem(const struct test_candidate *t)
{
    return candidate_session_problem(candidate_session_of(t));
}

void test_candidate_depart(struct test_candidate *t, enum kill_mode how)
{
    switch (how) {
    case KILL_CLOSE:
        candidate_session_close(candidate_session_of(t));
        break;
    case KILL_DROP:
        candidate_session_drop(candidate_session_of(t));
        break;
    case KILL_PAUSE:
        candidate_session_pause(candidate_session_of(t));
        break;
    case KILL_RESIGN:
    case KILL_COUNT:
        candidate_session_resign(t);
        break;
    }
}

void test_candidate_resume(struct test_candidate *t)
{
    candidate_session_resume(candidate_session_of(t));
}

void test_candidate_volunteer(struct test_candidate *t)
{
    candidate_session_volunteer(t);
}

void test_candidate_free(struct test_candidate *t)
{
    if (t)
        alone_free(candidate_session_context(candidate_session_of(t)));
}
