#include "probe/inject/crowd_state.h"

#include "probe/inject/crew.h"

struct test_candidate *crowd_candidate_at(const struct crowd *crowd, size_t i)
{
    return i < crowd->entered ? crew_candidate(crowd->crews[i / crowd->per_session], i % crowd->per_session)
                              : NULL;
}

const struct casting *crowd_casting_at(const struct crowd *crowd, size_t i)
{
    return crowd_parts_casting(&crowd->parts, &crowd->options, i);
}
