/*
 * trial_versus.h - two runs held against each other: what does a herd cost, where the recipe's chain does
 * not?
 */
#ifndef ELECTOP_TUI_INJECT_TRIAL_VERSUS_H
#define ELECTOP_TUI_INJECT_TRIAL_VERSUS_H

#include "probe/inject/trial.h"
#include "tui/inject/trial_form.h"

/* What each is called: by its behaviour ("recipe", "herd"), or where that is a mixture by its turn. */
void trial_versus_names(const struct trial_report *first, const struct trial_report *second,
                        char names[2][FORM_CELL]);

/* One sentence that says it, and one table. */
void trial_versus_put(struct trial_form *, const struct trial_report *first,
                      const struct trial_report *second);

#endif
