#include "probe/inject/test_candidate.h"

#include <stdlib.h>
#include <string.h>

#include "probe/inject/crew.h"
#include "probe/inject/naming.h"

/* A crew of one, with copies of what it borrows. */
struct alone {
    struct crew_options options;
    struct casting casting;
    struct crew *crew;
    test_candidate_fn fn;
    void *context;
    char *texts[6];
    size_t text_count;
};

static void on_changed(void *context, struct test_candidate *t)
{
    struct alone *alone = context;
    if (alone->fn)
        alone->fn(alone->context, t, test_candidate_state(t));
}

/* NULL for NULL, and where there is no memory; that is seen in text_count. */
static const char *keep(struct alone *alone, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (copy)
        alone->texts[alone->text_count++] = copy;
    return copy;
}

static void alone_free(struct alone *alone)
{
    if (!alone)
        return;
    crew_free(alone->crew);
    for (size_t i = 0; i < alone->text_count; i++)
        free(alone->texts[i]);
    free(alone);
}

struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct test_candidate_options *options,
                                          test_candidate_fn fn, void *context)
{
    struct alone *alone = calloc(1, sizeof *alone);
    if (!alone)
        return NULL;
    const char *name = options->name ? options->name : "";
    const char *mark_data = options->mark_data ? options->mark_data : options->data;
    alone->casting = (struct casting){
        .guard = options->guard,
        .election = keep(alone, options->election),
        .name = keep(alone, name),
        .data = keep(alone, options->data),
        .mark = keep(alone, options->mark),
        .mark_data = keep(alone, mark_data),
        .rules = {.manner = behaviour_manner(options->behaviour),
                  .lock = options->lock,
                  .mark = options->mark != NULL,
                  .findable = name_is_unique(name, true)},
        .slow_ms = options->slow_ms,
    };
    alone->options = (struct crew_options){
        .loop = loop,
        .session = {.hosts = keep(alone, options->hosts), .timeout_ms = options->timeout_ms},
        .listener = {.changed = on_changed},
        .context = alone,
    };
    bool kept = alone->text_count == 5 + (size_t)(options->mark != NULL);
    alone->crew = kept ? crew_new(&alone->options, 1) : NULL;
    struct test_candidate *t = alone->crew ? crew_enter(alone->crew, &alone->casting, 0) : NULL;
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
    return crew_machine(t)->state;
}

const char *test_candidate_name(const struct test_candidate *t)
{
    return crew_name(t);
}

bool test_candidate_acknowledged(const struct test_candidate *t)
{
    return crew_machine(t)->acknowledged;
}

uint64_t test_candidate_session(const struct test_candidate *t)
{
    struct session *session = crew_session(crew_of(t));
    return session ? session_id(session) : 0;
}

bool test_candidate_is_paused(const struct test_candidate *t)
{
    return crew_paused(crew_of(t));
}

const char *test_candidate_problem(const struct test_candidate *t)
{
    return crew_problem(crew_of(t));
}

void test_candidate_depart(struct test_candidate *t, enum departure how)
{
    switch (how) {
    case DEPART_CLOSE:
        crew_close(crew_of(t));
        break;
    case DEPART_DROP:
        crew_drop(crew_of(t));
        break;
    case DEPART_PAUSE:
        crew_pause(crew_of(t));
        break;
    case DEPART_RESIGN:
    case DEPART_COUNT:
        crew_resign(t);
        break;
    }
}

void test_candidate_resume(struct test_candidate *t)
{
    crew_resume(crew_of(t));
}

void test_candidate_volunteer(struct test_candidate *t)
{
    crew_volunteer(t);
}

void test_candidate_free(struct test_candidate *t)
{
    if (t)
        alone_free(crew_context(crew_of(t)));
}
