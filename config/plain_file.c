#define _GNU_SOURCE /* O_PATH */
#include "config/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"

const char *plain_file_refusal(int error)
{
    return error == EACCES ? PLAIN_FILE_DENIED : strerror(error);
}

static int plain_file_with(const char *path, int flags, const char **why)
{
    struct stat status;
    int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0) {
        *why = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
        return -1;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    *why = "is not a plain file";
    return -1;
}

void plain_file_name(int descriptor, char name[static PLAIN_FILE_NAME])
{
    snprintf(name, PLAIN_FILE_NAME, "/proc/self/fd/%d", descriptor);
}

/* Opened, a device may act, and the writer of a pipe goes on: so what the name means is looked at before, and then this
 * is opened, whatever the name means by then. */
int plain_file_open(const char *path, const char **why)
{
    struct stat status;
    char name[PLAIN_FILE_NAME];
    int found = open(path, O_PATH | O_CLOEXEC), fd = -1;
    if (found < 0) {
        *why = strerror(errno);
        return -1;
    }
    plain_file_name(found, name);
    if (fstat(found, &status) != 0 || !S_ISREG(status.st_mode))
        *why = "is not a plain file";
    else if ((fd = plain_file_with(name, O_RDONLY, why)) < 0 && errno == ENOENT) /* without /proc */
        fd = plain_file_with(path, O_RDONLY, why);
    close(found);
    return fd;
}

FILE *plain_file_stream(const char *path, const char **why)
{
    int fd = plain_file_open(path, why);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !stream) {
        *why = strerror(errno);
        close(fd);
    }
    return stream;
}

char *plain_file_read(const char *path, size_t most, size_t *length, const char **why)
{
    FILE *stream = plain_file_stream(path, why);
    if (!stream)
        return NULL;
    struct text content = {0};
    char part[4096];
    size_t got;
    text_add(&content, "");
    while (content.length <= most && (got = fread(part, 1, sizeof part, stream)) > 0)
        text_add_bytes(&content, part, got);
    *why = ferror(stream) ? strerror(errno) : content.length > most ? "is too large" : NULL;
    fclose(stream);
    *length = content.length;
    if (!*why)
        return text_take(&content);
    text_free(&content);
    return NULL;
}

int plain_file_append(const char *path, const char **why)
{
    return plain_file_with(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, why);
}

struct file_state file_state_of(const struct stat *status)
{
    return (struct file_state){status->st_ino, status->st_mtim, status->st_ctim};
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool file_state_same(const struct file_state *a, const struct file_state *b)
{
    return a->inode == b->inode && same_time(a->written, b->written) && same_time(a->changed, b->changed);
}
