#include "probe/candidate/test_candidate.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/naming.h"
#include "probe/candidate/test_candidate_state.h"
#include "probe/election/recipe.h"

/* The options of a candidate that has its own session. */
struct alone {
    struct candidate_session_options session_options;
    struct candidate_options options;
    char *texts[5]; /* of the candidate's options */
    size_t text_count;
};

/* NULL for NULL. */
static const char *alone_keep(struct alone *alone, const char *text)
{
    return text ? (alone->texts[alone->text_count++] = xstrdup(text)) : NULL;
}

static void alone_free(struct alone *alone)
{
    for (size_t i = 0; alone && i < alone->text_count; i++)
        free(alone->texts[i]);
    free(alone);
}

void candidate_session_report(struct test_candidate *t)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    if (t->reported == t->candidacy.state && t->reported_acknowledged == t->candidacy.acknowledged)
        return;
    t->reported = t->candidacy.state;
    t->reported_acknowledged = t->candidacy.acknowledged;
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

/* Outstanding answers of the session no longer matter. */
static void candidate_session_detach(struct candidate_session *candidate_session,
                                     void (*how)(struct session *))
{
    struct session *session = candidate_session->session;
    for (size_t i = 0; i < candidate_session->count; i++)
        candidate_disconnected(&candidate_session->candidates[i].candidacy); /* answers still owed are void */
    if (session)
        how(session);
    candidate_session->session = NULL;
    candidate_session->paused = false;
    if (session && candidate_session->connected)
        candidate_session_set_connected(candidate_session, CONNECTION_CONNECTING);
}

void candidate_session_end(struct candidate_session *candidate_session, void (*how)(struct session *))
{
    candidate_session_detach(candidate_session, how);
    for (size_t i = 0; i < candidate_session->count; i++) {
        candidate_gone(&candidate_session->candidates[i].candidacy);
        candidate_session_report(&candidate_session->candidates[i]);
    }
}

/* ---- events of the session ---- */

static void candidate_session_on_state(void *context, enum connection_state state, bool renewed,
                                       const char *problem)
{
    struct candidate_session *candidate_session = context;
    struct session *session = candidate_session->session;
    candidate_session_set_problem(candidate_session, state == CONNECTION_CONNECTED ? NULL : problem);
    candidate_session_set_connected(candidate_session, state);
    if (state == CONNECTION_REFUSED) {
        candidate_session_end(candidate_session, session_close);
        return;
    }
    for (size_t i = 0; i < candidate_session->count && candidate_session->session == session; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        if (state == CONNECTION_CONNECTED) {
            candidate_io_perform(t, candidate_connected(&t->candidacy, t->options, renewed));
        } else {
            candidate_disconnected(&t->candidacy);
            candidate_session_report(t);
        }
    }
}

/* The effect of a notification on one candidate. */
static struct candidate_asks noticed(struct test_candidate *t, enum session_notice notice, const char *path,
                                     int64_t number)
{
    const struct candidate_options *options = t->options;
    bool is_election = strcmp(path, options->election) == 0;
    if (number != SEQUENCE_NONE)
        return candidate_noticed(&t->candidacy, options, number);
    if (options->ack && strcmp(path, options->ack) == 0)
        return candidate_noticed_ack(&t->candidacy, options);
    if (is_election && options->lock)
        return candidate_noticed_lock(&t->candidacy, options);
    if (is_election && notice == NOTICE_CHILDREN &&
        behaviour_rules_of(options->behaviour)->watches == WHOM_CHILDREN)
        return candidate_noticed_directory(&t->candidacy, options);
    return (struct candidate_asks){.count = 0};
}

static void candidate_session_on_notice(void *context, enum session_notice notice, const char *path)
{
    struct candidate_session *candidate_session = context;
    struct session *session = candidate_session->session;
    if (candidate_session->count == 0)
        return;
    const char *name = strrchr(path, '/') + 1, *election = candidate_session->candidates[0].options->election;
    size_t length = (size_t)(name - path) - 1;
    bool inside = strlen(election) == length && strncmp(path, election, length) == 0;
    int64_t number = inside ? recipe_sequence_of(name) : SEQUENCE_NONE;
    if (candidate_session->options->listener.noticed)
        candidate_session->options->listener.noticed(candidate_session->options->context, number);
    for (size_t i = 0; i < candidate_session->count && candidate_session->session == session; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        if (number == SEQUENCE_NONE || t->candidacy.awaited == number)
            candidate_io_perform(t, noticed(t, notice, path, number));
    }
}

static const struct session_listener session_events = {.state = candidate_session_on_state,
                                                       .notice = candidate_session_on_notice};

/* False: no descriptor is left. */
static bool candidate_session_begin(struct candidate_session *candidate_session)
{
    candidate_session_set_problem(candidate_session, NULL);
    candidate_session->session =
        session_open(candidate_session->options->loop, &candidate_session->options->session, &session_events,
                     candidate_session);
    if (!candidate_session->session)
        candidate_session_set_problem(
            candidate_session, "no file descriptor is left; raise the limit of open files (ulimit -n)");
    return candidate_session->session != NULL;
}

void candidate_session_renew(struct candidate_session *candidate_session)
{
    candidate_session_detach(candidate_session, session_close);
    if (!candidate_session_begin(candidate_session))
        candidate_session_end(candidate_session, session_drop);
}

/* ---- a session, for its owner ---- */

struct candidate_session *candidate_session_new(const struct candidate_session_options *options,
                                                size_t candidates)
{
    struct candidate_session *candidate_session =
        xcalloc(1, sizeof *candidate_session + candidates * sizeof *candidate_session->candidates);
    candidate_session->options = options;
    candidate_session->room = candidates;
    return candidate_session;
}

void candidate_session_free(struct candidate_session *candidate_session)
{
    if (!candidate_session)
        return;
    candidate_session_detach(candidate_session, session_drop);
    for (size_t i = 0; i < candidate_session->count; i++) {
        struct test_candidate *t = &candidate_session->candidates[i];
        candidate_io_forget_delays(t);
        free(t->name);
    }
    free(candidate_session->problem);
    alone_free(candidate_session->alone);
    free(candidate_session);
}

struct test_candidate *candidate_session_enter(struct candidate_session *candidate_session,
                                               const struct candidate_options *options, uint32_t tag)
{
    if (candidate_session->count == candidate_session->room ||
        (!candidate_session->session && !candidate_session_begin(candidate_session)))
        return NULL;
    struct test_candidate *t = &candidate_session->candidates[candidate_session->count++];
    *t = (struct test_candidate){.candidate_session = candidate_session,
                                 .options = options,
                                 .tag = tag,
                                 .reported = CANDIDATE_JOINING};
    candidate_init(&t->candidacy);
    if (candidate_session->connected && !candidate_session->paused)
        candidate_io_perform(t, candidate_connected(&t->candidacy, options, true));
    return t;
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
    candidate_session_end(candidate_session, session_close);
    return said;
}

void candidate_session_drop(struct candidate_session *candidate_session)
{
    candidate_session_end(candidate_session, session_drop);
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
        if (!t->candidacy.connected && t->candidacy.volunteers)
            candidate_io_perform(t, candidate_connected(&t->candidacy, t->options, false));
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

/* ---- one candidate ---- */

struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct session_options *session,
                                          const struct candidate_options *options)
{
    struct alone *alone = xcalloc(1, sizeof *alone);
    alone->session_options = (struct candidate_session_options){.loop = loop, .session = *session};
    alone->options = *options;
    alone->options.election = alone_keep(alone, options->election);
    alone->options.name = alone_keep(alone, options->name);
    alone->options.data = alone_keep(alone, options->data);
    alone->options.ack = alone_keep(alone, options->ack);
    alone->options.ack_data = alone_keep(alone, options->ack_data);
    alone->options.findable = name_is_unique(options->name ? options->name : "", true);
    struct candidate_session *candidate_session = candidate_session_new(&alone->session_options, 1);
    candidate_session->alone = alone;
    struct test_candidate *t = candidate_session_enter(candidate_session, &alone->options, 0);
    if (!t)
        candidate_session_free(candidate_session);
    return t;
}

void test_candidate_free(struct test_candidate *t)
{
    if (t)
        candidate_session_free(t->candidate_session);
}

struct candidate_session *candidate_session_of(const struct test_candidate *t)
{
    return t->candidate_session;
}

uint32_t test_candidate_tag(const struct test_candidate *t)
{
    return t->tag;
}

const struct candidacy *test_candidate_candidacy(const struct test_candidate *t)
{
    return &t->candidacy;
}

const char *test_candidate_name(const struct test_candidate *t)
{
    return t->candidacy.own != SEQUENCE_NONE && !t->options->lock ? t->name : NULL;
}

void test_candidate_kill(struct test_candidate *t, enum kill_mode how)
{
    struct candidate_session *candidate_session = t->candidate_session;
    switch (how) {
    case KILL_CLOSE:
        candidate_session_close(candidate_session);
        break;
    case KILL_DROP:
        candidate_session_drop(candidate_session);
        break;
    case KILL_PAUSE:
        if (candidate_session->session)
            session_pause(candidate_session->session);
        candidate_session->paused = candidate_session->session != NULL;
        break;
    case KILL_RESIGN:
    case KILL_COUNT:
        if (!candidate_session->paused)
            candidate_io_perform(t, candidate_resign(&t->candidacy, t->options));
        break;
    }
}

void test_candidate_volunteer(struct test_candidate *t)
{
    struct candidate_session *candidate_session = t->candidate_session;
    if (candidate_session->paused || t->candidacy.volunteers)
        return;
    if (!candidate_session->session && !candidate_session_begin(candidate_session))
        return;
    candidate_io_perform(t, candidate_volunteer(&t->candidacy, t->options));
}

void test_candidate_look(struct test_candidate *t)
{
    if (!t->candidate_session->paused)
        candidate_io_perform(t, candidate_noticed_directory(&t->candidacy, t->options));
}
