/*
 * driver - gives a benchmark elections to watch: crowds of candidates on a few shared sessions, whose
 * leaders fall, and whose members come and go, at times that are known exactly.
 *
 *     driver HOSTS SESSIONS
 *
 * It reads commands from standard input, a line each, and answers with lines of which the last is "done":
 *
 *     stand PATH COUNT                     COUNT candidates stand for election at PATH, which is made
 *     plant PATH COUNT                     COUNT plain znodes come to stand below PATH, which is made
 *     fall PATH COUNT LEAST_MS MOST_MS     the leader's znode is deleted COUNT times, at random intervals;
 *                                          half way through each, another candidate joins at the end
 *     churn PATH PER_S SECONDS LEADER_MS   so many joins and so many departures a second, evenly spread; the
 *                                          leader goes every LEADER_MS on average, sometimes two in 20 ms
 *
 * fall and churn answer with what was done, in order: "fell|left|joined NAME SENT ACKED", in microseconds of
 * CLOCK_MONOTONIC: when the request was handed to the client, and when its answer came. Nothing is printed
 * while it runs. The end of its input ends it, and with its sessions all candidates are gone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/client/bare.h"

#define TIMEOUT_MS 10000
#define PATH_MOST 512
#define COMMAND_MOST 1024
#define PREFIX "n_"
/* Creates in flight while a crowd comes to stand. */
#define IN_FLIGHT 256
#define CLOSE_PAIR_US 20000

/* One election: the sequence numbers of those who stand, in order. */
struct crowd {
    char path[PATH_MOST];
    int32_t *sequences;
    size_t count, room;
    unsigned long joined; /* ever: each has an identity of its own */
};

enum deed { DEED_FELL, DEED_LEFT, DEED_JOINED };

/* Something that was done; also the context of its request, and so it stays where it is. */
struct record {
    struct driver *driver;
    struct crowd *crowd;
    enum deed deed;
    int32_t sequence;
    int64_t sent_us, acked_us;
    struct record *next;
};

struct driver {
    struct bare sessions[BARE_MOST];
    size_t session_count, turn;
    struct crowd *crowds;
    size_t crowd_count;
    struct record *first, *last;
    size_t in_flight;
    uint64_t random;
    char input[COMMAND_MOST];
    size_t input_length;
};

static void *must(void *memory)
{
    if (memory == NULL)
        die("out of memory");
    return memory;
}

/* The same numbers in every run: what differs between two runs is not the load. */
static uint64_t random_next(struct driver *d)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return d->random;
}

static int64_t random_between(struct driver *d, int64_t least, int64_t most)
{
    return least + (int64_t)(random_next(d) % (uint64_t)(most - least + 1));
}

static void turn(struct driver *d, int64_t until_us)
{
    bare_turn(d->sessions, d->session_count, -1, until_us);
}

static void turn_until(struct driver *d, int64_t until_us)
{
    while (now_us() < until_us && !bare_ended())
        turn(d, until_us);
}

static void turn_until_answered(struct driver *d, size_t most_in_flight)
{
    int64_t until_us = now_us() + 30000000;
    while (d->in_flight > most_in_flight && !bare_ended()) {
        if (now_us() > until_us)
            die("no answer within thirty seconds");
        turn(d, until_us);
    }
}

/* A crowd stays sorted: answers of several sessions may overtake one another by a few places. */
static void crowd_add(struct crowd *crowd, int32_t sequence)
{
    if (crowd->count == crowd->room) {
        crowd->room = crowd->room > 0 ? crowd->room * 2 : 16;
        crowd->sequences = must(realloc(crowd->sequences, crowd->room * sizeof *crowd->sequences));
    }
    size_t at = crowd->count++;
    for (; at > 0 && crowd->sequences[at - 1] > sequence; at--)
        crowd->sequences[at] = crowd->sequences[at - 1];
    crowd->sequences[at] = sequence;
}

static int32_t crowd_take(struct crowd *crowd, size_t at)
{
    int32_t sequence = crowd->sequences[at];
    crowd->count--;
    memmove(crowd->sequences + at, crowd->sequences + at + 1, (crowd->count - at) * sizeof *crowd->sequences);
    return sequence;
}

static struct crowd *crowd_find(struct driver *d, const char *path)
{
    for (size_t i = 0; i < d->crowd_count; i++) {
        if (strcmp(d->crowds[i].path, path) == 0)
            return &d->crowds[i];
    }
    die("nobody stands at %s", path);
}

static void on_created(int rc, const char *name, const void *context)
{
    struct record *record = (struct record *)(uintptr_t)context;
    if (rc != ZOK)
        die("create in %s: %s", record->crowd->path, zerror(rc));
    record->acked_us = now_us();
    record->sequence = bare_sequence(name);
    crowd_add(record->crowd, record->sequence);
    record->driver->in_flight--;
}

static void on_deleted(int rc, const void *context)
{
    struct record *record = (struct record *)(uintptr_t)context;
    if (rc != ZOK)
        die("delete in %s: %s", record->crowd->path, zerror(rc));
    record->acked_us = now_us();
    record->driver->in_flight--;
}

static struct record *record_new(struct driver *d, struct crowd *crowd, enum deed deed)
{
    struct record *record = must(calloc(1, sizeof *record));
    *record = (struct record){.driver = d, .crowd = crowd, .deed = deed};
    if (d->last != NULL)
        d->last->next = record;
    else
        d->first = record;
    d->last = record;
    return record;
}

static zhandle_t *next_session(struct driver *d)
{
    return d->sessions[d->turn++ % d->session_count].zh;
}

static void join(struct driver *d, struct crowd *crowd, zhandle_t *zh)
{
    char path[PATH_MOST + 16], data[64];
    struct record *record = record_new(d, crowd, DEED_JOINED);
    snprintf(path, sizeof path, "%s/" PREFIX, crowd->path);
    int length = snprintf(data, sizeof data, "host-%lu.example:7071", ++crowd->joined);
    d->in_flight++;
    record->sent_us = now_us();
    int rc = zoo_acreate(zh, path, data, length, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE,
                         on_created, record);
    if (rc != ZOK)
        die("create: %s", zerror(rc));
}

static void leave(struct driver *d, struct crowd *crowd, size_t at, enum deed deed)
{
    char path[PATH_MOST + 32];
    struct record *record = record_new(d, crowd, deed);
    record->sequence = crowd_take(crowd, at);
    snprintf(path, sizeof path, "%s/" PREFIX "%010d", crowd->path, record->sequence);
    d->in_flight++;
    record->sent_us = now_us();
    int rc = zoo_adelete(d->sessions[0].zh, path, -1, on_deleted, record);
    if (rc != ZOK)
        die("delete: %s", zerror(rc));
}

static void print_records(struct driver *d, bool print)
{
    static const char *const words[] = {[DEED_FELL] = "fell", [DEED_LEFT] = "left", [DEED_JOINED] = "joined"};
    while (d->first != NULL) {
        struct record *record = d->first;
        if (print)
            printf("%s " PREFIX "%010d %lld %lld\n", words[record->deed], record->sequence,
                   (long long)record->sent_us, (long long)record->acked_us);
        d->first = record->next;
        free(record);
    }
    d->last = NULL;
}

static void on_directory(int rc, const char *name, const void *context)
{
    size_t *in_flight = (size_t *)(uintptr_t)context;
    (void)name;
    if (rc != ZOK && rc != ZNODEEXISTS)
        die("create: %s", zerror(rc));
    (*in_flight)--;
}

static void make_directory(struct driver *d, const char *path)
{
    char part[PATH_MOST];
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        d->in_flight++;
        if (zoo_acreate(d->sessions[0].zh, part, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, on_directory,
                        &d->in_flight) != ZOK)
            die("create %s", part);
    }
    turn_until_answered(d, 0);
}

static void stand(struct driver *d, const char *path, long count)
{
    turn_until_answered(d, 0);
    /* Records point at crowds, but none is open here: they may move. */
    d->crowds = must(realloc(d->crowds, (d->crowd_count + 1) * sizeof *d->crowds));
    struct crowd *crowd = &d->crowds[d->crowd_count++];
    *crowd = (struct crowd){0};
    snprintf(crowd->path, sizeof crowd->path, "%s", path);
    make_directory(d, path);
    for (long i = 0; i < count; i++) {
        turn_until_answered(d, IN_FLIGHT);
        join(d, crowd, next_session(d));
    }
    turn_until_answered(d, 0);
    print_records(d, false);
}

static void plant(struct driver *d, const char *path, long count)
{
    char child[PATH_MOST + 24];
    make_directory(d, path);
    for (long i = 0; i < count; i++) {
        turn_until_answered(d, IN_FLIGHT);
        snprintf(child, sizeof child, "%s/d%ld", path, i);
        d->in_flight++;
        if (zoo_acreate(next_session(d), child, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, on_directory,
                        &d->in_flight) != ZOK)
            die("create %s", child);
    }
    turn_until_answered(d, 0);
}

static void fall(struct driver *d, struct crowd *crowd, long count, long least_ms, long most_ms)
{
    for (long i = 0; i < count && !bare_ended() && crowd->count > 0; i++) {
        int64_t pause_us = random_between(d, least_ms * 1000, most_ms * 1000);
        leave(d, crowd, 0, DEED_FELL);
        int64_t began_us = now_us();
        turn_until(d, began_us + pause_us / 2);
        join(d, crowd, next_session(d));
        turn_until(d, began_us + pause_us);
    }
    turn_until_answered(d, 0);
    print_records(d, true);
}

static void churn(struct driver *d, struct crowd *crowd, long per_s, long seconds, long leader_ms)
{
    int64_t began_us = now_us(), end_us = began_us + seconds * 1000000;
    int64_t leader_us = began_us + leader_ms * 1000;
    for (int64_t i = 0; !bare_ended(); i++) {
        int64_t due_us = began_us + i * 1000000 / per_s;
        if (due_us >= end_us)
            break;
        while (leader_us <= due_us && crowd->count > 1) {
            turn_until(d, leader_us);
            leave(d, crowd, 0, DEED_FELL);
            join(d, crowd, d->sessions[0].zh);
            leader_us += random_next(d) % 4 == 0 ? CLOSE_PAIR_US
                                                 : random_between(d, leader_ms * 500, leader_ms * 1500);
        }
        turn_until(d, due_us);
        join(d, crowd, d->sessions[0].zh);
        turn_until(d, due_us + 500000 / per_s);
        /* The leader is left to its own time. */
        if (crowd->count > 1)
            leave(d, crowd, (size_t)random_between(d, 1, (int64_t)crowd->count - 1), DEED_LEFT);
    }
    turn_until_answered(d, 0);
    print_records(d, true);
}

static void obey(struct driver *d, const char *line)
{
    char word[16], path[PATH_MOST];
    long n[4] = {0};
    int got = sscanf(line, "%15s %511s %ld %ld %ld %ld", word, path, &n[0], &n[1], &n[2], &n[3]);
    for (int i = 0; i < 4; i++) {
        if (n[i] < 0 || n[i] > 1000000)
            die("out of range: %s", line);
    }
    if (got == 3 && strcmp(word, "stand") == 0)
        stand(d, path, n[0]);
    else if (got == 3 && strcmp(word, "plant") == 0)
        plant(d, path, n[0]);
    else if (got == 5 && strcmp(word, "fall") == 0 && n[1] <= n[2])
        fall(d, crowd_find(d, path), n[0], n[1], n[2]);
    else if (got == 5 && strcmp(word, "churn") == 0 && n[0] > 0 && n[2] > 0)
        churn(d, crowd_find(d, path), n[0], n[1], n[2]);
    else
        die("not a command: %s", line);
    puts("done");
    fflush(stdout);
}

/* False at the end of the input. */
static bool take_input(struct driver *d)
{
    ssize_t got = read(STDIN_FILENO, d->input + d->input_length, sizeof d->input - d->input_length - 1);
    if (got <= 0)
        return false;
    d->input_length += (size_t)got;
    d->input[d->input_length] = '\0';
    char *end = NULL;
    while ((end = strchr(d->input, '\n')) != NULL) {
        *end = '\0';
        obey(d, d->input);
        d->input_length -= (size_t)(end + 1 - d->input);
        memmove(d->input, end + 1, d->input_length + 1);
    }
    if (d->input_length == sizeof d->input - 1)
        die("a command is too long");
    return true;
}

int main(int argc, char **argv)
{
    static struct driver d = {.random = 0x9e3779b97f4a7c15u};
    long sessions = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (sessions < 1 || sessions > BARE_MOST) {
        fprintf(stderr, "usage: driver HOSTS SESSIONS (1 to %d)\n", BARE_MOST);
        return 2;
    }
    bare_end_on_signals();
    d.session_count = (size_t)sessions;
    for (size_t i = 0; i < d.session_count; i++)
        bare_open(&d.sessions[i], argv[1], TIMEOUT_MS);
    bare_connect(d.sessions, d.session_count);
    while (!bare_ended()) {
        if (bare_turn(d.sessions, d.session_count, STDIN_FILENO, now_us() + 1000000) && !take_input(&d))
            break;
    }
    for (size_t i = 0; i < d.session_count; i++)
        bare_close(&d.sessions[i]);
    for (size_t i = 0; i < d.crowd_count; i++)
        free(d.crowds[i].sequences);
    free(d.crowds);
    print_records(&d, false);
    return 0;
}
