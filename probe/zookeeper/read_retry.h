/*
 * read_retry.h - repeats reads of a session that the servers refused. Reconnecting is in session.c.
 *
 * An error may be unrelated to the znode: an overloaded server drops requests (ZTHROTTLEDOP, since ZooKeeper
 * 3.7), or has an internal error. Passed on as an answer, it would be wrong. Repeated at once, the read would
 * add to the load. So refused reads wait, at first 0.5 s and at most 10 s, and are sent a few at a time. The
 * caller notices only the delay.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_READ_RETRY_H
#define ELECTOP_PROBE_ZOOKEEPER_READ_RETRY_H

struct session_answer;
struct request;
struct session;

/* Passes on the answer, with the library's result, or keeps the request for a retry. */
void read_retry_answer(struct request *request, int rc, const struct session_answer *answer);

/* The connection is lost: waiting reads are answered with SESSION_LOST. */
void read_retry_lost(struct session *session);

/* Call this after read_retry_lost(). */
void read_retry_free(struct session *session);

#endif
