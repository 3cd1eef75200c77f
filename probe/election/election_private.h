/*
 * election_private.h - the model's own state of an election and of a candidate. Private to this folder.
 *
 * Nothing here is shown, or kept in a recording. It is made and freed with its owner: see election_life.h and
 * candidates.h.
 */
#ifndef ELECTOP_PROBE_ELECTION_ELECTION_PRIVATE_H
#define ELECTOP_PROBE_ELECTION_ELECTION_PRIVATE_H

#include "config/hash_table.h"
#include "probe/election/election.h"

struct client;
struct registry;
struct chain_link;
struct replicas;

struct candidate_private {
    bool unread_queued;
    bool named;                       /* its name holds a GUID or a session: its client finds it again */
    bool watches_right, watches_self; /* of its session's watches: the one before it, itself */
    bool has_watched;                 /* it was seen to watch the one before it */
    bool deaf;                        /* it was proved to watch nothing when it became first */
    bool doubted;                     /* ... or was only suspected to, and has requested nothing since */
    bool believed;                    /* a person says that it knows that it is first */
    struct moment recorded_deaf;      /* a recording shows it until then; mono_us 0: none does */
    uint32_t sibling;  /* of an orphan: hash of the znode with which its client waited for it; 0: none */
    bool shares_host;  /* another member's connection comes from its host */
    bool has_namesake; /* another one that says the same lived beside it */
    bool by_children;  /* it has no visible watch, and a hidden one may notify it */
    bool reread;       /* asked to be read again, for what changed in it */
    uint64_t role;     /* of its name: certainty_role() */
    int64_t wrong_us;  /* the poll since which something is wrong */
    int64_t read_us;   /* its data, the latest time; 0: never */
    int64_t again_us;  /* it was asked to be read again, the latest time */
    unsigned holds;    /* of a fault: certainty_of_member() */
    bool elsewhere;    /* a watch on children, of another session, may be its client's */
    bool others_react; /* some client that is no member has requested something since the children changed */
    int64_t helped_us; /* another session was seen to watch for it, perhaps; 0: none was */
    const struct candidate *watched; /* what its session watches instead; NULL: nothing in here */
    uint32_t watchers;               /* the first of its links, from 1; 0: no watcher is known */
    uint32_t before_hash;            /* the name of the one before it ... */
    int64_t before_us;               /* ... which it is since then; 0: since before the first poll */
    struct client *client;           /* of its owner, where that is a session */
    struct candidate *owned_next, **owned_link;
    struct candidate *unread_next, *unread_previous;
    /* Last, as its name lies after it: a list reads these of each, and little else. */
    uint32_t hash, round;
    struct hash_link by_name;
};

/* Sessions take the acknowledgement from each other, under one leader. */
struct ack_contest {
    uint64_t owner, rival;     /* who owns it, and who did before; 0: none */
    uint32_t says, rival_says; /* hashes of the identities that they wrote; 0: none */
    unsigned returned;         /* how often it came back to the one that had lost it */
    struct moment latest[2];   /* the latest two of these; the newest first */
    struct moment reported;    /* the latest leader-acknowledged event; mono_us 0: none */
    unsigned unreported;       /* acknowledgements since then */
};

/* One of FURTHER_ACKS. */
struct further_ack {
    char *path; /* NULL: none */
    bool known, present;
    uint64_t owner;
};

/* The watches of a line in figures, as of the latest diagnosis. */
struct line_shown {
    uint32_t waiting;  /* members with known watches, the first left out */
    uint32_t watching; /* sessions of members that watch another candidate */
    uint32_t right;    /* members that watch the one before them */
    uint32_t wrong;    /* members that watch another candidate than the one before them */
    uint32_t deaf;     /* members with another fault */
    bool backwards;    /* a session watches only a candidate behind all its candidates */
    bool pairs;        /* every second member watches the one before it, and the others do not */
    const struct candidate *watched_by_all; /* by all sessions that watch; NULL: there are not two */
};

struct election_private {
    /* Its children. */
    struct hash_table by_name; /* every child, also those outside the pattern */
    uint64_t hash_seed;
    size_t candidate_room, outsider_room;
    struct candidate *unread_first, *unread_last;
    uint32_t list_round;
    uint64_t gone_since_list;    /* departures by OBSERVED_ABSENT since the last list */
    struct candidate *ahead;     /* Stat and data of a child that no list has named so far; NULL: none */
    int64_t ahead_us;            /* ... when it was read: a list of that moment may name it */
    struct znode_stat directory; /* of the election's own znode */
    int64_t changed_us;          /* its children were seen to change; 0: never */
    struct moment
        acl_changed;   /* a Stat showed that the directory's ACL had been set since the Stat before it */
    int64_t quiet_us;  /* a list or an absence showed the children of now; 0: not known */
    int64_t synced_us; /* the latest list after a sync; 0: none */
    int64_t lasted_us; /* so long its directory had existed when it went; 0: it has not gone */
    struct moment listed_before; /* the list before election->listed */
    struct moment first_listed;  /* of the directory as it is: for the rate of new numbers ... */
    int64_t first_next;          /* ... counted from here */
    struct replicas *replicas;   /* its own znode at each server; NULL: not compared yet */

    /* Its leader, and its acknowledgement. */
    bool uncounted;             /* the change to this leader: until its session is known */
    bool leader_unreported;     /* it is to be reported as elected once it has been read */
    struct moment leader_bound; /* from a recording: it did not lead before; mono_us 0: unknown */
    struct moment lost_after;   /* of a loss that was found after a gap: it happened since then */
    bool handed_over;     /* a persistent znode took the place of a lock's, which was not seen free before */
    bool led_unseen;      /* since the latest loss there may have been a leader, in a gap */
    bool still_open;      /* the one that was first never led: it is vacant since the loss before */
    struct moment denied; /* since then it is certain that the first never led; mono_us 0: it is not */
    bool ack_doubted;     /* it is missing, and was never seen: the layout may have none */
    bool ack_proved;      /* a member's session was seen to own it: the layout has it */
    bool ack_denied, ack_configured;
    bool lists_settle;         /* of what is suspected: the next lists of connections or sessions settle it */
    bool ack_unread;           /* it, or its registry, may be otherwise by now */
    bool unacknowledged_found; /* it was missing when first looked for: its end was not seen */
    unsigned char *ack_data;
    size_t ack_data_length;
    int64_t ack_data_mzxid; /* the version that ack_data was read from; 0: none */
    struct further_ack further_acks[FURTHER_ACKS];
    struct ack_contest ack_contest;
    struct registry *registry; /* NULL: has none */
    struct registry *members;  /* NULL: has none */

    /* Its past. */
    bool lapsed;   /* not fresh, but once was: a change found next happened since stale_since */
    bool recalled; /* facts of a recording have been taken over */
    const struct election *earlier; /* as it was recorded (baseline.h), borrowed; NULL: nothing is known, or
                                       it is of no use any more */

    /* Its diagnosis. */
    bool dirty, touched;  /* to be diagnosed; something that is shown has changed already */
    bool all_watch_first; /* three and more were seen to: their client's design */
    struct line_shown line;
    bool shows_layout; /* its line, or its names, show which znodes its members watch (certainty.h) */
    char *shared_word; /* candidates of two sessions wrote it and no other: it names none of them */
    bool words_differ; /* two wrote different ones, who still stand, or one of them alone */
    bool none_alike;   /* no two candidates have the same identity, and none has had another one since */
    bool waited_for;   /* none of its candidates has a session, and some session was seen to wait for one */
    bool listens;      /* a client that connects or disconnects could settle something */
    int64_t diagnosed_us, diagnose_at_us; /* the latest; when time alone may change it, 0: never */
    size_t diagnosed_watches;             /* that the latest looked at */
    struct chain_link *links;             /* see chain.h */
    size_t link_count, link_room;
    uint64_t *bystanders; /* sessions that may watch something in here and own nothing */
    size_t bystander_count, bystander_room;
    struct election *dirty_next; /* in the cluster's list of those to be diagnosed */

    /* Its place in the cluster's table. */
    struct hash_link by_path;
    uint32_t path_hash;
    struct election *election; /* whose private part this is */
};

#endif
