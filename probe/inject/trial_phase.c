#include "probe/inject/trial_phase.h"

const char *trial_end_word(enum trial_end end)
{
    static const char *const words[] = {"done", "stopped",  "refused", "unreached",
                                        "lost", "too-slow", "failed"};
    return words[end];
}

const char *trial_phase_word(enum trial_phase phase)
{
    static const char *const words[] = {"connecting",       "looking at the path",
                                        "making its place", "waiting for the other agents",
                                        "standing up",      "running",
                                        "ending",           "gathering all parts",
                                        "removing",         "over"};
    return words[phase];
}
