#include "probe/inject/occupied.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/recipe.h"
#include "probe/candidate/naming.h"

/* Of the names with a number so many are read: in an election nearly all are ephemeral. */
#define LOOKS_MOST 16

struct look {
    struct session *session;
    char *directory;
    occupied_fn fn;
    void *context;
    char *names[LOOKS_MOST];
    size_t count, told, owed;
    enum session_result result;
    size_t by; /* LOOKS_MOST: none */
};

static void occupied_look_end(struct look *look)
{
    if (look->owed > 0)
        return;
    look->fn(look->context, look->result, look->by < look->count ? look->names[look->by] : NULL);
    for (size_t i = 0; i < look->count; i++)
        free(look->names[i]);
    free(look->directory);
    free(look);
}

/* Answers come in the order of the questions. */
static void occupied_on_candidate(void *context, enum session_result result, const struct znode_stat *stat,
                                  const void *data, size_t length)
{
    (void)data, (void)length;
    struct look *look = context;
    if (result == SESSION_LOST)
        look->result = SESSION_LOST;
    if (result == SESSION_OK && stat->owner != 0 && look->by == LOOKS_MOST)
        look->by = look->told;
    look->told++;
    look->owed--;
    occupied_look_end(look);
}

static void occupied_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                             char *const *names, size_t count)
{
    (void)stat;
    struct look *look = context;
    look->result = result;
    for (size_t i = 0; result == SESSION_OK && i < count && look->count < LOOKS_MOST; i++) {
        if (recipe_sequence_of(names[i]) == SEQUENCE_NONE || !(look->names[look->count] = strdup(names[i])))
            continue;
        char *path = path_join(look->directory, names[i]);
        if (path && session_exists(look->session, path, false, occupied_on_candidate, look)) {
            look->count++;
            look->owed++;
        } else {
            free(look->names[look->count]);
            look->result = SESSION_LOST;
        }
        free(path);
    }
    look->owed--;
    occupied_look_end(look);
}

bool occupied_look(struct session *session, const char *directory, occupied_fn fn, void *context)
{
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return false;
    *look = (struct look){.session = session, .fn = fn, .context = context, .by = LOOKS_MOST, .owed = 1};
    look->directory = strdup(directory);
    if (look->directory && session_children(session, directory, false, occupied_on_list, look))
        return true;
    free(look->directory);
    free(look);
    return false;
}
