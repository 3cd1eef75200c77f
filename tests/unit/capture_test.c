/*
 * A captured election, packet by packet: what was done is known, and so is the microsecond of each packet. The
 * same packets damaged in every way that captures are: nothing wrong is ever said of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/settings.h"
#include "probe/capture/capture.h"
#include "probe/capture/wire.h"
#include "probe/clock.h"
#include "probe/election/session_table.h"
#include "probe/election/whatif.h"
#include "probe/json/buffer.h"

#define CAPTURE "tests/unit/data/captures/election.pcap"
#define BASE_US INT64_C(1795632400000000)
#define ETHERNET 14
#define PACKETS_MOST 1000
#define SEEN_MOST 64

/* ---- the packets ---- */

struct kept_packet {
    int64_t at_us;
    int link;
    size_t captured, length;
    uint8_t bytes[4096];
};

static struct kept_packet sample[PACKETS_MOST];
static size_t sample_count;

static int read_sample(void **state)
{
    char *error = NULL, *paths[] = {(char *)(uintptr_t)CAPTURE};
    struct captured_packet packet;
    (void)state;
    struct capture_files *files = capture_files_open(paths, 1, false, &error);
    assert_non_null(files);
    while (capture_files_next(files, &packet) == CAPTURE_PACKET) {
        struct kept_packet *kept = &sample[sample_count++];
        assert_true(sample_count < PACKETS_MOST && packet.captured <= sizeof kept->bytes);
        *kept = (struct kept_packet){packet.at_us, packet.link, packet.captured, packet.length, {0}};
        memcpy(kept->bytes, packet.bytes, packet.captured);
    }
    assert_null(capture_files_note(files));
    capture_files_close(files);
    assert_int_equal(sample_count, 626);
    return 0;
}

static struct captured_packet as_captured(const struct kept_packet *kept)
{
    return (struct captured_packet){kept->at_us, 0,     kept->link, kept->bytes, kept->captured, kept->length,
                                    NULL,        false, 0};
}

/* ---- what is said of them ---- */

struct seen_failover {
    int64_t lost_us;
    enum failover_cause cause;
    enum certainty certainty;
    struct span detection;
    int64_t notified_us, reacted_us;
    char evidence[512];
};

struct told {
    struct settings settings;
    struct cluster_settings cluster;
    struct model *model;
    struct capture *capture;
    struct seen_failover failovers[SEEN_MOST];
    size_t failover_count;
    struct buffer words; /* every event, without its time */
    size_t facts[FACT_KINDS];
};

static void on_told_event(void *context, const struct event *event)
{
    struct told *told = context;
    const char *of = event->finding ? finding_kind(event->finding->code)->word : event->candidate;
    buffer_printf(&told->words, "%s %s\n", event_word(event->kind), of ? of : "-");
    if (event->kind != EVENT_FAILOVER)
        return;
    assert_true(told->failover_count < SEEN_MOST);
    told->failovers[told->failover_count++] =
        (struct seen_failover){event->failover->lost_at.wall_us - BASE_US,
                               event->failover->cause,
                               event->failover->cause_certainty,
                               event->failover->detection,
                               event->failover->notified_us,
                               event->failover->reacted_us,
                               ""};
    snprintf(told->failovers[told->failover_count - 1].evidence, sizeof told->failovers->evidence, "%s",
             event->failover->evidence ? event->failover->evidence : "");
}

static void on_told_fact(void *context, const struct logged_fact *fact)
{
    struct told *told = context;
    told->facts[fact->kind]++;
}

static struct told *told_start(bool beside)
{
    struct capture_query query = {.to_us = INT64_MAX, .beside = beside};
    struct told *told = xcalloc(1, sizeof *told);
    char *error = NULL;
    told->cluster =
        (struct cluster_settings){.name = (char *)(uintptr_t) "", .hosts = (char *)(uintptr_t) "h"};
    told->settings = (struct settings){.clusters = &told->cluster, .cluster_count = 1};
    told->settings.discovered.allow = (struct allowance){.vacancy_ms = 5000, .failover_ms = 10000};
    told->model = model_new(&told->settings, &error);
    assert_non_null(told->model);
    told->model->on_event = on_told_event;
    told->model->context = told;
    told->capture = capture_new(told->model, &told->settings, &query,
                                &(struct capture_sink){.context = told, .fact = on_told_fact});
    return told;
}

static struct told *told_begin(void)
{
    return told_start(false);
}

static void told_take(struct told *told, const struct kept_packet *kept)
{
    struct captured_packet packet = as_captured(kept);
    assert_true(capture_take(told->capture, &packet));
}

static void told_end(struct told *told)
{
    capture_pass(told->capture, sample[sample_count - 1].at_us + 20000000);
    buffer_put_char(&told->words, '\0');
}

static void told_free(struct told *told)
{
    capture_free(told->capture);
    model_free(told->model);
    buffer_free(&told->words);
    free(told);
}

static const struct election *told_election(const struct told *told)
{
    const struct election *election = model_election(told->model, 0, "/election");
    assert_non_null(election);
    return election;
}

/* All packets, each changed by this function: it may drop one (false). */
static struct told *told_of(bool (*change)(struct kept_packet *packet, size_t i, size_t argument),
                            size_t argument)
{
    struct told *told = told_begin();
    for (size_t i = 0; i < sample_count; i++) {
        struct kept_packet packet = sample[i];
        if (!change || change(&packet, i, argument))
            told_take(told, &packet);
    }
    told_end(told);
    return told;
}

/* ---- the table ---- */

#define LOST_A 49961006
#define HEARD_A 43164948
#define LOST_B 57952724
#define ENDED_B 57951789
#define HEARD_B 51729000

static void each_failover_to_the_packet(void **state)
{
    (void)state;
    struct told *told = told_of(NULL, 0);
    const struct seen_failover *f = told->failovers;
    assert_int_equal(told->failover_count, 3);
    assert_int_equal(f[0].lost_us, LOST_A);
    assert_int_equal(f[0].cause, CAUSE_EXPIRED);
    assert_int_equal(f[0].certainty, CERTAINTY_CERTAIN);
    assert_int_equal(f[0].detection.low_us, LOST_A - HEARD_A);
    assert_int_equal(f[0].detection.high_us, LOST_A - HEARD_A);
    assert_int_equal(f[1].lost_us, LOST_B);
    assert_int_equal(f[1].cause, CAUSE_EXPIRED);
    assert_int_equal(f[1].certainty, CERTAINTY_CERTAIN);
    /* Its znode went when the server ended its connection. The last ping's time is known to the millisecond. */
    assert_in_range(f[1].detection.low_us, ENDED_B - HEARD_B - 1000, ENDED_B - HEARD_B);
    assert_int_equal(f[1].detection.low_us, f[1].detection.high_us);
    /* b is notified by the packet that shows the end of a's znode. */
    assert_int_equal(f[0].notified_us, 1);
    assert_int_equal(f[0].reacted_us, 49961907 - LOST_A);
    assert_int_equal(f[1].notified_us, LOST_B - ENDED_B);
    assert_in_range(f[1].reacted_us, f[1].notified_us, 10000);
    assert_non_null(
        strstr(f[0].evidence, "the successor sent its next request 0.901 ms after the leader's znode went"));
    assert_int_equal(f[2].cause, CAUSE_EVICTED);
    assert_int_equal(f[2].certainty, CERTAINTY_CERTAIN);
    assert_int_equal(told_election(told)->state, ELECTION_LED);
    assert_string_equal(told_election(told)->leader->identity, "d");
    told_free(told);
}

/* Each watches its predecessor, as the packets of each connection show. */
static void the_whole_chain(void **state)
{
    (void)state;
    struct told *told = told_begin();
    size_t i = 0;
    for (; sample[i].at_us < BASE_US + 40000000; i++)
        told_take(told, &sample[i]);
    capture_settle(told->capture);
    const struct election *election = told_election(told);
    assert_int_equal(election->candidate_count, 4);
    assert_int_equal(whatif_next(election).chain, CHAIN_COMPLETE);
    for (size_t k = 1; k < 4; k++)
        assert_int_equal(election->candidates[k]->link, LINK_RIGHT);
    assert_int_equal(election->finding_count, 0);
    told_free(told);
}

/* A capture that begins when they all stand does not know what they watch, nor say that it is nothing. */
static void a_late_capture_knows_no_watches(void **state)
{
    (void)state;
    struct told *told = told_begin();
    size_t i = 0;
    for (; sample[i].at_us < BASE_US + 57000000; i++)
        if (sample[i].at_us > BASE_US + 40000000)
            told_take(told, &sample[i]);
    capture_settle(told->capture);
    const struct election *election = model_election(told->model, 0, "/election");
    /* Their pings show 4 connections; the list that b asks for shows the election, with b, c and d. */
    assert_int_equal(capture_limits(told->capture)->late, 4);
    assert_non_null(election);
    assert_int_equal(election->candidate_count, 3);
    assert_null(strstr((const char *)told->words.bytes, "candidate-joined"));
    for (size_t k = 0; k < election->candidate_count; k++)
        assert_true(election->candidates[k]->link != LINK_STUCK &&
                    election->candidates[k]->link != LINK_SUSPECT &&
                    election->candidates[k]->link != LINK_WRONG);
    for (; i < sample_count; i++)
        told_take(told, &sample[i]);
    told_end(told);
    assert_int_equal(told->failover_count, 2);
    assert_int_equal(told->failovers[0].lost_us, LOST_B);
    assert_int_equal(told->failovers[1].cause, CAUSE_DELETED); /* whose znode it was is not known */
    told_free(told);
}

/* b was stopped while it led, and went on 4.87 s after c had reacted. */
static void two_leaders_at_a_time(void **state)
{
    (void)state;
    struct told *told = told_of(NULL, 0);
    const struct election *election = told_election(told);
    const struct finding *found = NULL;
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == FINDING_DOUBLE_LEADER)
            found = election->findings[i];
    assert_non_null(found);
    assert_int_equal(found->certainty, CERTAINTY_CERTAIN);
    assert_int_equal(found->since.wall_us - BASE_US, 62824462);
    assert_non_null(strstr(found->evidence, "for 4.871 s b could believe"));
    told_free(told);
}

/* c is notified, and its packets end there, as those of a stopped process do: first in line, and not going on. */
static void a_candidate_that_does_not_react(void **state)
{
    (void)state;
    struct told *told = told_begin();
    for (size_t i = 0; sample[i].at_us <= BASE_US + LOST_B; i++)
        told_take(told, &sample[i]);
    capture_pass(told->capture, BASE_US + LOST_B + 1900000);
    assert_int_equal(told_election(told)->finding_count, 0);
    capture_pass(told->capture, BASE_US + LOST_B + 2300000);
    const struct election *election = told_election(told);
    assert_int_equal(election->finding_count, 1);
    assert_int_equal(election->findings[0]->code, FINDING_SLOW_REACTION);
    assert_int_equal(election->findings[0]->severity, SEVERITY_CRITICAL);
    assert_string_equal(election->findings[0]->candidates[0], election->candidates[0]->name);
    told_free(told);
}

/* Packets were missing after a was heard last: it may have been heard since. b's silence began later. */
static void a_gap_proves_no_silence(void **state)
{
    (void)state;
    struct told *told = told_begin();
    for (size_t i = 0; i < sample_count; i++) {
        if (i > 0 && sample[i - 1].at_us < BASE_US + 45000000 && sample[i].at_us >= BASE_US + 45000000)
            capture_doubt(told->capture, 0);
        else if (i > 0 && sample[i - 1].at_us < BASE_US + 47000000 && sample[i].at_us >= BASE_US + 47000000)
            capture_tie(told->capture, 0, (struct moment){0});
        told_take(told, &sample[i]);
    }
    told_end(told);
    assert_int_equal(told->failovers[0].lost_us, LOST_A);
    assert_int_not_equal(told->failovers[0].cause, CAUSE_EXPIRED);
    assert_int_equal(told->failovers[0].detection.low_us, SPAN_UNKNOWN.low_us);
    assert_int_equal(told->failovers[1].cause, CAUSE_EXPIRED);
    assert_int_equal(told->failovers[1].certainty, CERTAINTY_CERTAIN);
    told_free(told);
}

static bool shown_at(struct told *told, const char *server, int64_t at_us, int64_t heard_us)
{
    struct observation o = {.kind = OBSERVED_CAPTURED, .at = {at_us, at_us}};
    o.captured = (struct observed_captured){.step = CAPTURED_STATE,
                                            .address = server,
                                            .session = 7,
                                            .client = "c:1",
                                            .timeout_ms = 6000,
                                            .connected = true,
                                            .watches_known = true,
                                            .heard_us = heard_us};
    model_observe(told->model, &o);
    return session_table_find(told->model->clusters[0].clients, 7)->shown.watches_known;
}

/* The packets of where a client went are not those that are read. */
static void another_server_lists_it(void **state)
{
    (void)state;
    struct told *told = told_begin();
    assert_true(shown_at(told, "a:1", 1000000, 900000));
    const struct seen_connection seen = {
        .session = 7, .client = "c:2", .established_ms = 1, .last_response_ms = 1, .timeout_ms = 6000};
    struct observation list = {.kind = OBSERVED_CONNECTIONS, .at = {2000000, 2000000}};
    list.connections =
        (struct observed_connections){.address = "a:1", .list = &seen, .count = 1, .now_ms = 1};
    model_observe(told->model, &list);
    assert_true(shown_at(told, "a:1", 2100000, 900000));
    list.at = (struct moment){3000000, 3000000};
    list.connections.address = "b:1";
    model_observe(told->model, &list);
    assert_false(session_table_find(told->model->clusters[0].clients, 7)->shown.watches_known);
    assert_false(shown_at(told, "a:1", 4000000, 900000));
    assert_true(shown_at(told, "a:1", 5000000, 4900000));
    told_free(told);
}

/* ---- several captures in the place of a cluster ---- */

static void told_goes_on(struct told *told, size_t source, const char *server, int64_t at_us);

#define HALF (HEARD_A + 3000000)

/* Another server was captured in these parts: a may have gone there while it was not. */
static void a_silence_needs_every_server(void **state)
{
    static const struct {
        int64_t parts[3][2];
        enum certainty certainty;
    } rows[] = {
        {{{1, LOST_A}}, CERTAINTY_CERTAIN},
        {{{1, HALF}}, CERTAINTY_SUSPECTED},      /* it ends too early */
        {{{HALF, LOST_A}}, CERTAINTY_SUSPECTED}, /* it begins too late */
        {{{1, HALF}, {HALF + 100000, LOST_A}}, CERTAINTY_CERTAIN},
        {{{1, HEARD_A}, {HEARD_A + 1000, LOST_A}}, CERTAINTY_CERTAIN},
        {{{1, HALF}, {HALF + 2100000, LOST_A}}, CERTAINTY_SUSPECTED}, /* a hole */
        {{{1, HALF}, {HALF + 1200000, HALF + 1300000}, {HALF + 2500000, LOST_A}}, CERTAINTY_SUSPECTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct told *told = told_begin();
        for (size_t k = 0; k < sample_count; k++) {
            int64_t at_us = sample[k].at_us - BASE_US;
            for (size_t part = 0; part < 3; part++) {
                int64_t from_us = rows[i].parts[part][0], until_us = rows[i].parts[part][1];
                if (from_us == 0 || at_us < from_us)
                    continue;
                told_goes_on(told, part + 1, "other:1", from_us);
                told_goes_on(told, part + 1, "other:1", at_us < until_us ? at_us : until_us);
            }
            told_take(told, &sample[k]);
        }
        told_end(told);
        assert_int_equal(told->failovers[0].lost_us, LOST_A);
        assert_int_equal(told->failovers[0].cause, CAUSE_EXPIRED);
        assert_int_equal(told->failovers[0].certainty, rows[i].certainty);
        told_free(told);
    }
}

/* ---- several captures beside a live cluster ---- */

#define SERVER "127.0.0.1:53409"

static const char *name_itself(void *context, const char *address, bool named)
{
    (void)context;
    (void)named;
    return strcmp(address, SERVER) == 0 ? SERVER : NULL;
}

/* Its file was written by a host whose clock is ahead: no packet was written later than now. */
static void a_file_of_tomorrow(void **state)
{
    (void)state;
    char path[] = "/tmp/electop-capture-XXXXXX", *paths[] = {path}, *error = NULL;
    int out = mkstemp(path), in = open(CAPTURE, O_RDONLY);
    static char bytes[1 << 20];
    ssize_t length = read(in, bytes, sizeof bytes);
    assert_true(out >= 0 && length > 0 && write(out, bytes, (size_t)length) == length);
    const struct timespec tomorrow[] = {{.tv_sec = time(NULL) + 86400}, {.tv_sec = time(NULL) + 86400}};
    assert_int_equal(futimens(out, tomorrow), 0);
    struct capture_files *files = capture_files_open(paths, 1, true, &error);
    struct captured_packet packet;
    assert_non_null(files);
    for (size_t i = 0; i < sample_count;) {
        if (capture_files_next(files, &packet) != CAPTURE_PACKET)
            continue;
        assert_true(packet.arrived_us <= clock_now().mono_us);
        i++;
    }
    capture_files_close(files);
    close(in);
    close(out);
    unlink(path);
}

/* Copies of this many of the capture's packets, with an hour's steps between the copies. */
static void write_capture(char *path, size_t copies)
{
    FILE *to = fdopen(mkstemp(path), "wb");
    const struct {
        uint32_t magic;
        uint16_t major, minor;
        uint32_t zone, figures, most, link;
    } head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, (uint32_t)sample[0].link};
    assert_non_null(to);
    fwrite(&head, sizeof head, 1, to);
    for (size_t i = 0; i < copies * sample_count; i++) {
        const struct kept_packet *one = &sample[i % sample_count];
        int64_t at_us = one->at_us + (int64_t)(i / sample_count) * 3600000000;
        const uint32_t header[] = {(uint32_t)(at_us / 1000000), (uint32_t)(at_us % 1000000),
                                   (uint32_t)one->captured, (uint32_t)one->length};
        fwrite(header, sizeof header, 1, to);
        fwrite(one->bytes, one->captured, 1, to);
    }
    assert_int_equal(fclose(to), 0);
}

/* ... come in their order, however much longer one of them is. */
static void what_two_files_hold(void **state)
{
    (void)state;
    char small[] = "/tmp/electop-capture-XXXXXX", large[] = "/tmp/electop-capture-XXXXXX",
         *paths[] = {small, large}, *error = NULL;
    write_capture(small, 1);
    write_capture(large, 100);
    struct capture_files *files = capture_files_open(paths, 2, true, &error);
    struct captured_packet packet;
    int64_t latest_us = 0;
    assert_non_null(files);
    for (size_t i = 0; i < 101 * sample_count;) {
        if (capture_files_next(files, &packet) != CAPTURE_PACKET)
            continue;
        assert_true(packet.at_us >= latest_us);
        latest_us = packet.at_us;
        i++;
    }
    capture_files_close(files);
    unlink(small);
    unlink(large);
}

/* A packet of something else shows only that this capture goes on. */
static void told_goes_on(struct told *told, size_t source, const char *server, int64_t at_us)
{
    const struct captured_packet packet = {
        .at_us = BASE_US + at_us, .link = 9999, .server = server, .source = source};
    assert_true(capture_take(told->capture, &packet));
}

/* Those of one server in its capture, the first; the second is there from the first packet on. */
static struct told *told_beside(const char *second, int64_t from_us)
{
    struct told *told = told_start(true);
    capture_name_servers(told->capture, name_itself, told);
    told_goes_on(told, 0, NULL, from_us);
    told_goes_on(told, 1, second, from_us);
    capture_tie(told->capture, 0, (struct moment){0});
    capture_tie(told->capture, 1, (struct moment){0});
    return told;
}

static void told_take_until(struct told *told, int64_t from_us, int64_t to_us)
{
    for (size_t i = 0; i < sample_count; i++)
        if (sample[i].at_us > BASE_US + from_us && sample[i].at_us <= BASE_US + to_us)
            told_take(told, &sample[i]);
}

/* a may have gone to the other server: only packets that came from there since prove that it was silent. */
static void a_capture_that_has_stalled_proves_no_silence(void **state)
{
    (void)state;
    for (int stalls = 0; stalls < 2; stalls++) {
        struct told *told = told_beside(NULL, 1);
        told_take_until(told, 1, HEARD_A + 1000000);
        told_goes_on(told, 1, NULL, HEARD_A + 1000000);
        told_take_until(told, HEARD_A + 1000000, LOST_A + 500000);
        assert_int_equal(told->facts[FACT_SESSION_EXPIRED], 0);
        if (stalls)
            capture_doubt(told->capture, 1);
        told_goes_on(told, 1, NULL, LOST_A + 600000);
        assert_int_equal(told->facts[FACT_SESSION_EXPIRED], stalls ? 0 : 1);
        told_free(told);
    }
}

static const struct server *told_server(const struct told *told)
{
    assert_int_equal(told->model->clusters[0].server_count, 1);
    return &told->model->clusters[0].servers[0];
}

/* Its connections may have been seen first where a client is. */
static void connections_that_another_capture_showed(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        int64_t from_us = late ? 38000000 : 1;
        struct told *told = told_beside(SERVER, from_us);
        told_take_until(told, from_us, 69000000);
        told_goes_on(told, 1, SERVER, 69000000);
        assert_string_equal(told_server(told)->watches_from, "capture");
        assert_int_equal(told_server(told)->hidden[HIDDEN_WATCHES] != NULL, late);
        told_free(told);
    }
}

/* ... show only what both do, and what came while one of them brought nothing is not known yet. */
static void two_captures_of_one_server(void **state)
{
    (void)state;
    struct told *told = told_beside(SERVER, 1);
    told_goes_on(told, 2, SERVER, 2);
    capture_tie(told->capture, 2, (struct moment){0});
    told_goes_on(told, 1, SERVER, 40000000);
    assert_string_equal(told_server(told)->watches_from, "capture");
    assert_null(told_server(told)->hidden[HIDDEN_WATCHES]);
    capture_doubt(told->capture, 1);
    assert_null(told_server(told)->watches_from);
    capture_tie(told->capture, 1, (struct moment){0});
    assert_string_equal(told_server(told)->watches_from, "capture");
    assert_non_null(told_server(told)->hidden[HIDDEN_WATCHES]);
    told_free(told);
}

/* While a capture brings what it held before, nothing is certain. */
static void what_a_late_capture_held_is_old(void **state)
{
    (void)state;
    struct told *told = told_start(true);
    capture_name_servers(told->capture, name_itself, told);
    told_take_until(told, 0, 36000000);
    capture_tie(told->capture, 0, (struct moment){0});
    told_take_until(told, 36000000, HEARD_A - 1000000);
    told_goes_on(told, 1, NULL, 1);
    told_take_until(told, HEARD_A - 1000000, LOST_A - 100000);
    told_goes_on(told, 1, NULL, LOST_A - 90000);
    told_take_until(told, LOST_A - 100000, LOST_A + 1000000);
    assert_int_equal(told->facts[FACT_SESSION_EXPIRED], 0);
    told_goes_on(told, 1, NULL, LOST_A + 1100000);
    capture_tie(told->capture, 1, (struct moment){0});
    told_take_until(told, LOST_A + 1100000, LOST_B - 1000);
    told_goes_on(told, 1, NULL, LOST_B);
    told_take_until(told, LOST_B - 1000, LOST_B + 1000000);
    assert_int_equal(told->facts[FACT_SESSION_EXPIRED], 1);
    told_free(told);
}

/* ---- facts of the wire ---- */

struct wire_fact_seen {
    enum wire_fact_kind kind;
    int64_t at_us;
    uint64_t session;
    char path[96];
    size_t watches;
};

struct wire_seen {
    struct wire_fact_seen list[4096];
    size_t count;
};

static void on_wire_fact(void *context, struct wire_client *client, const struct wire_fact *fact)
{
    struct wire_seen *seen = context;
    struct wire_fact_seen *one = &seen->list[seen->count++];
    assert_true(seen->count < sizeof seen->list / sizeof seen->list[0]);
    *one =
        (struct wire_fact_seen){fact->kind, fact->at_us - BASE_US, client->session, "", client->watch_count};
    if (fact->kind == WIRE_REFUSED)
        one->session = fact->session;
    if (fact->path)
        snprintf(one->path, sizeof one->path, "%s", fact->path);
}

static void on_wire_gone(void *context, struct wire_client *client)
{
    (void)context;
    (void)client;
}

static const struct wire_fact_seen *fact_at(const struct wire_seen *seen, enum wire_fact_kind kind,
                                            int64_t at_us)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->list[i].kind == kind && seen->list[i].at_us == at_us)
            return &seen->list[i];
    fail_msg("no fact %d at %lld", (int)kind, (long long)at_us);
    return NULL;
}

static struct wire_seen *wire_seen_of_sample(void)
{
    struct wire_seen *seen = xcalloc(1, sizeof *seen);
    struct wire *wire = wire_new(&(struct wire_listener){seen, on_wire_fact, on_wire_gone});
    for (size_t i = 0; i < sample_count; i++) {
        struct tcp_segment segment;
        assert_true(
            packet_read(sample[i].link, sample[i].bytes, sample[i].captured, sample[i].length, &segment));
        wire_take(wire, sample[i].at_us, &segment);
    }
    wire_free(wire);
    return seen;
}

static size_t count_kind(const struct wire_seen *seen, enum wire_fact_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++)
        count += seen->list[i].kind == kind;
    return count;
}

static void each_step_to_the_packet(void **state)
{
    (void)state;
    struct wire_seen *seen = wire_seen_of_sample();
    fact_at(seen, WIRE_ENDED, 43755979); /* the kernel ends a's connection */
    const struct wire_fact_seen *b = fact_at(seen, WIRE_NOTIFIED, LOST_A);
    assert_int_equal(fact_at(seen, WIRE_ASKED, 49961907)->session, b->session);
    assert_int_equal(fact_at(seen, WIRE_LISTED, 49967985)->session, b->session);
    assert_int_equal(fact_at(seen, WIRE_ENDED, ENDED_B)->session, b->session);
    const struct wire_fact_seen *c = fact_at(seen, WIRE_NOTIFIED, LOST_B);
    assert_int_not_equal(c->session, b->session);
    assert_int_equal(fact_at(seen, WIRE_REFUSED, 62824462)->session, b->session);
    /* An operator's session deletes c's znode: the request, then d's notification, then the reply. */
    size_t deleting = 0, notified = 0, deleted = 0;
    for (size_t i = 0; i < seen->count; i++) {
        const struct wire_fact_seen *one = &seen->list[i];
        if (one->at_us < 67800000 || one->at_us > 67900000 || !strstr(one->path, "__lock__0000000002"))
            continue;
        deleting = one->kind == WIRE_DELETING ? i : deleting;
        notified = one->kind == WIRE_NOTIFIED ? i : notified;
        deleted = one->kind == WIRE_DELETED ? i : deleted;
    }
    assert_true(deleting > 0 && notified > deleting && deleted > notified);
    assert_int_not_equal(seen->list[deleting].session, c->session);
    assert_int_equal(count_kind(seen, WIRE_REFUSED), 1);
    assert_int_equal(count_kind(seen, WIRE_LOST), 0);
    /* Nobody but operators closes a session: the members get SIGTERM and do not. */
    for (size_t i = 0; i < seen->count; i++)
        if (seen->list[i].kind == WIRE_CLOSING && seen->list[i].at_us > 78000000)
            assert_in_range(seen->list[i].at_us, 86200000, 86300000);
    free(seen);
}

/* ---- changed packets ---- */

static uint8_t *tcp_of(struct kept_packet *packet)
{
    return packet->bytes + ETHERNET + 20;
}

static size_t data_of(const struct kept_packet *packet)
{
    return packet->captured - ETHERNET - 20 - (size_t)(packet->bytes[ETHERNET + 20 + 12] >> 4) * 4;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* ... of a server of an ensemble, whose transactions have an epoch. Only greetings have an xid of 0. */
static bool as_ensemble(struct kept_packet *packet, size_t i, size_t argument)
{
    uint8_t *tcp = tcp_of(packet), *end = packet->bytes + packet->captured;
    (void)i;
    (void)argument;
    if (((unsigned)tcp[0] << 8 | tcp[1]) == 53409)
        for (uint8_t *at = end - data_of(packet); end - at >= 20; at += 4 + get_u32(at))
            if (get_u32(at + 4) != 0 && get_u32(at + 8) == 0)
                put_u32(at + 8, 1);
    return true;
}

/* a's connection ended when it was killed, b's was open until its server ended it: either process may as well have lost
 * it, and gone on at a server that was not captured. */
static void a_silence_of_an_ensemble(void **state)
{
    (void)state;
    struct told *told = told_of(as_ensemble, 0);
    assert_int_equal(told->failover_count, 3);
    for (size_t i = 0; i < 2; i++) {
        const struct seen_failover *f = &told->failovers[i];
        assert_int_equal(f->cause, CAUSE_EXPIRED);
        assert_int_equal(f->certainty, CERTAINTY_SUSPECTED);
        assert_non_null(strstr(f->evidence, "; a server that was not captured"));
    }
    assert_int_equal(told->failovers[2].certainty, CERTAINTY_CERTAIN);
    told_free(told);
}

static void packet_grows(struct kept_packet *packet, size_t more)
{
    packet->captured += more;
    packet->length += more;
    size_t whole = packet->captured - ETHERNET;
    packet->bytes[ETHERNET + 2] = (uint8_t)(whole >> 8);
    packet->bytes[ETHERNET + 3] = (uint8_t)whole;
}

/* c is notified of eight other znodes first, all in one packet: its next request settles them all. */
static bool as_burst(struct kept_packet *packet, size_t i, size_t argument)
{
    static uint8_t ports[4];
    static uint32_t more;
    uint8_t *tcp = tcp_of(packet);
    (void)argument;
    more = i == 0 ? 0 : more;
    if (more == 0 && packet->at_us == BASE_US + LOST_B) {
        size_t length = data_of(packet);
        uint8_t *data = packet->bytes + packet->captured - length;
        for (size_t k = 1; k < 9; k++)
            memcpy(data + k * length, data, length);
        for (size_t k = 1; k < 9; k++)
            data[k * length - 1] = '9';
        memcpy(ports, tcp, sizeof ports);
        more = 8 * (uint32_t)length;
        packet_grows(packet, more);
    } else if (more != 0 && memcmp(tcp, ports, sizeof ports) == 0) {
        put_u32(tcp + 4, get_u32(tcp + 4) + more);
    }
    return true;
}

/* A second before a's end b asks for another znode, and is answered just before its list is. */
static bool as_answered_late(struct kept_packet *packet, size_t i, size_t argument)
{
    static const uint8_t asked[] = {0, 0, 0, 16, 0, 0, 0x77, 0x77, 0, 0, 0, 3, 0, 0, 0, 3, '/', 'z', 'z', 0};
    static const uint8_t answered[] = {0, 0, 0, 16, 0, 0, 0x77, 0x77, 0,   0,
                                       0, 0, 0, 0,  0, 0, 255,  255,  255, 0x9b};
    static uint8_t of_client[4], of_server[4];
    static uint32_t sent[2];
    uint8_t *tcp = tcp_of(packet);
    (void)argument;
    for (size_t k = 0; i == 0 && k < sample_count; k++)
        if (sample[k].at_us == BASE_US + LOST_A)
            memcpy(of_server, sample[k].bytes + (tcp - packet->bytes), 4);
    if (i == 0) {
        memcpy(of_client, of_server + 2, 2);
        memcpy(of_client + 2, of_server, 2);
        sent[0] = sent[1] = 0;
    }
    bool by_client = memcmp(tcp, of_client, 4) == 0, by_server = memcmp(tcp, of_server, 4) == 0;
    if (by_client || by_server)
        put_u32(tcp + 4, get_u32(tcp + 4) + sent[by_server]);
    size_t length = data_of(packet);
    uint8_t *data = packet->bytes + packet->captured - length;
    if (by_client && !sent[0] && length > 0 && packet->at_us > BASE_US + LOST_A - 3000000) {
        memcpy(data + length, asked, sent[0] = sizeof asked);
        packet_grows(packet, sizeof asked);
    } else if (by_server && !sent[1] && packet->at_us == BASE_US + LOST_A + 6979) {
        memmove(data + sizeof answered, data, length);
        memcpy(data, answered, sent[1] = sizeof answered);
        packet_grows(packet, sizeof answered);
    }
    return true;
}

static void many_notifications_at_once(void **state)
{
    (void)state;
    struct told *plain = told_of(NULL, 0), *told = told_of(as_burst, 0);
    assert_int_equal(told->failover_count, 3);
    assert_true(told->failovers[1].reacted_us > 0);
    assert_int_equal(told->failovers[1].reacted_us, plain->failovers[1].reacted_us);
    assert_null(strstr((const char *)told->words.bytes, "slow-reaction"));
    told_free(plain);
    told_free(told);
}

static bool as_it_is(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)packet;
    (void)i;
    (void)argument;
    return true;
}

/* Another client watched a's znode as well as b: it is notified 3 ms later, reacts 41 ms after the loss, and sends three
 * requests. b asks for the list, which takes 6 ms; an answer to what it had asked before is not counted. */
static void herd_is_counted(bool (*change)(struct kept_packet *packet, size_t i, size_t argument))
{
    struct told *told = told_begin();
    static const int64_t steps_us[] = {LOST_A + 3000, LOST_A + 41000, LOST_A + 50000};
    static const enum captured_step steps[] = {CAPTURED_NOTIFIED, CAPTURED_REACTED, CAPTURED_ANSWERED};
    size_t step = 0;
    for (size_t i = 0; i < sample_count; i++) {
        for (; step < 3 && sample[i].at_us > BASE_US + steps_us[step]; step++) {
            struct observation o = {.kind = OBSERVED_CAPTURED,
                                    .at = {BASE_US + steps_us[step], BASE_US + steps_us[step]},
                                    .path = "/election/0d3ae41c2c254463a372c27e6eb3db1a__lock__0000000000"};
            o.captured = (struct observed_captured){.step = steps[step],
                                                    .address = "127.0.0.1:53409",
                                                    .client = "127.0.0.1:9",
                                                    .session = 99,
                                                    .timeout_ms = 6000,
                                                    .connected = true,
                                                    .requests = 3,
                                                    .slowest_us = step == 2 ? 2000 : 0};
            model_observe(told->model, &o);
        }
        struct kept_packet packet = sample[i];
        change(&packet, i, 0);
        told_take(told, &packet);
    }
    told_end(told);
    const char *evidence = told->failovers[0].evidence;
    if (!strstr(evidence, "; the leader's end woke 2 clients, which sent at least 4 requests, the last of "
                          "them after 41.000 ms; "
                          "the slowest answer by then took 6.078 ms"))
        fail_msg("%s", evidence);
    assert_null(strstr(told->failovers[1].evidence, "end woke"));
    told_free(told);
}

static void a_herd_is_counted(void **state)
{
    (void)state;
    herd_is_counted(as_it_is);
    herd_is_counted(as_answered_late);
}

/* ---- damage ---- */

/* The same is said, event for event, as of the undamaged capture. */
static void assert_same(struct told *told)
{
    struct told *plain = told_of(NULL, 0);
    assert_string_equal((const char *)told->words.bytes, (const char *)plain->words.bytes);
    assert_int_equal(told->failover_count, plain->failover_count);
    for (size_t i = 0; i < plain->failover_count; i++) {
        assert_int_equal(told->failovers[i].lost_us, plain->failovers[i].lost_us);
        assert_int_equal(told->failovers[i].cause, plain->failovers[i].cause);
        assert_int_equal(told->failovers[i].detection.low_us, plain->failovers[i].detection.low_us);
    }
    told_free(plain);
    told_free(told);
}

static void packets_that_come_twice(void **state)
{
    (void)state;
    struct told *told = told_begin();
    for (size_t i = 0; i < sample_count; i++) {
        told_take(told, &sample[i]);
        told_take(told, &sample[i]);
    }
    told_end(told);
    assert_same(told);
}

/* Each in three parts, the last one first, the middle one twice. */
static void packets_in_parts_and_in_disorder(void **state)
{
    (void)state;
    struct told *told = told_begin();
    for (size_t i = 0; i < sample_count; i++) {
        size_t data = data_of(&sample[i]), head = sample[i].captured - data, third = data / 3;
        static const int order[] = {2, 1, 1, 0};
        bool whole = data < 3;
        for (size_t k = 0; k < (whole ? 1 : 4); k++) {
            struct kept_packet part = sample[i];
            size_t from = whole ? 0 : (size_t)order[k] * third,
                   to = whole || order[k] == 2 ? data : from + third;
            memmove(part.bytes + head, sample[i].bytes + head + from, to - from);
            put_u32(tcp_of(&part) + 4, get_u32(tcp_of(&part) + 4) + (uint32_t)from);
            part.captured = part.length = head + to - from;
            part.bytes[ETHERNET + 2] = (uint8_t)((part.length - ETHERNET) >> 8);
            part.bytes[ETHERNET + 3] = (uint8_t)(part.length - ETHERNET);
            told_take(told, &part);
        }
    }
    told_end(told);
    assert_same(told);
}

/* So that each stream passes the end of its numbers after some bytes. */
static bool wrap_around(struct kept_packet *packet, size_t i, size_t argument)
{
    static uint32_t first[1 << 16][2];
    uint8_t *tcp = tcp_of(packet);
    unsigned port = (unsigned)tcp[0] << 8 | tcp[1], other = (unsigned)tcp[2] << 8 | tcp[3];
    bool of_server = port == 53409;
    unsigned client = of_server ? other : port;
    if (i == 0)
        memset(first, 0, sizeof first);
    if (tcp[13] & TCP_SYN)
        first[client][of_server] = get_u32(tcp + 4) + (uint32_t)argument;
    put_u32(tcp + 4, get_u32(tcp + 4) - first[client][of_server]);
    put_u32(tcp + 8, get_u32(tcp + 8) - first[client][!of_server]);
    return true;
}

static void sequence_numbers_that_wrap_around(void **state)
{
    (void)state;
    for (size_t before = 1; before < 200; before += 13)
        assert_same(told_of(wrap_around, before));
}

static bool as_vlan(struct kept_packet *packet, size_t i, size_t tags)
{
    (void)i;
    for (size_t k = 0; k < tags; k++) {
        memmove(packet->bytes + 16, packet->bytes + 12, packet->captured - 12);
        memcpy(packet->bytes + 12, (const uint8_t[]){0x81, 0, 0, 7}, 4);
        packet->captured += 4;
        packet->length += 4;
    }
    return true;
}

/* Another link type, with a header of this length in place of Ethernet's. */
static bool as_link(struct kept_packet *packet, size_t link, size_t header, size_t type_at)
{
    memmove(packet->bytes + header, packet->bytes + ETHERNET, packet->captured - ETHERNET);
    memset(packet->bytes, 0, header);
    if (header >= 16)
        memcpy(packet->bytes + type_at, (const uint8_t[]){8, 0}, 2);
    packet->captured = packet->captured - ETHERNET + header;
    packet->length = packet->captured;
    packet->link = (int)link;
    return true;
}

static bool as_other_link(struct kept_packet *packet, size_t i, size_t link)
{
    (void)i;
    return link == 113   ? as_link(packet, link, 16, 14)
           : link == 276 ? as_link(packet, link, 20, 0)
           : link == 0   ? as_link(packet, link, 4, 0)
                         : as_link(packet, link, 0, 0);
}

static bool as_ipv6(struct kept_packet *packet, size_t i, size_t argument)
{
    uint8_t header[40] = {0x60, [6] = 6, [7] = 64, [23] = 1, [39] = 1};
    size_t payload = packet->captured - ETHERNET - 20;
    (void)i;
    (void)argument;
    header[4] = (uint8_t)(payload >> 8);
    header[5] = (uint8_t)payload;
    memmove(packet->bytes + ETHERNET + 40, packet->bytes + ETHERNET + 20, payload);
    memcpy(packet->bytes + ETHERNET, header, sizeof header);
    memcpy(packet->bytes + 12, (const uint8_t[]){0x86, 0xdd}, 2);
    packet->captured = packet->length = ETHERNET + 40 + payload;
    return true;
}

static void every_link_layer(void **state)
{
    static const size_t links[] = {113, 276, 0, 12, 101, 228};
    (void)state;
    assert_same(told_of(as_vlan, 1));
    assert_same(told_of(as_vlan, 2));
    assert_same(told_of(as_ipv6, 0));
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        assert_same(told_of(as_other_link, links[i]));
}

/* Whatever is missing: what is said is as it was, or less. */
static void assert_nothing_wrong(const struct told *told, size_t argument)
{
    for (size_t i = 0; i < told->failover_count; i++) {
        const struct seen_failover *f = &told->failovers[i];
        enum failover_cause right = f->lost_us < 67000000 ? CAUSE_EXPIRED : CAUSE_EVICTED;
        bool wider = f->cause == CAUSE_UNKNOWN || f->cause == CAUSE_DELETED || f->cause == CAUSE_ENDED;
        if (f->cause != right && !wider)
            fail_msg("%zu: cause %s of the failover at %lld us", argument, failover_cause_word(f->cause),
                     (long long)f->lost_us);
    }
    for (size_t i = 0; i < told->failover_count; i++)
        if (told->failovers[i].cause == CAUSE_EVICTED && told->failovers[i].lost_us < 67000000)
            fail_msg("%zu: nobody was evicted then", argument);
    if (strstr((const char *)told->words.bytes, "no-watch"))
        fail_msg("%zu: a watch was missed", argument);
}

static bool without_one(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)packet;
    return i != argument;
}

static bool cut_to(struct kept_packet *packet, size_t i, size_t most)
{
    (void)i;
    packet->captured = packet->captured < most ? packet->captured : most;
    return true;
}

static bool from_here(struct kept_packet *packet, size_t i, size_t first)
{
    (void)packet;
    return i >= first;
}

/* A frame of 4 GB is announced. */
static bool with_one_huge(struct kept_packet *packet, size_t i, size_t argument)
{
    if (i == argument && data_of(packet) >= 4)
        put_u32(packet->bytes + packet->captured - data_of(packet), 0xfffffff0u);
    return true;
}

static bool as_tls(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)i;
    (void)argument;
    if (data_of(packet) >= 4)
        put_u32(packet->bytes + packet->captured - data_of(packet), 0x16030100u);
    return true;
}

/* What is encrypted is said to be, and shows nothing. */
static void encrypted_connections_are_named(void **state)
{
    (void)state;
    struct told *told = told_of(as_tls, 0);
    assert_int_equal(capture_limits(told->capture)->sessions, 0);
    assert_in_range(capture_limits(told->capture)->encrypted, 5, 30);
    assert_int_equal(told->model->clusters[0].election_count, 0);
    told_free(told);
}

static void what_is_missing_proves_nothing_wrong(void **state)
{
    bool (*const changes[])(struct kept_packet *, size_t, size_t) = {without_one, cut_to, from_here,
                                                                     with_one_huge};
    static const size_t most[] = {626, 250, 600, 626}, steps[] = {1, 3, 7, 1};
    (void)state;
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++)
        for (size_t argument = 0; argument < most[k]; argument += steps[k]) {
            struct told *told = told_of(changes[k], argument);
            assert_nothing_wrong(told, argument);
            told_free(told);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failover_to_the_packet),
        cmocka_unit_test(the_whole_chain),
        cmocka_unit_test(a_late_capture_knows_no_watches),
        cmocka_unit_test(two_leaders_at_a_time),
        cmocka_unit_test(a_herd_is_counted),
        cmocka_unit_test(a_candidate_that_does_not_react),
        cmocka_unit_test(a_gap_proves_no_silence),
        cmocka_unit_test(another_server_lists_it),
        cmocka_unit_test(a_silence_needs_every_server),
        cmocka_unit_test(a_silence_of_an_ensemble),
        cmocka_unit_test(many_notifications_at_once),
        cmocka_unit_test(a_capture_that_has_stalled_proves_no_silence),
        cmocka_unit_test(connections_that_another_capture_showed),
        cmocka_unit_test(two_captures_of_one_server),
        cmocka_unit_test(what_a_late_capture_held_is_old),
        cmocka_unit_test(a_file_of_tomorrow),
        cmocka_unit_test(what_two_files_hold),
        cmocka_unit_test(each_step_to_the_packet),
        cmocka_unit_test(packets_that_come_twice),
        cmocka_unit_test(packets_in_parts_and_in_disorder),
        cmocka_unit_test(sequence_numbers_that_wrap_around),
        cmocka_unit_test(every_link_layer),
        cmocka_unit_test(encrypted_connections_are_named),
        cmocka_unit_test(what_is_missing_proves_nothing_wrong),
    };
    return cmocka_run_group_tests(tests, read_sample, NULL);
}
