/*
 * ends.h - why znodes end, as packets show it: a request deleted them, or closed their session; or their client was
 * silent for the whole timeout on every captured server.
 *
 * Times are those of the packets.
 */
#ifndef ELECTOP_PROBE_CAPTURE_ENDS_H
#define ELECTOP_PROBE_CAPTURE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/capture/coverage.h"
#include "probe/transactions/znode_tree.h"

struct ends_listener {
    void *context;
    /* Brings the time when this session was last heard up to date. */
    void (*hear)(void *context, struct logged_session *);
    /* This znode ended; CLOSED, EXPIRED: with all of its session. It must leave the tree. */
    void (*ended)(void *context, struct znode *, const struct observed_transaction *deed);
    /* This one ended before, for no known reason, and it is known now that it was deleted, perhaps by whom. */
    void (*explained)(void *context, const char *path, const struct observed_transaction *deed);
};

struct ends;

/* All must outlive it. waits: an end is judged only once every capture went on beyond the silence. */
struct ends *ends_new(struct znode_tree *tree, const struct coverage *coverage, bool waits,
                      const struct ends_listener *listener);
void ends_free(struct ends *ends); /* NULL is fine */

/* A session asked to delete this znode; the request failed, or all of a multi did (path NULL). */
void ends_asked(struct ends *ends, uint64_t session, const char *path, int64_t at_us);
void ends_refused(struct ends *ends, uint64_t session, const char *path);
/* The request of this session of that time was answered: it deleted the znode, whichever packet showed that first. */
void ends_deleted(struct ends *ends, uint64_t session, const char *path, int64_t asked_us);
/* The latest transaction in the answers of servers. */
void ends_reached(struct ends *ends, int64_t zxid);
/* It was created anew: what was asked before was about another one. */
void ends_forget_asked(struct ends *ends, const char *path);
/* Up to now, what a client did may be missing. all: what all of them did, as of a capture that stalled. */
void ends_doubt(struct ends *ends, int64_t at_us, bool all);
bool ends_has_heard(const struct ends *ends, const struct logged_session *session); /* since then */
/* For its timeout, as far as packets show it. */
bool ends_is_silent(struct ends *ends, struct logged_session *session, int64_t at_us);

/* The capture of the present packet. */
void ends_source(struct ends *ends, size_t source);
size_t ends_present_source(const struct ends *ends); /* or the one that shows the end that is told */
/* Whether the end of this znode, or the latest of this directory, was shown by another one. */
bool ends_are_apart(const struct ends *ends, const char *path);
/* When a packet showed the latest end in this directory, before that time; 0: none is remembered. */
int64_t ends_before_us(const struct ends *ends, const char *path, int64_t at_us);
/* A znode is gone. exact: it went just now. */
void ends_vanishes(struct ends *ends, const char *path, int64_t at_us, bool exact);
/* Judges those that wait, after a packet. */
void ends_judge(struct ends *ends);
bool ends_is_waiting(const struct ends *ends, const struct znode *node);
/* This one has ended: an older list of a slower server, or a read of this very one, does not bring it back.
 * czxid 0: it is not known. */
void ends_note(struct ends *ends, const char *path, int64_t czxid, int64_t at_us);
bool ends_was_seen(const struct ends *ends, const char *path, int64_t czxid, int64_t at_us);

#endif
