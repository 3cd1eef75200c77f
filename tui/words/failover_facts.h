/*
 * failover_facts.h - the durations of an election's failovers seen by this run, as short as the room requires.
 */
#ifndef ELECTOP_TUI_WORDS_FAILOVER_FACTS_H
#define ELECTOP_TUI_WORDS_FAILOVER_FACTS_H

#include <stdbool.h>

#include "probe/election/election.h"
#include "probe/election/failover.h"
#include "tui/screen/cells.h"
#include "tui/words/format.h"

/*
 * How long a failover took: the one figure of all screens. Without an acknowledgement it ends when a candidate
 * is first. SPAN_UNKNOWN: not known.
 */
struct span failover_facts_length(const struct failover *failover);

/* When the leader was lost whom another one followed, or nobody yet; mono_us 0: none was. */
struct moment failover_facts_lost(const struct election *election);
/*
 * The latest: "412ms", "9.60 – 12.9s", or "≤ 12.9s" if there is no room; "open" while there is no leader, "?"
 * if unknown. Until EVENT_FAILOVER is complete, from electop's own watches. "" if none was seen.
 */
char *failover_facts_last(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* The median of those seen by this run; false: there are none. */
bool failover_facts_usual(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* Changes of leader in the time that ends now, as changes.h counts them. */
struct leader_changes {
    size_t count;
    size_t by_cause[CAUSE_COUNT]; /* as far as this run saw their evidence; the rest has CAUSE_UNKNOWN */
    size_t older;                 /* whose causes are no longer kept */
    bool more;                    /* older ones in this time are no longer kept themselves: at least count */
    int64_t span_us;              /* from the oldest of count until now; 0: there is none */
};
void failover_facts_changes(const struct election *election, struct moment now, int64_t window_us,
                            struct leader_changes *changes);
/* "5: 3 expired, 2 resigned", the most frequent first, or "3 expired", with as many causes as have room;
 * ">=127, last 64: 62 deleted, 2 resigned" where those of others are no longer kept; "" where there are none. */
char *failover_facts_split(const struct cells *cells, const struct leader_changes *changes, int room,
                           char *buffer, size_t size);

#endif
