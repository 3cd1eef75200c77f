#include "probe/zookeeper/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

struct resolver_lookup {
    uv_getaddrinfo_t request;
    struct resolver *resolver;
    struct address found[ADDRESSES_A_SERVER];
    size_t count;
};

struct resolver {
    const struct host_port *servers;
    size_t count, left;
    resolver_fn fn; /* NULL: cancelled */
    void *context;
    char problem[160];
    struct resolver_lookup lookups[];
};

static void resolver_finish(struct resolver *r)
{
    if (r->fn) {
        struct address all[CONNECT_STRING_SERVERS * ADDRESSES_A_SERVER];
        size_t count = 0;
        for (size_t i = 0; i < r->count && i < CONNECT_STRING_SERVERS; i++) {
            memcpy(all + count, r->lookups[i].found, r->lookups[i].count * sizeof *all);
            count += r->lookups[i].count;
        }
        r->fn(r->context, all, count, r->problem[0] ? r->problem : NULL);
    }
    free(r);
}

static void address_write(const struct sockaddr *address, int port, char *text)
{
    char ip[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET6)
        uv_ip6_name((const struct sockaddr_in6 *)(const void *)address, ip, sizeof ip);
    else
        uv_ip4_name((const struct sockaddr_in *)(const void *)address, ip, sizeof ip);
    snprintf(text, ADDRESS_SIZE, address->sa_family == AF_INET6 ? "[%s]:%d" : "%s:%d", ip, port);
}

void address_print(const struct sockaddr *address, char *text)
{
    address_write(address,
                  ntohs(address->sa_family == AF_INET6
                            ? ((const struct sockaddr_in6 *)(const void *)address)->sin6_port
                            : ((const struct sockaddr_in *)(const void *)address)->sin_port),
                  text);
}

static void resolver_add(struct resolver_lookup *l, const struct sockaddr *address)
{
    size_t server = (size_t)(l - l->resolver->lookups);
    struct address *a = &l->found[l->count];
    if (l->count == ADDRESSES_A_SERVER)
        return;
    address_write(address, l->resolver->servers[server].port, a->text);
    a->server = server;
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->found[i].text, a->text) == 0)
            return;
    l->count++;
}

static void resolver_on_found(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct resolver_lookup *l = request->data;
    struct resolver *r = l->resolver;
    if (r->fn && status == 0)
        for (struct addrinfo *a = found; a; a = a->ai_next)
            resolver_add(l, a->ai_addr);
    else if (r->fn)
        snprintf(r->problem, sizeof r->problem, "cannot resolve %.80s: %s", r->servers[l - r->lookups].host,
                 uv_strerror(status));
    uv_freeaddrinfo(found);
    if (--r->left == 0)
        resolver_finish(r);
}

void address_shuffle(struct address *addresses, size_t count)
{
    uint32_t dice[CONNECT_STRING_SERVERS * ADDRESSES_A_SERVER];
    size_t most = sizeof dice / sizeof *dice;
    count = count < most ? count : most;
    if (count < 2 || uv_random(NULL, NULL, dice, count * sizeof *dice, 0, NULL) != 0)
        return;
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = dice[i] % (i + 1);
        struct address held = addresses[i];
        addresses[i] = addresses[other];
        addresses[other] = held;
    }
}

size_t address_list(const struct address *addresses, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const char *address = addresses[i].text;
        size_t bracket = *address == '[' ? strcspn(address, "]") : 0;
        used += (size_t)snprintf(buffer + used, size - used, "%s%.*s%s", used ? "," : "",
                                 bracket ? (int)bracket - 1 : 0, address + 1,
                                 bracket ? address + bracket + 1 : address);
    }
    return used;
}

bool address_literal(const struct host_port *server, struct sockaddr_storage *out)
{
    return uv_ip4_addr(server->host, server->port, (struct sockaddr_in *)(void *)out) == 0 ||
           uv_ip6_addr(server->host, server->port, (struct sockaddr_in6 *)(void *)out) == 0;
}

struct resolver *resolver_start(uv_loop_t *loop, const struct host_port *servers, size_t count,
                                resolver_fn fn, void *context)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct resolver *r = xcalloc(1, sizeof *r + count * sizeof *r->lookups);
    r->servers = servers;
    r->count = count;
    r->fn = fn;
    r->context = context;
    for (size_t i = 0; i < count; i++) {
        struct resolver_lookup *l = &r->lookups[i];
        l->resolver = r;
        l->request.data = l;
        struct sockaddr_storage literal;
        if (address_literal(&servers[i], &literal))
            resolver_add(l, (const struct sockaddr *)&literal); /* without waking libuv's threads */
        else if (uv_getaddrinfo(loop, &l->request, resolver_on_found, servers[i].host, NULL, &hints) == 0)
            r->left++;
        else
            snprintf(r->problem, sizeof r->problem, "cannot resolve %.80s", servers[i].host);
    }
    if (r->left > 0)
        return r;
    resolver_finish(r);
    return NULL;
}

void resolver_cancel(struct resolver *r)
{
    r->fn = NULL;
    for (size_t i = 0; i < r->count; i++)
        uv_cancel((uv_req_t *)&r->lookups[i].request);
}
