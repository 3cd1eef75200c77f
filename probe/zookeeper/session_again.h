/*
 * session_again.h - the reads of a session that the servers would not answer: they are asked again.
 *
 * An error may say nothing of the znode: that the server is overloaded and has dropped the request
 * (ZTHROTTLEDOP, since ZooKeeper 3.7), or that something is wrong with it. Taken for an answer, it would be a
 * lie; asked again at once, more of the same load. So the reads wait, for 0.5 s at first and up to 10 s where
 * that does not help, and are sent a few at a time. Whoever asked notices nothing but that it takes long.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_AGAIN_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_AGAIN_H

struct answer;
struct request;
struct session;

/* Gives the answer, with the library's result, or keeps the request for later. */
void session_again_answer(struct request *, int rc, const struct answer *);

/* The connection has gone: those that wait are answered with SESSION_LOST. */
void session_again_lost(struct session *);

/* After session_again_lost(). */
void session_again_free(struct session *);

#endif
