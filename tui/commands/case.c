/*
 * case.c - cuts a case or a bundle out of a recording or another case; a case in the place of a recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/clock.h"
#include "probe/history/case_recorder.h"
#include "probe/history/joined_cases.h"
#include "probe/history/recorder.h"
#include "tui/commands/case.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/commands/private_directory.h"
#include "tui/output/whole_file.h"
#include "tui/words/format.h"

#define CASE_TIME 40

static void complain_losses(const char *file, const struct case_losses *losses)
{
    if (losses->blocks)
        complain("%s: %" PRIu64 " block%s damaged or missing, from byte %" PRIu64
                 "; there is a gap for what was observed then",
                 file, losses->blocks, losses->blocks == 1 ? " is" : "s are", losses->first_byte);
    if (losses->skipped)
        complain("%s: a later version of electop wrote it; %" PRIu64 " observations are unknown here", file,
                 losses->skipped);
}

/* False: there are none. */
static bool case_bounds(struct case_reader *reader, int64_t *from_us, int64_t *to_us)
{
    struct observation o;
    enum case_next next;
    *from_us = INT64_MAX;
    *to_us = INT64_MIN;
    case_read_heads(reader);
    while ((next = case_next(reader, &o)) != CASE_END) {
        if (next != CASE_OBSERVATION || o.at.wall_us == 0)
            continue;
        *from_us = o.at.wall_us < *from_us ? o.at.wall_us : *from_us;
        *to_us = o.at.wall_us > *to_us ? o.at.wall_us : *to_us;
    }
    return *from_us <= *to_us;
}

/* With the reason in *error. */
static struct case_reader *cases_join(const struct options *options, char **error)
{
    struct case_reader *readers[REPLAYS_MOST], *joined = NULL;
    size_t count = 0;
    while (count < options->replay_count && (readers[count] = case_open(options->replays[count], error)))
        count++;
    if (count == options->replay_count)
        joined = joined_cases(readers, options->replays, count, error);
    for (size_t i = 0; i < count; i++) {
        complain_losses(options->replays[i], case_losses(readers[i]));
        case_close(readers[i]);
    }
    return joined;
}

struct case_reader *command_case_open(const struct options *options, const char *file, int64_t *from_us,
                                      int64_t *to_us)
{
    char *error;
    bool joins = options->replay_count > 1;
    struct case_reader *reader = joins ? cases_join(options, &error) : case_open(file, &error);
    bool any = reader && case_bounds(reader, from_us, to_us);
    if (reader)
        complain_losses(file, case_losses(reader));
    if (any) {
        case_rewind(reader);
        return reader;
    }
    complain("%s%s", reader ? file : error, reader ? ": nothing was observed" : "");
    case_close(reader);
    free(error);
    return NULL;
}

/* Its moment may lie outside its observations, if it is a stranger's or was made as they ended; what it came with
 * stays. */
static struct case_about case_about_within(const struct case_reader *reader, int64_t from_us, int64_t to_us)
{
    struct case_about about = case_about(reader);
    if (about.at_us < from_us || about.at_us > to_us)
        about.at_us = 0;
    return about;
}

/* *at_us: the moment that it is about; 0: none. False: the reason has been printed. */
static bool case_into(const struct options *options, const char *named, const char *file, int64_t *at_us)
{
    char *error = NULL;
    int64_t from_us, to_us;
    struct case_reader *reader = command_case_open(options, named, &from_us, &to_us);
    *at_us = reader ? case_about_within(reader, from_us, to_us).at_us : 0;
    if (reader && isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)) /* it may take seconds */
        command_output_progress("electop: reading %s", named);
    bool fine = reader && case_record(reader, file, &error);
    command_output_progress(NULL);
    complain_problem(error);
    case_close(reader);
    return fine;
}

/* The part that the options name, of this time. False: the reason has been printed. */
static bool case_choose(const struct options *options, int64_t begin_us, int64_t end_us,
                        struct case_part *part)
{
    bool bundle = options->command == COMMAND_BUNDLE;
    int64_t at_us, from_us = begin_us, to_us = end_us;
    part->election = options->election;
    part->pseudonyms = options->pseudonyms;
    if (!command_recording_moment("to", options->to, begin_us, end_us, end_us, &to_us) ||
        !command_recording_moment("at", options->at, begin_us, end_us,
                                  part->about.at_us ? part->about.at_us : to_us, &at_us))
        return false;
    if (bundle && at_us - CASE_BEFORE_US > begin_us)
        from_us = at_us - CASE_BEFORE_US;
    if (bundle && at_us + CASE_AFTER_US < end_us)
        to_us = at_us + CASE_AFTER_US;
    if (!command_recording_moment("from", options->from, begin_us, end_us, from_us, &part->from_us) ||
        !command_recording_moment("to", options->to, begin_us, end_us, to_us, &part->to_us))
        return false;
    if (bundle && options->at && (at_us < part->from_us || at_us > part->to_us)) {
        complain("--at \"%s\" is not between --from and --to", options->at);
        return false;
    }
    part->about = bundle ? (struct case_about){at_us, part->about.version, part->about.configuration}
                         : (struct case_about){0};
    return true;
}

/* The observations that a recording keeps of that time. NULL: the reason has been printed. */
static struct case_reader *case_of_recording(const char *file, const struct options *options,
                                             struct case_part *part)
{
    char *error = NULL;
    int64_t begin_us, end_us, until_us = 0;
    struct buffer blocks = {0};
    struct history *history = command_recording_open(file, &begin_us, &end_us);
    bool fine = history && case_choose(options, begin_us, end_us, part) &&
                history_observations(history, part->from_us, part->to_us, &blocks, &until_us, &error);
    history_close(history);
    char lacks[FORMAT_LACKS];
    if (fine && format_lacks(until_us, part->about.at_us, RECORDER_OBSERVED_MIN, lacks))
        complain("%s: the bundle is not whole: %s; make it again then", file, lacks);
    complain_problem(error);
    if (fine)
        return case_read(blocks.bytes, blocks.length);
    buffer_free(&blocks);
    return NULL;
}

static struct case_reader *case_of_case(const char *file, const struct options *options,
                                        struct case_part *part)
{
    int64_t begin_us, end_us;
    struct case_reader *reader = command_case_open(options, file, &begin_us, &end_us);
    if (reader) /* it was not made with this configuration */
        part->about = case_about_within(reader, begin_us, end_us);
    if (reader && case_choose(options, begin_us, end_us, part))
        return reader;
    case_close(reader);
    return NULL;
}

static int case_write(const struct options *options, struct buffer *out)
{
    char name[WHOLE_FILE_NAME];
    const char *file = options->into ? options->into : name;
    bool bundle = options->command == COMMAND_BUNDLE;
    if (!options->into && !bundle && isatty(STDOUT_FILENO)) {
        complain("a case is no text; name a file with -o FILE");
        return EXIT_USAGE;
    }
    if (!options->into && !bundle)
        return command_output_buffer(out, EXIT_DONE);
    umask(077); /* it holds addresses and the data of znodes, as a recording does */
    int problem = options->into
                      ? whole_file_write(file, out->bytes, out->length)
                      : whole_file_save("-bundle", ".case", clock_wall_us(), out->bytes, out->length, name);
    if (problem)
        complain("%s: %s", file, strerror(problem));
    if (problem || !bundle)
        return problem ? EXIT_USAGE : EXIT_DONE;
    char *text = text_format("electop replay %s\n", file);
    int status = command_output_text(text);
    free(text);
    return status;
}

int command_case(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL, *file = command_recording_file(invocation, options->recording);
    char *configuration = settings_print_shared(invocation->settings);
    struct case_part part = {.about = {0, ELECTOP_VERSION, configuration}};
    struct buffer out = {0};
    int status = EXIT_USAGE;
    struct case_reader *reader = !file           ? NULL
                                 : case_is(file) ? case_of_case(file, options, &part)
                                                 : case_of_recording(file, options, &part);
    if (reader && case_cut(reader, &part, &out, &error))
        status = case_write(options, &out);
    else if (reader)
        complain("%s", error ? error : "nothing was observed in that time");
    if (reader)
        complain_losses(file, case_losses(reader));
    case_close(reader);
    buffer_free(&out);
    free(configuration);
    free(error);
    free(file);
    return status;
}

/* As of --at; never before that moment. */
static const char *case_write_time(int64_t at_us, char text[CASE_TIME])
{
    time_t seconds = (time_t)((at_us + 999) / 1000000);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, CASE_TIME, "%Y-%m-%dT%H:%M:%S", &tm))
        return NULL;
    snprintf(text + strlen(text), CASE_TIME - strlen(text), ".%03dZ", (int)((at_us + 999) / 1000 % 1000));
    return text;
}

static char *case_names(const struct options *options, const char *named)
{
    struct text text = {0};
    text_add(&text, named);
    for (size_t i = 1; i < options->replay_count; i++)
        text_printf(&text, ", %s", options->replays[i]);
    return text_take(&text);
}

int command_on_case(const struct invocation *invocation, int (*command)(const struct invocation *))
{
    const struct options *options = invocation->options;
    const char *named = options->recording ? options->recording : options->replay;
    if (options->command == COMMAND_AUTOPSY || options->command == COMMAND_EVENTS ||
        options->command == COMMAND_CASE || options->command == COMMAND_BUNDLE ||
        options->command == COMMAND_CONFIG || !named || (options->replay_count < 2 && !case_is(named)))
        return command(invocation);
    char *error = NULL, *directory = private_directory_make(&error);
    char *file = directory ? text_format("%s/history.db", directory) : NULL;
    char *names = case_names(options, named);
    char at[CASE_TIME];
    int64_t at_us;
    int status = EXIT_USAGE;
    if (!file) {
        complain("%s", error);
    } else if (case_into(options, named, file, &at_us)) {
        struct options recorded = *options;
        if (!recorded.at && at_us)
            recorded.at = case_write_time(at_us, at);
        if (recorded.recording)
            recorded.recording = file;
        if (recorded.replay)
            recorded.replay = file;
        status = command(&(struct invocation){&recorded, invocation->settings, names});
    }
    private_directory_remove(directory);
    free(error);
    free(names);
    free(file);
    return status;
}
