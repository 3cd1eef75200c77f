/* Proves that a case tells again what was observed, and that damage costs no more than the damaged block. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/case/case_file.h"
#include "probe/case/observation_codec.h"
#include "probe/clock.h"
#include "tests/support/dice.h"
#include "tests/support/folder.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"

#define BLOCKS 5
#define EACH 200
#define CANDIDATES 1000000

static uint64_t dice;

static int64_t any(void)
{
    static const int64_t edges[] = {0, -1, 1, INT64_MAX, INT64_MIN, INT32_MAX};
    return dice_draw(&dice, 3) ? (int64_t)dice_draw(&dice, 100000) : edges[dice_draw(&dice, 6)];
}

static int any_int(void)
{
    return (int)(dice_draw(&dice, 5)   ? dice_draw(&dice, 90000)
                 : dice_draw(&dice, 2) ? UINT32_MAX
                                       : INT32_MAX);
}

static bool coin(void)
{
    return dice_draw(&dice, 2) != 0;
}

static const char *any_text(bool needed)
{
    static const char *const texts[] = {
        "", "zk1:2181", "n_0000000001", "/election/n_0000000002", "\xff\x01 bytes", "10.0.0.1:4711"};
    return needed || coin() ? texts[dice_draw(&dice, 6)] : NULL;
}

/* One observation with everything it points to. */
struct drawn_observation {
    struct observation o;
    struct znode_stat stat;
    struct seen_connection connections[20];
    struct seen_watches watches[20];
    struct seen_session sessions[20];
    uint64_t own[3];
    const char *texts[8];
    uint8_t kinds[8]; /* of the watches on them */
    struct election_settings settings;
    struct captured_watch watch;
};

static void draw_lists(struct drawn_observation *d)
{
    struct observation *o = &d->o;
    size_t count = dice_draw(&dice, 20);
    bool kinds = coin(); /* of AdminServer only */
    for (size_t i = 0; i < 8; i++)
        d->kinds[i] = (uint8_t)dice_draw(&dice, 4);
    for (size_t i = 0; i < 20; i++) {
        uint64_t session = coin() ? i + 1 : dice_draw(&dice, 30);
        d->connections[i] = (struct seen_connection){
            session, any_text(true), any(), any(), any(), any(), any_int(), any_int(), any_text(false)};
        d->watches[i] =
            (struct seen_watches){session, d->texts, dice_draw(&dice, 9), kinds ? d->kinds : NULL};
        d->sessions[i] = (struct seen_session){session, any()};
    }
    if (o->kind == OBSERVED_CONNECTIONS)
        o->connections = (struct observed_connections){
            any_text(true),      d->connections,      count, any(), any(), any(), any(), d->own,
            dice_draw(&dice, 4), (uint32_t)any_int(), any()};
    else if (o->kind == OBSERVED_WATCHES)
        o->watches = (struct observed_watches){any_text(true),
                                               kinds || coin() ? "adminserver" : "four-letter",
                                               (uint32_t)any_int(),
                                               d->watches,
                                               count,
                                               any(),
                                               any()};
    else
        o->sessions = (struct observed_sessions){any_text(true), d->sessions, count};
}

static void draw_servers(struct drawn_observation *d)
{
    struct observation *o = &d->o;
    switch (o->kind) {
    case OBSERVED_CONNECTION:
        o->connection = (struct observed_connection){(enum connection_state)dice_draw(&dice, 4),
                                                     (uint64_t)any(),
                                                     any_int(),
                                                     any_text(false),
                                                     any(),
                                                     any_text(false),
                                                     coin(),
                                                     coin()};
        break;
    case OBSERVED_SERVER:
        o->server = (struct observed_server){
            any_text(true),  coin(),         coin(),    (enum server_mode)dice_draw(&dice, 6),
            any(),           any(),          any_int(), any_int(),
            any_text(false), any_text(false)};
        break;
    case OBSERVED_HIDDEN:
        o->hidden =
            (struct observed_hidden){any_text(true), (enum hidden_part)dice_draw(&dice, 3), any_text(false)};
        break;
    case OBSERVED_ENSEMBLE:
        o->ensemble = (struct observed_ensemble){d->texts, dice_draw(&dice, 9),
                                                 (enum ensemble_known)dice_draw(&dice, 3)};
        break;
    case OBSERVED_LOAD:
        o->load = (struct observed_load){
            any_text(true),
            coin(),
            {any(), any(), any(), any(), any(), any(), any(), any(), any(), any(), any()}};
        break;
    case OBSERVED_BAD_REPLY:
        o->bad_reply = (struct observed_bad_reply){any_text(true), any_text(true)};
        break;
    case OBSERVED_SILENCE:
        o->silent_since = (struct moment){any(), any()};
        break;
    case OBSERVED_GAP:
        o->gap_us = any();
        break;
    default:
        draw_lists(d);
    }
}

static void draw_observation(struct drawn_observation *d, struct moment at)
{
    struct observation *o = &d->o;
    uint64_t session = (uint64_t)any();
    *d = (struct drawn_observation){.stat = {any(), any(), any(), any(), any(), any_int(), any_int(),
                                             any_int(), any_int(), any_int(), (uint64_t)any()},
                                    .own = {(uint64_t)any(), 7, 8}};
    *o = (struct observation){.kind = (enum observation_kind)dice_draw(&dice, OBSERVED_CLOCK + 1),
                              .at = {at.mono_us + any_int(), at.wall_us + any_int()},
                              .cluster = (unsigned)dice_draw(&dice, 3),
                              .election = any_text(false),
                              .path = any_text(false)};
    for (size_t i = 0; i < 8; i++)
        d->texts[i] = any_text(true);
    switch (o->kind) {
    case OBSERVED_ELECTION:
        d->settings =
            (struct election_settings){.path = (char *)(uintptr_t)any_text(true),
                                       .name = (char *)(uintptr_t)any_text(false),
                                       .kind = (enum election_kind)dice_draw(&dice, 3),
                                       .recipe = (char *)(uintptr_t)any_text(true),
                                       .acknowledgement = (char *)(uintptr_t)any_text(false),
                                       .identity = (char *)(uintptr_t)any_text(false),
                                       .inject = (enum inject_leave)dice_draw(&dice, 3),
                                       .owner = (char *)(uintptr_t)any_text(false),
                                       .runbook = (char *)(uintptr_t)any_text(false),
                                       .allow = {any(), any(), any_int(), any_int(), any(), any(), any()}};
        o->subject = (struct observed_election){(enum election_origin)dice_draw(&dice, 3), &d->settings};
        break;
    case OBSERVED_CHILDREN:
        o->children = (struct observed_children){&d->stat, (char *const *)(uintptr_t)d->texts,
                                                 dice_draw(&dice, 9), any()};
        break;
    case OBSERVED_NODE:
        o->node = (struct observed_node){&d->stat, coin(), "\0data", 0};
        o->node.data_length = o->node.has_data ? 5 : 0;
        break;
    case OBSERVED_UNREAD:
        o->unread.part = coin() ? UNREAD_ACK : UNREAD_NO_ROOM;
        break;
    case OBSERVED_REPLICA:
        o->replica =
            (struct observed_replica){(uint32_t)any_int(), any_text(false), coin() ? &d->stat : NULL};
        break;
    case OBSERVED_TRANSACTION:
        o->transaction =
            (struct observed_transaction){any(),           coin(), (enum transaction_deed)dice_draw(&dice, 4),
                                          (uint64_t)any(), any(),  any_int(),
                                          coin(),          any(),  coin(),
                                          any(),           any(),  any_text(false),
                                          (uint64_t)any()};
        break;
    case OBSERVED_CAPTURED:
        d->watch = (struct captured_watch){(char *)(uintptr_t)any_text(true),
                                           (enum watch_kind)dice_draw(&dice, 4), any()};
        o->captured = (struct observed_captured){(enum captured_step)dice_draw(&dice, CAPTURED_MISSING + 1),
                                                 any_text(true),
                                                 session,
                                                 any_text(session != 0),
                                                 any_int(),
                                                 coin(),
                                                 coin(),
                                                 &d->watch,
                                                 dice_draw(&dice, 2),
                                                 any(),
                                                 any(),
                                                 any_int(),
                                                 any()};
        break;
    case OBSERVED_CLOCK:
        o->clock = (struct observed_clock){any_text(true), any()};
        break;
    default:
        draw_servers(d);
    }
}

/* ---- what is read is what was written ---- */

static void same_text(const char *a, const char *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_string_equal(a, b);
}

static void same_lists(const struct observation *a, const struct observation *b)
{
    if (a->kind == OBSERVED_CONNECTIONS) {
        const struct observed_connections *x = &a->connections, *y = &b->connections;
        same_text(x->address, y->address);
        assert_true(x->count == y->count && x->now_ms == y->now_ms && x->now_age_us == y->now_age_us &&
                    x->took_us == y->took_us && x->own_children == y->own_children &&
                    x->source == y->source && x->own_zxid == y->own_zxid &&
                    x->own_session_count == y->own_session_count);
        for (size_t i = 0; i < x->own_session_count; i++)
            assert_true(x->own_sessions[i] == y->own_sessions[i]);
        for (size_t i = 0; i < x->count; i++) {
            const struct seen_connection *p = &x->list[i], *q = &y->list[i];
            same_text(p->client, q->client);
            same_text(p->last_operation, q->last_operation);
            assert_true(p->session == q->session && p->established_ms == q->established_ms &&
                        p->last_response_ms == q->last_response_ms && p->last_cxid == q->last_cxid &&
                        p->last_zxid == q->last_zxid && p->timeout_ms == q->timeout_ms &&
                        p->outstanding == q->outstanding);
        }
    } else if (a->kind == OBSERVED_WATCHES) {
        const struct observed_watches *x = &a->watches, *y = &b->watches;
        same_text(x->address, y->address);
        same_text(x->from, y->from);
        assert_true(x->count == y->count && x->source == y->source && x->child_watches == y->child_watches &&
                    x->counted_us == y->counted_us);
        for (size_t i = 0; i < x->count; i++) {
            assert_true(x->list[i].session == y->list[i].session && x->list[i].count == y->list[i].count);
            for (size_t k = 0; k < x->list[i].count; k++)
                same_text(x->list[i].paths[k], y->list[i].paths[k]);
            assert_true(x->list[i].count == 0 || !x->list[i].kinds == !y->list[i].kinds);
            for (size_t k = 0; x->list[i].kinds && k < x->list[i].count; k++)
                assert_int_equal(x->list[i].kinds[k], y->list[i].kinds[k]);
        }
    } else {
        assert_true(a->sessions.count == b->sessions.count);
        for (size_t i = 0; i < a->sessions.count; i++)
            assert_true(a->sessions.list[i].id == b->sessions.list[i].id &&
                        a->sessions.list[i].ends_ms == b->sessions.list[i].ends_ms);
    }
}

static void same_settings(const struct election_settings *x, const struct election_settings *y)
{
    same_text(x->path, y->path);
    same_text(x->name, y->name);
    same_text(x->recipe, y->recipe);
    same_text(x->acknowledgement, y->acknowledgement);
    same_text(x->identity, y->identity);
    same_text(x->owner, y->owner);
    same_text(x->runbook, y->runbook);
    assert_true(x->kind == y->kind && x->inject == y->inject);
    assert_memory_equal(&x->allow, &y->allow, sizeof x->allow);
}

static void same_rest(const struct observation *a, const struct observation *b)
{
    switch (a->kind) {
    case OBSERVED_CONNECTION:
        same_text(a->connection.server, b->connection.server);
        same_text(a->connection.problem, b->connection.problem);
        assert_true(a->connection.state == b->connection.state &&
                    a->connection.session == b->connection.session &&
                    a->connection.timeout_ms == b->connection.timeout_ms &&
                    a->connection.silent_us == b->connection.silent_us &&
                    a->connection.sees_all == b->connection.sees_all &&
                    a->connection.no_chroot == b->connection.no_chroot);
        break;
    case OBSERVED_SERVER:
        same_text(a->server.address, b->server.address);
        same_text(a->server.version, b->server.version);
        same_text(a->server.problem, b->server.problem);
        assert_true(a->server.unasked == b->server.unasked && a->server.reachable == b->server.reachable &&
                    a->server.mode == b->server.mode && a->server.answer_us == b->server.answer_us &&
                    a->server.zxid == b->server.zxid && a->server.connections == b->server.connections &&
                    a->server.tick_ms == b->server.tick_ms);
        break;
    case OBSERVED_HIDDEN:
        same_text(a->hidden.problem, b->hidden.problem);
        assert_true(a->hidden.part == b->hidden.part);
        break;
    case OBSERVED_ENSEMBLE:
        assert_true(a->ensemble.known == b->ensemble.known && a->ensemble.count == b->ensemble.count);
        for (size_t i = 0; i < a->ensemble.count; i++)
            same_text(a->ensemble.addresses[i], b->ensemble.addresses[i]);
        break;
    case OBSERVED_LOAD:
        assert_true(a->load.part == b->load.part);
        assert_memory_equal(&a->load.load, &b->load.load, sizeof a->load.load);
        break;
    case OBSERVED_BAD_REPLY:
        same_text(a->bad_reply.what, b->bad_reply.what);
        break;
    case OBSERVED_SILENCE:
        assert_memory_equal(&a->silent_since, &b->silent_since, sizeof a->silent_since);
        break;
    case OBSERVED_GAP:
        assert_true(a->gap_us == b->gap_us);
        break;
    case OBSERVED_UNREAD:
        assert_true(a->unread.part == b->unread.part);
        break;
    case OBSERVED_REPLICA:
        same_text(a->replica.address, b->replica.address);
        assert_true(a->replica.round == b->replica.round && !a->replica.stat == !b->replica.stat);
        break;
    case OBSERVED_TRANSACTION: {
        const struct observed_transaction *x = &a->transaction, *y = &b->transaction;
        assert_true(x->zxid == y->zxid && x->unproven == y->unproven && x->deed == y->deed &&
                    x->session == y->session && x->czxid == y->czxid && x->timeout_ms == y->timeout_ms &&
                    x->stalled == y->stalled && x->active_us == y->active_us && x->captured == y->captured &&
                    x->heard_us == y->heard_us && x->gone_us == y->gone_us && x->owner == y->owner);
        same_text(x->identity, y->identity);
        break;
    }
    case OBSERVED_CLOCK:
        same_text(a->clock.address, b->clock.address);
        assert_true(a->clock.ahead_us == b->clock.ahead_us);
        break;
    case OBSERVED_CAPTURED: {
        const struct observed_captured *x = &a->captured, *y = &b->captured;
        same_text(x->address, y->address);
        same_text(x->client, y->client);
        assert_true(x->step == y->step && x->session == y->session && x->timeout_ms == y->timeout_ms &&
                    x->connected == y->connected && x->watches_known == y->watches_known &&
                    x->heard_us == y->heard_us && x->count == y->count && x->requests == y->requests &&
                    x->slowest_us == y->slowest_us);
        for (size_t i = 0; i < x->count; i++) {
            same_text(x->watches[i].path, y->watches[i].path);
            assert_true(x->watches[i].kind == y->watches[i].kind &&
                        x->watches[i].since_us == y->watches[i].since_us);
        }
        break;
    }
    default:
        break;
    }
}

static void same_observation(const struct observation *a, const struct observation *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(&a->at, &b->at, sizeof a->at);
    assert_int_equal(a->cluster, b->cluster);
    same_text(a->election, b->election);
    same_text(a->path, b->path);
    if (a->kind == OBSERVED_CONNECTIONS || a->kind == OBSERVED_WATCHES || a->kind == OBSERVED_SESSIONS)
        same_lists(a, b);
    else if (a->kind == OBSERVED_ELECTION)
        same_settings(a->subject.settings, b->subject.settings);
    else if (a->kind == OBSERVED_CHILDREN) {
        assert_memory_equal(a->children.stat, b->children.stat, sizeof *a->children.stat);
        assert_true(a->children.count == b->children.count && a->children.synced_us == b->children.synced_us);
        for (size_t i = 0; i < a->children.count; i++)
            same_text(a->children.names[i], b->children.names[i]);
    } else if (a->kind == OBSERVED_NODE) {
        assert_memory_equal(a->node.stat, b->node.stat, sizeof *a->node.stat);
        assert_true(a->node.has_data == b->node.has_data && a->node.data_length == b->node.data_length);
        assert_memory_equal(a->node.data_length ? a->node.data : "", a->node.data_length ? b->node.data : "",
                            a->node.data_length);
    } else
        same_rest(a, b);
}

/* So many blocks of random observations, the same each time. */
static void write_blocks(struct buffer *out, size_t blocks)
{
    char *error;
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *writer = case_writer_new(scripted_settings(), model);
    struct drawn_observation d;
    dice = 33;
    for (size_t i = 0; i < blocks * EACH; i++) {
        draw_observation(&d, scripted_at((double)i));
        case_writer_observe(writer, &d.o);
        if (i % EACH == EACH - 1)
            case_writer_take(writer, out);
    }
    assert_true(case_writer_close(writer, &error));
    model_free(model);
}

TEST(test_round_trip)
{
    struct buffer blocks = {0};
    struct observation o;
    struct drawn_observation d;
    write_blocks(&blocks, BLOCKS);
    struct case_reader *reader = case_read(blocks.bytes, blocks.length);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    assert_int_equal(case_settings(reader)->cluster_count, scripted_settings()->cluster_count);
    assert_string_equal(case_settings(reader)->clusters[0].name, scripted_settings()->clusters[0].name);
    assert_string_equal(case_settings(reader)->clusters[1].hosts, scripted_settings()->clusters[1].hosts);
    dice = 33;
    for (size_t i = 0; i < BLOCKS * EACH; i++) {
        draw_observation(&d, scripted_at((double)i));
        assert_int_equal(case_next(reader, &o), CASE_OBSERVATION);
        same_observation(&d.o, &o);
    }
    assert_int_equal(case_next(reader, &o), CASE_END);
    assert_int_equal(case_losses(reader)->blocks, 0);
    case_close(reader);
}

/* The observations of a case, without gaps; those are counted. */
static size_t read_all(void *bytes, size_t length, size_t *gaps, struct case_losses *losses)
{
    struct case_reader *reader = case_read(bytes, length);
    struct observation o;
    enum case_next next;
    size_t count = 0;
    *gaps = 0;
    while ((next = case_next(reader, &o)) != CASE_END) {
        count += next == CASE_OBSERVATION;
        *gaps += next == CASE_OBSERVATION && o.kind == OBSERVED_GAP;
    }
    *losses = *case_losses(reader);
    case_close(reader);
    return count;
}

TEST(test_damage)
{
    struct buffer whole = {0}, first = {0}, second = {0};
    struct case_losses losses;
    size_t gaps, gaps_whole, clusters = scripted_settings()->cluster_count;
    write_blocks(&whole, BLOCKS);
    write_blocks(&first, 1);
    write_blocks(&second, 2);
    assert_int_equal(read_all(xmemdup(whole.bytes, whole.length), whole.length, &gaps_whole, &losses),
                     BLOCKS * EACH);
    for (size_t at = 0; at < whole.length; at += 41) {
        char *copy = xmemdup(whole.bytes, whole.length);
        copy[at] = (char)(copy[at] ^ 0x40);
        size_t count = read_all(copy, whole.length, &gaps, &losses);
        /* The gap is told to each cluster, unless nothing comes before it, or after it. */
        size_t told = (BLOCKS - 1) * EACH;
        assert_true(count == told || count == told + clusters);
        assert_int_equal(losses.blocks, 1);
        if (at > first.length && at < second.length)
            assert_true(count == told + clusters && losses.first_byte == first.length);
    }
    for (size_t length = 0; length < whole.length; length += 97) {
        size_t count = read_all(xmemdup(whole.bytes, length + !length), length, &gaps, &losses);
        assert_int_equal(count % EACH, 0);
        assert_int_equal(losses.blocks, count == 0 ? length > 0
                                                   : length != first.length && length != second.length &&
                                                         count < BLOCKS * EACH);
    }
    /* What is left of a run begins as one, each time that it is read. */
    struct case_reader *reader = case_read(xmemdup(whole.bytes + first.length, whole.length - first.length),
                                           whole.length - first.length);
    for (int time = 0; time < 2; time++) {
        struct observation o;
        assert_int_equal(case_next(reader, &o), CASE_RUN);
        assert_int_equal(case_next(reader, &o), CASE_OBSERVATION);
        case_rewind(reader);
    }
    case_close(reader);
    buffer_free(&whole);
    buffer_free(&first);
    buffer_free(&second);
}

TEST(test_later_version)
{
    char *error;
    struct buffer blocks = {0};
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *writer = case_writer_new(scripted_settings(), model);
    struct observation o = {.at = scripted_now(), .path = "/a text of its own"};
    for (int i = 0; i < 30; i++) {
        o.kind = i % 3 ? OBSERVED_TICK : (enum observation_kind)(OBSERVED_CLOCK + 7);
        o.at.mono_us += 1000;
        o.path = i % 3 == 2 ? "/a text of an unknown kind" : "/a text";
        case_writer_observe(writer, &o);
    }
    case_writer_take(writer, &blocks);
    case_writer_close(writer, &error);
    model_free(model);
    struct case_reader *reader = case_read(blocks.bytes, blocks.length);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(case_next(reader, &o), CASE_OBSERVATION);
        assert_int_equal(o.at.mono_us, scripted_now().mono_us + 1000 * (i / 2 * 3 + i % 2 + 2));
        assert_string_equal(o.path, i % 2 ? "/a text of an unknown kind" : "/a text");
    }
    assert_int_equal(case_next(reader, &o), CASE_END);
    assert_int_equal(case_losses(reader)->skipped, 10);
    case_close(reader);
}

/* A field that a later version adds to the end of a kind is left out, whatever else the observations hold. */
TEST(test_later_fields)
{
    struct buffer stretch = {0};
    struct drawn_observation d;
    struct observation o = {.kind = OBSERVED_ENSEMBLE, .at = scripted_now(), .ensemble.known = ENSEMBLE_PART};
    struct kept_settings *kept = NULL;
    struct coding *c = coding_write(&stretch);
    coding_put(c, &o); /* an empty list before the first text */
    dice = 33;
    for (uint64_t i = 0; i < 1000; i++) {
        draw_observation(&d, scripted_at((double)i));
        coding_put(c, &d.o);
        coding_number(c, &i);
    }
    coding_finish(c);
    coding_free(c);
    c = coding_read(stretch.bytes, stretch.length, &kept);
    assert_true(coding_get(c, &o));
    assert_true(o.ensemble.known == ENSEMBLE_PART && o.ensemble.count == 0);
    dice = 33;
    for (size_t i = 0; i < 1000; i++) {
        draw_observation(&d, scripted_at((double)i));
        assert_true(coding_get(c, &o));
        same_observation(&d.o, &o);
    }
    assert_false(coding_get(c, &o) || c->bad);
    coding_free(c);
    kept_settings_free(kept);
    buffer_free(&stretch);
}

/* ... and one that an earlier version did not write yet is 0. */
TEST(test_earlier_fields)
{
    struct buffer stretch = {0};
    struct kept_settings *kept = NULL;
    struct observation o = {.kind = OBSERVED_CAPTURED, .at = scripted_now(), .path = "/a"}, got;
    o.captured = (struct observed_captured){.step = CAPTURED_REACTED,
                                            .address = "a:1",
                                            .session = 1,
                                            .client = "c:1",
                                            .requests = 3,
                                            .slowest_us = 5};
    struct coding *c = coding_write(&stretch);
    coding_put(c, &o);
    coding_finish(c);
    coding_free(c);
    const unsigned char *bytes = (const unsigned char *)stretch.bytes;
    struct scan in = {bytes, bytes + stretch.length, false};
    size_t lanes[64], count = 0, size;
    while (in.at < in.end) {
        lanes[count++ % 64] = (size_t)(in.at - bytes);
        scan_number(&in);
        scan_piece(&in, &size);
    }
    c = coding_read(stretch.bytes, lanes[count - 2], &kept); /* without the last two fields */
    assert_true(coding_get(c, &got));
    o.captured.requests = 0;
    o.captured.slowest_us = 0;
    same_observation(&o, &got);
    coding_free(c);
    kept_settings_free(kept);
    buffer_free(&stretch);
}

/* Each server that a stranger's stretch names costs the same: a search among all would take minutes. */
TEST(test_many_servers)
{
    enum { SERVERS = 200000 };
    struct buffer stretch = {0};
    char address[16];
    struct observation o = {.kind = OBSERVED_LOAD, .at = scripted_now(), .load.address = address};
    struct kept_settings *kept = NULL;
    struct coding *c = coding_write(&stretch);
    for (int i = 0; i < 2 * SERVERS; i++) {
        snprintf(address, sizeof address, "%d", i % SERVERS);
        o.load.load.uptime_ms = i;
        coding_put(c, &o);
    }
    coding_finish(c);
    coding_free(c);
    c = coding_read(stretch.bytes, stretch.length, &kept);
    for (int i = 0; i < 2 * SERVERS; i++)
        assert_true(coding_get(c, &o) && o.load.load.uptime_ms == i && atoi(o.load.address) == i % SERVERS);
    assert_false(coding_get(c, &o) || c->bad);
    coding_free(c);
    buffer_free(&stretch);
}

/* A part with pseudonyms, of a run with own recipes of every kind, can be opened: their words stay. */
TEST(test_own_recipes_with_pseudonyms)
{
    static char names[][6] = {"acmea", "acmeb", "acmec", "acmed", "acmee"}, candidate[] = "^acme-(\\d{10})$";
    static char families[][9] = {"sequence", "hybrid", "sequence", "sequence", "sequence"};
    static char watches[][12] = {"predecessor", "leader", "children", "nothing", "unknown"};
    struct recipe_settings recipes[5] = {{0}};
    struct settings settings = *scripted_settings();
    for (size_t i = 0; i < 5; i++)
        recipes[i] = (struct recipe_settings){
            .name = names[i], .family = families[i], .candidate = candidate, .watches = watches[i]};
    settings.recipes = recipes;
    settings.recipe_count = 5;
    char *error = NULL;
    struct buffer blocks = {0}, renamed = {0};
    struct observation o = {.kind = OBSERVED_TICK, .at = scripted_now()};
    struct model *model = model_new(&settings, &error);
    assert_non_null(model);
    struct case_writer *writer = case_writer_new(&settings, model);
    case_writer_observe(writer, &o);
    case_writer_take(writer, &blocks);
    case_writer_close(writer, &error);
    model_free(model);
    const struct case_part all = {.from_us = INT64_MIN, .to_us = INT64_MAX, .pseudonyms = true};
    struct case_reader *reader = case_read(blocks.bytes, blocks.length);
    assert_true(case_cut(reader, &all, &renamed, &error));
    case_close(reader);
    reader = case_read(renamed.bytes, renamed.length);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    model = case_model(reader, &error);
    assert_non_null(model);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(case_settings(reader)->recipes[i].family, families[i]);
        assert_string_equal(case_settings(reader)->recipes[i].watches, watches[i]);
        assert_string_not_equal(case_settings(reader)->recipes[i].name, names[i]);
    }
    model_free(model);
    case_close(reader);
}

/* Bytes that are allocated. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t held_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes()
                                                   : mallinfo2().uordblks;
}

#define RUNS 4000

/* Of any number of runs the settings of the latest are there, of the one before it, and of one that is to stay; and
 * what the bundle is about. */
TEST(test_many_runs)
{
    char *error = NULL;
    struct buffer blocks = {0}, block = {0}, bundle = {0};
    struct observation o;
    scripted_run(scripted_settings(), &block);
    const struct case_part part = {.from_us = INT64_MIN,
                                   .to_us = INT64_MAX,
                                   .about = {.at_us = 123, .version = "v", .configuration = "c"}};
    struct case_reader *reader = case_read(xmemdup(block.bytes, block.length), block.length);
    assert_true(case_cut(reader, &part, &bundle, &error));
    case_close(reader);
    buffer_put(&blocks, bundle.bytes, bundle.length);
    for (int i = 1; i < RUNS; i++)
        buffer_put(&blocks, block.bytes, block.length);
    reader = case_read(blocks.bytes, blocks.length);
    size_t before = held_bytes(), runs = 0;
    const struct settings *kept = NULL, *latest = NULL;
    for (enum case_next next; (next = case_next(reader, &o)) != CASE_END;)
        if (next == CASE_RUN) {
            if (runs++ == 0) {
                kept = case_settings(reader);
                case_keep_settings(reader);
            }
            if (latest)
                assert_string_equal(latest->clusters[0].name, scripted_settings()->clusters[0].name);
            latest = case_settings(reader);
        }
    assert_int_equal(runs, RUNS);
    assert_in_range(held_bytes() - before, 0, 100000);
    assert_string_equal(kept->clusters[1].hosts, scripted_settings()->clusters[1].hosts);
    struct case_about about = case_about(reader);
    case_rewind(reader);
    for (int i = 0; i < 9; i++)
        case_next(reader, &o);
    assert_int_equal(about.at_us, 123);
    assert_string_equal(about.version, "v");
    assert_string_equal(about.configuration, "c");
    case_close(reader);
    buffer_free(&block);
    buffer_free(&bundle);
}

static struct moment program_time = {1000000, 1000000};

struct moment clock_now(void)
{
    return program_time;
}

int64_t clock_wall_us(void)
{
    return program_time.wall_us;
}

/* Ten seconds of the program end a block, so that little of a pipe is lost; years of logs end none. */
TEST(test_blocks_of_a_file)
{
    char folder[] = "/tmp/electop-case-XXXXXX", file[80], *error = NULL;
    folder_make(folder);
    snprintf(file, sizeof file, "%s/a.case", folder);
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *writer = case_writer_open(file, scripted_settings(), model, &error);
    struct observation o = {.kind = OBSERVED_TICK, .at = scripted_now()};
    struct stat status;
    for (int day = 0; day < 1000; day++) {
        o.at.mono_us += INT64_C(86400000000);
        case_writer_observe(writer, &o);
    }
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_size, 0);
    program_time.mono_us += 10000001;
    case_writer_observe(writer, &o);
    assert_int_equal(stat(file, &status), 0);
    assert_true(status.st_size > 0);
    assert_true(case_writer_close(writer, &error));
    model_free(model);
    folder_remove(folder);
}

TEST(test_files)
{
    char folder[] = "/tmp/electop-case-XXXXXX", file[80], *error = NULL;
    folder_make(folder);
    snprintf(file, sizeof file, "%s/a.case", folder);
    struct model *model = model_new(scripted_settings(), &error);
    struct observation o = {.kind = OBSERVED_TICK, .at = scripted_now()};
    for (int run = 0; run < 2; run++) {
        struct case_writer *writer = case_writer_open(file, scripted_settings(), model, &error);
        assert_non_null(writer);
        o.at.mono_us++;
        case_writer_observe(writer, &o);
        assert_true(case_writer_close(writer, &error));
    }
    assert_true(case_is(file));
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    struct case_reader *reader = case_open(file, &error);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    assert_int_equal(case_next(reader, &o), CASE_OBSERVATION);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    assert_int_equal(case_next(reader, &o), CASE_OBSERVATION);
    assert_int_equal(case_next(reader, &o), CASE_END);
    case_close(reader);
    snprintf(file, sizeof file, "%s/other", folder);
    FILE *other = fopen(file, "w");
    fputs("not a case at all", other);
    fclose(other);
    assert_false(case_is(file));
    assert_null(case_writer_open(file, scripted_settings(), model, &error));
    assert_non_null(strstr(error, "is not a case"));
    free(error);
    assert_null(case_open(file, &error));
    assert_non_null(strstr(error, "is not a case"));
    free(error);
    /* A case of another form is one, but is neither read nor written to. */
    other = fopen(file, "w");
    fputs("eltcase1 and its blocks", other);
    fclose(other);
    assert_true(case_is(file));
    assert_null(case_writer_open(file, scripted_settings(), model, &error));
    assert_non_null(strstr(error, "is a case of another version"));
    free(error);
    assert_null(case_open(file, &error));
    assert_non_null(strstr(error, "is a case of another version"));
    free(error);
    /* A pipe hangs nothing, and nobody's link chooses the file that is written. */
    char odd[80];
    snprintf(odd, sizeof odd, "%s/pipe", folder);
    assert_int_equal(mkfifo(odd, 0600), 0);
    assert_false(case_is(odd));
    assert_null(case_open(odd, &error));
    free(error);
    assert_null(case_writer_open(odd, scripted_settings(), model, &error));
    assert_non_null(strstr(error, "is not a plain file"));
    free(error);
    snprintf(odd, sizeof odd, "%s/link", folder);
    snprintf(file, sizeof file, "%s/a.case", folder);
    assert_int_equal(symlink(file, odd), 0);
    assert_true(case_is(odd));
    assert_null(case_writer_open(odd, scripted_settings(), model, &error));
    assert_non_null(strstr(error, "it is a symbolic link"));
    free(error);
    model_free(model);
    folder_remove(folder);
}

/* Blocks of two that observe at once would damage each other: the second is told, by whatever name it comes. */
TEST(test_one_writer)
{
    char folder[] = "/tmp/electop-case-XXXXXX", file[80], other[80], *error = NULL;
    folder_make(folder);
    snprintf(file, sizeof file, "%s/a.case", folder);
    snprintf(other, sizeof other, "%s/b.case", folder);
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *first = case_writer_open(file, scripted_settings(), model, &error);
    assert_non_null(first);
    assert_int_equal(link(file, other), 0);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? other : file;
        assert_false(case_is(name)); /* reading it takes no lock away */
        assert_null(case_writer_open(name, scripted_settings(), model, &error));
        assert_non_null(strstr(error, "another process observes into it"));
        free(error);
    }
    assert_true(case_writer_close(first, &error));
    first = case_writer_open(other, scripted_settings(), model, &error);
    assert_non_null(first);
    assert_true(case_writer_close(first, &error));
    model_free(model);
    folder_remove(folder);
}

/* A large state is repeated after as many bytes of something new, not at each change. */
TEST(test_large_state)
{
    char *error;
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *w = case_writer_new(scripted_settings(), model);
    struct buffer out = {0};
    char path[64], *problem, text[200];
    memset(text, 'x', sizeof text);
    struct observation o = {.kind = OBSERVED_NODE, .at = {1, 1}, .election = "/election", .path = path};
    o.node.has_data = true;
    o.node.data = text;
    o.node.data_length = sizeof text;
    struct znode_stat stat = {.data_length = sizeof text};
    o.node.stat = &stat;
    case_writer_keep_state(w);
    unsigned taken = 0;
    for (unsigned i = 0; i < 40000; i++) { /* 10,000 znodes, and each of them three times more */
        snprintf(path, sizeof path, "/election/n_%010u", i % 10000);
        stat.mzxid = i;
        snprintf(text, sizeof text, "%u", i * 2654435761U);
        case_writer_observe(w, &o);
        if (!case_writer_is_due(w, 1, INT64_MAX))
            continue;
        case_writer_take(w, &out);
        taken++;
    }
    assert_in_range(taken, 2, 8);
    buffer_free(&out);
    assert_true(case_writer_close(w, &problem));
    model_free(model);
}

/* Folds it; the number of observations, and of the candidates at the end. */
static size_t fold_whole(struct buffer *blocks, size_t *candidates)
{
    char *error;
    struct case_reader *reader = case_read(blocks->bytes, blocks->length);
    struct observation o;
    size_t count = 0;
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    struct model *model = case_model(reader, &error);
    while (case_next(reader, &o) == CASE_OBSERVATION) {
        model_observe(model, &o);
        count++;
    }
    *candidates = model->clusters[0].election_count ? model->clusters[0].elections[0]->candidate_count : 0;
    model_free(model);
    case_close(reader);
    return count;
}

/* A million candidates, and times that run backwards in two clusters, are folded; an empty case has nothing. */
TEST(test_strange_cases)
{
    char *error, **names = xcalloc(CANDIDATES, sizeof *names);
    struct buffer blocks = {0}, nothing = {0};
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *w = case_writer_new(scripted_settings(), model);
    struct znode_stat stat = {.czxid = 1, .mzxid = 1, .pzxid = 2};
    struct observation o = {
        .kind = OBSERVED_CHILDREN, .at = scripted_now(), .election = "/election", .path = "/election"};
    for (unsigned i = 0; i < CANDIDATES; i++)
        names[i] = text_format("n_%010u", i);
    static char path[] = "/election", recipe[] = "auto";
    struct election_settings settings = {.path = path, .recipe = recipe};
    struct observation election = o;
    election.kind = OBSERVED_ELECTION;
    election.subject = (struct observed_election){ORIGIN_CONFIGURED, &settings};
    case_writer_observe(w, &election);
    o.children = (struct observed_children){&stat, names, CANDIDATES, 0};
    case_writer_observe(w, &o);
    for (int i = 0; i < 9; i++) {
        o = (struct observation){.kind = OBSERVED_TICK, .at = o.at, .cluster = (unsigned)i % 2};
        o.at.mono_us -= 3600000000;
        o.at.wall_us -= 7200000000;
        case_writer_observe(w, &o);
    }
    case_writer_take(w, &blocks);
    case_writer_take(w, &nothing);
    assert_int_equal(nothing.length, 0);
    assert_true(case_writer_close(w, &error));
    model_free(model);
    size_t candidates;
    assert_int_equal(fold_whole(&blocks, &candidates), 11);
    assert_int_equal(candidates, CANDIDATES);
    struct case_reader *empty = case_read(xmalloc(1), 0);
    assert_int_equal(case_next(empty, &o), CASE_END);
    case_close(empty);
    for (unsigned i = 0; i < CANDIDATES; i++)
        free(names[i]);
    free(names);
}

/* Whether a case whose head has so many elections with this path is read. */
static bool reads_elections(size_t count, size_t path_length)
{
    char *error, *path = xcalloc(1, path_length + 1);
    static char recipe[] = "auto", name[] = "c", hosts[] = "127.0.0.1:2181";
    struct election_settings *elections = xcalloc(count, sizeof *elections);
    struct cluster_settings cluster = {
        .name = name, .hosts = hosts, .elections = elections, .election_count = count};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *w = case_writer_new(&settings, model);
    struct observation o = {.kind = OBSERVED_TICK, .at = scripted_now()};
    struct buffer blocks = {0};
    memset(path, 'a', path_length);
    path[0] = '/';
    for (size_t i = 0; i < count; i++)
        elections[i] = (struct election_settings){.path = path, .recipe = recipe};
    case_writer_observe(w, &o);
    case_writer_take(w, &blocks);
    assert_true(case_writer_close(w, &error));
    struct case_reader *reader = case_read(blocks.bytes, blocks.length);
    bool reads = case_next(reader, &o) == CASE_RUN;
    assert_int_equal(case_losses(reader)->blocks, !reads);
    case_close(reader);
    model_free(model);
    free(elections);
    free(path);
    return reads;
}

/* A kilobyte that refers to one text again and again is a damaged block. */
TEST(test_large_heads)
{
    assert_true(reads_elections(5000, 60));
    assert_false(reads_elections(30, 1000000));
}
