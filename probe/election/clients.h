/*
 * clients.h - the table of sessions, and the looks that count: the inside of client.h.
 *
 * A look at a session counts when its server's connection list before and after the watch list shows the
 * same connection (address and establishment), and a later list shows a newer last response of it: then it
 * was alive there all the while. Each list serves as "after" of the look before it and as "before" of the
 * next. Looks that show the same watches on the same connection make a run; what two of them show some
 * seconds apart is proved.
 */
#ifndef ELECTOP_PROBE_ELECTION_CLIENTS_H
#define ELECTOP_PROBE_ELECTION_CLIENTS_H

#include "probe/election/client.h"
#include "probe/election/model.h"

struct client {
    struct client_session shown; /* first: a session is its client */
    struct client *next;         /* in its bucket */
    struct candidate *owned;     /* chained by owned_next */

    int64_t response_ms;      /* last response in the latest list */
    int64_t parted_us;        /* the first list without its connection had come by then */
    uint64_t fingerprint;     /* of the watches that concern elections, in the run */
    int64_t run_us;           /* the run's first look was asked for then; 0: no run */
    int64_t run_shown_us;     /* ... and had been answered by then */
    int64_t asked_us;         /* the latest look, waiting for the list after it; 0: none waits */
    int64_t framed_asked_us;  /* the latest with a list before and after ... */
    int64_t counted_asked_us; /* the latest that counts; 0: none */
    uint32_t framed_took_us, counted_took_us; /* ... until the list after it was asked for */
    int32_t run_cxid;
    uint32_t scratch;                                /* of whoever walks over clients */
    uint16_t framed, counted;                        /* looks of the run; they stay at the largest */
    uint16_t list_round, watch_round, session_round; /* compared with the server's, for equality */
    uint16_t other_round; /* another server listed it, too, in this round of its lists */
    uint16_t other_server;
    uint8_t absent_rounds; /* session lists in a row without it, since all its candidates stand */
    bool idle : 1;         /* in the run: no real request, none outstanding */
    bool answered : 1;     /* since the latest framed look */
};

struct clients {
    struct client **buckets;
    size_t bucket_count, count;
    uint16_t session_round;
    struct moment sessions_seen; /* the latest list of sessions; mono_us 0: none */
    size_t sessions_server;      /* who gave it */
    uint64_t *ancestors;         /* hashes of the paths above elections, 0: free */
    size_t ancestor_room;
    bool ancestors_stale;
};

void clients_free(struct clients *);
/* A deep copy without looks and owners; NULL: out of memory. */
struct clients *clients_copy(const struct clients *);

struct client *clients_find(const struct clients *, uint64_t session);
/* Begins the table where there is none; NULL: out of memory. */
struct client *clients_make(struct cluster *, uint64_t session);

/* Whoever is on no server and owns nothing is of no interest any more. */
void clients_drop_strangers(struct clients *);
/* Takes a copy of its watches. False: out of memory; it keeps those of before. */
bool client_keep_watches(struct client_session *, const struct seen_watches *);

/* Its znode was read, or goes. */
void client_owns(struct client *, struct candidate *);
void client_disown(struct candidate *);

/* Does ephemeralOwner name a session? Not for persistent, container and TTL nodes. */
bool owner_is_session(uint64_t owner);

/* Looks at it have shown the same watches for long enough, on one connection that lived and was idle:
   what they show is proved for the time from run_us to client_counted_end_us(). */
bool client_proved(const struct client *);
/* So far apart its looks must lie for that; 0: its timeout is not known. */
int64_t client_apart_us(const struct client *);
/* 0: no look of the run counts. */
int64_t client_counted_end_us(const struct client *);
/* Looks from before then prove nothing any more: its run begins anew where it began earlier. */
void client_look_again(struct client *, int64_t since_us);
/* Two servers list it: which of them it is on is not known. */
bool client_doubled(const struct cluster *, const struct client *);

/* The elections and the paths above them changed. */
void clients_paths_changed(struct cluster *);

/* What the servers show, into the table; elections whose clients changed are marked for diagnosis. */
void clients_connections(struct cluster *, size_t server, struct moment, const struct observed_connections *);
void clients_watches(struct cluster *, size_t server, struct moment, const struct observed_watches *);
void clients_sessions(struct cluster *, size_t server, struct moment, const struct observed_sessions *);
void clients_hidden(struct cluster *, size_t server, enum hidden_part);
/* It does not belong to the ensemble any more: those behind it move up by one. */
void clients_server_left(struct cluster *, size_t server);

/* The election that this path lies in, with the name of its child there ("" for the election's own path);
   NULL: in none. */
struct election *clients_election_of(const struct cluster *, const char *path, const char **child);

#endif
