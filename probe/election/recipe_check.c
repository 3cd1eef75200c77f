#include "probe/election/recipe_check.h"

#include <stdlib.h>
#include <string.h>

#include "config/nearest.h"
#include "config/text.h"

static void begin_line(struct text *out)
{
    if (out->length)
        text_add(out, "\n");
}

/* "auto" and the nearest known name among the book's. */
static void refuse_name(const struct recipe_book *book, const struct election_settings *election,
                        struct text *out)
{
    struct nearest nearest = {0};
    for (size_t i = 0; i < recipe_book_count(book); i++)
        nearest_offer(&nearest, election->recipe, recipe_book_at(book, i)->name);
    begin_line(out);
    text_add(out, "recipe ");
    text_quote(out, election->recipe, strlen(election->recipe));
    text_add(out, " of the election ");
    text_quote(out, election->path, strlen(election->path));
    text_add(out, " is not known; ");
    if (nearest.best)
        text_printf(out, "did you mean \"%s\"?", nearest.best);
    else
        text_add(out, "write auto, a known layout's name, that of one of your own below recipes, "
                      "or a pattern such as '^member-(\\d{10})$'");
}

static void check_own(const struct recipe_settings *recipe, struct text *out)
{
    bool is_lock = recipe->family && strcmp(recipe->family, "lock") == 0;
    if (is_lock == !recipe->candidate)
        return;
    begin_line(out);
    text_add(out, "recipe ");
    text_quote(out, recipe->name, strlen(recipe->name));
    text_add(out, is_lock ? " is a lock, which has no candidates' names; leave its candidate out"
                          : " has no candidate; add the regular expression of its candidates' names");
}

static bool is_pattern(const char *recipe)
{
    return recipe && strchr(recipe, '(');
}

/* The user's own rows, and one for each pattern that an election names. NULL: out of memory or *error. */
static struct recipe_book *compile(const struct settings *settings, char **error)
{
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
            if (is_pattern(recipe))
                own[count++] = (struct recipe_settings){.name = recipe, .candidate = recipe};
        }
    struct recipe_book *book = recipe_book_new(own, count, error);
    free(own);
    return book;
}

struct recipe_book *recipes_of(const struct settings *settings, char **error)
{
    struct text out = {0};
    *error = NULL;
    for (size_t i = 0; i < settings->recipe_count; i++)
        check_own(&settings->recipes[i], &out);
    char *bad_book = NULL;
    struct recipe_book *book = out.length ? NULL : compile(settings, &bad_book);
    if (bad_book)
        text_add(&out, bad_book);
    out.failed |= !book && !out.length;
    free(bad_book);
    for (size_t i = 0; book && i < settings->cluster_count; i++) {
        const struct cluster_settings *cluster = &settings->clusters[i];
        for (size_t j = 0; j < cluster->election_count; j++) {
            const char *name = cluster->elections[j].recipe;
            if (name && strcmp(name, "auto") != 0 && !recipe_book_find(book, name))
                refuse_name(book, &cluster->elections[j], &out);
        }
    }
    if (out.length || out.failed) {
        *error = text_take(&out);
        recipe_book_free(book);
        book = NULL;
    }
    text_free(&out);
    return book;
}

bool recipes_check(const struct settings *settings, char **error)
{
    struct recipe_book *book = recipes_of(settings, error);
    recipe_book_free(book);
    return book != NULL;
}
