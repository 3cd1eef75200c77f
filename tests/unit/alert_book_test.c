/* When alerts are raised, repeated and resolved, on a clock of the test's own. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/alert/alert_book.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"

#define S INT64_C(1000000)

static char severe[] = "severity>=error", elected[] = "leader-elected", program[] = "/bin/true";
static char *on_any[] = {severe, elected, NULL}, *run[] = {program, NULL};
static struct alert_settings rule = {.on = on_any, .run = run, .timeout_ms = 1000, .again_after_ms = 600000};
static char reported[4096], evidence[4096];
static size_t reports;
static uint64_t reported_key;
static enum certainty reported_certainty;

static void report(void *context, const struct alert *alert, enum alert_state state)
{
    size_t length = strlen(reported);
    (void)context;
    reports++;
    reported_key = alert->key;
    reported_certainty = alert->certainty;
    snprintf(evidence, sizeof evidence, "%s", alert->evidence ? alert->evidence : "");
    snprintf(reported + length, sizeof reported - length, "%s %s;", alert_state_word(state), alert->code);
}

struct world {
    struct settings settings;
    struct model *model;
    struct alert_book *book;
};

static const struct finding *now; /* NULL: the model has it not */

static const struct finding *finding_now(void *context, const struct alert *alert)
{
    (void)context, (void)alert;
    return now;
}

static void setup(struct world *w)
{
    *reported = '\0';
    w->settings = *scripted_settings();
    w->settings.alerts = &rule;
    w->settings.alert_count = 1;
    w->model = scripted_world();
    w->book = alert_book_new(&w->settings, report, finding_now, NULL);
    assert_non_null(w->book);
}

static void teardown(struct world *w)
{
    alert_book_free(w->book);
    model_free(w->model);
}

static void finding(struct world *w, size_t election, bool raised, enum finding_code code,
                    enum certainty certainty, int64_t now_us)
{
    struct finding found = {.code = code, .severity = SEVERITY_CRITICAL, .certainty = certainty};
    alert_book_take(w->book,
                    &(struct event){.kind = raised ? EVENT_FINDING_RAISED : EVENT_FINDING_CLEARED,
                                    .cluster = &w->model->clusters[0],
                                    .election = w->model->clusters[0].elections[election],
                                    .finding = &found},
                    now_us);
}

static void expect(struct world *w, int64_t now_us, const char *wanted)
{
    alert_book_turn(w->book, now_us);
    assert_string_equal(reported, wanted);
    *reported = '\0';
}

#define CERTAIN CERTAINTY_CERTAIN

static void take_failover(struct world *w, const struct failover *failover, const char *sentence)
{
    alert_book_take(w->book,
                    &(struct event){.kind = EVENT_FAILOVER,
                                    .cluster = &w->model->clusters[0],
                                    .election = w->model->clusters[0].elections[0],
                                    .candidate = failover->to,
                                    .from = failover->from,
                                    .failover = failover},
                    100 * S);
    expect(w, 100 * S, "event failover;");
    assert_string_equal(evidence, sentence);
}

/* The sentence has what is known. */
TEST(a_failover_is_reported_with_its_facts)
{
    char from[] = "n_1", host[] = "host-a:1", to[] = "n_2", silent[] = "silent 9.6 s";
    char word[] = "failover", *on_it[] = {word, NULL};
    struct alert_settings own = rule;
    struct world w;
    setup(&w);
    own.on = on_it;
    w.settings.alerts = &own;
    struct failover failover = {.from = from,
                                .from_identity = host,
                                .to = to,
                                .cause = CAUSE_EXPIRED,
                                .cause_certainty = CERTAINTY_SUSPECTED,
                                .evidence = silent,
                                .detection = {9600000, 9700000},
                                .vacancy = {412, 412},
                                .takeover = SPAN_UNKNOWN,
                                .total = {SPAN_OPEN, 9800000}};
    take_failover(
        &w, &failover,
        "n_2 leads, after host-a:1; cause: expired (suspected), silent 9.6 s; detection 9.6 s to 9.7 s, "
        "vacancy 0.412 ms, total at most 9.8 s");
    failover = (struct failover){.to = to,
                                 .detection = SPAN_UNKNOWN,
                                 .vacancy = {5000, SPAN_OPEN},
                                 .takeover = {0, 3000},
                                 .total = SPAN_UNKNOWN};
    take_failover(&w, &failover,
                  "n_2 leads, after a time without a leader; the cause is not known; vacancy at least 5 ms, "
                  "takeover at most 3 ms");
    teardown(&w);
}

/* Each finding is an alert of its own. */
TEST(other_causes_are_others)
{
    struct world w;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 100 * S);
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader;raised no-watch;raised no-leader;");
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 110 * S);
    expect(&w, 111 * S, "resolved no-leader;");
    teardown(&w);
}

static void about(struct world *w, bool raised, uint64_t subject, char *candidate)
{
    struct finding found = {.code = FINDING_DUPLICATE_SESSION,
                            .severity = SEVERITY_ERROR,
                            .certainty = CERTAINTY_CERTAIN,
                            .subject = subject,
                            .candidates = &candidate,
                            .candidate_count = 1};
    alert_book_take(w->book,
                    &(struct event){.kind = raised ? EVENT_FINDING_RAISED : EVENT_FINDING_CLEARED,
                                    .cluster = &w->model->clusters[0],
                                    .election = w->model->clusters[0].elections[0],
                                    .finding = &found},
                    100 * S);
}

/* A finding that lasts may name another candidate first: it is resolved all the same. */
TEST(known_by_its_subject)
{
    char one[] = "n_1", two[] = "n_2";
    struct world w;
    setup(&w);
    about(&w, true, 0x1234, one);
    about(&w, true, 0x5678, one);
    expect(&w, 100 * S, "raised duplicate-session;raised duplicate-session;");
    about(&w, true, 0x1234, two);
    expect(&w, 101 * S, "");
    about(&w, false, 0x1234, two);
    expect(&w, 102 * S, "resolved duplicate-session;");
    teardown(&w);
}

TEST(only_certain_ones)
{
    struct world w;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAINTY_SUSPECTED, 100 * S);
    expect(&w, 101 * S, "");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 102 * S); /* it became certain */
    expect(&w, 103 * S, "raised no-watch;");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 104 * S); /* more severe: no second alert */
    expect(&w, 105 * S, "");
    teardown(&w);
    rule.suspected = true;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAINTY_SUSPECTED, 100 * S);
    expect(&w, 101 * S, "raised no-watch;");
    teardown(&w);
    rule.suspected = false;
}

/* A finding that was certain, then worse but doubted, is not repeated as certain. */
TEST(an_open_alert_is_reported_as_it_is)
{
    struct world w;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-watch;");
    assert_int_equal(reported_certainty, CERTAIN);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAINTY_SUSPECTED, 102 * S);
    expect(&w, 103 * S, "");
    expect(&w, 702 * S, "again no-watch;");
    assert_int_equal(reported_certainty, CERTAINTY_SUSPECTED);
    teardown(&w);
    /* Nor is one that is doubted without an event. */
    const struct finding doubted = {.code = FINDING_NO_WATCH, .evidence = (char *)(uintptr_t) "by now"};
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-watch;");
    now = &doubted;
    expect(&w, 702 * S, "again no-watch;");
    now = NULL;
    assert_int_equal(reported_certainty, CERTAINTY_SUSPECTED);
    assert_string_equal(evidence, "by now");
    teardown(&w);
}

static uint64_t key_of(struct world *w, struct event event)
{
    event.cluster = &w->model->clusters[0];
    event.election = w->model->clusters[0].elections[0];
    alert_book_take(w->book, &event, 100 * S);
    alert_book_turn(w->book, 100 * S);
    return reported_key;
}

/* Two observers of one change measure other lengths, and one may not know who led before. */
TEST(keys_name_the_change)
{
    struct world w;
    setup(&w);
    struct event first = {.kind = EVENT_LEADER_ELECTED, .czxid = 5, .candidate = "n_2", .from = "n_1"};
    struct event same = first, next = first, other = first, left = first;
    same.from = NULL;
    same.after_us = 7;
    same.at.wall_us = 9;
    next.candidate = "n_3";
    other.czxid = 6; /* another directory, or the next owner of a lock */
    left.kind = EVENT_CANDIDATE_LEFT;
    uint64_t key = key_of(&w, first);
    assert_true(key == key_of(&w, same));
    assert_true(key != key_of(&w, next));
    assert_true(key != key_of(&w, other));
    rule.on[1] = (char[]){"candidate-left"};
    assert_true(key != key_of(&w, left));
    rule.on[1] = elected;
    teardown(&w);
}

TEST(again_while_it_lasts)
{
    struct world w;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader;");
    expect(&w, 700 * S, "");
    expect(&w, 702 * S, "again no-leader;");
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 710 * S);
    expect(&w, 710 * S, "resolved no-leader;");
    expect(&w, 2000 * S, "");
    teardown(&w);
}

/* A finding that is over before it could be told is not told, nor its end. */
TEST(what_is_over_is_not_reported)
{
    struct world w;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 100 * S + 1000);
    expect(&w, 101 * S, "");
    teardown(&w);
}

static int gone(void *context, const struct alert *alert)
{
    (void)alert;
    return *(int *)context;
}

/* After a reload what is open is asked for; what is gone is resolved, and nothing is raised twice. */
TEST(reload)
{
    struct world w;
    int answer = -1;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader;");
    struct settings next = w.settings;
    alert_book_replace(w.book, &next);
    alert_book_confirm(w.book, gone, &answer);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 103 * S);
    expect(&w, 104 * S, "");
    alert_book_replace(w.book, &w.settings);
    answer = 0;
    alert_book_confirm(w.book, gone, &answer);
    expect(&w, 105 * S, "resolved no-leader;");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 200 * S);
    expect(&w, 201 * S, "raised no-watch;");
    next.alert_count = 0; /* the rule is gone, and with it its alerts */
    alert_book_replace(w.book, &next);
    alert_book_confirm(w.book, gone, &answer);
    expect(&w, 202 * S, "");
    teardown(&w);
}

/* Another process goes on with an open alert: it is raised no second time, and resolved. */
TEST(restored_from_text)
{
    struct world w, next;
    int answer = -1;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader;raised no-leader;");
    char *text = alert_book_print(w.book);
    setup(&next);
    alert_book_restore(next.book, text, 500 * S);
    char *again = alert_book_print(next.book);
    assert_string_equal(again, text);
    finding(&next, 0, true, FINDING_NO_LEADER, CERTAIN, 501 * S);
    alert_book_confirm(next.book, gone, &answer);
    expect(&next, 502 * S, "");
    answer = 0; /* the other one is well meanwhile */
    alert_book_confirm(next.book, gone, &answer);
    expect(&next, 503 * S, "resolved no-leader;");
    expect(&next, 1101 * S, "again no-leader;");
    finding(&next, 0, false, FINDING_NO_LEADER, CERTAIN, 1102 * S);
    expect(&next, 1102 * S, "resolved no-leader;");
    teardown(&next);
    teardown(&w);
    free(text);
    free(again);
}

/* What a file holds may be anything; what it quotes, too. */
TEST(damaged_texts)
{
    char odd[] = "a\tb\nc\\d\\te";
    struct world w;
    int answer = 0;
    setup(&w);
    about(&w, true, 7, odd);
    expect(&w, 101 * S, "raised duplicate-session;");
    char *text = alert_book_print(w.book);
    for (size_t length = 0; length <= strlen(text); length++) { /* cut anywhere */
        struct world cut;
        char *part = strndup(text, length), *again;
        setup(&cut);
        alert_book_restore(cut.book, part, 200 * S);
        alert_book_restore(cut.book, "\n0 0 9 9 9\tx\ty\tz\nalert x\n\t\t\n", 200 * S);
        again = alert_book_print(cut.book);
        if (length == strlen(text))
            assert_string_equal(again, text);
        alert_book_confirm(cut.book, gone, &answer);
        assert_true(strcmp(reported, *again ? "resolved duplicate-session;" : "") == 0);
        free(again);
        free(part);
        teardown(&cut);
    }
    free(text);
    teardown(&w);
}

TEST(bounds_hold)
{
    struct world w;
    setup(&w);
    reports = 0;
    for (int i = 0; i < ALERTS_MOST + 5; i++)
        alert_book_take(w.book,
                        &(struct event){.kind = EVENT_LEADER_ELECTED,
                                        .cluster = &w.model->clusters[0],
                                        .election = w.model->clusters[0].elections[(size_t)i % 6],
                                        .candidate = "n_1"},
                        1000 * S);
    assert_int_equal(alert_book_dropped(w.book), 5);
    alert_book_turn(w.book, 1000 * S);
    assert_int_equal(reports, ALERTS_MOST);
    teardown(&w);
}
