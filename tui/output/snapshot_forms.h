/*
 * snapshot_forms.h - a snapshot in the forms of `once -o`, and restricted to some of its elections.
 */
#ifndef ELECTOP_TUI_OUTPUT_SNAPSHOT_FORMS_H
#define ELECTOP_TUI_OUTPUT_SNAPSHOT_FORMS_H

#include <stdbool.h>

#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* The same model with only the wanted elections; everything else is borrowed from the original. */
struct picked_model {
    struct model model;
    struct election **elections; /* of all clusters, one after the other */
};
/* Always call picked_model_release() afterwards. */
void picked_model_make(struct picked_model *, const struct model *,
                       bool (*wants)(const void *context, const struct election *), const void *context);
void picked_model_release(struct picked_model *);

/* A line of headings, then a line for each election; quoted by RFC 4180. Times are UTC; unknown values are
 * empty. */
void snapshot_csv_write(struct buffer *, const struct model *, struct moment now);

#endif
