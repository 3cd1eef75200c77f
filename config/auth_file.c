#include "config/auth_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"

/* Through a volatile pointer, so that no compiler finds the writing useless. */
static void wipe(char *at, size_t length)
{
    volatile char *byte = at;
    while (length--)
        *byte++ = 0;
}

void auth_wipe(char *secret)
{
    if (secret)
        wipe(secret, strlen(secret));
    free(secret);
}

/* "the auth file "x" <what>" as an error; always false. */
static bool refuse(char **error, const char *file, const char *what)
{
    struct text text = {0};
    text_add(&text, "the auth file ");
    text_quote(&text, file, strlen(file));
    text_printf(&text, " %s", what);
    *error = text_take(&text);
    return false;
}

static bool check_file(int descriptor, const char *file, char **error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return refuse(error, file, "is not a plain file; name one");
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return refuse(error, file, "belongs to somebody else; make it your own with chown");
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return refuse(error, file, "can be read or written by others; run chmod 600 on it");
    if (status.st_size >= AUTH_FILE_MAX)
        return refuse(error, file, "is longer than 4096 bytes; it holds one line, scheme:credential");
    return true;
}

#define FORM "write one line such as digest:user:password"

/* Splits the content in place. NULL: fine; else what is wrong. */
static const char *split(char *content, size_t length, char **scheme, char **credential)
{
    if (length && content[length - 1] == '\n')
        length--;
    if (length && content[length - 1] == '\r')
        length--;
    if (!length)
        return "is empty; " FORM;
    if (memchr(content, '\n', length) || memchr(content, '\r', length))
        return "has more than one line; " FORM;
    if (memchr(content, '\0', length))
        return "holds a NUL byte; " FORM;
    content[length] = '\0';
    char *colon = strchr(content, ':');
    size_t word = strspn(content, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (!colon || colon == content || content + word != colon)
        return "does not begin with a scheme and a colon; " FORM;
    if (!colon[1])
        return "has no credential behind its scheme; " FORM;
    if (strncmp(content, "digest:", 7) == 0 && !strchr(colon + 1, ':'))
        return "has no user and password behind digest; " FORM;
    *scheme = strndup(content, word);
    *credential = strdup(colon + 1);
    return NULL;
}

bool auth_file_read(const char *file, char **scheme, char **credential, char **error)
{
    *scheme = *credential = *error = NULL;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        char *what = text_format("cannot be read (%s); check its name and its permissions", strerror(errno));
        if (what)
            refuse(error, file, what);
        free(what);
        return false;
    }
    /* read() and not stdio: no copy of the secret stays behind in a buffer that is not ours. */
    char content[AUTH_FILE_MAX + 1];
    size_t length = 0;
    bool fine = check_file(descriptor, file, error);
    while (fine && length < AUTH_FILE_MAX) {
        ssize_t now = read(descriptor, content + length, AUTH_FILE_MAX - length);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            fine = refuse(error, file, "cannot be read; check the file");
        if (now <= 0)
            break;
        length += (size_t)now;
    }
    close(descriptor);
    if (fine) {
        const char *what = length == AUTH_FILE_MAX ? "is longer than 4096 bytes; " FORM
                                                   : split(content, length, scheme, credential);
        if (what)
            fine = refuse(error, file, what);
        else
            fine = *scheme && *credential;
    }
    wipe(content, sizeof content);
    if (!fine) {
        free(*scheme);
        auth_wipe(*credential);
        *scheme = *credential = NULL;
    }
    return fine;
}
