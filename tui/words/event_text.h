/*
 * event_text.h - an event in words, the same on every screen and in `electop events`.
 *
 * The strings contain untrusted bytes: a caller that shows them makes them safe (cells_put(), safe_text()).
 * Names too long for their room are cut between characters.
 */
#ifndef ELECTOP_TUI_WORDS_EVENT_TEXT_H
#define ELECTOP_TUI_WORDS_EVENT_TEXT_H

#include "probe/election/event.h"
#include "tui/screen/cells.h"

struct event_words {
    const char *label; /* static: "leader elected" */
    style role;        /* of the label: a role */
    const char *where; /* the election's name, or the cluster's; borrowed from the event */
    char from[256];    /* the previous leader ("host-a:8081"); "" if not applicable. An arrow follows it */
    char subject[512]; /* the candidate: "n_0000000007 10.0.3.9"; may be "" */
    char within[256];  /* the identity, if part of the name: for callers that shorten it; else "" */
    char detail[1024]; /* "7th in line", "412ms", a finding's evidence; may be "" */
};

/* The longest label, for columns. */
#define EVENT_LABEL_WIDTH 15

void event_text(const struct event *event, struct event_words *words);

#endif
