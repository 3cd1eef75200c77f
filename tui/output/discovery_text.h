/*
 * discovery_text.h - the results of a search for elections: as a table, and as a configuration with reasons.
 */
#ifndef ELECTOP_TUI_OUTPUT_DISCOVERY_TEXT_H
#define ELECTOP_TUI_OUTPUT_DISCOVERY_TEXT_H

#include "probe/election/directory_kind.h"
#include "probe/election/model.h"
#include "tui/output/line_printer.h"

/* found: one for each cluster of the model. */
void discovery_text_print(struct buffer *out, const struct model *model, const struct discovery *found,
                          const struct print_style *how);

/* A configuration that electop can read. Directories that only look like elections are commented out; each
 * has its reason. The settings are those of the search: they provide the clusters, and the user's own
 * recipes. */
void discovery_text_yaml(struct buffer *out, const struct model *model, const struct discovery *found,
                         const struct settings *settings);

/* The known layouts, those of the configuration first. */
void discovery_text_recipes(struct buffer *out, const struct recipe_book *book,
                            const struct print_style *how);

#endif
