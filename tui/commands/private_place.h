/*
 * private_place.h - a directory of our own for what lasts no longer than this run.
 */
#ifndef ELECTOP_TUI_COMMANDS_PRIVATE_PLACE_H
#define ELECTOP_TUI_COMMANDS_PRIVATE_PLACE_H

/* In $TMPDIR or /tmp, for nobody else. malloc'd; NULL and a text in *error (caller frees): why not. */
char *private_place_make(char **error);

/* Removes it with the files in it, and frees the name. NULL is fine. */
void private_place_remove(char *directory);

#endif
