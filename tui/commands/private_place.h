/*
 * private_place.h - a private directory for temporary data of this run: a recording, history.db.
 */
#ifndef ELECTOP_TUI_COMMANDS_PRIVATE_PLACE_H
#define ELECTOP_TUI_COMMANDS_PRIVATE_PLACE_H

/*
 * In $TMPDIR or /tmp, private; the remains of an earlier run that was killed are removed first. malloc'd;
 * NULL and a text in *error (the caller frees it): why not.
 */
char *private_place_make(char **error);

/* Removes it with the recording in it, and frees the name. NULL is fine. */
void private_place_remove(char *directory);

#endif
