/*
 * session_retry.h - repeats reads of a session that the servers refused.
 *
 * An error may be unrelated to the znode: the server is overloaded and has dropped the request
 * (ZTHROTTLEDOP, since ZooKeeper 3.7), or has an internal error. As an answer it would be
 * wrong; repeated at once it would add to the load. So the reads wait, for 0.5 s at first and up to 10 s
 * where that does not help, and are sent a few at a time. The caller notices only the delay.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_RETRY_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_RETRY_H

struct answer;
struct request;
struct session;

/* Gives the answer, with the library's result, or keeps the request for later. */
void session_retry_answer(struct request *request, int rc, const struct answer *answer);

/* The connection has gone: those that wait are answered with SESSION_LOST. */
void session_retry_lost(struct session *session);

/* After session_retry_lost(). */
void session_retry_free(struct session *session);

#endif
