#include "probe/candidate/behaviour.h"

#include <string.h>

#include "probe/election/recipe.h"

#define SEQUENTIAL CREATE_EPHEMERAL_SEQUENTIAL

/* clang-format off: a table, a row a behaviour */
static const struct behaviour_rules behaviour_table[BEHAVIOUR_COUNT] = {
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
    return &behaviour_table[behaviour];
}

enum behaviour behaviour_find(const char *word)
{
    int i = 0;
    while (i < BEHAVIOUR_COUNT && !(behaviour_table[i].word && strcmp(behaviour_table[i].word, word) == 0))
        i++;
    return (enum behaviour)i;
}

struct line_position position_in_line(int64_t mine, char *const *names, size_t count)
{
    struct line_position position = {.in_line = false};
    for (size_t i = 0; i < count; i++) {
        struct line_member one = {names[i], recipe_sequence_of(names[i])};
        if (one.number == mine) {
            position.in_line = true;
            position.self = one;
        }
        if (one.number == SEQUENCE_NONE || one.number >= mine)
            continue;
        if (!position.leader.name || one.number < position.leader.number)
            position.leader = one;
        if (!position.predecessor.name || one.number > position.predecessor.number) {
            position.skipped = position.predecessor;
            position.predecessor = one;
        } else if (!position.skipped.name || one.number > position.skipped.number) {
            position.skipped = one;
        }
    }
    return position;
}

const struct line_member *position_watched(const struct line_position *position, enum whom whom)
{
    switch (whom) {
    case WHOM_LEADER:
        return &position->leader;
    case WHOM_SKIPPED:
        return position->skipped.name ? &position->skipped : &position->predecessor;
    case WHOM_SELF:
        return &position->self;
    case WHOM_CHILDREN:
    case WHOM_NOBODY:
        return NULL;
    case WHOM_PREDECESSOR:
        break;
    }
    return &position->predecessor;
}

static const char *const kill_words[KILL_COUNT] = {
    [KILL_CLOSE] = "close",
    [KILL_RESIGN] = "resign",
    [KILL_DROP] = "drop",
    [KILL_PAUSE] = "pause",
};

const char *kill_mode_word(enum kill_mode how)
{
    return kill_words[how];
}
