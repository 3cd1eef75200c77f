/*
 * trial_form.h - one content in two forms: lines of text, or parts of a page.
 *
 * Labels and prose may hold strangers' bytes (paths, server addresses): both forms make them safe. Cells are
 * our own figures.
 */
#ifndef ELECTOP_TUI_INJECT_TRIAL_FORM_H
#define ELECTOP_TUI_INJECT_TRIAL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/sink/buffer.h"
#include "tui/print/paper.h"

#define FORM_CELL 32
/* Where the first column of a text begins to be filled, and how wide each is. */
#define FORM_LABEL 30
#define FORM_COLUMN 9

struct trial_form {
    struct buffer *out;
    struct paper *paper; /* NULL: a page */
    int column;          /* of the table that is being written */
    bool paired;         /* its first two columns are held against each other: with bars, on a page */
};

void trial_form_title(struct trial_form *, const char *text); /* of a part with headings of its own */
void trial_form_heading(struct trial_form *, const char *text);
/* A paragraph; look: of the text form. */
void trial_form_prose(struct trial_form *, style look, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table with so many columns to the right of its labels. */
void trial_form_table(struct trial_form *, int column, const char *const *heads, size_t count);
void trial_form_row(struct trial_form *, const char *label, char (*cells)[FORM_CELL], size_t count);
/* The same in a table of pairs, with a bar for each of both values; below 0: not known. */
void trial_form_pair(struct trial_form *, const char *label, char (*cells)[FORM_CELL], size_t count,
                     const double values[2]);
/* A row that names what the rows below it belong to. */
void trial_form_group(struct trial_form *, const char *label, size_t count);
void trial_form_table_end(struct trial_form *);

/* Figures as cells. -1: not known ("?"); a time of -1: there was none ("-"). */
void form_number(char out[FORM_CELL], int64_t value);
void form_time(char out[FORM_CELL], int64_t us);
/* Of so many together, what each has: "2", "2.5". "-": there are none. */
void form_mean(char out[FORM_CELL], uint64_t sum, uint64_t count);

#endif
