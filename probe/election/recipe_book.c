#include "probe/election/recipe.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/recipe_names.h"

/* A user's pattern may be as bad as it likes: it gives up here instead of stalling the loop. */
#define MATCH_LIMIT 20000
/* Each step back keeps all its groups, of which it may have hundreds. */
#define MATCH_KILOBYTES 4096
#define SAMPLE 64
/* Longer than any name that a recipe makes; the server's own limit on a request is 1 MB. */
#define NAME_MAX_PARSED 4096
/* The compiled patterns read this many bytes at once, also across the end of a text. */
#define VECTOR_BYTES 32
/* A short pattern may be long when it is compiled, as x{900} is, and a case may name thousands. */
#define PATTERN_MOST 1024
#define COMPILED_MOST ((size_t)16 << 20)
/* What is longer stays as it is: as machine code it would be several times longer. */
#define JIT_MOST 4096
/* From this use on a pattern is machine code. That costs five times the compiling, and most are hardly used. */
#define USES_BEFORE_JIT 64

enum part { PART_SEQ, PART_GUID, PART_SESSION_HEX, PART_SESSION_DEC, PART_WHO, PART_READ, PARTS };
static const char *const part_names[PARTS] = {"seq", "guid", "session_hex", "session_dec", "who", "read"};

struct expression {
    pcre2_code *code; /* NULL: none */
    unsigned uses;    /* up to USES_BEFORE_JIT */
};

struct recipe_row {
    struct recipe recipe;
    bool never_guessed;
    struct expression candidate, path, usual_path;
    uint32_t group[PARTS]; /* 0: has none */
};

struct recipe_book {
    struct recipe_row *rows; /* the user's first */
    size_t count;
    size_t *compiled; /* bytes of all patterns, and of their machine code */
    struct expression *not_an_election;
    pcre2_match_data *match;
    char *text; /* the subject, NAME_MAX_PARSED bytes at most, and then VECTOR_BYTES of 0 */
    pcre2_match_context *limits;
    const struct recipe *any_sequence, *any_lock;
};

static void set_error(char **error, const char *recipe, const char *what, const char *more)
{
    if (!error)
        return;
    size_t size = sizeof "recipe : " + strlen(recipe) + strlen(what) + strlen(more);
    *error = xmalloc(size);
    snprintf(*error, size, "recipe %s: %s%s", recipe, what, more);
}

static size_t size_of(const pcre2_code *code, uint32_t what)
{
    size_t size = 0;
    pcre2_pattern_info(code, what, &size);
    return size;
}

static bool compile(struct recipe_book *book, const char *recipe, const char *text,
                    struct expression *expression, char **error)
{
    int code;
    PCRE2_SIZE at;
    if (strlen(text) > PATTERN_MOST) {
        set_error(error, recipe, "its regular expression is too long; ", "1024 characters are the maximum");
        return false;
    }
    expression->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                                     PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF, &code, &at, NULL);
    if (expression->code) {
        *book->compiled += size_of(expression->code, PCRE2_INFO_SIZE);
        if (*book->compiled <= COMPILED_MOST)
            return true;
        set_error(error, recipe, "its regular expression and those before it take more than 16 MB; ",
                  "write fewer repetitions, or one recipe for several elections");
        return false;
    }
    if (code == PCRE2_ERROR_HEAP_FAILED)
        memory_exhausted();
    PCRE2_UCHAR why[160];
    if (pcre2_get_error_message(code, why, sizeof why) < 0)
        why[0] = '\0';
    char where[240];
    snprintf(where, sizeof where, "%s (at character %zu); see pcre2pattern(3)", (const char *)why,
             (size_t)at + 1);
    set_error(error, recipe, "bad regular expression: ", where);
    return false;
}

static bool compile_row(struct recipe_book *book, struct recipe_row *row, char **error)
{
    const struct recipe *recipe = &row->recipe;
    if (recipe->path && !compile(book, recipe->name, recipe->path, &row->path, error))
        return false;
    for (size_t i = 0; !recipe_is_own(&row->recipe) && i < recipe_usual_path_count; i++)
        if (strcmp(recipe_usual_paths[i].recipe, recipe->name) == 0 &&
            !compile(book, recipe->name, recipe_usual_paths[i].path, &row->usual_path, error))
            return false;
    if (!recipe->candidate)
        return true;
    if (!compile(book, recipe->name, recipe->candidate, &row->candidate, error))
        return false;
    for (int i = 0; i < PARTS; i++) {
        int group = pcre2_substring_number_from_name(row->candidate.code, (PCRE2_SPTR)part_names[i]);
        row->group[i] = group > 0 ? (uint32_t)group : 0;
    }
    if (row->group[PART_SEQ] == 0) {
        uint32_t groups = 0;
        pcre2_pattern_info(row->candidate.code, PCRE2_INFO_CAPTURECOUNT, &groups);
        if (groups == 0) {
            set_error(error, recipe->name, "its pattern has no group for the sequence number; ",
                      "put ten digits in parentheses: (\\d{10})");
            return false;
        }
        row->group[PART_SEQ] = 1;
    }
    return true;
}

static bool recipe_book_word_index(const char *word, const char *const *words, size_t count, unsigned *index)
{
    for (size_t i = 0; i < count; i++)
        if (word && strcmp(word, words[i]) == 0) {
            *index = (unsigned)i;
            return true;
        }
    return false;
}

static const char own_source[] = "configuration";

bool recipe_is_own(const struct recipe *recipe)
{
    return recipe->source == own_source;
}

static bool own_row(struct recipe_row *row, const struct recipe_settings *own, char **error)
{
    static const char *const families[] = {"sequence", "lock", "hybrid"};
    static const char *const watches[] = {"predecessor", "leader", "children", "nothing", "unknown"};
    unsigned family = FAMILY_SEQUENCE, watch = WATCHES_UNKNOWN;
    const char *name = own->name ? own->name : "?";
    if (own->family && !recipe_book_word_index(own->family, families, 3, &family)) {
        set_error(error, name, "family is sequence, lock or hybrid, not ", own->family);
        return false;
    }
    if (own->watches && !recipe_book_word_index(own->watches, watches, 5, &watch)) {
        set_error(error, name, "watches is predecessor, leader, children, nothing or unknown, not ",
                  own->watches);
        return false;
    }
    if (family != FAMILY_LOCK && !own->candidate) {
        set_error(error, name, "it needs a pattern for its candidates", "");
        return false;
    }
    row->never_guessed = own->candidate && strcmp(name, own->candidate) == 0;
    row->recipe.family = (enum recipe_family)family;
    row->recipe.watches = (enum recipe_watches)watch;
    row->recipe.signature = true;
    row->recipe.ack_place = family == FAMILY_HYBRID ? ACK_PLACE_NODE : ACK_PLACE_NONE;
    row->recipe.source = own_source;
    row->recipe.name = xstrdup(name);
    row->recipe.title = xstrdup(name);
    if (family != FAMILY_LOCK) {
        row->recipe.candidate = xstrdup(own->candidate);
    }
    return true;
}

struct recipe_book *recipe_book_new(const struct recipe_settings *own, size_t own_count, char **error)
{
    if (error)
        *error = NULL;
    struct recipe_book *book = xcalloc(1, sizeof *book);
    book->count = own_count + recipe_table_count;
    book->rows = xcalloc(book->count, sizeof *book->rows);
    book->match =
        pcre2_match_data_create(PATTERN_MOST / 2 + 1, NULL); /* the whole, and groups as short as "()" */
    book->text = xmalloc(NAME_MAX_PARSED + VECTOR_BYTES);
    book->limits = pcre2_match_context_create(NULL);
    if (!book->match || !book->limits) /* PCRE2 allocates by itself */
        memory_exhausted();
    pcre2_set_match_limit(book->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(book->limits, MATCH_KILOBYTES);
    book->compiled = xcalloc(1, sizeof *book->compiled);
    book->not_an_election = xcalloc(1, sizeof *book->not_an_election);
    if (!compile(book, "built in", RECIPE_NOT_AN_ELECTION, book->not_an_election, error))
        goto fail;
    for (size_t i = 0; i < book->count; i++) {
        struct recipe_row *row = &book->rows[i];
        if (i < own_count) {
            if (!own_row(row, &own[i], error))
                goto fail;
        } else {
            row->recipe = recipe_table[i - own_count];
        }
        if (!compile_row(book, row, error))
            goto fail;
    }
    book->any_lock = &book->rows[book->count - 1].recipe;
    book->any_sequence = &book->rows[book->count - 2].recipe;
    return book;
fail:
    recipe_book_free(book);
    return NULL;
}

void recipe_book_free(struct recipe_book *book)
{
    if (!book)
        return;
    for (size_t i = 0; book->rows && i < book->count; i++) {
        struct recipe_row *row = &book->rows[i];
        pcre2_code_free(row->candidate.code);
        pcre2_code_free(row->path.code);
        pcre2_code_free(row->usual_path.code);
        if (recipe_is_own(&row->recipe)) {
            free((void *)row->recipe.name);
            free((void *)row->recipe.title);
            free((void *)row->recipe.candidate);
        }
    }
    free(book->rows);
    if (book->not_an_election)
        pcre2_code_free(book->not_an_election->code);
    free(book->not_an_election);
    free(book->compiled);
    pcre2_match_data_free(book->match);
    free(book->text);
    pcre2_match_context_free(book->limits);
    free(book);
}

size_t recipe_book_count(const struct recipe_book *book)
{
    return book->count;
}

const struct recipe *recipe_book_at(const struct recipe_book *book, size_t i)
{
    return i < book->count ? &book->rows[i].recipe : NULL;
}

const struct recipe *recipe_book_find(const struct recipe_book *book, const char *name)
{
    for (size_t i = 0; i < book->count; i++)
        if (strcmp(book->rows[i].recipe.name, name) == 0)
            return &book->rows[i].recipe;
    return NULL;
}

const char *recipe_title(const char *name)
{
    for (size_t i = 0; i < recipe_table_count; i++)
        if (strcmp(recipe_table[i].name, name) == 0)
            return recipe_table[i].title;
    return name;
}

const struct recipe *recipe_any_lock(const struct recipe_book *book)
{
    return book->any_lock;
}

static bool recipe_book_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits to a number; SEQUENCE_NONE where it is none that the server could have printed. */
static int64_t sequence_value(const char *digits, size_t length, bool negative)
{
    int64_t value = 0;
    if (length == 0 || length > 10)
        return SEQUENCE_NONE;
    for (size_t i = 0; i < length; i++) {
        if (!recipe_book_is_digit(digits[i]))
            return SEQUENCE_NONE;
        value = value * 10 + (digits[i] - '0');
    }
    if (negative)
        value = -value;
    return value < INT32_MIN || value > INT32_MAX ? SEQUENCE_NONE : value;
}

/*
 * Eight digits at once, a byte each, the first one lowest: pairs are added up, then pairs of pairs, then
 * those. -1: not all are digits.
 */
static inline int64_t eight_digits(const char *digits)
{
    const unsigned char *d = (const unsigned char *)digits;
    uint64_t v = (uint64_t)d[0] | (uint64_t)d[1] << 8 | (uint64_t)d[2] << 16 | (uint64_t)d[3] << 24 |
                 (uint64_t)d[4] << 32 | (uint64_t)d[5] << 40 | (uint64_t)d[6] << 48 | (uint64_t)d[7] << 56;
    uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    if ((v & high) != zeros || ((v + UINT64_C(0x0606060606060606)) & high) != zeros)
        return -1;
    v -= zeros;
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (int64_t)((v * 10000 + (v >> 32)) & UINT64_C(0xffffffff));
}

/* Ten digits that begin with a zero, as nearly every name ends in; else -1. */
static inline int64_t padded_value(const char *digits)
{
    int64_t tail = digits[0] == '0' && recipe_book_is_digit(digits[1]) ? eight_digits(digits + 2) : -1;
    return tail < 0 ? -1 : (digits[1] - '0') * INT64_C(100000000) + tail;
}

int64_t recipe_sequence_of(const char *name)
{
    size_t length = strlen(name), digits = 0;
    /* Lists are long: first what needs no thought. A '-' in front of a zero separates. */
    int64_t padded = length >= 10 ? padded_value(name + length - 10) : -1;
    if (padded >= 0)
        return padded;
    while (digits < 11 && digits < length && recipe_book_is_digit(name[length - digits - 1]))
        digits++;
    if (digits < 9)
        return SEQUENCE_NONE;
    if (digits == 9)
        return length > 9 && name[length - 10] == '-' ? sequence_value(name + length - 9, 9, true)
                                                      : SEQUENCE_NONE;
    const char *number = name + length - 10;
    int64_t value = sequence_value(number, 10, false);
    if (digits > 10 || length == 10 || number[-1] != '-')
        return value;
    /* A '-' comes before. Ten digits after a sign begin with none of the zeros that pad a number, and have
       a sign if another separator (or nothing) comes before, or if no positive number could
       be printed so. */
    char before = length > 11 ? number[-2] : '-';
    if (number[0] != '0' && (before == '-' || before == '_' || value == SEQUENCE_NONE))
        return sequence_value(number, 10, true);
    return value;
}

static bool matches(const struct recipe_book *book, struct expression *expression, const char *text,
                    size_t length)
{
    /* Where memory may not be made executable the interpreter does, only slower. */
    if (expression->uses < USES_BEFORE_JIT && ++expression->uses == USES_BEFORE_JIT &&
        size_of(expression->code, PCRE2_INFO_SIZE) <= JIT_MOST && *book->compiled < COMPILED_MOST &&
        pcre2_jit_compile(expression->code, PCRE2_JIT_COMPLETE) == 0)
        *book->compiled += size_of(expression->code, PCRE2_INFO_JITSIZE);
    if (length <= NAME_MAX_PARSED) {
        memcpy(book->text, text, length);
        memset(book->text + length, 0, VECTOR_BYTES);
        text = book->text;
    }
    return pcre2_match(expression->code, (PCRE2_SPTR)text, length, 0, 0, book->match, book->limits) > 0;
}

static uint64_t parse_session(const char *text, size_t length, int base)
{
    bool negative = length > 0 && text[0] == '-';
    uint64_t value = 0;
    for (size_t i = negative; i < length; i++) {
        char c = text[i];
        unsigned digit = recipe_book_is_digit(c) ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f'  ? (unsigned)(c - 'a') + 10
                                                 : (unsigned)(c - 'A') + 10;
        if (value > (UINT64_MAX - digit) / (unsigned)base)
            return 0;
        value = value * (unsigned)base + digit;
    }
    return negative ? 0 - value : value;
}

bool recipe_parse_name(const struct recipe_book *book, const struct recipe *recipe, const char *name,
                       struct candidate_name *out)
{
    struct recipe_row *row = (struct recipe_row *)(uintptr_t)recipe;
    *out = (struct candidate_name){.sequence = SEQUENCE_NONE};
    if (!row->candidate.code)
        return false;
    if (recipe == book->any_sequence) {
        out->sequence = recipe_sequence_of(name);
        return out->sequence != SEQUENCE_NONE;
    }
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX_PARSED || !recipe_book_is_digit(name[length - 1]) ||
        !matches(book, &row->candidate, name, length))
        return false;

    const PCRE2_SIZE *spans = pcre2_get_ovector_pointer(book->match);
    const char *part[PARTS] = {0};
    size_t part_length[PARTS] = {0};
    uint32_t groups = pcre2_get_ovector_count(book->match);
    for (int i = 0; i < PARTS; i++) {
        uint32_t group = row->group[i];
        if (group == 0 || group >= groups || spans[2 * group] == PCRE2_UNSET ||
            spans[2 * group + 1] < spans[2 * group])
            continue;
        part[i] = name + spans[2 * group];
        part_length[i] = spans[2 * group + 1] - spans[2 * group];
    }
    const char *digits = part[PART_SEQ];
    if (!digits)
        return false;
    bool negative = digits[0] == '-' && part_length[PART_SEQ] > 0;
    out->sequence = sequence_value(digits + negative, part_length[PART_SEQ] - negative, negative);
    if (out->sequence == SEQUENCE_NONE)
        return false;
    out->guid = part[PART_GUID];
    out->guid_length = part_length[PART_GUID];
    out->who = part[PART_WHO];
    out->who_length = part_length[PART_WHO];
    out->reads = part_length[PART_READ] > 0;
    if (part[PART_SESSION_HEX])
        out->session = parse_session(part[PART_SESSION_HEX], part_length[PART_SESSION_HEX], 16);
    else if (part[PART_SESSION_DEC])
        out->session = parse_session(part[PART_SESSION_DEC], part_length[PART_SESSION_DEC], 10);
    return true;
}

const struct recipe *recipe_recognise(const struct recipe_book *book, const char *path, char *const *names,
                                      size_t count)
{
    const char *sample[SAMPLE];
    size_t sampled = 0, path_length = strlen(path);
    for (size_t i = 0; i < count && sampled < SAMPLE; i++)
        /* An encoded URL (Dubbo's) may end in a time stamp. */
        if (recipe_sequence_of(names[i]) != SEQUENCE_NONE && !strstr(names[i], "%3A%2F%2F"))
            sample[sampled++] = names[i];
    if (path_length > NAME_MAX_PARSED || matches(book, book->not_an_election, path, path_length))
        return NULL;
    for (size_t i = 0; i < book->count; i++) {
        struct recipe_row *row = &book->rows[i];
        if (row->never_guessed || (row->path.code && !matches(book, &row->path, path, path_length)))
            continue;
        if (row->recipe.family == FAMILY_LOCK) {
            if (row->path.code && sampled == 0)
                return &row->recipe;
            continue;
        }
        size_t fits = 0;
        struct candidate_name parsed;
        for (size_t k = 0; k < sampled; k++)
            fits += recipe_parse_name(book, &row->recipe, sample[k], &parsed);
        if (fits * 2 > sampled)
            return &row->recipe;
    }
    return NULL;
}

/* "/a/b" and "../c/{parent}" make "/a/c/a"; one '..' too many stays at the root. */
static char *resolve(const char *election_path, const char *ack)
{
    size_t path_length = strlen(election_path);
    const char *last = strrchr(election_path, '/');
    const char *parent_end = last ? last : election_path, *parent = parent_end;
    while (parent > election_path && parent[-1] != '/')
        parent--;
    size_t parent_length = (size_t)(parent_end - parent);

    char *out = xmalloc(path_length + strlen(ack) * (parent_length + 1) + 2);
    memcpy(out, election_path, path_length);
    size_t length = path_length > 1 ? path_length : 0;
    while (*ack) {
        size_t part = strcspn(ack, "/");
        if (part == 2 && memcmp(ack, "..", 2) == 0) {
            while (length > 0 && out[--length] != '/')
                continue;
        } else if (part > 0) {
            out[length++] = '/';
            if (part == 8 && memcmp(ack, "{parent}", 8) == 0) {
                memcpy(out + length, parent, parent_length);
                length += parent_length;
            } else {
                memcpy(out + length, ack, part);
                length += part;
            }
        }
        ack += part + (ack[part] == '/');
    }
    out[length] = '\0';
    return out;
}

/* The path that the nth of several words names; NULL: there are fewer. */
static char *nth_path(const char *words, const char *election_path, size_t n)
{
    char word[256];
    for (; n > 0 && *words; n--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    if (!*words)
        return NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    return word[0] == '/' ? xstrdup(word) : resolve(election_path, word);
}

bool recipe_ack_varies(const struct recipe *recipe)
{
    return recipe->ack && recipe->ack[0] == '?';
}

static const char *acks_of(const struct recipe *recipe)
{
    return recipe->ack + recipe_ack_varies(recipe);
}

char *recipe_ack_path(const struct recipe *recipe, const char *election_path)
{
    if (recipe->ack_place == ACK_PLACE_PARENT_DATA)
        return xstrdup(election_path);
    if (recipe->ack_place == ACK_PLACE_NONE || !recipe->ack)
        return NULL;
    return nth_path(acks_of(recipe), election_path, 0);
}

char *recipe_further_ack(const struct recipe *recipe, const char *election_path, size_t i)
{
    return recipe->ack_place == ACK_PLACE_NODE && recipe->ack
               ? nth_path(acks_of(recipe), election_path, i + 1)
               : NULL;
}

char *recipe_members_path(const struct recipe *recipe, const char *election_path)
{
    return recipe->members ? nth_path(recipe->members + (recipe->members[0] == '='), election_path, 0) : NULL;
}

struct recipe_book *recipes_of(const struct settings *settings, char **error)
{
    *error = NULL;
    size_t count = settings->recipe_count;
    for (size_t i = 0; i < settings->cluster_count; i++)
        count += settings->clusters[i].election_count;
    struct recipe_settings *own = xcalloc(count + 1, sizeof *own);
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
    const char **names = xcalloc(recipe_table_count + 1, sizeof *names);
    for (size_t i = 0; i < recipe_table_count; i++)
        names[i] = recipe_table[i].name;
    return names;
}

bool recipes_check(const struct settings *settings, char **error)
{
    struct recipe_book *book = recipes_of(settings, error);
    recipe_book_free(book);
    return book != NULL;
}

/* ---- elections without candidates ---- */

const struct recipe *recipe_of_path(const struct recipe_book *book, const char *path)
{
    size_t length = strlen(path);
    if (length > NAME_MAX_PARSED)
        return NULL;
    for (size_t i = 0; i < book->count; i++) {
        struct recipe_row *row = &book->rows[i];
        if (row->recipe.family == FAMILY_LOCK || row->recipe.nature != NATURE_LEADS)
            continue;
        if ((row->path.code && matches(book, &row->path, path, length)) ||
            (row->usual_path.code && matches(book, &row->usual_path, path, length)))
            return &row->recipe;
    }
    return NULL;
}

const struct recipe *recipe_of_mark(const struct recipe_book *book, char *const *names, size_t count)
{
    for (size_t i = 0; i < book->count; i++) {
        const struct recipe *recipe = &book->rows[i].recipe;
        if (recipe->ack_place == ACK_PLACE_NODE && recipe->ack && !strchr(recipe->ack, '/') &&
            text_is_among(recipe->ack, names, count))
            return recipe;
    }
    return NULL;
}

/* The first component of a path that is written as "../NAME", or "=../NAME/...". Its length, or 0. */
static size_t sibling_in(const char *relative, const char **name)
{
    if (!relative)
        return 0;
    relative += strspn(relative, "=?");
    *name = relative + 3;
    size_t length = strncmp(relative, "../", 3) == 0 ? strcspn(*name, "/ ") : 0;
    return length == 2 && strncmp(*name, "..", 2) == 0 ? 0 : length;
}

static bool recipe_book_is_among(char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], name, length) == 0 && names[i][length] == '\0')
            return true;
    return false;
}

/* What must lie below that sibling: "/ids" of "../brokers/ids"; "": nothing. Its length. */
static size_t below_sibling(const char *sibling, size_t length)
{
    return strcspn(sibling + length, " ");
}

/* The name at the end of a lock's path: the part after the last '/' or group. */
static size_t last_name(const char *pattern, const char **name)
{
    size_t end = strcspn(pattern, "$"), at = end;
    while (at > 0 && pattern[at - 1] != '/' && pattern[at - 1] != ')')
        at--;
    *name = pattern + at;
    return strcspn(*name, "[]+*?.\\$") == end - at ? end - at : 0;
}

/* The name before the last one belongs to the layout, too: "/CONTROLLER/" of "/CONTROLLER/LEADER". */
static bool names_its_directory(const char *pattern, const char *name)
{
    const char *end = name - 1, *at = end;
    while (end > pattern && *end == '/' && at > pattern && (isalpha((unsigned char)at[-1]) || at[-1] == '_'))
        at--;
    return at < end && at > pattern && (at[-1] == '/' || at[-1] == ')');
}

bool recipe_leader_place(const struct recipe_book *book, const char *path, char *const *names, size_t count,
                         size_t *row_at, struct leader_place *place)
{
    const char *directory = strcmp(path, "/") == 0 ? "" : path;
    for (; *row_at < book->count; ++*row_at) {
        struct recipe_row *row = &book->rows[*row_at];
        const struct recipe *recipe = &row->recipe;
        const char *name, *sibling = NULL;
        if (!row->path.code || recipe->family != FAMILY_LOCK || recipe->nature != NATURE_LEADS)
            continue;
        size_t length = sibling_in(recipe->members, &sibling);
        if (length == 0)
            length = sibling_in(recipe->ack, &sibling);
        size_t own = last_name(recipe->path, &name);
        bool belongs = length > 0 ? recipe_book_is_among(names, count, sibling, length)
                                  : own > 0 && names_its_directory(recipe->path, name);
        if (own == 0 || !belongs)
            continue;
        char *at = text_format("%s/%.*s", directory, (int)own, name);
        if (!matches(book, &row->path, at, strlen(at))) {
            free(at);
            continue;
        }
        size_t below = length > 0 ? below_sibling(sibling, length) : 0;
        *place = (struct leader_place){
            .path = at, .missing = !recipe_book_is_among(names, count, name, own), .by_path = length == 0};
        if (below > 0)
            place->proof = text_format("%s/%.*s", directory, (int)(length + below), sibling);
        ++*row_at;
        return true;
    }
    return false;
}
