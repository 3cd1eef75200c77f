#include "config/recipe_names.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"

bool recipe_is_pattern(const char *recipe)
{
    return strchr(recipe, '(') != NULL;
}

/* The list at a key; NULL where there is none, or something else (which has been reported). */
static const struct yaml_node *list_of(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *list = map->kind == NODE_MAP ? yaml_node_value(map, key) : NULL;
    return list && list->kind == NODE_LIST ? list : NULL;
}

static const struct yaml_node *recipe_value_of(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *value = map->kind == NODE_MAP ? yaml_node_value(map, key) : NULL;
    return value && value->kind == NODE_TEXT && !yaml_node_is_null(value) ? value : NULL;
}

static void recipe_check_name(const struct yaml_node *recipe, const struct yaml_node *own,
                              const char *const *known, struct problems *problems)
{
    struct nearest nearest = {0};
    for (size_t i = 0; own && i < own->count; i++) {
        const struct yaml_node *name = recipe_value_of(&own->items[i], "name");
        if (name && strcmp(name->text, recipe->text) == 0)
            return;
        if (name)
            nearest_offer(&nearest, recipe->text, name->text);
    }
    for (size_t i = 0; known[i]; i++) {
        if (strcmp(known[i], recipe->text) == 0)
            return;
        nearest_offer(&nearest, recipe->text, known[i]);
    }
    char *what = nearest.best
                     ? text_format("is not a known recipe; did you mean \"%s\"?", nearest.best)
                     : text_format("is not a known recipe; write auto, a name that electop config --help "
                                   "lists, one of your own below recipes, or a pattern such as "
                                   "'^member-(\\d{10})$'");
    problems_refuse(problems, recipe, "recipe", what);
    free(what);
}

static void check_own(const struct yaml_node *recipe, struct problems *problems)
{
    const struct yaml_node *name = recipe_value_of(recipe, "name"),
                           *family = recipe_value_of(recipe, "family");
    const struct yaml_node *candidate = recipe_value_of(recipe, "candidate");
    bool is_lock = family && strcmp(family->text, "lock") == 0;
    if (name && strcmp(name->text, "auto") == 0)
        problems_refuse(problems, name, "name", "means any recipe; write another word");
    if (name && strpbrk(name->text, " \t"))
        problems_refuse(problems, name, "name", "is more than one word; write one, for an election's recipe");
    if (!name || is_lock == !candidate)
        return;
    problems_refuse(problems, name, "name",
                    is_lock ? "is a lock, so its candidates have no names; leave its candidate out"
                            : "has no candidate; add the regular expression of its candidates' names");
}

void recipe_names_check(const struct yaml_node *root, const char *const *known, struct problems *problems)
{
    const struct yaml_node *own = list_of(root, "recipes"), *clusters = list_of(root, "clusters");
    for (size_t i = 0; own && i < own->count && !problems_full(problems); i++)
        check_own(&own->items[i], problems);
    for (size_t i = 0; known && clusters && i < clusters->count; i++) {
        const struct yaml_node *elections = list_of(&clusters->items[i], "elections");
        for (size_t j = 0; elections && j < elections->count && !problems_full(problems); j++) {
            const struct yaml_node *recipe = recipe_value_of(&elections->items[j], "recipe");
            if (recipe && strcmp(recipe->text, "auto") != 0 && !recipe_is_pattern(recipe->text))
                recipe_check_name(recipe, own, known, problems);
        }
    }
}
