/*
 * facts.h - how elections and candidates are put into words and signs, the same on every screen.
 *
 * Nothing here is left empty: SIGN_DASH says "none", "?" says "not known".
 */
#ifndef ELECTOP_TUI_VIEWS_FACTS_H
#define ELECTOP_TUI_VIEWS_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/model.h"
#include "tui/screen/cells.h"

/* How an election stands, in one sign, one word and one colour; rank 0 is the worst. */
struct badge {
    enum sign sign;
    style look;
    char word[20];
    int rank;
};

/* Ranks from here on are healthy. */
#define RANK_HEALTHY 8

struct badge facts_badge(const struct election *, struct moment now);

/* Would the next failover work? */
enum outlook {
    OUTLOOK_NONE,  /* nobody leads, or who waits (for a lock) stands in no line */
    OUTLOOK_ALONE, /* nobody stands behind the leader */
    OUTLOOK_UNKNOWN,
    OUTLOOK_STOPS, /* its heir is not told, or the leader's end is not noticed */
    OUTLOOK_WORKS
};
enum outlook facts_outlook(const struct election *);

/* What is shown was true once, and may not be now (read before, but not connected or not readable). */
bool facts_stale(const struct election *);

/* The moment for which its facts hold: now, or when it was last seen. */
struct moment facts_as_of(const struct election *, struct moment now);

/* Time from then to now, never negative; 0 where then is not known (zero). */
int64_t facts_age_us(struct moment then, struct moment now);

/* Who a candidate is, for people: its identity, else its session, else "?". Strangers' bytes. */
char *facts_who(const struct candidate *, char *buffer, size_t size);

/* "0x100002a4d0a0001", "?" where the znode has not been read, "? (ACL)" where it may not be, "none" where it
 * is persistent. */
char *facts_session(const struct candidate *, char *buffer, size_t size);

/* The full path of a candidate of the election at path; name NULL: the election's own. A lock (election may
   be NULL: not known) is its holder. False: it does not fit. */
bool facts_candidate_path(const struct election *, const char *path, const char *name, char *buffer,
                          size_t size);

/* A candidate's name in at most room columns, its number whole: "n_00..42". */
char *facts_fit_name(const struct cells *, const char *name, int room, char *buffer, size_t size);

/*
 * A candidate's name in a few columns, as people speak of it: "n_...42"; of a name with a GUID or a session
 * in it the word beside that: "latch-...118". The number is never cut.
 */
char *facts_short_name(const struct cells *, const char *name, char *buffer, size_t size);

/* The same in at most room columns: the word gives way, so that the number is whole: "cand...118". */
char *facts_tight_name(const struct cells *, const char *name, int room, char *buffer, size_t size);

/* Columns from x to end that cells_put() may use: never negative, which would mean all there are. */
int facts_room(int x, int end);

/*
 * The way here, for a title: "prod > /election > n_0000000042". candidate may be NULL. Returns the columns
 * used.
 */
int facts_put_crumbs(struct cells *, int x, int room, const char *cluster, const char *election,
                     const char *candidate);

/* What to say where nobody can be named as the leader, and how. */
struct nobody {
    enum sign sign; /* to stand before it where it stands alone, or SIGN_NONE */
    style look;
    char text[64];
};
#define SIGN_NONE SIGN_COUNT

/* Why nobody can be named: "nobody for 7.2s", "no such path". The text is the election's, or in *nobody. */
const char *facts_nobody(const struct cells *, const struct election *, struct moment now, struct nobody *);

/* Who leads: the identity, the candidate's short name dimmed; or why nobody. Returns the columns used. */
int facts_put_leader(struct cells *, int x, int y, int room, const struct election *, struct moment now);

/*
 * For how long it stands as it does, as far as that was watched: "<=3d04h" of a leader, ">=12s" of a vacancy
 * where the beginning was not seen; of what may not be read, a dash.
 */
char *facts_since(const struct cells *, const struct election *, struct moment now, char *buffer,
                  size_t size);

/* The shortest form of a server's address that tells it from the cluster's others: "zk1"; of several on one
   host host and port. */
char *facts_server(const struct cluster *, size_t which, char *buffer, size_t size);

/* Only ZooKeeper's leader, or a server alone, knows the sessions: nobody asks the others. */
bool facts_asked_for_sessions(const struct server *);

/*
 * What a server does not show of what it is asked for, reason by reason: into parts "watches and
 * connections", and why. Parts are of one reason where their first clauses are the same: what follows names
 * the words that each was asked by. told: the parts of which it was said before, 0 to begin with. NULL: no
 * more.
 */
const char *facts_hidden(const struct server *, unsigned *told, char *parts, size_t size);
/* Its mode as it tells it; "?": it has not. */
const char *facts_mode(const struct server *);

/* A time of the past day as a clock, an older one as a day. */
char *facts_when(int64_t wall_us, struct moment now, char *buffer, size_t size);

/* How the recipe is known, for people: "by name only", "by signature". */
const char *facts_recognised(enum recognised);

/* One word for a connection: "connected", "connecting". */
const char *facts_connection(enum connection_state);

/* Case is ignored for ASCII letters; an empty needle is in everything. */
bool facts_match(const char *text, const char *needle);

#endif
