#include "config/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"
#include "config/utf8.h"

#define SYSTEM_FILE "/etc/electop/config.yaml"

static bool exists(const char *file)
{
    /* Whatever is not plainly absent counts: an unreadable file must be complained about, not passed over. */
    struct stat status;
    return stat(file, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static const char *config_file_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool config_file_find(const char *named, char **file)
{
    *file = NULL;
    if (!named)
        named = config_file_environment("ELECTOP_CONFIG");
    if (named) {
        *file = strdup(named);
        return *file != NULL;
    }
    const char *xdg = config_file_environment("XDG_CONFIG_HOME");
    const char *home = config_file_environment("HOME");
    char *candidates[3] = {NULL, NULL, NULL};
    bool fine = true;
    if (xdg)
        fine &= (candidates[0] = text_format("%s/electop/config.yaml", xdg)) != NULL;
    if (home)
        fine &= (candidates[1] = text_format("%s/.config/electop/config.yaml", home)) != NULL;
    fine &= (candidates[2] = strdup(SYSTEM_FILE)) != NULL;
    for (size_t i = 0; i < 3; i++) {
        if (fine && !*file && candidates[i] && exists(candidates[i]))
            *file = candidates[i];
        else
            free(candidates[i]);
    }
    return fine;
}

static char *config_file_refuse(char **error, const char *what)
{
    *error = strdup(what);
    return NULL;
}

static int open_file(const char *file, char **error)
{
    /* O_NONBLOCK only for open(): a named pipe without a writer would block it. */
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    if (descriptor < 0) {
        *error = text_format("cannot be read (%s); check its name and its permissions", strerror(errno));
        return -1;
    }
    if (fstat(descriptor, &status) != 0 || fcntl(descriptor, F_SETFL, 0) == -1)
        *error = text_format("cannot be read (%s); check the file", strerror(errno));
    else if (S_ISDIR(status.st_mode))
        config_file_refuse(error, "is a directory; name a file");
    else if (S_ISREG(status.st_mode) && status.st_size > CONFIG_FILE_MAX)
        config_file_refuse(error, "is larger than 1 MB; no configuration is");
    else if (isatty(descriptor))
        config_file_refuse(error, "is a terminal; name a file");
    else
        return descriptor;
    close(descriptor);
    return -1;
}

char *config_file_read(const char *file, size_t *length, char **error, size_t *line, size_t *column)
{
    *error = NULL;
    *line = *column = *length = 0;
    int descriptor = open_file(file, error);
    if (descriptor < 0)
        return NULL;
    char *bytes = malloc(CONFIG_FILE_MAX + 2);
    size_t got = 0;
    while (bytes && got <= CONFIG_FILE_MAX) {
        ssize_t now = read(descriptor, bytes + got, CONFIG_FILE_MAX + 1 - got);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            *error = text_format("cannot be read (%s); check the file", strerror(errno));
        if (now <= 0)
            break;
        got += (size_t)now;
    }
    close(descriptor);
    if (bytes && got > CONFIG_FILE_MAX)
        config_file_refuse(error, "is larger than 1 MB; no configuration is");
    if (!bytes || *error) {
        free(bytes);
        return NULL;
    }
    size_t valid = utf8_valid_length(bytes, got);
    if (valid < got) {
        utf8_locate(bytes, valid, line, column);
        *error =
            text_format("the byte 0x%02x is not UTF-8; save the file as UTF-8", (unsigned char)bytes[valid]);
        free(bytes);
        return NULL;
    }
    bytes[got] = '\0';
    *length = got;
    return bytes;
}

char *config_file_resolve(const char *file, const char *path)
{
    const char *home = config_file_environment("HOME");
    if (path[0] == '~' && path[1] == '/' && home)
        return text_format("%s%s", home, path + 1);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (path[0] == '/' || !slash)
        return strdup(path);
    return text_format("%.*s/%s", (int)(slash - file), file, path);
}
