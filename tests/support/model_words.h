/*
 * model_words.h - what the model knows of an election, in the words of a script (model_script.h).
 */
#ifndef ELECTOP_TESTS_SUPPORT_MODEL_WORDS_H
#define ELECTOP_TESTS_SUPPORT_MODEL_WORDS_H

#include <stddef.h>

struct election;

/* Where a script's time begins: times are told in milliseconds since then. */
#define WORDS_START_US INT64_C(1000000000)

/* At the end of a text, as far as there is room. */
void words_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The answer to "? WHAT NAME", at the end of out; name: of a candidate or a finding, or "". */
void words_describe(const struct election *, const char *what, const char *name, char *out, size_t size);

#endif
