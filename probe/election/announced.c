#include "probe/election/announced.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/cluster.h"
#include "probe/election/watch_proof.h"

/* More than any session has: a larger number is no announcement. */
#define ANNOUNCED_MOST 10000000

static const char *after_number(const char *text, int32_t *number)
{
    const char *c = text;
    int64_t value = 0;
    for (; *c >= '0' && *c <= '9' && value <= ANNOUNCED_MOST; c++)
        value = value * 10 + (*c - '0');
    *number = (int32_t)value;
    return c > text && value <= ANNOUNCED_MOST ? c : NULL;
}

bool announced_in(const char *path, int32_t *count)
{
    static const char before[] = "/electop-", between[] = "-child-watches-";
    size_t length = strlen(path), end = sizeof OBSERVER_NAME - 1;
    int32_t serial;
    *count = -1;
    if (length < end || strcmp(path + length - end, OBSERVER_NAME) != 0)
        return false;
    const char *last = path + length - end, *from = last;
    while (from > path && from[-1] != '/')
        from--;
    if (from == path || strncmp(from - 1, before, sizeof before - 1) != 0)
        return true;
    const char *at = after_number(from - 1 + sizeof before - 1, count);
    at = at && strncmp(at, between, sizeof between - 1) == 0 ? after_number(at + sizeof between - 1, &serial)
                                                             : NULL;
    if (at != last)
        *count = -1;
    return true;
}

void announced_counted(struct server *server, const struct observed_watches *seen)
{
    bool counted = seen->child_watches >= 0 && seen->counted_us != 0;
    server->open_count =
        (struct child_count){.counted_us = counted ? seen->counted_us : 0, .others = seen->child_watches};
}

void announced_forget(struct server *server)
{
    memset(server->counts, 0, sizeof server->counts);
    server->open_count = (struct child_count){0};
    server->announced = 0;
    server->foreign_children = -1;
}

/* Its announcement held when the server counted. */
static bool held_at(const struct client *client, int64_t counted_us)
{
    int64_t end_us = client->counted_asked_us;
    bool since = client->series_us != 0 && (client->series_us <= counted_us ||
                                            client->series_shown_us - counted_us <= ANNOUNCED_BEFORE_US);
    return since && end_us >= counted_us + ANNOUNCED_WITHIN_US;
}

/* The announcements of other observers there; counted_us: all of them held then. */
static int64_t announced_sum(const struct cluster *cluster, size_t server, int64_t counted_us, bool *held)
{
    const struct session_table *clients = cluster->clients;
    int64_t sum = 0;
    *held = true;
    for (const struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        if (client->announced <= 0 || client->ours || !client->shown.connected ||
            client->shown.server != server)
            continue;
        sum += client->announced;
        *held = *held && held_at(client, counted_us);
    }
    return sum;
}

static void note_ours(const struct cluster *cluster, const struct observed_connections *seen)
{
    for (size_t i = 0; cluster->clients && i < seen->own_session_count; i++) {
        struct client *client = session_table_find(cluster->clients, seen->own_sessions[i]);
        if (client)
            client->ours = true;
    }
}

/* A count is the difference of figures that the server reports one after the other. If watches come and go in
   between, a single count may be too low. */
static bool some_count_shows_strangers(const struct server *server)
{
    for (size_t i = 0; i < CHILD_COUNTS_KEPT && server->counts[i].counted_us != 0; i++)
        if (server->counts[i].proved && server->counts[i].others > server->counts[i].announced)
            return true;
    return false;
}

bool announced_settle(const struct cluster *cluster, struct server *server,
                      const struct observed_connections *seen)
{
    size_t index = (size_t)(server - cluster->servers);
    int64_t before = server->foreign_children;
    int64_t before_announced = server->announced;
    bool held;
    note_ours(cluster, seen);
    if (server->open_count.counted_us != 0) {
        memmove(&server->counts[1], &server->counts[0], (CHILD_COUNTS_KEPT - 1) * sizeof server->counts[0]);
        server->counts[0] = server->open_count;
        server->counts[0].others -= seen->own_children;
        server->open_count = (struct child_count){0};
    }
    if (server->counts[0].counted_us == 0)
        return false;
    server->announced = announced_sum(cluster, index, 0, &held);
    int64_t others = server->counts[0].others;
    server->foreign_children = -1;
    for (size_t i = 0; i < CHILD_COUNTS_KEPT && server->foreign_children < 0; i++) {
        struct child_count *count = &server->counts[i];
        if (count->counted_us == 0)
            break;
        bool proved = count->proved && count->announced == server->announced;
        if (!proved && announced_sum(cluster, index, count->counted_us, &held) >= 0 && held) {
            count->proved = proved = true;
            count->announced = server->announced;
        }
        if (proved && count->others == others && others >= server->announced)
            server->foreign_children = others - server->announced;
    }
    if (server->foreign_children == 0 && some_count_shows_strangers(server))
        server->foreign_children = -1;
    return server->foreign_children != before || server->announced != before_announced;
}

/* A count is recent for this long: later ones may be left out, because watches changed meanwhile. */
#define COUNT_HOLDS_US INT64_C(30000000)

bool announced_none(const struct server *server)
{
    return server->foreign_children == 0 &&
           server->listed.mono_us - server->counts[0].counted_us <= COUNT_HOLDS_US;
}

bool announced_may_settle(const struct server *server)
{
    return server->foreign_children < 0 && server->announced > 0 && server->counts[0].counted_us != 0 &&
           server->counts[0].others == server->announced;
}
