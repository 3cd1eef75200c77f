/*
 * removed_words.h - options and keys that earlier versions had, and what replaces them.
 */
#ifndef ELECTOP_CONFIG_REMOVED_WORDS_H
#define ELECTOP_CONFIG_REMOVED_WORDS_H

/* What to do in place of this option (without its dashes) or key; NULL: no version had it. */
const char *removed_words_instead(const char *word);

#endif
