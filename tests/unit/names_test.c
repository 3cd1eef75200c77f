#include <stdio.h>
#include <string.h>

#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "tests/support/test.h"
#include "tui/words/names.h"

/* A name is cut to a word and its number; ids say nothing, and the number is never cut. */
TEST(names_are_shortened_to_word_and_number)
{
    static const struct {
        const char *name, *shorter;
    } cases[] = {
        {"n_0000000042", "n_..42"},
        {"_c_6f1b2c3d-9a1e-4b5f-8c7d-0123456789a2-latch-0000000118", "latch-..118"},
        {"0cc05aacf4da41adb7a2c9d8e7f60513__lock__0000000003", "lock__..3"},
        {"candidate-0100002ef3290015_0000000000", "candidate-..0"},
        {"72057795685974034-solr-a:8983_solr-n_0000000001", "n_..1"},
        {"x-0100002ef3290015-0000000002", "x-..2"},
        {"0000000012", "..12"},
        {"n_-2147483648", "n_..-2147483648"},
        {"", ""},
    };
    struct cells *cells = cells_new(10, 1);
    char buffer[64];

    cells->ascii = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(name_of_candidate(cells, cases[i].name, buffer, sizeof buffer), cases[i].shorter);
    cells_free(cells);
}

/* Names of a family differ at the end: a path loses its front, another name its middle, and the end stays. */
TEST(long_names_keep_their_end)
{
    static const struct {
        const char *name;
        int room;
        const char *fitted;
    } cases[] = {
        {"/election", 20, "/election"},
        {"/svc/team-03/service-web-17", 20, "../service-web-17"},
        {"/svc/team-03/service-web-17", 12, "..ice-web-17"},
        {"/a/b/c/d", 6, "../c/d"},
        {"ill: never acknowledged", 14, "ill: n..ledged"},
        {"persistent-1.example:8080", 15, "persiste..:8080"},
        {"payments-api-7d9c5b6f4-x2x9k", 20, "payments-api..-x2x9k"},
        {"payments-api-7d9c5b6f4-x2x9k", 10, "pa..-x2x9k"},
        {"abc", 2, ".."},
        {"", 0, ""},
    };
    struct cells *cells = cells_new(10, 1);
    char buffer[64];

    cells->ascii = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(name_fit(cells, cases[i].name, cases[i].room, buffer, sizeof buffer),
                            cases[i].fitted);
    cells_free(cells);
}

/* Where there is less room still the word gives way, and never the number. */
TEST(tight_names_keep_their_number)
{
    struct cells *cells = cells_new(80, 24);
    char text[64];

    cells->ascii = true;
    static const struct {
        const char *name;
        int room;
        const char *text;
    } rows[] = {
        {"candidate-77_0000000010", 14, "candidate-..10"},
        {"candidate-77_0000000010", 12, "candidat..10"},
        {"candidate-77_0000000010", 3, "..10"},
        {"n_0000000042", 12, "n_0000000042"},
        {"n_0000000042", 11, "n_..42"},
        {"n_0000000000", 6, "n_..0"},
        {"_c_3f2ab1c0-0000-0000-0000-000000000000-latch-0000000007", 10, "latch-..7"},
        {"latch-0000000007", 8, "latch..7"},
        {"overseer", 5, "ov..r"},
        {"x", 12, "x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(name_fit_candidate(cells, rows[i].name, rows[i].room, text, sizeof text),
                            rows[i].text);
    /* A name of any length fits a small buffer. */
    name_fit_candidate(cells, "a-very-long-name-0000000042", 40, text, 12);
    cells_free(cells);
}

/* Shortens a whole set, and compares what is shown of each. */
static void expect(struct names set, int room, const char *shared, const char *const names[][2], size_t count)
{
    struct cells *cells = cells_new(10, 1);
    char text[256];

    cells->ascii = true;
    for (size_t i = 0; i < count; i++)
        names_add(&set, names[i][0]);
    names_fit(&set, cells, room);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(names_shown(&set, names[i][0]), names[i][1]);
    assert_string_equal(names_shared(&set, cells, text, sizeof text), shared);
    names_free(&set);
    cells_free(cells);
}

/* All are shown, and differ. */
static void expect_distinct(struct names set, int room, const char *const *names, size_t count)
{
    struct cells *cells = cells_new(10, 1);

    for (size_t i = 0; i < count; i++)
        names_add(&set, names[i]);
    names_fit(&set, cells, room);
    assert_int_equal(set.alike, 0);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(cells_width(cells, names_shown(&set, names[i])), 1, (unsigned)room);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(names_shown(&set, names[i]), names_shown(&set, names[j]));
    }
    names_free(&set);
    cells_free(cells);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What all share is dropped, and told once; with room for all, nothing is. */
TEST(names_of_one_deployment_lose_what_they_share)
{
    static const char *const pods[][2] = {
        {"payments-scheduler-7d9f8b6c54-x2x7q", "..x2x7q"},
        {"payments-scheduler-7d9f8b6c54-k8s2p", "..k8s2p"},
        {"payments-scheduler-7d9f8b6c54-m4n9z", "..m4n9z"},
    };
    static const char *const whole[][2] = {{"payments-7d9f8b6c54-x2x7q", "payments-7d9f8b6c54-x2x7q"},
                                           {"payments-7d9f8b6c54-k8s2p", "payments-7d9f8b6c54-k8s2p"}};
    static const char *const overseers[][2] = {
        {"/solr-eu-west/overseer_elect/election", "/solr-eu-west.."},
        {"/solr-us-east/overseer_elect/election", "/solr-us-east.."},
    };

    expect((struct names){0}, 20, "payments-scheduler-7d9f8b6c54-..", pods, COUNT(pods));
    expect((struct names){.candidates = true}, 9, "payments-scheduler-7d9f8b6c54-..", pods, COUNT(pods));
    expect((struct names){0}, 25, "", whole, COUNT(whole));
    expect((struct names){0}, 20, "../overseer_elect/election", overseers, COUNT(overseers));
}

/* Of names that share nothing with the others, the part in which two differ is kept: a whole word, or the
   middle. Nothing is dropped where no heading could tell it. */
TEST(names_keep_what_tells_them_apart)
{
    static const char *const paths[][2] = {
        {"/solr-eu-west/overseer_elect/election", "/solr-eu-west..ection"},
        {"/solr-us-east/overseer_elect/election", "/solr-us-east..ection"},
        {"/a", "/a"},
    };
    static const char *const ill[][2] = {
        {"/ill/never-acknowledged/overseer_elect/election", "/ill/nev../election"},
        {"/ill/stale-acknowledgement/overseer_elect/election", "/ill/sta../election"},
        {"/ill/herd", "/ill/herd"},
        {"/payments/leader", "/payments/leader"},
        {"/search/_election_", "/search/_election_"},
    };
    static const char *const middles[][2] = {
        {"billing leader of the tenant, blue stage1", NULL},
        {"billing leader of the client, blue stage1", NULL},
        {"other", "other"},
    };
    static const char *const kept[][2] = {
        {"payments-scheduler-7d9f8b6c54-x2x7q", "payments..-x2x7q"},
        {"payments-scheduler-7d9f8b6c54-k8s2p", "payments..-k8s2p"},
    };
    struct names set = {0};
    struct cells *cells = cells_new(10, 1);
    char text[64];

    expect((struct names){0}, 21, "", paths, COUNT(paths));
    expect((struct names){0}, 19, "", ill, COUNT(ill));
    expect((struct names){.keep_shared = true}, 16, "", kept, COUNT(kept));
    assert_string_equal(name_fit(cells, "/t/fo\u0e34o\u0e34o\u0e34o\u0e34bar", 6, text, sizeof text),
                        "…o\u0e34o\u0e34bar"); /* a letter keeps its marks */
    cells->ascii = true;
    assert_string_equal(name_fit(cells, "/te/le\u0301lection", 14, text, sizeof text), "..lection");
    for (size_t i = 0; i < COUNT(middles); i++)
        names_add(&set, middles[i][0]);
    for (int room = 6; room < 42; room++) {
        names_fit(&set, cells, room);
        assert_string_not_equal(names_shown(&set, middles[0][0]), names_shown(&set, middles[1][0]));
        assert_in_range(cells_width(cells, names_shown(&set, middles[0][0])), 1, (unsigned)room);
    }
    names_free(&set);
    cells_free(cells);
}

/* Of two common parts one stays where there is room, and so does what the heading has no room for. */
TEST(common_parts_stay_where_there_is_room)
{
    static const char *const servers[][2] = {{"app-2.example:8080", "..2.example:8080"},
                                             {"app-1.example:8080", "..1.example:8080"}};
    static const char *const tight[][2] = {{"app-2.example:8080", "..2.."}, {"app-1.example:8080", "..1.."}};
    static const char *const pods[][2] = {{"billing-deaf-5d4c3b2a10-x2x7q", "..5d4c3b2a10-x2x7q"},
                                          {"billing-deaf-5d4c3b2a10-q1w2e", "..5d4c3b2a10-q1w2e"}};
    static const char *const canary[][2] = {{"payments-7d9c5b6f4-x2x9k", "payments..-x2x9k"},
                                            {"payments-canary-5d4c3b2a10-k8s2p", "..canary..-k8s2p"}};

    expect((struct names){0}, 17, "app-..", servers, COUNT(servers));
    expect((struct names){0}, 5, "app-...example:8080", tight, COUNT(tight));
    expect((struct names){.heading_room = 16}, 20, "billing-deaf-5d4c3b2a10-..", pods, COUNT(pods));
    expect((struct names){.heading_room = 7}, 16, "payments-..", canary, COUNT(canary));
}

/* Candidates of several elections keep their short form: each has its election beside it. */
TEST(candidates_of_several_elections_have_one_form)
{
    static const char *const names[][2] = {
        {"_c_80aa6fcc-9a1e-4b5f-8c7d-0123456789a2-latch-0000000002", "latch-..2"},
        {"_c_d1f4c001-9a1e-4b5f-8c7d-0123456789a2-latch-0000000002", "latch-..2"},
        {"_c_d1f4c001-9a1e-4b5f-8c7d-0123456789a2-latch-0000000003", "latch-..3"},
    };

    expect((struct names){.candidates = true, .own_elections = true}, 12, "", names, COUNT(names));
}

/* An election is told from all that are watched, also from those that are not shown. */
TEST(elections_are_told_from_all_that_are_watched)
{
    static const char *const paths[] = {"/solr/overseer_elect/election", "/ill/mute/overseer_elect/election",
                                        "/app/leader"};
    struct election elections[3] = {0}, *all[] = {&elections[0], &elections[1], &elections[2]};
    struct cluster cluster = {.elections = all, .election_count = COUNT(all)};
    const struct model model = {.clusters = &cluster, .cluster_count = 1};
    struct cells *cells = cells_new(10, 1);

    cells->ascii = true;
    for (size_t i = 0; i < COUNT(paths); i++)
        elections[i].name = (char *)(uintptr_t)paths[i];
    for (size_t i = 0; i < COUNT(paths); i++)
        for (int room = 12; room < 30; room++) {
            struct names set = {.keep_shared = true, .among = &model};

            names_add(&set, paths[i]);
            names_fit(&set, cells, room);
            assert_string_not_equal(names_shown(&set, paths[i]), "../overseer_elect/election");
            assert_string_not_equal(names_shown(&set, paths[i]), "../election");
            names_free(&set);
        }
    cells_free(cells);
}

/* A part of the middle that another election has as well says nothing. */
TEST(no_shown_part_is_of_another_election)
{
    static const char *const paths[] = {
        "/k8s/prod-eu-west-1/payments-api/leader", "/k8s/prod-eu-west-1/payments-worker/leader", "/1/a",
        "/k8s/prod-us-east-1/payments-api/leader", "/k8s/prod-us-east-1/payments-worker/leader"};
    struct election elections[COUNT(paths)] = {{0}}, *all[COUNT(paths)];
    struct cluster cluster = {.elections = all, .election_count = COUNT(paths)};
    const struct model model = {.clusters = &cluster, .cluster_count = 1};
    struct cells *cells = cells_new(10, 1);
    char part[100];

    cells->ascii = true;
    for (size_t i = 0; i < COUNT(paths); i++) {
        all[i] = &elections[i];
        elections[i].name = (char *)(uintptr_t)paths[i];
    }
    for (int room = 14; room < 40; room++) {
        struct names set = {.keep_shared = true, .among = &model};

        for (size_t i = 0; i < 3; i++)
            names_add(&set, paths[i]);
        names_fit(&set, cells, room);
        const char *shown = names_shown(&set, paths[0]), *last = strstr(shown + 2, "..");
        bool window = strncmp(shown, "..", 2) == 0 && last != NULL && last[2] == '\0';
        for (size_t i = 1; window && set.alike == 0 && i < COUNT(paths); i++) {
            snprintf(part, sizeof part, "%.*s", (int)(last - shown) - 2, shown + 2);
            assert_null(strstr(paths[i], part));
        }
        names_free(&set);
    }
    cells_free(cells);
}

/* Paths that differ in two components keep what differs of both, cut alike in every row; what the components at
   one place share is dropped, and a path is told from all that are watched. */
TEST(paths_keep_every_component_that_differs)
{
    static const char *const services[] = {"payments-api", "payments-api-canary", "ledger",
                                           "billing-leader-election", "notification-dispatcher-eu"};
    static const char *const few[][2] = {
        {"/namespaces/tenant-07919-stage/services/ledger/leader", "..07919-stage/../ledger/.."},
        {"/namespaces/tenant-07919-stage/services/payments-api/leader", "../payments-api/.."},
        {"/namespaces/tenant-15838-prod/services/ledger/leader", "..15838-prod/../ledger/.."},
    };
    enum { MANY = 1000, SHOWN = 40 };
    static char all[MANY][96];
    static struct election elections[MANY], *watched[MANY];
    struct cluster cluster = {.elections = watched, .election_count = MANY};
    const struct model model = {.clusters = &cluster, .cluster_count = 1};
    struct cells *cells = cells_new(10, 1);

    static const char *const words[] = {
        "nnnnnnnnnnn-aaaaaaaaaaaa-same-middle-part-of-the-name-xxxxxxxxxxxx",
        "nnnnnnnnnnn-aaaaaaaaaaaa-same-middle-part-of-the-name-yyyyyyyyyyyy",
        "nnnnnnnnnnn-bbbbbbbbbbbb-same-middle-part-of-the-name-xxxxxxxxxxxx",
        "nnnnnnnnnnn-bbbbbbbbbbbb-same-middle-part-of-the-name-yyyyyyyyyyyy",
    };

    for (int room = 14; room < 60; room++)
        expect_distinct((struct names){.keep_shared = room % 2}, room, words, COUNT(words));
    expect((struct names){.keep_shared = true}, 30, "", few, COUNT(few));
    for (size_t i = 0; i < MANY; i++) {
        snprintf(all[i], sizeof all[i], "/namespaces/tenant-%05zu-%s/services/%s/leader",
                 i / 5 * 7919 % 100000, i / 5 % 2 ? "stage" : "prod", services[i % 5]);
        elections[i].name = all[i];
        watched[i] = &elections[i];
    }
    for (int room = 20; room < 60; room += 3)
        for (size_t from = 0; from < MANY; from += 7 * SHOWN) {
            struct names set = {.keep_shared = true, .among = &model};

            for (size_t i = from; i < from + SHOWN; i++)
                names_add(&set, all[i * 37 % MANY]);
            names_fit(&set, cells, room);
            assert_int_equal(set.alike, 0);
            for (size_t i = 0; i < set.count; i++) {
                assert_in_range(cells_width(cells, set.shown[i]), 1, (unsigned)room);
                for (size_t j = 0; j < i; j++)
                    assert_string_not_equal(set.shown[i], set.shown[j]);
            }
            names_free(&set);
        }
    cells_free(cells);
}

/* Of an election the component that no other has is shown whole, and signs stand for the others: parts of each would
   not say which it is. */
TEST(the_rarest_component_is_whole)
{
    static const char *const services[][2] = {
        {"/payments/payments-api/leader", "../payments-api/.."},
        {"/payments/payments-worker/leader", "../payments-worker/.."},
        {"/billing/ledger/leader", "/billing/ledger/.."},
        {"/billing/query/election", "../query/election"},
    };

    static const char *const leaders[][2] = {
        {"/payments/payments-api/leader", "../payments-api/.."},
        {"/search/query/leader", "/search/query/leader"}, /* it has room */
        {"/billing/ledger/leader", "/billing/ledger/.."},
    };

    expect((struct names){.keep_shared = true}, 21, "", services, COUNT(services));
    expect((struct names){.keep_shared = true}, 21, "", leaders, COUNT(leaders));
}

/* The same of three components, at every width that has room for a few letters of each. */
TEST(three_components_are_told_apart)
{
    static const char *const regions[] = {"eu-central-1", "eu-west-1", "us-east-1", "ap-south-1"},
                             *const services[] = {"checkout", "checkout-api", "cart", "search-index",
                                                  "inventory-sync-worker"},
                             *const colours[] = {"blue", "green"};
    static char all[40][96];
    const char *names[40] = {NULL};

    for (size_t i = 0; i < COUNT(all); i++) {
        snprintf(all[i], sizeof all[i], "/platform/%s/services/%s/%s/leader-election", regions[i % 4],
                 services[i / 4 % 5], colours[i / 20]);
        names[i] = all[i];
    }
    for (int room = 20; room < 60; room++)
        expect_distinct((struct names){.keep_shared = room % 2}, room, names, COUNT(all));
}

/* Words in which names differ are shown; a window that begins elsewhere in each would say nothing. */
TEST(words_that_differ_are_shown)
{
    static const char *const colours[] = {"amber", "blue", "red"}, *const pods[] = {"x2k9q", "7hmzd",
                                                                                    "q4r8w"};
    struct names set = {0};
    struct cells *cells = cells_new(10, 1);
    char all[9][60], wanted[40];

    for (int i = 0; i < 9; i++) {
        snprintf(all[i], sizeof all[i], "billing-leader-%s-deployment-5c7d8f9b6d-%s", colours[i / 3],
                 pods[i % 3]);
        names_add(&set, all[i]);
    }
    names_add(&set, "scheduler");
    names_fit(&set, cells, 15);
    for (int i = 0; i < 9; i++) {
        snprintf(wanted, sizeof wanted, "\u2026-%s-\u2026-%s", colours[i / 3], pods[i % 3]);
        assert_string_equal(names_shown(&set, all[i]), wanted);
    }
    names_free(&set);
    cells_free(cells);
}

/* What a short one of two leaves is the other's. */
TEST(a_pair_shares_its_room)
{
    struct cells *cells = cells_new(80, 1);
    int used =
        names_put_pair(cells, NULL, 0, 0, 58, "never-acknowledged n_0 critical, suspected", "certain now");

    assert_true(used > 54 && used <= 58);
    used = names_put_pair(cells, NULL, 0, 0, 58, "none yet",
                          "payments-worker-7d9f8b6c54-x2k9q.eu-west-1.compute");
    assert_true(used > 54 && used <= 58);
    cells_free(cells);
}

/* No two of many names look the same, whatever tells them apart: an end, the middle, wide characters, marks,
   escapes; and what is shown has room. */
TEST(no_two_names_look_the_same)
{
    enum { MANY = 300 };
    static char all[MANY][1100];
    struct names set = {0};
    struct cells *cells = cells_new(10, 1);

    for (int i = 0; i < MANY; i++) {
        int at = 0;
        switch (i % 5) {
        case 0:
            at = snprintf(all[i], sizeof all[i], "team-%d/payments-scheduler-7d9f8b6c54-x2x7q", i);
            break;
        case 1:
            at = snprintf(all[i], sizeof all[i], "payments-scheduler-7d9f8b6c54-x2x7q-%d", i);
            break;
        case 2:
            memset(all[i], 'a', 1000);
            snprintf(all[i] + 200, 8, "<%d>", i);
            all[i][strlen(all[i])] = 'a';
            break;
        case 3:
            at = snprintf(all[i], sizeof all[i], "東京ホスト東京ホスト-%d-東京ホスト東京ホスト", i);
            break;
        case 4:
            at = snprintf(all[i], sizeof all[i],
                          "cafe\xcc\x81\xe2\x80\xae-long-name-%d\x1b[31m-and-its-end\n", i);
            break;
        }
        assert_true(at < (int)sizeof all[i]);
        names_add(&set, all[i]);
    }
    for (int room = 12; room < 60; room += 8) {
        names_fit(&set, cells, room);
        for (int i = 0; i < MANY; i++) {
            assert_in_range(cells_width(cells, names_shown(&set, all[i])), 1, (unsigned)room);
            for (int j = 0; j < i; j++)
                if (strcmp(names_shown(&set, all[i]), names_shown(&set, all[j])) == 0)
                    fail_msg("room %d: %s and %s are both %s", room, all[i], all[j],
                             names_shown(&set, all[i]));
        }
    }
    names_free(&set);
    cells_free(cells);
}
