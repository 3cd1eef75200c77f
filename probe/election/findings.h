/*
 * findings.h - the findings of one election: raised, kept, cleared.
 *
 * A diagnosis has three results: raise (there is evidence), keep (it cannot be judged now: an earlier finding
 * stays, unconfirmed), or nothing (the evidence is gone).
 */
#ifndef ELECTOP_PROBE_ELECTION_FINDINGS_H
#define ELECTOP_PROBE_ELECTION_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/election.h"
#include "probe/election/moment.h"
#include "probe/election/update.h"

/* ---- wording of evidence ---- */

struct election;

/* Texts for evidence; each writes into buffer and returns it. */
const char *describe_clock(struct moment at, char *buffer, size_t size);  /* "14:03:22Z" */
const char *describe_span(int64_t us, char *buffer, size_t size);         /* "12.3 s", "4 min" */
const char *describe_span_at_most(int64_t us, char *buffer, size_t size); /* an upper bound: rounded up */
/* "session 0x2000… at 10.0.3.20:58122 on zk2:2181" */
const char *describe_session(const struct election *election, uint64_t session, char *buffer, size_t size);

struct candidate;
/* The full path of its znode: of a lock, the lock itself. */
const char *describe_path(const struct candidate *candidate, char *buffer, size_t size);

struct viewer; /* chain.h */

/* Of one election, during its diagnosis. */
struct diagnosis {
    const struct update *f;
    struct election *election;
    struct viewer *viewers; /* of the sessions that own a candidate, then the others */
    size_t viewer_count, viewer_room;
    size_t watches;   /* that were looked at */
    bool one_poll;    /* findings raised now rest on a single poll of the watches */
    int64_t again_us; /* when time alone may change a result; INT64_MAX: never */
};

/* Time alone may change this result at that time. */
void diagnosis_again(struct diagnosis *diagnosis, int64_t at_us);

#define NO_SUBJECT 0
/* Raises a finding, or updates its evidence. who[0] is its main candidate; subject identifies it among others
 * of the same code. The evidence is copied; advice NULL: from the table. */
void diagnosis_raise(struct diagnosis *diagnosis, enum finding_code code, enum severity severity,
                     enum certainty certainty, uint64_t subject, const struct candidate *const *who,
                     size_t count, const char *advice, const char *format, ...)
    __attribute__((format(printf, 9, 10)));
/* The finding was raised before, and has not been cleared. */
bool diagnosis_stands(const struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
/* The finding is not among the many of its code that are kept: to raise it says nothing. */
bool diagnosis_is_full(const struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
/* The finding is also proved. */
bool diagnosis_is_certain(const struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
/* When it was first raised; now, if it was not. */
struct moment diagnosis_since(const struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
/* It cannot be judged now: keeps it. */
void diagnosis_keep(struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
void diagnosis_keep_all(struct diagnosis *diagnosis, enum finding_code code);
/* Its proof is gone: if it is raised or kept nevertheless, it is suspected until proved again. */
void diagnosis_doubt(struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
/* Every server shows its connections and gave two lists since then, each second list after all first ones. So
 * a session in none of them did not just move from a server polled early to one polled late. */
bool diagnosis_listed_since(const struct cluster *cluster, int64_t since_us);
/* No server lists the session in question, which may be moving between servers: kept until that is ruled
 * out. */
void diagnosis_vanished(struct diagnosis *diagnosis, enum finding_code code, uint64_t subject);
uint64_t diagnosis_subject(const struct candidate *candidate);
/* The subject as every observer of the election names it: a candidate, or a number; malloc'd. */
char *findings_subject(const struct election *election, const struct finding *finding);
/* For qsort(): candidates in election order. */
int diagnosis_by_place(const void *a, const void *b);

/* The steps of a diagnosis: begin; facts that are hidden now; end, which removes findings neither raised nor
 * kept. */
void findings_begin(struct diagnosis *diagnosis);
void findings_keep(struct diagnosis *diagnosis);
void findings_sweep(struct diagnosis *diagnosis);
void findings_free(struct election *election);
/* Takes over the recorded beginning of findings. */
void findings_take_baseline(const struct update *update);
/* Copies from the live model into a snapshot. */
void findings_copy(const struct election *from, struct election *to);

#endif
