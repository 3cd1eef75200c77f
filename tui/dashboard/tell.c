#include "tui/dashboard/tell.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "tui/words/labels.h"
#include "tui/words/state_line.h"

#define SETTLES_US INT64_C(3000000)
#define LED ": led by "

static void tell_end(struct tells *tells, size_t i)
{
    free(tells->all[i].cluster);
    free(tells->all[i].path);
    free(tells->all[i].name);
    free(tells->all[i].state);
    tells->all[i] = tells->all[--tells->count];
}

enum tell_answer tell_turn(struct tells *tells, const struct model *model, const struct election *election,
                           struct moment now)
{
    for (size_t i = 0; i < tells->count; i++)
        if (strcmp(tells->all[i].path, election->path) == 0 &&
            strcmp(tells->all[i].cluster, election->cluster->name) == 0) {
            tell_end(tells, i);
            return TELL_ENDED;
        }
    if (tells->count == TELLS_MOST)
        return TELL_FULL;
    tells->all[tells->count++] = (struct tell){.cluster = xstrdup(election->cluster->name),
                                               .path = xstrdup(election->path),
                                               .name = state_line_name(model, election),
                                               .state = state_line(model, election, now),
                                               .unforeseen = label_outlook(election) == OUTLOOK_UNKNOWN};
    return TELL_BEGUN;
}

/* Compares what follows the names. While there is no leader, only a new one is a change, not another finding. */
static bool tell_same(const char *was, const char *is)
{
    size_t length = strcspn(was, ";");
    bool led = strncmp(was, LED, strlen(LED)) == 0;
    return led ? strcmp(was, is) == 0 : length == strcspn(is, ";") && strncmp(was, is, length) == 0;
}

/* Nobody leads since a moment ago, or who leads, or who watches, is not read yet; in a capture it may never be. What
 * is told is who leads then, or that nobody does. */
static bool tell_waits(struct tell *tell, const struct election *election, struct moment now)
{
    const struct candidate *leader = election ? election->leader : NULL;
    bool led = strncmp(tell->state + strlen(tell->name), LED, strlen(LED)) == 0;
    bool unread = leader && ((!leader->known && !leader->denied) ||
                             (!tell->unforeseen && label_outlook(election) == OUTLOOK_UNKNOWN));
    tell->lost |= led && election && !leader;
    bool settled = !led || !election || (election->state == ELECTION_LED && election->acknowledged != ACK_NO);
    if (settled && !unread)
        tell->unsettled_us = 0;
    else if (tell->unsettled_us == 0)
        tell->unsettled_us = now.mono_us;
    return tell->unsettled_us != 0 && now.mono_us - tell->unsettled_us < SETTLES_US;
}

const char *tell_change(struct tells *tells, const struct model *model, struct moment now)
{
    for (size_t i = 0; i < tells->count; i++) {
        const struct election *election = model_find(model, tells->all[i].cluster, tells->all[i].path);
        if (tell_waits(&tells->all[i], election, now))
            continue;
        char *state = election ? state_line(model, election, now)
                               : text_format("%s: no longer watched", tells->all[i].name);
        char *name = election ? state_line_name(model, election) : xstrdup(tells->all[i].name);
        /* Another configuration may have given it another name. */
        bool same = !tells->all[i].lost &&
                    tell_same(tells->all[i].state + strlen(tells->all[i].name), state + strlen(name));
        free(name);
        if (same) {
            free(state);
            continue;
        }
        free(tells->said);
        tells->said = state;
        tell_end(tells, i);
        return tells->said;
    }
    return NULL;
}

void tell_release(struct tells *tells)
{
    while (tells->count > 0)
        tell_end(tells, 0);
    free(tells->said);
    tells->said = NULL;
}
