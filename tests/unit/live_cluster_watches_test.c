/* Who is told of which notification, also when the telling changes who waits. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/watch/live_cluster.h"
#include "tests/support/test.h"

struct waiter {
    struct watch_entry entry;
    struct watch_map *map;
    int reported;
    struct waiter *removes; /* when told */
    const char *moves_to;
};

static void on_notice(void *context, enum session_notice notice)
{
    struct waiter *w = context;
    assert_int_equal(notice, NOTICE_DELETED);
    w->reported++;
    if (w->removes)
        watch_map_remove(w->map, &w->removes->entry);
    if (w->moves_to)
        watch_map_put(w->map, &w->entry, w->moves_to);
}

static struct waiter waiter(struct watch_map *map)
{
    return (struct waiter){.entry = {.notice = on_notice}, .map = map};
}

/* Everybody at a path is told once, and nobody at another. */
TEST(reports_all_of_one_path)
{
    struct watch_map map = {0};
    watch_map_notify(&map, NOTICE_DELETED, "/a");
    struct waiter a = waiter(&map), b = waiter(&map), c = waiter(&map);
    a.entry.context = &a, b.entry.context = &b, c.entry.context = &c;
    watch_map_put(&map, &a.entry, "/a");
    watch_map_put(&map, &b.entry, "/a");
    watch_map_put(&map, &c.entry, "/a/b");
    watch_map_notify(&map, NOTICE_DELETED, "/a");
    assert_int_equal(a.reported, 1);
    assert_int_equal(b.reported, 1);
    assert_int_equal(c.reported, 0);
    watch_map_clear(&map);
    assert_null(a.entry.path);
}

/* A handler that removes another, or goes elsewhere itself, leaves the rest told, and nobody twice. */
TEST(may_change_while_reporting)
{
    struct watch_map map = {0};
    struct waiter all[3];
    for (size_t i = 0; i < 3; i++) {
        all[i] = waiter(&map);
        all[i].entry.context = &all[i];
        watch_map_put(&map, &all[i].entry, "/x");
    }
    all[2].removes = &all[1]; /* the latest is told first */
    all[0].moves_to = "/y";
    watch_map_notify(&map, NOTICE_DELETED, "/x");
    assert_int_equal(all[2].reported, 1);
    assert_int_equal(all[1].reported, 0);
    assert_int_equal(all[0].reported, 1);
    assert_string_equal(all[0].entry.path, "/y");
    all[2].removes = NULL;
    watch_map_notify(&map, NOTICE_DELETED, "/y");
    assert_int_equal(all[0].reported, 2);
    watch_map_clear(&map);
}

/* Growth keeps every entry findable. */
TEST(grows)
{
    enum { MANY = 5000 };
    struct watch_map map = {0};
    struct waiter *all = calloc(MANY, sizeof *all);
    assert_non_null(all);
    char path[32];
    for (size_t i = 0; i < MANY; i++) {
        all[i] = waiter(&map);
        all[i].entry.context = &all[i];
        snprintf(path, sizeof path, "/e/%zu", i);
        watch_map_put(&map, &all[i].entry, path);
    }
    for (size_t i = 0; i < MANY; i += 2)
        watch_map_remove(&map, &all[i].entry);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/e/%zu", i);
        watch_map_notify(&map, NOTICE_DELETED, path);
        assert_int_equal(all[i].reported, i % 2);
    }
    assert_int_equal(map.by_path.count, MANY / 2);
    watch_map_clear(&map);
    free(all);
}
