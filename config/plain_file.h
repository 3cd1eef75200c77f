/*
 * plain_file.h - opens files that a user or a directory names.
 *
 * open() of a named pipe or a device can block for ever, deaf to signals. So a file that should be a plain
 * one is opened without blocking, and refused if it is anything else.
 */
#ifndef ELECTOP_CONFIG_PLAIN_FILE_H
#define ELECTOP_CONFIG_PLAIN_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#define PLAIN_FILE_DENIED "permission denied; ask its owner, or read as a member of its group"
/* Why a recording or a server's log cannot be read, from errno. */
const char *plain_file_refusal(int error);
/* For reading: a descriptor. -1: *why says the reason in a static text, or in that of strerror(): "is not a
   plain file". */
int plain_file_open(const char *path, const char **why);
/* The same as a stream; NULL where it cannot be opened. */
FILE *plain_file_stream(const char *path, const char **why);
/* A name for a library that opens files itself: by the file's own name another may be there by then. */
#define PLAIN_FILE_NAME 40
void plain_file_name(int descriptor, char name[static PLAIN_FILE_NAME]);
/* All of it, with a NUL byte behind; the caller frees it. NULL and *why as above, or if it has more than most bytes. */
char *plain_file_read(const char *path, size_t most, size_t *length, const char **why);
/* Distinguishes one state of a file from another, even if an older one replaced it. */
struct file_state {
    ino_t inode;
    struct timespec written, changed;
};
struct file_state file_state_of(const struct stat *status);
bool file_state_same(const struct file_state *a, const struct file_state *b);
/* For reading, and for writing at its end; created for its owner alone where there is none. No link is followed:
   who can make one in that directory must not choose the file that is written. */
int plain_file_append(const char *path, const char **why);

#endif
