#include "probe/watch/ensemble_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/server_poll.h"
#include "probe/watch/server_address.h"
#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/ensemble.h"

/* Without a connection, the servers of the connect string are polled after this time. */
#define UNCONNECTED_AFTER_MS 1000
/* The limit for look-ups of names. Until then names count as spelt. */
#define NAMES_WITHIN_MS 3000
/* The interval at which the list of members is read, and the minimum interval. */
#define CONFIG_EVERY_MS 30000
#define CONFIG_LEAST_MS 2000
#define CONFIG_PATH "/zookeeper/config"

#define HOST_UNKNOWN "/zookeeper/config contains no readable host for it; name it under servers.addresses"
#define PLACE_UNKNOWN "/zookeeper/config does not say where it answers; name it under servers.addresses"
#define TOO_MANY "/zookeeper/config names more than 64 servers; the others are not polled"

struct asked {
    struct server_poll *poll;
    bool wanted;
};

struct ensemble_watch {
    struct live_cluster *live;
    struct http *http;
    struct server_addresses places;
    struct asked all[SERVER_ADDRESSES_MOST]; /* parallel to places */
    bool configured;
    bool was_member[CONNECT_STRING_SERVERS]; /* by named server */

    bool begun, demanded;
    uv_timer_t *timer;
    uv_prepare_t *watcher; /* handles the model's latest observations */
    unsigned owed;         /* answers of our session that still refer to this struct */
    bool freed;

    struct ensemble_member members[ENSEMBLE_MEMBERS];
    size_t member_count; /* may exceed the known ones: at most ENSEMBLE_MEMBERS */
    bool config_read;    /* it was answered, with any content */
    uint64_t config_ms;
};

/* ---- polled servers ---- */

static void drop(struct ensemble_watch *s, size_t i)
{
    struct server_addresses *p = &s->places;
    log_line(LOG_LEVEL_INFO, "%s: %s is no longer polled", live_name(s->live), p->list[i].address);
    server_poll_free(s->all[i].poll);
    server_address_free(&p->list[i]);
    p->count--;
    memmove(&p->list[i], &p->list[i + 1], (p->count - i) * sizeof *p->list);
    memmove(&s->all[i], &s->all[i + 1], (p->count - i) * sizeof *s->all);
}

/* Takes over what place points to. */
static void want(struct ensemble_watch *s, struct server_address place)
{
    struct server_addresses *p = &s->places;
    for (size_t i = 0; place.address && i < p->count; i++)
        if (strcmp(p->list[i].address, place.address) == 0) {
            s->all[i].wanted = true;
            p->list[i].index = place.index;
            p->list[i].member = place.member;
            p->list[i].id = place.id;
            server_address_free(&place);
            return;
        }
    if (!place.address || !place.host || p->count >= SERVER_ADDRESSES_MOST) {
        server_address_free(&place);
        return;
    }
    struct server_poll *q = server_poll_new(s->live, p, s->http, &place);
    s->all[p->count] = (struct asked){.poll = q, .wanted = true};
    p->list[p->count++] = place;
    if (s->demanded)
        server_poll_demand(q);
    else
        server_poll_begin(q);
}

/* ---- members of the ensemble ---- */

/* Beside a TLS port, the ensemble's own list names the port without TLS: then the connect string's port
 * counts. */
static int ensemble_watch_port_of(const struct ensemble_watch *s, const struct ensemble_member *m)
{
    for (size_t i = 0; s->live->cluster->security.tls.on && i < s->places.named.count; i++)
        if (strcmp(s->places.named.servers[i].host, m->host) == 0)
            return s->places.named.servers[i].port;
    return m->port && !s->live->cluster->security.tls.on ? m->port : s->places.named.servers[0].port;
}

static int64_t id_of(const struct ensemble_member *m)
{
    int64_t id = 0;
    for (const char *c = m->id; *c; c++) {
        if (*c < '0' || *c > '9' || id > INT32_MAX)
            return -1;
        id = id * 10 + (*c - '0');
    }
    return id;
}

/* An earlier member has the same address, so this one cannot be right. */
static bool is_doubtful(const struct ensemble_watch *s, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (ensemble_watch_port_of(s, &s->members[j]) == ensemble_watch_port_of(s, &s->members[i]) &&
            strcmp(s->members[j].host, s->members[i].host) == 0)
            return true;
    return false;
}

static void want_member(struct ensemble_watch *s, size_t i)
{
    const struct ensemble_member *m = &s->members[i];
    struct host_port at = {.host = (char *)(uintptr_t)m->host, .port = ensemble_watch_port_of(s, m)};
    struct server_address place = {.host = xstrdup(m->host), .index = i, .member = i, .id = id_of(m)};
    if (!*m->host || is_doubtful(s, i)) {
        char name[40];
        snprintf(name, sizeof name, "server.%s", m->id);
        place.address = xstrdup(name);
        place.problem = *m->host ? PLACE_UNKNOWN : HOST_UNKNOWN;
    } else {
        place.address = host_port_print(&at);
        place.port = at.port;
    }
    want(s, place);
}

/* member: ENSEMBLE_MEMBERS: not known as a member. */
static void want_named(struct ensemble_watch *s, size_t i, size_t member)
{
    const struct host_port *one = &s->places.named.servers[i];
    want(s, (struct server_address){.address = host_port_print(one),
                                    .host = xstrdup(one->host),
                                    .port = one->port,
                                    .index = i,
                                    .member = member,
                                    .id = member < ENSEMBLE_MEMBERS ? id_of(&s->members[member]) : -1});
}

/* The named server that this member is; CONNECT_STRING_SERVERS: none. */
static size_t named_as(const struct ensemble_watch *s, size_t member)
{
    const struct ensemble_member *m = &s->members[member];
    for (size_t i = 0; *m->host && !is_doubtful(s, member) && i < s->places.named.count; i++)
        if (server_addresses_same(&s->places, &s->places.named.servers[i], m->host,
                                  ensemble_watch_port_of(s, m)))
            return i;
    return CONNECT_STRING_SERVERS;
}

static void report_ensemble(struct ensemble_watch *s, enum ensemble_known known)
{
    const char *addresses[SERVER_ADDRESSES_MOST];
    for (size_t i = 0; i < s->places.count; i++)
        addresses[i] = s->places.list[i].address;
    struct observation o = live_observation(s->live, OBSERVED_ENSEMBLE, NULL, NULL);
    o.ensemble = (struct observed_ensemble){.addresses = addresses, .count = s->places.count, .known = known};
    live_observe(s->live, &o);
}

/*
 * Decides which servers are polled, from present knowledge; may be repeated with more. Configured names are
 * compared with the members' names in /zookeeper/config. Those may not resolve on this machine ("zk-1", an
 * address behind a forwarded port): then no configured name matches a member, and polling both would poll
 * some servers twice. So the configured servers are polled, and members only if there are more of them.
 */
static void ensemble_settle(struct ensemble_watch *s)
{
    size_t as[ENSEMBLE_MEMBERS], found = 0, reached = 0;
    size_t members = s->member_count < ENSEMBLE_MEMBERS ? s->member_count : ENSEMBLE_MEMBERS;
    size_t is[CONNECT_STRING_SERVERS];
    for (size_t i = 0; i < s->places.named.count; i++)
        is[i] = ENSEMBLE_MEMBERS;
    for (size_t i = 0; i < members; i++) {
        as[i] = named_as(s, i);
        reached += host_aliases_knows(s->places.book, s->members[i].host);
        if (as[i] == CONNECT_STRING_SERVERS)
            continue;
        found++;
        is[as[i]] = i;
        s->was_member[as[i]] = true;
    }
    for (size_t i = 0; i < s->places.count; i++)
        s->all[i].wanted = false;

    /* A name for all servers together matches no single one, but if other names mean nothing here, no better
     * name exists. */
    bool more = !s->configured && members > s->places.named.count;
    bool together = more && reached + s->places.named.count > members;
    size_t nameless = 0; /* polled, but not known as a member */
    for (size_t i = 0; i < s->places.named.count; i++) {
        bool member = is[i] < ENSEMBLE_MEMBERS;
        bool left = members > 0 && !member && s->was_member[i];
        if (left || (!member && together))
            continue;
        want_named(s, i, is[i]);
        nameless += !member;
    }
    bool others = more || (!s->configured && found > 0 && nameless == 0);
    for (size_t i = 0; others && i < members; i++)
        if (as[i] == CONNECT_STRING_SERVERS)
            want_member(s, i);
    if (others && s->member_count > members)
        want(s, (struct server_address){.address = xstrdup("further servers"),
                                        .host = xstrdup(""),
                                        .problem = TOO_MANY,
                                        .member = ENSEMBLE_MEMBERS,
                                        .id = -1});
    for (size_t i = s->places.count; i-- > 0;)
        if (!s->all[i].wanted)
            drop(s, i);

    bool whole = members > 0 && s->member_count == members && (others || found == members);
    bool part = !whole && s->places.count < s->member_count;
    report_ensemble(s, whole ? ENSEMBLE_WHOLE : part ? ENSEMBLE_PART : ENSEMBLE_UNKNOWN);
    s->begun = true;
}

static void on_names(void *context)
{
    struct ensemble_watch *s = context;
    if (s->config_read || s->begun)
        ensemble_settle(s);
}

static void ensemble_watch_on_timer(uv_timer_t *timer);

static void on_config(void *context, const struct session_answer *answer)
{
    struct ensemble_watch *s = context;
    s->owed--;
    if (s->freed) {
        if (!s->owed)
            free(s);
        return;
    }
    if (answer->result == SESSION_LOST)
        return;
    s->config_read = true;
    if (answer->result == SESSION_OK)
        s->member_count = ensemble_parse(answer->data, answer->length, s->members);
    for (size_t i = 0; i < s->member_count && i < ENSEMBLE_MEMBERS; i++)
        if (*s->members[i].host)
            host_aliases_add(s->places.book, s->members[i].host);
    if (!host_aliases_is_busy(s->places.book))
        ensemble_settle(s);
    else if (!s->begun)
        uv_timer_start(s->timer, ensemble_watch_on_timer, NAMES_WITHIN_MS, 0);
}

static void read_config(struct ensemble_watch *s)
{
    s->config_ms = uv_now(s->live->loop);
    if (session_get(s->live->session, CONFIG_PATH, false, on_config, s))
        s->owed++;
}

void ensemble_watch_connected(struct ensemble_watch *s)
{
    host_aliases_retry(s->places.book);
    read_config(s);
}

static void ensemble_watch_on_timer(uv_timer_t *timer)
{
    struct ensemble_watch *s = timer->data;
    if (!s->begun)
        ensemble_settle(s);
    else if (s->owed == 0 && s->live->cluster->servers.every_ms > 0)
        read_config(s);
    uv_timer_start(s->timer, ensemble_watch_on_timer, CONFIG_EVERY_MS, 0);
}

/* ---- the whole ---- */

/* Reads the configured addresses, or those of the connect string. */
static bool read_named(struct ensemble_watch *s)
{
    char *error = NULL, **addresses = s->live->cluster->servers.addresses;
    bool good = connect_string_parse(s->live->cluster->hosts, &s->places.named, &error);
    s->configured = addresses != NULL;
    size_t count = 0;
    while (addresses && addresses[count])
        count++;
    if (good && count > 0) {
        for (size_t i = 0; i < s->places.named.count; i++)
            free(s->places.named.servers[i].host);
        free(s->places.named.servers);
        s->places.named.count = 0;
        s->places.named.servers = xcalloc(count, sizeof *s->places.named.servers);
        for (size_t i = 0; i < count && i < CONNECT_STRING_SERVERS; i++) {
            free(error);
            error = NULL;
            s->places.named.count += host_port_parse(addresses[i], strlen(addresses[i]), ZOOKEEPER_PORT,
                                                     &s->places.named.servers[s->places.named.count], &error);
        }
        good = s->places.named.count > 0;
    }
    free(error);
    return good;
}

static void read_admins(struct ensemble_watch *s)
{
    char **list = s->live->cluster->servers.admin_addresses;
    size_t count = 0;
    while (list && list[count])
        count++;
    if (count == 0)
        return;
    s->places.admins = xcalloc(count, sizeof *s->places.admins);
    s->places.admin_ids = xcalloc(count, sizeof *s->places.admin_ids);
    for (size_t i = 0; i < count && s->places.admin_count < CONNECT_STRING_SERVERS; i++) {
        char *error = NULL;
        s->places.admin_count += host_port_parse(list[i], strlen(list[i]), ADMINSERVER_PORT,
                                                 &s->places.admins[s->places.admin_count], &error);
        free(error);
    }
}

/* Runs after all input of a turn with news: has a candidate left in a way that needs an immediate poll? */
static void servers_after_turn(uv_prepare_t *watcher)
{
    struct ensemble_watch *s = watcher->data;
    bool missed = s->places.missed;
    s->places.missed = false;
    if (missed && s->config_read && s->owed == 0 && uv_now(s->live->loop) - s->config_ms >= CONFIG_LEAST_MS)
        read_config(s);
    for (size_t i = 0; s->live->candidates_changed && i < s->places.count; i++)
        server_poll_changed(s->all[i].poll);
    for (size_t i = 0; s->live->leader_missed && i < s->places.count; i++)
        server_poll_missed(s->all[i].poll);
    s->live->candidates_changed = s->live->leader_missed = false;
    if (!model_wants_evidence(s->live->model, s->live->index)) {
        uv_prepare_stop(watcher);
        return;
    }
    for (size_t i = 0; i < s->places.count; i++)
        server_poll_hasten(s->all[i].poll);
}

struct ensemble_watch *ensemble_watch_new(struct live_cluster *live)
{
    struct ensemble_watch *s = xcalloc(1, sizeof *s);
    s->live = live;
    s->places.live = live;
    s->http = http_new(live->loop, &live->cluster->security);
    s->places.book = host_aliases_new(live->loop, on_names, s);
    if (!s->http || !read_named(s)) {
        server_addresses_release(&s->places);
        http_free(s->http);
        free(s);
        return NULL;
    }
    read_admins(s);
    for (size_t i = 0; i < s->places.named.count; i++)
        host_aliases_add(s->places.book, s->places.named.servers[i].host);
    for (size_t i = 0; i < s->places.admin_count; i++)
        host_aliases_add(s->places.book, s->places.admins[i].host);
    s->timer = loop_timer_new(live->loop, s);
    s->watcher = xcalloc(1, sizeof *s->watcher);
    uv_prepare_init(live->loop, s->watcher);
    s->watcher->data = s;
    uv_timer_start(s->timer, ensemble_watch_on_timer, s->configured ? 0 : UNCONNECTED_AFTER_MS, 0);
    return s;
}

void ensemble_watch_news(struct ensemble_watch *s)
{
    uv_prepare_start(s->watcher, servers_after_turn);
}

void ensemble_watch_free(struct ensemble_watch *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->places.count; i++)
        server_poll_free(s->all[i].poll);
    server_addresses_release(&s->places);
    http_free(s->http);
    loop_timer_free(s->timer);
    uv_close((uv_handle_t *)s->watcher, loop_timer_free_handle);
    s->freed = true;
    if (!s->owed)
        free(s);
}

void ensemble_watch_demand(struct ensemble_watch *s)
{
    s->demanded = !s->begun;
    for (size_t i = 0; i < s->places.count; i++)
        server_poll_demand(s->all[i].poll);
}

bool ensemble_watch_is_demanded(const struct ensemble_watch *s)
{
    for (size_t i = 0; i < s->places.count; i++)
        if (server_poll_is_demanded(s->all[i].poll))
            return true;
    return s->demanded && !s->begun;
}

size_t ensemble_watch_count(const struct ensemble_watch *s)
{
    return s->places.count;
}

const char *ensemble_watch_address(const struct ensemble_watch *s, size_t i)
{
    return s->places.list[i].port ? s->places.list[i].address : NULL;
}

const char *ensemble_watch_address_of(const struct ensemble_watch *s, const char *server)
{
    struct host_port at;
    char *error = NULL;
    const char *name = NULL;
    if (host_port_parse(server, strlen(server), ZOOKEEPER_PORT, &at, &error)) {
        for (size_t i = 0; i < s->places.count && !name; i++)
            if (server_addresses_same(&s->places, &at, s->places.list[i].host, s->places.list[i].port))
                name = s->places.list[i].address;
        free(at.host);
    }
    free(error);
    return name;
}

bool ensemble_watch_polls(const struct ensemble_watch *s, const char *address)
{
    for (size_t i = 0; i < s->places.count; i++)
        if (strcmp(s->places.list[i].address, address) == 0)
            return true;
    return false;
}

unsigned ensemble_watch_rounds(const struct ensemble_watch *s)
{
    unsigned fewest = s->begun ? UINT32_MAX : 0;
    for (size_t i = 0; i < s->places.count; i++)
        if (server_poll_rounds(s->all[i].poll) < fewest)
            fewest = server_poll_rounds(s->all[i].poll);
    return fewest;
}
