/*
 * kill_mode.h - the ways in which a test candidate goes.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_KILL_MODE_H
#define ELECTOP_PROBE_CANDIDATE_KILL_MODE_H

enum kill_mode {
    KILL_CLOSE,  /* ends its session; its znode goes at once */
    KILL_RESIGN, /* deletes its znode, keeps its session */
    KILL_DROP,   /* its process crashes: the connection is gone without a word, the session expires */
    KILL_PAUSE,  /* its process stops, as in a long garbage collection: the connection stays, it answers
   nothing, its session  expires; once resumed it learns of that */
    KILL_COUNT
};

/* The contract's word: "close". */
const char *kill_mode_word(enum kill_mode);

#endif
