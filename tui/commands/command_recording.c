#include "tui/commands/command_recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/times.h"
#include "config/znode_path.h"
#include "probe/history/recording_file.h"
#include "probe/election/summary.h"
#include "probe/json/json_snapshot.h"
#include "tui/commands/command_output.h"
#include "tui/output/snapshot_forms.h"
#include "tui/output/snapshot_text.h"
#include "tui/words/format.h"

char *command_recording_file(const struct invocation *invocation, const char *named)
{
    char *error = NULL;
    char *file = named ? xstrdup(named) : recording_file_choose(&invocation->settings->history, true, &error);
    complain_problem(error);
    return file;
}

struct history *command_recording_configured(const struct history_settings *settings)
{
    char *error = NULL, *file = NULL;
    if (settings->given && strcmp(settings->file, "off") != 0)
        file = recording_file_choose(settings, true, &error);
    struct history *history = file ? history_open(file, &error) : NULL;
    free(file);
    free(error);
    return history;
}

struct history *command_recording_open(const char *file, int64_t *from_us, int64_t *to_us)
{
    char *error = NULL;
    struct history *history = history_open(file, &error);
    if (history && history_bounds(history, from_us, to_us, &error))
        return history;
    if (!complain_problem(error))
        complain("%s: nothing has been recorded yet", file);
    history_close(history);
    return NULL;
}

bool command_recording_moment(const char *option, const char *text, int64_t from_us, int64_t to_us,
                              int64_t otherwise_us, int64_t *at_us)
{
    char first[40], last[40], meant[40];
    *at_us = otherwise_us;
    if (!text)
        return true;
    const char *problem = time_parse(text, to_us, at_us);
    if (problem) {
        complain("--%s \"%s\" %s", option, text, problem);
        return false;
    }
    /* The last moment is written with fewer figures than it has. */
    if (*at_us > to_us && *at_us - to_us < 1000)
        *at_us = to_us;
    if (*at_us < from_us && from_us - *at_us < 1000)
        *at_us = from_us;
    if (*at_us >= from_us && *at_us <= to_us)
        return true;
    complain("--%s \"%s\" is %s, %s the recording, which covers %s to %s", option, text,
             format_time(*at_us, meant, sizeof meant), *at_us < from_us ? "before" : "after",
             format_time(from_us, first, sizeof first), format_time(to_us, last, sizeof last));
    return false;
}

bool command_recording_wants(const struct options *options, const struct election *election)
{
    for (size_t i = 0; i < options->path_count; i++)
        if (znode_pattern_match(options->paths[i], summary_path(election)))
            return true;
    return options->path_count == 0;
}

struct recording_kept {
    struct history *history;
    int64_t at_us;
};

static bool recording_figures(void *context, const struct election *election, size_t *changes,
                              struct failover_figures *figures)
{
    const struct recording_kept *kept = context;
    const struct history_filter filter = {.cluster = election->cluster->name, .election = election->path};
    struct failover_stats stats;
    char *error = NULL;
    int64_t from_us = kept->at_us - JSON_SNAPSHOT_WINDOW_MS * 1000, to_us = kept->at_us + 1;
    bool known = history_statistics(kept->history, &filter, from_us, to_us, &stats, &error) &&
                 history_changes(kept->history, &filter, from_us, to_us, changes, &error);
    free(error);
    if (known)
        *figures = stats.all;
    return known;
}

void command_recording_snapshot(struct buffer *out, const struct model *model, struct moment at,
                                const struct invocation *invocation, struct history *history)
{
    const struct options *options = invocation->options;
    const char *form = options->form ? options->form : "";
    struct recording_kept kept = {history, at.wall_us};
    struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
    if (strcmp(form, "wide") == 0)
        how.width = 0;
    if (options->json)
        json_snapshot_write(out, model, at, history ? recording_figures : NULL, &kept);
    else if (strcmp(form, "csv") == 0)
        snapshot_csv_write(out, model, at);
    else
        snapshot_text_print(out, model, at, &how);
}
