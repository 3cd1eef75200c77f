/*
 * golden.h - compares a text with the file that says how it should be, in tests/screens/golden/.
 */
#ifndef ELECTOP_TESTS_SUPPORT_GOLDEN_H
#define ELECTOP_TESTS_SUPPORT_GOLDEN_H

/* Fails the running test, and shows the lines that differ, unless the text is the file's. With UPDATE_GOLDEN
   in the environment the file is written anew instead. Tests run at the top of the tree. */
void golden_compare(const char *name, const char *text);

#endif
