/* Proves that the configuration's recipes become rows of the book, or are refused. */
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "probe/election/recipe.h"
#include "tests/support/test.h"

static struct settings *read_good(const char *yaml)
{
    struct problems problems = {0};
    struct settings *settings = settings_new();
    settings_read(settings, NULL, yaml, strlen(yaml), &problems);
    assert_int_equal(problems.count, 0);
    return settings;
}

/* Own recipes, and patterns in place of names, are in the book beside the built-in ones. */
TEST(own_recipes_are_in_the_book)
{
    struct settings *settings =
        read_good("clusters: [{hosts: a, elections: [{path: /x, recipe: '^member-(\\d{10})$'}]}]\n"
                  "recipes: [{name: ours, candidate: '^m-(\\d{10})$'}, {name: l, family: lock}]");
    char *error = NULL;
    struct recipe_book *book = recipes_of(settings, &error);
    assert_non_null(book);
    assert_non_null(recipe_book_find(book, "ours"));
    assert_non_null(recipe_book_find(book, "l"));
    assert_non_null(recipe_book_find(book, "^member-(\\d{10})$"));
    assert_null(recipe_book_find(book, "theirs"));
    recipe_book_free(book);
    settings_free(settings);
}

/* What cannot be compiled is refused, wherever it came from. */
TEST(a_bad_expression_is_refused)
{
    struct settings *settings = read_good("recipes: [{name: ours, candidate: '^m-(\\d{10})$'}]");
    char *error = NULL;
    settings->recipes[0].candidate[strlen(settings->recipes[0].candidate) - 2] = '(';
    assert_false(recipes_check(settings, &error));
    assert_non_null(strstr(error, "bad regular expression"));
    free(error);
    settings_free(settings);
}

/* Every built-in name is handed out, each once. */
TEST(names_are_those_of_the_table)
{
    const char **names = recipes_names();
    size_t count = 0;
    for (; names[count]; count++)
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(names[i], names[count]);
    assert_int_equal(count, recipe_table_count);
    free(names);
}
