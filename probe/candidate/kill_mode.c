#include "probe/candidate/kill_mode.h"

static const char *const words[KILL_COUNT] = {
    [KILL_CLOSE] = "close",
    [KILL_RESIGN] = "resign",
    [KILL_DROP] = "drop",
    [KILL_PAUSE] = "pause",
};

const char *kill_mode_word(enum kill_mode departure)
{
    return words[departure];
}
