/*
 * json_discovery.h - what a search for elections found, as one JSON document.
 *
 *   schema, time
 *   clusters[]: name (null: it has none), hosts, state, problem, walked (directories), rate_per_s, complete,
 *               left_out
 *   found[]: path, kind, proof (signature, watch, behaviour, configured, name), certainty, evidence, members
 *            of elections and locks also: recipe, family, kind_known, state, leader (identity or name)
 */
#ifndef ELECTOP_PROBE_JSON_JSON_DISCOVERY_H
#define ELECTOP_PROBE_JSON_JSON_DISCOVERY_H

#include "probe/election/directory_kind.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* found: one for each cluster of the model. */
void json_discovery_write(struct buffer *out, const struct model *model, const struct discovery *found,
                          struct moment now);

#endif
