/*
 * folder.h - a test's own folder, which goes when the program ends: also where the test fails, and frees
 * nothing.
 */
#ifndef ELECTOP_TESTS_SUPPORT_FOLDER_H
#define ELECTOP_TESTS_SUPPORT_FOLDER_H

/* name: as mkdtemp() wants it. One that cannot be made fails the running cmocka test. */
void folder_make(char *name);
/* With the files in it. It may be gone already. */
void folder_remove(const char *name);

#endif
