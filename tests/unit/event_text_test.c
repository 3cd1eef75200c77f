/* Events in words, and the ring that keeps the latest of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/model.h"
#include "tests/support/test.h"
#include "tui/views/event_log.h"

static char cluster_name[] = "prod", election_name[] = "orders", path[] = "/orders", server[] = "zk1:2181";
static struct cluster cluster = {.name = cluster_name, .connected_to = server};
static struct election empty = {
    .cluster = &cluster, .path = path, .name = election_name, .kind = KIND_LEADER, .directory_known = true};
static struct election lock = {.cluster = &cluster, .path = path, .name = election_name, .kind = KIND_LOCK};
static struct candidate other = {.name = server};
static struct candidate *others[] = {&other};
static struct election standing = {
    .cluster = &cluster, .path = path, .name = election_name, .candidates = others, .candidate_count = 1};

static char first_name[] = "n_1", second_name[] = "n_2", member[] = "pg1";
static struct failover renewed = {.from = first_name,
                                  .from_identity = member,
                                  .to = second_name,
                                  .to_identity = member,
                                  .detection = {SPAN_OPEN, SPAN_OPEN},
                                  .vacancy = {SPAN_OPEN, SPAN_OPEN},
                                  .takeover = {SPAN_OPEN, SPAN_OPEN},
                                  .total = {SPAN_OPEN, SPAN_OPEN}};

#define OF(e) .cluster = &cluster, .election = &(e), .after_us = -1

/* Each kind in its words; people where both are known, names else, and never an empty line. */
TEST(says_it_in_words)
{
    static const struct {
        struct event event;
        const char *label, *from, *subject, *detail;
        style role;
    } rows[] = {
        {{EVENT_CANDIDATE_JOINED, OF(empty), .candidate = "n_0000000050", .identity = "10.0.3.22",
          .position = 7},
         "joined",
         "",
         "n_0000000050 10.0.3.22",
         "7th in line",
         ROLE_INFO},
        {{EVENT_CANDIDATE_LEFT, OF(empty), .candidate = "n_0000000050", .position = 22},
         "left",
         "",
         "n_0000000050",
         "was 22nd in line",
         ROLE_INFO},
        {{EVENT_CANDIDATE_LEFT, OF(empty), .candidate = "n_0000000050", .position = 112},
         "left",
         "",
         "n_0000000050",
         "was 112th in line",
         ROLE_INFO},
        {{EVENT_LEADER_LOST, OF(empty), .candidate = "n_0000000007", .identity = "10.0.3.9"},
         "leader lost",
         "",
         "n_0000000007 10.0.3.9",
         "there is no candidate after it",
         ROLE_CRITICAL},
        {{EVENT_LEADER_LOST, OF(standing), .candidate = "n_0000000007"},
         "leader lost",
         "",
         "n_0000000007",
         "",
         ROLE_WARNING},
        {{EVENT_LEADER_LOST, OF(lock), .candidate = "lock"}, "leader lost", "", "lock", "", ROLE_INFO},
        {{EVENT_LEADER_ELECTED, .cluster = &cluster, .election = &empty, .candidate = "n_2",
          .identity = "b:1", .from = "n_1", .from_identity = "a:1", .after_us = 1412000},
         "leader elected",
         "a:1",
         "b:1",
         "", /* the failover's event says how long, with bounds: one figure */
         ROLE_GOOD},
        {{EVENT_LEADER_ELECTED, .cluster = &cluster, .election = &empty, .candidate = "n_2", .from = "n_1",
          .after_us = 20320},
         "leader elected",
         "n_1",
         "n_2",
         "",
         ROLE_GOOD},
        {{EVENT_LEADER_ELECTED, .cluster = &cluster, .election = &empty, .candidate = "n_2", .from = "n_1",
          .after_us = 2320},
         "leader elected",
         "n_1",
         "n_2",
         "",
         ROLE_GOOD},
        {{EVENT_LEADER_LOST, OF(standing), .candidate = "n_0000000007", .gap_us = 9000000},
         "leader lost",
         "",
         "n_0000000007",
         "found after a gap of 9.00s",
         ROLE_WARNING},
        {{EVENT_CANDIDATE_JOINED, OF(empty), .candidate = "n_5", .position = 3, .gap_us = 9000000},
         "joined",
         "",
         "n_5",
         "3rd in line; found after a gap of 9.00s",
         ROLE_INFO},
        {{EVENT_CONNECTION, .cluster = &cluster, .connection = "gap", .gap_us = 13000000,
          .detail = "electop was busy or stopped, or the machine was suspended", .after_us = -1},
         "not watching",
         "",
         "",
         "for 13.0s: electop was busy or stopped, or the machine was suspended",
         ROLE_WARNING},
        {{EVENT_CONNECTION, .cluster = &cluster, .connection = "disconnected", .gap_us = 5000000,
          .detail = "no answer from zk1:2181", .after_us = -1},
         "disconnected",
         "",
         "",
         "not heard for 5.00s: no answer from zk1:2181",
         ROLE_WARNING},
        {{EVENT_LEADER_ELECTED, OF(empty), .candidate = "n_2", .identity = "b:1", .from = "n_1"},
         "leader elected",
         "n_1",
         "n_2 b:1",
         "",
         ROLE_GOOD},
        {{EVENT_LEADER_ELECTED, .cluster = &cluster, .election = &empty, .candidate = "n_2",
          .identity = "pg1", .from = "n_1", .from_identity = "pg1", .after_us = 2320},
         "leader elected",
         "",
         "pg1",
         "the same identity again",
         ROLE_GOOD},
        {{EVENT_FAILOVER, OF(empty), .failover = &renewed},
         "failover",
         "",
         "pg1",
         "the same identity again; cause unknown",
         ROLE_GOOD},
        {{EVENT_LEADER_ELECTED, OF(empty), .candidate = "n_2"}, "leader elected", "", "n_2", "", ROLE_GOOD},
        {{EVENT_LEADER_ACKNOWLEDGED, .cluster = &cluster, .election = &empty, .candidate = "n_2",
          .after_us = 9460},
         "acknowledged",
         "",
         "n_2",
         "",
         ROLE_GOOD},
        {{EVENT_CONNECTION, .cluster = &cluster, .connection = "connected", .identity = server},
         "connected",
         "",
         "zk1:2181",
         "",
         ROLE_GOOD},
        {{EVENT_CONNECTION, .cluster = &cluster, .connection = "disconnected", .detail = "no quorum"},
         "disconnected",
         "",
         "",
         "no quorum",
         ROLE_WARNING},
        {{EVENT_CONNECTION, .cluster = &cluster, .connection = "expired"},
         "session expired",
         "",
         "",
         "",
         ROLE_WARNING},
        {{EVENT_UNSEEN, OF(empty), .unseen_joined = 3, .unseen_left = 2},
         "unseen",
         "",
         "",
         "3 joined and 2 left between two reads",
         ROLE_WARNING},
        {{EVENT_CANDIDATE_JOINED, OF(empty),
          .candidate = "_c_3f2ab1c0-0000-0000-0000-000000000000-latch-0000000007", .identity = "host-a",
          .position = 1},
         "joined",
         "",
         "_c_3f2ab1c0-0000-0000-0000-000000000000-latch-0000000007 host-a",
         "1st in line",
         ROLE_INFO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct event_words words;
        event_text(&rows[i].event, &words);
        assert_string_equal(words.label, rows[i].label);
        assert_true(strlen(words.label) <= EVENT_LABEL_WIDTH);
        assert_string_equal(words.from, rows[i].from);
        assert_string_equal(words.subject, rows[i].subject);
        assert_string_equal(words.detail, rows[i].detail);
        assert_int_equal(words.role, rows[i].role);
        assert_string_equal(words.where, rows[i].event.election ? "orders" : "prod");
    }
}

/* Names of any length are cut between characters, never in one. */
TEST(bounds_long_names)
{
    char name[3001];
    for (size_t i = 0; i < 3000; i += 3)
        memcpy(name + i, "\xe6\xbc\xa2", 3);
    name[3000] = '\0';
    struct event event = {EVENT_LEADER_ELECTED, OF(empty), .candidate = name, .from = name};
    struct event_words words;
    event_text(&event, &words);
    assert_int_equal(strlen(words.from) % 3, 0);
    assert_int_equal(strlen(words.subject) % 3, 0);
    assert_true(strlen(words.subject) > 500 && strlen(words.from) > 250);
}

/* The latest are kept, newest first; a frozen copy does not move. */
TEST(keeps_the_latest)
{
    struct event_log *log = event_log_new();
    assert_int_equal(event_log_count(log), 0);
    assert_null(event_log_at(log, 0));
    char name[32];
    for (int i = 1; i <= EVENTS_KEPT + 10; i++) {
        snprintf(name, sizeof(name), "n_%010d", i);
        event_log_add(log, &(struct event){EVENT_CANDIDATE_JOINED, OF(empty), .candidate = name});
    }
    assert_int_equal(event_log_count(log), EVENTS_KEPT);
    assert_string_equal(event_log_at(log, 0)->subject, "n_0000001010");
    assert_string_equal(event_log_at(log, EVENTS_KEPT - 1)->subject, "n_0000000011");
    assert_null(event_log_at(log, EVENTS_KEPT));
    struct event_log *frozen = event_log_copy(log);
    event_log_add(log, &(struct event){EVENT_CONNECTION, .cluster = &cluster, .connection = "connected"});
    assert_null(event_log_at(log, 0)->path);
    assert_string_equal(event_log_at(log, 0)->where, "prod");
    assert_string_equal(event_log_at(frozen, 0)->subject, "n_0000001010");
    assert_string_equal(event_log_at(frozen, EVENTS_KEPT - 1)->subject, "n_0000000011");
    assert_string_equal(event_log_at(frozen, 0)->path, "/orders");
    event_log_free(frozen);
    event_log_free(log);
    event_log_free(NULL);
}

/* A leader's loss and its departure are one event to who reads them on a screen; others' departures stay. */
TEST(a_lost_leader_leaves_once)
{
    struct event_log *log = event_log_new();
    struct moment at = {5000000, 5000000};
    event_log_add(log, &(struct event){EVENT_LEADER_LOST, .at = at, OF(standing), .candidate = "n_1"});
    event_log_add(log, &(struct event){EVENT_CANDIDATE_LEFT, .at = at, OF(standing), .candidate = "n_1"});
    assert_int_equal(event_log_count(log), 1);
    event_log_add(log, &(struct event){EVENT_CANDIDATE_LEFT, .at = at, OF(standing), .candidate = "n_10"});
    assert_int_equal(event_log_count(log), 2);
    at.mono_us++;
    event_log_add(log, &(struct event){EVENT_CANDIDATE_LEFT, .at = at, OF(standing), .candidate = "n_1"});
    assert_int_equal(event_log_count(log), 3);
    event_log_free(log);
}
