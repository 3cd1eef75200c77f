#include "probe/history/owners.h"

#include <stdlib.h>
#include <string.h>

#include "probe/history/reader.h"

/* A later recording shows its time instead of the earlier owner of that time. */
static void owners_take_over(struct owners *owners, struct owner *scratch, const struct owner *later)
{
    size_t count = 0;
    bool placed = false;
    for (size_t i = 0; i < owners->count; i++) {
        struct owner before = owners->of[i], after = before;
        before.to_us = before.to_us < later->from_us ? before.to_us : later->from_us;
        after.from_us = after.from_us > later->to_us ? after.from_us : later->to_us;
        if (before.from_us < before.to_us)
            scratch[count++] = before;
        if (after.from_us < after.to_us) {
            if (!placed)
                scratch[count++] = *later;
            placed = true;
            scratch[count++] = after;
        }
    }
    if (!placed)
        scratch[count++] = *later;
    memcpy(owners->of, scratch, count * sizeof *scratch);
    owners->count = count;
}

bool owners_find(const struct history *h, struct owners *owners)
{
    size_t room = 2 * h->stretch_count + 1; /* each adds an own one, and parts another at most */
    struct owner *scratch = NULL;
    owners->of = calloc(room, sizeof *owners->of);
    for (size_t s = 0; owners->of && s < h->stretch_count; s++) {
        struct owner later = {h->stretches[s].from_us, h->stretches[s].to_us, s};
        if (later.to_us <= later.from_us)
            continue;
        if (owners->count == 0 || later.from_us >= owners->of[owners->count - 1].to_us) {
            owners->of[owners->count++] = later;
            continue;
        }
        owners->jump = true;
        if (!scratch && !(scratch = calloc(room, sizeof *scratch)))
            return false;
        owners_take_over(owners, scratch, &later);
    }
    free(scratch);
    return owners->of != NULL;
}

void owners_free(struct owners *owners)
{
    free(owners->of);
    *owners = (struct owners){0};
}
