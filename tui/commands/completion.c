/*
 * completion.c - completion scripts for shells, and the words that they ask for: the elections of the last
 * recording, the clusters of the configuration, the figures of check.
 *
 * A shell completes silently: where nothing is known, nothing is printed.
 */
#include <stdlib.h>
#include <string.h>

#include "config/completion.h"
#include "config/text.h"
#include "probe/history/history.h"
#include "probe/history/recording_file.h"
#include "probe/election/summary.h"
#include "probe/metrics/figures.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/screen/safe.h"

/* Prints a word if a shell and its terminal take it unchanged. */
static void completion_put_word(struct text *out, const char *word)
{
    char *safe = safe_text(word, strlen(word), false);
    if (strcmp(safe, word) == 0 && !strpbrk(word, " \"'`$\\\n;&|<>(){}*?[]!#~"))
        text_printf(out, "%s\n", word);
    free(safe);
}

static void put_paths(struct text *out, const struct settings *settings)
{
    char *error = NULL, *file = recording_file_choose(&settings->history, true, &error);
    struct history *history = file ? history_open(file, &error) : NULL;
    int64_t from_us, to_us;
    const struct model *model = history && history_bounds(history, &from_us, &to_us, NULL)
                                    ? history_at(history, history_end_us(history), &error)
                                    : NULL;
    for (size_t i = 0; model && i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            completion_put_word(out, summary_path(model->clusters[i].elections[k]));
    history_close(history);
    free(file);
    free(error);
}

int command_completion(const struct invocation *invocation)
{
    const char *wanted = invocation->options->completion;
    const struct settings *settings = invocation->settings;
    struct text words = {0};
    char *all = completion_script(wanted);
    if (!all) {
        if (strcmp(wanted, "paths") == 0)
            put_paths(&words, settings);
        for (size_t i = 0; strcmp(wanted, "clusters") == 0 && i < settings->cluster_count; i++)
            if (*settings->clusters[i].name)
                completion_put_word(&words, settings->clusters[i].name);
        for (int i = 0; strcmp(wanted, "figures") == 0 && i < FIGURE_COUNT; i++)
            text_printf(&words, "%s=\n", figure_kind((enum figure)i)->word);
        all = text_take(&words);
    }
    int status = command_output_text(all);
    free(all);
    return status;
}
