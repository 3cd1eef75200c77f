/*
 * diagnoses.h - all diagnoses of one election: each raises and keeps its findings (findings.h).
 *
 * Each has a file, diagnose_*.c.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIAGNOSES_H
#define ELECTOP_PROBE_ELECTION_DIAGNOSES_H

struct diagnosis;

/* From the watch chain, which must be up to date (chain_update()). */
void diagnose_watches(struct diagnosis *);
/* From owners and their connections. */
void diagnose_sessions(struct diagnosis *);
/* Duplicates: of one session, or of one identity. */
void diagnose_duplicates(struct diagnosis *);
/* From names, numbers and marks. */
void diagnose_names(struct diagnosis *);
/* From how long things take, and how often they happen. */
void diagnose_time(struct diagnosis *);
/* From replies that are none; also while nothing else can be seen. */
void diagnose_bad_replies(struct diagnosis *);
/* From what each server by itself shows. */
void diagnose_replicas(struct diagnosis *);

#endif
