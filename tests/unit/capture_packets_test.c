/*
 * The facts in each packet of a captured election, and the same packets in other orders, other frames, and damaged in
 * every way that captures are: nothing wrong is ever said of them.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/capture/wire.h"
#include "tests/support/sample.h"
#include "tests/support/test.h"

#define ETHERNET 14

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
        assert_true(packet_read(sample_packets[i].link, sample_packets[i].bytes, sample_packets[i].captured,
                                sample_packets[i].length, &segment));
        wire_take(wire, sample_packets[i].at_us, &segment);
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

TEST(each_step_to_the_packet)
{
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
TEST(a_silence_of_an_ensemble)
{
    struct sample_result *result = sample_of(as_ensemble, 0);
    assert_int_equal(result->failover_count, 3);
    for (size_t i = 0; i < 2; i++) {
        const struct seen_failover *f = &result->failovers[i];
        assert_int_equal(f->cause, CAUSE_EXPIRED);
        assert_int_equal(f->certainty, CERTAINTY_SUSPECTED);
        assert_non_null(strstr(f->evidence, "; a server that was not captured"));
    }
    assert_int_equal(result->failovers[2].certainty, CERTAINTY_CERTAIN);
    sample_free(result);
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
        if (sample_packets[k].at_us == BASE_US + LOST_A)
            memcpy(of_server, sample_packets[k].bytes + (tcp - packet->bytes), 4);
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

TEST(many_notifications_at_once)
{
    struct sample_result *plain = sample_of(NULL, 0), *result = sample_of(as_burst, 0);
    assert_int_equal(result->failover_count, 3);
    assert_true(result->failovers[1].reacted_us > 0);
    assert_int_equal(result->failovers[1].reacted_us, plain->failovers[1].reacted_us);
    assert_null(strstr((const char *)result->words.bytes, "slow-reaction"));
    sample_free(plain);
    sample_free(result);
}

static bool as_it_is(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)packet;
    (void)i;
    (void)argument;
    return true;
}

/* Another client watched a's znode as well as b: it is notified 3 ms later, reacts 41 ms after the loss, and sends
 * three requests. b asks for the list, which takes 6 ms; an answer to what it had asked before is not counted, nor is a
 * itself, which is told of its own end. apart: the other client's times are of another clock. */
static void herd_is_counted(bool (*change)(struct kept_packet *packet, size_t i, size_t argument), bool apart)
{
    struct sample_result *result = sample_begin();
    static const int64_t steps_us[] = {LOST_A + 500, LOST_A + 3000, LOST_A + 41000, LOST_A + 50000};
    static const enum captured_step steps[] = {CAPTURED_NOTIFIED, CAPTURED_NOTIFIED, CAPTURED_REACTED,
                                               CAPTURED_ANSWERED};
    size_t step = 0;
    for (size_t i = 0; i < sample_count; i++) {
        for (; step < 4 && sample_packets[i].at_us > BASE_US + steps_us[step]; step++) {
            struct observation o = {.kind = OBSERVED_CAPTURED,
                                    .at = {BASE_US + steps_us[step], BASE_US + steps_us[step]},
                                    .path = "/election/0d3ae41c2c254463a372c27e6eb3db1a__lock__0000000000"};
            o.captured = (struct observed_captured){.step = steps[step],
                                                    .address = "127.0.0.1:53409",
                                                    .client = "127.0.0.1:9",
                                                    .session = step == 0 ? UINT64_C(0x100004649d90000) : 99,
                                                    .timeout_ms = 6000,
                                                    .connected = true,
                                                    .requests = 3,
                                                    .slowest_us = step == 3 ? 2000 : 0};
            model_observe(result->model, &o);
            o.captured.step = CAPTURED_APART;
            if (apart && step == 1)
                model_observe(result->model, &o);
        }
        struct kept_packet packet = sample_packets[i];
        change(&packet, i, 0);
        sample_take(result, &packet);
    }
    sample_end(result);
    const char *evidence = result->failovers[0].evidence;
    if (!strstr(evidence,
                apart ? "; the leader's end woke 2 clients, which sent at least 4 requests; "
                        "the slowest answer by then took 6.078 ms"
                      : "; the leader's end woke 2 clients, which sent at least 4 requests, the last of "
                        "them after 41.000 ms; "
                        "the slowest answer by then took 6.078 ms"))
        fail_msg("%s", evidence);
    assert_null(strstr(result->failovers[1].evidence, "end woke"));
    sample_free(result);
}

TEST(a_herd_is_counted)
{
    herd_is_counted(as_it_is, false);
    herd_is_counted(as_answered_late, false);
    herd_is_counted(as_it_is, true);
}

/* ---- damage ---- */

static size_t packet_at(int64_t at_us)
{
    size_t i = 0;
    while (i < sample_count && sample_packets[i].at_us != BASE_US + at_us)
        i++;
    assert_true(i < sample_count);
    return i;
}

static bool without_one(struct kept_packet *packet, size_t i, size_t left_out)
{
    (void)packet;
    return i != left_out;
}

static bool without_pong(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)i;
    (void)argument;
    return packet->at_us < BASE_US + 57775871 || packet->at_us > BASE_US + 57900000;
}

/* The answer to c's last ping before b's end is missing, with its acknowledgement, so the notification waits until that
 * is certain, at c's next ping: c was told when it came, and went on. */
TEST(bytes_behind_a_hole_keep_their_time)
{
    struct sample_result *plain = sample_of(NULL, 0), *result = sample_of(without_pong, 0);
    assert_int_equal(result->failover_count, 3);
    assert_int_equal(result->failovers[1].detection.low_us, plain->failovers[1].detection.low_us);
    assert_in_range(result->failovers[1].notified_us, 1, plain->failovers[1].notified_us);
    assert_in_range(result->failovers[1].reacted_us, 1, plain->failovers[1].reacted_us);
    assert_null(strstr((const char *)result->words.bytes, "slow-reaction"));
    sample_free(plain);
    sample_free(result);
}

/* That a's znode went was not captured: it was missed some time later. */
TEST(an_end_that_was_missed_later)
{
    struct sample_result *result = sample_of(without_one, packet_at(LOST_A));
    assert_int_equal(result->failovers[0].cause, CAUSE_EXPIRED);
    assert_true(result->failovers[0].lost_us > LOST_A);
    assert_non_null(strstr(result->failovers[0].evidence, "packet of its client came at most "));
    sample_free(result);
}

/* b's first request after a's end, and a's last ping: a later packet is not taken for it. */
TEST(a_first_and_a_last_packet_that_are_missing)
{
    struct sample_result *plain = sample_of(NULL, 0);
    struct sample_result *first = sample_of(without_one, packet_at(49961907));
    int64_t silent_us = plain->failovers[0].detection.low_us;
    struct sample_result *last = sample_of(without_one, packet_at(LOST_A - silent_us));
    assert_true(plain->failovers[0].reacted_us > 0);
    assert_int_equal(first->failovers[0].reacted_us, 0);
    assert_int_equal(last->failovers[0].cause, CAUSE_EXPIRED);
    assert_in_range(last->failovers[0].detection.low_us, 0, silent_us);
    sample_free(plain);
    sample_free(first);
    sample_free(last);
}

/* The same is said, event for event, as of the undamaged capture. */
static void assert_same(struct sample_result *result)
{
    struct sample_result *plain = sample_of(NULL, 0);
    assert_string_equal((const char *)result->words.bytes, (const char *)plain->words.bytes);
    assert_int_equal(result->failover_count, plain->failover_count);
    for (size_t i = 0; i < plain->failover_count; i++) {
        assert_int_equal(result->failovers[i].lost_us, plain->failovers[i].lost_us);
        assert_int_equal(result->failovers[i].cause, plain->failovers[i].cause);
        assert_int_equal(result->failovers[i].detection.low_us, plain->failovers[i].detection.low_us);
    }
    sample_free(plain);
    sample_free(result);
}

TEST(packets_that_come_twice)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        sample_take(result, &sample_packets[i]);
        sample_take(result, &sample_packets[i]);
    }
    sample_end(result);
    assert_same(result);
}

/* Time went on without them: each keeps its own. */
TEST(packets_that_come_late)
{
    struct sample_result *plain = sample_of(NULL, 0), *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        if (i > 0 && sample_packets[i].at_us - sample_packets[i - 1].at_us > 20000)
            capture_pass(result->capture, sample_packets[i].at_us + 900000);
        sample_take(result, &sample_packets[i]);
    }
    sample_end(result);
    assert_int_equal(result->failover_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct seen_failover *f = &result->failovers[i], *right = &plain->failovers[i];
        assert_int_equal(f->certainty, CERTAINTY_CERTAIN);
        assert_int_equal(f->cause, right->cause);
        assert_int_equal(f->detection.low_us, right->detection.low_us);
        assert_int_equal(f->notified_us, right->notified_us);
        assert_int_equal(f->reacted_us, right->reacted_us);
    }
    sample_free(plain);
    sample_free(result);
}

/* Each in three parts, the last one first, the middle one twice. */
TEST(packets_in_parts_and_in_disorder)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        size_t data = data_of(&sample_packets[i]), head = sample_packets[i].captured - data, third = data / 3;
        static const int order[] = {2, 1, 1, 0};
        bool whole = data < 3;
        for (size_t k = 0; k < (whole ? 1 : 4); k++) {
            struct kept_packet part = sample_packets[i];
            size_t from = whole ? 0 : (size_t)order[k] * third,
                   to = whole || order[k] == 2 ? data : from + third;
            memmove(part.bytes + head, sample_packets[i].bytes + head + from, to - from);
            put_u32(tcp_of(&part) + 4, get_u32(tcp_of(&part) + 4) + (uint32_t)from);
            part.captured = part.length = head + to - from;
            part.bytes[ETHERNET + 2] = (uint8_t)((part.length - ETHERNET) >> 8);
            part.bytes[ETHERNET + 3] = (uint8_t)(part.length - ETHERNET);
            sample_take(result, &part);
        }
    }
    sample_end(result);
    assert_same(result);
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

TEST(sequence_numbers_that_wrap_around)
{
    for (size_t before = 1; before < 200; before += 13)
        assert_same(sample_of(wrap_around, before));
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

TEST(every_link_layer)
{
    static const size_t links[] = {113, 276, 0, 12, 101, 228};
    assert_same(sample_of(as_vlan, 1));
    assert_same(sample_of(as_vlan, 2));
    assert_same(sample_of(as_ipv6, 0));
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        assert_same(sample_of(as_other_link, links[i]));
}

/* Whatever is missing: what is said is as it was, or less. */
static void assert_nothing_wrong(const struct sample_result *result, size_t argument)
{
    for (size_t i = 0; i < result->failover_count; i++) {
        const struct seen_failover *f = &result->failovers[i];
        enum failover_cause right = f->lost_us < 67000000 ? CAUSE_EXPIRED : CAUSE_EVICTED;
        bool wider = f->cause == CAUSE_UNKNOWN || f->cause == CAUSE_DELETED || f->cause == CAUSE_ENDED;
        if (f->cause != right && !wider)
            fail_msg("%zu: cause %s of the failover at %lld us", argument, failover_cause_word(f->cause),
                     (long long)f->lost_us);
    }
    for (size_t i = 0; i < result->failover_count; i++)
        if (result->failovers[i].cause == CAUSE_EVICTED && result->failovers[i].lost_us < 67000000)
            fail_msg("%zu: nobody was evicted then", argument);
    if (strstr((const char *)result->words.bytes, "no-watch"))
        fail_msg("%zu: a watch was missed", argument);
    if (strstr((const char *)result->words.bytes, "slow-reaction"))
        fail_msg("%zu: each has reacted", argument);
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

static bool as_protocol(struct kept_packet *packet, size_t i, size_t argument)
{
    (void)i;
    if (data_of(packet) >= 4)
        put_u32(packet->bytes + packet->captured - data_of(packet), (uint32_t)argument);
    return true;
}

/* What is encrypted is said to be, and shows nothing. */
TEST(encrypted_connections_are_named)
{
    struct sample_result *result = sample_of(as_protocol, 0x48545450); /* "HTTP" */
    assert_non_null(strstr(result->model->clusters[0].problem, "no packet is of ZooKeeper's protocol"));
    sample_free(result);
    result = sample_of(as_protocol, 0x16030100);
    assert_int_equal(capture_limits(result->capture)->sessions, 0);
    assert_in_range(capture_limits(result->capture)->encrypted, 5, 30);
    assert_non_null(strstr(result->model->clusters[0].problem, "TLS"));
    assert_int_equal(result->model->clusters[0].election_count, 0);
    sample_free(result);
}

/* Another server with this port begins anew after 100 s: its first change has a number from before. */
static void has_mixed(size_t source, const char *why)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++)
        sample_take(result, &sample_packets[i]);
    assert_null(capture_limits(result->capture)->mixed);
    bool goes_on = true;
    for (size_t i = 0; i < sample_count && goes_on; i++) {
        struct kept_packet packet = sample_packets[i];
        packet.at_us += 100000000;
        packet.bytes[ETHERNET + 15] = packet.bytes[ETHERNET + 19] = 2;
        struct captured_packet taken = sample_packet(&packet);
        taken.source = source;
        goes_on = capture_take(result->capture, &taken);
    }
    assert_false(goes_on);
    const char *mixed = capture_limits(result->capture)->mixed;
    assert_non_null(mixed);
    assert_memory_equal(mixed, "127.0.0.1:53409 and 127.0.0.2:53409 number", 42);
    assert_non_null(strstr(mixed, why));
    sample_free(result);
}

TEST(two_ensembles_in_one_capture)
{
    has_mixed(0, "so they belong to two ensembles");
    has_mixed(1, "the clocks of their captures differ");
}

TEST(what_is_missing_proves_nothing_wrong)
{
    bool (*const changes[])(struct kept_packet *, size_t, size_t) = {without_one, cut_to, from_here,
                                                                     with_one_huge};
    static const size_t most[] = {626, 250, 600, 626}, steps[] = {1, 3, 7, 1};
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++)
        for (size_t argument = 0; argument < most[k]; argument += steps[k]) {
            struct sample_result *result = sample_of(changes[k], argument);
            assert_nothing_wrong(result, argument);
            sample_free(result);
        }
}

ALL_BETWEEN(sample_read, NULL)
