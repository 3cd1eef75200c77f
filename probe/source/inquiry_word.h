/*
 * inquiry_word.h - asks a server by four-letter word, where that can do no harm.
 */
#ifndef ELECTOP_PROBE_SOURCE_INQUIRY_WORD_H
#define ELECTOP_PROBE_SOURCE_INQUIRY_WORD_H

struct inquiry;

/* This step. inquiry_step_succeeded() or inquiry_way_failed() follows, once (inquiry_round.h). */
void inquiry_ask_by_word(struct inquiry *);

#endif
