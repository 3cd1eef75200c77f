/*
 * Connect strings, paths, patterns and numbers as users type them: refused with a reason, or taken in a form
 * that is read again as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/units.h"
#include "config/znode_path.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void try_connect_string(const char *text)
{
    struct connect_string first, second;
    char *error = NULL;
    if (!connect_string_parse(text, &first, &error)) {
        check(error && *error);
        free(error);
        return;
    }
    check(first.count >= 1 && first.count <= CONNECT_STRING_SERVERS);
    for (size_t i = 0; i < first.count; i++)
        check(*first.servers[i].host && first.servers[i].port > 0 && first.servers[i].port < 65536);
    check(!*first.chroot || !znode_path_problem(first.chroot));
    if (connect_string_parse(first.hosts, &second, &error)) {
        check(strcmp(first.hosts, second.hosts) == 0 && first.count == second.count);
        connect_string_free(&second);
    } else {
        check(false);
    }
    connect_string_free(&first);
}

static void try_numbers(const char *text)
{
    char printed[UNITS_TEXT];
    int64_t ms, again, percent, rate;
    if (!duration_parse(text, &ms)) {
        check(ms >= 0 && ms <= DURATION_MAX_MS);
        check(!duration_parse(duration_print(ms, printed, sizeof(printed)), &again) && again == ms);
    }
    int count, count_again, port;
    if (!count_in_parse(text, &count, &ms))
        check(!count_in_parse(count_in_print(count, ms, printed, sizeof(printed)), &count_again, &again) &&
              count == count_again && ms == again);
    if (!percent_parse(text, &percent))
        check(percent >= 0);
    if (!rate_parse(text, &rate))
        check(rate >= 0);
    if (!port_parse(text, &port))
        check(port > 0 && port < 65536);
    number_parse(text, &ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    try_connect_string(text);
    try_numbers(text);

    /* A pattern on the first line, a path on the second. */
    char *path = strchr(text, '\n');
    if (path)
        *path++ = '\0';
    if (!znode_path_problem(text)) {
        if (!znode_is_pattern(text))
            check(znode_pattern_match(text, text));
        if (path && !znode_path_problem(path))
            znode_pattern_match(text, path);
        char *joined = znode_path_join("/app", text);
        check(!joined || strncmp(joined, "/app", 4) == 0);
        free(joined);
    }
    free(text);
    return 0;
}
