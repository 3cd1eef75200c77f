/*
 * run_comparison.h - two runs held against each other: what does a herd cost, where the recipe's chain does
 * not?
 */
#ifndef ELECTOP_TUI_OUTPUT_RUN_COMPARISON_H
#define ELECTOP_TUI_OUTPUT_RUN_COMPARISON_H

#include "probe/inject/run.h"
#include "tui/output/run_figures.h"

/* What each is called: by its behaviour ("recipe", "herd"), or where that is a mixture by its turn. */
void run_comparison_names(const struct run_report *first, const struct run_report *second,
                          char names[2][FORM_CELL]);

/* One sentence that says it, and one table. */
void run_comparison_put(struct run_figures *, const struct run_report *first,
                        const struct run_report *second);

#endif
