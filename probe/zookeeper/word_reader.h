/*
 * word_reader.h - what servers answer to four-letter words, read into the lists of server_lists.h. Pure.
 *
 * The answers of ZooKeeper 3.4 to 3.9. One that is cut off, refused, or another program's is told as such:
 * a list is all of it or none.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_WORD_READER_H
#define ELECTOP_PROBE_ZOOKEEPER_WORD_READER_H

#include "probe/zookeeper/server_lists.h"

enum word {
    WORD_SRVR, /* figures: mode, version, zxid, connections */
    WORD_MNTR, /* figures: all_watches, sessions, ephemerals, ... */
    WORD_WCHS, /* figures: watching, watched_paths, watches */
    WORD_CONS, /* connections */
    WORD_WCHC, /* watches */
    WORD_DUMP  /* sessions; from ZooKeeper's leader only */
};
const char *word_text(enum word); /* "srvr" */

/* text: NUL-terminated. NULL: answer is filled. Else why not (static text), and the lists are empty. */
const char *word_read(enum word, const char *text, struct server_answer *);

/* That problem: the server has this word switched off. */
bool word_is_switched_off(const char *problem);

#endif
