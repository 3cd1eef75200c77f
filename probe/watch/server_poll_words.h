/*
 * server_poll_words.h - asks a server by four-letter word, where that can do no harm.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_POLL_WORDS_H
#define ELECTOP_PROBE_WATCH_SERVER_POLL_WORDS_H

struct server_poll;

/* This step. server_poll_step_succeeded() or server_poll_way_failed() follows, once (server_poll_state.h). */
void server_poll_ask_by_word(struct server_poll *);

#endif
