#include "probe/source/servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "probe/source/inquiry.h"
#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/ensemble.h"
#include "probe/zookeeper/resolver.h"

/* While nobody is connected, the servers of the connect string are asked how they are after this time. */
#define UNCONNECTED_AFTER_MS 1000
#define SERVERS_MOST (CONNECT_STRING_SERVERS + ENSEMBLE_MEMBERS)
#define CONFIG_PATH "/zookeeper/config"

struct servers {
    struct live *live;
    struct http *http;
    struct connect_string named;
    struct inquiry *all[SERVERS_MOST];
    size_t count;
    bool begun, demanded;
    uv_timer_t *timer;
    uv_prepare_t *watcher; /* of what the model has just seen */
    unsigned owed;         /* answers of our session that still refer to this */
    bool freed;

    struct ensemble_member members[ENSEMBLE_MEMBERS];
    struct host_port places[ENSEMBLE_MEMBERS]; /* theirs, for the resolver: borrowed from members */
    size_t member_count;
    struct resolver *resolver;
};

/*
 * Where the AdminServer of the server with this host is, which is the index-th of count. A list of addresses
 * names one for each server, in the same order, or one for each host.
 */
static bool find_admin(const struct servers *s, const char *host, size_t index, size_t count,
                       struct host_port *out)
{
    const struct servers_settings *settings = &s->live->cluster->servers;
    size_t listed = 0, same_host = 0, found = 0;
    *out = (struct host_port){0};
    if (settings->admin_off)
        return true;
    if (!settings->admin_addresses) {
        out->host = strdup(host);
        out->port = settings->admin_port;
        return out->host != NULL;
    }
    for (; settings->admin_addresses[listed]; listed++) {
        struct host_port one;
        char *error = NULL;
        const char *text = settings->admin_addresses[listed];
        if (host_port_parse(text, strlen(text), ADMINSERVER_PORT, &one, &error)) {
            if (strcmp(one.host, host) == 0) {
                same_host++;
                found = listed;
            }
            free(one.host);
        }
        free(error);
    }
    if (listed == count)
        found = index;
    else if (same_host != 1)
        return true;
    char *error = NULL;
    const char *text = settings->admin_addresses[found];
    bool good = host_port_parse(text, strlen(text), ADMINSERVER_PORT, out, &error);
    free(error);
    return good;
}

static bool is_known(const struct servers *s, const char *address)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(inquiry_address(s->all[i]), address) == 0)
            return true;
    return false;
}

/* port 0: it cannot be asked, and is told under this name. */
static void add(struct servers *s, const char *host, int port, const char *name, size_t index, size_t count)
{
    struct host_port server = {.host = strdup(host), .port = port}, admin = {0};
    char *address = port && server.host ? host_port_print(&server) : strdup(name);
    if (server.host && address && s->count < SERVERS_MOST && !is_known(s, address) &&
        find_admin(s, host, index, count, &admin)) {
        struct inquiry_place place = {.address = address,
                                      .host = host,
                                      .port = port,
                                      .admin_host = admin.host,
                                      .admin_port = admin.port};
        struct inquiry *q = inquiry_new(s->live, s->http, &place);
        if (q) {
            s->all[s->count++] = q;
            if (s->demanded)
                inquiry_demand(q);
            else
                inquiry_begin(q);
        }
    }
    free(admin.host);
    free(server.host);
    free(address);
}

static void add_named(struct servers *s)
{
    for (size_t i = 0; i < s->named.count; i++)
        add(s, s->named.servers[i].host, s->named.servers[i].port, "", i, s->named.count);
    s->begun = true;
}

static void add_configured(struct servers *s)
{
    char **addresses = s->live->cluster->servers.addresses, *error = NULL;
    size_t count = 0;
    while (addresses[count])
        count++;
    for (size_t i = 0; i < count; i++) {
        struct host_port server;
        if (host_port_parse(addresses[i], strlen(addresses[i]), ZOOKEEPER_PORT, &server, &error)) {
            add(s, server.host, server.port, "", i, count);
            free(server.host);
        }
        free(error);
        error = NULL;
    }
    s->begun = true;
}

/* Those of /zookeeper/config, where it knows of more than the connect string names. */

/* Another member before it has the same address, so it cannot be its own. */
static bool is_doubtful(const struct servers *s, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (s->places[j].port == s->places[i].port && strcmp(s->places[j].host, s->places[i].host) == 0)
            return true;
    return false;
}

static void on_resolved(void *context, const struct address *addresses, size_t count, const char *problem)
{
    (void)problem;
    struct servers *s = context;
    bool resolved[ENSEMBLE_MEMBERS] = {false};
    size_t reached = 0;
    s->resolver = NULL;
    for (size_t i = 0; i < count; i++) {
        reached += !resolved[addresses[i].server];
        resolved[addresses[i].server] = true;
    }
    /* A name for all of them together is none of them; but where names mean nothing here, it is all we have.
     */
    if (reached + s->named.count <= s->member_count)
        add_named(s);
    for (size_t i = 0; i < s->member_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "server.%s", s->members[i].id);
        add(s, s->places[i].host, is_doubtful(s, i) ? 0 : s->places[i].port, name, i, s->member_count);
    }
    s->begun = true;
}

static void on_config(void *context, enum session_result result, const struct znode_stat *stat,
                      const void *data, size_t length)
{
    (void)stat;
    struct servers *s = context;
    s->owed--;
    if (s->freed) {
        if (!s->owed)
            free(s);
        return;
    }
    if (result == SESSION_LOST || s->resolver)
        return;
    s->member_count = result == SESSION_OK ? ensemble_parse(data, length, s->members) : 0;
    if (s->member_count <= s->named.count) {
        if (!s->begun)
            add_named(s);
        return;
    }
    for (size_t i = 0; i < s->member_count; i++)
        s->places[i] =
            (struct host_port){.host = s->members[i].host,
                               .port = s->members[i].port ? s->members[i].port : s->named.servers[0].port};
    s->resolver = resolver_start(s->live->loop, s->places, s->member_count, on_resolved, s);
    if (!s->resolver && !s->begun)
        add_named(s);
}

void servers_connected(struct servers *s)
{
    if (!s->live->cluster->servers.addresses &&
        session_get(s->live->session, CONFIG_PATH, false, on_config, s))
        s->owed++;
}

static void on_unconnected(uv_timer_t *timer)
{
    struct servers *s = timer->data;
    if (!s->begun)
        add_named(s);
}

/* After all that came at once has been told: does anybody's end want looking into? */
static void on_told(uv_prepare_t *watcher)
{
    struct servers *s = watcher->data;
    if (!model_wants_evidence(s->live->model, s->live->index))
        return;
    for (size_t i = 0; i < s->count; i++)
        inquiry_hasten(s->all[i]);
}

struct servers *servers_new(struct live *live)
{
    struct servers *s = calloc(1, sizeof *s);
    char *error = NULL;
    if (!s)
        return NULL;
    s->live = live;
    s->timer = calloc(1, sizeof *s->timer);
    s->watcher = calloc(1, sizeof *s->watcher);
    s->http = http_new(live->loop);
    if (!s->timer || !s->watcher || !s->http ||
        !connect_string_parse(live->cluster->hosts, &s->named, &error)) {
        free(error);
        free(s->timer);
        free(s->watcher);
        http_free(s->http);
        free(s);
        return NULL;
    }
    uv_timer_init(live->loop, s->timer);
    s->timer->data = s;
    uv_prepare_init(live->loop, s->watcher);
    s->watcher->data = s;
    uv_prepare_start(s->watcher, on_told);
    if (live->cluster->servers.addresses)
        add_configured(s);
    else
        uv_timer_start(s->timer, on_unconnected, UNCONNECTED_AFTER_MS, 0);
    return s;
}

static void on_handle_closed(uv_handle_t *handle)
{
    free(handle);
}

void servers_free(struct servers *s)
{
    if (!s)
        return;
    if (s->resolver)
        resolver_cancel(s->resolver);
    for (size_t i = 0; i < s->count; i++)
        inquiry_free(s->all[i]);
    http_free(s->http);
    connect_string_free(&s->named);
    uv_timer_stop(s->timer);
    uv_close((uv_handle_t *)s->timer, on_handle_closed);
    uv_prepare_stop(s->watcher);
    uv_close((uv_handle_t *)s->watcher, on_handle_closed);
    s->freed = true;
    if (!s->owed)
        free(s);
}

bool servers_have_port(const struct servers *s, int port)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *colon = strrchr(inquiry_address(s->all[i]), ':');
        if (colon && atoi(colon + 1) == port)
            return true;
    }
    return false;
}

void servers_demand(struct servers *s)
{
    s->demanded = !s->begun;
    for (size_t i = 0; i < s->count; i++)
        inquiry_demand(s->all[i]);
}

bool servers_are_demanded(const struct servers *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (inquiry_is_demanded(s->all[i]))
            return true;
    return s->demanded && !s->begun;
}

size_t servers_count(const struct servers *s)
{
    return s->count;
}

const char *servers_address(const struct servers *s, size_t i)
{
    return inquiry_is_placed(s->all[i]) ? inquiry_address(s->all[i]) : NULL;
}

unsigned servers_rounds(const struct servers *s)
{
    unsigned fewest = s->begun && !s->resolver ? UINT32_MAX : 0;
    for (size_t i = 0; i < s->count; i++)
        if (inquiry_rounds(s->all[i]) < fewest)
            fewest = inquiry_rounds(s->all[i]);
    return fewest;
}
