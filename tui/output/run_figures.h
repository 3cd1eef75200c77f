/*
 * run_figures.h - one content in two forms: lines of text, or parts of a page.
 *
 * Labels and prose may hold strangers' bytes (paths, server addresses): both forms make them safe. Cells are
 * our own figures.
 */
#ifndef ELECTOP_TUI_OUTPUT_RUN_FIGURES_H
#define ELECTOP_TUI_OUTPUT_RUN_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/json/buffer.h"
#include "tui/output/line_printer.h"

#define FORM_CELL 32
/* Where the first column of a text begins to be filled, and how wide each is. */
#define FORM_LABEL 30
#define FORM_COLUMN 9

struct run_figures {
    struct buffer *out;
    struct printer *printer; /* NULL: a page */
    int column;              /* of the table that is being written */
    bool paired;             /* its first two columns are held against each other: with bars, on a page */
};

void run_figures_title(struct run_figures *, const char *text); /* of a part with separate headings */
void run_figures_heading(struct run_figures *, const char *text);
/* A paragraph; look: of the text form. */
void run_figures_prose(struct run_figures *, style look, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table with so many columns to the right of its labels. */
void run_figures_table(struct run_figures *, int column, const char *const *heads, size_t count);
void run_figures_row(struct run_figures *, const char *label, char (*cells)[FORM_CELL], size_t count);
/* The same in a table of pairs, with a bar for each of both values; below 0: not known. */
void run_figures_pair(struct run_figures *, const char *label, char (*cells)[FORM_CELL], size_t count,
                      const double values[2]);
/* A row that names what the rows below it belong to. */
void run_figures_group(struct run_figures *, const char *label, size_t count);
void run_figures_table_end(struct run_figures *);

/* Figures as cells. -1: not known ("?"); a time of -1: there was none ("-"). */
void form_number(char out[FORM_CELL], int64_t value);
void form_time(char out[FORM_CELL], int64_t us);
/* Of so many together, what each has: "2", "2.5". "-": there are none. */
void form_mean(char out[FORM_CELL], uint64_t sum, uint64_t count);

#endif
