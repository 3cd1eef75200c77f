/*
 * json_finding.h - a finding as JSON: the same object in `once` and in `events`.
 */
#ifndef ELECTOP_PROBE_JSON_JSON_FINDING_H
#define ELECTOP_PROBE_JSON_JSON_FINDING_H

#include "probe/election/finding.h"
#include "probe/json/json_writer.h"

/* The object, as the next element. */
void json_finding_write(struct json_writer *, const struct finding *);

#endif
