#include "probe/election/client.h"

#include <string.h>

#include "probe/election/clients.h"
#include "probe/election/cluster.h"

/* If no server reports its own. */
#define USUAL_TICK_MS 2000

const struct client_session *cluster_client(const struct cluster *cluster, uint64_t session)
{
    const struct client *client = clients_find(cluster->clients, session);
    return client ? &client->shown : NULL;
}

int64_t client_expiry_us(const struct cluster *cluster, const struct client_session *client)
{
    int tick_ms = cluster_tick_ms(cluster);
    return client->timeout_ms > 0
               ? client->timeout_ms * INT64_C(1000) + (tick_ms > 0 ? tick_ms : USUAL_TICK_MS) * INT64_C(1500)
               : 0;
}

struct moment client_expires_heard(const struct cluster *cluster, const struct client_session *client,
                                   struct moment heard)
{
    int64_t after_us = client_expiry_us(cluster, client);
    if (after_us == 0)
        return (struct moment){0};
    return (struct moment){heard.mono_us + after_us, heard.wall_us ? heard.wall_us + after_us : 0};
}

struct moment client_expires(const struct cluster *cluster, const struct client_session *client)
{
    if (!client->connected || client->timeout_ms <= 0 || client->silent_ms < 0)
        return (struct moment){0};
    int64_t silent_us = client->silent_ms * INT64_C(1000);
    struct moment heard = {client->seen.mono_us - silent_us,
                           client->seen.wall_us ? client->seen.wall_us - silent_us : 0};
    return client_expires_heard(cluster, client, heard);
}

bool client_is_silent(const struct client_session *client)
{
    return client->silent_ms >= 0 && client->timeout_ms > 0 && client->silent_ms > client->timeout_ms / 2;
}

size_t client_host(const struct client_session *client, const char **host)
{
    *host = client->address;
    const char *colon = client->address ? strrchr(client->address, ':') : NULL;
    return colon ? (size_t)(colon - client->address) : client->address ? strlen(client->address) : 0;
}
