/*
 * departure.h - the ways in which a test candidate goes.
 */
#ifndef ELECTOP_PROBE_INJECT_DEPARTURE_H
#define ELECTOP_PROBE_INJECT_DEPARTURE_H

enum departure {
    DEPART_CLOSE,  /* ends its session; its znode goes at once */
    DEPART_RESIGN, /* deletes its znode, keeps its session */
    DEPART_DROP,   /* its process crashes: the connection is gone without a word, the session expires */
    DEPART_PAUSE,  /* its process stands still, as in a long garbage collection: the connection stays, nothing
                      is answered, the session expires; once resumed it learns of that */
    DEPART_COUNT
};

/* The contract's word: "close". */
const char *departure_word(enum departure);

#endif
