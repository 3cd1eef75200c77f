/*
 * owners.h - which stretch of a recording shows a time: where a clock was set back, the later recording
 * shows the times that the clock showed twice.
 */
#ifndef ELECTOP_PROBE_HISTORY_OWNERS_H
#define ELECTOP_PROBE_HISTORY_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history;

/* A part of the wall's time and the stretch that shows it, an index into those of the history. */
struct owner {
    int64_t from_us, to_us;
    size_t stretch;
};

struct owners {
    struct owner *of; /* in the order of time, apart from each other */
    size_t count;
    bool jump; /* the order of recording is another one */
};

/* While it is being read (reader.h). False: out of memory. To be freed in either case. */
bool owners_find(const struct history *, struct owners *);
void owners_free(struct owners *);

#endif
