#include "probe/election/failover.h"

const char *failover_cause_word(enum failover_cause cause)
{
    static const char *const words[CAUSE_COUNT] = {
        [CAUSE_UNKNOWN] = "unknown", [CAUSE_DELETED] = "deleted", [CAUSE_RESIGNED] = "resigned",
        [CAUSE_EVICTED] = "evicted", [CAUSE_ENDED] = "ended",     [CAUSE_CLOSED] = "closed",
        [CAUSE_EXPIRED] = "expired",
    };
    return words[cause < CAUSE_COUNT ? cause : CAUSE_UNKNOWN];
}

bool failover_has_detection(enum failover_cause cause)
{
    return cause == CAUSE_EXPIRED || cause == CAUSE_ENDED || cause == CAUSE_UNKNOWN;
}
