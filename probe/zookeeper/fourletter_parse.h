/*
 * fourletter_parse.h - parses answers to four-letter words into the lists of server_lists.h. Pure.
 *
 * The answers of ZooKeeper 3.4 to 3.9. A truncated, refused or foreign answer is an error:
 * a list is complete or absent.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_FOURLETTER_PARSE_H
#define ELECTOP_PROBE_ZOOKEEPER_FOURLETTER_PARSE_H

#include "probe/zookeeper/server_lists.h"

enum fourletter_word {
    FOURLETTER_WORD_SRVR, /* figures: mode, version, zxid, connections */
    FOURLETTER_WORD_MNTR, /* figures: all_watches, sessions, ephemerals, ... */
    FOURLETTER_WORD_WCHS, /* figures: watching, watched_paths, watches */
    FOURLETTER_WORD_CONS, /* connections */
    FOURLETTER_WORD_WCHC, /* watches */
    FOURLETTER_WORD_DUMP  /* sessions; from ZooKeeper's leader only */
};
const char *fourletter_word_text(enum fourletter_word); /* "srvr" */

/* text: NUL-terminated. NULL: answer is filled. Else why not (static text), and the lists are empty. */
const char *fourletter_word_read(enum fourletter_word, const char *text, struct server_answer *);

/* That problem: the server has this word switched off. */
bool fourletter_word_is_switched_off(const char *problem);

#endif
