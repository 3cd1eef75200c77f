/*
 * dice.h - the same throws in every run: what a test tried can be tried again.
 */
#ifndef ELECTOP_TESTS_SUPPORT_DICE_H
#define ELECTOP_TESTS_SUPPORT_DICE_H

#include <stdint.h>

/* A number below that. The dice are theirs alone who throw them; they begin as anything but 0. */
static inline uint64_t dice_draw(uint64_t *dice, uint64_t below)
{
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    return (*dice >> 11) % below;
}

#endif
