#include "config/removed_words.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *word, *instead;
} removed_words[] = {
    {"pair", "several recorders may send the same alert: have the pager remove duplicates by {key}, as "
             "Alertmanager does"},
    {"cool_down", "each finding is one alert, raised and resolved with the same {key}: have the pager or "
                  "Alertmanager wait"},
};

const char *removed_words_instead(const char *word)
{
    for (size_t i = 0; i < sizeof removed_words / sizeof *removed_words; i++)
        if (strcmp(removed_words[i].word, word) == 0)
            return removed_words[i].instead;
    return NULL;
}
