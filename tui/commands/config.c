#include "tui/commands/command.h"
#include "tui/commands/messages.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tui/screen/safe.h"

int command_config(const struct invocation *invocation)
{
    struct text safe = {0};
    const struct options *options = invocation->options;
    char *printed = options->example  ? settings_example()
                    : options->schema ? settings_schema()
                    : options->diff   ? settings_print_different(invocation->settings, NULL)
                                      : settings_print(invocation->settings);
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
    int status = message_text(all);
    free(all);
    return status;
}
