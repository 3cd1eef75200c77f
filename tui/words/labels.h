/*
 * labels.h - words and signs for elections and candidates, the same on every screen.
 *
 * No place is left empty: SIGN_DASH means "none", "?" means "unknown".
 */
#ifndef ELECTOP_TUI_WORDS_LABELS_H
#define ELECTOP_TUI_WORDS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/model.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"
#include "tui/words/names.h"

/* What an election's row calls its state. */
enum badge_state {
    BADGE_LED,
    BADGE_TAKING_OVER,
    BADGE_NO_ACK,
    BADGE_STALLED, /* the first in line does not lead */
    BADGE_PERHAPS_STALLED,
    BADGE_VACANT,
    BADGE_ELECTING,
    BADGE_FREE,
    BADGE_ABSENT,
    BADGE_VANISHED,
    BADGE_DENIED,
    BADGE_STALE,
    BADGE_UNPROVEN, /* it only looks like an election */
    BADGE_UNKNOWN,
    BADGE_STATES
};
extern const char *const badge_words[BADGE_STATES];

/* An election's state, in one sign, one word and one colour; rank 0 is the worst. */
struct badge {
    enum badge_state state;
    enum sign sign;
    style look;
    char word[20]; /* with the age of one that is stale */
    int rank;
};

/* Ranks from here on are healthy. */
#define RANK_HEALTHY 8

/* The first in line certainly does not lead, or may not, and has not acknowledged. */
bool label_only_first(const struct election *election);
/* ... or perhaps does not: a state that is led names a leader, and this one the first. */
bool label_names_first(const struct election *election, enum badge_state state);
/* The verb for the first in line: "leads", "holds it", or only "is first". */
const char *label_leads(const struct election *election);
struct badge label_badge(const struct election *election, struct moment now);
/* Without the age of one that is out of date: it changes only with the facts. */
struct badge label_badge_ageless(const struct election *election, struct moment now);

/* Would the next failover work? */
enum outlook {
    OUTLOOK_NONE,  /* no leader, or the waiting contenders (for a lock) have no order */
    OUTLOOK_ALONE, /* there is no candidate after the leader */
    OUTLOOK_UNKNOWN,
    OUTLOOK_STOPS, /* its successor is not notified, or the leader's end will not be noticed */
    OUTLOOK_WORKS
};
enum outlook label_outlook(const struct election *election);

/* The verdict on the next failover in a few columns: "works", "stops at n_...47", "no successor". */
struct verdict {
    enum outlook outlook;
    enum sign sign;
    style look;
    const char *brief; /* one word, if there is no room for the text */
    char text[64];
};
struct verdict label_verdict(const struct cells *cells, const struct election *election);
/* The same for a lock, which has no order and so no successor: only whether the waiting contenders watch
 * it. */
struct verdict label_lock_verdict(const struct election *election);
void label_put_verdict(struct cells *cells, const struct column *column, int y,
                       const struct election *election);

/* The facts shown were read earlier and may be outdated (not connected, or not readable). */
bool label_stale(const struct election *election);

/* The time of its facts: now, or when it was last seen. */
struct moment label_as_of(const struct election *election, struct moment now);

/* Time from then to now, never negative; 0 if then is unknown (zero). */
int64_t label_age_us(struct moment then, struct moment now);
/* How long it has its state without a leader: if its beginning was not seen, at least. */
int64_t label_vacant_us(const struct election *election, struct moment now);

/* "owner: team-a   runbook: https://..." of an election as configured; false: neither is. */
bool label_responsible(const struct settings *settings, const struct election *election, char *buffer,
                       size_t size);

/* Identifies a candidate to the user: its identity, else its session, else "?". Untrusted bytes. */
const char *label_who(const struct candidate *candidate, char *buffer, size_t size);

/* "0x100002a4d0a0001", "?" if the znode has not been read, "? (ACL)" if reading is denied, "none" if it is
 * persistent. */
char *label_session(const struct candidate *candidate, char *buffer, size_t size);

/* The full path of a candidate of the election at path; name NULL: the election's own. The holder of a lock
 * (election may be NULL: unknown) has the path of the lock. False: it does not fit. */
bool label_candidate_path(const struct election *election, const char *path, const char *name, char *buffer,
                          size_t size);

/* Columns from x to end for cells_put(): never negative, which would mean no limit. */
int label_room(int x, int end);

/* The title of a screen, and beside it, where there is room, more about it; NULL: nothing. */
void label_put_title(struct cells *cells, int x, int room, const char *title, const char *more);

/*
 * The location for a title: "prod > /election > n_0000000042"; the election is distinct from all others that are
 * watched. candidate may be NULL. Returns the columns used.
 */
int label_put_crumbs(struct cells *cells, int x, int room, const struct model *model, const char *cluster,
                     const char *election, const char *candidate);

/* The same for a page about an election, named by a word that is never cut: "prod > /election > history". */
void label_put_page(struct cells *cells, int x, int room, const struct model *model, const char *cluster,
                    const char *election, const char *page);

/* The text for a missing leader, and its style. */
struct no_leader {
    enum sign sign; /* precedes the text if it is alone, or SIGN_NONE */
    style look;
    char text[64];
};
#define SIGN_NONE SIGN_COUNT

/* Why there is no known leader: "none for 7.2s", "no such path". The text is the election's, or in the
 * struct. */
const char *label_no_leader(const struct cells *cells, const struct election *election, struct moment now,
                            struct no_leader *none);

/* The leader: its identity (as among these names, or NULL), the candidate's short name dimmed; or why there is
 * none. Returns the columns used. */
int label_put_leader(struct cells *cells, int x, int y, int room, const struct election *election,
                     struct moment now, const struct names *names);

/* The role of a registered member in the election: "leads", "waits, watching it". */
struct member_word {
    style look;
    const char *text;
};
struct member_word label_member(const struct election *election, const struct member *member);

/* "takeover not seen, nor acknowledged"; NULL: it was seen, or has an acknowledgement, or a lock's holder needs
 * none. A leader that was found first may be an heir that was never notified: no server can tell; nor can one that
 * hides its watches. */
const char *label_takeover_unseen(const struct election *election);

/* The leader had acknowledged, and its acknowledgement went before it did. */
bool label_acknowledged_before(const struct election *election);
/* How long ago the leader acknowledged; -1: unknown. us */
int64_t label_acknowledged_age_us(const struct election *election, struct moment now);

/*
 * How long its state has lasted, as far as observed: "<=3d04h" for a leader, ">=12s" for a vacancy whose
 * beginning was not seen; ">=8s" for a leader that acknowledged then; a dash for a denied election. form: 0
 * or AGE_MINUTES.
 */
char *label_since(const struct cells *cells, const struct election *election, struct moment now,
                  unsigned form, char *buffer, size_t size);

/* Its name, or its hosts: one that was named on the command line has no name. */
const char *label_cluster(const struct cluster *cluster);

/* The shortest form of a server's address that is unique in the cluster: "zk1"; host and port if several
 * share a host. */
char *label_server(const struct cluster *cluster, size_t which, char *buffer, size_t size);

/* Only ZooKeeper's leader, or a single server, knows the sessions: the others are not polled for them. */
bool label_asked_for_sessions(const struct server *server);

/*
 * The facts that a server hides, grouped by reason: writes "watches and connections" into parts, and returns
 * the reason. Parts share a reason if their first clauses are the same; the rest names the word of each.
 * reported: the parts already returned, initially 0. NULL: no more.
 */
const char *label_hidden(const struct server *server, unsigned *reported, char *parts, size_t size);
/* Its mode as it reports it; "?": unknown. */
const char *label_mode(const struct server *server);

/* For a column: a time of the past 24 hours as a clock, an older one as a day. */
char *label_when(int64_t wall_us, struct moment now, char *buffer, size_t size);
/* In a sentence: a time of today as a clock, of another day as both. */
char *label_moment(int64_t wall_us, struct moment now, char *buffer, size_t size);

/* How the recipe was recognised, for the user: "by name only", "by signature". */
const char *label_recognised(enum recognised recognised);

/* One word for a connection: "connected", "connecting". */
const char *label_connection(enum connection_state state);

/* Case is ignored for ASCII letters; an empty needle is in everything. */
bool label_match(const char *text, const char *needle);
/* Whether a filter matches a candidate: its name, identity, session, or its client's address. */
bool label_candidate_match(const struct candidate *candidate, const char *needle);

#endif
