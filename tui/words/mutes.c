#include "tui/words/mutes.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"

/* Of the process, as its time zone is: every screen of it shows the same. */
static struct mute *mutes;
static size_t mute_count, mute_room;

static void mute_release(struct mute *mute)
{
    free(mute->cluster);
    free(mute->election);
    free(mute->author);
    free(mute->note);
}

void mutes_forget(void)
{
    for (size_t i = 0; i < mute_count; i++)
        mute_release(&mutes[i]);
    free(mutes);
    mutes = NULL;
    mute_count = mute_room = 0;
}

static bool is_about(const struct mute *mute, const struct election *election, enum finding_code code)
{
    return mute->code == code && strcmp(mute->election, election->path) == 0 &&
           strcmp(mute->cluster, election->cluster->name) == 0;
}

/* A mute ends where a later one of the same begins, so that a replay shows each in its time. */
static void end_earlier(const struct event *event)
{
    for (size_t i = 0; i < mute_count; i++)
        if (is_about(&mutes[i], event->election, event->finding->code) &&
            mutes[i].until_us > event->at.wall_us && mutes[i].from_us <= event->at.wall_us)
            mutes[i].until_us = event->at.wall_us;
}

void mutes_take(const struct event *event)
{
    if (event->kind != EVENT_FINDING_MUTED || event->election == NULL || event->finding == NULL)
        return;
    end_earlier(event);
    if (event->after_us <= 0)
        return;
    room_for_one(&mutes, mute_count, &mute_room, sizeof *mutes);
    struct mute mute = {.cluster = text_copy(event->election->cluster->name),
                        .election = text_copy(event->election->path),
                        .author = text_copy(event->identity != NULL ? event->identity : "?"),
                        .note = text_copy(event->detail != NULL ? event->detail : ""),
                        .code = event->finding->code,
                        .severity = event->finding->severity,
                        .certainty = event->finding->certainty,
                        .from_us = event->at.wall_us,
                        .until_us = event->at.wall_us + event->after_us};
    if (mute.cluster != NULL && mute.election != NULL && mute.author != NULL && mute.note != NULL)
        mutes[mute_count++] = mute;
    else
        mute_release(&mute);
}

const struct mute *mutes_of(const struct election *election, const struct finding *finding, struct moment now)
{
    for (size_t i = mute_count; i-- > 0;) {
        const struct mute *mute = &mutes[i];

        if (now.wall_us >= mute->from_us && now.wall_us < mute->until_us &&
            finding->severity <= mute->severity && finding->certainty <= mute->certainty &&
            is_about(mute, election, finding->code))
            return mute;
    }
    return NULL;
}

const struct finding *mutes_worst(const struct election *election, struct moment now)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (mutes_of(election, election->findings[i], now) == NULL)
            return election->findings[i];
    return NULL;
}
