/*
 * discovery_text.h - what a search for elections found: as a table, and as a configuration with reasons.
 */
#ifndef ELECTOP_TUI_OUTPUT_DISCOVERY_TEXT_H
#define ELECTOP_TUI_OUTPUT_DISCOVERY_TEXT_H

#include "probe/election/directory_kind.h"
#include "probe/election/model.h"
#include "tui/output/line_printer.h"

/* found: one for each cluster of the model. */
void discovery_text_print(struct buffer *out, const struct model *model, const struct discovery *found,
                          const struct print_style *how);

/* A configuration that electop reads. What only looks like an election is commented out; each has its reason.
   The settings are those of the search: the clusters, and the user's own recipes, are taken from them. */
void discovery_text_yaml(struct buffer *out, const struct model *model, const struct discovery *found,
                         const struct settings *settings);

/* The known layouts, those of the configuration first. */
void discovery_text_recipes(struct buffer *out, const struct recipe_book *book,
                            const struct print_style *how);

#endif
