#include "config/znode_path.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "config/utf8.h"

static bool component_is_dots(const char *component, size_t length)
{
    return (length == 1 && component[0] == '.') ||
           (length == 2 && component[0] == '.' && component[1] == '.');
}

static bool code_is_refused(uint32_t code)
{
    return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0xd800 && code <= 0xf8ff) ||
           code >= 0xfff0;
}

static const char *characters_problem(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code = (unsigned char)text[at];
        size_t eaten = code < 0x80 ? 1 : utf8_decode(text + at, length - at, &code);
        if (!eaten)
            return "is not UTF-8; ZooKeeper's paths are";
        if (code_is_refused(code))
            return "contains a character that ZooKeeper refuses in paths; leave it out";
        at += eaten;
    }
    return NULL;
}

const char *znode_path_problem(const char *path)
{
    size_t length = strlen(path);
    if (!length)
        return "is empty; write a path such as /election";
    if (path[0] != '/')
        return "does not begin with a slash; write the full path, such as /election";
    if (length > ZNODE_PATH_MAX)
        return "is longer than 4096 bytes; write a shorter path";
    if (length == 1)
        return NULL;
    if (path[length - 1] == '/')
        return "ends in a slash; leave it out";
    const char *problem = characters_problem(path, length);
    if (problem)
        return problem;
    for (const char *component = path + 1;;) {
        size_t size = strcspn(component, "/");
        if (!size)
            return "contains two slashes in a row; write one";
        if (component_is_dots(component, size))
            return "contains a component . or .., which ZooKeeper refuses; write the path without it";
        if (size == 2 && strncmp(component, "**", 2) == 0) /* elsewhere it is any depth: here it is not */
            return "contains a component **; * matches one level: write one for each";
        if (!component[size])
            return NULL;
        component += size + 1;
    }
}

bool znode_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || strchr(name, '/') || component_is_dots(name, length))
        return false;
    return !characters_problem(name, length);
}

bool znode_is_pattern(const char *path)
{
    return path[strcspn(path, "*?")] != '\0';
}

static size_t character_length(const char *at)
{
    uint32_t code;
    size_t eaten = utf8_decode(at, strnlen(at, 4), &code);
    return eaten ? eaten : 1;
}

bool znode_pattern_match(const char *pattern, const char *path)
{
    /* The last star seen, and how far into the path it has reached so far: one step of memory is enough,
       because a star never crosses a slash and a later star makes an earlier one's choice irrelevant. */
    const char *star = NULL, *reached = NULL;
    while (*path) {
        if (*pattern == '*') {
            star = ++pattern;
            reached = path;
        } else if (*pattern == '?' && *path != '/') {
            pattern++;
            path += character_length(path);
        } else if (*pattern == *path && *pattern != '?') {
            if (*path == '/')
                star = NULL;
            pattern++;
            path++;
        } else if (star && *reached != '/') {
            reached += character_length(reached);
            path = reached;
            pattern = star;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool znode_path_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Of two numbers; both are passed. */
static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t digits_a = strspn(*a, "0123456789"), digits_b = strspn(*b, "0123456789");
    int order = digits_a == digits_b ? strncmp(*a, *b, digits_a) : digits_a < digits_b ? -1 : 1;
    *a += digits_a;
    *b += digits_b;
    return order;
}

int znode_path_compare(const char *one, const char *two)
{
    const char *a = one, *b = two;
    while (*a && *b) {
        if (znode_path_is_digit(*a) && znode_path_is_digit(*b)) {
            int order = compare_numbers(&a, &b);
            if (order != 0)
                return order;
        } else if (*a == *b) {
            a++;
            b++;
        } else {
            break;
        }
    }
    int order = strcmp(a, b);
    return order ? order : strcmp(one, two); /* leading zeros */
}

char *znode_path_join(const char *chroot, const char *path)
{
    if (strcmp(path, "/") == 0 && *chroot)
        path = "";
    return text_format("%s%s", chroot, path);
}
