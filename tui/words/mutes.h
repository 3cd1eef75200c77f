/*
 * mutes.h - findings that a user has muted for a time, the same on every screen.
 *
 * A mute applies to one code in one election. It hides nothing worse than the muted finding: a higher
 * severity, or certainty in place of a suspicion, is shown again. Mutes arrive as events
 * (EVENT_FINDING_MUTED): from the dashboard (take_mute() in tui/dashboard/dashboard.c), or from the recording.
 */
#ifndef ELECTOP_TUI_WORDS_MUTES_H
#define ELECTOP_TUI_WORDS_MUTES_H

#include "probe/election/model.h"

#define MUTE_MOST_MS (INT64_C(7) * 24 * 3600 * 1000)

struct mute {
    char *cluster, *election, *author, *note;
    enum finding_code code;
    enum severity severity; /* of the muted finding */
    enum certainty certainty;
    int64_t from_us, until_us; /* wall clock; equal: this only ends an earlier mute */
};

/* Takes a mute from its event; ignores other events. A later one replaces an earlier one of the same code in
   the same election. */
void mutes_take(const struct event *event);
void mutes_forget(void);

/* The mute of a finding at that moment; NULL: it is not muted. Valid until the next mutes_take(). */
const struct mute *mutes_of(const struct election *election, const struct finding *finding,
                            struct moment now);

/* The worst finding that is not muted; NULL: there is none. */
const struct finding *mutes_worst(const struct election *election, struct moment now);

#endif
