#include "probe/source/places.h"

#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/session.h"

void server_place_free(struct server_place *place)
{
    free(place->address);
    free(place->host);
}

void places_release(struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        server_place_free(&places->list[i]);
    places->count = 0;
    host_book_free(places->book);
    connect_string_free(&places->named);
    for (size_t i = 0; i < places->admin_count; i++)
        free(places->admins[i].host);
    free(places->admins);
}

bool places_same(const struct places *places, const struct host_port *one, const char *host, int port)
{
    return one->port == port && host_book_same(places->book, one->host, host);
}

static const struct server_place *place_of(const struct places *places, const char *address)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->list[i].address, address) == 0)
            return &places->list[i];
    return NULL;
}

/* How many of those that are asked are on this host. */
static size_t on_host(const struct places *places, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->list[i].port && host_book_same(places->book, places->list[i].host, host);
    return count;
}

/* The list of those that may be this server's, the one in its own place of the list first; their number. */
static size_t choose(const struct places *places, const struct server_place *p,
                     size_t chosen[CONNECT_STRING_SERVERS], bool *same_host)
{
    size_t count = 0;
    for (size_t i = 0; i < places->admin_count; i++)
        if (host_book_same(places->book, places->admins[i].host, p->host))
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

size_t places_admins(const struct places *places, const char *address)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct server_place *p = place_of(places, address);
    if (!p || places->live->cluster->servers.admin_off)
        return 0;
    return places->admins ? choose(places, p, chosen, &same_host) : 1;
}

bool places_admin(const struct places *places, const char *address, size_t i, struct admin_choice *out)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct server_place *p = place_of(places, address);
    if (!p || i >= places_admins(places, address))
        return false;
    if (!places->admins) {
        *out = (struct admin_choice){p->host, places->live->cluster->servers.admin_port, true};
        return true;
    }
    size_t count = choose(places, p, chosen, &same_host);
    const struct host_port *one = &places->admins[chosen[i]];
    *out =
        (struct admin_choice){one->host, one->port, same_host && count == 1 && on_host(places, p->host) == 1};
    return true;
}

int64_t places_id(const struct places *places, const char *address)
{
    const struct server_place *p = place_of(places, address);
    return p ? p->id : -1;
}

size_t places_with_port(const struct places *places, int port)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->list[i].port == port;
    return count;
}

bool places_have_ours(const struct places *places, const char *host, int port)
{
    for (size_t i = 0; i < places->live->lane_count; i++) {
        const char *server = session_server(places->live->lanes[i].session);
        struct host_port at;
        char *error = NULL;
        if (!server || !host_port_parse(server, strlen(server), ZOOKEEPER_PORT, &at, &error)) {
            free(error);
            continue;
        }
        host_book_add(places->book, at.host);
        bool same = places_same(places, &at, host, port);
        free(at.host);
        if (same)
            return true;
    }
    return false;
}
