/* When alerts are raised, joined, repeated, held back and resolved, on a clock of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/alert/alert_book.h"
#include "tests/support/scripted.h"

#define S INT64_C(1000000)

static char severe[] = "severity>=error", elected[] = "leader-elected", program[] = "/bin/true";
static char *on_any[] = {severe, elected, NULL}, *run[] = {program, NULL};
static struct alert_settings rule = {
    .on = on_any, .run = run, .timeout_ms = 1000, .again_after_ms = 600000, .cool_down_ms = 60000};
static char reported[4096];

static void report(void *context, const struct alert *alert, enum alert_state state)
{
    size_t length = strlen(reported);
    (void)context;
    snprintf(reported + length, sizeof reported - length, "%s %s %zu;", alert_state_word(state), alert->code,
             alert->member_count);
}

struct world {
    struct settings settings;
    struct model *model;
    struct alert_book *book;
};

static void setup(struct world *w)
{
    *reported = '\0';
    w->settings = *scripted_settings();
    w->settings.alerts = &rule;
    w->settings.alert_count = 1;
    w->model = scripted_world();
    w->book = alert_book_new(&w->settings, report, NULL);
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

/* What comes within a moment is one; what follows joins it; the last to be well resolves it. */
static void one_cause_is_one_alert(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 100 * S + 15000);
    expect(&w, 100 * S + 19999, "");
    expect(&w, 100 * S + 20000, "raised no-leader 2;");
    finding(&w, 2, true, FINDING_NO_LEADER, CERTAIN, 103 * S);
    expect(&w, 104 * S, "");
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 110 * S);
    finding(&w, 1, false, FINDING_NO_LEADER, CERTAIN, 111 * S);
    expect(&w, 111 * S, "");
    finding(&w, 2, false, FINDING_NO_LEADER, CERTAIN, 112 * S);
    expect(&w, 112 * S, "resolved no-leader 3;");
    assert_int_equal(alert_book_open(w.book), 0);
    teardown(&w);
}

static void take_failover(struct world *w, const struct failover *failover, const char *evidence,
                          char key[ALERT_KEY_SIZE])
{
    alert_book_take(w->book,
                    &(struct event){.kind = EVENT_FAILOVER,
                                    .cluster = &w->model->clusters[0],
                                    .election = w->model->clusters[0].elections[0],
                                    .candidate = failover->to,
                                    .from = failover->from,
                                    .failover = failover},
                    100 * S);
    const struct alert *alert = alert_book_at(w->book, 0);
    assert_string_equal(alert->members[0].evidence, evidence);
    snprintf(key, ALERT_KEY_SIZE, "%s", alert->key);
    alert_book_forget(w->book, NULL);
    alert_book_replace(w->book, &w->settings); /* no cool-down from it */
}

/* The sentence has what is known; two recorders, which measure other lengths, have the same key. */
static void a_failover_is_reported_with_its_facts(void **state)
{
    char from[] = "n_1", host[] = "host-a:1", to[] = "n_2", silent[] = "silent 9.6 s",
         keys[2][ALERT_KEY_SIZE];
    char word[] = "failover", *on_it[] = {word, NULL};
    struct alert_settings own = rule;
    struct world w;
    (void)state;
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
        "vacancy 0.412 ms, total at most 9.8 s",
        keys[0]);
    failover = (struct failover){.to = to,
                                 .detection = SPAN_UNKNOWN,
                                 .vacancy = {5000, SPAN_OPEN},
                                 .takeover = {0, 3000},
                                 .total = SPAN_UNKNOWN};
    take_failover(&w, &failover,
                  "n_2 leads, after a time without a leader; the cause is not known; vacancy at least 5 ms, "
                  "takeover at most 3 ms",
                  keys[1]);
    assert_string_equal(keys[0], keys[1]);
    teardown(&w);
}

/* Another cause, and the same one long after, are alerts of their own. */
static void other_causes_are_others(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader 1;raised no-watch 1;");
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 110 * S);
    expect(&w, 111 * S, "raised no-leader 1;");
    teardown(&w);
}

static void only_certain_ones(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAINTY_SUSPECTED, 100 * S);
    expect(&w, 101 * S, "");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 102 * S); /* it became certain */
    expect(&w, 103 * S, "raised no-watch 1;");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 104 * S); /* more severe: no second alert */
    expect(&w, 105 * S, "");
    teardown(&w);
    rule.suspected = true;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAINTY_SUSPECTED, 100 * S);
    expect(&w, 101 * S, "raised no-watch 1;");
    teardown(&w);
    rule.suspected = false;
}

/* While it goes on it is repeated; where it comes back at once it waits for its cool-down. */
static void again_and_cool_down(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader 1;");
    expect(&w, 700 * S, "");
    expect(&w, 702 * S, "again no-leader 1;");
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 710 * S);
    expect(&w, 710 * S, "resolved no-leader 1;");
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 720 * S);
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 720 * S); /* which was well: at once */
    expect(&w, 721 * S, "raised no-leader 1;");
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 730 * S);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 740 * S);
    expect(&w, 769 * S, "");
    expect(&w, 771 * S, "raised no-leader 1;");
    teardown(&w);
}

/* A finding that is over before it could be told is not told, nor its end. */
static void what_is_over_is_not_reported(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 0, false, FINDING_NO_LEADER, CERTAIN, 100 * S + 1000);
    expect(&w, 101 * S, "");
    teardown(&w);
}

static int gone(void *context, const char *cluster, const char *election, const char *code)
{
    (void)cluster;
    (void)election;
    (void)code;
    return *(int *)context;
}

/* After a reload what is open is asked for; what is gone is resolved, and nothing is raised twice. */
static void reload(void **state)
{
    struct world w;
    int answer = -1;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader 1;");
    struct settings next = w.settings;
    alert_book_replace(w.book, &next);
    alert_book_confirm(w.book, gone, &answer, 102 * S);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 103 * S);
    expect(&w, 104 * S, "");
    alert_book_replace(w.book, &w.settings);
    answer = 0;
    alert_book_confirm(w.book, gone, &answer, 105 * S);
    expect(&w, 105 * S, "resolved no-leader 1;");
    finding(&w, 0, true, FINDING_NO_WATCH, CERTAIN, 200 * S);
    expect(&w, 201 * S, "raised no-watch 1;");
    next.alert_count = 0; /* the rule is gone, and with it its alerts */
    alert_book_replace(w.book, &next);
    assert_int_equal(alert_book_open(w.book), 0);
    teardown(&w);
}

/* Another process goes on with an open alert: it is raised no second time, and resolved. */
static void restored_from_text(void **state)
{
    struct world w, next;
    int answer = -1;
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    finding(&w, 1, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    expect(&w, 101 * S, "raised no-leader 2;");
    const struct alert *alert = alert_book_at(w.book, 0);
    char *text = alert_print(w.book, alert), key[ALERT_KEY_SIZE];
    memcpy(key, alert->key, sizeof key);
    assert_non_null(text);
    setup(&next);
    alert = alert_book_restore(next.book, key, text, 500 * S, 1000 * S);
    assert_non_null(alert);
    assert_string_equal(alert->code, "no-leader");
    assert_int_equal(alert->member_count, 2);
    assert_int_equal(alert->members[1].severity, SEVERITY_CRITICAL);
    assert_null(alert_book_restore(next.book, key, text, 500 * S, 1000 * S)); /* it is open already */
    finding(&next, 0, true, FINDING_NO_LEADER, CERTAIN, 501 * S);
    alert_book_confirm(next.book, gone, &answer, 502 * S);
    expect(&next, 502 * S, "");
    answer = 0; /* the other one is well meanwhile */
    alert_book_confirm(next.book, gone, &answer, 503 * S);
    expect(&next, 503 * S, "");
    finding(&next, 0, false, FINDING_NO_LEADER, CERTAIN, 504 * S);
    expect(&next, 504 * S, "resolved no-leader 2;");
    teardown(&next);
    teardown(&w);
    free(text);
}

/* What a file or a znode holds may be anything; what it quotes, too. */
static void damaged_texts(void **state)
{
    struct world w;
    char key[] = "0123456789abcdef";
    (void)state;
    setup(&w);
    finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S);
    alert_book_turn(w.book, 101 * S);
    char *text = alert_print(w.book, alert_book_at(w.book, 0));
    assert_non_null(text);
    for (size_t length = 0; length < strlen(text); length++) { /* cut anywhere */
        char *part = strndup(text, length);
        const struct alert *alert = alert_book_restore(w.book, key, part, 200 * S, 200 * S);
        if (alert) {
            assert_int_equal(alert->member_count, 1);
            alert_book_forget(w.book, alert);
        }
        free(part);
    }
    free(text);
    static const char *const wrong[] = {
        "",
        "\n",
        "rule x\n",
        "election /a\n",
        "facts 1 1 1\n",
        "rule severity>=error,leader-elected,0\ncluster c\ncode no-leader\nfacts 9 9 9\n",
        "rule other,0\ncluster c\ncode no-leader\nelection /a\nfacts 1 1 1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(alert_book_restore(w.book, key, wrong[i], 200 * S, 200 * S));
    const struct alert *odd = alert_book_restore(w.book, key,
                                                 "rule severity>=error,leader-elected,0\ncluster c\ncode "
                                                 "no-leader\nelection /a\\nb\\\\\nfacts 99 99 x\n",
                                                 200 * S, 200 * S);
    assert_non_null(odd);
    assert_string_equal(odd->members[0].election, "/a\nb\\");
    assert_null(alert_book_restore(w.book, "a key that is far too long", "rule", 200 * S, 200 * S));
    teardown(&w);
}

static void bounds_hold(void **state)
{
    struct world w;
    (void)state;
    setup(&w);
    for (int i = 0; i < ALERTS_MOST + 5; i++)
        finding(&w, 0, true, FINDING_NO_LEADER, CERTAIN, 100 * S), /* the same one: no second alert */
            alert_book_take(w.book,
                            &(struct event){.kind = EVENT_LEADER_ELECTED,
                                            .cluster = &w.model->clusters[0],
                                            .election = w.model->clusters[0].elections[(size_t)i % 6],
                                            .candidate = "n_1"},
                            (1000 + i * 100) * S);
    assert_true(alert_book_open(w.book) <= ALERTS_MOST);
    assert_true(alert_book_dropped(w.book) >= 5);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cause_is_one_alert),
        cmocka_unit_test(a_failover_is_reported_with_its_facts),
        cmocka_unit_test(other_causes_are_others),
        cmocka_unit_test(only_certain_ones),
        cmocka_unit_test(again_and_cool_down),
        cmocka_unit_test(what_is_over_is_not_reported),
        cmocka_unit_test(reload),
        cmocka_unit_test(restored_from_text),
        cmocka_unit_test(damaged_texts),
        cmocka_unit_test(bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
