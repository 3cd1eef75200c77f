#include "tui/dashboard/jump.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/memory.h"
#include "tui/words/labels.h"

enum { FIT_NONE, FIT_LETTERS, FIT_PATH, FIT_NAME, FIT_SCREEN, FIT_BEGINNING, FIT_END, FIT_WHOLE };

/* All letters of text occur in name, in this order. */
static bool has_letters(const char *name, const char *text)
{
    for (; *text; text++, name++) {
        while (*name && strncasecmp(name, text, 1) != 0)
            name++;
        if (!*name)
            return false;
    }
    return true;
}

static int election_fit(const struct election *election, const char *text)
{
    const char *slash = strrchr(election->name, '/'), *last = slash ? slash + 1 : election->name;
    size_t length = strlen(text);
    if (strcasecmp(election->name, text) == 0 || strcasecmp(election->path, text) == 0)
        return FIT_WHOLE;
    if (strcasecmp(last, text) == 0)
        return FIT_END;
    if (strncasecmp(last, text, length) == 0 || strncasecmp(election->name, text, length) == 0)
        return FIT_BEGINNING;
    if (label_match(election->name, text))
        return FIT_NAME;
    if (label_match(election->path, text))
        return FIT_PATH;
    return has_letters(election->name, text) ? FIT_LETTERS : FIT_NONE;
}

static int compare_matches(const void *a, const void *b)
{
    const struct jump_match *x = a, *y = b;
    if (x->fit != y->fit)
        return x->fit > y->fit ? -1 : 1;
    size_t x_length = strlen(x->name), y_length = strlen(y->name);
    return x_length != y_length ? (x_length > y_length ? 1 : -1) : strcmp(x->name, y->name);
}

static size_t match_screens(const char *text, struct jump_match *matches)
{
    static const struct jump_match screens[] = {
        {.name = "overview", .screen = ACTION_BACK},     {.name = "events", .screen = ACTION_EVENTS},
        {.name = "findings", .screen = ACTION_FINDINGS}, {.name = "ensemble", .screen = ACTION_ENSEMBLE},
        {.name = "servers", .screen = ACTION_ENSEMBLE},  {.name = "explain", .screen = ACTION_EXPLAIN},
        {.name = "inject", .screen = ACTION_INJECT},     {.name = "help", .screen = ACTION_HELP}};
    size_t count = 0, length = strlen(text);
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        if (strncasecmp(screens[i].name, text, length) != 0)
            continue;
        if (matches) {
            matches[count] = screens[i];
            matches[count].fit = screens[i].name[length] ? FIT_SCREEN : FIT_WHOLE + 1;
        }
        count++;
    }
    return count;
}

size_t jump_matches(const struct model *model, const char *text, struct jump_match **matches, size_t *alike)
{
    size_t most = match_screens(text, NULL) + 1, count;
    for (size_t i = 0; i < model->cluster_count; i++)
        most += model->clusters[i].election_count;
    struct jump_match *all = xcalloc(most, sizeof *all);
    count = match_screens(text, all);
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const struct election *election = model->clusters[i].elections[j];
            int fit = election_fit(election, text);
            if (fit != FIT_NONE)
                all[count++] = (struct jump_match){.name = election->name, .election = election, .fit = fit};
        }
    qsort(all, count, sizeof *all, compare_matches);
    while (count && all[0].fit > FIT_LETTERS && all[count - 1].fit == FIT_LETTERS)
        count--;
    for (*alike = 0; *alike < count && all[0].election && all[*alike].fit == all[0].fit;)
        ++*alike;
    *matches = all;
    return count;
}
