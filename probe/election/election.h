/*
 * election.h - one election: its ordered candidates, its leader, its acknowledgement, its tenures.
 *
 * Pure: no I/O, no clock. It is changed only through model_observe() (model.h) and read by anyone; the
 * same observations give the same state and the same events. A joining or leaving candidate costs that
 * change, a complete list its length, once, by hashing.
 *
 * Readers may keep nothing but names across calls: a candidate's struct dies when it leaves. What only the
 * model needs to know of an election is in election_private.h.
 */
#ifndef ELECTOP_PROBE_ELECTION_ELECTION_H
#define ELECTOP_PROBE_ELECTION_ELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/finding.h"
#include "probe/election/observation.h"
#include "probe/election/recipe.h"

struct cluster;
struct candidate_private;
struct departed;
struct election_private;

enum election_state {
    ELECTION_UNKNOWN, /* not read yet, or never connected */
    ELECTION_LED,
    ELECTION_ELECTING, /* the leader is gone; the next in line has not been confirmed yet */
    ELECTION_VACANT,   /* the path exists, without a candidate */
    ELECTION_ABSENT,   /* no such path */
    ELECTION_DENIED    /* not readable with our credentials */
};

/* How the recipe came to be believed. Printed by the name behind it. */
enum recognised { RECOGNISED_NAME, RECOGNISED_SIGNATURE, RECOGNISED_WATCH, RECOGNISED_CONFIGURED };

/* How the kind came to be known. Printed by the word behind it. */
enum kind_proof { KIND_ASSUMED, KIND_BY_LAYOUT, KIND_BY_BEHAVIOUR, KIND_CONFIGURED };

enum acknowledged { ACK_NOT_USED, ACK_UNKNOWN, ACK_NO, ACK_YES };

/* Recorded by number: the next one comes last. */
enum identity_source {
    IDENTITY_SESSION,
    IDENTITY_CLIENT,
    IDENTITY_REGISTRY,
    IDENTITY_NAME,
    IDENTITY_DATA,
    IDENTITY_ACKNOWLEDGEMENT
};

/*
 * A candidate's place in the watch chain: its session's actual watches, compared with the recipe.
 * Its watches are certain; whether it will wake is a forecast.
 */
enum link_state {
    LINK_UNKNOWN, /* not asked yet, the server hides it, or the layout's watches cannot be seen */
    LINK_FIRST,   /* the leader, or a holder of a read-write lock, needs no watch */
    LINK_RIGHT,   /* it watches the one the recipe wants */
    LINK_WRONG,   /* it watches something else in here, which will not tell it of the one before it */
    LINK_SUSPECT, /* no watch of it was seen */
    LINK_STUCK    /* it certainly watches nothing here, and waits for a notification */
};

/* Bytes of a candidate's data that are kept; stat.data_length has the full length. */
#define CANDIDATE_DATA_KEPT 4096

struct candidate {
    char *name;       /* the znode's name, without its directory */
    int64_t sequence; /* SEQUENCE_NONE in a lock layout */
    bool known;       /* its znode has been read: stat, owner, data are valid */
    bool denied;      /* permission denied for its znode by us: it will not become known */
    struct znode_stat stat;
    unsigned char *data; /* at most CANDIDATE_DATA_KEPT bytes; NULL: none or not read */
    size_t data_length;  /* of the kept data */
    char *identity; /* for people, UTF-8 as found (strangers' bytes!); NULL: none better than the session */
    enum identity_source identity_source;
    struct moment joined; /* when the tool first saw it */
    bool joined_seen;     /* its joining was seen (false: it existed before the first snapshot) */
    enum link_state link;
    const char *link_why; /* static text for LINK_UNKNOWN, or NULL */

    enum finding_code wrong; /* what polls show now; FINDING_COUNT: nothing wrong */
    enum finding_code proof; /* the proved fault of its watches; FINDING_COUNT: none */
    bool ranked;             /* equal numbers: its czxid orders it, else its name */
    bool outside;            /* does not fit the pattern: it is in no line */
    bool reads;              /* a reader of a read-write lock */
    uint32_t place;          /* in line, at the latest diagnosis */
    struct election *election;

    struct candidate_private *own; /* election_private.h */
};

/* One stretch of leadership (or of vacancy) that the tool saw; name NULL: vacant. */
struct tenure {
    char *name;
    char *identity;   /* or NULL */
    uint64_t session; /* of the leader; 0: none, or not known */
    struct moment from;
    struct moment to; /* mono_us 0: still going on */
    bool from_exact;  /* its beginning was seen */
    bool gap;         /* not observed: neither led nor vacant is claimed */
    uint64_t serial;  /* of its cluster; 0: it has none. Once two others follow it does not change */
};
#define TENURES_KEPT 128
#define FAILOVERS_KEPT 64

/* The latest change of leader. Times are the tool's; -1: unknown or not yet. */
struct change {
    char *from; /* names; from NULL: none was known before */
    char *from_identity;
    char *to; /* NULL: still open */
    char *to_identity;
    struct moment lost_at; /* the leader's znode was seen gone */
    bool lost_seen;        /* by a notification, not found out afterwards */
    int64_t vacancy_us;    /* gone -> the next candidate is first; -1: open, or not observed meanwhile */
    int64_t takeover_us;   /* first -> acknowledged; -1: no acknowledgement, or not yet */
};

struct counters {
    uint64_t joined, left; /* seen */
    uint64_t leader_changes;
    uint64_t missed_changes;             /* of them, found after a gap */
    uint64_t unseen_joined, unseen_left; /* proved by the Stat arithmetic, brought by no notification */
};

/* Znodes that the leader of one layout writes, beside the acknowledgement itself. */
#define FURTHER_ACKS 2

/* An entry of the directory in which the members of a lock's layout register: a broker, a backup master. */
struct member {
    char *name;       /* of the entry */
    char *identity;   /* for people; or NULL */
    char *about;      /* its own words, "replica, streaming"; or NULL */
    uint64_t session; /* that owns it; 0: not known */
};

struct election {
    struct cluster *cluster;
    char *path;              /* full, chroot included */
    char *name;              /* for people: configured, or the path below the chroot */
    enum election_kind kind; /* KIND_LEADER or KIND_LOCK */
    enum kind_proof kind_proof;
    const struct election_settings *settings;
    enum election_origin origin;

    const struct recipe *recipe; /* NULL: not recognised (yet) */
    enum recognised recognised;
    enum election_state state;
    struct moment state_since; /* when state last changed, as far as seen */
    bool state_since_exact;    /* false: it was found so, and may have been so for longer */
    const char *problem;       /* why denied, unknown ...; static text or NULL */

    struct candidate **candidates; /* in election order */
    size_t candidate_count;
    size_t unknown_count;         /* of them, not read yet */
    size_t reader_count;          /* of them, readers of a read-write lock, as of the latest diagnosis */
    struct candidate **outsiders; /* children that are in no line */
    size_t outsider_count;
    const char **foreign; /* children that do not fit the pattern: the first FOREIGN_KEPT, or NULL */
    size_t foreign_count; /* all of them */

    const struct candidate *leader; /* candidates[0] once confirmed, else NULL */
    struct moment leader_since;     /* when it became first, or for a leader found leading: its creation
                                       (mono_us 0: not known yet) */
    bool leader_since_exact;        /* false: it leads since then at the longest */

    enum ack_place ack_place; /* ACK_PLACE_NONE where ack_path is NULL */
    char *ack_path;           /* full path of the acknowledgement, or NULL */
    enum acknowledged acknowledged;
    struct moment
        unacknowledged_since; /* where ACK_NO: so since then; an acknowledgement may go before its leader */
    int64_t overdue_us; /* found without its acknowledgement, overdue from then on; 0: not so, or already
                           reported */
    bool ack_known, ack_present;
    struct znode_stat ack_stat;
    char *ack_identity; /* read from its data; or NULL */
    char *members_path; /* full path of the directory whose entries say who the members are, or NULL */
    struct member *listed_members; /* its entries by name, where the layout is a lock: who may wait for it */
    size_t listed_member_count;
    bool members_listed;    /* they are all known */
    char *registry_path;    /* full path of the directory whose entries name the sessions, or NULL.
                               The same as ack_path where ack_place is ACK_PLACE_REGISTRY */
    bool registry_complete; /* of a frozen snapshot, which keeps no registry: see registry_complete() */

    bool directory_known;
    int64_t next_sequence;     /* (uint32 cversion + children) / 2; -1: unknown */
    struct moment listed;      /* when the list was last read complete; mono_us 0: never */
    struct moment unseen_at;   /* the latest unseen changes */
    bool fresh;                /* connected, and read since: its state holds now */
    struct moment stale_since; /* where not fresh */
    bool shows_predecessor;    /* its members were seen to watch their predecessors */
    bool mixed, first_waits;   /* its names, or its watches, leave open who leads (certainty.h) */
    bool childless;            /* its own znode has data, no owner, and never had a child */
    bool written_lately;       /* so, and it was made or written to lately: a lease? */
    bool led_elsewhere;        /* a znode without an owner names its leader: Kafka's, in KRaft */
    bool hidden_watches;       /* hidden watches could notify a client of a change here */

    struct tenure *tenures; /* a ring; election_tenure_at() reads it */
    size_t tenure_first, tenure_count, tenure_room;
    struct moment own_since;    /* tenures before this are a recording's (baseline.h); mono_us 0: none is */
    struct change change;       /* change.lost_at.mono_us 0: none seen yet */
    struct failover *failovers; /* a ring; election_failover_at() reads it */
    size_t failover_first, failover_count, failover_room;
    struct departed *departed; /* candidates that left lately; NULL: none */
    struct finding **findings; /* the worst first */
    size_t finding_count;
    struct counters counters;

    bool suspected;   /* a further poll, or a list after a sync, could settle something */
    bool awaits_list; /* ... and nothing but that list is missing */
    uint64_t turn;    /* of the latest observation that may have changed it */
    uint64_t serial;  /* of its cluster: no other one has it, before or after */

    struct election_private *own; /* election_private.h */
};
#define FOREIGN_KEPT 16

/* i = 0 is the oldest kept. */
const struct tenure *election_tenure_at(const struct election *election, size_t i);

/* The candidate of that name, or NULL; and its place in line, from 0. */
const struct candidate *election_find(const struct election *election, const char *name);
size_t election_position(const struct election *election, const struct candidate *candidate);

/* Its predecessor in line, or NULL for the first: the candidate that the recipe wants it to watch. */
const struct candidate *election_predecessor(const struct election *election,
                                             const struct candidate *candidate);

/* Whether the candidate of this name or path, which ended, may have led last: nobody is first, or who is was behind
 * it. */
bool election_may_have_led(const struct election *election, const char *name);

/* Everything about this election has been read: its list, its candidates, its acknowledgement. */
bool election_complete(const struct election *election);

/*
 * What a live source should do next for this election; a replay never asks.
 * election_take_unread: a candidate whose znode should be read (each is handed out once; NULL: none).
 * election_has_unread: there is one.
 * election_requeue_unread: hand out again those that were never answered (after a lost connection).
 * election_guard: the znodes whose end or change must be seen at once, i below ELECTION_GUARDS: the leader
 * (or the next in line while electing; for locks the lock itself), the acknowledgement, and further
 * acknowledgements. Writes the full path into buffer; false: there is no such one.
 */
const struct candidate *election_take_unread(struct election *election);
bool election_has_unread(const struct election *election);
void election_requeue_unread(struct election *election);
#define ELECTION_GUARDS (2 + FURTHER_ACKS)
bool election_guard(const struct election *election, unsigned i, char *buffer, size_t size);

/*
 * The problem of its state, or NULL: why it is denied or unknown, or that it has children of which
 * none is a candidate, so that no other directory is taken for a vacant election.
 */
const char *election_problem(const struct election *election, char *buffer, size_t size);

/*
 * It is an election: its layout has a distinctive signature or is configured, a watch on a predecessor was
 * seen, or its path is configured, or a pattern that it matches while it is empty. What only has an election's
 * kind of names is none: a registry, a queue or a semaphore has them, too. Such a directory is neither led nor
 * vacant.
 */
bool election_is_matched(const struct election *election); /* by a pattern */
bool election_is_proven(const struct election *election);

/* It and directories beside it have one member each, of different sessions: each server owns one, without
 * contenders. Only for a discovered election that may as well be a lock. */
bool election_has_one_owner(const struct election *election);
/* Its layout has no candidates there, so that a vacancy is normal. */
bool election_has_no_line(const struct election *election);

/* Others join behind its only candidate and leave again, often: they try, see that they are not first, and delete. */
bool election_is_tried(const struct election *election);

/* Its last known candidate is gone, and the list that shows who has joined since has not come yet. */
bool election_awaits_list(const struct election *election);
/* The user named its path, or a pattern whose last name belongs there. */
bool election_is_named(const struct election *election);
/* ... or any pattern that matches it, whether or not the directory above is still there. */
bool election_is_wanted(const struct election *election);

/* It existed once, is not named, and is gone: no vacancy, but an end. Not so if its layout is one of
 * elections, and its last leader expired or was evicted, or is gone for an unknown cause, and was not followed: it
 * still needs one. */
bool election_vanished(const struct election *election);
/* It is not named, no member is registered beside it, and its last leader may have left on purpose, without a
 * successor: it closed its session, or it is not known how it went, and it led for less than a minute; of an absent
 * one, another session may have deleted its candidate. That it must have a leader is suspected. */
bool election_may_be_over(const struct election *election);
/* The same of any former leader: the election may need a leader only at times. Of one that went in an unknown way it
 * takes a vacancy that is longer than allowed, and a later leader. */
bool election_was_over(const struct election *election);
/* For how long an absent one is kept: five minutes where it vanished, a day where it still needs a leader or is
 * a lock without a holder; 0: without end, as it is configured or not absent. */
uint64_t election_absent_kept_ms(const struct election *election);

/* Words of the JSON contract, for every sink. */
const char *election_state_word(enum election_state state);
const char *recognised_word(enum recognised recognised);
const char *recipe_family_word(enum recipe_family family);
const char *election_kind_word(enum election_kind kind);
const char *kind_proof_word(enum kind_proof proof);
/* "leader" or "lock" where that is known, else "assumed". */
const char *election_kind_known(const struct election *election);

/* ---- the latest failovers of one election: the inside of what model.h reads of them ---- */

/* The latest reported ones, i = 0 is the oldest; NULL: no more. */
const struct failover *election_failover_at(const struct election *election, size_t i);
/* The last of them, where it is of the latest change of leader; else NULL. */
const struct failover *election_last_failover(const struct election *election);
/* Keeps a copy, in the place of the same one while it was open, or of the oldest where there are
 * FAILOVERS_KEPT. */
const struct failover *election_keep_failover(struct election *election, const struct failover *from);
/* The same, and takes its texts over. */
const struct failover *election_take_failover(struct election *election, const struct failover *own);
void failovers_free(struct election *election);

#endif
