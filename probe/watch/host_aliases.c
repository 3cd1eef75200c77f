#include "probe/watch/host_aliases.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "probe/zookeeper/resolver.h"

/* Servers of the connect string, members of the ensemble, AdminServers. */
#define HOSTS_MOST 256

struct host {
    struct host_aliases *book;
    struct host_port place; /* for the resolver: every port is the same */
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
    struct host *host = calloc(1, sizeof *host);
    if (!host || !(host->place.host = strdup(name))) {
        free(host);
        return;
    }
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

/* One machine: no more than one address of each kind. */
static bool is_one(const struct host *host)
{
    size_t six = 0;
    for (size_t i = 0; i < host->count; i++)
        six += host->addresses[i][0] == '[';
    return six <= 1 && host->count - six <= 1;
}

bool host_aliases_same(const struct host_aliases *book, const char *one, const char *other)
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
    struct host_aliases *book = calloc(1, sizeof *book);
    if (book)
        *book = (struct host_aliases){.loop = loop, .changed = changed, .context = context};
    return book;
}

void host_aliases_free(struct host_aliases *book)
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
