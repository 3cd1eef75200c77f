#include "probe/inject/departure.h"

static const char *const words[DEPART_COUNT] = {
    [DEPART_CLOSE] = "close",
    [DEPART_RESIGN] = "resign",
    [DEPART_DROP] = "drop",
    [DEPART_PAUSE] = "pause",
};

const char *departure_word(enum departure departure)
{
    return words[departure];
}
