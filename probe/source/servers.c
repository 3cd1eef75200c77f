#include "probe/source/servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/units.h"
#include "probe/log.h"
#include "probe/source/host_book.h"
#include "probe/source/inquiry.h"
#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/ensemble.h"

/* While nobody is connected, the servers of the connect string are asked how they are after this time. */
#define UNCONNECTED_AFTER_MS 1000
/* Names that take longer to look up are taken as they are written, until they are known. */
#define NAMES_WITHIN_MS 3000
/* Who belongs to the ensemble is read again this often, and at the earliest after this. */
#define CONFIG_EVERY_MS 30000
#define CONFIG_LEAST_MS 2000
#define SERVERS_MOST (CONNECT_STRING_SERVERS + ENSEMBLE_MEMBERS)
#define CONFIG_PATH "/zookeeper/config"

#define HOST_UNKNOWN "/zookeeper/config names no host of it that can be read; name it under servers.addresses"
#define PLACE_UNKNOWN "/zookeeper/config does not say where it answers; name it under servers.addresses"
#define TOO_MANY "/zookeeper/config names more than 64 servers; the others are not asked"

/* A server that is to be asked: a copy of what names it. */
struct place {
    char *address, *host; /* address: as observations call it */
    int port;             /* 0: not known */
    const char *problem;  /* ... and why not; static text */
    size_t index;         /* in the list that it comes from */
    size_t member;        /* in /zookeeper/config; ENSEMBLE_MEMBERS: it is not known as any */
    int64_t id;           /* its id there; -1: not known */
};

struct asked {
    struct place place;
    struct inquiry *inquiry;
    bool wanted;
};

struct servers {
    struct live *live;
    struct http *http;
    struct host_book *book;
    struct connect_string named; /* the connect string's, or the configured ones */
    bool configured;
    bool was_member[CONNECT_STRING_SERVERS]; /* of them */
    struct host_port *admins;                /* NULL: none are listed */
    size_t admin_count;

    struct asked all[SERVERS_MOST];
    size_t count;
    bool begun, demanded;
    uv_timer_t *timer;
    uv_prepare_t *watcher; /* of what the model has just seen */
    unsigned owed;         /* answers of our session that still refer to this */
    bool freed;

    struct ensemble_member members[ENSEMBLE_MEMBERS];
    size_t member_count; /* may be more than are known: ENSEMBLE_MEMBERS at most */
    bool config_read;    /* it was answered, whatever it says */
    uint64_t config_ms;
};

static bool same_place(const struct servers *s, const struct host_port *one, const char *host, int port)
{
    return one->port == port && host_book_same(s->book, one->host, host);
}

/* ---- those that are asked ---- */

static void place_free(struct place *p)
{
    free(p->address);
    free(p->host);
}

static void drop(struct servers *s, size_t i)
{
    log_line(LOG_LEVEL_INFO, "%s: %s is not asked any more", live_name(s->live), s->all[i].place.address);
    inquiry_free(s->all[i].inquiry);
    place_free(&s->all[i].place);
    s->count--;
    memmove(&s->all[i], &s->all[i + 1], (s->count - i) * sizeof *s->all);
}

/* Takes what place points at. */
static void want(struct servers *s, struct place place)
{
    for (size_t i = 0; place.address && i < s->count; i++)
        if (strcmp(s->all[i].place.address, place.address) == 0) {
            s->all[i].wanted = true;
            s->all[i].place.index = place.index;
            s->all[i].place.member = place.member;
            s->all[i].place.id = place.id;
            place_free(&place);
            return;
        }
    struct inquiry_place asked = {
        .address = place.address, .host = place.host, .port = place.port, .problem = place.problem};
    struct inquiry *q = NULL;
    if (place.address && place.host && s->count < SERVERS_MOST)
        q = inquiry_new(s->live, s, s->http, &asked);
    if (!q) {
        place_free(&place);
        return;
    }
    s->all[s->count++] = (struct asked){.place = place, .inquiry = q, .wanted = true};
    if (s->demanded)
        inquiry_demand(q);
    else
        inquiry_begin(q);
}

/* ---- who belongs to the ensemble ---- */

static int port_of(const struct servers *s, const struct ensemble_member *m)
{
    return m->port ? m->port : s->named.servers[0].port;
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

/* Another member before it has the same address, so it cannot be its own. */
static bool is_doubtful(const struct servers *s, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (port_of(s, &s->members[j]) == port_of(s, &s->members[i]) &&
            strcmp(s->members[j].host, s->members[i].host) == 0)
            return true;
    return false;
}

static void want_member(struct servers *s, size_t i)
{
    const struct ensemble_member *m = &s->members[i];
    struct host_port at = {.host = (char *)(uintptr_t)m->host, .port = port_of(s, m)};
    struct place place = {.host = strdup(m->host), .index = i, .member = i, .id = id_of(m)};
    if (!*m->host || is_doubtful(s, i)) {
        char name[40];
        snprintf(name, sizeof name, "server.%s", m->id);
        place.address = strdup(name);
        place.problem = *m->host ? PLACE_UNKNOWN : HOST_UNKNOWN;
    } else {
        place.address = host_port_print(&at);
        place.port = at.port;
    }
    want(s, place);
}

/* member: ENSEMBLE_MEMBERS: it is not known as any. */
static void want_named(struct servers *s, size_t i, size_t member)
{
    const struct host_port *one = &s->named.servers[i];
    want(s, (struct place){.address = host_port_print(one),
                           .host = strdup(one->host),
                           .port = one->port,
                           .index = i,
                           .member = member,
                           .id = member < ENSEMBLE_MEMBERS ? id_of(&s->members[member]) : -1});
}

/* Which of those that are named this member is; CONNECT_STRING_SERVERS: none. */
static size_t named_as(const struct servers *s, size_t member)
{
    const struct ensemble_member *m = &s->members[member];
    for (size_t i = 0; *m->host && !is_doubtful(s, member) && i < s->named.count; i++)
        if (same_place(s, &s->named.servers[i], m->host, port_of(s, m)))
            return i;
    return CONNECT_STRING_SERVERS;
}

static void tell_ensemble(struct servers *s, enum ensemble_known known)
{
    const char *addresses[SERVERS_MOST];
    for (size_t i = 0; i < s->count; i++)
        addresses[i] = s->all[i].place.address;
    struct observation o = live_observation(s->live, OBSERVED_ENSEMBLE, NULL, NULL);
    o.ensemble = (struct observed_ensemble){.addresses = addresses, .count = s->count, .known = known};
    model_observe(s->live->model, &o);
}

/*
 * Decides who is asked, with what is known now; may be done again with more. Names are compared, so where the
 * ensemble calls its members by names that mean nothing here, none of those that are named is found among
 * them: then these are asked, and only as many others as there must be.
 */
static void settle(struct servers *s)
{
    size_t as[ENSEMBLE_MEMBERS], found = 0, reached = 0;
    size_t members = s->member_count < ENSEMBLE_MEMBERS ? s->member_count : ENSEMBLE_MEMBERS;
    size_t is[CONNECT_STRING_SERVERS];
    for (size_t i = 0; i < s->named.count; i++)
        is[i] = ENSEMBLE_MEMBERS;
    for (size_t i = 0; i < members; i++) {
        as[i] = named_as(s, i);
        reached += host_book_knows(s->book, s->members[i].host);
        if (as[i] == CONNECT_STRING_SERVERS)
            continue;
        found++;
        is[as[i]] = i;
        s->was_member[as[i]] = true;
    }
    for (size_t i = 0; i < s->count; i++)
        s->all[i].wanted = false;

    /* A name for all of them together is none of them; but where names mean nothing here, it is all we have.
     */
    bool more = !s->configured && members > s->named.count;
    bool together = more && reached + s->named.count > members;
    size_t nameless = 0; /* asked, and not known to be any of the members */
    for (size_t i = 0; i < s->named.count; i++) {
        bool member = is[i]<ENSEMBLE_MEMBERS, left = members> 0 && !member && s->was_member[i];
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
        want(s, (struct place){.address = strdup("further servers"),
                               .host = strdup(""),
                               .problem = TOO_MANY,
                               .member = ENSEMBLE_MEMBERS,
                               .id = -1});
    for (size_t i = s->count; i-- > 0;)
        if (!s->all[i].wanted)
            drop(s, i);

    bool whole = members > 0 && s->member_count == members && (others || found == members);
    bool part = !whole && s->count < s->member_count;
    tell_ensemble(s, whole ? ENSEMBLE_WHOLE : part ? ENSEMBLE_PART : ENSEMBLE_UNKNOWN);
    s->begun = true;
}

static void on_names(void *context)
{
    struct servers *s = context;
    if (s->config_read || s->begun)
        settle(s);
}

static void on_timer(uv_timer_t *timer);

static void on_config(void *context, enum session_result result, const struct znode_stat *stat,
                      const void *data, size_t length)
{
    (void)stat;
    struct servers *s = context;
    s->owed--;
    if (s->freed) {
        if (!s->owed)
            free(s);
        return;
    }
    if (result == SESSION_LOST)
        return;
    s->config_read = true;
    if (result == SESSION_OK)
        s->member_count = ensemble_parse(data, length, s->members);
    for (size_t i = 0; i < s->member_count && i < ENSEMBLE_MEMBERS; i++)
        if (*s->members[i].host)
            host_book_add(s->book, s->members[i].host);
    if (!host_book_is_busy(s->book))
        settle(s);
    else if (!s->begun)
        uv_timer_start(s->timer, on_timer, NAMES_WITHIN_MS, 0);
}

static void read_config(struct servers *s)
{
    s->config_ms = uv_now(s->live->loop);
    if (session_get(s->live->session, CONFIG_PATH, false, on_config, s))
        s->owed++;
}

void servers_connected(struct servers *s)
{
    host_book_retry(s->book);
    read_config(s);
}

void servers_missed(struct servers *s)
{
    if (s->config_read && s->owed == 0 && uv_now(s->live->loop) - s->config_ms >= CONFIG_LEAST_MS)
        read_config(s);
}

static void on_timer(uv_timer_t *timer)
{
    struct servers *s = timer->data;
    if (!s->begun)
        settle(s);
    else if (s->owed == 0 && s->live->cluster->servers.every_ms > 0)
        read_config(s);
    uv_timer_start(s->timer, on_timer, CONFIG_EVERY_MS, 0);
}

/* ---- AdminServers ---- */

static const struct place *place_of(const struct servers *s, const struct inquiry *q)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].inquiry == q)
            return &s->all[i].place;
    return NULL;
}

/* How many of those that are asked are on this host. */
static size_t on_host(const struct servers *s, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += s->all[i].place.port && host_book_same(s->book, s->all[i].place.host, host);
    return count;
}

/* The list of those that may be this server's, the one in its own place of the list first; their number. */
static size_t choose(const struct servers *s, const struct place *p, size_t chosen[CONNECT_STRING_SERVERS],
                     bool *same_host)
{
    size_t count = 0;
    for (size_t i = 0; i < s->admin_count; i++)
        if (host_book_same(s->book, s->admins[i].host, p->host))
            chosen[count++] = i;
    *same_host = count > 0;
    for (size_t i = 0; !*same_host && i < s->admin_count; i++)
        if (on_host(s, s->admins[i].host) == 0)
            chosen[count++] = i;
    size_t likeliest = s->admin_count == s->named.count ? p->index : p->member;
    for (size_t i = 1; i < count; i++)
        if (chosen[i] == likeliest) {
            memmove(chosen + 1, chosen, i * sizeof *chosen);
            chosen[0] = likeliest;
        }
    return count;
}

size_t servers_admins(const struct servers *s, const struct inquiry *q)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct place *p = place_of(s, q);
    if (!p || s->live->cluster->servers.admin_off)
        return 0;
    return s->admins ? choose(s, p, chosen, &same_host) : 1;
}

bool servers_admin(const struct servers *s, const struct inquiry *q, size_t i, struct admin_choice *out)
{
    size_t chosen[CONNECT_STRING_SERVERS];
    bool same_host;
    const struct place *p = place_of(s, q);
    if (!p || i >= servers_admins(s, q))
        return false;
    if (!s->admins) {
        *out = (struct admin_choice){p->host, s->live->cluster->servers.admin_port, true};
        return true;
    }
    size_t count = choose(s, p, chosen, &same_host);
    const struct host_port *one = &s->admins[chosen[i]];
    *out = (struct admin_choice){one->host, one->port, same_host && count == 1 && on_host(s, p->host) == 1};
    return true;
}

int64_t servers_id(const struct servers *s, const struct inquiry *q)
{
    const struct place *p = place_of(s, q);
    return p ? p->id : -1;
}

size_t servers_with_port(const struct servers *s, int port)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += s->all[i].place.port == port;
    return count;
}

bool servers_has_ours(const struct servers *s, const char *host, int port)
{
    for (size_t i = 0; i < s->live->lane_count; i++) {
        const char *server = session_server(s->live->lanes[i].session);
        struct host_port at;
        char *error = NULL;
        if (!server || !host_port_parse(server, strlen(server), ZOOKEEPER_PORT, &at, &error)) {
            free(error);
            continue;
        }
        host_book_add(s->book, at.host);
        bool same = same_place(s, &at, host, port);
        free(at.host);
        if (same)
            return true;
    }
    return false;
}

/* ---- the whole ---- */

/* The addresses that are configured, or those of the connect string. */
static bool read_named(struct servers *s)
{
    char *error = NULL, **addresses = s->live->cluster->servers.addresses;
    bool good = connect_string_parse(s->live->cluster->hosts, &s->named, &error);
    s->configured = addresses != NULL;
    size_t count = 0;
    while (addresses && addresses[count])
        count++;
    if (good && count > 0) {
        for (size_t i = 0; i < s->named.count; i++)
            free(s->named.servers[i].host);
        free(s->named.servers);
        s->named.count = 0;
        s->named.servers = calloc(count, sizeof *s->named.servers);
        for (size_t i = 0; s->named.servers && i < count && i < CONNECT_STRING_SERVERS; i++) {
            free(error);
            error = NULL;
            s->named.count += host_port_parse(addresses[i], strlen(addresses[i]), ZOOKEEPER_PORT,
                                              &s->named.servers[s->named.count], &error);
        }
        good = s->named.count > 0;
    }
    free(error);
    return good;
}

static bool read_admins(struct servers *s)
{
    char **list = s->live->cluster->servers.admin_addresses;
    size_t count = 0;
    while (list && list[count])
        count++;
    if (count == 0)
        return true;
    s->admins = calloc(count, sizeof *s->admins);
    for (size_t i = 0; s->admins && i < count && s->admin_count < CONNECT_STRING_SERVERS; i++) {
        char *error = NULL;
        s->admin_count +=
            host_port_parse(list[i], strlen(list[i]), ADMINSERVER_PORT, &s->admins[s->admin_count], &error);
        free(error);
    }
    return s->admins != NULL;
}

static void release(struct servers *s)
{
    host_book_free(s->book);
    http_free(s->http);
    connect_string_free(&s->named);
    for (size_t i = 0; i < s->admin_count; i++)
        free(s->admins[i].host);
    free(s->admins);
}

/* After all that came at once has been told: does anybody's end want looking into? */
static void on_told(uv_prepare_t *watcher)
{
    struct servers *s = watcher->data;
    if (!model_wants_evidence(s->live->model, s->live->index))
        return;
    for (size_t i = 0; i < s->count; i++)
        inquiry_hasten(s->all[i].inquiry);
}

struct servers *servers_new(struct live *live)
{
    struct servers *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->live = live;
    s->timer = calloc(1, sizeof *s->timer);
    s->watcher = calloc(1, sizeof *s->watcher);
    s->http = http_new(live->loop);
    s->book = host_book_new(live->loop, on_names, s);
    if (!s->timer || !s->watcher || !s->http || !s->book || !read_named(s) || !read_admins(s)) {
        release(s);
        free(s->timer);
        free(s->watcher);
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < s->named.count; i++)
        host_book_add(s->book, s->named.servers[i].host);
    for (size_t i = 0; i < s->admin_count; i++)
        host_book_add(s->book, s->admins[i].host);
    uv_timer_init(live->loop, s->timer);
    s->timer->data = s;
    uv_prepare_init(live->loop, s->watcher);
    s->watcher->data = s;
    uv_prepare_start(s->watcher, on_told);
    uv_timer_start(s->timer, on_timer, s->configured ? 0 : UNCONNECTED_AFTER_MS, 0);
    return s;
}

static void on_handle_closed(uv_handle_t *handle)
{
    free(handle);
}

void servers_free(struct servers *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        inquiry_free(s->all[i].inquiry);
        place_free(&s->all[i].place);
    }
    s->count = 0;
    release(s);
    uv_timer_stop(s->timer);
    uv_close((uv_handle_t *)s->timer, on_handle_closed);
    uv_prepare_stop(s->watcher);
    uv_close((uv_handle_t *)s->watcher, on_handle_closed);
    s->freed = true;
    if (!s->owed)
        free(s);
}

void servers_demand(struct servers *s)
{
    s->demanded = !s->begun;
    for (size_t i = 0; i < s->count; i++)
        inquiry_demand(s->all[i].inquiry);
}

bool servers_are_demanded(const struct servers *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (inquiry_is_demanded(s->all[i].inquiry))
            return true;
    return s->demanded && !s->begun;
}

size_t servers_count(const struct servers *s)
{
    return s->count;
}

const char *servers_address(const struct servers *s, size_t i)
{
    return s->all[i].place.port ? s->all[i].place.address : NULL;
}

bool servers_ask(const struct servers *s, const char *address)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->all[i].place.address, address) == 0)
            return true;
    return false;
}

unsigned servers_rounds(const struct servers *s)
{
    unsigned fewest = s->begun ? UINT32_MAX : 0;
    for (size_t i = 0; i < s->count; i++)
        if (inquiry_rounds(s->all[i].inquiry) < fewest)
            fewest = inquiry_rounds(s->all[i].inquiry);
    return fewest;
}
