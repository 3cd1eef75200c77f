/*
 * case.c - cuts a case out of a recording or another case; a case in the place of a recording.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "config/times.h"
#include "probe/history/case_recorder.h"
#include "tui/commands/case.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/commands/private_directory.h"
#include "tui/output/whole_file.h"

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
    while ((next = case_next(reader, &o)) != CASE_END) {
        if (next != CASE_OBSERVATION || o.at.wall_us == 0)
            continue;
        *from_us = o.at.wall_us < *from_us ? o.at.wall_us : *from_us;
        *to_us = o.at.wall_us > *to_us ? o.at.wall_us : *to_us;
    }
    return *from_us <= *to_us;
}

struct case_reader *command_case_open(const char *file, int64_t *from_us, int64_t *to_us)
{
    char *error;
    struct case_reader *reader = case_open(file, &error);
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

/* False: the reason has been printed. */
static bool case_into(const char *named, const char *file)
{
    char *error = NULL;
    int64_t from_us, to_us;
    struct case_reader *reader = command_case_open(named, &from_us, &to_us);
    bool fine = reader && case_record(reader, file, &error);
    if (error)
        complain("%s", error);
    case_close(reader);
    free(error);
    return fine;
}

/* The observations that a recording keeps of that time. NULL: the reason has been printed. */
static struct case_reader *case_of_recording(const char *file, const struct options *options,
                                             int64_t *from_us, int64_t *to_us)
{
    char *error = NULL;
    int64_t begin_us, end_us;
    struct buffer blocks = {0};
    struct history *history = command_recording_open(file, &begin_us, &end_us);
    bool fine = history &&
                command_recording_moment("from", options->from, begin_us, end_us, begin_us, from_us) &&
                command_recording_moment("to", options->to, begin_us, end_us, end_us, to_us) &&
                history_observations(history, *from_us, *to_us, &blocks, &error);
    history_close(history);
    if (error)
        complain("%s", error);
    free(error);
    if (fine)
        return case_read(blocks.bytes, blocks.length);
    buffer_free(&blocks);
    return NULL;
}

static struct case_reader *case_of_case(const char *file, const struct options *options, int64_t *from_us,
                                        int64_t *to_us)
{
    int64_t begin_us, end_us;
    struct case_reader *reader = command_case_open(file, &begin_us, &end_us);
    if (reader && command_recording_moment("from", options->from, begin_us, end_us, begin_us, from_us) &&
        command_recording_moment("to", options->to, begin_us, end_us, end_us, to_us))
        return reader;
    case_close(reader);
    return NULL;
}

static int case_write(const struct options *options, struct buffer *out)
{
    if (!options->into && isatty(STDOUT_FILENO)) {
        complain("a case is no text; name a file with -o FILE");
        return EXIT_USAGE;
    }
    if (!options->into)
        return command_output_buffer(out, EXIT_DONE);
    int problem = whole_file_write(options->into, out->bytes, out->length);
    if (problem)
        complain("%s: %s", options->into, strerror(problem));
    return problem ? EXIT_USAGE : EXIT_DONE;
}

int command_case(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL, *file = command_recording_file(invocation, options->recording);
    int64_t from_us, to_us;
    struct buffer out = {0};
    int status = EXIT_USAGE;
    struct case_reader *reader = !file           ? NULL
                                 : case_is(file) ? case_of_case(file, options, &from_us, &to_us)
                                                 : case_of_recording(file, options, &from_us, &to_us);
    if (reader && case_cut(reader, from_us, to_us, options->election, &out, &error))
        status = case_write(options, &out);
    else if (reader)
        complain("%s", error ? error : "nothing was observed in that time");
    if (reader)
        complain_losses(file, case_losses(reader));
    case_close(reader);
    buffer_free(&out);
    free(error);
    free(file);
    return status;
}

int command_on_case(const struct invocation *invocation, int (*command)(const struct invocation *))
{
    const struct options *options = invocation->options;
    const char *named = options->recording ? options->recording : options->replay;
    if (options->command == COMMAND_AUTOPSY || options->command == COMMAND_EVENTS ||
        options->command == COMMAND_CASE || !named || !case_is(named))
        return command(invocation);
    char *error = NULL, *directory = private_directory_make(&error);
    char *file = directory ? text_format("%s/history.db", directory) : NULL;
    int status = EXIT_USAGE;
    if (!file) {
        complain("%s", error);
    } else if (case_into(named, file)) {
        struct options recorded = *options;
        if (recorded.recording)
            recorded.recording = file;
        if (recorded.replay)
            recorded.replay = file;
        status = command(&(struct invocation){&recorded, invocation->settings, named});
    }
    private_directory_remove(directory);
    free(error);
    free(file);
    return status;
}
