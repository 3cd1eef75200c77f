#include "tests/support/fake_servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATHS_MOST 16

struct one {
    uint64_t id;
    unsigned server; /* from 1; 0: none */
    char address[64];
    int64_t established_ms, heard_ms, cxid, zxid;
    int64_t touched_ms; /* the observer's: it was connected, and not silent */
    const char *operation;
    int timeout_ms, outstanding;
    bool silent, alive, listed;
    char *paths[PATHS_MOST];
    size_t path_count;
};

struct fake_servers {
    struct one *ones;
    size_t count, server_count;
    int64_t own_zxid, own_children, child_watches; /* of each server */
    uint64_t own_session;
    int tick_ms;
};

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fake_servers: %s\n", what);
    abort();
}

struct fake_servers *fake_servers_new(size_t count)
{
    struct fake_servers *s = calloc(1, sizeof *s);
    must(s != NULL, "no memory");
    s->server_count = count;
    return s;
}

static void forget_watches(struct one *one)
{
    for (size_t i = 0; i < one->path_count; i++)
        free(one->paths[i]);
    one->path_count = 0;
}

void fake_servers_free(struct fake_servers *s)
{
    for (size_t i = 0; i < s->count; i++)
        forget_watches(&s->ones[i]);
    free(s->ones);
    free(s);
}

static struct one *find(const struct fake_servers *s, uint64_t session)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->ones[i].id == session)
            return &s->ones[i];
    return NULL;
}

static struct one *of(const struct fake_servers *s, uint64_t session)
{
    struct one *one = find(s, session);
    must(one != NULL, "no such session");
    return one;
}

void fake_servers_connect(struct fake_servers *s, uint64_t session, unsigned server, const char *address,
                          int64_t now_ms)
{
    must(server >= 1 && server <= s->server_count, "no such server");
    struct one *one = find(s, session);
    if (!one) {
        struct one *ones = realloc(s->ones, (s->count + 1) * sizeof *ones);
        must(ones != NULL, "no memory");
        s->ones = ones;
        one = &ones[s->count++];
        *one = (struct one){.id = session, .timeout_ms = 10000, .zxid = 1};
    }
    one->alive = true;
    one->server = server;
    one->established_ms = one->heard_ms = now_ms;
    one->cxid = 1;
    one->listed = one->path_count > 0; /* a client sets its watches again */
    snprintf(one->address, sizeof one->address, "%s", address);
}

void fake_servers_away(struct fake_servers *s, uint64_t session)
{
    of(s, session)->server = 0;
}

void fake_servers_end(struct fake_servers *s, uint64_t session)
{
    struct one *one = of(s, session);
    one->server = 0;
    one->alive = false;
    forget_watches(one);
}

void fake_servers_timeout(struct fake_servers *s, uint64_t session, int timeout_ms)
{
    of(s, session)->timeout_ms = timeout_ms;
}

void fake_servers_silent(struct fake_servers *s, uint64_t session, bool silent)
{
    of(s, session)->silent = silent;
}

void fake_servers_request(struct fake_servers *s, uint64_t session)
{
    of(s, session)->cxid++;
}

void fake_servers_outstanding(struct fake_servers *s, uint64_t session, int outstanding)
{
    of(s, session)->outstanding = outstanding;
}

void fake_servers_did(struct fake_servers *s, uint64_t session, const char *operation, int64_t zxid)
{
    struct one *one = of(s, session);
    one->operation = operation;
    one->zxid = zxid;
    one->cxid++;
}

void fake_servers_own(struct fake_servers *s, uint64_t session)
{
    s->own_session = session;
}

void fake_servers_caught_up(struct fake_servers *s, int64_t zxid)
{
    s->own_zxid = zxid;
}

void fake_servers_own_children(struct fake_servers *s, int64_t count)
{
    s->own_children = count;
}

void fake_servers_child_watches(struct fake_servers *s, int64_t count)
{
    s->child_watches = count;
}

void fake_servers_tick(struct fake_servers *s, int tick_ms)
{
    s->tick_ms = tick_ms;
}

/* Connected sessions ping all the time. */
static void touch_all(struct fake_servers *s, struct moment at)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->ones[i].server != 0 && !s->ones[i].silent)
            s->ones[i].touched_ms = at.mono_us / 1000;
}

bool fake_servers_has_watch(const struct fake_servers *s, uint64_t session, const char *path)
{
    const struct one *one = find(s, session);
    for (size_t i = 0; one && i < one->path_count; i++)
        if (strcmp(one->paths[i], path) == 0)
            return true;
    return false;
}

void fake_servers_watch(struct fake_servers *s, uint64_t session, const char *path)
{
    struct one *one = of(s, session);
    if (fake_servers_has_watch(s, session, path))
        return;
    must(one->path_count < PATHS_MOST, "too many watches");
    one->paths[one->path_count] = strdup(path);
    must(one->paths[one->path_count++] != NULL, "no memory");
    one->listed = true;
    one->cxid++;
}

void fake_servers_unwatch(struct fake_servers *s, uint64_t session, const char *path)
{
    struct one *one = find(s, session);
    for (size_t i = 0; one && i < one->path_count; i++)
        if (strcmp(one->paths[i], path) == 0) {
            free(one->paths[i]);
            one->paths[i] = one->paths[--one->path_count];
            return;
        }
}

void fake_servers_fire(struct fake_servers *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        fake_servers_unwatch(s, s->ones[i].id, path);
}

static const char *address_of(unsigned server, char *buffer, size_t size)
{
    snprintf(buffer, size, "zk%u:2181", server);
    return buffer;
}

/* The server's monotonic clock is not the observer's. */
static int64_t server_ms(struct moment at, unsigned server)
{
    return at.mono_us / 1000 + 500000 * (int64_t)server;
}

void fake_servers_connections(struct fake_servers *s, struct model *model, struct moment at, unsigned server)
{
    char address[32];
    struct seen_connection *list = calloc(s->count + 1, sizeof *list);
    size_t count = 0;
    must(list != NULL, "no memory");
    touch_all(s, at);
    for (size_t i = 0; i < s->count; i++) {
        struct one *one = &s->ones[i];
        if (one->server != server)
            continue;
        if (!one->silent)
            one->heard_ms = at.mono_us / 1000;
        list[count++] = (struct seen_connection){.session = one->id,
                                                 .client = one->address,
                                                 .established_ms = one->established_ms,
                                                 .last_response_ms = one->heard_ms + 500000 * (int64_t)server,
                                                 .last_cxid = one->cxid,
                                                 .last_zxid = one->zxid,
                                                 .last_operation = one->operation,
                                                 .timeout_ms = one->timeout_ms,
                                                 .outstanding = one->outstanding};
    }
    struct observation o = {.kind = OBSERVED_CONNECTIONS, .at = at};
    o.connections = (struct observed_connections){.address = address_of(server, address, sizeof address),
                                                  .list = list,
                                                  .count = count,
                                                  .now_ms = server_ms(at, server),
                                                  .own_children = s->own_children,
                                                  .own_sessions = &s->own_session,
                                                  .own_session_count = s->own_session != 0,
                                                  .own_zxid = s->own_zxid};
    model_observe(model, &o);
    free(list);
}

void fake_servers_watch_list(struct fake_servers *s, struct model *model, struct moment at, unsigned server,
                             int64_t child_watches, uint32_t source)
{
    char address[32];
    struct seen_watches *list = calloc(s->count + 1, sizeof *list);
    size_t count = 0;
    must(list != NULL, "no memory");
    for (size_t i = 0; i < s->count; i++)
        if (s->ones[i].server == server && s->ones[i].listed)
            list[count++] = (struct seen_watches){s->ones[i].id, (const char *const *)s->ones[i].paths,
                                                  s->ones[i].path_count, NULL};
    struct observation o = {.kind = OBSERVED_WATCHES, .at = at};
    o.watches = (struct observed_watches){.address = address_of(server, address, sizeof address),
                                          .from = "adminserver",
                                          .source = source,
                                          .list = list,
                                          .count = count,
                                          .child_watches = child_watches,
                                          .counted_us = at.mono_us > 0 ? at.mono_us : 1};
    model_observe(model, &o);
    free(list);
}

void fake_servers_sessions(struct fake_servers *s, struct model *model, struct moment at)
{
    struct seen_session *list = calloc(s->count + 1, sizeof *list);
    size_t count = 0;
    must(list != NULL, "no memory");
    touch_all(s, at);
    for (size_t i = 0; i < s->count; i++) {
        struct one *one = &s->ones[i];
        int64_t end_ms = one->touched_ms + server_ms((struct moment){0}, 1) + one->timeout_ms;
        if (s->tick_ms > 0)
            end_ms = (end_ms / s->tick_ms + 1) * s->tick_ms;
        if (one->alive)
            list[count++] = (struct seen_session){one->id, s->tick_ms > 0 ? end_ms : -1};
    }
    struct observation o = {.kind = OBSERVED_SESSIONS, .at = at};
    o.sessions = (struct observed_sessions){"zk1:2181", list, count};
    model_observe(model, &o);
    free(list);
}

void fake_servers_state(struct model *model, struct moment at, int64_t zxid)
{
    struct observation o = {.kind = OBSERVED_SERVER, .at = at};
    o.server = (struct observed_server){.address = "zk1:2181",
                                        .reachable = true,
                                        .mode = SERVER_STANDALONE,
                                        .answer_us = 500,
                                        .zxid = zxid,
                                        .connections = 1};
    model_observe(model, &o);
}

void fake_servers_follower(struct model *model, struct moment at, unsigned server, bool answers)
{
    char address[32];
    struct observation o = {.kind = OBSERVED_SERVER, .at = at};
    o.server = (struct observed_server){.address = address_of(server, address, sizeof address),
                                        .reachable = answers,
                                        .mode = answers ? SERVER_FOLLOWER : SERVER_UNKNOWN,
                                        .answer_us = answers ? 500 : -1,
                                        .zxid = -1,
                                        .connections = -1};
    model_observe(model, &o);
}

void fake_servers_hide(struct fake_servers *s, struct model *model, struct moment at, unsigned server,
                       enum hidden_part part)
{
    char address[32];
    (void)s;
    struct observation o = {.kind = OBSERVED_HIDDEN, .at = at};
    o.hidden = (struct observed_hidden){address_of(server, address, sizeof address), part, "switched off"};
    model_observe(model, &o);
}

void fake_servers_ensemble(struct model *model, struct moment at, const char *text)
{
    char addresses[9][32];
    const char *list[9];
    struct observation o = {.kind = OBSERVED_ENSEMBLE, .at = at};
    o.ensemble = (struct observed_ensemble){.addresses = list,
                                            .known = *text == 'w'   ? ENSEMBLE_WHOLE
                                                     : *text == 'p' ? ENSEMBLE_PART
                                                                    : ENSEMBLE_UNKNOWN};
    for (const char *c = text; *c; c++)
        if (*c >= '1' && *c <= '9' && o.ensemble.count < 9) {
            size_t i = o.ensemble.count++;
            list[i] = address_of((unsigned)(*c - '0'), addresses[i], sizeof addresses[i]);
        }
    model_observe(model, &o);
}

void fake_servers_round(struct fake_servers *s, struct model *model, struct moment at, unsigned server)
{
    char address[32];
    struct observation o = {.kind = OBSERVED_SERVER, .at = at};
    o.server = (struct observed_server){.address = address_of(server, address, sizeof address),
                                        .reachable = true,
                                        .mode = s->server_count == 1 ? SERVER_STANDALONE
                                                : server == 1        ? SERVER_LEADER
                                                                     : SERVER_FOLLOWER,
                                        .answer_us = 500,
                                        .zxid = 1,
                                        .connections = 1,
                                        .tick_ms = s->tick_ms};
    model_observe(model, &o);
    fake_servers_connections(s, model, at, server);
    at.mono_us += 1000;
    at.wall_us += 1000;
    fake_servers_watch_list(s, model, at, server, s->child_watches, 0);
    at.mono_us += 1000;
    at.wall_us += 1000;
    fake_servers_connections(s, model, at, server);
}
