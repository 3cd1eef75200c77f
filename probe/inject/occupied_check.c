#include "probe/inject/occupied_check.h"

#include <stddef.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"

/* How many of the names with a number are read: in an election nearly all are ephemeral. */
#define OCCUPANTS_MOST 16

struct occupied_check {
    struct session *session;
    char *directory;
    occupied_fn fn;
    void *context;
    char *names[OCCUPANTS_MOST];
    size_t count, reported, owed;
    enum session_result result;
    size_t by; /* OCCUPANTS_MOST: none */
};

static void occupied_check_end(struct occupied_check *check)
{
    if (check->owed > 0)
        return;
    check->fn(check->context, check->result, check->by < check->count ? check->names[check->by] : NULL);
    for (size_t i = 0; i < check->count; i++)
        free(check->names[i]);
    free(check->directory);
    free(check);
}

/* Answers come in the order of the questions. */
static void occupied_on_candidate(void *context, const struct session_answer *answer)
{
    struct occupied_check *check = context;
    if (answer->result == SESSION_LOST)
        check->result = SESSION_LOST;
    if (answer->result == SESSION_OK && answer->stat->owner != 0 && check->by == OCCUPANTS_MOST)
        check->by = check->reported;
    check->reported++;
    check->owed--;
    occupied_check_end(check);
}

static void occupied_on_list(void *context, const struct session_answer *answer)
{
    struct occupied_check *check = context;
    check->result = answer->result;
    for (size_t i = 0; answer->result == SESSION_OK && i < answer->count && check->count < OCCUPANTS_MOST;
         i++) {
        if (recipe_sequence_of(answer->names[i]) == SEQUENCE_NONE)
            continue;
        check->names[check->count] = xstrdup(answer->names[i]);
        char *path = path_join(check->directory, answer->names[i]);
        if (session_exists(check->session, path, false, occupied_on_candidate, check)) {
            check->count++;
            check->owed++;
        } else {
            free(check->names[check->count]);
            check->result = SESSION_LOST;
        }
        free(path);
    }
    check->owed--;
    occupied_check_end(check);
}

bool occupied_check(struct session *session, const char *directory, occupied_fn fn, void *context)
{
    struct occupied_check *check = xcalloc(1, sizeof *check);
    *check = (struct occupied_check){
        .session = session, .fn = fn, .context = context, .by = OCCUPANTS_MOST, .owed = 1};
    check->directory = xstrdup(directory);
    if (session_children(session, directory, false, occupied_on_list, check))
        return true;
    free(check->directory);
    free(check);
    return false;
}
