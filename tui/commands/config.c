#include "tui/commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/safe.h"

int command_config(const struct invocation *invocation)
{
    char *printed = settings_print(invocation->settings);
    if (!printed) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    /* What stands in the file may be strangers' text; a line's end is the one control character that stays.
     */
    for (char *line = printed; *line;) {
        size_t length = strcspn(line, "\n");
        char *safe = safe_text(line, length, false);
        if (safe)
            puts(safe);
        free(safe);
        line += length + (line[length] == '\n');
    }
    free(printed);
    fflush(stdout);
    return EXIT_DONE;
}
