#include "tui/dashboard/jump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/memory.h"
#include "config/option_table.h"
#include "tui/views/list.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

enum {
    FIT_NONE,
    FIT_HELP,
    FIT_LETTERS,
    FIT_WORD,
    FIT_PATH,
    FIT_NAME,
    FIT_ACTION,
    FIT_BEGINNING,
    FIT_END,
    FIT_WHOLE_ACTION,
    FIT_WHOLE
};

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

static int action_fit(const char *name, const char *help, const char *text)
{
    size_t length = strlen(text);
    if (strncasecmp(name, text, length) == 0)
        return name[length] ? FIT_ACTION : FIT_WHOLE_ACTION;
    for (const char *word = strchr(name, ' '); word; word = strchr(word + 1, ' '))
        if (strncasecmp(word + 1, text, length) == 0)
            return FIT_WORD;
    return help && length > 2 && label_match(help, text) ? FIT_HELP : FIT_NONE;
}

#define OTHERS_MOST 32 /* actions without a key */

/* The overview, other names of a screen and of the present, and each order of the overview. Returns their number. */
static size_t other_actions(struct jump_match others[OTHERS_MOST])
{
    static char names[OTHERS_MOST][32];
    size_t count = 3;
    others[0] = (struct jump_match){.name = "overview"};
    others[1] = (struct jump_match){.name = "servers", .action = ACTION_ENSEMBLE};
    others[2] = (struct jump_match){.name = "now", .action = ACTION_LIVE};
    for (size_t i = 0; option_sort_words[i] && count < OTHERS_MOST; i++, count++) {
        snprintf(names[count], sizeof names[count], "sort by %s", option_sort_words[i]);
        others[count] = (struct jump_match){.name = names[count], .sort = option_sort_words[i]};
    }
    return count;
}

/* Those that match; matches has room for all. Returns their number. */
static size_t match_actions(const char *text, struct jump_match *matches)
{
    struct jump_match others[OTHERS_MOST];
    size_t count = 0, bound, other_count = other_actions(others);
    const struct key_binding *bindings = key_bindings(&bound);
    for (size_t i = 0; i < bound + other_count; i++) {
        struct jump_match match =
            i < bound ? (struct jump_match){.name = bindings[i].name, .action = bindings[i].action}
                      : others[i - bound];
        match.fit = action_fit(match.name, i < bound ? bindings[i].help : NULL, text);
        match.guessed = match.fit == FIT_HELP;
        if (match.fit != FIT_NONE)
            matches[count++] = match;
    }
    return count;
}

size_t jump_matches(const struct model *model, const char *text, struct jump_match **matches, size_t *alike)
{
    size_t most, count;
    key_bindings(&most);
    most += OTHERS_MOST;
    for (size_t i = 0; i < model->cluster_count; i++)
        most += model->clusters[i].election_count;
    struct jump_match *all = xcalloc(most, sizeof *all);
    count = match_actions(text, all);
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const struct election *election = model->clusters[i].elections[j];
            int fit = election_fit(election, text);
            if (fit != FIT_NONE)
                all[count++] = (struct jump_match){.name = election->name, .election = election, .fit = fit};
        }
    qsort(all, count, sizeof *all, compare_matches);
    while (count && all[0].fit > FIT_LETTERS && all[count - 1].fit <= FIT_LETTERS)
        count--;
    for (*alike = 0; *alike < count && all[0].election && all[*alike].fit == all[0].fit;)
        ++*alike;
    *matches = all;
    return count;
}

#define LINES_SHOWN 8
#define NAME_X 3
#define NAME_LEAST 21
#define CLUSTER_MOST 16
#define TEXT_LEAST 40 /* columns of the text beside a name */

static void draw_match(struct cells *cells, int y, const struct jump_match *match, const struct names *names,
                       const struct names *clusters, int room, action_set works, const struct scene *scene)
{
    int text_x = NAME_X + room + 2;
    const struct key_binding *binding = key_binding_of(match->action);
    bool idle = binding && !(works & ACTION_BIT(match->action));
    char who[256];
    if (match->election) {
        const struct candidate *leader = match->election->leader;
        cells_put(cells, NAME_X, y, room, ROLE_STRONG, names_shown(names, match->name));
        if (clusters->count > 1) {
            cells_put(cells, text_x, y, -1, ROLE_DIM, names_shown(clusters, match->election->cluster->name));
            text_x += names_width(clusters, cells) + 2;
        }
        int used = cells_put(cells, text_x, y, -1, ROLE_DIM, label_badge(match->election, scene->now).word);
        if (leader)
            cells_put(cells, text_x + used + 2, y, -1, ROLE_DIM, label_who(leader, who, sizeof who));
        return;
    }
    cells_put(cells, NAME_X, y, room, idle ? ROLE_DIM : ROLE_TEXT, match->name);
    if (binding)
        cells_printf(cells, text_x, y, cells->width - text_x, ROLE_DIM, "%-6s %s", binding->first,
                     idle ? "does nothing on this screen" : binding->help);
    else
        cells_put(cells, text_x, y, -1, ROLE_DIM,
                  match->sort ? "       sort the elections" : "       all elections");
}

void jump_draw(struct cells *cells, const struct scene *scene, const struct footer *footer, action_set works)
{
    struct jump_match *matches;
    struct names names = {.keep_shared = true, .among = scene->model}, clusters = {.keep_shared = true};
    size_t alike, count, most = (size_t)cells->height / 3;
    const char *text = footer->tabs ? footer->tabbed : footer->typed;
    if (!text[0])
        return;
    count = jump_matches(scene->model, text, &matches, &alike);
    size_t at = footer->tabs ? (footer->tabs - 1) % (count ? count : 1) : 0;
    size_t shown = most > LINES_SHOWN ? LINES_SHOWN : most, top;
    shown = count < shown ? count : shown;
    top = at < shown ? 0 : at - shown + 1;
    int y = cells->height - 2 - (int)shown;
    if (shown)
        cells_rule(cells, 0, y, -1, NULL);
    for (size_t i = 0; i < shown; i++)
        names_add(&names, matches[top + i].election ? matches[top + i].name : NULL);
    int room = label_room(NAME_X + 2 + TEXT_LEAST, cells->width), wanted = names_width(&names, cells);
    wanted = wanted < NAME_LEAST ? NAME_LEAST : wanted;
    room = wanted < room ? wanted : room < NAME_LEAST ? NAME_LEAST : room;
    names_fit(&names, cells, room);
    names_add_clusters(&clusters, scene->model);
    names_fit(&clusters, cells, CLUSTER_MOST);
    for (size_t i = 0; i < shown; i++) {
        cells_fill(cells, 0, ++y, cells->width, ROLE_TEXT);
        draw_match(cells, y, &matches[top + i], &names, &clusters, room, works, scene);
        if (top + i == at && !matches[at].guessed)
            list_mark_row(cells, y, cells->width);
    }
    names_free(&names);
    names_free(&clusters);
    free(matches);
}
