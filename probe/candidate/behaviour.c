#include "probe/candidate/behaviour.h"

#include <string.h>

#include "probe/election/recipe.h"

#define SEQUENTIAL CREATE_EPHEMERAL_SEQUENTIAL

/* clang-format off: a table, a row a behaviour */
static const struct behaviour_rules manners[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_RECIPE] = {.word = "predecessor", .watches = WHOM_PREDECESSOR, .mode = SEQUENTIAL},
    [BEHAVIOUR_DEAF] = {.word = "deaf", .watches = WHOM_NOBODY, .mode = SEQUENTIAL},
    [BEHAVIOUR_HERD] = {.word = "herd", .watches = WHOM_LEADER, .mode = SEQUENTIAL},
    [BEHAVIOUR_CHILDREN] = {.word = "children", .watches = WHOM_CHILDREN, .mode = SEQUENTIAL},
    [BEHAVIOUR_ONCE] = {.word = "once",
                        .watches = WHOM_PREDECESSOR,
                        .mode = SEQUENTIAL,
                        .watches_once = true},
    [BEHAVIOUR_SLOW] = {.word = "slow", .watches = WHOM_PREDECESSOR, .mode = SEQUENTIAL, .is_slow = true},
    [BEHAVIOUR_SKIP] = {.word = NULL, .watches = WHOM_SKIPPED, .mode = SEQUENTIAL},
    [BEHAVIOUR_SELF] = {.word = NULL, .watches = WHOM_SELF, .mode = SEQUENTIAL},
    [BEHAVIOUR_TWICE] = {.word = NULL,
                         .watches = WHOM_PREDECESSOR,
                         .mode = SEQUENTIAL,
                         .creates_twice = true},
    [BEHAVIOUR_PERSISTENT] = {.word = NULL,
                              .watches = WHOM_PREDECESSOR,
                              .mode = CREATE_PERSISTENT_SEQUENTIAL,
                              .leaves = true},
    [BEHAVIOUR_MUTE] = {.word = "hold", .watches = WHOM_PREDECESSOR, .mode = SEQUENTIAL, .is_mute = true},
    [BEHAVIOUR_FORGETFUL] = {.word = NULL,
                             .watches = WHOM_PREDECESSOR,
                             .mode = SEQUENTIAL,
                             .keeps_ack = true},
};
/* clang-format on */

const struct behaviour_rules *behaviour_rules_of(enum behaviour behaviour)
{
    return &manners[behaviour];
}

enum behaviour behaviour_find(const char *word)
{
    int i = 0;
    while (i < BEHAVIOUR_COUNT && !(manners[i].word && strcmp(manners[i].word, word) == 0))
        i++;
    return (enum behaviour)i;
}

struct line_place place_in_line(int64_t mine, char *const *names, size_t count)
{
    struct line_place place = {.stands = false};
    for (size_t i = 0; i < count; i++) {
        struct line_member one = {names[i], recipe_sequence_of(names[i])};
        if (one.number == mine) {
            place.stands = true;
            place.self = one;
        }
        if (one.number == SEQUENCE_NONE || one.number >= mine)
            continue;
        if (!place.leader.name || one.number < place.leader.number)
            place.leader = one;
        if (!place.predecessor.name || one.number > place.predecessor.number) {
            place.skipped = place.predecessor;
            place.predecessor = one;
        } else if (!place.skipped.name || one.number > place.skipped.number) {
            place.skipped = one;
        }
    }
    return place;
}

const struct line_member *place_watched(const struct line_place *place, enum whom whom)
{
    switch (whom) {
    case WHOM_LEADER:
        return &place->leader;
    case WHOM_SKIPPED:
        return place->skipped.name ? &place->skipped : &place->predecessor;
    case WHOM_SELF:
        return &place->self;
    case WHOM_CHILDREN:
    case WHOM_NOBODY:
        return NULL;
    case WHOM_PREDECESSOR:
        break;
    }
    return &place->predecessor;
}

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
