#include "probe/inject/crowd_state.h"

#include "probe/candidate/candidate_session.h"

struct test_candidate *crowd_candidate_at(const struct crowd *crowd, size_t i)
{
    return i < crowd->entered
               ? candidate_session_candidate(crowd->crews[i / crowd->per_session], i % crowd->per_session)
               : NULL;
}

const struct candidate_options *crowd_casting_at(const struct crowd *crowd, size_t i)
{
    return crowd_parts_casting(&crowd->parts, &crowd->options, i);
}
