#include "probe/inject/run_phase.h"

const char *run_end_word(enum run_end end)
{
    static const char *const words[] = {"done", "stopped",  "refused", "unreached",
                                        "lost", "too-slow", "failed"};
    return words[end];
}

const char *run_phase_word(enum run_phase phase)
{
    static const char *const words[] = {"connecting",       "looking at the path",
                                        "making its place", "waiting for the other agents",
                                        "standing up",      "running",
                                        "ending",           "gathering all parts",
                                        "removing",         "over"};
    return words[phase];
}
