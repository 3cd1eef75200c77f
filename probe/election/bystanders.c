#include "probe/election/bystanders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/room.h"
#include "probe/election/client.h"
#include "probe/election/clients.h"

void bystander_note(struct election *election, uint64_t session)
{
    if (room_for_one(&election->bystanders, election->bystander_count, &election->bystander_room,
                     sizeof *election->bystanders))
        election->bystanders[election->bystander_count++] = session;
}

const struct departure_note *departed_at(const struct election *election, size_t i)
{
    const struct departed *departed = election->departed;
    if (!departed || i >= departed->count)
        return NULL;
    return &departed->notes[(departed->next + DEPARTED_KEPT - 1 - i) % DEPARTED_KEPT];
}

/* Costs a walk over all sessions: done for a leader alone. */
static bool alone_at_host(const struct clients *clients, const struct client *client)
{
    const char *host, *other;
    size_t length = client_host(&client->shown, &host);
    for (size_t i = 0; length > 0 && i < clients->bucket_count; i++)
        for (const struct client *c = clients->buckets[i]; c; c = c->next)
            if (c != client && c->shown.connected && client_host(&c->shown, &other) == length &&
                memcmp(host, other, length) == 0)
                return false;
    return length > 0;
}

void bystander_left(struct election *election, const struct candidate *candidate, bool led, struct moment at)
{
    const struct client *client = candidate->client;
    if (!owner_is_session(candidate->stat.owner))
        return;
    if (!election->departed && !(election->departed = calloc(1, sizeof *election->departed)))
        return;
    struct departed *departed = election->departed;
    const struct departure_note *last = departed_at(election, 0);
    if (last && last->at.mono_us == at.mono_us && last->session == candidate->stat.owner &&
        strncmp(last->name, candidate->name, sizeof last->name - 1) == 0)
        return; /* a leader's loss is told first, then that it left */
    struct departure_note *note = &departed->notes[departed->next];
    departed->next = (departed->next + 1) % DEPARTED_KEPT;
    departed->count += departed->count < DEPARTED_KEPT;
    *note = (struct departure_note){.session = candidate->stat.owner, .at = at, .led = led};
    snprintf(note->name, sizeof note->name, "%s", candidate->name);
    if (candidate->identity)
        snprintf(note->identity, sizeof note->identity, "%s", candidate->identity);
    if (!client)
        return;
    const char *host;
    size_t length = client_host(&client->shown, &host);
    if (length > 0 && length < sizeof note->host)
        memcpy(note->host, host, length);
    note->timeout_ms = client->shown.timeout_ms;
    note->alone = led && alone_at_host(election->cluster->clients, client);
    if (client->shown.connected)
        bystander_note(election, client->shown.id);
}
