/*
 * words.h - what a report says in words: the same in text, in Markdown and on the page.
 *
 * The texts hold strangers' bytes as they came; whoever prints them makes them safe.
 */
#ifndef ELECTOP_TUI_REPORT_WORDS_H
#define ELECTOP_TUI_REPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/text.h"
#include "probe/report/report.h"

/* What a report says of itself beside its content. */
struct report_note {
    const char *recording; /* the file */
    int64_t made_us;       /* when the report was made; wall clock */
};

#define WORDS_TIME 64 /* a buffer that holds any of these */
enum words_zone { WORDS_UTC, WORDS_LOCAL };
char *words_time(int64_t wall_us, enum words_zone, char buffer[WORDS_TIME]); /* "14:03:22.104" */
char *words_day(int64_t wall_us, enum words_zone, char buffer[WORDS_TIME]);  /* "2026-11-20" */
char *words_zone(int64_t wall_us, enum words_zone, char buffer[WORDS_TIME]); /* "UTC", "CET" */
/* Does the local clock show another time than UTC then? */
bool words_zones_differ(int64_t wall_us);
/* "2026-11-20 12:00:00 – 14:03:22 UTC"; the day again where it is another one. ascii: with a hyphen. */
void words_window(struct text *, int64_t from_us, int64_t to_us, enum words_zone, bool ascii);

/* "The recorder's clock was set back by 1h at 2026-11-20 14:38:52.324 UTC: ..." and what follows from it. */
void words_clock(struct text *, const struct history_clock *, enum words_zone);

/* Whom a leader's row is about: the identity, or else the name. */
const char *words_leader(const struct report_leader *);
const char *words_from(const struct failover *);
const char *words_to(const struct failover *);

/* What happened, in a few sentences that come first; each is appended on its own. */
#define WORDS_SENTENCES 5
struct words_verdict {
    char *sentences[WORDS_SENTENCES]; /* malloc'd */
    size_t count;
    bool failed; /* out of memory */
};
void words_verdict(const struct report_election *, struct words_verdict *);
void words_verdict_free(struct words_verdict *);

/* A span as people read it: "412ms", "1.90 – 4.00s"; "–" where there is nothing to measure, "?" where it is
   not known. */
const char *words_span(struct span, bool applies, bool ascii, char buffer[WORDS_TIME]);

/* What a cause says, and how far it was proved. */
const char *words_cause_meaning(enum failover_cause);

/* "97.8 %": never 0 % or 100 % of what is only nearly so. */
char *words_share(int64_t part, int64_t whole, char buffer[WORDS_TIME]);

#endif
