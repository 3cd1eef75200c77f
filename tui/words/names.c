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
#define SHARED_CUT 7     /* ... and a part in fewer says nothing */
#define SUFFIX 6         /* columns of the end of a pod's name, with its hyphen */
#define SHARED_LEAST 4   /* columns: less is not worth an ellipsis */
#define NAME_BYTES 512   /* of a name that is shown */
#define AS_USUAL (-1)    /* columns of the beginning: those of name_fit() */

#define SEPARATORS "/-_#.:, "

static bool is_separator(char c)
{
    return strchr(SEPARATORS, c) != NULL && c != '\0';
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

/* The byte from which on the end of a name is shown: its last word where that has room, else half of the room. The
   last letters of a pod's name are never cut. */
static size_t end_of(const struct cells *cells, const char *name, int room)
{
    size_t length = strlen(name), word = length;

    while (word > 0 && !is_separator(name[word - 1]))
        word--;
    word -= word > 0;
    int width = safe_width(name + word, length - word, cells->ascii);
    return word > 0 && word + 1 < length && width <= (width <= SUFFIX ? room : room / 2)
               ? word
               : tail_of(cells, name, room / 2);
}

/* This many columns of its beginning, and its end. */
static char *cut_middle(const struct cells *cells, const char *name, int room, int columns, bool grows,
                        char *buffer, size_t size)
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
        int first = columns < room ? columns : room;

        tail = columns == AS_USUAL ? end_of(cells, name, room) : tail_of(cells, name, room - first);
        if (columns == AS_USUAL)
            first = room - safe_width(name + tail, length - tail, cells->ascii);
        if (grows && name[0] == '/') { /* a part of a word says less than more of where two differ */
            size_t whole = tail;
            while (whole < length && !ends_part(name, name[whole]))
                whole++;
            if (whole < length) {
                first += safe_width(name + tail, whole - tail, cells->ascii);
                tail = whole;
            }
        }
        head = head_of(cells, name, first);
    }
    snprintf(buffer, size, "%.*s%s%s", (int)head, name, ellipsis, name + tail);
    return buffer;
}

char *name_fit(const struct cells *cells, const char *name, int room, char *buffer, size_t size)
{
    return cut_middle(cells, name, room, AS_USUAL, false, buffer, size);
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

/* A GUID, a session, or a part of one; or the hash of a pod's template: eight letters or more, some of them digits and
   none a vowel. */
static bool is_id(const char *word, size_t length)
{
    size_t hex = 0, digits = 0, plain = 0;

    for (size_t i = 0; i < length; i++) {
        hex += isxdigit((unsigned char)word[i]) != 0;
        digits += isdigit((unsigned char)word[i]) != 0;
        plain += isalnum((unsigned char)word[i]) && strchr("aeiouAEIOU", word[i]) == NULL;
    }
    return (hex == length && (length >= 4 || digits == length)) ||
           (plain == length && length >= 8 && digits > 0);
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

void names_add_clusters(struct names *names, const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        names_add(names, model->clusters[i].name);
}

static void names_forget(struct names *names)
{
    for (size_t i = 0; names->shown != NULL && i < names->count; i++)
        free(names->shown[i]);
    free(names->shown);
    names->shown = NULL;
    names->before = names->after = names->in_heading = names->alike = 0;
    names->by_component = false;
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

/* What the heading has no room for stays in the names, where these have room for it: paths in whole components, all
   alike. */
static void keep_what_heading_lacks(struct names *names, const struct cells *cells, int room)
{
    const char *first = names->all[0];
    int most = names->heading_room - cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS));
    bool path = first[0] == '/';

    names->in_heading = names->before;
    if (names->heading_room <= 0 || names->before == 0 || names->after > 0 ||
        safe_width(first, names->before, cells->ascii) <= most)
        return;
    size_t at = head_of(cells, first, most > 0 ? most : 0), word = at;
    while (word > 0 && !ends_part(first, first[word - !path]))
        word--;
    if (!path)
        names->in_heading = word;
    else if (word > 0 && all_have_room(names, cells, room, word, 0))
        names->before = word;
    else if (at > 0 && all_have_room(names, cells, room, at, 0))
        names->before = at;
}

/* The byte from which on a name is shown, with as many words of the common part as it has room for beside its own.
   Ids are the last to be shown. */
static size_t row_begin(const struct names *names, const struct cells *cells, const char *name, int room)
{
    int dots = cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS));
    size_t length = strlen(name), last = length, from, words;

    if (names->after > 0 || name[0] == '/')
        return names->before;
    while (last > 0 && !is_separator(name[--last]))
        ;
    for (words = last; words > 0;) {
        size_t begin = words;
        while (begin > 0 && !is_separator(name[begin - 1]))
            begin--;
        if (!is_id(name + begin, words - begin))
            break;
        words = begin > 0 ? begin - 1 : 0;
    }
    for (from = names->in_heading; from < names->before; from += strcspn(name + from, SEPARATORS) + 1) {
        int left = room - (from > 0) * dots;

        if (safe_width(name + from, length - from, cells->ascii) <= left ||
            (words > from && safe_width(name + from, words - from, cells->ascii) + dots +
                                     safe_width(name + last, length - last, cells->ascii) <=
                                 left))
            return from;
    }
    return names->before;
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
    bool grows;    /* a path's by what its end shows of a part of a word */
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
    size_t from =
        form.head == AS_USUAL && form.middle == 0 ? row_begin(names, cells, name, room) : names->before;
    bool before = from > 0, after = names->after > 0;
    name += from;
    length -= from + names->after;
    if (form.middle > 0) {
        size_t eaten;
        int width;
        for (from = 0;
             from < form.middle && (eaten = letter_of(cells, name + from, length - from, &width)) > 0;)
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
    cut_middle(cells, part, room, form.head, form.grows, text, sizeof text);
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

/* The part of a watched election's name that is compared; NULL: it is none of those that the heading is about. */
static const char *other_of(const struct names *names, const struct election *election)
{
    size_t told = names->told != NULL ? strlen(names->told) : 0;

    return told == 0 || strncmp(election->name, names->told, told) == 0 ? election->name + told : NULL;
}

static struct alike find_alike(const struct names *names, const char *name)
{
    const struct model *model = names->among;
    struct alike alike = {0, 0};
    size_t length = strlen(name);

    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const char *other = other_of(names, model->clusters[i].elections[j]);
            if (other == NULL)
                continue;
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
    bool elsewhere = false;
    for (size_t i = 0; i < names->among->cluster_count; i++)
        for (size_t j = 0; !elsewhere && j < names->among->clusters[i].election_count; j++) {
            const char *other = other_of(names, names->among->clusters[i].elections[j]);

            elsewhere = other != NULL && strcmp(other, name) != 0 && strstr(other, middle) != NULL;
        }
    free(middle);
    return elsewhere;
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

/* ---- Paths, component by component ---- */

#define PLACES_MOST 16 /* components of a path; a deeper one is cut as other names are */

/* A path's components. */
struct name_parts {
    struct {
        const char *at;
        size_t length;
    } of[PLACES_MOST];
    size_t count;
};

/* Paths of one layout differ in several components, each of which is cut among those at its place. */
struct name_paths {
    struct name_parts *of; /* of the names that are shown, and then of those that they are told from */
    size_t count;
    size_t before, after; /* components that all share at the beginning and the end */
    bool one_depth;
    bool words; /* are their components, whatever is between them */
};

/* How a component is cut that has no room. */
enum cut {
    CUT_SHARED, /* what all at its place begin with, and its end */
    CUT_END,
    CUT_BEGINNING,
    CUTS
};

/* False: it is too deep, or no path, and has no components. */
static bool name_paths_add(struct name_paths *paths, const char *name)
{
    struct name_parts parts = {.count = 0};

    for (name += *name == '/';; name++) {
        size_t length = strcspn(name, paths->words ? SEPARATORS : "/");

        if (length == 0 || parts.count == PLACES_MOST) {
            paths->of[paths->count++].count = 0;
            return false;
        }
        parts.of[parts.count].at = name;
        parts.of[parts.count++].length = length;
        if (*(name += length) == '\0')
            break;
    }
    paths->of[paths->count++] = parts;
    return true;
}

static bool is_same_part(const struct name_parts *a, size_t i, const struct name_parts *b, size_t j)
{
    return a->of[i].length == b->of[j].length && memcmp(a->of[i].at, b->of[j].at, a->of[i].length) == 0;
}

static void paths_find_shared(struct name_paths *paths)
{
    const struct name_parts *first = &paths->of[0];
    size_t least = first->count;

    paths->one_depth = true;
    paths->before = paths->after = first->count;
    for (size_t i = 1; i < paths->count; i++) {
        const struct name_parts *parts = &paths->of[i];
        size_t same = 0;

        paths->one_depth = paths->one_depth && parts->count == first->count;
        if (parts->count == 0)
            continue; /* too deep, or no path: it has no components to be told from */
        least = parts->count < least ? parts->count : least;
        while (same < paths->before && same < parts->count && is_same_part(first, same, parts, same))
            same++;
        paths->before = same;
        for (same = 0; same < paths->after && same < parts->count &&
                       is_same_part(first, first->count - 1 - same, parts, parts->count - 1 - same);)
            same++;
        paths->after = same;
    }
    if (paths->before >= least)
        paths->before = least - 1;
    if (paths->before + paths->after >= least)
        paths->after = least - 1 - paths->before;
}

/* What all components at one place of paths of one depth have in common. */
struct name_place {
    size_t shared; /* bytes that all begin with: whole words */
    bool constant; /* all are the same */
};

/* A component among those at its place. */
struct name_part {
    char *text;
    struct alike alike; /* the most that it shares with any other */
    size_t same;        /* paths that have it in this place; of those where it differs */
    const struct name_place *place;
};

static struct name_place place_of(const struct name_paths *paths, size_t depth, size_t at)
{
    const struct name_parts *first = NULL;
    struct name_place place = {0, true};

    for (size_t i = 0; i < paths->count; i++) {
        const struct name_parts *parts = &paths->of[i];
        size_t same = 0;

        if (parts->count != depth)
            continue;
        if (first == NULL) {
            first = parts;
            place.shared = parts->of[at].length;
        }
        while (same < place.shared && same < parts->of[at].length &&
               parts->of[at].at[same] == first->of[at].at[same])
            same++;
        place.shared = same;
        place.constant = place.constant && is_same_part(first, at, parts, at);
    }
    while (place.shared > 0 && !is_separator(first->of[at].at[place.shared - 1]))
        place.shared--;
    return place;
}

static struct name_part part_of(const struct name_paths *paths, const struct name_parts *parts, size_t at,
                                const struct name_place *place)
{
    const char *text = parts->of[at].at;
    size_t length = parts->of[at].length, before = 0, after = 0, equal = 0;

    for (size_t i = 0; !place->constant && i < paths->count; i++) {
        const struct name_parts *others = &paths->of[i];
        const char *other = others->of[at].at;
        size_t least = others->of[at].length < length ? others->of[at].length : length, same;

        if (others->count != parts->count)
            continue;
        bool is_same = is_same_part(parts, at, others, at);
        equal += is_same;
        bool begins = least > before && other[before] == text[before];
        bool ends = least > after && other[others->of[at].length - 1 - after] == text[length - 1 - after];
        if ((!begins && !ends) || is_same)
            continue;
        for (same = 0; begins && same < least && text[same] == other[same];)
            same++;
        before = same > before ? same : before;
        for (same = 0;
             ends && same < least && text[length - 1 - same] == other[others->of[at].length - 1 - same];)
            same++;
        after = same > after ? same : after;
    }
    return (struct name_part){xstrndup(text, length), {before, after}, equal, place};
}

/* So many columns of a component, cut in this way; false: another at its place would look the same. */
static bool cut_part(const struct cells *cells, const struct name_part *part, int room, enum cut cut,
                     char *buffer, size_t size)
{
    const char *text = part->text, *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    int dots = cells_width(cells, ellipsis);
    size_t length = strlen(text), from = cut == CUT_SHARED ? part->place->shared : 0, taken;

    if (safe_width(text, length, cells->ascii) <= room)
        return snprintf(buffer, size, "%s", text), true;
    room -= dots;
    if (cut == CUT_BEGINNING) {
        from = tail_of(cells, text, room > 0 ? room : 0);
        snprintf(buffer, size, "%s%s", ellipsis, text + from);
        return length - from > part->alike.after;
    }
    if (cut == CUT_SHARED && (from == 0 || room <= 0))
        return false;
    if (from > 0 && safe_width(text + from, length - from, cells->ascii) <= room)
        return snprintf(buffer, size, "%s%s", ellipsis, text + from), true;
    room -= from > 0 ? dots : 0;
    taken = head_of(cells, text + from, room > 0 ? room : 0);
    snprintf(buffer, size, "%s%.*s%s", from > 0 ? ellipsis : "", (int)taken, text + from, ellipsis);
    return from + taken > part->alike.before;
}

/* The components of one depth: parts[i * PLACES_MOST + place] of the i-th name that is shown. */
struct name_depth {
    const struct names *names;
    const struct name_paths *paths;
    struct name_place places[PLACES_MOST];
    struct name_part *parts;
    size_t count, from, to; /* its components, and those of them that are shown */
    bool marked, ended;     /* signs stand for those before and after them */
    bool elided;            /* and one for each that is the same in all */
    bool terse;             /* there is no room for these signs */
};

static bool is_of_depth(const struct name_depth *depth, size_t name)
{
    return depth->paths->of[name].count == depth->count;
}

static const struct name_part *depth_part(const struct name_depth *depth, size_t name, size_t place)
{
    return &depth->parts[name * PLACES_MOST + place];
}

/* The slash that a path begins with is shown. */
static bool begins_whole(const struct name_depth *depth, size_t name)
{
    return depth->names->all[name][0] == '/' && depth->from == 0 && !depth->terse;
}

/* One sign stands for it and for the one before it. Where paths have several depths, the number of components
   tells two layouts apart. */
static bool is_joined(const struct name_depth *depth, size_t place)
{
    if (depth->terse)
        return depth->places[place].constant;
    return depth->elided && place > depth->from && depth->places[place].constant &&
           depth->places[place - 1].constant && (depth->paths->one_depth || depth->paths->words);
}

/* The columns that all components would like to have; less that between two which are joined. */
static int want_widths(const struct name_depth *depth, const struct cells *cells, int widths[PLACES_MOST])
{
    int dots = cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS)), sum = 0;

    for (size_t place = depth->from; place < depth->to; place++) {
        widths[place] = 0;
        if (is_joined(depth, place))
            sum--;
        for (size_t i = 0; !is_joined(depth, place) && i < depth->names->count; i++) {
            if (!is_of_depth(depth, i))
                continue;
            const struct name_part *part = depth_part(depth, i, place);
            int width = part->place->constant && depth->elided
                            ? dots
                            : safe_width(part->text, strlen(part->text), cells->ascii);

            widths[place] = width > widths[place] ? width : widths[place];
        }
        sum += widths[place];
    }
    return sum;
}

/* The room of each component: what is the same in all gives way, and then the widest, as far as need be. */
static void share_room(struct name_depth *depth, const struct cells *cells, int room, int widths[PLACES_MOST])
{
    int dots = cells_width(cells, cells_sign(cells, SIGN_ELLIPSIS)), sum = want_widths(depth, cells, widths);

    room -= (int)(depth->to - depth->from) - 1 + (dots + 1) * (depth->marked + depth->ended);
    room -= begins_whole(depth, 0);
    if (sum > room) {
        depth->elided = true;
        sum = want_widths(depth, cells, widths);
    }
    for (int widest = room; sum > room && widest > 0; widest--)
        for (size_t place = depth->from; place < depth->to; place++)
            if (widths[place] > widest && sum > room) {
                int less = widths[place] - widest < sum - room ? widths[place] - widest : sum - room;

                widths[place] -= less;
                sum -= less;
            }
}

/* How all at a place are cut: so that none looks like another; CUTS: not all in the same way. */
static enum cut choose_cut(const struct name_depth *depth, const struct cells *cells, size_t place, int room)
{
    char text[NAME_BYTES];

    for (enum cut cut = CUT_SHARED; cut < CUTS; cut++) {
        bool all = true;

        for (size_t i = 0; all && i < depth->names->count; i++)
            if (is_of_depth(depth, i) && !(depth->elided && depth_part(depth, i, place)->place->constant))
                all = cut_part(cells, depth_part(depth, i, place), room, cut, text, sizeof text);
        if (all)
            return cut;
    }
    return CUTS;
}

static bool put_part(const struct cells *cells, const struct name_part *part, int room, enum cut cut,
                     char *buffer, size_t size)
{
    for (enum cut each = CUT_SHARED; each < CUTS; each++)
        if ((cut == CUTS || cut == each) && cut_part(cells, part, room, each, buffer, size))
            return true;
    return false;
}

/* Of a sign that ends the text and one that comes next, one is enough. */
static bool ends_in_sign(const char *text, const char *ellipsis)
{
    size_t length = strlen(text), signs = strlen(ellipsis);

    return length >= signs && strcmp(text + length - signs, ellipsis) == 0;
}

/* The text of one name; NULL: it would look like another. whole: nothing in which components differ is cut. */
static char *put_parts(const struct name_depth *depth, const struct cells *cells, size_t name,
                       const int widths[PLACES_MOST], const enum cut cuts[PLACES_MOST], bool *whole)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    char text[NAME_BYTES], part[NAME_BYTES];
    bool first = true;
    int used = snprintf(text, sizeof text, "%s", begins_whole(depth, name) ? "/" : "");
    int spare =
        begins_whole(depth, 0) - begins_whole(depth, name); /* what share_room() left for that slash */
    *whole = true;

    /* What its short components leave is for its long ones. */
    for (size_t place = depth->from; place < depth->to; place++) {
        const struct name_part *of = depth_part(depth, name, place);
        int width = safe_width(of->text, strlen(of->text), cells->ascii);

        spare += width < widths[place] ? widths[place] - width : 0;
    }
    for (size_t place = depth->from; place < depth->to; place++) {
        const struct name_part *of = depth_part(depth, name, place);

        if (depth->terse && is_joined(depth, place))
            continue;
        if (of->place->constant && depth->elided) {
            if ((depth->paths->one_depth || depth->paths->words) && ends_in_sign(text, ellipsis))
                continue;
            snprintf(part, sizeof part, "%s", ellipsis);
        } else if (!put_part(cells, of, widths[place] + spare, cuts[place], part, sizeof part)) {
            return NULL;
        } else if (cells_width(cells, part) > widths[place]) {
            spare -= cells_width(cells, part) - widths[place];
        }
        bool signs = strncmp(part, ellipsis, strlen(ellipsis)) == 0;
        /* What all at its place begin with may be left out, unless it is most of it. */
        *whole &= of->place->constant ||
                  (strcmp(part + signs * strlen(ellipsis), of->text + signs * of->place->shared) == 0 &&
                   (!signs || 2 * of->place->shared <= strlen(of->text)));
        const char *begin = depth->paths->of[name].of[place].at;
        const char between[] = {begin > depth->names->all[name] ? begin[-1] : '/', '\0'};
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s%s",
                         first && depth->marked && !signs ? ellipsis : "",
                         !first || (depth->marked && !signs) ? between : "", part);
        first = false;
        if (used >= (int)sizeof text)
            return NULL;
    }
    if (depth->ended && !ends_in_sign(text, ellipsis))
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", depth->paths->words ? "" : "/",
                         ellipsis);
    return used < (int)sizeof text ? xstrdup(text) : NULL;
}

/* A path with some of its components, each whole: a bit for each; signs stand for the others. */
static char *put_components(const struct name_depth *depth, const struct cells *cells, size_t name,
                            unsigned kept, char *buffer, size_t size)
{
    const char *ellipsis = cells_sign(cells, SIGN_ELLIPSIS);
    bool slash = depth->names->all[name][0] == '/', gap = depth->from > 0;
    size_t used = 0;

    for (size_t place = depth->from; place < depth->to && used < size; place++) {
        const struct name_parts *parts = &depth->paths->of[name];

        if (kept >> place & 1)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s%s%.*s",
                                     used > 0 || (slash && !gap) ? "/" : "", gap ? ellipsis : "",
                                     gap ? "/" : "", (int)parts->of[place].length, parts->of[place].at);
        gap = !(kept >> place & 1);
    }
    if (used < size && (gap || depth->to < depth->count))
        snprintf(buffer + used, size - used, "/%s", ellipsis);
    return buffer;
}

static bool is_same_path(const struct name_parts *a, const struct name_parts *b)
{
    size_t same = 0;

    while (a->count == b->count && same < a->count && is_same_part(a, same, b, same))
        same++;
    return a->count == b->count && same == a->count;
}

/* No other path has all of these components, in whatever places. */
static bool is_only_one_with(const struct name_depth *depth, size_t name, unsigned kept)
{
    const struct name_parts *parts = &depth->paths->of[name];

    for (size_t i = 0; i < depth->paths->count; i++) {
        const struct name_parts *others = &depth->paths->of[i];
        size_t place = 0;

        for (size_t j = 0; j < others->count; j++) {
            while (place < parts->count && !(kept >> place & 1))
                place++;
            place += place < parts->count && is_same_part(parts, place, others, j);
        }
        if (kept >> place == 0 && !is_same_path(parts, others))
            return false;
    }
    return true;
}

/*
 * As many whole components as have room, if they say which path it is: the rarest first. Parts of each would say less.
 * NULL: they do not.
 */
static char *find_whole(const struct name_depth *depth, const struct cells *cells, size_t name, int room)
{
    unsigned kept = 0, tried = 0;
    char text[NAME_BYTES];

    for (size_t turn = depth->from; turn < depth->to; turn++) {
        size_t rarest = depth->to;

        for (size_t place = depth->from; place < depth->to; place++)
            if (!(tried >> place & 1) && (rarest == depth->to || depth_part(depth, name, place)->same <=
                                                                     depth_part(depth, name, rarest)->same))
                rarest = place;
        tried |= 1U << rarest;
        put_components(depth, cells, name, kept | 1U << rarest, text, sizeof text);
        if (!depth->places[rarest].constant && cells_width(cells, text) <= room)
            kept |= 1U << rarest;
    }
    if (kept == 0 || !is_only_one_with(depth, name, kept))
        return NULL;
    return xstrdup(put_components(depth, cells, name, kept, text, sizeof text));
}

static size_t components_in(const char *text, size_t length, bool words)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += words ? is_separator(text[i]) : text[i] == '/';
    return count;
}

/* Whether names of this depth have no room, and differ in several components. */
static bool is_for_parts(const struct name_depth *depth, const struct cells *cells, int room)
{
    const struct names *names = depth->names;
    size_t differ = 0;
    bool fit = names->before + names->after == 0;

    for (size_t i = 0; fit && i < names->count; i++)
        fit = !is_of_depth(depth, i) || cells_width(cells, names->all[i]) <= room;
    for (size_t place = depth->from; !fit && place < depth->to; place++)
        differ += !depth->places[place].constant;
    return differ > 1;
}

/* Shows all names of one depth; false: some would look the same. */
static bool put_depth(struct name_depth *depth, struct names *names, const struct cells *cells, int room)
{
    char **shown = xcalloc(names->count, sizeof *shown);
    int widths[PLACES_MOST];
    enum cut cuts[PLACES_MOST];
    bool done = true;

    depth->marked = depth->from > 0 && !depth->terse;
    depth->ended = depth->to < depth->count && !depth->terse;
    depth->elided = depth->terse;
    share_room(depth, cells, room, widths);
    for (size_t place = depth->from; place < depth->to; place++)
        cuts[place] = choose_cut(depth, cells, place, widths[place]);
    for (size_t i = 0; i < names->count; i++)
        if (done && is_of_depth(depth, i)) {
            bool whole = names->before + names->after == 0 && cells_width(cells, names->all[i]) <= room;
            shown[i] = whole ? xstrdup(names->all[i]) : put_parts(depth, cells, i, widths, cuts, &whole);
            char *better = whole || depth->paths->words ? NULL : find_whole(depth, cells, i, room);
            if (better != NULL) {
                free(shown[i]);
                shown[i] = better;
            }
            done = shown[i] != NULL && cells_width(cells, shown[i]) <= room;
        }
    for (size_t i = 0; i < names->count; i++)
        if (done && is_of_depth(depth, i)) {
            free(names->shown[i]);
            names->shown[i] = shown[i];
        } else {
            free(shown[i]);
        }
    free(shown);
    return done;
}

static void fit_depth(struct names *names, const struct cells *cells, const struct name_paths *paths,
                      size_t count, int room)
{
    const char *first = names->all[0], *end = first + strlen(first) - names->after;
    size_t before = components_in(first, names->before, paths->words);
    size_t after = components_in(end, names->after, paths->words);
    struct name_depth depth = {.names = names, .paths = paths, .count = count};

    if (names->before > 0 && first[names->before] == '/')
        before++;
    if (names->before > 0 && first[0] == '/')
        before--;
    depth.from = before > paths->before ? before : paths->before;
    depth.to = count - (after > paths->after ? after : paths->after);
    for (size_t place = depth.from; place < depth.to; place++)
        depth.places[place] = place_of(paths, count, place);
    if (!is_for_parts(&depth, cells, room))
        return;
    depth.parts = xcalloc(names->count * PLACES_MOST, sizeof *depth.parts);
    for (size_t i = 0; i < names->count; i++)
        for (size_t place = depth.from; is_of_depth(&depth, i) && place < depth.to; place++)
            depth.parts[i * PLACES_MOST + place] = part_of(paths, &paths->of[i], place, &depth.places[place]);
    bool done = put_depth(&depth, names, cells, room);

    depth.terse = !done && paths->one_depth;
    if (depth.terse)
        done = put_depth(&depth, names, cells, room);
    names->by_component |= done;
    for (size_t i = 0; i < names->count; i++)
        if (!done && !paths->words && is_of_depth(&depth, i) && names->shown[i] == NULL)
            names->shown[i] = find_whole(&depth, cells, i, room);
    for (size_t i = 0; i < names->count * PLACES_MOST; i++)
        free(depth.parts[i].text);
    free(depth.parts);
}

/* Those that are shown, and then those that they are told from. False: one that is shown has no components. */
static bool name_paths_of(struct name_paths *paths, const struct names *names, size_t depths[PLACES_MOST + 1])
{
    const struct model *model = names->among;
    size_t most = names->count;
    bool all = true;

    for (size_t i = 0; model != NULL && i < model->cluster_count; i++)
        most += model->clusters[i].election_count;
    paths->of = xcalloc(most, sizeof *paths->of);
    for (size_t i = 0; i < names->count; i++) {
        all &= name_paths_add(paths, names->all[i]);
        depths[paths->of[i].count] += names->shown[i] == NULL;
    }
    for (size_t i = 0; model != NULL && i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const char *other = other_of(names, model->clusters[i].elections[j]);

            if (other != NULL)
                name_paths_add(paths, other);
        }
    return all;
}

/* The same of words, where no form of a beginning and an end tells names apart. */
static size_t fit_words(struct names *names, const struct cells *cells, int room, struct name_lookup *taken)
{
    struct name_paths paths = {.words = true};
    size_t depths[PLACES_MOST + 1] = {0}, open = 0;

    name_paths_of(&paths, names, depths);
    for (size_t depth = 2; depth <= PLACES_MOST; depth++)
        if (depths[depth] > 0)
            fit_depth(names, cells, &paths, depth, room);
    for (size_t i = 0; i < names->count; i++)
        if (names->shown[i] == NULL)
            open++;
        else
            name_lookup_set(taken, names->shown[i], strlen(names->shown[i]), 0);
    free(paths.of);
    return open;
}

/* Cuts the components of paths that differ in several of them, each among those at its place. taken: the texts that
   are shown then. */
static void fit_paths(struct names *names, const struct cells *cells, int room, struct name_lookup *taken)
{
    struct name_paths paths = {0};
    size_t depths[PLACES_MOST + 1] = {0};
    bool all = name_paths_of(&paths, names, depths);

    if (all)
        paths_find_shared(&paths);
    for (size_t depth = 2; all && depth <= PLACES_MOST; depth++)
        if (depths[depth] > 0)
            fit_depth(names, cells, &paths, depth, room);
    for (size_t i = 0; i < names->count; i++)
        if (names->shown[i] != NULL)
            name_lookup_set(taken, names->shown[i], strlen(names->shown[i]), 0);
        else
            all = false;
    while (all && names->before > 0 && names->all[0][names->before] != '/')
        names->before--; /* whole components are dropped */
    free(paths.of);
}

void names_fit(struct names *names, const struct cells *cells, int room)
{
    struct name_lookup taken = {0};
    char text[NAME_BYTES];
    size_t open, longest = 0;
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
    if (names->count > 1 && !numbered && !names->keep_shared) {
        find_shared(names);
        keep_what_fits(names, cells, room);
    }
    fit_paths(names, cells, room, &taken);
    struct alike *alike = names->among != NULL ? xcalloc(names->count, sizeof *alike) : NULL;
    for (size_t i = 0; alike != NULL && i < names->count; i++)
        if (names->shown[i] == NULL)
            alike[i] = find_alike(names, names->all[i]);
    open = settle_form(names, cells, room, (struct form){AS_USUAL, false, 0}, false, &taken, alike);
    for (int words = 1; words >= 0; words--) /* the word in which they differ, better than a part of it */
        for (int head = words; open > 0 && head < room; head++)
            open = settle_form(names, cells, room, (struct form){head, !words, 0}, words, &taken, alike);
    if (open > 0)
        open = fit_words(names, cells, room, &taken);
    for (size_t at = 1; open > 0 && at < longest && at < NAME_BYTES; at += (size_t)(room + 3) / 4)
        open = settle_form(names, cells, room, (struct form){AS_USUAL, false, at}, false, &taken, alike);
    names->alike = open;
    for (size_t i = 0; i < names->count; i++)
        if (names->shown[i] == NULL)
            names->shown[i] = xstrdup(put_in_form(names, cells, names->all[i], room,
                                                  (struct form){AS_USUAL, false, 0}, text, sizeof text));
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

    snprintf(buffer, size, "%s%.*s%s%s", names->told != NULL ? names->told : "", (int)names->before, first,
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
    int from_width = cells_width(cells, from), to_width = cells_width(cells, to);
    int half = (room - between) / 2, rest = room - between - (from_width < to_width ? from_width : to_width);
    struct names pair = {.keep_shared = true};

    if (names == NULL && from_width + between + to_width > room) {
        names_add(&pair, from);
        names_add(&pair, to);
        names_fit(&pair, cells, rest > half ? rest : half);
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
    if (names->in_heading > 0 && names->in_heading < names->before) /* the rest is in the rows */
        snprintf(shared, sizeof shared, "%.*s%s", (int)names->in_heading, names->all[0],
                 cells_sign(cells, SIGN_ELLIPSIS));
    int room = column->width - used;
    if (shared[0] == '\0' || (room < SHARED_CUT && cells_width(cells, shared) > room))
        return;
    if (names->after > 0 || shared[0] == '/')
        name_put(cells, column->x + used, y, room, ROLE_DIM, shared);
    else /* the end of it is in the rows that have room */
        cells_put(cells, column->x + used, y, room, ROLE_DIM, shared);
}
