#include "tui/views/strip.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    int64_t us;
    const char *word;
} windows[STRIP_WINDOWS] = {
    {INT64_C(60000000), "minute"}, {INT64_C(300000000), "5 min"},     {INT64_C(900000000), "15 min"},
    {INT64_C(3600000000), "hour"}, {INT64_C(21600000000), "6 hours"}, {INT64_C(86400000000), "day"},
};

int64_t strip_window_us(unsigned window)
{
    return windows[window < STRIP_WINDOWS ? window : STRIP_HOUR].us;
}

const char *strip_window_word(unsigned window)
{
    return windows[window < STRIP_WINDOWS ? window : STRIP_HOUR].word;
}

void strip_zoom_follow(struct strip_zoom *zoom, int64_t known_us)
{
    if (zoom->chosen)
        return;
    zoom->window = 0;
    while (zoom->window < STRIP_HOUR && windows[zoom->window].us < known_us)
        zoom->window++;
}

void strip_zoom_turn(struct strip_zoom *zoom, bool wider)
{
    zoom->chosen = true;
    if (wider)
        zoom->window += zoom->window + 1 < STRIP_WINDOWS;
    else
        zoom->window -= zoom->window > 0;
}

int64_t strip_known_us(const struct election *election, struct moment now)
{
    return election->tenure_count > 0 ? now.mono_us - election_tenure_at(election, 0)->from.mono_us : 0;
}

#define STRIP_WIDEST 512

/* The content of one cell; the larger wins. */
enum strip_slot {
    SLOT_NOTHING,
    SLOT_FREE,
    SLOT_GAP,
    SLOT_A,
    SLOT_B,
    SLOT_CHANGE,
    SLOT_BRIEFLY_VACANT,
    SLOT_VACANT
};

static const struct {
    style look;
    enum sign sign;
} looks[] = {
    [SLOT_FREE] = {ROLE_RULE, SIGN_RULE},
    [SLOT_GAP] = {ROLE_BAR_GAP, SIGN_BAR_GAP},
    [SLOT_A] = {ROLE_BAR_A, SIGN_BAR},
    [SLOT_B] = {ROLE_BAR_B, SIGN_BAR},
    [SLOT_CHANGE] = {ROLE_BAR_CHANGE, SIGN_BAR_CHANGE},
    [SLOT_BRIEFLY_VACANT] = {ROLE_BAR_VACANT, SIGN_BAR_CHANGE},
    [SLOT_VACANT] = {ROLE_BAR_VACANT, SIGN_BAR_VACANT},
};

/* The cell in which a time falls: -1 before the window, width after it. */
static int slot_at(int64_t us, int64_t start_us, int64_t window_us, int width)
{
    if (us < start_us)
        return -1;
    if (us >= start_us + window_us)
        return width;
    return (int)((us - start_us) * width / window_us);
}

const char *strip_who(const struct tenure *tenure)
{
    return tenure->name && tenure->identity && tenure->identity[0] ? tenure->identity : tenure->name;
}

/* The part of a cell's time in which the tenure was. */
static int64_t overlap_us(const struct tenure *tenure, int64_t from_us, int64_t to_us)
{
    int64_t first_us = tenure->from.mono_us > from_us ? tenure->from.mono_us : from_us;
    int64_t last_us = tenure->to.mono_us < to_us ? tenure->to.mono_us : to_us;
    return last_us > first_us ? last_us - first_us : 0;
}

/* Whose turn it is: the same program after a restart has another, but a lock's holders share one name. */
static const char *turn_of(const struct election *election, const struct tenure *tenure)
{
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    return lock ? strip_who(tenure) : tenure->name;
}

static bool strip_same_leader(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static enum strip_slot slot_of(const struct election *election, const struct tenure *tenure, bool shade,
                               const char *who)
{
    bool all = who == STRIP_ALL;

    if (tenure->gap)
        return SLOT_GAP;
    if (tenure->name == NULL && (all || who[0] == '\0')) /* a free lock is no vacancy */
        return election->kind == KIND_LOCK ? SLOT_FREE : SLOT_VACANT;
    if (tenure->name == NULL)
        return SLOT_NOTHING;
    if (!all && !strip_same_leader(who, strip_who(tenure)))
        return SLOT_NOTHING;
    return shade ? SLOT_B : SLOT_A;
}

/*
 * Walks the tenures from the newest back. The shade of a tenure must not change when the oldest fall out
 * of the ring, so it is counted from the number of changes there ever were.
 */
void strip_draw(struct cells *cells, int x, int y, int width, const struct election *election,
                struct moment now, int64_t window_us, const char *who)
{
    unsigned char slots[STRIP_WIDEST] = {SLOT_NOTHING};
    int64_t vacant_us[STRIP_WIDEST] = {0};
    int64_t start_us = now.mono_us - window_us;
    bool shade = (election->counters.leader_changes & 1) != 0;
    const char *newer = NULL;
    int known = width; /* cells before this one lie before all that is known */

    if (width > STRIP_WIDEST)
        width = STRIP_WIDEST;
    for (size_t i = election->tenure_count; i-- > 0 && known > 0;) {
        const struct tenure *tenure = election_tenure_at(election, i);
        int first = slot_at(tenure->from.mono_us, start_us, window_us, width);
        int last =
            slot_at(tenure->to.mono_us == 0 ? now.mono_us : tenure->to.mono_us, start_us, window_us, width);
        bool named = !tenure->gap && tenure->name != NULL;
        enum strip_slot slot;

        if (last < 0)
            break;
        if (named && newer != NULL && !strip_same_leader(newer, turn_of(election, tenure)))
            shade = !shade;
        if (named)
            newer = turn_of(election, tenure);
        slot = slot_of(election, tenure, shade, who);
        for (int cell = first < 0 ? 0 : first; cell <= last && cell < width; cell++) {
            enum strip_slot here = slot;
            if (slot == SLOT_VACANT && tenure->to.mono_us != 0) {
                int64_t from_us = start_us + cell * window_us / width,
                        to_us = start_us + (cell + 1) * window_us / width;
                vacant_us[cell] += overlap_us(tenure, from_us, to_us);
                here = 2 * vacant_us[cell] < to_us - from_us ? SLOT_BRIEFLY_VACANT : SLOT_VACANT;
            }
            if (here > slots[cell])
                slots[cell] = (unsigned char)here;
        }
        if (named && slot != SLOT_NOTHING && who == STRIP_ALL && tenure->from_exact && i > 0 && first >= 0 &&
            first < width && slots[first] < SLOT_CHANGE)
            slots[first] = SLOT_CHANGE;
        if (first < known)
            known = first;
    }
    for (int cell = 0; cell < width; cell++) {
        enum strip_slot slot = cell < known ? SLOT_GAP : (enum strip_slot)slots[cell];

        if (slot != SLOT_NOTHING)
            cells_put(cells, x + cell, y, 1, looks[slot].look, cells_sign(cells, looks[slot].sign));
    }
}
