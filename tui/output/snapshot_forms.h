/*
 * snapshot_forms.h - a snapshot in the forms of `once -o`, and of some of its elections alone.
 */
#ifndef ELECTOP_TUI_OUTPUT_SNAPSHOT_FORMS_H
#define ELECTOP_TUI_OUTPUT_SNAPSHOT_FORMS_H

#include <stdbool.h>

#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* The same model with only the elections that are wanted; all else is borrowed from the original. */
struct picked_model {
    struct model model;
    struct election **elections; /* of all clusters, one after the other */
};
/* In any case picked_model_release(). */
void picked_model_make(struct picked_model *, const struct model *,
                       bool (*wants)(const void *context, const struct election *), const void *context);
void picked_model_release(struct picked_model *);

/* A line an election, after a line of headings; quoted as RFC 4180 says. Times are UTC; what is not known is
   empty. */
void snapshot_csv_write(struct buffer *, const struct model *, struct moment now);

/* The document of --json, which is what json_snapshot_write() wrote, as YAML. */
void snapshot_yaml_write(struct buffer *, const struct buffer *json);

#endif
