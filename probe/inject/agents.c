#include "probe/inject/agents.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/guard.h"

#define POLL_MS 250
/* No new agent has come for so long: all are there. */
#define QUIET_MS 3000
/* Agents that began together end together: so long the first one waits at most for the last. */
#define OVER_MS 180000
#define FOR_MOST_MS (INT64_C(1000) * 86400000)
#define RESULT_MOST (512 * 1024)

struct agents {
    struct guard *guard;
    struct session *session;
    char *sandbox, *run, name[AGENT_NAME_SIZE];
    bool asking, listed, is_ready, go, has_begun, is_over, handed_in, failed;
    bool *making; /* which of these is true once the sign that is being made is there */
    uint64_t polled_ms, changed_ms, over_ms, parted_ms;
    int64_t for_ms, longest_ms;
    struct agent_part known[AGENTS_MOST]; /* all that were ready */
    bool over[AGENTS_MOST], parted[AGENTS_MOST];
    size_t count, heard, reading; /* heard: the number of agents that have written their duration */
};

static uint64_t agents_now_ms(void)
{
    return uv_hrtime() / 1000000;
}

void agent_name(char name[AGENT_NAME_SIZE])
{
    char host[64] = "host";
    gethostname(host, sizeof host - 1);
    for (char *at = host; *at; at++) /* a name of one component, without the dots that part signs from runs */
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')))
            *at = '-';
    snprintf(name, AGENT_NAME_SIZE, "%s-%ld", host, (long)getpid());
}

struct agents *agents_new(struct guard *guard, struct session *session, const char *sandbox, const char *run,
                          const char *name, int64_t for_ms)
{
    struct agents *a = xcalloc(1, sizeof *a);
    a->guard = guard;
    a->session = session;
    a->for_ms = a->longest_ms = for_ms;
    a->sandbox = xstrdup(sandbox);
    a->run = xstrdup(run);
    snprintf(a->name, sizeof a->name, "%s", name);
    return a;
}

void agents_free(struct agents *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++)
        free(a->known[i].text);
    free(a->sandbox);
    free(a->run);
    free(a);
}

static char *sign_path(const struct agents *a, const char *kind, const char *name)
{
    return text_format("%s/%s.%s%s", a->sandbox, a->run, kind, name);
}

/* The agent that such a sign is of, or NULL. */
static const char *sign_of(const struct agents *a, const char *name, const char *kind)
{
    size_t run = strlen(a->run), length = strlen(kind);
    return strncmp(name, a->run, run) == 0 && name[run] == '.' && strncmp(name + run + 1, kind, length) == 0
               ? name + run + 1 + length
               : NULL;
}

static size_t agents_find(const struct agents *a, const char *name)
{
    size_t i = 0;
    while (i < a->count && strcmp(a->known[i].name, name) != 0)
        i++;
    return i;
}

/* Until all begin, an agent that ends removes its marker, and has no part in the run. */
static void forget_who_left(struct agents *a, char *const *names, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < count && !is_there; j++) {
            const char *ready = sign_of(a, names[j], "ready-");
            is_there = ready && strcmp(ready, a->known[i].name) == 0;
        }
        if (is_there)
            a->known[kept++] = a->known[i];
    }
    if (kept == a->count)
        return;
    a->count = kept;
    a->heard = 0;
    a->longest_ms = a->for_ms;
}

static void agents_on_list(void *context, const struct session_answer *answer)
{
    struct agents *a = context;
    a->asking = false;
    if (answer->result != SESSION_OK)
        return;
    a->listed = true;
    if (!a->has_begun)
        forget_who_left(a, answer->names, answer->count);
    for (size_t i = 0; i < a->count; i++)
        a->known[i].alive = false;
    for (size_t i = 0; i < answer->count; i++) {
        const char *ready = sign_of(a, answer->names[i], "ready-");
        if (sign_of(a, answer->names[i], "go") && strcmp(answer->names[i] + strlen(a->run), ".go") == 0)
            a->go = true;
        if (!ready || a->has_begun || strlen(ready) >= AGENT_NAME_SIZE || a->count == AGENTS_MOST ||
            agents_find(a, ready) < a->count)
            continue;
        snprintf(a->known[a->count++].name, AGENT_NAME_SIZE, "%s", ready);
        a->changed_ms = agents_now_ms();
    }
    for (size_t i = 0; i < answer->count; i++) {
        const char *alive = sign_of(a, answer->names[i], "alive-"),
                   *over = sign_of(a, answer->names[i], "over-"),
                   *part = sign_of(a, answer->names[i], "part-");
        size_t of = agents_find(a, alive ? alive : over ? over : part ? part : "");
        if (of == a->count)
            continue;
        a->known[of].alive |= alive != NULL;
        a->over[of] |= over != NULL;
        a->parted[of] |= part != NULL;
    }
}

static void poll(struct agents *a)
{
    if (a->asking || agents_now_ms() < a->polled_ms + POLL_MS)
        return;
    a->polled_ms = agents_now_ms();
    a->asking = session_children(a->session, a->sandbox, false, agents_on_list, a);
}

static void agents_on_made(void *context, const struct session_answer *answer)
{
    struct agents *a = context;
    bool made = answer->result == SESSION_OK || answer->result == SESSION_NODE_EXISTS;
    a->asking = false;
    *a->making = made;
    a->failed = !made && answer->result != SESSION_LOST; /* lost: once more */
    a->changed_ms = agents_now_ms();
}

static void make(struct agents *a, bool *made, const char *kind, const char *name, const char *text,
                 enum create_mode mode)
{
    char *path = sign_path(a, kind, name);
    a->making = made;
    a->asking = guard_create(a->guard, a->session, path, text, strlen(text), mode, NULL, agents_on_made, a);
    free(path);
}

static void agents_ask(struct agents *a, const char *kind, const char *name, session_answer_fn fn)
{
    char *path = sign_path(a, kind, name);
    a->asking = session_get(a->session, path, false, fn, a);
    free(path);
}

static bool agents_is_first(const struct agents *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->known[i].name, a->name) < 0 && a->known[i].alive)
            return false;
    return true;
}

/* ---- how long: the longest that anybody would ---- */

#define FOR_WORD "for "

/* The duration in an agent's znode, which may hold a stranger's bytes; 0: none. */
static int64_t for_of(const void *data, size_t length)
{
    char text[64] = "";
    if (data && length < sizeof text)
        memcpy(text, data, length);
    const char *at = strstr(text, FOR_WORD);
    long long ms = at ? strtoll(at + strlen(FOR_WORD), NULL, 10) : 0;
    return ms > 0 && ms <= FOR_MOST_MS ? ms : 0;
}

static void on_length(void *context, const struct session_answer *answer)
{
    struct agents *a = context;
    a->asking = false;
    if (answer->result == SESSION_LOST)
        return; /* asked again */
    int64_t ms = answer->result == SESSION_OK ? for_of(answer->data, answer->length) : 0;
    a->longest_ms = ms > a->longest_ms ? ms : a->longest_ms;
    a->heard++;
}

static void on_begun(void *context, const struct session_answer *answer)
{
    struct agents *a = context;
    a->asking = false;
    if (answer->result == SESSION_LOST)
        return;
    int64_t ms = answer->result == SESSION_OK ? for_of(answer->data, answer->length) : 0;
    a->for_ms = ms ? ms : a->for_ms;
    a->has_begun = true;
}

static void make_ready(struct agents *a)
{
    char *text = text_format(FOR_WORD "%" PRId64, a->for_ms);
    make(a, &a->is_ready, "ready-", a->name, text, CREATE_EPHEMERAL);
    free(text);
}

static void make_go(struct agents *a)
{
    char *text = text_format(RUN_MARKER "\n" FOR_WORD "%" PRId64, a->longest_ms);
    make(a, &a->go, "go", "", text, CREATE_PERSISTENT);
    free(text);
}

/* ---- the beginning ---- */

enum agents_state agents_meet(struct agents *a, const char **problem)
{
    *problem = "the run's markers cannot be created in the sandbox";
    if (a->failed)
        return AGENTS_FAILED;
    if (a->has_begun)
        return AGENTS_READY;
    if (a->asking)
        return AGENTS_WAIT;
    if (!a->listed) {
        poll(a);
    } else if (!a->is_ready) {
        *problem = "that run has already started; use another name for --join";
        if (a->go)
            return AGENTS_FAILED;
        make_ready(a);
    } else if (a->go) {
        agents_ask(a, "go", "", on_begun);
    } else if (a->count > 0 && agents_now_ms() > a->changed_ms + QUIET_MS && agents_is_first(a)) {
        if (a->heard < a->count)
            agents_ask(a, "ready-", a->known[a->heard].name, on_length);
        else
            make_go(a);
    } else {
        poll(a);
    }
    return AGENTS_WAIT;
}

int64_t agents_for_ms(const struct agents *a)
{
    return a->for_ms;
}

size_t agents_count(const struct agents *a)
{
    return a->count;
}

/* ---- the end ---- */

enum agents_state agents_over(struct agents *a)
{
    if (a->asking)
        return AGENTS_WAIT;
    if (!a->is_over) {
        a->over_ms = a->over_ms ? a->over_ms : agents_now_ms();
        make(a, &a->is_over, "over-", a->name, "", CREATE_EPHEMERAL);
        a->listed = false;
    }
    bool all = a->listed;
    for (size_t i = 0; i < a->count; i++)
        all = all && (a->over[i] || a->parted[i] || !a->known[i].alive);
    if (all || a->failed || agents_now_ms() > a->over_ms + OVER_MS)
        return AGENTS_READY;
    poll(a);
    return AGENTS_WAIT;
}

static void on_part(void *context, const struct session_answer *answer)
{
    struct agents *a = context;
    a->asking = false;
    if (answer->result == SESSION_LOST)
        return; /* asked again: it has not died of that */
    if (answer->result == SESSION_OK)
        a->known[a->reading].text =
            text_format("%.*s", answer->data && answer->length <= RESULT_MOST ? (int)answer->length : 0,
                        answer->data ? (const char *)answer->data : "");
    a->reading++;
}

enum agents_state agents_part(struct agents *a, const char *text, uint64_t patience_ms, const char **problem)
{
    *problem = "the results of the other agents could not be read";
    if (a->failed || strlen(text) > RESULT_MOST)
        return AGENTS_FAILED;
    if (a->asking)
        return AGENTS_WAIT;
    if (!a->handed_in) {
        make(a, &a->handed_in, "part-", a->name, text, CREATE_PERSISTENT);
        a->parted_ms = agents_now_ms();
        a->listed = false;
        return AGENTS_WAIT;
    }
    bool late = agents_now_ms() > a->parted_ms + patience_ms, all = a->listed;
    for (size_t i = 0; i < a->count; i++)
        all = all && (a->parted[i] || !a->known[i].alive);
    if (!all && !late) {
        poll(a);
        return AGENTS_WAIT;
    }
    while (a->reading < a->count && !a->parted[a->reading])
        a->reading++;
    if (a->reading == a->count)
        return AGENTS_READY;
    agents_ask(a, "part-", a->known[a->reading].name, on_part);
    return AGENTS_WAIT;
}

const struct agent_part *agents_parts(const struct agents *a, size_t *count)
{
    *count = a->count;
    return a->known;
}
