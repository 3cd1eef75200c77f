/*
 * private_directory.h - a directory for temporary data of this run: a recording, history.db.
 */
#ifndef ELECTOP_TUI_COMMANDS_PRIVATE_DIRECTORY_H
#define ELECTOP_TUI_COMMANDS_PRIVATE_DIRECTORY_H

/*
 * In $TMPDIR or /tmp, private; the remains of an earlier run that was killed are removed first. malloc'd;
 * NULL and a text in *error (the caller frees it): why not.
 */
char *private_directory_make(char **error);

/* Removes it with the recording in it, and frees the name. NULL is fine. A signal that ends the process in the meantime
 * removes it, too: at once, or as one that is overdue (tty.h). */
void private_directory_remove(char *directory);

#endif
