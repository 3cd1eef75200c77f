#include "probe/election/bystanders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/baseline.h"
#include "probe/election/client.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"

void bystander_note(struct election *election, uint64_t session)
{
    /* A session may watch a thousand of its znodes. */
    if (election->own->bystander_count > 0 &&
        election->own->bystanders[election->own->bystander_count - 1] == session)
        return;
    room_for_one(&election->own->bystanders, election->own->bystander_count, &election->own->bystander_room,
                 sizeof *election->own->bystanders);
    election->own->bystanders[election->own->bystander_count++] = session;
}

const struct departure_note *departed_at(const struct election *election, size_t i)
{
    const struct departed *departed = election->departed;
    if (!departed || i >= departed->count)
        return NULL;
    return &departed->notes[(departed->next + DEPARTED_KEPT - 1 - i) % DEPARTED_KEPT];
}

/* A loss is dated between two observations. */
#define DATED_APART_US 2000000

const struct failover *departed_failover(const struct election *election, const struct departure_note *note)
{
    for (size_t i = note->led ? election->failover_count : 0; i-- > 0;) {
        const struct failover *failover = election_failover_at(election, i);
        if (failover->from && strncmp(failover->from, note->name, sizeof note->name - 1) == 0 &&
            failover->lost_at.mono_us >= note->at.mono_us - DATED_APART_US)
            return failover;
    }
    return NULL;
}

/* Costs a walk over all sessions: done for a leader alone. */
static bool alone_at_host(const struct session_table *clients, const struct client *client)
{
    const struct client *c = client->shown.address ? session_table_walk(clients, NULL) : NULL;
    for (; c; c = session_table_walk(clients, c))
        if (c != client && c->shown.connected && client_is_beside(&client->shown, &c->shown))
            return false;
    return client->shown.address != NULL;
}

void bystander_left(struct election *election, const struct candidate *candidate, bool led, struct moment at)
{
    struct client *client = candidate->own->client;
    if (!owner_is_session(candidate->stat.owner))
        return;
    if (client) {
        client->left_us = at.mono_us;
        client->left = election;
    }
    const struct departure_note *last = departed_at(election, 0);
    if (last && last->at.mono_us == at.mono_us && last->session == candidate->stat.owner &&
        strncmp(last->name, candidate->name, sizeof last->name - 1) == 0)
        return; /* a leader's loss is reported first, then its departure */
    struct departure_note note = {.session = candidate->stat.owner, .at = at, .led = led};
    snprintf(note.name, sizeof note.name, "%s", candidate->name);
    if (client) {
        const char *host;
        size_t length = client_host(&client->shown, &host);
        if (length > 0 && length < sizeof note.host)
            memcpy(note.host, host, length);
        note.alone = led && alone_at_host(election->cluster->clients, client);
        if (client->shown.connected)
            bystander_note(election, client->shown.id);
    }
    departed_put(election, &note);
}

void departed_brief(struct election *election, const struct candidate *candidate, struct moment at)
{
    struct departed *departed = election->departed;
    struct departure_note note = {.at = at}, *last = NULL;
    snprintf(note.name, sizeof note.name, "%s", candidate->name);
    if (departed && departed->count > 0)
        last = &departed->notes[(departed->next + DEPARTED_KEPT - 1) % DEPARTED_KEPT];
    if (last && last->session == 0) /* the next of many */
        *last = note;
    else
        departed_put(election, &note);
}

void departed_put(struct election *election, const struct departure_note *note)
{
    if (!election->departed)
        election->departed = xcalloc(1, sizeof *election->departed);
    struct departed *departed = election->departed;
    departed->notes[departed->next] = *note;
    departed->next = (departed->next + 1) % DEPARTED_KEPT;
    departed->count += departed->count < DEPARTED_KEPT;
}

void departed_take_baseline(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    struct departed own = {0};
    if (election->departed)
        own = *election->departed;
    free(election->departed);
    election->departed = NULL;
    for (size_t i = then->departed ? then->departed->count : 0; i-- > 0;) {
        struct departure_note note = *departed_at(then, i);
        note.at = baseline_moment(f->model, note.at);
        if (note.at.mono_us < election->own_since.mono_us)
            departed_put(election, &note);
    }
    for (size_t i = 0; i < own.count; i++)
        departed_put(election, &own.notes[(own.next + DEPARTED_KEPT - own.count + i) % DEPARTED_KEPT]);
}
