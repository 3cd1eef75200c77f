/* The table of keys: every action has its keys and its help, and no key does two things. */
#include <string.h>

#include "tests/support/test.h"
#include "tui/screen/key_bindings.h"

/* One row an action, each with keys, a help line, and codes that lead back to it. */
TEST(is_complete)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    assert_int_equal(count, ACTION_COUNT - 1);
    action_set seen = 0;
    for (size_t i = 0; i < count; i++) {
        assert_false(seen & ACTION_BIT(bindings[i].action));
        seen |= ACTION_BIT(bindings[i].action);
        assert_true(*bindings[i].name && *bindings[i].keys && *bindings[i].help);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(bindings[i].name, bindings[j].name);
        assert_true(bindings[i].codes[0] != 0);
        for (size_t j = 0; j < KEY_CODES_MOST; j++)
            if (bindings[i].codes[j])
                assert_int_equal(key_action(bindings[i].codes[j]), bindings[i].action);
    }
}

/* What no row names does nothing. */
TEST(ignores_other_keys)
{
    static const int others[] = {0,         -1, 'z', 'Q', 'U', 1, 27 + 1000, KEY_CODE_NONE, KEY_CODE_CLICK,
                                 0x7fffffff};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(key_action(others[i]), ACTION_NONE);
}

/* The keys printed for people are the ones that work. */
TEST(says_the_keys_that_work)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        const char *keys = bindings[i].keys;
        for (const char *c = keys; *c; c++) {
            bool alone = (c == keys || c[-1] == ' ') && (c[1] == ' ' || c[1] == '\0');
            if (alone)
                assert_int_equal(key_action(*c), bindings[i].action);
        }
    }
}
