#include "tests/support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    static char buffer[1 << 18];
    size_t length = fread(buffer, 1, sizeof(buffer) - 1, file);
    fclose(file);
    buffer[length] = '\0';
    return strdup(buffer);
}

static void show_difference(const char *wanted, const char *text)
{
    for (int line = 1; *wanted || *text; line++) {
        size_t a = strcspn(wanted, "\n"), b = strcspn(text, "\n");
        if (a != b || memcmp(wanted, text, a) != 0)
            print_error("line %d\n- %.*s\n+ %.*s\n", line, (int)a, wanted, (int)b, text);
        wanted += a + (wanted[a] == '\n');
        text += b + (text[b] == '\n');
    }
}

void golden_compare(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "tests/screens/golden/%s", name);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "w");
        if (!file || fputs(text, file) == EOF || fclose(file) != 0)
            fail_msg("%s could not be written", path);
        return;
    }
    char *wanted = read_file(path);
    if (!wanted)
        fail_msg("%s is missing: UPDATE_GOLDEN=1 writes it", path);
    if (strcmp(wanted, text) == 0) {
        free(wanted);
        return;
    }
    show_difference(wanted, text);
    free(wanted);
    fail_msg("%s is not what is drawn", path);
}
