/* Proves that a recipe of the configuration that cannot be honoured is refused, never passed over. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings_file.h"
#include "probe/election/recipe_check.h"

/* wanted NULL: fine; else the beginning of each line, which is all this module's own. */
static void expect(const char *yaml, const char *wanted)
{
    struct problems problems = {0};
    struct settings *settings = settings_new();
    char *error = NULL;
    settings_read(settings, yaml, strlen(yaml), &problems);
    assert_int_equal(problems.count, 0);
    bool fine = recipes_check(settings, &error);
    assert_int_equal(fine, wanted == NULL);
    if (wanted) {
        assert_non_null(error);
        assert_string_equal(error, wanted);
    }
    free(error);
    settings_free(settings);
}

static void recipes_are_checked(void **state)
{
    (void)state;
    expect("", NULL);
    expect("clusters: [{hosts: a, elections: [{path: /x, recipe: curator-latch}]}]", NULL);
    expect("clusters: [{hosts: a, elections: [{path: /x, recipe: ours}]}]\n"
           "recipes: [{name: ours, candidate: '^m-(\\d{10})$'}, {name: l, family: lock}]",
           NULL);
    expect("clusters: [{hosts: a, elections: [{path: /x, recipe: curator-lach}, {path: /y, recipe: xyzzy}]}]",
           "recipe \"curator-lach\" of the election \"/x\" is not known; did you mean \"curator-latch\"?\n"
           "recipe \"xyzzy\" of the election \"/y\" is not known; write auto, a known layout's name, that of "
           "one "
           "of your own below recipes, or a pattern such as '^member-(\\d{10})$'");
    expect("clusters: [{hosts: a, elections: [{path: /x, recipe: '^member-(\\d{10})$'}]}]", NULL);
    expect("clusters: [{hosts: a, elections: [{path: /x, recipe: '^member-(\\d{10}$'}]}]",
           "recipe ^member-(\\d{10}$: bad regular expression: missing closing parenthesis (at character 17); "
           "see pcre2pattern(3)");
    expect("recipes: [{name: a}, {name: b, family: lock, candidate: (x)}]",
           "recipe \"a\" has no candidate; add the regular expression of its candidates' names\n"
           "recipe \"b\" is a lock, which has no candidates' names; leave its candidate out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recipes_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
