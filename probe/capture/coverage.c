#include "probe/capture/coverage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/capture/capture_file.h"
#include "probe/capture/wire.h"

/* Servers of one capture. With more of them, which may be of strangers, nothing counts as covered. */
#define SERVERS_MOST 64
/* Packets of each file that are read ahead. */
#define AHEAD_MOST 20000

void coverage_packet(struct coverage *coverage, size_t source, int64_t at_us)
{
    struct covered *s = &coverage->sources[source];
    coverage->count = source < coverage->count ? coverage->count : source + 1;
    s->from_us = s->from_us ? s->from_us : at_us;
    s->until_us = s->until_us > at_us ? s->until_us : at_us;
}

static bool covers_server(const struct covered *s, const char *server)
{
    for (size_t i = 0; i < s->server_count; i++)
        if (strcmp(s->servers[i], server) == 0)
            return true;
    return false;
}

bool coverage_server(struct coverage *coverage, size_t source, const char *server)
{
    struct covered *s = &coverage->sources[source];
    if (covers_server(s, server))
        return true;
    if (s->server_count == SERVERS_MOST)
        return false;
    room_for_one(&s->servers, s->server_count, &s->server_room, sizeof *s->servers);
    s->servers[s->server_count++] = text_copy(server);
    return true;
}

/* ---- reading ahead ---- */

struct reading_ahead {
    struct coverage *coverage;
    size_t source;
    bool named;
};

static void ahead_on_fact(void *context, struct wire_client *client, const struct wire_fact *fact)
{
    struct reading_ahead *ahead = context;
    struct covered *s = &ahead->coverage->sources[ahead->source];
    if (!ahead->named && (fact->kind == WIRE_OPENED || fact->kind == WIRE_LATE))
        coverage_server(ahead->coverage, ahead->source, client->server);
    bool writes = fact->kind == WIRE_CREATED || fact->kind == WIRE_DELETED || fact->kind == WIRE_SET ||
                  fact->kind == WIRE_CLOSED;
    if (!writes || fact->zxid <= 0 || (s->seen_count > 0 && fact->zxid <= s->seen[s->seen_count - 1].zxid))
        return;
    room_for_one(&s->seen, s->seen_count, &s->seen_room, sizeof *s->seen);
    s->seen[s->seen_count++] = (struct transaction_seen){fact->zxid, fact->at_us, fact->asked_us};
}

static void ahead_on_gone(void *context, struct wire_client *client)
{
    (void)context;
    (void)client;
}

static void read_ahead(struct reading_ahead *ahead, char *path)
{
    struct captured_packet packet;
    struct tcp_segment segment;
    char *error = NULL;
    struct capture_files *files = capture_files_open(&path, 1, false, &error);
    struct wire *wire = wire_new(&(struct wire_listener){ahead, ahead_on_fact, ahead_on_gone});
    for (size_t i = 0; files && i < AHEAD_MOST && capture_files_next(files, &packet) == CAPTURE_PACKET; i++) {
        coverage_packet(ahead->coverage, ahead->source, packet.at_us);
        if (packet_read(packet.link, packet.bytes, packet.captured, packet.length, &segment))
            wire_take(wire, packet.at_us, &segment);
    }
    wire_free(wire);
    capture_files_close(files);
    free(error); /* the later reading reports it */
}

void coverage_read(struct coverage *coverage, char *const *paths, size_t count)
{
    coverage->count = count;
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(paths[i], '='), *file = equals ? equals + 1 : paths[i];
        struct reading_ahead ahead = {coverage, i, equals != NULL};
        struct stat status;
        if (equals) {
            char *name = text_format("%.*s", (int)(equals - paths[i]), paths[i]);
            coverage_server(coverage, i, name);
            free(name);
        }
        if (stat(file, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        coverage->sources[i].file = true;
        read_ahead(&ahead, paths[i]);
    }
}

static bool covered_contradict(const struct covered *a, const struct covered *b)
{
    for (size_t i = 0, later = 0; i < a->seen_count; i++) {
        while (later < b->seen_count && b->seen[later].zxid <= a->seen[i].zxid)
            later++;
        if (later < b->seen_count && a->seen[i].asked_us > b->seen[later].at_us + COVERAGE_SKEW_US)
            return true;
    }
    return false;
}

bool coverage_contradicts(const struct coverage *coverage, size_t *one, size_t *other)
{
    for (*one = 0; *one < coverage->count; ++*one)
        for (*other = 0; *other < coverage->count; ++*other)
            if (*one != *other && covered_contradict(&coverage->sources[*one], &coverage->sources[*other]))
                return true;
    return false;
}

void coverage_shift(struct coverage *coverage, size_t source, int64_t shift_us)
{
    struct covered *s = &coverage->sources[source];
    s->from_us += s->from_us ? shift_us : 0;
    s->until_us += s->until_us ? shift_us : 0;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < CAPTURES_MOST; i++) {
        struct covered *s = &coverage->sources[i];
        while (s->server_count > 0)
            free(s->servers[--s->server_count]);
        free(s->servers);
        free(s->seen);
    }
}

/* ---- coverage ---- */

/* Every packet of an open file so far was taken. */
static int64_t covered_until(const struct covered *s)
{
    return s->file && !s->over ? INT64_MAX : s->until_us;
}

/* Gaps may be this long, each and in total. */
static bool server_is_covered(const struct coverage *coverage, const char *server, int64_t from_us,
                              int64_t to_us, int64_t gap_us, int64_t gaps_us)
{
    for (int64_t held_us = from_us; held_us < to_us;) {
        int64_t next_us = INT64_MAX, until_us = held_us;
        for (size_t i = 0; i < coverage->count; i++) {
            const struct covered *s = &coverage->sources[i];
            if (s->from_us == 0 || covered_until(s) <= held_us || !covers_server(s, server))
                continue;
            next_us = s->from_us < next_us ? s->from_us : next_us;
            if (s->from_us <= held_us && covered_until(s) > until_us)
                until_us = covered_until(s);
        }
        bool gap = until_us == held_us;
        if (gap && (next_us >= to_us || next_us - held_us > gap_us || (gaps_us -= next_us - held_us) < 0))
            return false;
        held_us = gap ? next_us : until_us;
    }
    return true;
}

bool coverage_holds(const struct coverage *coverage, int64_t from_us, int64_t to_us, int64_t gaps_us)
{
    for (size_t i = 0; i < coverage->count; i++) {
        const struct covered *s = &coverage->sources[i];
        bool holds = s->from_us != 0 && s->from_us <= from_us && covered_until(s) >= to_us;
        for (size_t k = 0; !holds && k < s->server_count; k++)
            if (!server_is_covered(coverage, s->servers[k], from_us, to_us, gaps_us, gaps_us))
                return false;
        if (!holds && (s->server_count == 0 || s->server_count == SERVERS_MOST))
            return false;
    }
    return true;
}

bool coverage_servers_held(const struct coverage *coverage, size_t source, int64_t from_us, int64_t to_us,
                           int64_t gap_us)
{
    const struct covered *s = &coverage->sources[source];
    for (size_t k = 0; k < s->server_count; k++)
        if (!server_is_covered(coverage, s->servers[k], from_us, to_us, gap_us, INT64_MAX))
            return false;
    return s->server_count > 0 && s->server_count < SERVERS_MOST;
}
