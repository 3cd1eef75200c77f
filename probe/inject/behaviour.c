#include "probe/inject/behaviour.h"

#include <stdint.h>
#include <string.h>

#include "probe/election/recipe.h"

/* clang-format off: a table, a row a behaviour */
static const struct manner manners[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_RECIPE] = {WHOM_PREDECESSOR, CREATE_EPHEMERAL_SEQUENTIAL},
    [BEHAVIOUR_DEAF] = {WHOM_NOBODY, CREATE_EPHEMERAL_SEQUENTIAL},
    [BEHAVIOUR_HERD] = {WHOM_LEADER, CREATE_EPHEMERAL_SEQUENTIAL},
    [BEHAVIOUR_SKIP] = {WHOM_SKIPPED, CREATE_EPHEMERAL_SEQUENTIAL},
    [BEHAVIOUR_SELF] = {WHOM_SELF, CREATE_EPHEMERAL_SEQUENTIAL},
    [BEHAVIOUR_TWICE] = {WHOM_PREDECESSOR, CREATE_EPHEMERAL_SEQUENTIAL, .creates_twice = true},
    [BEHAVIOUR_PERSISTENT] = {WHOM_PREDECESSOR, CREATE_PERSISTENT_SEQUENTIAL, .leaves = true},
    [BEHAVIOUR_MUTE] = {WHOM_PREDECESSOR, CREATE_EPHEMERAL_SEQUENTIAL, .is_mute = true},
    [BEHAVIOUR_FORGETFUL] = {WHOM_PREDECESSOR, CREATE_EPHEMERAL_SEQUENTIAL, .keeps_mark = true},
};
/* clang-format on */

const struct manner *behaviour_manner(enum behaviour behaviour)
{
    return &manners[behaviour];
}

struct place place_in_line(const char *mine, char *const *names, size_t count)
{
    struct place place = {.stands = false};
    int64_t my_number = recipe_sequence_of(mine), first = 0, last = 0, last_but_one = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t number = recipe_sequence_of(names[i]);
        if (strcmp(names[i], mine) == 0) {
            place.stands = true;
            continue;
        }
        if (number == SEQUENCE_NONE || number >= my_number)
            continue;
        if (!place.leader || number < first) {
            first = number;
            place.leader = names[i];
        }
        if (!place.predecessor || number > last) {
            last_but_one = last;
            place.skipped = place.predecessor;
            last = number;
            place.predecessor = names[i];
        } else if (!place.skipped || number > last_but_one) {
            last_but_one = number;
            place.skipped = names[i];
        }
    }
    return place;
}

const char *place_watched(const struct place *place, enum whom whom, const char *mine)
{
    switch (whom) {
    case WHOM_LEADER:
        return place->leader;
    case WHOM_SKIPPED:
        return place->skipped ? place->skipped : place->predecessor;
    case WHOM_SELF:
        return mine;
    case WHOM_NOBODY:
        return NULL;
    case WHOM_PREDECESSOR:
        break;
    }
    return place->predecessor;
}
