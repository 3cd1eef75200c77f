#include "tui/words/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/election.h"
#include "probe/election/recipe.h"
#include "tui/screen/safe.h"

#define SHORT_NUMBERED 8 /* columns of a candidate's short name */
#define SHORT_OTHER 20   /* of one without a number, as pods have: its end says who it is */
#define WORD_MOST 12     /* of the word in front of a number */
#define SHARED_LEAST 4   /* columns: less is not worth an ellipsis */
#define NAME_BYTES 512   /* of a name that is shown */
#define AS_USUAL (-1)    /* columns of the beginning: those of name_fit() */

static bool is_separator(char c)
{
    return strchr("/-_#.:, ", c) != NULL && c != '\0';
}

/* Between two parts of a name: a path has components. */
static bool ends_part(const char *name, char c)
{
    return name[0] == '/' ? c == '/' : is_separator(c);
}

/* The bytes of a text's first letter with its marks, which a cut never parts, and their columns; 0: none is left. */
static size_t letter_of(const struct cells *cells, const char *text, size_t length, int *width)
{
    char unit[SAFE_UNIT];
    size_t eaten = safe_unit(text, length, false, unit, width);

    if (cells->ascii)
        *width = safe_width(text, eaten, true);
    return eaten;
}

/* The byte at which the last columns of a text begin, at most room of them. */
static size_t tail_of(const struct cells *cells, const char *text, int room)
{
    size_t at = 0, length = strlen(text), eaten;
    int width, rest = safe_width(text, length, cells->ascii);

    while (rest > room && (eaten = letter_of(cells, text + at, length - at, &width)) > 0) {
        rest -= width;
        at += eaten;
    }
    return at;
}

/* How many bytes of a text take at most room columns. */
static size_t head_of(const struct cells *cells, const char *text, int room)
{
    size_t at = 0, length = strlen(text), eaten;
    int width;

    while ((eaten = letter_of(cells, text + at, length - at, &width)) > 0 && width <= room) {
        room -= width;
        at += eaten;
    }
    return at;
}

/* This many columns of its beginning, and its end. */
static char *cut_middle(const struct cells *cells, const char *name, int room, int columns, char *buffer,
                        size_t size)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    int dots = cells_width(cells, ellipsis);
    size_t length = strlen(name), tail, head = 0;

    if (safe_width(name, length, cells->ascii) <= room) {
        snprintf(buffer, size, "%s", name);
        return buffer;
    }
    room = room > dots ? room - dots : 0;
    if (columns == AS_USUAL && name[0] == '/') {
        tail = tail_of(cells, name, room);
        const char *slash = strchr(name + tail, '/'); /* whole components, unless that leaves too little */
        if (slash != NULL && (size_t)(slash - name) < length - (size_t)room / 2)
            tail = (size_t)(slash - name);
    } else {
        int first = columns == AS_USUAL ? room - room / 2 : columns < room ? columns : room;

        head = head_of(cells, name, first);
        tail = tail_of(cells, name, room - first);
    }
    snprintf(buffer, size, "%.*s%s%s", (int)head, name, ellipsis, name + tail);
    return buffer;
}

char *name_fit(const struct cells *cells, const char *name, int room, char *buffer, size_t size)
{
    return cut_middle(cells, name, room, AS_USUAL, buffer, size);
}

int name_put(struct cells *cells, int x, int y, int room, style look, const char *name)
{
    char text[NAME_BYTES];

    if (room <= 0)
        return 0;
    if (name[0] == '?' && name[1] == ' ')
        return cells_put(cells, x, y, room, look, name);
    return cells_put(cells, x, y, room, look, name_fit(cells, name, room, text, sizeof text));
}

int name_put_in(struct cells *cells, const struct column *column, int y, style look, const char *name)
{
    return name_put(cells, column->x, y, column->width, look, name);
}

/* ---- Candidates ---- */

/* A GUID, a session, or a part of one. */
static bool is_id(const char *word, size_t length)
{
    size_t hex = 0, digits = 0;

    for (size_t i = 0; i < length; i++) {
        hex += isxdigit((unsigned char)word[i]) != 0;
        digits += isdigit((unsigned char)word[i]) != 0;
    }
    return hex == length && (length >= 4 || digits == length);
}

/* The last word before the number that is no id, with the separators after it; false: there is none. */
static bool find_word(const char *name, size_t end, size_t *begin, size_t *length)
{
    for (;;) {
        size_t stop = end, from;

        while (stop > 0 && is_separator(name[stop - 1]))
            stop--;
        for (from = stop; from > 0 && !is_separator(name[from - 1]); from--)
            if (name[from - 1] <= ' ' || name[from - 1] > '~')
                return false;
        if (from == stop)
            return false;
        if (!is_id(name + from, stop - from)) {
            *begin = from;
            *length = end - from;
            return *length <= WORD_MOST;
        }
        end = from;
    }
}

/* The part before the number of a name that has one: its last word, else all of it. */
static bool split_number(const char *name, char number[24], size_t *begin, size_t *length)
{
    size_t all = strlen(name), end = all;

    while (end > 0 && isdigit((unsigned char)name[end - 1]) && all - end < 10)
        end--;
    snprintf(number, 24, "%" PRId64, recipe_sequence_of(name));
    end -= number[0] == '-' && end > 0;
    if (find_word(name, end, begin, length))
        return true;
    *begin = 0;
    *length = end;
    return false;
}

/* So many columns, its number whole: the word before it gives way. word_whole: unless there is one. */
static char *cut_before_number(const struct cells *cells, const char *name, int room, bool word_whole,
                               char *buffer, size_t size)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    size_t begin, length;
    char number[24];

    if (!split_number(name, number, &begin, &length) || !word_whole) {
        int left = room - cells_width(cells, ellipsis) - (int)strlen(number);
        size_t most = head_of(cells, name + begin, left > 0 ? left : 0);

        length = most < length ? most : length;
    }
    snprintf(buffer, size, "%.*s%s%s", (int)length, name + begin, ellipsis, number);
    return buffer;
}

char *name_of_candidate(const struct cells *cells, const char *name, char *buffer, size_t size)
{
    if (recipe_sequence_of(name) == SEQUENCE_NONE)
        return name_fit(cells, name, SHORT_OTHER, buffer, size);
    return cut_before_number(cells, name, SHORT_NUMBERED, true, buffer, size);
}

char *name_fit_candidate(const struct cells *cells, const char *name, int room, char *buffer, size_t size)
{
    if (recipe_sequence_of(name) == SEQUENCE_NONE || safe_width(name, strlen(name), cells->ascii) <= room)
        return name_fit(cells, name, room, buffer, size);
    return cut_before_number(cells, name, room, false, buffer, size);
}

/* ---- Names that are shown together ---- */

void names_add(struct names *names, const char *name)
{
    int64_t place;

    if (name == NULL || strncmp(name, "? ", 2) == 0 ||
        name_lookup_find(&names->places, name, strlen(name), &place))
        return;
    name_lookup_set(&names->places, name, strlen(name), (int64_t)names->count);
    room_for_one(&names->all, names->count, &names->room_for, sizeof *names->all);
    names->all[names->count++] = xstrdup(name);
}

static void names_forget(struct names *names)
{
    for (size_t i = 0; names->shown != NULL && i < names->count; i++)
        free(names->shown[i]);
    free(names->shown);
    names->shown = NULL;
    names->before = names->after = 0;
}

void names_free(struct names *names)
{
    names_forget(names);
    for (size_t i = 0; i < names->count; i++)
        free(names->all[i]);
    free(names->all);
    name_lookup_free(&names->places);
    *names = (struct names){0};
}

/* How many bytes all begin with, and end with: whole words, and something is left of each. */
static void find_shared(struct names *names)
{
    const char *first = names->all[0];
    size_t before = strlen(first), after = before, least = before;

    for (size_t i = 1; i < names->count; i++) {
        const char *name = names->all[i];
        size_t length = strlen(name), same = 0;

        while (same < before && name[same] == first[same])
            same++;
        before = same;
        for (same = 0; same < after && same < length;)
            if (name[length - 1 - same] != first[strlen(first) - 1 - same])
                break;
            else
                same++;
        after = same;
        least = length < least ? length : least;
    }
    /* The separator is dropped with the common part, except that a path keeps its slash. */
    while (before > 0 && !ends_part(first, first[before - 1]))
        before--;
    before -= before > 0 && first[before - 1] == '/';
    while (after > 0 && !ends_part(first, first[strlen(first) - after]))
        after--;
    names->before = before < SHARED_LEAST || before >= least ? 0 : before;
    names->after = after < SHARED_LEAST || names->before + after >= least ? 0 : after;
}

static bool all_have_room(const struct names *names, const struct cells *cells, int room, size_t before,
                          size_t after)
{
    room -= (before > 0) * cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS));
    room -= (after > 0) * cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS));
    for (size_t i = 0; i < names->count; i++)
        if (safe_width(names->all[i] + before, strlen(names->all[i]) - before - after, cells->ascii) > room)
            return false;
    return true;
}

/* What the heading has no room for stays in the names, where these have room for it. */
static void keep_what_heading_lacks(struct names *names, const struct cells *cells, int room)
{
    const char *first = names->all[0];
    int most = names->heading_room - cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS));

    if (names->heading_room <= 0 || names->before == 0 || names->after > 0 ||
        safe_width(first, names->before, cells->ascii) <= most)
        return;
    size_t at = head_of(cells, first, most > 0 ? most : 0), word = at;
    while (word > 0 && !ends_part(first, first[word - (first[0] != '/')]))
        word--;
    if (word > 0 && all_have_room(names, cells, room, word, 0))
        names->before = word;
    else if (at > 0 && all_have_room(names, cells, room, at, 0))
        names->before = at;
}

/* Of two common parts one stays where there is room for it. */
static void keep_what_fits(struct names *names, const struct cells *cells, int room)
{
    keep_what_heading_lacks(names, cells, room);
    if (names->before == 0 || names->after == 0)
        return;
    if (all_have_room(names, cells, room, names->before, 0))
        names->after = 0;
    else if (all_have_room(names, cells, room, 0, names->after))
        names->before = 0;
}

/* A form in which names are cut: columns of the beginning, or a part of the middle. */
struct form {
    int head;      /* AS_USUAL: that of a lone name */
    size_t middle; /* the byte from which on the middle is shown; 0: the beginning and the end are */
};

static char *put_in_form(const struct names *names, const struct cells *cells, const char *name, int room,
                         struct form form, char *buffer, size_t size)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    int dots = cells_width(cells, ellipsis);
    char text[NAME_BYTES];
    size_t length = strlen(name);

    if (safe_width(name, length, cells->ascii) <= room && names->before + names->after == 0)
        return snprintf(buffer, size, "%s", name), buffer;
    if (names->candidates && form.head == AS_USUAL && recipe_sequence_of(name) != SEQUENCE_NONE)
        return name_fit_candidate(cells, name, room, buffer, size);
    bool before = names->before > 0, after = names->after > 0;
    name += names->before;
    length -= names->before + names->after;
    if (form.middle > 0) {
        size_t from = 0, eaten;
        int width;
        while (from < form.middle && (eaten = letter_of(cells, name + from, length - from, &width)) > 0)
            from += eaten;
        name += from;
        length -= from;
        before = true;
        after = true;
    }
    room -= (before + after) * dots;
    char *part = xstrndup(name, length);
    if (form.middle > 0)
        part[head_of(cells, part, room > 0 ? room : 0)] = '\0';
    cut_middle(cells, part, room, form.head, text, sizeof text);
    free(part);
    /* One ellipsis is enough. */
    before = before && strncmp(text, ellipsis, strlen(ellipsis)) != 0;
    snprintf(buffer, size, "%s%s%s", before ? ellipsis : "", text, after ? ellipsis : "");
    return buffer;
}

/* How much of a name's beginning and end at least one other watched election has, too: in bytes. */
struct alike {
    size_t before, after;
};

static struct alike find_alike(const struct model *model, const char *name)
{
    struct alike alike = {0, 0};
    size_t length = strlen(name);

    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const char *other = model->clusters[i].elections[j]->name;
            size_t others = strlen(other), least = others < length ? others : length, at;

            if (others == length && memcmp(other, name, length) == 0)
                continue;
            if (least > alike.before && other[alike.before] == name[alike.before]) {
                for (at = 0; at < least && other[at] == name[at];)
                    at++;
                alike.before = at > alike.before ? at : alike.before;
            }
            if (least > alike.after && other[others - 1 - alike.after] == name[length - 1 - alike.after]) {
                for (at = 0; at < least && other[others - 1 - at] == name[length - 1 - at];)
                    at++;
                alike.after = at > alike.after ? at : alike.after;
            }
        }
    return alike;
}

/* Whether this text of a name may mean another election that is watched. */
static bool is_ambiguous(const struct names *names, const struct cells *cells, const char *name,
                         struct alike alike, const char *text)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS), *first = strstr(text, ellipsis), *last = first;
    const char *at;

    if (names->among == NULL || first == NULL)
        return false;
    for (const char *next = first; next != NULL; next = strstr(next + strlen(ellipsis), ellipsis))
        last = next;
    size_t head = first > text ? (size_t)(first - text) : names->before;
    size_t tail = last[strlen(ellipsis)] != '\0' ? strlen(last + strlen(ellipsis)) : names->after;
    if (head > alike.before || tail > alike.after)
        return false;
    if (first != text || last == first) /* else its middle is shown */
        return true;
    char *middle = xstrndup(text + strlen(ellipsis), (size_t)(last - text) - strlen(ellipsis));
    size_t length = strlen(middle);
    at = strstr(name, middle);
    free(middle);
    return at == NULL || (size_t)(at - name) > alike.before || (size_t)(at - name) + length <= alike.before;
}

/* Shows the names that have no form yet in this one, where that distinguishes them from the others. taken: the
   texts that are shown already. Returns how many are left. */
static size_t settle_form(struct names *names, const struct cells *cells, int room, struct form form,
                          bool whole_words, struct name_lookup *taken, const struct alike *alike)
{
    struct name_lookup these = {0};
    size_t open = 0;
    char text[NAME_BYTES];
    int64_t others;

    for (size_t i = 0; i < names->count; i++)
        if (names->shown[i] == NULL) {
            put_in_form(names, cells, names->all[i], room, form, text, sizeof text);
            if (!name_lookup_find(&these, text, strlen(text), &others))
                others = 0;
            name_lookup_set(&these, text, strlen(text), others + 1);
        }
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->all[i] + names->before;

        if (names->shown[i] != NULL)
            continue;
        open++;
        if (whole_words && !ends_part(name, name[head_of(cells, name, form.head)]))
            continue;
        put_in_form(names, cells, names->all[i], room, form, text, sizeof text);
        if (!(names->own_elections && recipe_sequence_of(names->all[i]) != SEQUENCE_NONE) &&
            ((name_lookup_find(&these, text, strlen(text), &others) && others > 1) ||
             name_lookup_find(taken, text, strlen(text), &others)))
            continue;
        if (alike != NULL && is_ambiguous(names, cells, names->all[i], alike[i], text))
            continue;
        names->shown[i] = xstrdup(text);
        name_lookup_set(taken, text, strlen(text), 0);
        open--;
    }
    name_lookup_free(&these);
    return open;
}

void names_fit(struct names *names, const struct cells *cells, int room)
{
    struct name_lookup taken = {0};
    char text[NAME_BYTES];
    size_t open = names->count, longest = 0;
    bool all_fit = true, numbered = names->candidates;

    names_forget(names);
    for (size_t i = 0; i < names->count; i++) {
        size_t length = strlen(names->all[i]);
        all_fit = all_fit && safe_width(names->all[i], length, cells->ascii) <= room;
        numbered = numbered && recipe_sequence_of(names->all[i]) != SEQUENCE_NONE;
        longest = length > longest ? length : longest;
    }
    if (all_fit || room <= 0)
        return;
    names->shown = xcalloc(names->count, sizeof *names->shown);
    struct alike *alike = names->among != NULL ? xcalloc(names->count, sizeof *alike) : NULL;
    for (size_t i = 0; alike != NULL && i < names->count; i++)
        alike[i] = find_alike(names->among, names->all[i]);
    if (names->count > 1 && !numbered && !names->keep_shared) {
        find_shared(names);
        keep_what_fits(names, cells, room);
    }
    open = settle_form(names, cells, room, (struct form){AS_USUAL, 0}, false, &taken, alike);
    for (int words = 1; words >= 0; words--) /* the word in which they differ, better than a part of it */
        for (int head = words; open > 0 && head < room; head++)
            open = settle_form(names, cells, room, (struct form){head, 0}, words, &taken, alike);
    for (size_t at = 1; open > 0 && at < longest && at < NAME_BYTES; at += (size_t)(room + 3) / 4)
        open = settle_form(names, cells, room, (struct form){AS_USUAL, at}, false, &taken, alike);
    for (size_t i = 0; i < names->count; i++)
        if (names->shown[i] == NULL)
            names->shown[i] = xstrdup(put_in_form(names, cells, names->all[i], room,
                                                  (struct form){AS_USUAL, 0}, text, sizeof text));
    free(alike);
    name_lookup_free(&taken);
}

/* The columns that the heading itself takes, and those behind it. */
static int heading_width(const struct column *column)
{
    return (int)strlen(column->heading) + 2;
}

void names_fit_column(struct names *names, const struct cells *cells, const struct column *column, int less)
{
    int room = column->width - heading_width(column);

    names->heading_room = room > 0 ? room : 1;
    names_fit(names, cells, column->width - less);
}

int names_width(const struct names *names, const struct cells *cells)
{
    int widest = 0;

    for (size_t i = 0; i < names->count; i++) {
        int width = cells_width(cells, names_shown(names, names->all[i]));

        widest = width > widest ? width : widest;
    }
    return widest;
}

const char *names_shown(const struct names *names, const char *name)
{
    int64_t place;

    if (names == NULL || names->shown == NULL ||
        !name_lookup_find(&names->places, name, strlen(name), &place))
        return name;
    return names->shown[place];
}

char *names_shared(const struct names *names, const struct cells *cells, char *buffer, size_t size)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS), *first = names->count > 0 ? names->all[0] : "";

    snprintf(buffer, size, "%.*s%s%s", (int)names->before, first,
             names->before + names->after > 0 ? ellipsis : "", first + strlen(first) - names->after);
    return buffer;
}

int names_put(struct cells *cells, const struct names *names, const struct column *column, int y, style look,
              const char *name)
{
    if (column->width <= 0)
        return 0;
    return cells_put(cells, column->x, y, column->width, look, names_shown(names, name));
}

int names_put_pair(struct cells *cells, const struct names *names, int x, int y, int room, const char *from,
                   const char *to)
{
    const char *arrow = cells_sign(cells, SIGN_ARROW);
    int between = cells_width(cells, arrow) + 2, begin = x, end = x + room;
    struct names pair = {.keep_shared = true};

    if (names == NULL && cells_width(cells, from) + between + cells_width(cells, to) > room) {
        names_add(&pair, from);
        names_add(&pair, to);
        names_fit(&pair, cells, (room - between) / 2);
    }
    names = names != NULL ? names : &pair;
    x += cells_put(cells, x, y, room, ROLE_DIM, names_shown(names, from)) + 1;
    x += cells_put(cells, x, y, x < end ? end - x : 0, ROLE_DIM, arrow) + 1;
    x += cells_put(cells, x, y, x < end ? end - x : 0, ROLE_TEXT, names_shown(names, to));
    names_free(&pair);
    return x - begin;
}

void names_put_shared(struct cells *cells, const struct names *names, const struct column *column, int y)
{
    int used = heading_width(column);
    char shared[NAME_BYTES];

    names_shared(names, cells, shared, sizeof shared);
    if (shared[0] != '\0' && column->width > used)
        name_put(cells, column->x + used, y, column->width - used, ROLE_DIM, shared);
}
