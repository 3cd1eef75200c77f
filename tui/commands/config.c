/*
 * config.c - the configuration: read and checked for every command, and printed by one.
 */
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"

#include <stdlib.h>
#include <string.h>

#include "config/alert_rules.h"
#include "config/text.h"
#include "probe/election/recipe.h"
#include "probe/transport/transport.h"
#include "tui/commands/case.h"
#include "tui/screen/safe.h"
#include "tui/words/format.h"

/* It asks the servers of the configured clusters. */
static bool connects(const struct options *options)
{
    enum command command = options->command;
    return !options->replay &&
           (command == COMMAND_WATCH || command == COMMAND_ONCE || command == COMMAND_EVENTS ||
            command == COMMAND_INJECT || command == COMMAND_RECORD || command == COMMAND_CHECK ||
            command == COMMAND_EXPORT || command == COMMAND_DISCOVER);
}

static void report_exposed_tokens(const struct settings *settings)
{
    for (size_t i = 0; i < settings->alert_count; i++)
        if (alert_rules_expose(&settings->alerts[i])) {
            char *line =
                text_format("the token in %s is posted without encryption: write https:// in its post",
                            settings->alerts[i].secret_file);
            complain_and_log(LOG_LEVEL_WARNING, line);
            free(line);
        }
}

struct settings *command_settings(const struct options *options, char **error)
{
    struct settings *settings = settings_load(options, error);
    if (settings && recipes_check(settings, error) &&
        (!connects(options) || transport_check_files(settings, error))) {
        if (options->command == COMMAND_RECORD || options->command == COMMAND_CONFIG)
            report_exposed_tokens(settings);
        return settings;
    }
    settings_free(settings);
    return NULL;
}

struct settings *command_settings_again(const struct options *options, char **error)
{
    struct options again = *options;
    again.reads_again = true;
    return command_settings(&again, error);
}

/* The configuration in a bundle; NULL: the reason has been printed. */
static char *config_of_bundle(const struct options *options)
{
    const char *file = options->replay;
    int64_t from_us, to_us;
    char *printed = NULL, at[40];
    struct case_reader *reader = command_case_open(options, file, &from_us, &to_us);
    struct case_about about = reader ? case_about(reader) : (struct case_about){0};
    if (about.configuration)
        printed = text_format("# %s, made by electop %s: the configuration\n%s",
                              format_time(about.at_us, at, sizeof at), about.version ? about.version : "?",
                              about.configuration);
    else if (reader)
        complain("%s: is a case without a configuration; electop bundle of a recording has one", file);
    case_close(reader);
    return printed;
}

int command_config(const struct invocation *invocation)
{
    struct text safe = {0};
    const struct options *options = invocation->options;
    char *printed = options->replay    ? config_of_bundle(options)
                    : options->example ? settings_example()
                    : options->schema  ? settings_schema()
                    : options->diff    ? settings_print_different(invocation->settings, NULL)
                                       : settings_print(invocation->settings);
    if (!printed)
        return EXIT_USAGE;
    /* The file may contain foreign text;
       a line's end is the one control character that stays. */
    for (char *line = printed; *line;) {
        size_t length = strcspn(line, "\n");
        char *safe_line = safe_text(line, length, false);
        text_printf(&safe, "%s\n", safe_line);
        free(safe_line);
        line += length + (line[length] == '\n');
    }
    char *all = text_take(&safe);
    free(printed);
    int status = command_output_text(all);
    free(all);
    return status;
}
