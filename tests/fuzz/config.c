/*
 * A configuration of anybody's bytes: refused with a reason for each error, or taken; and what is taken
 * prints as a configuration that is taken again and prints the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "config/utf8.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* The effective configuration of what could be read, or NULL where it was refused. */
static char *read_and_print(const char *bytes, size_t length)
{
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    check(settings != NULL);
    settings_read(settings, NULL, bytes, length, &problems);
    bool refused = problems.count > 0;
    char *errors = problems_take(&problems);
    check(errors != NULL && (*errors != '\0') == refused);
    /* Errors are lines for people: one a problem, and never a control character. */
    check(utf8_valid_length(errors, strlen(errors)) == strlen(errors));
    for (const char *at = errors; *at; at++)
        check((unsigned char)*at >= 0x20 || *at == '\n');
    free(errors);
    char *printed = refused ? NULL : settings_print(settings);
    check(refused || printed);
    settings_free(settings);
    return printed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Not UTF-8 is refused before it is parsed (config_file.h). */
    size_t length = utf8_valid_length((const char *)data, size);
    char *first = read_and_print((const char *)data, length);
    if (!first)
        return 0;
    char *second = read_and_print(first, strlen(first));
    check(second && strcmp(first, second) == 0);
    free(first);
    free(second);
    return 0;
}
