/* Two ACLs are one or not, and what is told of them gives no password away. */
#include <stdlib.h>
#include <string.h>

#include "probe/inject/acl.h"
#include "tests/support/test.h"

#define ALL 31
#define HASH "tpUq/4Pn5A64fVZyQ0gOJ8ZWqkY="
#define OTHER_HASH "V2FzIGl0IGEgZGlnZXN0PyB5ZXMu"

static struct acl acl_of(const struct acl_entry *entries, size_t count)
{
    return (struct acl){.entries = entries, .count = count};
}

/* Order is of no account; permissions, schemes, users, passwords, and how often each stands there are. */
TEST(the_same_people_may_do_the_same)
{
    const struct acl_entry one[] = {{ALL, "digest", "app:" HASH}, {1, "world", "anyone"}},
                           turned[] = {{1, "world", "anyone"}, {ALL, "digest", "app:" HASH}},
                           others[][2] = {{{ALL, "digest", "app:" OTHER_HASH}, {1, "world", "anyone"}},
                                          {{ALL, "digest", "app:" HASH}, {3, "world", "anyone"}},
                                          {{ALL, "digest", "app:" HASH}, {1, "ip", "anyone"}},
                                          {{ALL, "digest", "app:" HASH}, {ALL, "digest", "app:" HASH}}};
    const struct acl a = acl_of(one, 2), b = acl_of(turned, 2), less = acl_of(one, 1);
    assert_true(acl_is_same(&a, &b));
    assert_false(acl_is_same(&a, &less) || acl_is_same(&less, &a));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct acl other = acl_of(others[i], 2);
        assert_false(acl_is_same(&a, &other) || acl_is_same(&other, &a));
    }
}

/* What the servers put in the place of a digest is known for that; a user called x is not. */
TEST(what_is_masked_is_known)
{
    const struct acl_entry masked[] = {{1, "world", "anyone"}, {ALL, "digest", "app:x"}},
                           open[] = {{ALL, "digest", "x:" HASH}, {1, "sasl", "app:x"}};
    const struct acl is = acl_of(masked, 2), is_not = acl_of(open, 2);
    assert_true(acl_is_masked(&is));
    assert_false(acl_is_masked(&is_not));
}

static void reports(const struct acl_entry *entries, size_t count, const char *expected)
{
    const struct acl acl = acl_of(entries, count);
    char *reported = acl_describe(&acl);
    assert_non_null(reported);
    assert_string_equal(reported, expected);
    assert_null(strstr(reported, HASH));
    free(reported);
}

/* Users and permissions are told; what is behind a user, and ids of schemes that nobody knows, are not; no
 * stranger's byte gets through raw. */
TEST(no_secret_is_reported)
{
    const struct acl_entry usual[] = {{ALL, "digest", "app:" HASH}, {1, "world", "anyone"}};
    reports(usual, 2, "\"digest:app\" cdrwa, \"world:anyone\" r");
    const struct acl_entry own[] = {{5, "token", HASH}};
    reports(own, 1, "\"token:\" cr");
    const struct acl_entry odd[] = {{2, "sasl", "a\033[1mb\n"}};
    reports(odd, 1, "\"sasl:a\\x1b[1mb\\x0a\" w");
    const struct acl_entry many[] = {{1, "ip", "::1"}, {1, "ip", "::2"}, {1, "ip", "::3"}, {1, "ip", "::4"}};
    reports(many, 4, "\"ip:::1\" r, \"ip:::2\" r, \"ip:::3\" r and 1 more");
}
