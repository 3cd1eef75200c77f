/*
 * case_recorder.h - a recording from a case: folds the observations by this program's rules, and records what
 * the model then shows.
 *
 * The same case and the same version make the same recording. Its times are those of the case.
 */
#ifndef ELECTOP_PROBE_HISTORY_CASE_RECORDER_H
#define ELECTOP_PROBE_HISTORY_CASE_RECORDER_H

#include <stdbool.h>

#include "probe/case/case_file.h"

/* Reads the case to its end, into the file. False and a text in *error (caller frees): why not. */
bool case_record(struct case_reader *reader, const char *file, char **error);

#endif
