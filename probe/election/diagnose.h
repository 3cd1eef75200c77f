/*
 * diagnose.h - finds out what is wrong with one election, from all that is known of it.
 *
 *   diagnose.c           when it is done
 *   diagnose_watches.c   from the watch chain
 *   diagnose_sessions.c  from owners and their connections
 *   diagnose_names.c     from names, numbers and marks
 *   diagnose_time.c      from how long things take, and how often they happen
 *   diagnose_replicas.c  from what each server by itself shows
 *   findings.c           the findings of one election: raised, kept, cleared
 *   evidence.c           how evidence is worded
 *
 * A diagnosis says one of three things: raise (its evidence is here), keep (it cannot be judged now: what
 * was found before stays, unconfirmed), or nothing (its evidence is gone).
 */
#ifndef ELECTOP_PROBE_ELECTION_DIAGNOSE_H
#define ELECTOP_PROBE_ELECTION_DIAGNOSE_H

#include "probe/election/bystanders.h"
#include "probe/election/clients.h"
#include "probe/election/fold.h"

/* ---- for the fold ---- */

/* Diagnoses what has changed, and where time has passed. */
void diagnose_cluster(struct model *, struct cluster *, struct moment);

/* ---- for the diagnoses ---- */

/* One session in the light of one election. */
struct viewer {
    struct client *client;
    uint32_t owned;                /* candidates of it in here */
    uint32_t targets;              /* candidates that it watches, its own left out */
    uint32_t lowest;               /* the foremost of them */
    const struct candidate *other; /* one of them that is not the predecessor of any of its own */
    const char *deleted;           /* a candidate's path that it watches and that does not exist */
    bool above; /* it watches the directory or what lies above: such a watch may be recursive */
};

struct diagnosis {
    const struct fold *f;
    struct election *election;
    struct viewer *viewers; /* of the sessions that own a candidate, then the others */
    size_t viewer_count, viewer_room;
    bool one_look;    /* what is raised now rests on a single look at the watches */
    int64_t again_us; /* when time alone may change something; INT64_MAX: never */
};

/* Time alone may change this then. */
void diagnosis_again(struct diagnosis *, int64_t at_us);

#define NO_SUBJECT 0
/* Raises one, or brings its evidence up to date. who[0] is what it is about; subject tells it from others
   of the same code. The evidence is copied; advice NULL: as the table says. */
void diagnosis_raise(struct diagnosis *, enum finding_code, enum severity, enum certainty, uint64_t subject,
                     const struct candidate *const *who, size_t count, const char *advice, const char *format,
                     ...) __attribute__((format(printf, 9, 10)));
/* It was found before, and has not been cleared. */
bool diagnosis_stands(const struct diagnosis *, enum finding_code, uint64_t subject);
/* Since when it is found, or now where it was not. */
struct moment diagnosis_since(const struct diagnosis *, enum finding_code, uint64_t subject);
/* It cannot be judged now. */
void diagnosis_keep(struct diagnosis *, enum finding_code, uint64_t subject);
void diagnosis_keep_all(struct diagnosis *, enum finding_code);
/* Every server shows its connections and gave two lists since then, the second of each after the first of
   all: who is in none of them did not just move from one that was asked early to one that was asked late. */
bool diagnosis_listed_since(const struct cluster *, int64_t since_us);
/* No server lists the session that it is about, which may be on its way from one to another: kept until that
   is ruled out. */
void diagnosis_vanished(struct diagnosis *, enum finding_code, uint64_t subject);
uint64_t diagnosis_subject(const struct candidate *);

/* A diagnosis of all: begins; of nothing that can be seen now; ends: what was neither raised nor kept goes.
 */
void findings_begin(struct diagnosis *);
void findings_keep(struct diagnosis *);
void findings_sweep(struct diagnosis *);
void findings_free(struct election *);
/* From the live model into a picture; false: out of memory. */
bool findings_copy(const struct election *from, struct election *to);

struct viewer *viewer_of(struct diagnosis *, struct client *);
/* Brings links and watchers up to date. */
void chain_update(struct diagnosis *);
/* From the live model into a picture; false: out of memory. */
bool chain_copy(const struct election *from, struct election *to);
/* Into a picture made of a recording: these sessions watch it, in this order. False: out of memory. */
bool chain_restore(struct election *, struct candidate *, const uint64_t *sessions, size_t count);

void diagnose_watches(struct diagnosis *);
void diagnose_sessions(struct diagnosis *);
void diagnose_names(struct diagnosis *);
void diagnose_time(struct diagnosis *);
void diagnose_replicas(struct diagnosis *);

/* Texts for evidence; each writes into buffer and returns it. */
const char *tell_clock(struct moment, char *buffer, size_t size); /* "14:03:22Z" */
const char *tell_span(int64_t us, char *buffer, size_t size);     /* "12.3 s", "4 min" */
/* "session 0x2000… at 10.0.3.20:58122 on zk2:2181" */
const char *tell_session(const struct election *, uint64_t session, char *buffer, size_t size);

#endif
