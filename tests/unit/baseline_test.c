/* Proves that a model which begins beside a recording says as much of what was before as the recording does,
   and nothing of what is not proved to be the same thing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/baseline.h"
#include "probe/election/election.h"
#include "probe/election/model.h"
#include "probe/election/vacancy.h"
#include "probe/history/snapshot.h"
#include "probe/json/buffer.h"
#include "probe/json/json_snapshot.h"
#include "probe/metrics/figures.h"
#include "tests/support/fake_tree.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/words/labels.h"

#define PATH "/election"
#define SECOND INT64_C(1000000)

/* One that watches since long, and one that begins later, by a clock of its own. */
struct world {
    struct fake_tree *tree;
    struct model *first, *second;
    struct snapshot_model *then; /* what was recorded, until then */
    struct moment until;
    int64_t now_us, apart_us; /* apart: of their monotonic clocks */
    int64_t set_us;           /* by so much the wall's clock was set */
    int64_t number;           /* of the latest candidate */
};

/* Where the election is one that was named; or NULL. */
static const struct election_settings *named;

static const struct settings *settings(void)
{
    static char path[] = PATH, hosts[] = "zk1:2181", name[] = "prod", automatic[] = "auto";
    static struct election_settings election = {
        .path = path, .recipe = automatic, .allow = {5000, 10000, 66, 3, 600000, 0, 0}};
    static struct cluster_settings cluster = {
        .name = name, .hosts = hosts, .elections = &election, .election_count = 1};
    static const struct settings all = {.clusters = &cluster, .cluster_count = 1};
    return &all;
}

static struct moment now_of(const struct world *world, const struct model *model)
{
    return (struct moment){world->now_us + (model == world->second ? world->apart_us : 0),
                           INT64_C(1795176000000000) + world->now_us + world->set_us};
}

static struct election *election_of(struct model *model)
{
    return model_election(model, 0, PATH);
}

static void see(struct world *world, struct model *model)
{
    const struct candidate *unread;
    fake_tree_list(world->tree, model, now_of(world, model), PATH, PATH);
    while ((unread = election_take_unread(election_of(model)))) {
        char path[128];
        snprintf(path, sizeof path, PATH "/%s", unread->name);
        fake_tree_read(world->tree, model, now_of(world, model), PATH, path);
    }
}

static struct model *model_begin(void)
{
    char *error;
    struct model *model = model_new(settings(), &error);
    assert_non_null(model);
    return model;
}

static void model_connect(struct world *world, struct model *model)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = now_of(world, model)};
    o.connection =
        (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 7, .timeout_ms = 10000};
    model_observe(model, &o);
    model_observe(model, &(struct observation){.kind = OBSERVED_ELECTION,
                                               .at = now_of(world, model),
                                               .election = PATH,
                                               .path = PATH,
                                               .subject.settings = named});
    see(world, model);
}

static void pass(struct world *world, int64_t us)
{
    world->now_us += us;
    fake_tree_clock(world->tree, now_of(world, world->first).wall_us / 1000);
    model_observe(world->first,
                  &(struct observation){.kind = OBSERVED_TICK, .at = now_of(world, world->first)});
    if (world->second)
        model_observe(world->second,
                      &(struct observation){.kind = OBSERVED_TICK, .at = now_of(world, world->second)});
}

static void join(struct world *world)
{
    char path[64], data[32];
    snprintf(path, sizeof path, PATH "/n_%010d", (int)++world->number);
    snprintf(data, sizeof data, "10.0.3.%d:5000", (int)world->number);
    fake_tree_create(world->tree, path, 0x100000000 + (uint64_t)world->number, data);
}

static void leave(struct world *world, int64_t number)
{
    char path[64];
    snprintf(path, sizeof path, PATH "/n_%010d", (int)number);
    fake_tree_delete(world->tree, path);
}

/* The leader goes and one more comes. */
static void change(struct world *world, int64_t leader)
{
    pass(world, 7 * SECOND);
    leave(world, leader);
    join(world);
    see(world, world->first);
    pass(world, 11 * SECOND);
}

static struct world *world_new(void)
{
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->tree = fake_tree_new();
    world->now_us = 5000 * SECOND;
    world->apart_us = -4000 * SECOND;
    world->first = model_begin();
    fake_tree_clock(world->tree, now_of(world, world->first).wall_us / 1000);
    fake_tree_create(world->tree, PATH, 0, "");
    for (int i = 0; i < 3; i++)
        join(world);
    model_connect(world, world->first);
    return world;
}

static void world_free(struct world *world)
{
    model_free(world->second);
    model_free(world->first);
    snapshot_model_free(world->then);
    fake_tree_free(world->tree);
    free(world);
}

/* What was recorded until now; the second begins with it so much later. */
static void record(struct world *world)
{
    snapshot_model_free(world->then);
    world->until = now_of(world, world->first);
    world->then = snapshot_model_of(world->first, world->until.wall_us);
    assert_non_null(world->then);
}

static void recall(struct world *world, bool grows)
{
    struct moment until = world->until;
    model_take_baseline(world->second, snapshot_model_model(world->then),
                        (struct moment){until.mono_us + world->apart_us, until.wall_us}, grows);
}

static void begin_second(struct world *world, bool grows)
{
    world->second = model_begin();
    recall(world, grows);
    model_connect(world, world->second);
}

static char *look(const struct world *world, const struct model *model)
{
    struct buffer json = {0};
    json_snapshot_write(&json, model, now_of(world, model), NULL, NULL);
    buffer_put_char(&json, '\0');
    return json.bytes;
}

static void same_look(const struct world *world)
{
    char *first = look(world, world->first), *second = look(world, world->second);
    assert_string_equal(second, first);
    free(first);
    free(second);
}

static const struct finding *finding_of(struct model *model, enum finding_code code)
{
    const struct election *election = election_of(model);
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == code)
            return election->findings[i];
    return NULL;
}

/* ---- the same ---- */

/* After many changes both say the same, byte for byte: since when it leads, and that it flaps since when. */
TEST(says_what_the_recording_says)
{
    struct world *world = world_new();
    for (int i = 1; i <= 5; i++)
        change(world, i);
    assert_non_null(finding_of(world->first, FINDING_FLAPPING));
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    same_look(world);
    assert_non_null(finding_of(world->second, FINDING_FLAPPING));
    const struct election *now = election_of(world->second), *before = election_of(world->first);
    assert_true(now->leader_since_exact);
    assert_int_equal(now->failover_count, before->failover_count);
    assert_int_equal(now->tenure_count, before->tenure_count);
    for (size_t i = 0; i < now->tenure_count; i++) {
        assert_string_equal(election_tenure_at(now, i)->name, election_tenure_at(before, i)->name);
        assert_int_equal(election_tenure_at(now, i)->from.wall_us,
                         election_tenure_at(before, i)->from.wall_us);
        assert_int_equal(election_tenure_at(now, i)->from.mono_us,
                         election_tenure_at(before, i)->from.mono_us + world->apart_us);
    }
    assert_true(now->change.to && strcmp(now->change.to, now->leader->name) == 0);
    assert_non_null(election_last_failover(now));
    /* What happens from now on is told as if it had been there all the time; and the recording may go. */
    model_take_baseline(world->second, NULL, (struct moment){0}, false);
    snapshot_model_free(world->then);
    world->then = NULL;
    pass(world, 20 * SECOND);
    leave(world, 6);
    see(world, world->first);
    see(world, world->second);
    same_look(world);
    world_free(world);
}

/* Moved to the clocks of some readers, one after the other, two times of one loss are microseconds apart. */
TEST(a_failover_stays_the_last_one)
{
    struct world *world = world_new();
    change(world, 1);
    ((struct election *)election_of(world->first))->change.lost_at.mono_us -= 2;
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    assert_non_null(election_last_failover(election_of(world->second)));
    world_free(world);
}

/* It waited before it was first, also where this run read it only then: whether it took over was not seen. */
TEST(a_takeover_is_not_seen_in_a_recording)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    const struct election *first = election_of(world->first), *second = election_of(world->second);
    assert_true(second->leader_since_exact);
    assert_non_null(label_takeover_unseen(first));
    assert_non_null(label_takeover_unseen(second));
    world_free(world);
}

/* Nobody stands, since as long as was recorded; the finding stands since it was raised. */
TEST(knows_since_when_nobody_stands)
{
    struct world *world = world_new();
    change(world, 1);
    for (int i = 2; i <= 4; i++)
        leave(world, i);
    see(world, world->first);
    pass(world, 60 * SECOND);
    const struct finding *recorded = finding_of(world->first, FINDING_NO_LEADER);
    assert_non_null(recorded);
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    same_look(world);
    const struct finding *finding = finding_of(world->second, FINDING_NO_LEADER);
    assert_non_null(finding);
    assert_int_equal(finding->since.wall_us, recorded->since.wall_us);
    assert_int_equal(election_of(world->second)->state_since.wall_us,
                     election_of(world->first)->state_since.wall_us);
    world_free(world);
}

/* ---- a gap ---- */

/* An hour after the recording's end the same znode leads: since when it did then. The hour that nobody
   watched is a gap all the same. What was found wrong may have come again meanwhile: it stands since now. */
TEST(leads_on_across_a_gap)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    int64_t since_us = election_of(world->first)->leader_since.wall_us, until_us = world->until.wall_us;
    assert_non_null(finding_of(world->first, FINDING_NO_GUID));
    pass(world, 3600 * SECOND);
    begin_second(world, false);
    struct election *now = election_of(world->second);
    assert_true(now->leader_since_exact);
    assert_int_equal(now->leader_since.wall_us, since_us);
    assert_true(now->tenure_count >= 3);
    const struct tenure *last = election_tenure_at(now, now->tenure_count - 1),
                        *gap = election_tenure_at(now, now->tenure_count - 2),
                        *before = election_tenure_at(now, now->tenure_count - 3);
    assert_true(before->from.wall_us == since_us && before->from_exact && before->to.wall_us == until_us);
    assert_true(gap->gap && gap->from.wall_us == until_us);
    assert_true(last->from.wall_us == now_of(world, world->second).wall_us && last->to.mono_us == 0);
    assert_string_equal(last->name, before->name);
    const struct finding *finding = finding_of(world->second, FINDING_NO_GUID);
    assert_non_null(finding);
    assert_int_equal(finding->since.wall_us, now_of(world, world->second).wall_us);
    world_free(world);
}

/* It began again two seconds after it had ended: nobody recorded meanwhile, however short that was. */
TEST(a_short_gap_is_a_gap)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    pass(world, 2 * SECOND);
    begin_second(world, false);
    const struct election *now = election_of(world->second), *before = election_of(world->first);
    assert_int_equal(now->tenure_count, before->tenure_count + 2);
    assert_true(election_tenure_at(now, now->tenure_count - 2)->gap);
    world_free(world);
}

/* Another one leads than at the recording's end: since then at the longest, and in between lies a gap. */
TEST(does_not_claim_what_happened_in_a_gap)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    struct moment until = world->until;
    pass(world, 1000 * SECOND);
    leave(world, 2);
    pass(world, 1000 * SECOND);
    begin_second(world, false);
    struct election *now = election_of(world->second);
    assert_string_equal(now->leader->name, "n_0000000003");
    assert_false(now->leader_since_exact);
    assert_int_equal(now->leader_since.wall_us, until.wall_us);
    assert_true(now->tenure_count >= 3);
    const struct tenure *own = election_tenure_at(now, now->tenure_count - 1),
                        *gap = election_tenure_at(now, now->tenure_count - 2),
                        *old = election_tenure_at(now, now->tenure_count - 3);
    assert_string_equal(old->name, "n_0000000002");
    assert_int_equal(old->to.wall_us, until.wall_us);
    assert_true(gap->gap && !gap->name && gap->from.wall_us == until.wall_us);
    assert_string_equal(own->name, "n_0000000003");
    assert_int_equal(own->from.wall_us, now_of(world, world->second).wall_us);
    /* It is still so when its znode is read again. */
    fake_tree_read(world->tree, world->second, now_of(world, world->second), PATH, PATH "/n_0000000003");
    assert_int_equal(now->leader_since.wall_us, until.wall_us);
    world_free(world);
}

struct told {
    unsigned failovers, unseen, acknowledged;
    int64_t gap_us;
    char from[32], to[32];
};

static void on_told(void *context, const struct event *event)
{
    struct told *told = context;
    if (event->kind == EVENT_UNSEEN)
        told->unseen += (unsigned)event->unseen_joined;
    told->acknowledged += event->kind == EVENT_LEADER_ACKNOWLEDGED;
    if (event->kind != EVENT_FAILOVER)
        return;
    told->failovers++;
    told->gap_us = event->gap_us;
    snprintf(told->from, sizeof told->from, "%s", event->from);
    snprintf(told->to, sizeof told->to, "%s", event->candidate ? event->candidate : "");
}

static void begin_second_listening(struct world *world, struct told *told)
{
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = told;
    recall(world, false);
    model_connect(world, world->second);
}

/* The recorder told it, with its time: to find it there later is no news. */
TEST(a_recorded_acknowledgement_is_no_news)
{
    static char path[] = PATH, automatic[] = "auto", active[] = "/active";
    static const struct election_settings own = {.path = path,
                                                 .recipe = automatic,
                                                 .acknowledgement = active,
                                                 .allow = {5000, 10000, 66, 3, 600000, 0, 0}};
    named = &own;
    struct world *world = world_new();
    struct told told = {0};
    change(world, 1);
    fake_tree_read(world->tree, world->first, now_of(world, world->first), PATH, active);
    fake_tree_create(world->tree, active, 0x100000002, "10.0.3.2:5000");
    fake_tree_read(world->tree, world->first, now_of(world, world->first), PATH, active);
    assert_int_equal(election_of(world->first)->change.takeover_us, 11 * SECOND);
    record(world);
    pass(world, 20 * SECOND);
    begin_second_listening(world, &told);
    fake_tree_read(world->tree, world->second, now_of(world, world->second), PATH, active);
    assert_int_equal(election_of(world->second)->acknowledged, ACK_YES);
    assert_int_equal(told.acknowledged, 0);
    world_free(world);
    named = NULL;
}

/* While nobody recorded the leader changed five times, and some came and went: told as after a lost
   connection, once. */
TEST(counts_what_happened_in_a_gap)
{
    struct world *world = world_new();
    struct told told = {0};
    record(world);
    pass(world, 100 * SECOND);
    for (int i = 0; i < 3; i++)
        join(world);
    for (int i = 1; i <= 5; i++)
        leave(world, i);
    for (int i = 0; i < 3; i++) {
        join(world);
        leave(world, world->number);
    }
    begin_second_listening(world, &told);
    pass(world, 2 * SECOND);
    const struct election *now = election_of(world->second);
    assert_int_equal(told.failovers, 1);
    assert_int_equal(told.gap_us, 100 * SECOND);
    assert_string_equal(told.from, "n_0000000001");
    assert_string_equal(told.to, "n_0000000006");
    assert_int_equal(told.unseen, 5); /* the fourth and the fifth, and the last three */
    assert_int_equal(now->counters.missed_changes, 1);
    /* The next one is not after a gap. */
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    leave(world, 6);
    see(world, world->second);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 2);
    assert_int_equal(told.gap_us, 0);
    assert_int_equal(now->counters.missed_changes, 1);
    world_free(world);
}

/* The same one leads, and others came and went. */
TEST(counts_who_came_and_went_under_one_leader)
{
    struct world *world = world_new();
    struct told told = {0};
    record(world);
    pass(world, 100 * SECOND);
    for (int i = 0; i < 3; i++) {
        join(world);
        leave(world, world->number);
    }
    join(world);
    begin_second_listening(world, &told);
    pass(world, SECOND);
    assert_int_equal(told.failovers, 0);
    assert_int_equal(told.unseen, 3);
    world_free(world);
}

/* A directory that was made anew counts anew: that another one leads is told all the same. Another znode has the
   name of the one that led, behind it: that one was not displaced. */
TEST(tells_a_change_over_a_new_directory)
{
    struct world *world = world_new();
    struct told told = {0};
    change(world, 1);
    record(world);
    pass(world, 50 * SECOND);
    fake_tree_delete(world->tree, PATH);
    fake_tree_create(world->tree, PATH, 0, "");
    world->number = 0;
    join(world);
    join(world);
    pass(world, 50 * SECOND);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 1);
    assert_int_equal(told.gap_us, 100 * SECOND);
    assert_string_equal(told.from, "n_0000000002");
    assert_string_equal(told.to, "n_0000000001");
    assert_int_equal(told.unseen, 0);
    assert_int_equal(election_last_failover(election_of(world->second))->cause, CAUSE_DELETED);
    world_free(world);
}

/* Nobody stands any more: that is an open failover, which the next leader ends. */
TEST(knows_who_led_before_a_gap)
{
    struct world *world = world_new();
    struct told told = {0};
    record(world);
    pass(world, 100 * SECOND);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 1);
    assert_string_equal(told.from, "n_0000000001");
    assert_string_equal(told.to, "");
    assert_int_equal(told.gap_us, 100 * SECOND);
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 2);
    assert_string_equal(told.to, "n_0000000004");
    assert_true(told.gap_us >= 100 * SECOND);
    assert_int_equal(election_of(world->second)->counters.leader_changes, 1);
    assert_int_equal(election_of(world->second)->counters.missed_changes, 1);
    world_free(world);
}

/* The wall's clock was set during the outage: it is as old as the recorder's own clock says. */
TEST(a_clock_that_was_set_moves_no_loss)
{
    static const int64_t set[] = {-30 * SECOND, -3600 * SECOND, 3600 * SECOND};
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        struct world *world = world_new();
        struct failover lost;
        pass(world, 10 * SECOND);
        for (int k = 3; k >= 1; k--)
            leave(world, k);
        see(world, world->first);
        int64_t lost_us = now_of(world, world->first).wall_us;
        pass(world, 20 * SECOND);
        world->set_us = set[i];
        pass(world, 5 * SECOND);
        see(world, world->first);
        record(world);
        pass(world, SECOND);
        begin_second(world, true);
        const struct election *now = election_of(world->second);
        assert_true(vacancy_lost(now, now_of(world, world->second), &lost));
        assert_string_equal(lost.from, "n_0000000001");
        assert_int_equal(lost.lost_at.wall_us, lost_us);
        assert_int_equal(lost.vacancy.low_us, 26 * SECOND);
        assert_non_null(election_last_failover(now));
        same_look(world);
        world_free(world);
    }
}

/* ---- a gap, and the log of a server ---- */

/* What a server's log says of the end of that znode, written so long ago, as it is read now. */
static void read_log(struct world *world, int64_t number, enum transaction_deed deed, uint64_t session,
                     int64_t zxid, int64_t ago_us)
{
    char path[64];
    snprintf(path, sizeof path, PATH "/n_%010d", (int)number);
    struct moment now = now_of(world, world->second);
    struct observation o = {.kind = OBSERVED_TRANSACTION,
                            .at = now,
                            .path = number > 0 ? path : NULL,
                            .transaction = {.zxid = zxid}};
    if (number > 0) {
        o.transaction.deed = deed;
        o.transaction.session = o.transaction.owner = session;
        o.transaction.gone_us = now.mono_us - ago_us;
    }
    model_observe(world->second, &o);
}

/* The last three leave, 40 s before the second begins; the leader goes last. */
static int64_t all_leave_in_a_gap(struct world *world, struct told *told)
{
    record(world);
    pass(world, 60 * SECOND);
    for (int i = 3; i >= 1; i--)
        leave(world, i);
    pass(world, 40 * SECOND);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = told;
    recall(world, false);
    return world->until.wall_us + 60 * SECOND;
}

static void lost_as_logged(struct world *world, const struct told *told, int64_t lost_us)
{
    const struct failover *open = election_last_failover(election_of(world->second));
    assert_int_equal(told->failovers, 1);
    assert_non_null(open);
    assert_int_equal(open->cause, CAUSE_RESIGNED);
    assert_int_equal(open->cause_certainty, CERTAINTY_CERTAIN);
    assert_int_equal(open->lost_at.wall_us, lost_us);
    assert_true(strstr(open->evidence, "its own session 0x100000001 deleted it") != NULL);
}

/* The log that was read before the loss was found names the leader's znode: how and when it went is known. */
TEST(a_log_tells_what_happened_in_a_gap)
{
    struct world *world = world_new();
    struct told told = {0};
    int64_t lost_us = all_leave_in_a_gap(world, &told);
    int64_t zxid = fake_tree_zxid(world->tree);
    read_log(world, 3, DEED_EXPIRED, 0x100000003, zxid - 2, 40 * SECOND);
    read_log(world, 1, DEED_DELETED, 0x100000001, zxid, 40 * SECOND);
    model_connect(world, world->second);
    lost_as_logged(world, &told, lost_us);
    assert_int_equal(told.gap_us, 0); /* the directory's latest change is this one: nobody led since */
    pass(world, 5 * SECOND);
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 2);
    const struct failover *closed = election_last_failover(election_of(world->second));
    assert_int_equal(closed->cause, CAUSE_RESIGNED);
    assert_in_range(closed->vacancy.low_us, 44 * SECOND, 45 * SECOND);
    world_free(world);
}

/* A log that is being followed, and is read a moment later. */
TEST(a_loss_waits_for_the_log)
{
    struct world *world = world_new();
    struct told told = {0};
    int64_t lost_us = all_leave_in_a_gap(world, &told);
    read_log(world, 0, DEED_NONE, 0, 0, 0);
    model_connect(world, world->second);
    assert_int_equal(told.failovers, 0);
    pass(world, SECOND);
    read_log(world, 1, DEED_DELETED, 0x100000001, fake_tree_zxid(world->tree), 41 * SECOND);
    lost_as_logged(world, &told, lost_us);
    world_free(world);
}

/* Nothing was recorded: what the log proves of the loss is told as if it had been seen, and what is found says so. */
TEST(a_log_alone_tells_of_a_loss)
{
    struct world *world = world_new();
    struct told told = {0};
    named = settings()->clusters->elections;
    for (int i = 3; i >= 1; i--)
        leave(world, i);
    int64_t lost_us = now_of(world, world->first).wall_us;
    pass(world, 40 * SECOND);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    model_connect(world, world->second);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 0);
    read_log(world, 1, DEED_DELETED, 0x100000001, fake_tree_zxid(world->tree), 60 * SECOND);
    pass(world, SECOND);
    lost_as_logged(world, &told, lost_us);
    assert_true(election_of(world->second)->state_since_exact);
    assert_int_equal(election_of(world->second)->state_since.wall_us, lost_us);
    const struct finding *finding = finding_of(world->second, FINDING_NO_LEADER);
    assert_non_null(finding);
    assert_non_null(strstr(finding->evidence, "the last leader, n_0000000001, was lost at"));
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 2);
    assert_string_equal(told.to, "n_0000000004");
    assert_int_equal(told.gap_us, 0);
    assert_int_equal(election_failover_at(election_of(world->second), 0)->cause, CAUSE_RESIGNED);
    named = NULL;
    world_free(world);
}

/* One that says nothing of it is not waited for long. */
TEST(a_loss_does_not_wait_for_ever)
{
    struct world *world = world_new();
    struct told told = {0};
    all_leave_in_a_gap(world, &told);
    read_log(world, 0, DEED_NONE, 0, 0, 0);
    model_connect(world, world->second);
    read_log(world, 3, DEED_EXPIRED, 0x100000003, fake_tree_zxid(world->tree) - 2, 40 * SECOND);
    pass(world, 2 * SECOND);
    assert_int_equal(told.failovers, 1);
    assert_int_equal(told.gap_us, 100 * SECOND);
    assert_int_equal(election_last_failover(election_of(world->second))->cause, CAUSE_UNKNOWN);
    world_free(world);
}

/* Others came and went since, and may have led: when is not known. */
TEST(a_log_tells_of_the_leader_before_others)
{
    struct world *world = world_new();
    struct told told = {0};
    struct failover lost;
    record(world);
    pass(world, 60 * SECOND);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    int64_t zxid = fake_tree_zxid(world->tree) - 2, lost_us = now_of(world, world->first).wall_us;
    join(world);
    leave(world, world->number);
    pass(world, 40 * SECOND);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    recall(world, false);
    read_log(world, 1, DEED_DELETED, 0x100000001, zxid, 40 * SECOND);
    model_connect(world, world->second);
    lost_as_logged(world, &told, lost_us);
    assert_int_equal(told.gap_us, 100 * SECOND);
    assert_true(vacancy_lost(election_of(world->second), now_of(world, world->second), &lost));
    assert_true(lost.vacancy.low_us < SECOND);
    world_free(world);
}

static void connection_lost(struct world *world, struct model *model)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = now_of(world, model)};
    o.connection.state = CONNECTION_EXPIRED;
    model_observe(model, &o);
}

/* Another one led in the gap, and was lost in turn: the last leader is the last whose end the log has. */
TEST(the_last_leader_is_the_logs)
{
    struct world *world = world_new();
    struct told told = {0};
    struct failover lost;
    named = settings()->clusters->elections;
    record(world);
    pass(world, 60 * SECOND);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    int64_t zxid = fake_tree_zxid(world->tree) - 2;
    join(world);
    pass(world, 10 * SECOND);
    leave(world, world->number);
    int64_t lost_us = now_of(world, world->first).wall_us;
    pass(world, 30 * SECOND);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    recall(world, false);
    read_log(world, 1, DEED_DELETED, 0x100000001, zxid, 40 * SECOND);
    model_connect(world, world->second);
    read_log(world, 4, DEED_CLOSED, 0x100000004, fake_tree_zxid(world->tree), 30 * SECOND);
    pass(world, SECOND);
    assert_int_equal(told.failovers, 3); /* open, closed, and the last */
    assert_string_equal(told.from, "n_0000000004");
    assert_string_equal(told.to, "");
    const struct election *now = election_of(world->second);
    const struct failover *closed = election_failover_at(now, now->failover_count - 2);
    assert_string_equal(closed->from, "n_0000000001");
    assert_string_equal(closed->to, "n_0000000004");
    assert_int_equal(closed->lost_at.wall_us, lost_us - 10 * SECOND);
    assert_int_equal(closed->gap_us, 10 * SECOND);
    assert_true(vacancy_lost(now, now_of(world, world->second), &lost));
    assert_string_equal(lost.from, "n_0000000004");
    assert_int_equal(lost.cause, CAUSE_CLOSED);
    assert_int_equal(lost.lost_at.wall_us, lost_us);
    assert_int_equal(lost.vacancy.low_us, 31 * SECOND);
    assert_int_equal(now->counters.leader_changes, 1);
    named = NULL;
    world_free(world);
}

/* An earlier run found a loss, and reported it without a log. */
TEST(a_log_corrects_what_was_found)
{
    struct world *world = world_new();
    struct failover lost;
    double figures[FIGURE_COUNT];
    char text[VACANCY_TEXT];
    named = settings()->clusters->elections;
    connection_lost(world, world->first);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    join(world);
    pass(world, 10 * SECOND);
    leave(world, world->number);
    int64_t lost_us = now_of(world, world->first).wall_us;
    pass(world, 30 * SECOND);
    model_connect(world, world->first);
    pass(world, 20 * SECOND);
    record(world);
    pass(world, SECOND);
    begin_second(world, false);
    assert_non_null(strstr(vacancy_describe(election_of(world->second), now_of(world, world->second), text),
                           "the last leader that is known, 10.0.3.1:5000, was lost between"));
    read_log(world, 4, DEED_CLOSED, 0x100000004, fake_tree_zxid(world->tree), 51 * SECOND);
    assert_true(vacancy_lost(election_of(world->second), now_of(world, world->second), &lost));
    assert_string_equal(lost.from, "n_0000000004");
    assert_int_equal(lost.lost_at.wall_us, lost_us);
    assert_int_equal(lost.vacancy.low_us, 51 * SECOND);
    figures_of_election(election_of(world->second), now_of(world, world->second), figures);
    assert_true(figures[FIGURE_VACANCY] == 51);
    named = NULL;
    world_free(world);
}

/* What is read late, after this run stood still, is of the moment that the log says. */
TEST(a_loss_in_a_gap_of_its_own_is_as_old_as_the_log_says)
{
    struct world *world = world_new();
    struct told told = {0};
    named = settings()->clusters->elections;
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    model_connect(world, world->second);
    read_log(world, 0, DEED_NONE, 0, 0, 0);
    connection_lost(world, world->second);
    pass(world, 10 * SECOND);
    int64_t lost_us = now_of(world, world->first).wall_us;
    for (int i = 3; i >= 1; i--)
        leave(world, i);
    pass(world, 40 * SECOND);
    model_connect(world, world->second);
    assert_int_equal(told.failovers, 0); /* the log is waited for */
    read_log(world, 1, DEED_DELETED, 0x100000001, fake_tree_zxid(world->tree), 40 * SECOND);
    lost_as_logged(world, &told, lost_us);
    assert_int_equal(told.gap_us, 0);
    named = NULL;
    world_free(world);
}

/* Nothing was recorded, and the directory is gone, too: that its end follows in the log proves who led last. */
TEST(a_log_tells_of_a_path_that_is_gone)
{
    named = settings()->clusters->elections;
    for (int removed = 0; removed < 2; removed++) {
        struct world *world = world_new();
        struct told told = {0};
        for (int i = 3; i >= 1; i--)
            leave(world, i);
        int64_t lost_us = now_of(world, world->first).wall_us, zxid = fake_tree_zxid(world->tree);
        fake_tree_delete(world->tree, PATH);
        pass(world, 40 * SECOND);
        world->second = model_begin();
        world->second->on_event = on_told;
        world->second->context = &told;
        model_connect(world, world->second);
        if (removed) {
            struct observation o = {.kind = OBSERVED_TRANSACTION, .path = PATH};
            o.at = now_of(world, world->second);
            o.transaction = (struct observed_transaction){
                .zxid = zxid + 1, .deed = DEED_DELETED, .gone_us = o.at.mono_us - 39 * SECOND};
            model_observe(world->second, &o);
        }
        read_log(world, 1, DEED_CLOSED, 0x100000001, zxid, 40 * SECOND);
        pass(world, SECOND);
        const struct election *now = election_of(world->second);
        const struct failover *open = election_last_failover(now);
        assert_int_equal(now->state, ELECTION_ABSENT);
        assert_int_equal(told.failovers, 1);
        assert_string_equal(told.from, "n_0000000001");
        assert_non_null(open);
        assert_true(failover_is_open(open));
        assert_int_equal(open->cause, CAUSE_CLOSED);
        assert_int_equal(open->cause_certainty, removed ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED);
        assert_int_equal(open->lost_at.wall_us, lost_us);
        assert_int_equal(now->state_since_exact, removed);
        fake_tree_create(world->tree, PATH, 0, "");
        join(world);
        see(world, world->second);
        pass(world, 20 * SECOND);
        assert_int_equal(told.failovers, 2);
        assert_string_equal(told.to, "n_0000000004");
        world_free(world);
    }
    named = NULL;
}

/* The first is a leftover: those that were before it are gone, and the log has the last end. */
TEST(a_log_tells_who_led_before_one_that_never_led)
{
    struct world *world = world_new();
    struct told told = {0};
    struct failover lost;
    named = settings()->clusters->elections;
    fake_tree_create(world->tree, PATH "/n_0000000004", 0, "");
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    int64_t lost_us = now_of(world, world->first).wall_us;
    pass(world, 40 * SECOND);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    model_connect(world, world->second);
    read_log(world, 3, DEED_CLOSED, 0x100000003, fake_tree_zxid(world->tree), 40 * SECOND);
    pass(world, SECOND);
    assert_int_equal(told.failovers, 1);
    assert_string_equal(told.from, "n_0000000003");
    assert_string_equal(told.to, "");
    assert_true(vacancy_lost(election_of(world->second), now_of(world, world->second), &lost));
    assert_string_equal(lost.from, "n_0000000003");
    assert_int_equal(lost.cause, CAUSE_CLOSED);
    assert_int_equal(lost.lost_at.wall_us, lost_us);
    assert_true(lost.vacancy.low_us >= 41 * SECOND);
    named = NULL;
    world_free(world);
}

static void nobody_leads_any_more(struct world *world)
{
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    see(world, world->first);
    pass(world, 20 * SECOND);
    const struct failover *open = election_last_failover(election_of(world->first));
    assert_true(open && failover_is_open(open));
    record(world);
    pass(world, 100 * SECOND);
}

/* As it was told before, and who leads now. */
static const struct failover *is_closed(const struct world *world, const struct told *told, const char *to)
{
    const struct election *now = election_of(world->second), *before = election_of(world->first);
    const struct failover *failover = election_last_failover(now), *open = election_last_failover(before);
    assert_int_equal(told->failovers, 1);
    assert_string_equal(told->from, "n_0000000001");
    assert_string_equal(told->to, to);
    assert_non_null(failover);
    assert_false(failover_is_open(failover));
    assert_int_equal(now->failover_count, 1);
    assert_string_equal(now->change.to, to);
    assert_int_equal(failover->lost_at.wall_us, open->lost_at.wall_us);
    assert_int_equal(failover->cause, open->cause);
    assert_int_equal(now->counters.leader_changes, 1);
    assert_int_equal(now->counters.missed_changes, told->gap_us > 0);
    return failover;
}

/* Nobody led when the recording ended, and somebody does now: since when is not known. */
TEST(who_leads_now_closes_an_open_failover)
{
    struct world *world = world_new();
    struct told told = {0};
    nobody_leads_any_more(world);
    join(world);
    pass(world, 10 * SECOND);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    const struct failover *failover = is_closed(world, &told, "n_0000000004");
    assert_int_equal(told.gap_us, 110 * SECOND);
    assert_int_equal(failover->vacancy.low_us, SPAN_OPEN);
    assert_int_equal(failover_lost_after(failover).mono_us, failover->lost_at.mono_us); /* it was seen */
    world_free(world);
}

/* Found so after a gap, and closed after another one: the loss is as late as it was found, and no later bound. */
TEST(two_gaps_do_not_move_a_loss)
{
    struct world *world = world_new();
    struct told told = {0};
    world->apart_us = 0;
    record(world);
    struct moment until = world->until;
    pass(world, 100 * SECOND);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 1);
    struct moment lost = election_last_failover(election_of(world->second))->lost_at;
    model_free(world->first);
    world->first = world->second;
    record(world);
    pass(world, 30 * SECOND);
    join(world);
    begin_second_listening(world, &told);
    const struct failover *failover = election_last_failover(election_of(world->second));
    assert_int_equal(told.failovers, 2);
    assert_string_equal(told.to, "n_0000000004");
    assert_int_equal(failover->lost_at.wall_us, lost.wall_us);
    assert_int_equal(failover_lost_after(failover).wall_us, until.wall_us);
    world_free(world);
}

/* Nobody stood all the while: who leads next closes it, as if there had been no gap. */
TEST(the_next_leader_closes_an_open_failover)
{
    struct world *world = world_new();
    struct told told = {0};
    nobody_leads_any_more(world);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 0); /* it was told that it is open */
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    const struct failover *failover = is_closed(world, &told, "n_0000000004");
    assert_int_equal(told.gap_us, 0);
    assert_int_equal(failover->vacancy.low_us, 140 * SECOND - SECOND / 10);
    assert_int_equal(failover->vacancy.high_us, 140 * SECOND + SECOND / 10);
    world_free(world);
}

/* Somebody stood meanwhile, and may have led: it is not known how long nobody did. */
TEST(an_open_failover_may_have_had_a_leader)
{
    struct world *world = world_new();
    struct told told = {0};
    nobody_leads_any_more(world);
    join(world);
    leave(world, 4);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_int_equal(told.failovers, 0);
    join(world);
    see(world, world->second);
    pass(world, 20 * SECOND);
    const struct failover *failover = is_closed(world, &told, "n_0000000005");
    assert_int_equal(told.gap_us, 100 * SECOND);
    assert_int_equal(failover->vacancy.low_us, SPAN_OPEN);
    world_free(world);
}

/* ... and whoever asks beside that recorder knows no more. */
TEST(a_vacancy_is_as_old_as_it_was_found)
{
    struct world *world = world_new();
    struct failover lost;
    double figures[FIGURE_COUNT];
    world->apart_us = 0;
    nobody_leads_any_more(world);
    pass(world, 3600 * SECOND);
    see(world, world->first);
    record(world);
    pass(world, 100 * SECOND);
    join(world);
    leave(world, 4);
    begin_second(world, false);
    struct moment found = now_of(world, world->second);
    model_free(world->first);
    world->first = world->second;
    world->second = NULL;
    pass(world, 20 * SECOND);
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    assert_int_equal(election_of(world->second)->state_since.wall_us, found.wall_us);
    assert_true(vacancy_lost(election_of(world->second), now_of(world, world->second), &lost));
    assert_string_equal(lost.from, "n_0000000001");
    assert_true(vacancy_led_unseen(election_of(world->second), &lost));
    assert_true(lost.vacancy.low_us <= 3720 * SECOND); /* as long as it was watched */
    figures_of_election(election_of(world->second), now_of(world, world->second), figures);
    assert_true(figures[FIGURE_VACANCY] == 21);
    world_free(world);
}

/* Nobody led when the recorder began: so it is since then at least. */
TEST(a_recorder_found_nobody)
{
    struct world *world = world_new();
    struct failover lost;
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    model_free(world->first);
    world->first = model_begin();
    named = settings()->clusters->elections;
    model_connect(world, world->first);
    pass(world, 60 * SECOND);
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    named = NULL;
    assert_true(vacancy_lost(election_of(world->second), now_of(world, world->second), &lost));
    assert_null(lost.from);
    assert_int_equal(lost.lost_at.mono_us, 0);
    assert_int_equal(lost.vacancy.low_us, 61 * SECOND);
    world_free(world);
}

/* Half of the names have another form by now: its layout is the recorded one, as for who watched all the while. */
TEST(a_mixed_directory_keeps_its_layout)
{
    struct world *world = world_new();
    struct told told = {0};
    fake_tree_create(world->tree, PATH "/lock-0000000000", 0, "");
    leave(world, 1);
    leave(world, 2);
    see(world, world->first);
    pass(world, 20 * SECOND);
    record(world);
    begin_second_listening(world, &told);
    const struct election *first = election_of(world->first), *second = election_of(world->second);
    assert_string_equal(first->recipe->name, "zookeeper");
    assert_ptr_equal(second->recipe->title, first->recipe->title);
    assert_string_equal(second->leader->name, "n_0000000003");
    assert_int_equal(told.failovers, 0);
    world_free(world);
}

/* All names have another form by now: what proved the recorded layout proves nothing of theirs. */
TEST(another_layout_has_its_own_proof)
{
    struct world *world = world_new();
    struct told told = {0};
    see(world, world->first);
    election_of(world->first)->recognised = RECOGNISED_WATCH;
    record(world);
    fake_tree_create(world->tree, PATH "/lock-0000000009", 9, "");
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    begin_second_listening(world, &told);
    const struct election *second = election_of(world->second);
    assert_string_not_equal(second->recipe->name, "zookeeper");
    assert_int_equal(second->recognised, RECOGNISED_NAME);
    world_free(world);
}

/* All have left while nothing watched: an empty directory shows no layout, and it is the recorded one.
 * A mark in it, as zk-ruby's leaders leave, or its path proves less. */
TEST(an_emptied_directory_keeps_its_layout)
{
    struct world *world = world_new();
    struct told told = {0};
    see(world, world->first);
    election_of(world->first)->recognised = RECOGNISED_SIGNATURE;
    record(world);
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    pass(world, 100 * SECOND);
    begin_second_listening(world, &told);
    const struct election *second = election_of(world->second);
    assert_int_equal(second->state, ELECTION_VACANT);
    assert_string_equal(second->recipe->name, "zookeeper");
    assert_int_equal(second->recognised, RECOGNISED_SIGNATURE);
    assert_string_equal(second->change.from, "n_0000000001");
    model_free(world->second);
    world->second = NULL;
    fake_tree_create(world->tree, PATH "/leader_ack", 0, "");
    begin_second_listening(world, &told);
    assert_string_equal(election_of(world->second)->recipe->name, "zookeeper");
    assert_int_equal(election_of(world->second)->recognised, RECOGNISED_SIGNATURE);
    world_free(world);
}

static void on_elected(void *context, const struct event *event)
{
    if (event->kind == EVENT_LEADER_ELECTED)
        record(context);
}

/* The recorder ended before it had told who leads. */
TEST(a_recorded_leader_closes_an_open_failover)
{
    struct world *world = world_new();
    struct told told = {0};
    nobody_leads_any_more(world);
    world->first->on_event = on_elected;
    world->first->context = world;
    join(world);
    see(world, world->first);
    world->first->on_event = NULL;
    pass(world, 100 * SECOND);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    const struct election *now = election_of(world->second);
    assert_int_equal(now->failover_count, 1);
    assert_int_equal(told.failovers, 1);
    assert_int_equal(told.gap_us, 0);
    assert_string_equal(told.to, "n_0000000004");
    assert_int_equal(election_failover_at(now, 0)->vacancy.low_us,
                     20 * SECOND); /* when it was told as open */
    assert_int_equal(election_failover_at(now, 0)->vacancy.high_us, SPAN_OPEN);
    world_free(world);
}

/* A recorder that was killed had looked for the cause still: the change is told, without one. What it told is not told
 * again, though the recording has it no longer. */
TEST(tells_what_a_killed_recorder_had_not_told)
{
    for (int gone = 1; gone <= 3; gone += 2)
        for (int late = 0; late <= 1; late++) {
            struct world *world = world_new();
            struct told told = {0};
            for (int i = 1; i <= gone; i++)
                leave(world, i);
            see(world, world->first);
            if (late)
                pass(world, 60 * SECOND);
            assert_int_equal(election_of(world->first)->failover_count, late);
            failovers_free(election_of(world->first));
            record(world);
            pass(world, 7 * SECOND);
            begin_second_listening(world, &told);
            pass(world, 20 * SECOND);
            assert_int_equal(told.failovers, !late);
            assert_int_equal(election_of(world->second)->failover_count, !late);
            if (!late) {
                const struct failover *failover = election_last_failover(election_of(world->second));
                assert_string_equal(told.from, "n_0000000001");
                assert_string_equal(told.to, gone == 1 ? "n_0000000002" : "");
                assert_int_equal(failover->cause, CAUSE_UNKNOWN);
                assert_int_equal(failover_is_open(failover), gone == 3);
                assert_string_equal(failover->evidence, "the recorder ended before it had found the cause");
            }
            world_free(world);
        }
}

/* It had found the change after a gap of a hundred seconds, and waited for a log. */
TEST(tells_the_gap_of_a_killed_recorder)
{
    struct world *world = world_new();
    struct told told = {0};
    world->apart_us = 0;
    record(world);
    pass(world, 100 * SECOND);
    leave(world, 1);
    world->second = model_begin();
    world->second->on_event = on_told;
    world->second->context = &told;
    recall(world, false);
    read_log(world, 0, DEED_NONE, 0, 0, 0);
    model_connect(world, world->second);
    assert_int_equal(told.failovers, 0);
    model_free(world->first);
    world->first = world->second;
    world->first->on_event = NULL;
    record(world);
    pass(world, 7 * SECOND);
    begin_second_listening(world, &told);
    const struct failover *failover = election_last_failover(election_of(world->second));
    assert_int_equal(told.failovers, 1);
    assert_string_equal(told.from, "n_0000000001");
    assert_int_equal(failover->elected_at.mono_us, failover->lost_at.mono_us);
    assert_int_equal(told.gap_us, 100 * SECOND);
    world_free(world);
}

/* Its session leads again: that is no failover, however early the recorder was killed. */
TEST(a_killed_recorder_saw_the_same_session_lead_again)
{
    struct world *world = world_new();
    struct told told = {0};
    leave(world, 3);
    leave(world, 2);
    see(world, world->first);
    leave(world, 1);
    fake_tree_create(world->tree, PATH "/n_0000000004", 0x100000001, "10.0.3.1:5000");
    see(world, world->first);
    record(world);
    pass(world, 7 * SECOND);
    begin_second_listening(world, &told);
    pass(world, 20 * SECOND);
    assert_string_equal(election_of(world->second)->leader->name, "n_0000000004");
    assert_int_equal(told.failovers, 0);
    world_free(world);
}

/* Somebody stood and went while nobody recorded: that nobody stands counts from now. */
TEST(vacancy_is_not_that_of_before)
{
    struct world *world = world_new();
    for (int i = 1; i <= 3; i++)
        leave(world, i);
    see(world, world->first);
    pass(world, 20 * SECOND);
    record(world);
    pass(world, 100 * SECOND);
    join(world);
    leave(world, 4);
    pass(world, 100 * SECOND);
    begin_second(world, false);
    assert_int_equal(election_of(world->second)->state_since.wall_us, now_of(world, world->second).wall_us);
    assert_null(finding_of(world->second, FINDING_NO_LEADER));
    world_free(world);
}

/* ---- not the same ---- */

/* A candidate of the same name that is another znode has not led before it was made. */
TEST(another_znode_of_that_name_is_another)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    pass(world, 50 * SECOND);
    fake_tree_delete(world->tree, PATH);
    fake_tree_create(world->tree, PATH, 0, "");
    world->number = 1;
    join(world);
    pass(world, 50 * SECOND);
    begin_second(world, false);
    struct election *now = election_of(world->second);
    assert_string_equal(now->leader->name, "n_0000000002");
    assert_false(now->leader_since_exact);
    assert_int_equal(now->leader_since.wall_us, now_of(world, world->second).wall_us - 50 * SECOND);
    world_free(world);
}

/* A recording of another cluster says nothing of this one. */
TEST(another_cluster_is_another)
{
    struct world *world = world_new();
    change(world, 1);
    free(world->first->clusters[0].hosts);
    world->first->clusters[0].hosts = strdup("zk9:2181");
    record(world);
    pass(world, SECOND);
    begin_second(world, true);
    struct election *now = election_of(world->second);
    assert_false(now->leader_since_exact);
    assert_int_equal(now->tenure_count, 1);
    assert_int_equal(now->failover_count, 0);
    assert_false(model_awaits_baseline(world->second));
    world_free(world);
}

/* ---- a recorder that is a little behind ---- */

/* The leader changed just before this run began: a later state of the recording tells how. */
TEST(waits_for_a_recorder_that_is_behind)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    struct snapshot_model *early = world->then;
    world->then = NULL;
    pass(world, SECOND);
    leave(world, 2);
    see(world, world->first);
    pass(world, SECOND);
    world->second = model_begin();
    model_take_baseline(world->second, snapshot_model_model(early),
                        (struct moment){snapshot_model_model(early)->now.mono_us + world->apart_us,
                                        snapshot_model_model(early)->now.wall_us},
                        true);
    model_connect(world, world->second);
    assert_true(model_awaits_baseline(world->second));
    assert_int_equal(election_of(world->second)->tenure_count, 1);
    record(world);
    recall(world, true);
    snapshot_model_free(early);
    assert_false(model_awaits_baseline(world->second));
    assert_true(election_of(world->second)->leader_since_exact);
    same_look(world);
    world_free(world);
}

/* It told nothing more: then what it knew until its end is taken, with a gap. */
TEST(gives_up_waiting)
{
    struct world *world = world_new();
    change(world, 1);
    record(world);
    pass(world, SECOND);
    leave(world, 2);
    begin_second(world, true);
    assert_true(model_awaits_baseline(world->second));
    model_take_baseline(world->second, NULL, (struct moment){0}, false);
    assert_false(model_awaits_baseline(world->second));
    struct election *now = election_of(world->second);
    assert_false(now->leader_since_exact);
    assert_int_equal(now->leader_since.wall_us, world->until.wall_us);
    assert_true(election_tenure_at(now, now->tenure_count - 2)->gap);
    world_free(world);
}
