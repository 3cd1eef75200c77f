/*
 * A captured election: what was done is known, to the microsecond of each packet. What one capture proves, what several
 * do, and what those do that lie beside a live cluster.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "probe/clock.h"
#include "probe/election/session_table.h"
#include "probe/election/whatif.h"
#include "tests/support/sample.h"
#include "tests/support/test.h"

TEST(each_failover_to_the_packet)
{
    struct sample_result *result = sample_of(NULL, 0);
    const struct seen_failover *f = result->failovers;
    assert_int_equal(result->failover_count, 3);
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
    assert_int_equal(sample_election(result)->state, ELECTION_LED);
    assert_string_equal(sample_election(result)->leader->identity, "d");
    sample_free(result);
}

/* Each watches its predecessor, as the packets of each connection show. */
TEST(the_whole_chain)
{
    struct sample_result *result = sample_begin();
    size_t i = 0;
    for (; sample_packets[i].at_us < BASE_US + 40000000; i++)
        sample_take(result, &sample_packets[i]);
    capture_settle(result->capture);
    const struct election *election = sample_election(result);
    assert_int_equal(election->candidate_count, 4);
    assert_int_equal(whatif_next(election).chain, CHAIN_COMPLETE);
    for (size_t k = 1; k < 4; k++)
        assert_int_equal(election->candidates[k]->link, LINK_RIGHT);
    assert_int_equal(election->finding_count, 0);
    sample_free(result);
}

/* A capture that begins when they all stand does not know what they watch, nor say that it is nothing. */
TEST(a_late_capture_knows_no_watches)
{
    struct sample_result *result = sample_begin();
    size_t i = 0;
    for (; sample_packets[i].at_us < BASE_US + 57000000; i++)
        if (sample_packets[i].at_us > BASE_US + 40000000)
            sample_take(result, &sample_packets[i]);
    capture_settle(result->capture);
    const struct election *election = model_election(result->model, 0, "/election");
    /* Their pings show 4 connections; the list that b asks for shows the election, with b, c and d. */
    assert_int_equal(capture_limits(result->capture)->late, 4);
    assert_non_null(election);
    assert_int_equal(election->candidate_count, 3);
    assert_null(strstr((const char *)result->words.bytes, "candidate-joined"));
    for (size_t k = 0; k < election->candidate_count; k++)
        assert_true(election->candidates[k]->link != LINK_STUCK &&
                    election->candidates[k]->link != LINK_SUSPECT &&
                    election->candidates[k]->link != LINK_WRONG);
    for (; i < sample_count; i++)
        sample_take(result, &sample_packets[i]);
    sample_end(result);
    assert_int_equal(result->failover_count, 2);
    assert_int_equal(result->failovers[0].lost_us, LOST_B);
    assert_int_equal(result->failovers[1].cause, CAUSE_DELETED); /* whose znode it was is not known */
    sample_free(result);
}

/* Takes those until then, but for the left out ones, and lets time pass. */
static const struct election *sample_until(struct sample_result *result, int64_t from_us, int64_t to_us,
                                           bool (*left_out)(const struct kept_packet *packet))
{
    for (size_t i = 0; i < sample_count; i++)
        if (sample_packets[i].at_us >= BASE_US + from_us && sample_packets[i].at_us < BASE_US + to_us &&
            !(left_out && left_out(&sample_packets[i])))
            sample_take(result, &sample_packets[i]);
    capture_pass(result->capture, BASE_US + to_us + 50000);
    return sample_election(result);
}

#define D_JOINS 36800000
#define D_ASKS 37257500 /* for the list, after its znode was made */

/* It begins just before d joins, which is answered long before it is told who else stands. */
TEST(a_late_capture_does_not_know_who_is_first)
{
    struct sample_result *result = sample_begin();
    const struct election *election = sample_until(result, D_JOINS, D_ASKS, NULL);
    assert_int_equal(election->state, ELECTION_UNKNOWN);
    assert_null(election->leader);
    assert_non_null(strstr(election->problem, "not listed yet"));
    election = sample_until(result, D_ASKS, 40000000, NULL);
    assert_int_equal(election->candidate_count, 4);
    assert_int_equal(election->leader->sequence, 0);
    assert_null(election->problem);
    buffer_put_char(&result->words, '\0');
    assert_null(strstr((const char *)result->words.bytes, "unseen"));
    assert_null(strstr((const char *)result->words.bytes, "elected"));
    sample_free(result);
}

static bool is_answer_to_c(const struct kept_packet *packet)
{
    return packet->at_us == BASE_US + 36710538 || packet->at_us == BASE_US + 36712777;
}

/* By its port. */
static bool is_of_d(const struct kept_packet *packet)
{
    const uint8_t *tcp = packet->bytes + 14 + 20;
    return ((unsigned)tcp[0] << 8 | tcp[1]) == 34590 || ((unsigned)tcp[2] << 8 | tcp[3]) == 34590;
}

static bool is_of_d_or_answer_to_c(const struct kept_packet *packet)
{
    return is_of_d(packet) || is_answer_to_c(packet);
}

/* That c has joined is in no packet: d's number shows it, or that c went on without an answer. */
TEST(a_hole_may_hide_who_joined)
{
    struct sample_result *result = sample_begin();
    assert_false(sample_until(result, 0, D_ASKS, is_answer_to_c)->fresh);
    const struct election *election = sample_until(result, D_ASKS, 38000000, NULL);
    assert_true(election->fresh);
    assert_int_equal(election->candidate_count, 4);
    buffer_put_char(&result->words, '\0');
    assert_null(strstr((const char *)result->words.bytes, "unseen"));
    sample_free(result);
    result = sample_begin();
    election = sample_until(result, 0, 40000000, is_of_d_or_answer_to_c);
    assert_false(election->fresh);
    assert_int_equal(election->leader->sequence, 0);
    sample_free(result);
}

/* b was stopped while it led, and went on 4.87 s after c had reacted. */
TEST(two_leaders_at_a_time)
{
    struct sample_result *result = sample_of(NULL, 0);
    const struct election *election = sample_election(result);
    const struct finding *found = NULL;
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == FINDING_DOUBLE_LEADER)
            found = election->findings[i];
    assert_non_null(found);
    assert_int_equal(found->certainty, CERTAINTY_CERTAIN);
    assert_int_equal(found->since.wall_us - BASE_US, 62824462);
    assert_non_null(strstr(found->evidence, "for 4.871 s b could believe"));
    sample_free(result);
}

/* d is at a server that is not captured: after a's end, b's list shows it. */
TEST(a_list_after_an_end)
{
    struct sample_result *result = sample_begin();
    assert_int_equal(sample_until(result, 0, LOST_A - 1000, is_of_d)->candidate_count, 3);
    const struct election *election = sample_until(result, LOST_A - 1000, 51000000, is_of_d);
    assert_int_equal(election->candidate_count, 3);
    assert_int_equal(election->candidates[2]->sequence, 3);
    sample_free(result);
}

/* Somebody else watched b's znode, and reacted before c did: only c leads then. */
TEST(another_watcher_is_no_leader)
{
    static const int64_t steps_us[] = {LOST_B + 100, LOST_B + 200};
    static const enum captured_step steps[] = {CAPTURED_NOTIFIED, CAPTURED_REACTED};
    size_t step = 0;
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        for (; step < 2 && sample_packets[i].at_us > BASE_US + steps_us[step]; step++) {
            struct observation o = {.kind = OBSERVED_CAPTURED,
                                    .at = {BASE_US + steps_us[step], BASE_US + steps_us[step]},
                                    .path = "/election/eb3883e73d634292be5d37e72e62ebb1__lock__0000000001"};
            o.captured = (struct observed_captured){.step = steps[step],
                                                    .address = "127.0.0.1:53409",
                                                    .client = "127.0.0.1:9",
                                                    .session = 99,
                                                    .timeout_ms = 6000,
                                                    .connected = true};
            model_observe(result->model, &o);
        }
        sample_take(result, &sample_packets[i]);
    }
    sample_end(result);
    const struct election *election = sample_election(result);
    size_t found = 0;
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == FINDING_DOUBLE_LEADER && ++found)
            assert_non_null(strstr(election->findings[i]->evidence, "session 0x100004649d90002, reacted"));
    assert_int_equal(found, 1);
    sample_free(result);
}

/* The capture ends while c does nothing: that b was lost, and why, is known all the same. */
TEST(a_capture_that_ends_within_a_failover)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; sample_packets[i].at_us <= BASE_US + LOST_B; i++)
        sample_take(result, &sample_packets[i]);
    capture_settle(result->capture);
    assert_int_equal(result->failover_count, 1);
    model_finish(result->model);
    assert_int_equal(result->failover_count, 2);
    assert_int_equal(result->failovers[1].lost_us, LOST_B);
    assert_int_equal(result->failovers[1].cause, CAUSE_EXPIRED);
    assert_int_equal(result->failovers[1].notified_us, LOST_B - ENDED_B);
    assert_int_equal(result->failovers[1].reacted_us, 0);
    model_finish(result->model);
    assert_int_equal(result->failover_count, 2);
    sample_free(result);
}

/* c watches what has just gone, as packets show it several times until it asks again: only time makes that wrong. */
TEST(a_watch_that_is_about_to_be_set)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; sample_packets[i].at_us <= BASE_US + LOST_A + 20000; i++)
        sample_take(result, &sample_packets[i]);
    capture_settle(result->capture);
    struct captured_watch watches[] = {
        {.path = (char *)(uintptr_t) "/election/0d3ae41c2c254463a372c27e6eb3db1a__lock__0000000000"},
        {.path = (char *)(uintptr_t) "/other"}};
    size_t count = 1;
    for (int64_t after_us = 21000; after_us < 1000000; after_us += after_us < 30000 ? 1000 : 100000) {
        struct observation o = {.kind = OBSERVED_CAPTURED};
        count = 3 - count; /* another one is news each time */
        o.at = (struct moment){BASE_US + LOST_A + after_us, BASE_US + LOST_A + after_us};
        o.captured = (struct observed_captured){.address = "127.0.0.1:53409",
                                                .client = "127.0.0.1:34584",
                                                .session = UINT64_C(0x100004649d90002),
                                                .timeout_ms = 6000,
                                                .connected = true,
                                                .watches_known = true,
                                                .watches = watches,
                                                .count = count,
                                                .heard_us = o.at.mono_us};
        model_observe(result->model, &o);
        model_catch_up(result->model);
        bool found = false;
        const struct election *election = sample_election(result);
        for (size_t i = 0; i < election->finding_count; i++) {
            const struct finding *finding = election->findings[i];
            found = found || finding->code == FINDING_WATCH_ON_DELETED;
            if (finding->code == FINDING_WATCH_ON_DELETED)
                assert_null(strstr(finding->evidence, "polls over"));
        }
        if (after_us < 400000 || after_us > 700000)
            assert_int_equal(found, after_us > 700000);
    }
    sample_free(result);
}

/* c is notified, and its packets end there, as those of a stopped process do: first in line, and not going on. */
TEST(a_candidate_that_does_not_react)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; sample_packets[i].at_us <= BASE_US + LOST_B; i++)
        sample_take(result, &sample_packets[i]);
    capture_pass(result->capture, BASE_US + LOST_B + 1900000);
    assert_int_equal(sample_election(result)->finding_count, 0);
    capture_pass(result->capture, BASE_US + LOST_B + 2300000);
    const struct election *election = sample_election(result);
    assert_int_equal(election->finding_count, 1);
    assert_int_equal(election->findings[0]->code, FINDING_SLOW_REACTION);
    assert_int_equal(election->findings[0]->severity, SEVERITY_CRITICAL);
    assert_string_equal(election->findings[0]->candidates[0], election->candidates[0]->name);
    sample_free(result);
}

/* Packets were missing after a was heard last: it may have been heard since. b's silence began later. */
TEST(a_gap_proves_no_silence)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        if (i > 0 && sample_packets[i - 1].at_us < BASE_US + 45000000 &&
            sample_packets[i].at_us >= BASE_US + 45000000)
            capture_doubt(result->capture, 0);
        else if (i > 0 && sample_packets[i - 1].at_us < BASE_US + 47000000 &&
                 sample_packets[i].at_us >= BASE_US + 47000000)
            capture_tie(result->capture, 0, (struct moment){0});
        sample_take(result, &sample_packets[i]);
    }
    sample_end(result);
    assert_int_equal(result->failovers[0].lost_us, LOST_A);
    assert_int_not_equal(result->failovers[0].cause, CAUSE_EXPIRED);
    assert_int_equal(result->failovers[0].detection.low_us, SPAN_UNKNOWN.low_us);
    assert_int_equal(result->failovers[1].cause, CAUSE_EXPIRED);
    assert_int_equal(result->failovers[1].certainty, CERTAINTY_CERTAIN);
    sample_free(result);
}

static bool shown_at(struct sample_result *result, const char *server, int64_t at_us, int64_t heard_us)
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
    model_observe(result->model, &o);
    return session_table_find(result->model->clusters[0].clients, 7)->shown.watches_known;
}

/* The packets of where a client went are not those that are read. */
TEST(another_server_lists_it)
{
    struct sample_result *result = sample_begin();
    assert_true(shown_at(result, "a:1", 1000000, 900000));
    const struct seen_connection seen = {
        .session = 7, .client = "c:2", .established_ms = 1, .last_response_ms = 1, .timeout_ms = 6000};
    struct observation list = {.kind = OBSERVED_CONNECTIONS, .at = {2000000, 2000000}};
    list.connections =
        (struct observed_connections){.address = "a:1", .list = &seen, .count = 1, .now_ms = 1};
    model_observe(result->model, &list);
    assert_true(shown_at(result, "a:1", 2100000, 900000));
    list.at = (struct moment){3000000, 3000000};
    list.connections.address = "b:1";
    model_observe(result->model, &list);
    assert_false(session_table_find(result->model->clusters[0].clients, 7)->shown.watches_known);
    assert_false(shown_at(result, "a:1", 4000000, 900000));
    assert_true(shown_at(result, "a:1", 5000000, 4900000));
    sample_free(result);
}

/* ---- several captures in the place of a cluster ---- */

static void sample_goes_on(struct sample_result *result, size_t source, const char *server, int64_t at_us);

#define HALF (HEARD_A + 3000000)

/* Another server was captured in these parts: a may have gone there while it was not. */
TEST(a_silence_needs_every_server)
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample_result *result = sample_begin();
        for (size_t k = 0; k < sample_count; k++) {
            int64_t at_us = sample_packets[k].at_us - BASE_US;
            for (size_t part = 0; part < 3; part++) {
                int64_t from_us = rows[i].parts[part][0], until_us = rows[i].parts[part][1];
                if (from_us == 0 || at_us < from_us)
                    continue;
                sample_goes_on(result, part + 1, "other:1", from_us);
                sample_goes_on(result, part + 1, "other:1", at_us < until_us ? at_us : until_us);
            }
            sample_take(result, &sample_packets[k]);
        }
        sample_end(result);
        assert_int_equal(result->failovers[0].lost_us, LOST_A);
        assert_int_equal(result->failovers[0].cause, CAUSE_EXPIRED);
        assert_int_equal(result->failovers[0].certainty, rows[i].certainty);
        sample_free(result);
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
TEST(a_file_of_tomorrow)
{
    char path[] = "/tmp/electop-capture-XXXXXX", *paths[] = {path}, *error = NULL;
    int out = mkstemp(path), in = open(SAMPLE_FILE, O_RDONLY);
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
    } head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, (uint32_t)sample_packets[0].link};
    assert_non_null(to);
    fwrite(&head, sizeof head, 1, to);
    for (size_t i = 0; i < copies * sample_count; i++) {
        const struct kept_packet *one = &sample_packets[i % sample_count];
        int64_t at_us = one->at_us + (int64_t)(i / sample_count) * 3600000000;
        const uint32_t header[] = {(uint32_t)(at_us / 1000000), (uint32_t)(at_us % 1000000),
                                   (uint32_t)one->captured, (uint32_t)one->length};
        fwrite(header, sizeof header, 1, to);
        fwrite(one->bytes, one->captured, 1, to);
    }
    assert_int_equal(fclose(to), 0);
}

/* ... come in their order, however much longer one of them is. */
TEST(what_two_files_hold)
{
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
static void sample_goes_on(struct sample_result *result, size_t source, const char *server, int64_t at_us)
{
    const struct captured_packet packet = {
        .at_us = BASE_US + at_us, .link = 9999, .server = server, .source = source};
    assert_true(capture_take(result->capture, &packet));
}

/* Those of one server in its capture, the first; the second is there from the first packet on. */
static struct sample_result *sample_beside(const char *second, int64_t from_us)
{
    struct sample_result *result = sample_start(true);
    capture_name_servers(result->capture, name_itself, result);
    sample_goes_on(result, 0, NULL, from_us);
    sample_goes_on(result, 1, second, from_us);
    capture_tie(result->capture, 0, (struct moment){0});
    capture_tie(result->capture, 1, (struct moment){0});
    return result;
}

static void sample_take_until(struct sample_result *result, int64_t from_us, int64_t to_us)
{
    for (size_t i = 0; i < sample_count; i++)
        if (sample_packets[i].at_us > BASE_US + from_us && sample_packets[i].at_us <= BASE_US + to_us)
            sample_take(result, &sample_packets[i]);
}

/* a may have gone to the other server: only packets that came from there since prove that it was silent. */
TEST(a_capture_that_has_stalled_proves_no_silence)
{
    for (int stalls = 0; stalls < 2; stalls++) {
        struct sample_result *result = sample_beside(NULL, 1);
        sample_take_until(result, 1, HEARD_A + 1000000);
        sample_goes_on(result, 1, NULL, HEARD_A + 1000000);
        sample_take_until(result, HEARD_A + 1000000, LOST_A + 500000);
        assert_int_equal(result->facts[FACT_SESSION_EXPIRED], 0);
        if (stalls)
            capture_doubt(result->capture, 1);
        sample_goes_on(result, 1, NULL, LOST_A + 600000);
        assert_int_equal(result->facts[FACT_SESSION_EXPIRED], stalls ? 0 : 1);
        sample_free(result);
    }
}

static const struct server *sample_server(const struct sample_result *result)
{
    assert_int_equal(result->model->clusters[0].server_count, 1);
    return &result->model->clusters[0].servers[0];
}

/* Its connections may have been seen first where a client is. */
TEST(connections_that_another_capture_showed)
{
    for (int late = 0; late < 2; late++) {
        int64_t from_us = late ? 38000000 : 1;
        struct sample_result *result = sample_beside(SERVER, from_us);
        sample_take_until(result, from_us, 69000000);
        sample_goes_on(result, 1, SERVER, 69000000);
        assert_string_equal(sample_server(result)->watches_from, "capture");
        assert_int_equal(sample_server(result)->hidden[HIDDEN_WATCHES] != NULL, late);
        sample_free(result);
    }
}

/* ... show only what both do, and what came while one of them brought nothing is not known yet. */
TEST(two_captures_of_one_server)
{
    struct sample_result *result = sample_beside(SERVER, 1);
    sample_goes_on(result, 2, SERVER, 2);
    capture_tie(result->capture, 2, (struct moment){0});
    sample_goes_on(result, 1, SERVER, 40000000);
    assert_string_equal(sample_server(result)->watches_from, "capture");
    assert_null(sample_server(result)->hidden[HIDDEN_WATCHES]);
    capture_doubt(result->capture, 1);
    assert_null(sample_server(result)->watches_from);
    capture_tie(result->capture, 1, (struct moment){0});
    assert_string_equal(sample_server(result)->watches_from, "capture");
    assert_non_null(sample_server(result)->hidden[HIDDEN_WATCHES]);
    sample_free(result);
}

/* While a capture brings what it held before, nothing is certain. */
TEST(what_a_late_capture_held_is_old)
{
    struct sample_result *result = sample_start(true);
    capture_name_servers(result->capture, name_itself, result);
    sample_take_until(result, 0, 36000000);
    capture_tie(result->capture, 0, (struct moment){0});
    sample_take_until(result, 36000000, HEARD_A - 1000000);
    sample_goes_on(result, 1, NULL, 1);
    sample_take_until(result, HEARD_A - 1000000, LOST_A - 100000);
    sample_goes_on(result, 1, NULL, LOST_A - 90000);
    sample_take_until(result, LOST_A - 100000, LOST_A + 1000000);
    assert_int_equal(result->facts[FACT_SESSION_EXPIRED], 0);
    sample_goes_on(result, 1, NULL, LOST_A + 1100000);
    capture_tie(result->capture, 1, (struct moment){0});
    sample_take_until(result, LOST_A + 1100000, LOST_B - 1000);
    sample_goes_on(result, 1, NULL, LOST_B);
    sample_take_until(result, LOST_B - 1000, LOST_B + 1000000);
    assert_int_equal(result->facts[FACT_SESSION_EXPIRED], 1);
    sample_free(result);
}

ALL_BETWEEN(sample_read, NULL)
