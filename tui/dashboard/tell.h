/*
 * tell.h - the elections of whose next change of state the user wants one notification.
 */
#ifndef ELECTOP_TUI_DASHBOARD_TELL_H
#define ELECTOP_TUI_DASHBOARD_TELL_H

#include <stddef.h>

#include "probe/election/model.h"

#define TELLS_MOST 32

/* Begin with {0}. */
struct tells {
    struct tell {
        char *cluster, *path, *name, *state; /* as it was when this was asked for */
        int64_t unsettled_us; /* since then nobody leads, or not all about who leads is read; 0: neither */
        bool unforeseen;      /* what the next failover does was not known */
        bool lost;            /* it was led, and has had no leader since */
    } all[TELLS_MOST];
    size_t count;
    char *said; /* the latest */
};

/* Begins, or ends where it has begun. */
enum tell_answer { TELL_BEGUN, TELL_ENDED, TELL_FULL };
enum tell_answer tell_turn(struct tells *tells, const struct model *model, const struct election *election,
                           struct moment now);
/* The new state of an election that has changed, and is then removed; NULL: none has. Valid until the next
 * call. */
const char *tell_change(struct tells *tells, const struct model *model, struct moment now);
void tell_release(struct tells *tells);

#endif
