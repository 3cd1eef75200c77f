#include "probe/watch/server_address.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/zookeeper/resolver.h"
#include "probe/zookeeper/session.h"

/* Servers of the connect string, members of the ensemble, AdminServers. */
#define HOSTS_MOST 256

struct host {
    struct host_aliases *book;
    struct host_port place; /* for the resolver; the port does not matter */
    struct resolver *resolver;
    char addresses[ADDRESSES_A_SERVER][ADDRESS_SIZE];
    size_t count;
};

struct host_aliases {
    uv_loop_t *loop;
    void (*changed)(void *context);
    void *context;
    struct host *hosts[HOSTS_MOST];
    size_t count;
};

bool host_aliases_is_busy(const struct host_aliases *book)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->hosts[i]->resolver)
            return true;
    return false;
}

static void host_aliases_keep(struct host *host, const struct address *addresses, size_t count)
{
    host->count = count < ADDRESSES_A_SERVER ? count : ADDRESSES_A_SERVER;
    for (size_t i = 0; i < host->count; i++)
        memcpy(host->addresses[i], addresses[i].text, sizeof host->addresses[i]);
}

static void host_aliases_on_resolved(void *context, const struct address *addresses, size_t count,
                                     const char *problem)
{
    (void)problem;
    struct host *host = context;
    bool waited = host->resolver != NULL;
    host->resolver = NULL;
    host_aliases_keep(host, addresses, count);
    if (waited && !host_aliases_is_busy(host->book))
        host->book->changed(host->book->context);
}

static void look_up(struct host *host)
{
    host->resolver = resolver_start(host->book->loop, &host->place, 1, host_aliases_on_resolved, host);
}

static const struct host *host_aliases_find(const struct host_aliases *book, const char *name)
{
    for (size_t i = 0; i < book->count; i++)
        if (strcasecmp(book->hosts[i]->place.host, name) == 0)
            return book->hosts[i];
    return NULL;
}

void host_aliases_add(struct host_aliases *book, const char *name)
{
    if (book->count == HOSTS_MOST || host_aliases_find(book, name))
        return;
    struct host *host = xcalloc(1, sizeof *host);
    host->place.host = xstrdup(name);
    host->book = book;
    book->hosts[book->count++] = host;
    look_up(host);
}

void host_aliases_retry(struct host_aliases *book)
{
    for (size_t i = 0; i < book->count; i++)
        if (!book->hosts[i]->resolver && book->hosts[i]->count == 0)
            look_up(book->hosts[i]);
}

bool host_aliases_knows(const struct host_aliases *book, const char *name)
{
    const struct host *host = host_aliases_find(book, name);
    return host && host->count > 0;
}

/* A single machine: at most one address of each kind. */
static bool is_one(const struct host *host)
{
    size_t six = 0;
    for (size_t i = 0; i < host->count; i++)
        six += host->addresses[i][0] == '[';
    return six <= 1 && host->count - six <= 1;
}

static bool host_aliases_same(const struct host_aliases *book, const char *one, const char *other)
{
    if (strcasecmp(one, other) == 0)
        return true;
    const struct host *a = host_aliases_find(book, one), *b = host_aliases_find(book, other);
    if (!a || !b || !is_one(a) || !is_one(b))
        return false;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (strcmp(a->addresses[i], b->addresses[k]) == 0)
                return true;
    return false;
}

struct host_aliases *host_aliases_new(uv_loop_t *loop, void (*changed)(void *), void *context)
{
    struct host_aliases *book = xcalloc(1, sizeof *book);
    *book = (struct host_aliases){.loop = loop, .changed = changed, .context = context};
    return book;
}

static void host_aliases_free(struct host_aliases *book)
{
    if (!book)
        return;
    for (size_t i = 0; i < book->count; i++) {
        if (book->hosts[i]->resolver)
            resolver_cancel(book->hosts[i]->resolver);
        free(book->hosts[i]->place.host);
        free(book->hosts[i]);
    }
    free(book);
}

void server_address_free(struct server_address *place)
{
    free(place->address);
    free(place->host);
}

void server_addresses_release(struct server_addresses *places)
{
    for (size_t i = 0; i < places->count; i++)
        server_address_free(&places->list[i]);
    places->count = 0;
    host_aliases_free(places->book);
    connect_string_free(&places->named);
    for (size_t i = 0; i < places->admin_count; i++)
        free(places->admins[i].host);
    free(places->admins);
    free(places->admin_ids);
}

bool server_addresses_same(const struct server_addresses *places, const struct host_port *one,
                           const char *host, int port)
{
    return one->port == port && host_aliases_same(places->book, one->host, host);
}

static const struct server_address *server_address_place_of(const struct server_addresses *places,
                                                            const char *address)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->list[i].address, address) == 0)
            return &places->list[i];
    return NULL;
}

/* The number of polled servers on this host. */
static size_t on_host(const struct server_addresses *places, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->list[i].port && host_aliases_same(places->book, places->list[i].host, host);
    return count;
}

/* Lists the AdminServers that may be this server's, the one at its own index first; returns their number. */
static size_t server_address_choose(const struct server_addresses *places, const struct server_address *p,
                                    size_t chosen[CONNECT_STRING_SERVERS], bool *same_host)
{
    size_t count = 0;
    for (size_t i = 0; i < places->admin_count; i++)
        if (host_aliases_same(places->book, places->admins[i].host, p->host))
            chosen[count++] = i;
    *same_host = count > 0;
    for (size_t i = 0; !*same_host && i < places->admin_count; i++)
        if (on_host(places, places->admins[i].host) == 0)
            chosen[count++] = i;
    size_t likeliest = places->admin_count == places->named.count ? p->index : p->member;
    for (size_t i = 1; i < count; i++)
        if (chosen[i] == likeliest) {
            memmove(chosen + 1, chosen, i * sizeof *chosen);
            chosen[0] = likeliest;
        }
    return count;
}

size_t server_addresses_admins(const struct server_addresses *places, const char *address)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct server_address *p = server_address_place_of(places, address);
    if (!p || places->live->cluster->servers.admin_off)
        return 0;
    return places->admins ? server_address_choose(places, p, chosen, &same_host) : 1;
}

bool server_addresses_admin(const struct server_addresses *places, const char *address, size_t i,
                            struct admin_choice *out)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct server_address *p = server_address_place_of(places, address);
    if (!p || i >= server_addresses_admins(places, address))
        return false;
    if (!places->admins) {
        *out = (struct admin_choice){p->host, places->live->cluster->servers.admin_port, true};
        return true;
    }
    size_t count = server_address_choose(places, p, chosen, &same_host);
    const struct host_port *one = &places->admins[chosen[i]];
    *out =
        (struct admin_choice){one->host, one->port, same_host && count == 1 && on_host(places, p->host) == 1};
    return true;
}

bool server_addresses_admin_is_one(const struct server_addresses *places, const char *host, int port,
                                   int64_t id)
{
    size_t i = 0;
    while (i < places->admin_count &&
           (places->admins[i].port != port || strcmp(places->admins[i].host, host) != 0))
        i++;
    if (i == places->admin_count)
        return true;
    int64_t *known = &places->admin_ids[i];
    if (id > 0 && *known != id)
        *known = *known == 0 ? id : -1;
    return *known >= 0;
}

int64_t server_addresses_id(const struct server_addresses *places, const char *address)
{
    const struct server_address *p = server_address_place_of(places, address);
    return p ? p->id : -1;
}

size_t server_addresses_with_port(const struct server_addresses *places, int port)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->list[i].port == port;
    return count;
}

static bool shard_is_at(const struct server_addresses *places, const struct session_shard *shard,
                        const char *host, int port)
{
    const char *server = session_server(shard->session);
    struct host_port at;
    char *error = NULL;
    if (!server || !host_port_parse(server, strlen(server), ZOOKEEPER_PORT, &at, &error)) {
        free(error);
        return false;
    }
    host_aliases_add(places->book, at.host);
    bool same = server_addresses_same(places, &at, host, port);
    free(at.host);
    return same;
}

bool server_addresses_have_ours(const struct server_addresses *places, const char *host, int port)
{
    for (size_t i = 0; i < places->live->shard_count; i++)
        if (shard_is_at(places, &places->live->shards[i], host, port))
            return true;
    return false;
}

static bool is_nowhere_else(const struct session_shard *shard)
{
    int64_t timeout_us = session_timeout_ms(shard->session) * INT64_C(1000);
    return shard->moved_us == 0 || clock_now().mono_us - shard->moved_us > timeout_us;
}

bool server_addresses_prove(const struct server_addresses *places, const char *host, int port,
                            const struct connection_list *list)
{
    for (size_t i = 0; i < places->live->shard_count; i++) {
        const struct session_shard *shard = &places->live->shards[i];
        bool counts =
            is_nowhere_else(shard) && (places->count == 1 || shard_is_at(places, shard, host, port));
        for (size_t k = 0; k < list->count && counts; k++)
            if (list->list[k].session != 0 && list->list[k].session == session_id(shard->session))
                return true;
    }
    return false;
}
