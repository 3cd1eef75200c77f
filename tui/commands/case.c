/*
 * case.c - a case in the place of a recording.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "config/text.h"
#include "probe/history/case_recorder.h"
#include "tui/commands/case.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/private_directory.h"

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

int command_on_case(const struct invocation *invocation, int (*command)(const struct invocation *))
{
    const struct options *options = invocation->options;
    const char *named = options->recording ? options->recording : options->replay;
    if (options->command == COMMAND_AUTOPSY || options->command == COMMAND_EVENTS || !named ||
        !case_is(named))
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
