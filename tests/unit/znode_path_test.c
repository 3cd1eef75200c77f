/* Proves that paths are judged by ZooKeeper's own rules, and that patterns match whole components only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/znode_path.h"
#include "tests/support/test.h"

/* Every rule of PathUtils.validatePath has its own refusal; what ZooKeeper takes is taken. */
TEST(paths_are_judged)
{
    static const char refused[] = "contains a character that ZooKeeper refuses in paths; leave it out";
    static const char dots[] =
        "contains a component . or .., which ZooKeeper refuses; write the path without it";
    static const struct {
        const char *path, *problem; /* NULL: good */
    } table[] = {
        {"/", NULL},
        {"/election", NULL},
        {"/a/b c/n_0000000001", NULL},
        {"/.hidden/..x/...", NULL},
        {"/\xc3\xa4/\xe6\x97\xa5", NULL},
        {"/teams/*/leader", NULL},
        {"/teams/*/*/a**", NULL},
        {"/teams/**/leader", "contains a component **; * matches one level: write one for each"},
        {"/**", "contains a component **; * matches one level: write one for each"},
        {"", "is empty; write a path such as /election"},
        {"election", "does not begin with a slash; write the full path, such as /election"},
        {"./election", "does not begin with a slash; write the full path, such as /election"},
        {"/election/", "ends in a slash; leave it out"},
        {"//", "ends in a slash; leave it out"},
        {"/a//b", "contains two slashes in a row; write one"},
        {"//a", "contains two slashes in a row; write one"},
        {"/a/../b", dots},
        {"/a/..", dots},
        {"/.", dots},
        {"/a/./b", dots},
        {"/a\x01", refused},
        {"/a\n", refused},
        {"/a\x7f", refused},
        {"/a\xc2\x85", refused},         /* U+0085 */
        {"/a\xee\x80\x80", refused},     /* U+E000 */
        {"/a\xef\xbf\xb0", refused},     /* U+FFF0 */
        {"/a\xf0\x9f\x98\x80", refused}, /* U+1F600: surrogates to Java */
        {"/a\xff", "is not UTF-8; ZooKeeper's paths are"},
        {"/a\xed\xa0\x80", "is not UTF-8; ZooKeeper's paths are"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *problem = znode_path_problem(table[i].path);
        if (table[i].problem) {
            assert_non_null(problem);
            assert_string_equal(problem, table[i].problem);
        } else {
            assert_null(problem);
        }
    }
}

/* One component, as a server lists it: wildcards are only characters there. */
TEST(names_are_judged)
{
    static const char *const good[] = {"a", "**", "...", ".a", "n_0000000001", "\xe6\x97\xa5"};
    static const char *const bad[] = {
        "", ".", "..", "a/b", "a\x01", "\x7f", "\xc2\x85", "\xef\xbf\xbd", "\xf0\x9f\x98\x80", "\xff"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(znode_name_is_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(znode_name_is_valid(bad[i]));
}

/* The length is bounded, exactly. */
TEST(long_paths_are_refused)
{
    static char path[ZNODE_PATH_MAX + 2];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    assert_string_equal(znode_path_problem(path), "is longer than 4096 bytes; write a shorter path");
    path[ZNODE_PATH_MAX] = '\0';
    assert_null(znode_path_problem(path));
}

/* Wildcards stay inside their component; a star may be empty, a question mark is one character. */
TEST(patterns_match)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } table[] = {
        {"/teams/*/leader", "/teams/a/leader", true},
        {"/teams/*/leader", "/teams/a/b/leader", false},
        {"/teams/*/leader", "/teams/leader", false},
        {"/teams/*/leader", "/teams/a/leader/x", false},
        {"/teams/*/leader", "/teams/a/leade", false},
        {"/teams/x-*", "/teams/x-", true},
        {"/teams/x-*", "/teams/y-1", false},
        {"/*", "/a", true},
        {"/*", "/a/b", false},
        {"/*", "/", true},
        {"/a*b*c", "/aXbYbZc", true},
        {"/a*b*c", "/aXbYbZ", false},
        {"/a*/b", "/a/c/b", false},
        {"/*/*", "/a/b", true},
        {"/*/*", "/a", false},
        {"/n_?", "/n_1", true},
        {"/n_?", "/n_\xc3\xa4", true},
        {"/n_?", "/n_", false},
        {"/n_?", "/n_12", false},
        {"/a?b", "/a/b", false},
        {"/plain", "/plain", true},
        {"/plain", "/plainer", false},
        {"/*a", "/aaaab", false},
        {"/*\xc3\xa4", "/x\xc3\xa4", true},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (znode_pattern_match(table[i].pattern, table[i].path) != table[i].matches)
            fail_msg("%s against %s", table[i].pattern, table[i].path);
    }
    assert_true(znode_is_pattern("/a/*"));
    assert_true(znode_is_pattern("/a/?"));
    assert_false(znode_is_pattern("/a/b"));
}

/* Matching many stars against a long name stays cheap (this would take years if it tried every choice). */
TEST(patterns_are_not_exponential)
{
    char path[4000];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    assert_false(znode_pattern_match("/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path));
}

/* A chroot goes in front; the chroot's own root is the chroot. */
TEST(chroots_are_joined)
{
    static const char *const table[][3] = {
        {"", "/", "/"}, {"", "/a", "/a"}, {"/c", "/", "/c"}, {"/c/d", "/a", "/c/d/a"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char *joined = znode_path_join(table[i][0], table[i][1]);
        assert_string_equal(joined, table[i][2]);
        free(joined);
    }
}

/* Whoever has twelve shards finds the second behind the first; and each pair has one order, both ways. */
TEST(numbers_are_ordered_by_value)
{
    static const char *const ordered[] = {"",
                                          "/",
                                          "/a",
                                          "/a-1",
                                          "/a-02",
                                          "/a-2",
                                          "/a-2-1",
                                          "/a-2/b",
                                          "/a-9",
                                          "/a-10",
                                          "/a-10/b9",
                                          "/a-010/b10",
                                          "/a-10/b10",
                                          "/a-99999999999999999998",
                                          "/a-99999999999999999999",
                                          "/a/1",
                                          "/b",
                                          "/b0",
                                          "/b00",
                                          "/b1x",
                                          "/b1y"};
    size_t count = sizeof ordered / sizeof ordered[0];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            int order = znode_path_compare(ordered[i], ordered[k]);
            if (i < k ? order >= 0 : i == k ? order != 0 : order <= 0)
                fail_msg("%s and %s: %d", ordered[i], ordered[k], order);
        }
}
