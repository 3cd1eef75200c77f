#include "tui/views/event_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tui/screen/columns.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"
#include "tui/views/view.h"

#define CLOCK_MS 12
#define CLOCK 8
#define PAIR_LEAST 13 /* columns for two names */
#define NARROW 50     /* columns for a line */
#define NAME_WIDTH 20
#define DETAIL_SHOWN 600 /* bytes: more than any line has room for */
#define WHERE_LEAST 24   /* less says little of two components */
#define NAMES_MOST 500   /* with more than these the longest is not visible anyway */

/* The columns that an event's candidates and detail would like to have. */
static int rest_width(const struct cells *cells, const struct event_line *line)
{
    const char *const texts[] = {line->from, line->subject, line->within, line->detail};
    int sum = 0;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] != NULL && texts[i][0] != '\0')
            sum += cells_width(cells, texts[i]) + 3;
    return sum;
}

/* The widest name of those that the column is for, which does not change with the lines. */
static int widest_name(const struct cells *cells, const struct event_lines *lines, const struct scene *scene)
{
    const struct model *model = scene->model;
    int widest = names_width(&lines->names, cells), before = 0, name;
    size_t looked = 0;

    for (size_t i = 0; model->cluster_count > 1 && i < model->cluster_count; i++) {
        int width = cells_width(cells, model->clusters[i].name) + 1;

        before = width > before ? width : before;
    }
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count && looked < NAMES_MOST; j++, looked++) {
            name = cells_width(cells, model->clusters[i].elections[j]->name);
            widest = name > widest ? name : widest;
        }
    return before + widest;
}

void event_lines_add(struct event_lines *lines, const struct cells *cells, const struct event_line *line)
{
    int rest = rest_width(cells, line);

    lines->rest = rest > lines->rest ? rest : lines->rest;
    if (line->path != NULL)
        names_add(&lines->names, line->where);
}

void event_lines_free(struct event_lines *lines)
{
    names_free(&lines->names);
    names_free(&lines->clusters);
}

void event_lines_fit(struct event_lines *lines, const struct cells *cells, int width,
                     const struct scene *scene)
{
    bool several = scene->model->cluster_count > 1;
    int room = width - CLOCK_MS - EVENT_LABEL_WIDTH, wanted = widest_name(cells, lines, scene);

    lines->names.keep_shared = true;
    lines->names.among = scene->model;
    lines->clusters.keep_shared = true;
    names_add_clusters(&lines->clusters, scene->model);
    for (int part = 2; part <= 6;
         part++) { /* sixths: a third at first, all where names look the same otherwise */
        int share = (room * part / 6 < 10 ? 10 : room * part / 6) + (several ? 8 : 0), before = 0;

        if (share < room - lines->rest - 6)
            share = room - lines->rest - 6;
        lines->where = wanted < 8 ? 8 : wanted < share ? wanted : share;
        if (several) {
            names_fit(&lines->clusters, cells, lines->where / 2);
            before = names_width(&lines->clusters, cells) + 1;
        }
        names_fit(&lines->names, cells, lines->where - before);
        if (lines->names.alike == 0 && !(lines->names.by_component && lines->where < WHERE_LEAST))
            break;
    }
}

#define NAME_BYTES 256

/* A candidate's name that is mostly a GUID leaves no room for who that is. True: the text begins with one,
   and name is its short form; else name is the text. */
static bool short_name(const struct cells *cells, const char *text, int room, char name[NAME_BYTES])
{
    size_t length = strcspn(text, " "), most = cells_width(cells, text) > room ? 0 : NAME_WIDTH;
    char first[NAME_BYTES];

    snprintf(name, NAME_BYTES, "%s", text);
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    if (length <= most || length >= NAME_BYTES || recipe_sequence_of(first) == SEQUENCE_NONE)
        return false;
    name_of_candidate(cells, first, name, NAME_BYTES);
    return true;
}

/* within: the identity in the name, shown after the name if that is shortened; "": none. */
static int event_lines_put_who(struct cells *cells, int x, int y, int room, const char *subject,
                               const char *within)
{
    char name[NAME_BYTES];
    const char *rest = subject + strcspn(subject, " "), *number;
    int used;

    if (!short_name(cells, subject, room, name))
        return name_put(cells, x, y, room, ROLE_TEXT, subject);
    number = strstr(name, cells_sign(cells, SIGN_ELLIPSIS));
    used = cells_width(cells, name) + cells_width(cells, rest) + cells_width(cells, within);
    /* Who it is tells more than that with which all candidates begin. */
    used = cells_put(cells, x, y, room, ROLE_TEXT, number != NULL && used > room ? number : name);
    if (within[0] != '\0' && used + 1 < room)
        used += 1 + cells_put(cells, x + used + 1, y, room - used - 1, ROLE_TEXT, within);
    if (used < room)
        used += name_put(cells, x + used, y, room - used, ROLE_TEXT, rest);
    return used;
}

/* Of a finding: its code first, then its subject. */
static int put_what(struct cells *cells, int x, int y, int room, const char *subject)
{
    size_t length = strcspn(subject, " ");
    int used = cells_put_bytes(cells, x, y, room, ROLE_TEXT, subject, length) + 1;

    if (subject[length] == '\0' || used >= room)
        return used - 1;
    return used + event_lines_put_who(cells, x + used, y, room - used, subject + length + 1, "");
}

/* The identity of a candidate that joined: at the event its znode had not been read yet. NULL: not known, or
 * already shown. */
static const char *known_since(const struct scene *scene, const struct event_line *line)
{
    if (line->kind != EVENT_CANDIDATE_JOINED || line->path == NULL)
        return NULL;
    const struct election *election = model_find(scene->model, line->cluster, line->path);
    const struct candidate *candidate = election != NULL ? election_find(election, line->subject) : NULL;

    return candidate != NULL && candidate->identity != NULL &&
                   strstr(candidate->name, candidate->identity) == NULL
               ? candidate->identity
               : NULL;
}

/* One of two names; where both have no room, a candidate's number. */
static const char *name_of_pair(const struct cells *cells, const char *text, int room, char name[NAME_BYTES])
{
    bool candidate = short_name(cells, text, room, name);
    const char *number = candidate ? strstr(name, cells_sign(cells, SIGN_ELLIPSIS)) : NULL;

    return number != NULL && cells_width(cells, name) > room / 2 - 2 ? number : name;
}

static int event_lines_put_subject(struct cells *cells, int x, int y, int end, const struct scene *scene,
                                   const struct event_line *line)
{
    const char *identity = known_since(scene, line);
    char who[2 * NAME_BYTES];

    if (line->from[0] != '\0' && label_room(x, end) >= PAIR_LEAST) {
        char from[NAME_BYTES], to[NAME_BYTES];
        const char *former = name_of_pair(cells, line->from, label_room(x, end), from);
        const char *next = name_of_pair(cells, line->subject, label_room(x, end), to);

        return x + names_put_pair(cells, NULL, x, y, label_room(x, end), former, next) + 2;
    }
    if (line->subject[0] == '\0' || x >= end)
        return x;
    if (line->kind == EVENT_FINDING_RAISED || line->kind == EVENT_FINDING_CLEARED ||
        line->kind == EVENT_FINDING_MUTED)
        return x + put_what(cells, x, y, label_room(x, end), line->subject) + 2;
    bool lost = line->kind == EVENT_FAILOVER && strcmp(line->subject, "nobody") == 0;
    snprintf(who, sizeof who, "%s%s%s", lost ? line->from : line->subject, identity != NULL ? " " : "",
             identity != NULL ? identity : "");
    return x + event_lines_put_who(cells, x, y, label_room(x, end), who, line->within) + 2;
}

void event_line_draw(struct cells *cells, int x, int y, int width, const struct scene *scene,
                     const struct event_line *line, const struct event_lines *lines)
{
    int where = lines != NULL ? lines->where : 0;
    bool narrow = width < NARROW; /* whom it is about is worth more than milliseconds and even columns */
    int end = x + width, gap = narrow ? 1 : 2, clock = narrow ? CLOCK : CLOCK_MS, label = EVENT_LABEL_WIDTH;
    char when[32];

    if (scene->now.wall_us - line->at.wall_us < INT64_C(86400000000))
        format_clock_ms(line->at.wall_us, when, sizeof when);
    else
        label_when(line->at.wall_us, scene->now, when, sizeof when);
    cells_put_bytes(cells, x, y, clock, ROLE_DIM, when, strnlen(when, (size_t)clock));
    x += clock + gap;
    if (where > 0) {
        if (scene->model->cluster_count > 1 && line->path != NULL) {
            int used =
                cells_put(cells, x, y, where / 2, ROLE_DIM, names_shown(&lines->clusters, line->cluster));

            cells_put(cells, x + used + 1, y, where - used - 1, ROLE_TEXT,
                      names_shown(&lines->names, line->where));
        } else if (line->path != NULL) {
            cells_put(cells, x, y, where, ROLE_TEXT, names_shown(&lines->names, line->where));
        } else {
            name_put(cells, x, y, where, ROLE_DIM, line->where);
        }
        x += where + gap;
    }
    int used = cells_put(cells, x, y, label_room(x, end) < label ? label_room(x, end) : label, line->role,
                         line->label);
    x += (narrow ? used : label) + gap;
    if (x < end)
        x = event_lines_put_subject(cells, x, y, end, scene, line);
    if (x < end) {
        char detail[DETAIL_SHOWN];

        snprintf(detail, sizeof detail, "%s", line->detail);
        cells_put(cells, x, y, label_room(x, end), ROLE_DIM, cells_plain(cells, detail));
    }
}

bool event_line_is_cut(const struct cells *cells, int width, const struct event_line *line,
                       const struct event_lines *lines)
{
    int before = CLOCK_MS + 2 + EVENT_LABEL_WIDTH + 2 + (lines->where > 0 ? lines->where + 2 : 0);

    return before + rest_width(cells, line) - 3 > width;
}

void event_line_whole(struct cells *cells, int x, int y, int width, int rows, const struct event_line *line)
{
    char detail[DETAIL_SHOWN];
    int used = columns_wrap_put(cells, x, y, width, rows, ROLE_TEXT, line->where), left = rows - used;
    char *what = line->from[0] != '\0' ? text_format("%s: %s %s %s", line->label, line->from,
                                                     cells_sign(cells, SIGN_ARROW), line->subject)
                                       : text_format("%s: %s", line->label, line->subject);

    snprintf(detail, sizeof detail, "%s", line->detail);
    used += left > 0 ? columns_wrap_put(cells, x, y + used, width, left, line->role, what) : 0;
    if (used < rows)
        columns_wrap_put(cells, x, y + used, width, rows - used, ROLE_DIM, cells_plain(cells, detail));
    free(what);
}

static bool line_is_of(const struct event_line *line, const char *cluster, const char *path)
{
    if (path == NULL)
        return true;
    if (strcmp(line->cluster, cluster) != 0)
        return false;
    return line->path == NULL || strcmp(line->path, path) == 0; /* a connection's events concern them all */
}

int event_pane_rows(const struct scene *scene, const char *cluster, const char *path, int most)
{
    const struct event_line *line;
    int rows = 1;

    for (size_t i = 0; rows < most && (line = event_log_at(scene->events, i)) != NULL; i++)
        rows += line_is_of(line, cluster, path);
    return rows > 1 || most < 2 ? rows : 2;
}

void event_pane_draw(struct cells *cells, int y, int rows, const struct scene *scene, const char *cluster,
                     const char *path)
{
    const struct event_line *line;
    struct event_lines lines = {.names = {.count = 0}};
    int drawn = 1, width = cells->width - 2;

    if (rows < 2)
        return;
    cells_rule(cells, 0, y, cells->width, "events");
    for (size_t i = 0; path == NULL && (int)i < rows - 1 && (line = event_log_at(scene->events, i)) != NULL;
         i++)
        event_lines_add(&lines, cells, line);
    if (path == NULL)
        event_lines_fit(&lines, cells, width, scene);
    for (size_t i = 0; drawn < rows && (line = event_log_at(scene->events, i)) != NULL; i++)
        if (line_is_of(line, cluster, path))
            event_line_draw(cells, 1, y + drawn++, width, scene, line, path == NULL ? &lines : NULL);
    event_lines_free(&lines);
    if (drawn == 1)
        cells_put(cells, 1, y + 1, cells->width - 2, ROLE_DIM,
                  event_log_count(scene->events) < EVENTS_KEPT
                      ? "nothing has happened since the start"
                      : "none of the latest events is about this election");
}
