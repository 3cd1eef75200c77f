/* Proves that changes of leader are counted by one rule, and their causes named as people ask for them. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/changes.h"
#include "probe/election/cluster.h"
#include "tests/support/test.h"
#include "tui/words/failover_facts.h"

#define SECOND INT64_C(1000000)
#define NOW (10000 * SECOND)

static const struct cells plain = {.ascii = true};

TEST(the_most_frequent_cause_is_first)
{
    struct leader_changes changes = {.count = 127, .more = true};
    char text[160];
    changes.by_cause[CAUSE_RESIGNED] = 2;
    changes.by_cause[CAUSE_DELETED] = 62;
    changes.older = 63;
    assert_string_equal(failover_facts_split(&plain, &changes, INT_MAX, text, sizeof text),
                        ">=127, last 64: 62 deleted, 2 resigned");
    assert_string_equal(failover_facts_split(&plain, &changes, 37, text, sizeof text),
                        ">=127, last 64: 62 deleted, ..");
    assert_string_equal(failover_facts_split(&plain, &changes, 29, text, sizeof text), ">=127");
    changes = (struct leader_changes){.count = 3, .by_cause = {[CAUSE_EXPIRED] = 3}};
    assert_string_equal(failover_facts_split(&plain, &changes, 9, text, sizeof text), "3 expired");
    assert_string_equal(failover_facts_split(&plain, &changes, 8, text, sizeof text), "3");
    changes = (struct leader_changes){0};
    assert_string_equal(failover_facts_split(&plain, &changes, INT_MAX, text, sizeof text), "");
}

/* Each as "a" and "b", of the same identity, "A", as "s" and "t", of one session, as "v", which says "V"; '.': vacant, '?': not observed; one
 * each second until now. */
static void count(const char *line, struct failover *failovers, size_t failover_count, int64_t window_us,
                  struct leader_changes *changes)
{
    static char same[] = "A", other[] = "V";
    struct tenure tenures[TENURES_KEPT] = {0};
    char names[TENURES_KEPT][2];
    size_t count = strlen(line);
    for (size_t i = 0; i < count; i++) {
        bool gap = line[i] == '?', led = line[i] != '.' && !gap;
        snprintf(names[i], sizeof names[i], "%c", line[i]);
        tenures[i] = (struct tenure){.name = led ? names[i] : NULL,
                                     .identity = strchr("abs", line[i]) ? same
                                                 : line[i] == 'v'       ? other
                                                                        : NULL,
                                     .session = strchr("stv", line[i]) ? 7
                                                : line[i] == 'u'       ? 8
                                                                       : 0,
                                     .from = {.mono_us = NOW - (int64_t)(count - i) * SECOND},
                                     .gap = gap};
    }
    const struct election election = {.tenures = tenures,
                                      .tenure_count = count,
                                      .tenure_room = TENURES_KEPT,
                                      .failovers = failovers,
                                      .failover_count = failover_count,
                                      .failover_room = FAILOVERS_KEPT};
    failover_facts_changes(&election, (struct moment){.mono_us = NOW}, window_us, changes);
}

TEST(a_change_is_a_loss_that_a_leader_followed)
{
    static const struct {
        const char *what, *line;
        int64_t window_s;
        size_t count;
    } cases[] = {
        {"another one", "ac", 100, 1},
        {"the same client with another znode", "ab", 100, 1},
        {"a session that creates its candidate again", "st.s", 100, 0},
        {"another candidate of the session", "sv", 100, 1},
        {"... of which it has only one at a time", "s.v", 100, 0},
        {"a session after another", "stus", 100, 2},
        {"the same znode's name, after a vacancy", "a.a.a", 100, 2},
        {"nobody yet", "a.", 100, 0},
        {"nobody before", ".a", 100, 0},
        {"a gap between", "a?c?.e", 100, 0},
        {"a gap before, and a vacancy", "a?.a.c", 100, 1},
        {"the loss was before", "acegi", 3, 2},
        {"... although nobody followed at once", "ac.e", 2, 0},
        {"it was within", "ac.e", 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct leader_changes changes;
        count(cases[i].line, NULL, 0, cases[i].window_s * SECOND, &changes);
        if (changes.count != cases[i].count || changes.more)
            fail_msg("%s: %zu", cases[i].what, changes.count);
        assert_int_equal(changes.by_cause[CAUSE_UNKNOWN], cases[i].count);
    }
}

TEST(what_is_kept_no_longer_is_said)
{
    static char a[] = "a", b[] = "b";
    struct failover failovers[FAILOVERS_KEPT];
    struct leader_changes changes;
    char line[TENURES_KEPT + 1] = "", text[160];
    for (size_t i = 0; i < FAILOVERS_KEPT; i++)
        failovers[i] = (struct failover){.from = a,
                                         .to = i == 9 ? NULL : b,
                                         .gap_us = i < 2,
                                         .lost_at = {.mono_us = NOW - (FAILOVERS_KEPT - (int64_t)i) * SECOND},
                                         .cause = i % 4 ? CAUSE_EXPIRED : CAUSE_CLOSED};
    for (size_t i = 0; i < TENURES_KEPT; i++)
        line[i] = i % 2 ? 'a' : 'c';
    count(line, failovers, FAILOVERS_KEPT, 1000 * SECOND, &changes);
    assert_string_equal(failover_facts_split(&plain, &changes, INT_MAX, text, sizeof text),
                        ">=127, last 61: 46 expired, 15 closed");
    assert_int_equal(changes.span_us, (TENURES_KEPT - 1) * SECOND);
    count(line, failovers, FAILOVERS_KEPT, 32 * SECOND, &changes);
    assert_string_equal(failover_facts_split(&plain, &changes, INT_MAX, text, sizeof text),
                        "31: 24 expired, 7 closed");
    count("a", failovers, FAILOVERS_KEPT, 1000 * SECOND, &changes); /* a moment of a recording */
    assert_string_equal(failover_facts_split(&plain, &changes, INT_MAX, text, sizeof text),
                        ">=61: 46 expired, 15 closed");
}

TEST(who_creates_its_candidate_again_was_not_lost)
{
    static char a[] = "a", b[] = "b";
    struct tenure tenures[3] = {{.name = a, .session = 7}, {.name = NULL}, {.name = b, .session = 7}};
    struct failover before = {.from = b, .to = a, .lost_at = {.mono_us = SECOND}};
    struct election election = {.tenures = tenures,
                                .tenure_count = 3,
                                .tenure_room = 3,
                                .change = {.from = a, .to = b, .lost_at = {.mono_us = 2 * SECOND}}};
    char text[FORMAT_INTERVAL];
    assert_int_equal(failover_facts_lost(&election).mono_us, 0);
    assert_string_equal(failover_facts_last(&plain, &election, INT_MAX, text), "");
    election.failovers = &before;
    election.failover_count = election.failover_room = 1;
    assert_int_equal(failover_facts_lost(&election).mono_us, SECOND);
    tenures[2].session = 8;
    assert_int_equal(failover_facts_lost(&election).mono_us, 2 * SECOND);
    struct tenure gone[4] = {
        {.name = a, .session = 7}, {.name = NULL}, {.name = b, .session = 7}, {.name = NULL}};
    election.tenures = gone;
    election.tenure_count = election.tenure_room = 4;
    election.change = (struct change){.from = b, .lost_at = {.mono_us = 3 * SECOND}};
    assert_int_equal(failover_facts_lost(&election).mono_us, 3 * SECOND);
    assert_string_equal(failover_facts_last(&plain, &election, INT_MAX, text), "open");
}

/* The first that may not know its turn has taken nothing over: 0 ms would praise it. */
TEST(a_takeover_in_doubt_took_no_known_time)
{
    static char a[] = "a", b[] = "b";
    char *names[] = {b}, path[] = "/x", text[FORMAT_INTERVAL];
    struct cluster cluster = {.connection = CONNECTION_CONNECTED};
    struct candidate first = {.name = b};
    struct finding finding = {.severity = SEVERITY_CRITICAL, .candidates = names, .candidate_count = 1};
    struct finding *findings[] = {&finding};
    struct failover took = {
        .from = a, .to = b, .cause = CAUSE_CLOSED, .lost_at = {.mono_us = SECOND}, .vacancy = {0, 0}};
    struct election_settings settings = {.kind = KIND_LEADER};
    struct election election = {.path = path,
                                .settings = &settings,
                                .cluster = &cluster,
                                .kind = KIND_LEADER,
                                .state = ELECTION_LED,
                                .recognised = RECOGNISED_SIGNATURE,
                                .fresh = true,
                                .leader = &first,
                                .candidate_count = 1,
                                .findings = findings,
                                .finding_count = 1,
                                .failovers = &took,
                                .failover_count = 1,
                                .failover_room = 1,
                                .change = {.from = a, .to = b, .lost_at = {.mono_us = SECOND}}};
    static const struct {
        enum finding_code code;
        const char *last;
        bool usual;
    } cases[] = {{FINDING_NEVER_WAKES, "?", false}, {FINDING_NO_GUID, "0ms", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        finding.code = cases[i].code;
        assert_string_equal(failover_facts_last(&plain, &election, INT_MAX, text), cases[i].last);
        assert_int_equal(failover_facts_usual(&plain, &election, INT_MAX, text), cases[i].usual);
    }
}
