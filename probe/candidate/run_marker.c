#include "probe/candidate/run_marker.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/recipe.h"
#include "probe/candidate/naming.h"

#define RUN_NAMES RUN_MARK "\nnames "
#define NUMBER_DIGITS 10

char *run_marker_make(const char *names)
{
    return names ? text_format(RUN_NAMES "%s", names) : strdup(RUN_MARK);
}

static bool begins_with(const void *data, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(data, word, strlen(word)) == 0;
}

bool run_marker_is(const struct znode_stat *stat, const void *data, size_t length)
{
    size_t front = strlen(RUN_MARK);
    return stat->owner == 0 && stat->version == 0 && data && begins_with(data, length, RUN_MARK) &&
           (length == front || ((const char *)data)[front] == '\n');
}

char *run_marker_names(const void *data, size_t length)
{
    size_t front = strlen(RUN_NAMES);
    if (!data || length <= front || !begins_with(data, length, RUN_NAMES))
        return NULL;
    return text_format("%.*s", (int)(length - front), (const char *)data + front);
}

bool run_marker_fits(const char *names, const char *name)
{
    size_t length = strlen(name);
    if (!names)
        return false;
    if (*names == '=')
        return strcmp(names + 1, name) == 0;
    if (recipe_sequence_of(name) == SEQUENCE_NONE || length < NUMBER_DIGITS)
        return false;
    char *front = strndup(name, length - NUMBER_DIGITS);
    bool fits = front && name_fits(names, front);
    free(front);
    return fits;
}
