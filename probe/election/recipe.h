/*
 * recipe.h - the election layouts of real systems, in one table, and how to recognise them.
 *
 * A recipe defines how candidates are named, what they watch, and how a leader acknowledges. The built-in
 * table comes from the sources of the systems that it names; users can add rows.
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
    FAMILY_HYBRID    /* a sequence in which the leader also writes an acknowledgement */
};

enum recipe_watches {
    WATCHES_PREDECESSOR,
    WATCHES_LEADER,
    WATCHES_CHILDREN,
    WATCHES_NOTHING,
    WATCHES_UNKNOWN,
    WATCHES_MEMBER /* the first znode of the member before it: a member may have several, with one GUID */
};

/* The purpose of the layout. */
enum recipe_nature {
    NATURE_EITHER, /* elections and locks: the names do not show which; a user's own recipe is one of these */
    NATURE_ANY,    /* elections, locks, and semaphores, whose members watch a candidate further ahead */
    NATURE_LEADS,  /* there must be a leader */
    NATURE_LOCKS   /* it may be free */
};

/* The location of the leader's acknowledgement, relative to the election. */
enum ack_place {
    ACK_PLACE_NONE,
    ACK_PLACE_NODE, /* a znode: acknowledgement is a path relative to the election ("../leader"), or absolute
                     */
    ACK_PLACE_PARENT_DATA, /* the data of the election's own directory */
    ACK_PLACE_REGISTRY     /* a directory: a child of it owned by the leader's session */
};

struct recipe {
    const char *name;  /* one word, as in the configuration and --recipes: "curator-latch" */
    const char *title; /* for the user: "Curator LeaderLatch" */
    enum recipe_family family;
    const char *candidate; /* PCRE2 over a candidate's name. Named groups: seq (or the first group), and
                              optional: guid, session_hex, session_dec, who, and read (set: a reader of a
                              read-write lock). NULL for locks. */
    const char *path;      /* PCRE2 over the election's path that must match too, or NULL */
    bool signature;        /* the names alone prove the recipe; else they only suggest it */
    enum recipe_watches watches;
    enum ack_place ack_place;
    const char *ack; /* see ack_place, or NULL. "{parent}" means the name of the directory that contains the
                        election. Several znodes, separated by spaces: the leader writes them all. A leading
                        '?': versions of the layout differ */
    const char *source; /* the source of this row */
    enum recipe_nature nature;
    const char *
        members; /* a directory (written as in acknowledgement) whose entries, owned by the members' sessions,
                    identify them; or NULL. With a leading '=' their names identify them, not their data */
};

/* Limits of names: a sequence number is an int32 printed with %010d by the server. */
#define SEQUENCE_NONE INT64_MIN
/* As a server appends them to a name. */
#define SEQUENCE_DIGITS 10

/* The parts of a candidate's name. They point into the name; NULL if missing. */
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
 * Compiles the built-in rows and the user's; NULL and a text in *error (the caller frees it) for an invalid
 * one. A row whose name is its own pattern is used only by elections that name it, and is never guessed.
 */
struct recipe_book *recipe_book_new(const struct recipe_settings *own, size_t own_count, char **error);
/* It comes from the configuration: nothing is known of its clients but what the row says. */
bool recipe_is_own(const struct recipe *recipe);
void recipe_book_free(struct recipe_book *book);

size_t recipe_book_count(const struct recipe_book *book);
const struct recipe *recipe_book_at(const struct recipe_book *book, size_t i);
/* Finds a row by name; NULL: none. */
const struct recipe *recipe_book_find(const struct recipe_book *book, const char *name);

/* The title of the built-in row of this name, as a recording keeps it; else the name. */
const char *recipe_title(const char *name);

/* The generic row: "an ephemeral znode at the path itself". */
const struct recipe *recipe_any_lock(const struct recipe_book *book);

/* Whether this name fits the recipe's candidates; if so, fills *out. */
bool recipe_parse_name(const struct recipe_book *book, const struct recipe *recipe, const char *name,
                       struct candidate_name *out);

/*
 * Finds the recipe of a directory by its children (or, for locks, by the path itself): fixed paths first,
 * then specific names, then the generic "anything and ten digits". A row matches if most of the sample's
 * sequential names fit it; the user's rows come first. NULL: nothing fits, or the path is known to be another
 * layout that looks like an election. Pure: uses only names.
 */
const struct recipe *recipe_recognise(const struct recipe_book *book, const char *path, char *const *names,
                                      size_t count);

/* The recipe that has its elections (not its locks) at this path, whatever its children are; NULL: none has. */
const struct recipe *recipe_of_path(const struct recipe_book *book, const char *path);

/* The recipe whose leader's mark is one of these children; NULL: none is. */
const struct recipe *recipe_of_mark(const struct recipe_book *book, char *const *names, size_t count);

/* Where a leader's own znode is, or would be, in a directory of a layout that has one. */
struct leader_place {
    char *path;   /* malloc'd */
    char *proof;  /* malloc'd path of what is there if this is the layout; NULL: the names show it */
    bool missing; /* the znode; else it is there, whoever owns it */
    bool by_path; /* its path alone shows the layout, and nothing that lies beside it */
};
/* Those of this directory, one a call; *row begins with 0. False: no more. */
bool recipe_leader_place(const struct recipe_book *book, const char *path, char *const *names, size_t count,
                         size_t *row, struct leader_place *place);

/*
 * The number at the end of a sequential name. Beware of the sign: in "latch-0000000007" the '-' separates; a
 * real negative is "--2147483648" or '-' and nine digits after another character ("n_-214748364").
 * SEQUENCE_NONE: no sequence number.
 */
int64_t recipe_sequence_of(const char *name);

/* The path of the acknowledgement for an election of this recipe: malloc'd, or NULL if it has none. */
char *recipe_ack_path(const struct recipe *recipe, const char *election_path);
/* Another version of the layout may use another path. */
bool recipe_ack_varies(const struct recipe *recipe);
/* If the leader writes several acknowledgements: the others, i = 0, 1 ...; NULL: no more. */
char *recipe_further_ack(const struct recipe *recipe, const char *election_path, size_t i);
/* The directory of its members' entries; NULL: it has none. */
char *recipe_members_path(const struct recipe *recipe, const char *election_path);

/* ---- recipes for the configuration ---- */

/* The names of the built-in recipes, for checks of the configuration: NULL-terminated. The caller frees the
 * array, not its strings. */
const char **recipes_names(void);

/* Whether all recipes of the user compile. False with the error in *error ("error; remedy"; the caller frees
 * it). */
bool recipes_check(const struct settings *settings, char **error);

/* All recipes of the settings: built in, the user's own, and patterns that elections give instead of a
 * recipe. NULL and *error as above. */
struct recipe_book *recipes_of(const struct settings *settings, char **error);

/*
 * The built-in layouts, one row each (recipe_table.c).
 *
 * Order matters: fixed paths first, then specific names, the most specific first. The last two rows are the
 * generic ones.
 */

#define RECIPE_ANY_SEQUENCE "sequence"
#define RECIPE_ANY_LOCK "lock"

/* PCRE2 over paths of directories that look like elections but are not. */
#define RECIPE_NOT_AN_ELECTION                                                                               \
    "(^|/)(coordinators|workers)_service_registry$|/hs2ActivePassiveHA[^/]*/instances$"

/* In a candidate's data: every candidate leads, and none watches (ClickHouse 20.6 to 21.11). */
#define RECIPE_EACH_LEADS "(multiple leaders Ok)"
/* The persistent child of a leader_election without candidates, for the same reason (21.12 and later). */
#define RECIPE_NOBODY_STANDS "leader_election-0"

/* Where a recipe that is known by its names has its elections, unless its user chooses another path. */
struct usual_path {
    const char *recipe, *path; /* PCRE2 */
};
extern const struct usual_path recipe_usual_paths[];
extern const size_t recipe_usual_path_count;

extern const struct recipe recipe_table[];
extern const size_t recipe_table_count;

#endif
