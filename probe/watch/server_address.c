#include "probe/watch/server_address.h"

#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/session.h"

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

/* How many of those that are asked are on this host. */
static size_t on_host(const struct server_addresses *places, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->list[i].port && host_aliases_same(places->book, places->list[i].host, host);
    return count;
}

/* The list of those that may be this server's, the one in its own place of the list first; their number. */
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

bool server_addresses_have_ours(const struct server_addresses *places, const char *host, int port)
{
    for (size_t i = 0; i < places->live->lane_count; i++) {
        const char *server = session_server(places->live->lanes[i].session);
        struct host_port at;
        char *error = NULL;
        if (!server || !host_port_parse(server, strlen(server), ZOOKEEPER_PORT, &at, &error)) {
            free(error);
            continue;
        }
        host_aliases_add(places->book, at.host);
        bool same = server_addresses_same(places, &at, host, port);
        free(at.host);
        if (same)
            return true;
    }
    return false;
}
