#include "probe/zookeeper/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

struct name {
    uv_getaddrinfo_t request;
    uv_loop_t *loop;
    char *host;
    struct name_asker *askers;
    struct name *next;
};

static struct name *names; /* whose look-ups are under way */

struct resolver_lookup {
    struct name_asker asker; /* first */
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
    struct address all[CONNECT_STRING_SERVERS * ADDRESSES_A_SERVER];
    size_t count = 0;
    for (size_t i = 0; i < r->count && i < CONNECT_STRING_SERVERS; i++) {
        memcpy(all + count, r->lookups[i].found, r->lookups[i].count * sizeof *all);
        count += r->lookups[i].count;
    }
    r->fn(r->context, all, count, r->problem[0] ? r->problem : NULL);
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

/* No asker joins it from now on. */
static void name_leave(struct name *name)
{
    struct name **place = &names;
    while (*place && *place != name)
        place = &(*place)->next;
    if (*place)
        *place = name->next;
}

static void name_on_found(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct name *name = request->data;
    struct name_asker *asker;
    name_leave(name);
    while ((asker = name->askers)) { /* an answer may make others forget theirs */
        name->askers = asker->next;
        asker->name = NULL;
        asker->fn(asker, status, status == 0 ? found : NULL);
    }
    uv_freeaddrinfo(found);
    free(name->host);
    free(name);
}

static struct name *name_shared(uv_loop_t *loop, const char *host)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    for (struct name *name = names; name; name = name->next)
        if (name->loop == loop && strcmp(name->host, host) == 0)
            return name;
    struct name *name = xcalloc(1, sizeof *name);
    *name = (struct name){.loop = loop, .host = xstrdup(host), .next = names};
    name->request.data = name;
    if (uv_getaddrinfo(loop, &name->request, name_on_found, host, NULL, &hints) == 0)
        return names = name;
    free(name->host);
    free(name);
    return NULL;
}

bool name_ask(struct name_asker *asker, uv_loop_t *loop, const char *host)
{
    struct name *name = name_shared(loop, host);
    if (!name)
        return false;
    asker->name = name;
    asker->next = name->askers;
    name->askers = asker;
    return true;
}

void name_forget(struct name_asker *asker)
{
    struct name *name = asker->name;
    struct name_asker **place = name ? &name->askers : NULL;
    if (!name)
        return;
    while (*place && *place != asker)
        place = &(*place)->next;
    if (*place)
        *place = asker->next;
    asker->name = NULL;
    if (!name->askers && uv_cancel((uv_req_t *)&name->request) == 0)
        name_leave(name);
}

static void lookup_on_found(struct name_asker *asker, int status, const struct addrinfo *found)
{
    struct resolver_lookup *l = (struct resolver_lookup *)(void *)asker;
    struct resolver *r = l->resolver;
    for (const struct addrinfo *a = found; a; a = a->ai_next)
        resolver_add(l, a->ai_addr);
    if (status != 0)
        snprintf(r->problem, sizeof r->problem, "cannot resolve %.80s: %s", r->servers[l - r->lookups].host,
                 uv_strerror(status));
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
    struct resolver *r = xcalloc(1, sizeof *r + count * sizeof *r->lookups);
    r->servers = servers;
    r->count = count;
    r->fn = fn;
    r->context = context;
    for (size_t i = 0; i < count; i++) {
        struct resolver_lookup *l = &r->lookups[i];
        l->resolver = r;
        l->asker.fn = lookup_on_found;
        struct sockaddr_storage literal;
        if (address_literal(&servers[i], &literal))
            resolver_add(l, (const struct sockaddr *)&literal); /* without waking libuv's threads */
        else if (name_ask(&l->asker, loop, servers[i].host))
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
    for (size_t i = 0; i < r->count; i++)
        name_forget(&r->lookups[i].asker);
    free(r);
}

const char *resolver_waits_for(const struct resolver *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->lookups[i].asker.name)
            return r->servers[i].host;
    return "?";
}

bool resolver_settle(struct resolver *r)
{
    size_t found = 0;
    for (size_t i = 0; i < r->count; i++)
        found += r->lookups[i].count;
    if (found == 0)
        return false;
    snprintf(r->problem, sizeof r->problem, RESOLVER_SILENT, resolver_waits_for(r));
    for (size_t i = 0; i < r->count; i++)
        name_forget(&r->lookups[i].asker);
    resolver_finish(r);
    return true;
}
