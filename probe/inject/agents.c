#include "probe/inject/agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "config/text.h"

#define POLL_MS 250
/* Nobody new has come for so long: all are there. */
#define QUIET_MS 3000
/* Who began together ends together, give or take how long each took to stand. */
#define PARTS_MS 180000
#define PART_MOST (512 * 1024)

struct agents {
    struct guard *guard;
    struct session *session;
    char *sandbox, *run, name[AGENT_NAME_SIZE];
    bool asking, listed, is_ready, has_gone, handed_in, failed;
    uint64_t polled_ms, changed_ms, parted_ms;
    struct agent_part known[AGENTS_MOST]; /* all that were ready */
    bool alive[AGENTS_MOST], parted[AGENTS_MOST];
    size_t count, reading;
    bool go;
    const char *problem;
};

static uint64_t now_ms(void)
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
                          const char *name)
{
    struct agents *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->guard = guard;
    a->session = session;
    a->sandbox = strdup(sandbox);
    a->run = strdup(run);
    snprintf(a->name, sizeof a->name, "%s", name);
    if (a->sandbox && a->run)
        return a;
    agents_free(a);
    return NULL;
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

static size_t find(const struct agents *a, const char *name)
{
    size_t i = 0;
    while (i < a->count && strcmp(a->known[i].name, name) != 0)
        i++;
    return i;
}

static void on_list(void *context, enum session_result result, const struct znode_stat *stat,
                    char *const *names, size_t count)
{
    (void)stat;
    struct agents *a = context;
    a->asking = false;
    if (result != SESSION_OK)
        return;
    a->listed = true;
    memset(a->alive, 0, sizeof a->alive);
    for (size_t i = 0; i < count; i++) {
        const char *ready = sign_of(a, names[i], "ready-");
        if (sign_of(a, names[i], "go") && strcmp(names[i] + strlen(a->run), ".go") == 0)
            a->go = true;
        if (!ready || a->has_gone || strlen(ready) >= AGENT_NAME_SIZE || a->count == AGENTS_MOST ||
            find(a, ready) < a->count)
            continue;
        snprintf(a->known[a->count++].name, AGENT_NAME_SIZE, "%s", ready);
        a->changed_ms = now_ms();
    }
    for (size_t i = 0; i < count; i++) {
        const char *alive = sign_of(a, names[i], "alive-"), *part = sign_of(a, names[i], "part-");
        size_t of = find(a, alive ? alive : part ? part : "");
        if (of == a->count)
            continue;
        a->alive[of] |= alive != NULL;
        a->parted[of] |= part != NULL;
    }
}

static void poll(struct agents *a)
{
    if (a->asking || now_ms() < a->polled_ms + POLL_MS)
        return;
    a->polled_ms = now_ms();
    a->asking = session_children(a->session, a->sandbox, false, on_list, a);
}

static void on_ready(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct agents *a = context;
    a->asking = false;
    a->failed = result != SESSION_OK && result != SESSION_NODE_EXISTS;
    a->changed_ms = now_ms();
}

static void on_go(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct agents *a = context;
    a->asking = false;
    a->failed = result != SESSION_OK && result != SESSION_NODE_EXISTS;
}

static bool make(struct agents *a, const char *kind, const char *name, const char *text,
                 enum create_mode mode, session_text_fn fn)
{
    char *path = sign_path(a, kind, name);
    a->asking = path && guard_create(a->guard, a->session, path, text, strlen(text), mode, NULL, fn, a);
    free(path);
    return a->asking;
}

static bool is_first(const struct agents *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->known[i].name, a->name) < 0 && a->alive[i])
            return false;
    return true;
}

enum agents_state agents_meet(struct agents *a, const char **problem)
{
    *problem = "the run's signs cannot be made in the sandbox";
    if (a->failed)
        return AGENTS_FAILED;
    if (a->asking)
        return AGENTS_WAIT;
    if (!a->listed) {
        poll(a);
    } else if (!a->is_ready) {
        *problem = "that run has begun already; take another name for --join";
        if (a->go)
            return AGENTS_FAILED;
        a->is_ready = make(a, "ready-", a->name, "", CREATE_EPHEMERAL, on_ready);
    } else if (a->go) {
        a->has_gone = true;
        return AGENTS_READY;
    } else if (a->count > 0 && now_ms() > a->changed_ms + QUIET_MS && is_first(a)) {
        make(a, "go", "", "", CREATE_PERSISTENT, on_go);
        a->changed_ms = now_ms();
    } else {
        poll(a);
    }
    return AGENTS_WAIT;
}

size_t agents_count(const struct agents *a)
{
    return a->count;
}

/* ---- the end ---- */

static void on_part_made(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct agents *a = context;
    a->asking = false;
    a->failed = result != SESSION_OK && result != SESSION_NODE_EXISTS;
    a->parted_ms = now_ms();
}

static void on_part(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    (void)stat;
    struct agents *a = context;
    a->asking = false;
    if (result == SESSION_LOST)
        return; /* asked again: it has not died of that */
    if (result == SESSION_OK)
        a->known[a->reading].text = text_format("%.*s", data && length <= PART_MOST ? (int)length : 0,
                                                data ? (const char *)data : "");
    a->reading++;
}

enum agents_state agents_part(struct agents *a, const char *text, const char **problem)
{
    *problem = "the parts of the other agents could not be had";
    if (a->failed || strlen(text) > PART_MOST)
        return AGENTS_FAILED;
    if (a->asking)
        return AGENTS_WAIT;
    if (!a->handed_in) {
        a->handed_in = make(a, "part-", a->name, text, CREATE_PERSISTENT, on_part_made);
        a->listed = false;
        return AGENTS_WAIT;
    }
    bool late = now_ms() > a->parted_ms + PARTS_MS, all = a->listed;
    for (size_t i = 0; i < a->count; i++)
        all = all && (a->parted[i] || !a->alive[i]);
    if (!all && !late) {
        poll(a);
        return AGENTS_WAIT;
    }
    while (a->reading < a->count && !a->parted[a->reading])
        a->reading++;
    if (a->reading == a->count)
        return AGENTS_READY;
    char *path = sign_path(a, "part-", a->known[a->reading].name);
    a->asking = path && session_get(a->session, path, false, on_part, a);
    free(path);
    return AGENTS_WAIT;
}

const struct agent_part *agents_parts(const struct agents *a, size_t *count)
{
    *count = a->count;
    return a->known;
}
