#define _DEFAULT_SOURCE /* madvise(), MAP_ANONYMOUS, explicit_bzero() */
#include "config/secret.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"

/* ---- in memory ---- */

/* Separate pages, so that they can be locked. */
struct kept_secret {
    struct kept_secret *next;
    size_t size, owners;
    char text[];
};
static struct kept_secret *kept_secrets;

void secret_protect_process(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    /* Of larger blocks glibc then clears what other libraries free without clearing it. */
    mallopt(M_PERTURB, 0xff);
}

void *secret_new(size_t size)
{
    secret_protect_process();
    size += sizeof(struct kept_secret);
    struct kept_secret *kept = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED)
        memory_exhausted();
    mlock(kept, size); /* refused by a limit it is a secret all the same */
    madvise(kept, size, MADV_DONTDUMP);
    *kept = (struct kept_secret){kept_secrets, size, 1};
    kept_secrets = kept;
    return kept->text;
}

/* To count without writing, vsnprintf() writes all the same: into its own frame. */
static __attribute__((noinline)) void forget_frames(void)
{
    char frames[4096];
    explicit_bzero(frames, sizeof frames);
}

char *secret_format(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = secret_new(size);
    vsnprintf(text, size, format, again);
    forget_frames();
    va_end(again);
    va_end(arguments);
    return text;
}

char *secret_share(const char *secret)
{
    for (struct kept_secret *kept = kept_secrets; kept; kept = kept->next)
        if (kept->text == secret) {
            kept->owners++;
            return kept->text;
        }
    return secret_format("%s", secret);
}

void secret_end(void *secret)
{
    struct kept_secret **link = &kept_secrets;
    if (!secret)
        return; /* a thread that frees settings without secrets leaves the list alone */
    while (*link && (*link)->text != (char *)secret)
        link = &(*link)->next;
    struct kept_secret *kept = *link;
    if (!kept || --kept->owners)
        return;
    *link = kept->next;
    size_t size = kept->size;
    explicit_bzero(kept, size);
    munmap(kept, size);
}

void secret_library_free(void *memory)
{
    if (memory)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

void *secret_library_realloc(void *memory, size_t size)
{
    size_t before = memory ? malloc_usable_size(memory) : 0;
    void *moved = malloc(size ? size : 1);
    if (!moved)
        return NULL;
    if (memory)
        memcpy(moved, memory, before < size ? before : size);
    secret_library_free(memory);
    return moved;
}

/* ---- in a file ---- */

#define UNREADABLE "cannot be read; check the file"

bool secret_refuse(char **error, const char *kind, const char *file, const char *what)
{
    char *quoted = text_quoted(file);
    *error = text_format("the %s %s %s", kind, quoted, what);
    free(quoted);
    return false;
}

/* NULL: it follows the rule. */
static const char *secret_broken_rule(const struct stat *status)
{
    if (status->st_uid != geteuid() && status->st_uid != 0)
        return "belongs to another user; change its owner with chown";
    if (status->st_mode & (S_IRWXG | S_IRWXO))
        return "can be read or written by others; run chmod 600 on it";
    return NULL;
}

int secret_open(const char *file, const char *kind, char **error)
{
    const char *why;
    struct stat status;
    *error = NULL;
    int descriptor = plain_file_open(file, &why);
    if (descriptor < 0) {
        char *what = strncmp(why, "is ", 3) == 0
                         ? text_format("%s; name a plain file", why)
                         : text_format("cannot be read (%s); check its name and its permissions", why);
        secret_refuse(error, kind, file, what);
        free(what);
        return -1;
    }
    const char *broken = fstat(descriptor, &status) == 0 ? secret_broken_rule(&status) : UNREADABLE;
    if (!broken)
        return descriptor;
    secret_refuse(error, kind, file, broken);
    close(descriptor);
    return -1;
}

/* NULL: all of it is there; else the problem. With read(), not stdio, whose buffer would be a copy. */
static const char *secret_fill(int descriptor, char *content, size_t size)
{
    size_t length = 0;
    while (length <= size) {
        ssize_t now = read(descriptor, content + length, size + 1 - length);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            return UNREADABLE;
        if (now == 0)
            break;
        length += (size_t)now;
    }
    return length != size                  ? "changed while it was read; try again"
           : memchr(content, '\0', length) ? "contains a NUL byte; write it again"
                                           : NULL;
}

char *secret_read(const char *file, const char *kind, char **error)
{
    struct stat status = {0};
    int descriptor = secret_open(file, kind, error);
    if (descriptor < 0)
        return NULL;
    size_t size = fstat(descriptor, &status) == 0 ? (size_t)status.st_size : 0;
    char *content = size < SECRET_FILE_MAX ? secret_new(size + 2) : NULL;
    const char *what =
        content ? secret_fill(descriptor, content, size) : "is longer than 64 KB; name another file";
    close(descriptor);
    if (!what)
        return content;
    secret_refuse(error, kind, file, what);
    secret_end(content);
    return NULL;
}

/* Cuts the content after its one line. NULL: valid; else the problem. */
static const char *secret_cut_line(char *content)
{
    size_t length = strlen(content);
    if (length >= SECRET_LINE_MAX)
        return "is longer than 4096 bytes; it must contain one line";
    if (length && content[length - 1] == '\n')
        length--;
    if (length && content[length - 1] == '\r')
        length--;
    content[length] = '\0';
    return strpbrk(content, "\r\n") ? "has more than one line; leave only one" : NULL;
}

char *secret_read_line(const char *file, const char *kind, char **error)
{
    char *content = secret_read(file, kind, error);
    const char *what = content ? secret_cut_line(content) : NULL;
    if (!what)
        return content;
    secret_refuse(error, kind, file, what);
    secret_end(content);
    return NULL;
}
