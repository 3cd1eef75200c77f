/*
 * labels.h - how elections and candidates are put into words and signs, the same on every screen.
 *
 * Nothing here is left empty: SIGN_DASH says "none", "?" says "not known".
 */
#ifndef ELECTOP_TUI_WORDS_LABELS_H
#define ELECTOP_TUI_WORDS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/model.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"

/* An election's state, in one sign, one word and one colour; rank 0 is the worst. */
struct badge {
    enum sign sign;
    style look;
    char word[20];
    int rank;
};

/* Ranks from here on are healthy. */
#define RANK_HEALTHY 8

struct badge label_badge(const struct election *election, struct moment now);

/* Would the next failover work? */
enum outlook {
    OUTLOOK_NONE,  /* no leader, or the waiters (for a lock) are in no line */
    OUTLOOK_ALONE, /* there is no candidate behind the leader */
    OUTLOOK_UNKNOWN,
    OUTLOOK_STOPS, /* its successor is not notified, or the leader's end is not noticed */
    OUTLOOK_WORKS
};
enum outlook label_outlook(const struct election *election);

/* The verdict on the next failover in a few columns: "works", "stops at n_...47", "no successor". */
struct verdict {
    enum outlook outlook;
    enum sign sign;
    style look;
    const char *brief; /* one word, where the text does not fit */
    char text[64];
};
struct verdict label_verdict(const struct cells *cells, const struct election *election);
/* The same of a lock, which has no line, so no successor: only whether its waiters watch it. */
struct verdict label_lock_verdict(const struct election *election);
void label_put_verdict(struct cells *cells, const struct column *column, int y,
                       const struct election *election);

/* The facts shown were true once, and may not be now (read before, but not connected or not readable). */
bool label_stale(const struct election *election);

/* The moment for which its facts hold: now, or when it was last seen. */
struct moment label_as_of(const struct election *election, struct moment now);

/* Time from then to now, never negative; 0 where then is not known (zero). */
int64_t label_age_us(struct moment then, struct moment now);

/* "owner: team-a   runbook: https://..." of an election as configured; false: neither is. */
bool label_responsible(const struct settings *settings, const struct election *election, char *buffer,
                       size_t size);

/* Who a candidate is, for people: its identity, else its session, else "?". Strangers' bytes. */
char *label_who(const struct candidate *candidate, char *buffer, size_t size);

/* "0x100002a4d0a0001", "?" where the znode has not been read, "? (ACL)" where it may not be, "none" where it
 * is persistent. */
char *label_session(const struct candidate *candidate, char *buffer, size_t size);

/* The full path of a candidate of the election at path; name NULL: the election's own. A lock (election may
   be NULL: not known) is its holder. False: it does not fit. */
bool label_candidate_path(const struct election *election, const char *path, const char *name, char *buffer,
                          size_t size);

/* A candidate's name in at most room columns, its number whole: "n_00..42". */
char *label_fit_name(const struct cells *cells, const char *name, int room, char *buffer, size_t size);

/*
 * A candidate's name in a few columns, as people speak of it: "n_...42"; of a name with a GUID or a session
 * in it the word beside that: "latch-...118". The number is never cut.
 */
char *label_short_name(const struct cells *cells, const char *name, char *buffer, size_t size);

/* The same in at most room columns: the word gives way, so that the number is whole: "cand...118". */
char *label_tight_name(const struct cells *cells, const char *name, int room, char *buffer, size_t size);

/*
 * A name in at most room columns. Names of a family differ at their end, so a path loses its front
 * ("...team-03/service-web") and any other name its middle ("ill: n...ledged").
 */
char *label_fit(const struct cells *cells, const char *name, int room, char *buffer, size_t size);

/* Writes a name so fitted. Returns the columns used. */
int label_put_fit(struct cells *cells, int x, int y, int room, style look, const char *name);
/* The same in a table's column; nothing where that has gone. */
int label_put_name(struct cells *cells, const struct column *column, int y, style look, const char *name);

/* Columns from x to end that cells_put() may use: never negative, which would mean all there are. */
int label_room(int x, int end);

/*
 * The way here, for a title: "prod > /election > n_0000000042". candidate may be NULL. Returns the columns
 * used.
 */
int label_put_crumbs(struct cells *cells, int x, int room, const char *cluster, const char *election,
                     const char *candidate);

/* The text for a missing leader, and its style. */
struct nobody {
    enum sign sign; /* to precede it where it is alone, or SIGN_NONE */
    style look;
    char text[64];
};
#define SIGN_NONE SIGN_COUNT

/* Why no leader can be named: "nobody for 7.2s", "no such path". The text is the election's, or in *nobody.
 */
const char *label_nobody(const struct cells *cells, const struct election *election, struct moment now,
                         struct nobody *nobody);

/* The leader: its identity, the candidate's short name dimmed; or why there is none. Returns the columns
 * used. */
int label_put_leader(struct cells *cells, int x, int y, int room, const struct election *election,
                     struct moment now);

/* What a registered member does in the election: "leads", "waits, watching it". */
struct member_word {
    style look;
    const char *text;
};
struct member_word label_member(const struct election *election, const struct member *member);

/* How long ago the leader acknowledged; -1: unknown. us */
int64_t label_acknowledged_age_us(const struct election *election, struct moment now);

/*
 * How long its state has lasted, as far as it was observed: "<=3d04h" of a leader, ">=12s" of a vacancy
 * if the beginning was not seen; ">=8s" of a leader that acknowledged then; for a denied election, a dash.
 * form: 0 or AGE_MINUTES.
 */
char *label_since(const struct cells *cells, const struct election *election, struct moment now,
                  unsigned form, char *buffer, size_t size);

/* The shortest form of a server's address that is unique in the cluster: "zk1"; of several on one
   host host and port. */
char *label_server(const struct cluster *cluster, size_t which, char *buffer, size_t size);

/* Only ZooKeeper's leader, or a server alone, knows the sessions: the others are not asked. */
bool label_asked_for_sessions(const struct server *server);

/*
 * The facts that a server hides, reason by reason: into parts "watches and
 * connections", and why. Parts share a reason if their first clauses are the same: the rest names
 * the words used for each. told: the parts already returned, 0 to begin with. NULL: no
 * more.
 */
const char *label_hidden(const struct server *server, unsigned *reported, char *parts, size_t size);
/* Its mode as it reports it; "?": it has not. */
const char *label_mode(const struct server *server);

/* A time of the past day as a clock, an older one as a day. */
char *label_when(int64_t wall_us, struct moment now, char *buffer, size_t size);

/* How the recipe is known, for people: "by name only", "by signature". */
const char *label_recognised(enum recognised recognised);

/* One word for a connection: "connected", "connecting". */
const char *label_connection(enum connection_state state);

/* Case is ignored for ASCII letters; an empty needle is in everything. */
bool label_match(const char *text, const char *needle);

#endif
