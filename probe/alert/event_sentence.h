/*
 * event_sentence.h - what happened, as evidence of an alert: a plain sentence.
 */
#ifndef ELECTOP_PROBE_ALERT_EVENT_SENTENCE_H
#define ELECTOP_PROBE_ALERT_EVENT_SENTENCE_H

#include "probe/election/event.h"

/* malloc'd; NULL: there is nothing to say beyond the event's word. Not for findings, which have evidence. */
char *event_sentence(const struct event *event);

#endif
