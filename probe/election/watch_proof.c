#include "probe/election/watch_proof.h"

/* How long a session has to be idle for a proof. It sets no watch meanwhile, so its polls may be closer. */
#define PROOF_IDLE_US 5000000
#define POLLS_APART_US 2000000
/* Clients ping at a third of their timeout, some a second sooner. A poll just after that time finds most. */
#define PINGS_A_TIMEOUT 3
#define PING_EARLY_US 1000000
/* Until its server has answered a ping, and shows that. */
#define PING_TAKES_US 50000
/* Without a request for so long, a client is passive ... */
#define PASSIVE_US INT64_C(30000000)
/* Who became first and requests nothing for so long does not know. */
#define PASSED_US INT64_C(10000000)
/* While a ping is awaited. */
#define LISTS_APART_US 250000

void client_series_end(struct client *client)
{
    client->series_us = client->asked_us = 0;
    client->enclosed = client->counted = 0;
    client->counted_asked_us = client->counted_shown_us = client->counted_took_us = 0;
}

int64_t client_counted_end_us(const struct client *client)
{
    return client->counted_asked_us == 0 ? 0 : client->counted_asked_us + client->counted_took_us;
}

static bool sends_requests(const struct client *client)
{
    return !client->idle && client->series_us != 0;
}

/* The last notification may still be on its way to the client. It must take less than the timeout: a client that
   receives nothing for so long closes its connection. */
static bool all_watches_fired(const struct client *client)
{
    return client->shown.watches_listed && client->shown.watch_count == 0;
}

int64_t client_proof_us(const struct client *client)
{
    int64_t timeout_us = (int64_t)client->shown.timeout_ms * 1000;
    if (timeout_us <= 0)
        return 0;
    if (sends_requests(client))
        return 2 * timeout_us;
    return all_watches_fired(client) && timeout_us > PROOF_IDLE_US ? timeout_us : PROOF_IDLE_US;
}

/* The poll asked for then lies far enough from the first of its series. */
static bool polls_apart(const struct client *client, int64_t asked_us)
{
    /* A server may take seconds to answer: the first poll may have been as late as its answer. */
    return asked_us - client->series_shown_us >=
           (sends_requests(client) ? client_proof_us(client) : POLLS_APART_US);
}

/* Its polls lie apart, and each was followed by an answer to it. */
static bool polls_suffice(const struct client *client)
{
    return client->counted >= (client->idle ? 2 : 3) && polls_apart(client, client->counted_asked_us);
}

bool client_proved(const struct client *client)
{
    int64_t proof_us = client_proof_us(client);
    /* An idle client is still idle in later lists. Only an answer at the end shows that a client has received its
       notification. */
    bool idle = client->idle && !all_watches_fired(client);
    int64_t until_us = idle ? client->shown.seen.mono_us : client->counted_shown_us;
    return proof_us > 0 && polls_suffice(client) && until_us - client->series_shown_us >= proof_us;
}

bool client_awaits_list(const struct client *client)
{
    return client->idle && client->enclosed >= 2 && polls_apart(client, client->enclosed_asked_us);
}

int64_t client_due_us(const struct client *client, int64_t now_us)
{
    if (client_proof_us(client) == 0)
        return INT64_MAX;
    int64_t from_us = client->series_us ? client->series_shown_us : now_us;
    if (sends_requests(client))
        return from_us + client_proof_us(client);
    if (!client_awaits_list(client))
        return from_us + POLLS_APART_US;
    const struct client_session *shown = &client->shown;
    /* Only the list after a sync is missing, which each poll requests. */
    if (client_proved(client))
        return shown->seen.mono_us + LISTS_APART_US;
    int64_t idle_until_us = from_us + client_proof_us(client);
    if (polls_suffice(client) && !all_watches_fired(client))
        return idle_until_us;
    int64_t heard_us = shown->seen.mono_us - (shown->silent_ms > 0 ? shown->silent_ms * INT64_C(1000) : 0);
    /* If the server's clock is unknown, silent_ms is a lower bound, perhaps 0. The client has not been heard since
       the list that counted. */
    int64_t answered_us = client->counted ? client->counted_shown_us : client->series_shown_us;
    heard_us = answered_us < heard_us ? answered_us : heard_us;
    int64_t ping_us = heard_us + shown->timeout_ms * INT64_C(1000) / PINGS_A_TIMEOUT;
    int64_t earliest_us = ping_us - PING_EARLY_US, seen_us = shown->seen.mono_us;
    if (all_watches_fired(client) && earliest_us < idle_until_us)
        earliest_us = idle_until_us;
    if (seen_us < earliest_us)
        return earliest_us;
    int64_t shown_us = ping_us + PING_TAKES_US;
    return seen_us < shown_us && shown_us < seen_us + LISTS_APART_US ? shown_us : seen_us + LISTS_APART_US;
}

/* The pause that is known to be usual for it. */
static int64_t usual_pause_us(const struct client *client)
{
    return (client->rhythm_ms > client->mean_ms ? client->rhythm_ms : client->mean_ms) * INT64_C(1000);
}

int64_t client_passive_at_us(const struct client *client)
{
    int64_t pause_us = 2 * usual_pause_us(client);
    return client->still_us ? client->still_us + (pause_us > PASSIVE_US ? pause_us : PASSIVE_US) : INT64_MAX;
}

bool client_let_pass(const struct client *client, int64_t passed_us)
{
    return client->still_us != 0 && passed_us != 0 && client->still_us <= passed_us &&
           client->shown.seen.mono_us >= passed_us + PASSED_US;
}

bool client_is_helped(const struct client *client, int64_t helped_us)
{
    return helped_us != 0 && client->shown.seen.mono_us < helped_us + PASSIVE_US;
}

int64_t client_alone_at_us(int64_t helped_us)
{
    return helped_us ? helped_us + PASSIVE_US : 0;
}

int64_t client_asks_us(const struct client *client)
{
    int64_t until_us = client_passive_at_us(client), seen_us = client->shown.seen.mono_us;
    return until_us == INT64_MAX ? seen_us : until_us > seen_us ? until_us - PASSIVE_US : 0;
}

bool client_is_passive(const struct client *client, int64_t passed_us)
{
    int64_t seen_us = client->shown.seen.mono_us;
    /* It has had watches, so it may just have been notified, and be busy. */
    bool notified = client->shown.watches_listed && passed_us != 0;
    return seen_us >= client_passive_at_us(client) && (!notified || seen_us >= passed_us + PASSIVE_US);
}

void client_is_proved(struct client *client)
{
    client->proved_ms = client->shown.established_ms;
}

bool client_moved(const struct client *client)
{
    return client->proved_ms != 0 &&
           (!client->shown.connected || client->shown.established_ms != client->proved_ms);
}

void client_restart_proof(struct client *client, int64_t since_us)
{
    if (client->series_us == 0 || client->series_us >= since_us)
        return;
    int64_t waiting_us = client->asked_us;
    client_series_end(client);
    client->asked_us = waiting_us >= since_us ? waiting_us : 0;
    client->series_cxid = client->shown.last_cxid;
    client->idle = client->shown.last_cxid >= 0 && client->shown.outstanding == 0;
}

void client_restart_busy(struct client *client)
{
    if (!client->idle && client->still_us && client->shown.seen.mono_us >= client->still_us + PASSIVE_US / 2)
        client_restart_proof(client, client->still_us);
}

bool client_listed(struct client *client, struct moment at)
{
    bool news = false;
    if (client->enclosed > client->counted && client->answered) {
        news = client->counted < 2; /* from then on who is suspected is diagnosed after every list anyway */
        client->counted = client->enclosed;
        client->counted_asked_us = client->enclosed_asked_us;
        client->counted_shown_us = at.mono_us;
        client->counted_took_us = client->enclosed_took_us;
    }
    if (client->asked_us != 0) {
        if (client->series_us == 0) {
            client->series_us = client->asked_us;
            client->series_shown_us = at.mono_us;
        }
        if (client->enclosed < UINT16_MAX)
            client->enclosed++;
        int64_t took_us = at.mono_us > client->asked_us ? at.mono_us - client->asked_us : 0;
        client->enclosed_asked_us = client->asked_us;
        client->enclosed_took_us = took_us > UINT32_MAX ? UINT32_MAX : (uint32_t)took_us;
        client->answered = false;
        client->asked_us = 0;
        news = news || client->enclosed == 2; /* the second makes a suspicion worth reporting */
        if (!client->shown.watches_known)
            client->shown.watches_known = news = true;
    }
    return news;
}
