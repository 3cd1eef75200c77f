/*
 * report_sentences.h - the sentences of a report: the same in text, in Markdown and on the page.
 *
 * The texts contain untrusted bytes; a caller that prints them makes them safe.
 */
#ifndef ELECTOP_TUI_OUTPUT_REPORT_SENTENCES_H
#define ELECTOP_TUI_OUTPUT_REPORT_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/text.h"
#include "probe/report/report.h"

/* The information about the report itself. */
struct report_note {
    const char *recording; /* the file */
    int64_t made_us;       /* when the report was made; wall clock */
};

#define SENTENCE_TIME 64 /* a buffer that holds any of these */
enum sentence_zone { SENTENCE_UTC, SENTENCE_LOCAL };
char *sentence_time(int64_t wall_us, enum sentence_zone zone,
                    char buffer[SENTENCE_TIME]);                                          /* "14:03:22.104" */
char *sentence_day(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME]); /* "2026-11-20" */
char *sentence_zone(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME]); /* "UTC", "CET" */
/* Whether the local clock differs from UTC then. */
bool sentence_zones_differ(int64_t wall_us);
/* "2026-11-20 12:00:00 – 14:03:22 UTC"; the day again if it differs. ascii: with a hyphen. */
void sentence_window(struct text *text, int64_t from_us, int64_t to_us, enum sentence_zone zone, bool ascii);

/* "The recorder's clock was set back by 1h at 2026-11-20 14:38:52.324 UTC: ..." and the consequences. */
void sentence_clock(struct text *text, const struct history_clock *clock, enum sentence_zone zone);

/* An event of ZooKeeper itself: "ZooKeeper's own leader changed: epoch 3 begins, 26.6s after the transaction
 * before". */
void sentence_fact(struct text *text, const struct logged_fact *fact);

/* The leader of a row: the identity, or else the name. */
const char *sentence_leader(const struct report_leader *leader);
const char *sentence_from(const struct failover *failover);
const char *sentence_to(const struct failover *failover);

/* The summary, in a few sentences at the beginning; each is appended separately. */
#define SENTENCE_SENTENCES 7
struct sentence_verdict {
    char *sentences[SENTENCE_SENTENCES]; /* malloc'd */
    size_t count;
};
void sentence_verdict(const struct report_election *election, struct sentence_verdict *verdict);
void sentence_verdict_free(struct sentence_verdict *verdict);

/* A span in readable form: "412ms", "1.90 – 4.00s"; "–" if there is nothing to measure, "?" if unknown. */
const char *sentence_span(struct span span, bool applies, char buffer[SENTENCE_TIME]);

/* The meaning of a cause, and how far it was proved. */
const char *sentence_cause_meaning(enum failover_cause cause);

/* "97.8 %": never 0 % or 100 % for a value that is only close. */
char *sentence_share(int64_t part, int64_t whole, char buffer[SENTENCE_TIME]);

#endif
