/*
 * completion.h - completion scripts for shells, from the table of commands and options.
 */
#ifndef ELECTOP_CONFIG_COMPLETION_H
#define ELECTOP_CONFIG_COMPLETION_H

/* "bash", "zsh" or "fish"; malloc'd. They ask the program itself for election paths and cluster names. NULL:
   no such shell. */
char *completion_script(const char *shell);

#endif
