/*
 * floor - what watching an election costs when a program does only the calls themselves.
 *
 *     floor HOSTS notify PATH SECONDS   an exists watch on the leader; when it fires, one read of the next
 *     floor HOSTS look PATH             connect, read the list, read every candidate, pipelined
 *     floor HOSTS walk PATH             connect, read the list of children of every znode below, pipelined
 *     floor HOSTS elections PATH        connect, read the lists of PATH and of its children, and the data of theirs
 *     floor HOSTS churn PATH SECONDS    read the list again a little after a notification, and each newcomer once
 *     floor HOSTS hold PATH SECONDS ADMIN [CLUSTERS]
 *                                       watch the list of each election below PATH, and read each newcomer once
 *
 * It prints what it saw with its own times (microseconds of CLOCK_MONOTONIC); see each mode. It ends by
 * itself after SECONDS, and earlier on SIGTERM.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/bench/client/bare.h"
#include "tests/bench/gauge.h"

#define TIMEOUT_MS 10000
#define PATH_MOST 1024

/* Reads in flight at once: enough that the server never waits for us, few enough that its answers never
   wait for us either. */
#define READS_IN_FLIGHT 2000

struct watching {
    struct bare bare;
    const char *path;
    int32_t *sequences; /* of the candidates, in election order */
    size_t count, room;
    size_t at;       /* sequences[at] leads */
    char prefix[64]; /* of their names: "n_" */
    bool reading;    /* a list is on its way */
    bool again;      /* ... and another is needed after it */
    char **names;    /* look: as they came */
    size_t sent, answered;
    int64_t listed_us, looked_us;
    uint64_t lists, changes;
};

static void check(int rc, const char *what)
{
    if (rc != ZOK)
        die("%s: %s", what, zerror(rc));
}

static void name_path(const struct watching *w, int32_t sequence, char buffer[PATH_MOST])
{
    snprintf(buffer, PATH_MOST, "%s/%s%010d", w->path, w->prefix, sequence);
}

/* By eleven bits at a time: at 100,000 it takes a tenth of what qsort() does. */
static void sort(int32_t *sequences, size_t count)
{
    int32_t *other = malloc((count + 1) * sizeof *other), *from = sequences, *to = other, most = 0;
    if (other == NULL)
        die("out of memory");
    for (size_t i = 0; i < count; i++)
        most = sequences[i] > most ? sequences[i] : most;
    for (int shift = 0; shift < 32 && most >> shift > 0; shift += 11) {
        size_t starts[2049] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(from[i] >> shift & 2047) + 1]++;
        for (int i = 1; i < 2048; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & 2047]++] = from[i];
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != sequences)
        memcpy(sequences, from, count * sizeof *sequences);
    free(other);
}

static void take_names(struct watching *w, const struct String_vector *names)
{
    if ((size_t)names->count > w->room) {
        w->room = (size_t)names->count * 2;
        w->sequences = realloc(w->sequences, w->room * sizeof *w->sequences);
        if (w->sequences == NULL)
            die("out of memory");
    }
    for (int32_t i = 0; i < names->count; i++)
        w->sequences[i] = bare_sequence(names->data[i]);
    w->count = (size_t)names->count;
    if (w->count > 0)
        snprintf(w->prefix, sizeof w->prefix, "%.*s", (int)strlen(names->data[0]) - 10, names->data[0]);
}

static void run_for(struct watching *w, int64_t us)
{
    int64_t until_us = now_us() + us;
    while (!bare_ended() && now_us() < until_us)
        bare_turn(&w->bare, 1, -1, until_us);
}

/*
 * notify: prints "armed NAME" once it watches, and for each fall of the leader
 *     lost NAME AT        the watch fired
 *     elected NAME AT     the one read of the next in line has been answered, and it is watched
 * The next list is read after that, out of the way of what is measured.
 */
static void guard_leader(struct watching *w);
static void read_order(struct watching *w);

static void on_leader_gone(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct watching *w = context;
    int64_t at_us = now_us();
    (void)zh;
    (void)state;
    if (type != ZOO_DELETED_EVENT)
        return;
    w->at++;
    /* The read goes out first, the line after it: writing must not delay it. */
    if (w->at < w->count)
        guard_leader(w);
    else
        read_order(w);
    printf("lost %s %lld\n", strrchr(path, '/') + 1, (long long)at_us);
    fflush(stdout);
}

static void on_next_read(int rc, const struct Stat *stat, const void *context)
{
    struct watching *w = (struct watching *)(uintptr_t)context;
    int64_t at_us = now_us();
    (void)stat;
    if (rc == ZNONODE) {
        read_order(w);
        return;
    }
    check(rc, "exists");
    bool first = w->changes++ == 0;
    char path[PATH_MOST];
    name_path(w, w->sequences[w->at], path);
    printf("%s %s %lld\n", first ? "armed" : "elected", strrchr(path, '/') + 1, (long long)at_us);
    fflush(stdout);
    read_order(w);
}

static void guard_leader(struct watching *w)
{
    char path[PATH_MOST];
    name_path(w, w->sequences[w->at], path);
    check(zoo_awexists(w->bare.zh, path, on_leader_gone, w, on_next_read, w), "exists");
}

static void on_order(int rc, const struct String_vector *names, const struct Stat *stat, const void *context)
{
    struct watching *w = (struct watching *)(uintptr_t)context;
    (void)stat;
    check(rc, "children");
    int32_t watched = w->at < w->count ? w->sequences[w->at] : -1;
    take_names(w, names);
    sort(w->sequences, w->count);
    w->at = 0;
    if (w->count > 0 && w->sequences[0] != watched)
        guard_leader(w);
}

static void read_order(struct watching *w)
{
    check(zoo_aget_children2(w->bare.zh, w->path, 0, on_order, w), "children");
}

static void notify(struct watching *w, int64_t for_us)
{
    bare_connect(&w->bare, 1);
    read_order(w);
    run_for(w, for_us);
}

/*
 * look: prints, when everything has been read,
 *     connected AT
 *     listed AT
 *     looked AT COUNT
 */
static void on_candidate(int rc, const char *value, int length, const struct Stat *stat, const void *context)
{
    struct watching *w = (struct watching *)(uintptr_t)context;
    (void)value;
    (void)length;
    (void)stat;
    if (rc != ZNONODE)
        check(rc, "get");
    w->answered++;
}

static void on_names(int rc, const struct String_vector *names, const struct Stat *stat, const void *context)
{
    struct watching *w = (struct watching *)(uintptr_t)context;
    (void)stat;
    check(rc, "children");
    w->listed_us = now_us();
    w->count = (size_t)names->count;
    w->names = calloc(w->count + 1, sizeof *w->names);
    if (w->names == NULL)
        die("out of memory");
    for (size_t i = 0; i < w->count; i++) {
        w->names[i] = strdup(names->data[i]);
        if (w->names[i] == NULL)
            die("out of memory");
    }
}

static void look(struct watching *w, int64_t within_us)
{
    int64_t until_us = now_us() + within_us;
    bare_connect(&w->bare, 1);
    check(zoo_aget_children2(w->bare.zh, w->path, 0, on_names, w), "children");
    while (w->names == NULL || w->answered < w->count) {
        while (w->sent < w->count && w->sent - w->answered < READS_IN_FLIGHT) {
            char path[PATH_MOST];
            snprintf(path, sizeof path, "%s/%s", w->path, w->names[w->sent++]);
            check(zoo_aget(w->bare.zh, path, 0, on_candidate, w), "get");
        }
        if (bare_ended() || now_us() > until_us)
            die("%s was not read in time", w->path);
        bare_turn(&w->bare, 1, -1, until_us);
    }
    w->looked_us = now_us();
    printf("connected %lld\nlisted %lld\nlooked %lld %zu\n", (long long)w->bare.connected_us,
           (long long)w->listed_us, (long long)w->looked_us, w->count);
}

/*
 * walk, elections: print, when everything has been read,
 *     looked AT COUNT
 */
struct place {
    struct walking *walking;
    struct place *next;
    int depth;
    char path[];
};

struct walking {
    struct watching *watching;
    int data_depth; /* data is read here instead of children; -1: nowhere */
    struct place *first, *last;
    size_t in_flight, count;
};

static void place_add(struct walking *k, const char *parent, const char *name, int depth)
{
    size_t room = strlen(parent) + strlen(name) + 2;
    struct place *place = malloc(sizeof *place + room);
    if (place == NULL)
        die("out of memory");
    *place = (struct place){.walking = k, .depth = depth};
    snprintf(place->path, room, "%s%s%s", strcmp(parent, "/") == 0 ? "" : parent, *name != '\0' ? "/" : "",
             name);
    if (k->last != NULL)
        k->last->next = place;
    else
        k->first = place;
    k->last = place;
}

static void on_place(int rc, const struct String_vector *names, const struct Stat *stat, const void *context)
{
    struct place *place = (struct place *)(uintptr_t)context;
    struct walking *k = place->walking;
    (void)stat;
    k->in_flight--;
    k->count++;
    if (rc != ZNONODE)
        check(rc, "children");
    for (int32_t i = 0; rc == ZOK && i < names->count; i++)
        place_add(k, place->path, names->data[i], place->depth + 1);
    free(place);
}

static void on_place_data(int rc, const char *value, int length, const struct Stat *stat, const void *context)
{
    (void)value, (void)length;
    on_place(rc == ZOK ? ZNONODE : rc, NULL, stat, context);
}

static void place_read(struct walking *k)
{
    zhandle_t *zh = k->watching->bare.zh;
    struct place *place = k->first;
    k->first = place->next;
    if (k->first == NULL)
        k->last = NULL;
    k->in_flight++;
    if (place->depth == k->data_depth)
        check(zoo_aget(zh, place->path, 0, on_place_data, place), "get");
    else
        check(zoo_aget_children2(zh, *place->path != '\0' ? place->path : "/", 0, on_place, place),
              "children");
}

static void walk(struct watching *w, int data_depth, int64_t within_us)
{
    struct walking k = {.watching = w, .data_depth = data_depth};
    int64_t until_us = now_us() + within_us;
    bare_connect(&w->bare, 1);
    place_add(&k, w->path, "", 0);
    while (k.first != NULL || k.in_flight > 0) {
        while (k.first != NULL && k.in_flight < READS_IN_FLIGHT)
            place_read(&k);
        if (bare_ended() || now_us() > until_us)
            die("%s was not read in time", w->path);
        bare_turn(&w->bare, 1, -1, until_us);
    }
    printf("looked %lld %zu\n", (long long)now_us(), k.count);
}

/*
 * churn: prints "leader NAME AT" whenever another one is known to lead, as it is first in line and has been read, and at its end "read LISTS CPU_MS".
 *
 * As well as it can be done: the list is read at most every LIST_EVERY_US, as electop reads one of this size, the
 * numbers stay in order, each newcomer is read once, and a watch on the leader's znode tells its end at once.
 */
#define LIST_EVERY_US 250000

static void churn_guard(struct watching *w);

static void on_churn_leader_gone(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct watching *w = context;
    (void)zh, (void)state;
    if (type != ZOO_DELETED_EVENT || bare_sequence(path) != w->sequences[w->at] || w->at + 1 >= w->count)
        return;
    w->at++;
    churn_guard(w);
}

struct guarded {
    struct watching *watching;
    int32_t sequence;
};

/* One that is gone when it is read may have left before it led. */
static void on_churn_guarded(int rc, const struct Stat *stat, const void *context)
{
    struct guarded *asked = (struct guarded *)(uintptr_t)context;
    struct watching *w = asked->watching;
    bool current = w->count > 0 && w->sequences[w->at] == asked->sequence;
    (void)stat;
    free(asked);
    if (rc != ZNONODE)
        check(rc, "exists");
    if (current && rc == ZOK) {
        printf("leader %s%010d %lld\n", w->prefix, w->sequences[w->at], (long long)now_us());
        fflush(stdout);
    } else if (current && w->at + 1 < w->count) {
        w->at++;
        churn_guard(w);
    }
}

static void churn_guard(struct watching *w)
{
    char path[PATH_MOST];
    struct guarded *asked = malloc(sizeof *asked);
    if (asked == NULL)
        die("out of memory");
    *asked = (struct guarded){w, w->sequences[w->at]};
    name_path(w, w->sequences[w->at], path);
    check(zoo_awexists(w->bare.zh, path, on_churn_leader_gone, w, on_churn_guarded, asked), "exists");
}

static void on_churn_changed(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct watching *w = context;
    (void)zh, (void)state, (void)path;
    w->again = w->again || type == ZOO_CHILD_EVENT;
}

/* The next number is above all that were there: newcomers are at the end of the list in order. */
static void read_newcomers(struct watching *w, int32_t latest)
{
    char path[PATH_MOST];
    for (size_t i = w->count; i > 0 && w->sequences[i - 1] > latest; i--) {
        name_path(w, w->sequences[i - 1], path);
        check(zoo_aget(w->bare.zh, path, 0, on_candidate, w), "get");
    }
}

static void on_list(int rc, const struct String_vector *names, const struct Stat *stat, const void *context)
{
    struct watching *w = (struct watching *)(uintptr_t)context;
    (void)stat;
    check(rc, "children");
    int32_t led = w->count > 0 ? w->sequences[w->at] : -1,
            latest = w->count > 0 ? w->sequences[w->count - 1] : INT32_MAX;
    w->lists++;
    w->reading = false;
    take_names(w, names);
    sort(w->sequences, w->count);
    w->at = 0;
    /* One that its own watch told to be gone may be in a list that was on its way. */
    while (w->at + 1 < w->count && w->sequences[w->at] < led)
        w->at++;
    if (w->count > 0)
        read_newcomers(w, latest);
    if (w->count > 0 && w->sequences[w->at] != led)
        churn_guard(w);
}

static void churn(struct watching *w, int64_t for_us)
{
    int64_t until_us = now_us() + for_us;
    bare_connect(&w->bare, 1);
    w->again = true;
    while (!bare_ended() && now_us() < until_us) {
        int64_t next_us = w->listed_us + LIST_EVERY_US;
        if (w->again && !w->reading && now_us() >= next_us) {
            w->again = false;
            w->reading = true;
            w->listed_us = now_us();
            check(zoo_awget_children2(w->bare.zh, w->path, on_churn_changed, w, on_list, w), "children");
        }
        bare_turn(&w->bare, 1, -1, w->again && !w->reading && next_us < until_us ? next_us : until_us);
    }
    printf("read %llu %.1f\n", (unsigned long long)w->lists, gauge_cpu_ms());
}

/*
 * hold: prints "held AT COUNT" when the lists of all elections and the data of those who stand have been read. The
 * server is asked for its connections as often as electop asks where nothing happens; the answer is thrown away.
 * CLUSTERS: as many sessions, each with PATH/cN as its root, and each asks.
 */
#define ASK_EVERY_US 1500000

struct held {
    struct holding *holding;
    struct held *next;
    zhandle_t *zh;
    bool root;
    int32_t latest;
    char path[];
};

struct holding {
    struct bare bare[BARE_MOST];
    size_t clusters, in_flight, count;
    struct held *first;
};

static void hold_read(struct held *e);

static void hold_add(struct holding *k, zhandle_t *zh, const char *parent, const char *name, bool root)
{
    size_t room = strlen(parent) + strlen(name) + 2;
    struct held *e = malloc(sizeof *e + room);
    if (e == NULL)
        die("out of memory");
    *e = (struct held){.holding = k, .next = k->first, .zh = zh, .root = root, .latest = -1};
    snprintf(e->path, room, "%s/%s", parent, name);
    k->first = e;
    hold_read(e);
}

static void on_held_data(int rc, const char *value, int length, const struct Stat *stat, const void *context)
{
    struct holding *k = (struct holding *)(uintptr_t)context;
    (void)value, (void)length, (void)stat;
    if (rc != ZNONODE)
        check(rc, "get");
    k->in_flight--;
    k->count++;
}

static void on_held_list(int rc, const struct String_vector *names, const struct Stat *stat,
                         const void *context)
{
    struct held *e = (struct held *)(uintptr_t)context;
    char path[PATH_MOST];
    int32_t latest = e->latest;
    (void)stat;
    check(rc, "children");
    e->holding->in_flight--;
    for (int32_t i = 0; i < names->count; i++) {
        if (e->root) {
            hold_add(e->holding, e->zh, e->path[1] != '\0' ? e->path : "", names->data[i], false);
            continue;
        }
        int32_t sequence = bare_sequence(names->data[i]);
        if (sequence <= latest)
            continue;
        e->latest = sequence > e->latest ? sequence : e->latest;
        snprintf(path, sizeof path, "%s/%s", e->path, names->data[i]);
        check(zoo_aget(e->zh, path, 0, on_held_data, e->holding), "get");
        e->holding->in_flight++;
    }
}

static void on_held_changed(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    (void)zh, (void)state, (void)path;
    if (type == ZOO_CHILD_EVENT)
        hold_read(context);
}

static void hold_read(struct held *e)
{
    check(zoo_awget_children2(e->zh, e->path, on_held_changed, e, on_held_list, e), "children");
    e->holding->in_flight++;
}

static int ask_open(const char *admin)
{
    char host[256];
    struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(admin, ':');
    snprintf(host, sizeof host, "%.*s", colon != NULL ? (int)(colon - admin) : 0, admin);
    if (colon == NULL || getaddrinfo(host, colon + 1, &hints, &found) != 0)
        die("cannot resolve %s", admin);
    int fd = socket(found->ai_family, found->ai_socktype, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0)
        die("cannot connect to %s", admin);
    freeaddrinfo(found);
    return fd;
}

static void ask(int fd, size_t times)
{
    static const char request[] = "GET /commands/connections HTTP/1.1\r\nHost: bench\r\n\r\n";
    for (size_t i = 0; i < times; i++)
        if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1)
            die("cannot ask the server");
}

static void hold(const char *hosts, const char *root, int64_t for_us, const char *admin, size_t clusters)
{
    static struct holding k;
    static char answer[1 << 20];
    int64_t until_us = now_us() + for_us, ask_us = now_us();
    bool told = false;
    int fd = ask_open(admin);
    k.clusters = clusters > 0 ? clusters : 1;
    for (size_t i = 0; i < k.clusters; i++) {
        char chroot[PATH_MOST];
        snprintf(chroot, sizeof chroot, "%s%s/c%zu", hosts, root, i);
        bare_open(&k.bare[i], clusters > 0 ? chroot : hosts, TIMEOUT_MS);
    }
    bare_connect(k.bare, k.clusters);
    for (size_t i = 0; i < k.clusters; i++)
        hold_add(&k, k.bare[i].zh, "", clusters > 0 ? "" : root + 1, true);
    while (!bare_ended() && now_us() < until_us) {
        if (now_us() >= ask_us) {
            ask(fd, k.clusters);
            ask_us += ASK_EVERY_US;
        }
        if (bare_turn(k.bare, k.clusters, fd, ask_us) && recv(fd, answer, sizeof answer, 0) <= 0)
            die("the server answers no more");
        if (!told && k.in_flight == 0) {
            printf("held %lld %zu\n", (long long)now_us(), k.count);
            fflush(stdout);
            told = true;
        }
    }
    for (size_t i = 0; i < k.clusters; i++)
        bare_close(&k.bare[i]);
    while (k.first != NULL) {
        struct held *e = k.first;
        k.first = e->next;
        free(e);
    }
    exit(0);
}

static void usage(void)
{
    fputs("usage: floor HOSTS notify|look|walk|elections|churn|hold PATH [SECONDS [ADMIN [CLUSTERS]]]\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    struct watching w = {0};
    if (argc < 4 || argc > 7)
        usage();
    long seconds = 30;
    if (argc >= 5) {
        char *end = NULL;
        errno = 0;
        seconds = strtol(argv[4], &end, 10);
        if (errno != 0 || *end != '\0' || seconds < 1 || seconds > 3600)
            usage();
    }
    bare_end_on_signals();
    w.path = argv[3];
    if (strcmp(argv[2], "hold") == 0 && argc >= 6)
        hold(argv[1], argv[3], seconds * 1000000, argv[5], argc == 7 ? strtoul(argv[6], NULL, 10) : 0);
    bare_open(&w.bare, argv[1], TIMEOUT_MS);
    if (strcmp(argv[2], "notify") == 0)
        notify(&w, seconds * 1000000);
    else if (strcmp(argv[2], "look") == 0)
        look(&w, seconds * 1000000);
    else if (strcmp(argv[2], "walk") == 0)
        walk(&w, -1, seconds * 1000000);
    else if (strcmp(argv[2], "elections") == 0)
        walk(&w, 2, seconds * 1000000);
    else if (strcmp(argv[2], "churn") == 0)
        churn(&w, seconds * 1000000);
    else
        usage();
    fflush(stdout);
    bare_close(&w.bare);
    for (size_t i = 0; w.names != NULL && i < w.count; i++)
        free(w.names[i]);
    free(w.names);
    free(w.sequences);
    return 0;
}
