#include "probe/election/recipe_check.h"

#include <stdlib.h>

#include "config/recipe_names.h"
#include "probe/election/recipe_table.h"

struct recipe_book *recipes_of(const struct settings *settings, char **error)
{
    *error = NULL;
    size_t count = settings->recipe_count;
    for (size_t i = 0; i < settings->cluster_count; i++)
        count += settings->clusters[i].election_count;
    struct recipe_settings *own = calloc(count + 1, sizeof *own);
    if (!own)
        return NULL;
    for (count = 0; count < settings->recipe_count; count++)
        own[count] = settings->recipes[count];
    for (size_t i = 0; i < settings->cluster_count; i++)
        for (size_t k = 0; k < settings->clusters[i].election_count; k++) {
            char *recipe = settings->clusters[i].elections[k].recipe;
            if (recipe && recipe_is_pattern(recipe))
                own[count++] = (struct recipe_settings){.name = recipe, .candidate = recipe};
        }
    struct recipe_book *book = recipe_book_new(own, count, error);
    free(own);
    return book;
}

const char **recipes_names(void)
{
    const char **names = calloc(recipe_table_count + 1, sizeof *names);
    for (size_t i = 0; names && i < recipe_table_count; i++)
        names[i] = recipe_table[i].name;
    return names;
}

bool recipes_check(const struct settings *settings, char **error)
{
    struct recipe_book *book = recipes_of(settings, error);
    recipe_book_free(book);
    return book != NULL;
}
