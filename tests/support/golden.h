/*
 * golden.h - what is drawn or said, held against the file that says how it should be.
 *
 * Tests run at the top of the tree, from where paths are seen. With UPDATE_GOLDEN in the environment the
 * files are written anew: look at what changed in them before they are committed.
 */
#ifndef ELECTOP_TESTS_SUPPORT_GOLDEN_H
#define ELECTOP_TESTS_SUPPORT_GOLDEN_H

#include "probe/json/buffer.h"

/* Fails the running test, and shows the lines that differ, unless the file holds just this. */
void golden_compare(const char *path, const char *text);
/* The same of any bytes, which were written without a failure. */
void golden_check(const char *path, const struct buffer *);

#endif
