#include "probe/inject/behaviour.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/recipe.h"

#define SEQUENTIAL CREATE_EPHEMERAL_SEQUENTIAL

/* clang-format off: a table, a row a behaviour */
static const struct manner manners[BEHAVIOUR_COUNT] = {
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
                             .keeps_mark = true},
};
/* clang-format on */

const struct manner *behaviour_manner(enum behaviour behaviour)
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

#define DIGITS 10

static const char *tail_of(const char *name)
{
    size_t length = strlen(name);
    return length >= DIGITS ? name + length - DIGITS : NULL;
}

/*
 * Of a line of thousands only a handful matter to one, and most others show that by their digits alone. Only
 * those that begin with a zero: a number that does may have a sign in front.
 */
struct digits {
    char mine[DIGITS + 2], first[DIGITS], last[DIGITS]; /* of the leader, and of the last but one */
    bool have_mine, have_others;
};

static bool matters(const struct digits *d, const char *tail)
{
    if (tail[0] != '0')
        return true;
    if (d->have_mine && memcmp(tail, d->mine, DIGITS) > 0)
        return false;
    return !d->have_others || memcmp(tail, d->first, DIGITS) <= 0 || memcmp(tail, d->last, DIGITS) >= 0;
}

static void remember(struct digits *d, const struct place *place)
{
    if (!place->skipped.name)
        return;
    memcpy(d->first, tail_of(place->leader.name), DIGITS);
    memcpy(d->last, tail_of(place->skipped.name), DIGITS);
    d->have_others = d->first[0] == '0' && d->last[0] == '0';
}

struct place place_in_line(int64_t mine, char *const *names, size_t count)
{
    struct place place = {.stands = false};
    struct digits digits = {.have_mine = mine >= 0 && mine < 1000000000};
    if (digits.have_mine)
        snprintf(digits.mine, sizeof digits.mine, "%010d", (int)mine);
    for (size_t i = 0; i < count; i++) {
        const char *tail = tail_of(names[i]);
        if (!tail || !matters(&digits, tail))
            continue;
        struct stander one = {names[i], recipe_sequence_of(names[i])};
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
        remember(&digits, &place);
    }
    return place;
}

const struct stander *place_watched(const struct place *place, enum whom whom)
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
