/*
 * story_lines.h - the story of a failover in sentences, most important first, each with its evidence.
 */
#ifndef ELECTOP_TUI_WORDS_STORY_LINES_H
#define ELECTOP_TUI_WORDS_STORY_LINES_H

#include "probe/json/json_writer.h"
#include "probe/report/story.h"

enum sentence_kind {
    SENTENCE_CERTAIN,
    SENTENCE_SUSPECTED, /* the evidence suggests it */
    SENTENCE_INFERRED,  /* it follows from other sentences, without direct evidence */
    SENTENCE_UNKNOWN    /* it names an unknown fact */
};
const char *sentence_kind_word(enum sentence_kind kind);

struct sentence {
    enum sentence_kind kind;
    char *text, *evidence; /* evidence: the facts behind it; never NULL */
};

struct sentences {
    struct sentence *list;
    size_t count, room;
    bool utc; /* times of the day are UTC */
};

/* utc: else times of the day are local. (Evidence has dates and UTC.) */
struct sentences story_sentences(const struct story *story, bool utc);
void sentences_free(struct sentences *sentences);

/* The object of `electop why --json`. */
void story_write(struct buffer *out, const struct story *story, const struct sentences *sentences);

#endif
