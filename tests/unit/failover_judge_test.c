/* Causes are as narrow as their proof and no narrower; what is not known widens them and their phases. */
#include <string.h>

#include "probe/election/failover_judge.h"
#include "tests/support/test.h"

#define S INT64_C(1000000)
#define MS INT64_C(1000)
#define GONE (1000 * S)

/* A session of 10 s at servers with ticks of 2 s, which was heard so long before its znode went. */
static struct failover_evidence heard_before(int64_t us)
{
    return (struct failover_evidence){.since_us = GONE,
                                      .gone_us = GONE,
                                      .session = 0x1234,
                                      .timeout_ms = 10000,
                                      .tick_ms = 2000,
                                      .listed_us = GONE - 2 * S,
                                      .heard_low_us = GONE - us,
                                      .heard_high_us = GONE - us + 5 * MS,
                                      .server = "zk1:2181",
                                      .fate = FATE_OVER,
                                      .fate_us = GONE + 200 * MS,
                                      .together = true};
}

static struct failover judged(const struct failover_evidence *e)
{
    struct failover failover = {0};
    failover_judge(e, &failover);
    return failover;
}

static void is(const struct failover_evidence *e, enum failover_cause cause, enum certainty certainty)
{
    struct failover failover = judged(e);
    assert_string_equal(failover_cause_word(failover.cause), failover_cause_word(cause));
    if (cause != CAUSE_UNKNOWN)
        assert_int_equal(failover.cause_certainty, certainty);
    if (cause != CAUSE_EXPIRED)
        assert_int_equal(failover.detection.high_us, SPAN_OPEN);
}

/* Every cause with its proof. */
TEST(names_what_is_proved)
{
    struct failover_evidence e = heard_before(2 * S);
    is(&e, CAUSE_CLOSED, CERTAINTY_CERTAIN);
    e = heard_before(11 * S);
    is(&e, CAUSE_EXPIRED, CERTAINTY_SUSPECTED);
    e = heard_before(11 * S);
    e.listed_us = e.heard_low_us + 10 * MS;
    e.parted_us = GONE - 8 * S;
    is(&e, CAUSE_EXPIRED, CERTAINTY_SUSPECTED);
    e.resigned = true;
    is(&e, CAUSE_RESIGNED, CERTAINTY_CERTAIN);
    e.resigned = false;
    e.deleter = 0x99;
    is(&e, CAUSE_EVICTED, CERTAINTY_CERTAIN);
    e.session = 0; /* nobody has read whose it was: perhaps its own session deleted it */
    is(&e, CAUSE_DELETED, CERTAINTY_CERTAIN);
    e = heard_before(2 * S);
    e.fate = FATE_ALIVE;
    is(&e, CAUSE_DELETED, CERTAINTY_CERTAIN);
    e.idle = true;
    is(&e, CAUSE_EVICTED, CERTAINTY_CERTAIN);
    e = (struct failover_evidence){.since_us = GONE, .gone_us = GONE, .no_session = true};
    is(&e, CAUSE_DELETED, CERTAINTY_CERTAIN);
}

/* Take any piece of the proof away, and the cause is told wider. */
TEST(widens_without_proof)
{
    struct failover_evidence e = heard_before(2 * S);
    e.heard_low_us = e.heard_high_us = 0;
    is(&e, CAUSE_ENDED, CERTAINTY_CERTAIN); /* nobody knows when it was heard */
    e = heard_before(2 * S);
    e.timeout_ms = 0;
    is(&e, CAUSE_ENDED, CERTAINTY_CERTAIN); /* ... or for how long it may be silent */
    e = heard_before(2 * S);
    e.together = false;
    is(&e, CAUSE_ENDED, CERTAINTY_SUSPECTED); /* it may have closed after its znode had been deleted */
    e = heard_before(11 * S);
    e.listed_us = e.heard_low_us + 1 * S;
    is(&e, CAUSE_ENDED, CERTAINTY_CERTAIN); /* nobody looked late enough to see it silent */
    e = heard_before(12 * S);
    e.since_us = GONE - 5 * S;
    e.together = false;
    /* It went within a gap, perhaps before its timeout was over, and perhaps by other hands. */
    is(&e, CAUSE_ENDED, CERTAINTY_SUSPECTED);
    e = heard_before(2 * S);
    e.heard_low_us = e.heard_high_us = 0;
    e.fate_us = GONE + 7 * S;
    e.together = false;
    is(&e, CAUSE_ENDED, CERTAINTY_SUSPECTED); /* evicted, and over by itself some seconds later */
    e = heard_before(11 * S);
    e.fate = FATE_UNKNOWN;
    is(&e, CAUSE_UNKNOWN, CERTAINTY_CERTAIN);
    e.displaced = true;
    e.fate = FATE_ALIVE;
    is(&e, CAUSE_UNKNOWN, CERTAINTY_CERTAIN);
}

/* At the very timeout a server's bookkeeping decides: closing is not certain any more. */
TEST(doubts_at_the_timeout)
{
    struct failover_evidence e = heard_before(9900 * MS);
    is(&e, CAUSE_EXPIRED, CERTAINTY_SUSPECTED);
    e = heard_before(9200 * MS);
    is(&e, CAUSE_CLOSED, CERTAINTY_CERTAIN);
    e.fate_us = GONE + 400 * MS; /* its znode went, and it may have expired since */
    is(&e, CAUSE_ENDED, CERTAINTY_CERTAIN);
}

/* For every time of death that the evidence allows, that time lies within; and no interval is wider than the time
   between two pings, 1.5 ticks and half a second. */
static void bounds_the_time_of_death_of(int ping_ms)
{
    const int64_t timeout_us = 10 * S, pause_us = ping_ms ? ping_ms * MS : timeout_us / 3;
    for (int64_t rounding_us = 0; rounding_us <= 3 * S; rounding_us += 500 * MS)
        for (int64_t death_us = 0; death_us < pause_us; death_us += 200 * MS)
            for (int64_t look_us = 0; look_us < timeout_us; look_us += 700 * MS)
                for (int drops = 0; drops < 2; drops++) {
                    int64_t heard_us = GONE - timeout_us - rounding_us, died_us = heard_us + death_us;
                    struct failover_evidence e = heard_before(GONE - heard_us);
                    bool parted = drops && heard_us + look_us > died_us;
                    e.ping_ms = ping_ms;
                    e.listed_us = parted ? heard_us + 1 : heard_us + look_us;
                    e.parted_us = parted ? heard_us + look_us : 0;
                    struct failover failover = judged(&e);
                    if (failover.cause != CAUSE_EXPIRED)
                        continue;
                    int64_t truth_us = GONE - died_us;
                    assert_true(failover.detection.low_us <= truth_us);
                    assert_true(failover.detection.high_us >= truth_us);
                    assert_true(failover.detection.high_us - failover.detection.low_us <=
                                pause_us + 3 * S + 500 * MS);
                }
}

TEST(bounds_the_time_of_death)
{
    bounds_the_time_of_death_of(0);
    bounds_the_time_of_death_of(6667); /* a client that pings every two thirds of its timeout */
}

/* What is missing opens the bound that rests on it. */
/* Without a connection for longer than its session can live without one: it spoke unseen, or its end was put
 * off. */
TEST(widens_where_bounds_contradict)
{
    struct failover_evidence e = heard_before(18 * S);
    e.listed_us = GONE - 17 * S;
    e.parted_us = GONE - 15 * S;
    struct span span = judged(&e).detection;
    assert_true(span.low_us < 7 * S && span.high_us > 18 * S);
    e.restarted = true; /* it was on a server that no list showed */
    span = judged(&e).detection;
    assert_true(span.low_us < 7 * S && span.high_us > 17 * S);
}

TEST(opens_bounds)
{
    struct failover_evidence e = heard_before(11 * S);
    e.restarted = true; /* all timeouts began anew: only when it was last heard bounds it */
    struct failover failover = judged(&e);
    assert_in_range(failover.detection.high_us, 11 * S, 11 * S + 200 * MS);
    e = heard_before(11 * S);
    e.tick_ms = 0;
    failover = judged(&e);
    assert_in_range(failover.detection.high_us, 11 * S, 11 * S + 200 * MS);
    assert_true(failover.detection.low_us > 0);
    /* ZooKeeper's leader may have stood still, with the pings of a client that lived waiting for it. */
    e.logged = DEED_EXPIRED;
    e.logged_stalled = true;
    e.listed_us = 0;
    failover = judged(&e);
    assert_int_equal(failover.detection.low_us, 0);
    assert_in_range(failover.detection.high_us, 11 * S, 11 * S + 200 * MS);
    e.heard_low_us = e.heard_high_us = 0;
    failover = judged(&e);
    assert_int_equal(failover.cause, CAUSE_EXPIRED);
    assert_int_equal(failover.detection.low_us, SPAN_UNKNOWN.low_us);
    assert_int_equal(failover_expiry_most_us(10000, 2000), 13500 * MS);
    assert_int_equal(failover_expiry_most_us(10000, 0), -1);
    assert_int_equal(failover_expiry_most_us(0, 2000), -1);
}

/* The sum: exact where all parts are, open where one is, and nothing without an acknowledgement. */
TEST(sums_phases)
{
    struct failover f = {.cause = CAUSE_CLOSED,
                         .detection = SPAN_UNKNOWN,
                         .vacancy = {100 * MS, 100 * MS},
                         .takeover = {412 * MS, 412 * MS}};
    struct span total = failover_total(&f);
    assert_int_equal(total.low_us, 512 * MS);
    assert_int_equal(total.high_us, 512 * MS);
    f.cause = CAUSE_EXPIRED;
    f.detection = (struct span){9 * S, 12 * S};
    total = failover_total(&f);
    assert_int_equal(total.low_us, 9 * S + 512 * MS);
    assert_int_equal(total.high_us, 12 * S + 512 * MS);
    f.detection = SPAN_UNKNOWN;
    total = failover_total(&f);
    assert_int_equal(total.low_us, 512 * MS);
    assert_int_equal(total.high_us, SPAN_OPEN);
    f.cause = CAUSE_UNKNOWN;
    assert_int_equal(failover_total(&f).high_us, SPAN_OPEN);
    f.takeover = SPAN_UNKNOWN;
    assert_int_equal(failover_total(&f).low_us, SPAN_OPEN);
}

/* Evidence says what was seen, and fits any buffer. */
TEST(reports_its_evidence)
{
    char text[400], small[8];
    struct failover_evidence e = heard_before(11 * S);
    failover_evidence_describe(&e, CAUSE_EXPIRED, text, sizeof text);
    assert_string_equal(
        text, "last heard 11.0 s before its znode went, by zk1:2181; its timeout is 10.0 s; absent from the "
              "session list 0.20 s after");
    e = heard_before(15 * S);
    e.listed_us = GONE - 15 * S; /* it expires within 13.5 s: it was heard later than that list shows */
    failover_evidence_describe(&e, CAUSE_EXPIRED, text, sizeof text);
    assert_memory_equal(text, "last heard 13.5 s before", strlen("last heard 13.5 s before"));
    failover_evidence_describe(&e, CAUSE_EXPIRED, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
    e = heard_before(2 * S);
    failover_evidence_describe(&e, CAUSE_CLOSED, text, sizeof text);
    assert_string_equal(
        text, "last heard 2.00 s before its znode went, by zk1:2181; its timeout is 10.0 s; absent from the "
              "session list 0.20 s after: one transaction ended it and deleted its znode");
    e.together = false;
    failover_evidence_describe(&e, CAUSE_ENDED, text, sizeof text);
    assert_string_equal(
        text, "last heard 2.00 s before its znode went, by zk1:2181; its timeout is 10.0 s; absent from the "
              "session list 0.20 s after: its client closed it, perhaps after its znode had been deleted");
    e.displaced = true;
    failover_evidence_describe(&e, CAUSE_UNKNOWN, text, sizeof text);
    assert_string_equal(text, "its znode still exists: a candidate with a lower number joined ahead of it");
    e = heard_before(11 * S);
    e.fate = FATE_ALIVE;
    e.idle = true;
    failover_evidence_describe(&e, CAUSE_EVICTED, text, sizeof text);
    assert_string_equal(
        text,
        "its session 0x1234 is still alive: listed 0.20 s after, and it had requested nothing in that time");
    e.fate = FATE_UNKNOWN;
    assert_string_equal(failover_evidence_describe(&e, CAUSE_UNKNOWN, text, sizeof text), "");
    e.hidden = true;
    failover_evidence_describe(&e, CAUSE_UNKNOWN, text, sizeof text);
    assert_string_equal(
        text, "no server shows its connections or sessions; --transactions or --capture would tell");
    e.packets = true;
    failover_evidence_describe(&e, CAUSE_UNKNOWN, text, sizeof text);
    assert_string_equal(text, "no server shows its connections or sessions, nor do the packets show its end; "
                              "--transactions would tell");
}
