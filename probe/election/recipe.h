/*
 * recipe.h - the election layouts of real systems, as one table, and how to recognise one.
 *
 * A recipe says how candidates are named, what they watch, and how a leader acknowledges. The built-in
 * table comes from the sources of the systems that it names; users add their own rows.
 */
#ifndef ELECTOP_PROBE_ELECTION_RECIPE_H
#define ELECTOP_PROBE_ELECTION_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

enum recipe_family {
    FAMILY_SEQUENCE, /* ephemeral sequential children of one directory; the smallest number leads */
    FAMILY_LOCK,     /* one ephemeral znode at a fixed path; its owner leads */
    FAMILY_HYBRID    /* a sequence, and an acknowledgement with which the leader acknowledges */
};

enum recipe_watches {
    WATCHES_PREDECESSOR,
    WATCHES_LEADER,
    WATCHES_CHILDREN,
    WATCHES_NOTHING,
    WATCHES_UNKNOWN
};

/* What the layout is used for. */
enum recipe_nature {
    NATURE_ANY,    /* elections, locks, and semaphores, whose members watch one further ahead */
    NATURE_EITHER, /* elections and locks alike: the names do not tell */
    NATURE_LEADS,  /* there must be a leader */
    NATURE_LOCKS   /* it may be free */
};

/* Where the leader's acknowledgement is, seen from the election. */
enum ack_place {
    ACK_PLACE_NONE,
    ACK_PLACE_NODE, /* a znode: acknowledgement is a path relative to the election ("../leader"), or absolute
                     */
    ACK_PLACE_PARENT_DATA, /* the data of the election's own directory */
    ACK_PLACE_REGISTRY     /* a directory: a child of it owned by the leader's session */
};

struct recipe {
    const char *name;  /* one word, as the configuration and --recipes spell it: "curator-latch" */
    const char *title; /* for people: "Curator LeaderLatch" */
    enum recipe_family family;
    const char *candidate; /* PCRE2 over a candidate's name. Named groups: seq (or the first group), and
                              optional: guid, session_hex, session_dec, who, and read (set: a reader of a
                              read-write lock). NULL for locks. */
    const char *path;      /* PCRE2 over the election's path that must match too, or NULL */
    bool signature;        /* the names alone prove the recipe; else they only look like it */
    enum recipe_watches watches;
    enum ack_place ack_place;
    const char *ack;    /* see ack_place, or NULL. "{parent}" in it is the name of the directory
                            that contains the election. Several znodes, with a space between them: the leader
                            writes them all. A leading '?': versions of the layout differ in this */
    const char *source; /* where this row was read */
    enum recipe_nature nature;
    const char
        *members; /* a directory, as acknowledgement: its entries, owned by the members' sessions, say who
                     they are; or NULL. With '=' in front the entries' names do, and not their data */
};

/* Limits of names: a sequence number is an int32 printed with %010d by the server. */
#define SEQUENCE_NONE INT64_MIN

/* What a candidate's name says. Pieces point into the name; NULL where it has none. */
struct candidate_name {
    int64_t sequence;
    const char *guid;
    size_t guid_length;
    const char *who;
    size_t who_length;
    uint64_t session; /* named in it; 0: none */
    bool reads;       /* a reader of a read-write lock */
};

/* A compiled table: the built-in rows and the user's. */
struct recipe_book;

/*
 * Compiles the built-in rows and the user's; NULL and a text in *error (caller frees) for a bad one. A row
 * whose name is its own pattern serves those who name it, and is never guessed.
 */
struct recipe_book *recipe_book_new(const struct recipe_settings *own, size_t own_count, char **error);
void recipe_book_free(struct recipe_book *book);
/* One more owner: each frees it once. */
struct recipe_book *recipe_book_share(struct recipe_book *book);

size_t recipe_book_count(const struct recipe_book *book);
const struct recipe *recipe_book_at(const struct recipe_book *book, size_t i);
/* By name; NULL: there is none. */
const struct recipe *recipe_book_find(const struct recipe_book *book, const char *name);

/* The rows for "anything and ten digits" and "an ephemeral znode at the path itself". */
const struct recipe *recipe_any_sequence(const struct recipe_book *book);
const struct recipe *recipe_any_lock(const struct recipe_book *book);

/* Does this name fit the recipe's candidates? Fills *out when it does. */
bool recipe_parse_name(const struct recipe_book *book, const struct recipe *recipe, const char *name,
                       struct candidate_name *out);

/*
 * Which recipe a directory's children (or, for locks, the path itself) follow. Fixed paths first, then
 * specific names, then the generic "anything and ten digits". A row is chosen when most of the sample's
 * sequential names fit it; the user's rows come first. NULL: nothing fits, or the path is known not to be
 * an election although it looks like one. Pure: looks only at names.
 */
const struct recipe *recipe_recognise(const struct recipe_book *book, const char *path, char *const *names,
                                      size_t count);

/*
 * The number at the end of a sequential name. The sign trap: in "latch-0000000007" the '-' separates;
 * a real negative is "--2147483648" or '-' and nine digits after another character ("n_-214748364").
 * SEQUENCE_NONE: the name does not end in a sequence number.
 */
int64_t recipe_sequence_of(const char *name);

/* The path of the acknowledgement for an election of this recipe: malloc'd, or NULL where it has none.
   configured (absolute; may be NULL) wins over the recipe's own. */
char *recipe_ack_path(const struct recipe *recipe, const char *election_path, const char *configured);
/* Another version of the layout may acknowledge elsewhere. */
bool recipe_ack_varies(const struct recipe *recipe);
/* Of a layout whose leader writes several: the others, i = 0, 1 ...; NULL: no more. */
char *recipe_further_ack(const struct recipe *recipe, const char *election_path, size_t i);
/* The directory of its members' entries; NULL: it has none. */
char *recipe_members_path(const struct recipe *recipe, const char *election_path);

/* ---- between the configuration, which names recipes, and the recipes that there are ---- */

/* The names of the built-in ones, for the configuration's own checks: NULL-terminated, and the array (not
   its strings) the caller's to free. */
const char **recipes_names(void);

/* Can all recipes of the user be compiled? False with the error in *error ("error; remedy",
   caller frees). */
bool recipes_check(const struct settings *settings, char **error);

/* All recipes that the settings speak of: built in, the user's own, and patterns that elections name in place
   of a recipe. NULL and *error as above. */
struct recipe_book *recipes_of(const struct settings *settings, char **error);

/*
 * The built-in layouts, one row each (recipe_table.c).
 *
 * Order matters: fixed paths first, then the specific names, the most specific ones before the others. The
 * last two rows are the generic ones.
 */

#define RECIPE_ANY_SEQUENCE "sequence"
#define RECIPE_ANY_LOCK "lock"

/* PCRE2 over paths of directories that look like elections and are none. */
#define RECIPE_NOT_AN_ELECTION "(^|/)(coordinators|workers)_service_registry$|/leader/election/latch$"

extern const struct recipe recipe_table[];
extern const size_t recipe_table_count;

#endif
