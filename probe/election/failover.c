#include "probe/election/failover.h"

#include <stdlib.h>

#include "config/text.h"

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

bool failover_copy(struct failover *to, const struct failover *from)
{
    *to = *from;
    to->from = text_copy(from->from);
    to->from_identity = text_copy(from->from_identity);
    to->to = text_copy(from->to);
    to->to_identity = text_copy(from->to_identity);
    to->evidence = text_copy(from->evidence);
    bool whole = !from->from == !to->from && !from->from_identity == !to->from_identity &&
                 !from->to == !to->to && !from->to_identity == !to->to_identity &&
                 !from->evidence == !to->evidence;
    if (!whole)
        failover_release(to);
    return whole;
}

void failover_release(struct failover *failover)
{
    free(failover->from);
    free(failover->from_identity);
    free(failover->to);
    free(failover->to_identity);
    free(failover->evidence);
    *failover = (struct failover){0};
}
