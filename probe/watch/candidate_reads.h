/*
 * candidate_reads.h - the candidates of all subjects, read one by one, a bounded number at a time.
 *
 * Subjects take turns, each until it has nothing more to ask for.
 */
#ifndef ELECTOP_PROBE_WATCH_CANDIDATE_READS_H
#define ELECTOP_PROBE_WATCH_CANDIDATE_READS_H

struct live;
struct election_watch;

/* It has candidates to be read: they come in its turn. */
void election_watch_read_soon(struct election_watch *);

/* Some are wanted again that time alone has made doubtful. */
void election_watches_read_again(struct live *);

/* Reads the next candidates of all subjects, as many as may be under way at a time. */
void election_watches_read(struct live *);

#endif
