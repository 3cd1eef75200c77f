/*
 * crowd_floor - a thousand candidates, done as directly as it can be: what tests/bench/crowd is measured
 * against.
 *
 *     crowd_floor HOSTS PATH CANDIDATES own|shared TIMEOUT_MS [FALLS]
 *
 * One epoll loop over one bare handle a candidate: connect thirty at a time, create, read the list, watch the
 * one before. Nothing is survived: whatever goes wrong ends it. Prints and obeys what crowd does. The
 * recipe's steps and requests are the same; "shared" reads one list for all that asked before it began, with
 * the same pauses.
 */
#define _GNU_SOURCE /* epoll */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/bench/client/bare.h"
#include "tests/bench/gauge.h"

#define CONNECTING_MOST 30
#define PAUSE_A_NAME_NS 1500
#define EVENTS 256
/* As often as crowd.c's: a server that has slept for longer takes longer to wake. */
#define FALL_EVERY_US 25000

struct member {
    zhandle_t *zh;
    int32_t number, awaited;
    int fd;
    uint32_t events;
    bool connected;
    int64_t due_us; /* when the library wants to be asked again */
    struct member *next_wanting;
};

static struct member *members;
static size_t count, begun, connecting, stood, lists, requests;
static const char *path;
static bool shared, is_reading;
static struct member *wanting, *served;
static int64_t began_us, next_list_us, died_us;
static size_t leader, falls, fallen;
static int64_t *fall_us;
static long empty_kb;
static int poller;

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void say(const char *what)
{
    qsort(fall_us, fallen, sizeof *fall_us, by_time);
    printf("{\"what\":\"%s\",\"stood_ms\":%.1f,\"cpu_ms\":%.1f,\"kb\":%ld,\"waiting\":%zu,\"lists\":%zu,"
           "\"requests\":%zu,\"fall_p50_us\":%lld}\n",
           what, (double)(now_us() - began_us) / 1e3, gauge_cpu_ms(), gauge_resident_kb() - empty_kb, stood,
           lists, requests, fallen ? (long long)fall_us[fallen / 2] : 0);
    fflush(stdout);
}

static void check(int rc, const char *what)
{
    if (rc != ZOK)
        die("%s: %s", what, zerror(rc));
}

static struct member *of(const void *context)
{
    return (struct member *)(uintptr_t)context;
}

static void fall(void);
static void look(struct member *m);
static void read_for_all(void);

static void stand(struct member *m, bool leads)
{
    if (leads)
        leader = (size_t)(m - members);
    if (stood == count) { /* somebody took over */
        fall_us[fallen++] = now_us() - died_us;
        if (fallen == falls)
            say("fallen");
    } else if (++stood == count) {
        say("stood");
    }
}

static void on_gone(zhandle_t *zh, int type, int state, const char *gone, void *context)
{
    (void)zh, (void)state, (void)gone;
    if (type == ZOO_DELETED_EVENT)
        look(context);
}

static void on_watched(int rc, const struct Stat *stat, const void *context)
{
    (void)stat;
    if (rc == ZNONODE) {
        look(of(context));
        return;
    }
    check(rc, "exists");
    stand(of(context), false);
}

static void watch(struct member *m, int32_t number)
{
    char name[512];
    m->awaited = number;
    snprintf(name, sizeof name, "%s/n_%010d", path, number);
    requests++;
    check(zoo_awexists(m->zh, name, on_gone, m, on_watched, m), "exists");
}

static void on_own_list(int rc, const struct String_vector *names, const struct Stat *stat,
                        const void *context)
{
    (void)stat;
    struct member *m = of(context);
    check(rc, "children");
    int32_t before = -1;
    char mine[16];
    const char *last = NULL;
    snprintf(mine, sizeof mine, "%010d", m->number);
    for (int32_t i = 0; i < names->count; i++) {
        const char *tail = names->data[i] + strlen(names->data[i]) - 10;
        if (memcmp(tail, mine, 10) < 0 && (!last || memcmp(tail, last, 10) > 0))
            last = tail;
    }
    if (last)
        before = bare_sequence(last);
    if (before < 0)
        stand(m, true);
    else
        watch(m, before);
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void on_shared_list(int rc, const struct String_vector *names, const struct Stat *stat,
                           const void *context)
{
    (void)stat, (void)context;
    check(rc, "children");
    is_reading = false;
    int32_t *numbers = malloc((size_t)(names->count + 1) * sizeof *numbers);
    if (!numbers)
        die("out of memory");
    for (int32_t i = 0; i < names->count; i++)
        numbers[i] = bare_sequence(names->data[i]);
    qsort(numbers, (size_t)names->count, sizeof *numbers, by_number);
    struct member *m = served;
    served = NULL;
    while (m) {
        struct member *next = m->next_wanting;
        int32_t *self = bsearch(&m->number, numbers, (size_t)names->count, sizeof *numbers, by_number);
        if (!self)
            die("not in the list");
        if (self == numbers)
            stand(m, true);
        else
            watch(m, self[-1]);
        m = next;
    }
    free(numbers);
    next_list_us = now_us() + (int64_t)names->count * PAUSE_A_NAME_NS / 1000;
}

static void read_for_all(void)
{
    if (!wanting || is_reading || now_us() < next_list_us)
        return;
    is_reading = true;
    served = wanting;
    wanting = NULL;
    lists++;
    requests++;
    check(zoo_aget_children2(served->zh, path, 0, on_shared_list, NULL), "children");
}

static void look(struct member *m)
{
    if (shared) {
        m->next_wanting = wanting;
        wanting = m;
        return;
    }
    lists++;
    requests++;
    check(zoo_aget_children2(m->zh, path, 0, on_own_list, m), "children");
}

static void on_directory(int rc, const char *value, const void *context)
{
    (void)value, (void)context;
    if (rc != ZNODEEXISTS)
        check(rc, "create the directory");
}

static void volunteer(struct member *m);

static void on_created(int rc, const char *value, const void *context)
{
    struct member *m = of(context);
    if (rc == ZNONODE) { /* the first has yet to make the directory */
        volunteer(m);
        return;
    }
    check(rc, "create");
    m->number = bare_sequence(value);
    look(m);
}

static void volunteer(struct member *m)
{
    char name[512];
    snprintf(name, sizeof name, "%s/n_", path);
    requests++;
    check(zoo_acreate(m->zh, name, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE, on_created, m),
          "create");
}

static void on_session(zhandle_t *zh, int type, int state, const char *none, void *context)
{
    struct member *m = context;
    (void)none;
    if (type != ZOO_SESSION_EVENT || m->connected)
        return;
    if (state != ZOO_CONNECTED_STATE)
        die("no connection (state %d)", state);
    m->connected = true;
    connecting--;
    if (m == members)
        check(zoo_acreate(zh, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, on_directory, NULL), "create");
    volunteer(m);
}

static void no_log(const char *message)
{
    (void)message;
}

static void arm(struct member *m)
{
    int fd = -1, interest = 0;
    struct timeval within = {0};
    check(zookeeper_interest(m->zh, &fd, &interest, &within), "interest");
    uint32_t events =
        (interest & ZOOKEEPER_READ ? EPOLLIN : 0u) | (interest & ZOOKEEPER_WRITE ? EPOLLOUT : 0u);
    m->due_us = now_us() + (int64_t)within.tv_sec * 1000000 + within.tv_usec;
    if (fd == m->fd && events == m->events)
        return;
    struct epoll_event event = {.events = events, .data = {.ptr = m}};
    if (epoll_ctl(poller, fd == m->fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
        die("epoll_ctl");
    m->fd = fd;
    m->events = events;
}

static void begin(const char *hosts, int timeout_ms)
{
    while (begun < count && connecting < CONNECTING_MOST) {
        struct member *m = &members[begun++];
        connecting++;
        m->fd = -1;
        m->zh = zookeeper_init2(hosts, on_session, timeout_ms, NULL, m, ZOO_NO_LOG_CLIENTENV, no_log);
        if (!m->zh)
            die("zookeeper_init");
        zoo_set_servers_resolution_delay(m->zh, -1);
        arm(m);
    }
}

/* One frame, since each has asked one thing only: what else there is shows in the next poll. */
static void take(struct member *m, uint32_t got)
{
    int rc = zookeeper_process(m->zh, (got & EPOLLOUT ? ZOOKEEPER_WRITE : 0) |
                                          (got & (EPOLLIN | EPOLLHUP | EPOLLERR) ? ZOOKEEPER_READ : 0));
    if (rc != ZNOTHING)
        check(rc, "process");
}

static void fall(void)
{
    struct member *m = &members[leader];
    epoll_ctl(poller, EPOLL_CTL_DEL, m->fd, NULL);
    died_us = now_us();
    zookeeper_close(m->zh);
    m->zh = NULL;
}

/* From the back: nobody is left then who would be told, and all sessions end at once instead of expiring. */
static _Noreturn void end(void)
{
    while (begun > 0)
        if (members[--begun].zh)
            zookeeper_close(members[begun].zh);
    exit(0);
}

/* Pings: whoever's time has come. A look at all of them twenty times a second costs less than any order
 * would. */
static void ping(void)
{
    static int64_t next_us;
    int64_t at_us = now_us();
    if (at_us < next_us)
        return;
    next_us = at_us + 50000;
    for (size_t i = 0; i < begun; i++)
        if (members[i].zh && members[i].due_us <= at_us)
            arm(&members[i]);
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc > 7)
        die("usage: crowd_floor HOSTS PATH CANDIDATES own|shared TIMEOUT_MS [FALLS]");
    path = argv[2];
    count = strtoul(argv[3], NULL, 10);
    shared = strcmp(argv[4], "shared") == 0;
    int timeout_ms = (int)strtol(argv[5], NULL, 10);
    falls = argc > 6 ? strtoul(argv[6], NULL, 10) : 0;
    struct rlimit files = {.rlim_cur = count + 100, .rlim_max = 0};
    struct rlimit had;
    getrlimit(RLIMIT_NOFILE, &had);
    files.rlim_max = had.rlim_max;
    if (had.rlim_cur < files.rlim_cur && setrlimit(RLIMIT_NOFILE, &files) != 0)
        die("too few descriptors");
    members = calloc(count, sizeof *members);
    fall_us = calloc(falls + 1, sizeof *fall_us);
    poller = epoll_create1(0);
    if (!members || !fall_us || poller < 0)
        die("out of memory");
    zoo_set_debug_level(0);
    zoo_deterministic_conn_order(1); /* there is one server: no seed is needed to choose it */
    empty_kb = gauge_resident_kb();
    began_us = now_us();
    struct epoll_event input = {.events = EPOLLIN, .data = {.ptr = NULL}};
    epoll_ctl(poller, EPOLL_CTL_ADD, 0, &input);
    size_t fell = 0;
    int64_t next_fall_us = 0;
    for (;;) {
        begin(argv[1], timeout_ms);
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(poller, events, EVENTS, shared && wanting ? 1 : stood < count ? 10 : 5);
        for (int i = 0; i < ready; i++) {
            struct member *m = events[i].data.ptr;
            if (!m) {
                char bytes[64];
                if (read(0, bytes, sizeof bytes) <= 0)
                    end();
                say("now");
                continue;
            }
            take(m, events[i].events);
            arm(m);
        }
        if (shared) {
            struct member *reader = wanting;
            read_for_all();
            if (reader && is_reading)
                arm(reader);
        }
        ping();
        if (stood == count && fell == fallen && fell < falls && now_us() >= next_fall_us) {
            next_fall_us = now_us() + FALL_EVERY_US;
            fell++;
            fall();
        }
    }
}
