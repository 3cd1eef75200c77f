#define _DEFAULT_SOURCE /* madvise(), MAP_ANONYMOUS */
#include "config/auth_file.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"

/* Through a volatile pointer, so that no compiler finds the writing useless. */
void auth_wipe_bytes(char *at, size_t length)
{
    volatile char *byte = at;
    while (length--)
        *byte++ = 0;
}

/* Separate pages, so that they can be locked. */
struct kept_secret {
    struct kept_secret *next;
    size_t size, owners;
    char text[];
};
static struct kept_secret *kept_secrets;

void auth_protect_process(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    mallopt(M_PERTURB, 0xff); /* the client library and SASL copy a credential, and free it as it is */
}

static char *secret_keep(const char *bytes, size_t length)
{
    auth_protect_process();
    struct kept_secret *kept =
        mmap(NULL, sizeof *kept + length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED)
        memory_exhausted();
    mlock(kept, sizeof *kept + length + 1); /* refused by a limit it is a secret all the same */
    madvise(kept, sizeof *kept + length + 1, MADV_DONTDUMP);
    *kept = (struct kept_secret){kept_secrets, sizeof *kept + length + 1, 1};
    memcpy(kept->text, bytes, length);
    kept_secrets = kept;
    return kept->text;
}

char *auth_share(const char *secret)
{
    for (struct kept_secret *kept = kept_secrets; kept; kept = kept->next)
        if (kept->text == secret) {
            kept->owners++;
            return kept->text;
        }
    return secret_keep(secret, strlen(secret));
}

static void secret_end(struct kept_secret **link)
{
    struct kept_secret *kept = *link;
    if (--kept->owners)
        return;
    *link = kept->next;
    auth_wipe_bytes(kept->text, kept->size - sizeof *kept);
    munmap(kept, kept->size);
}

void auth_wipe(char *secret)
{
    for (struct kept_secret **link = &kept_secrets; secret && *link; link = &(*link)->next)
        if ((*link)->text == secret) {
            secret_end(link);
            return;
        }
    if (secret)
        auth_wipe_bytes(secret, strlen(secret));
    free(secret);
}

/* "the KIND "x" <what>" as an error; always false. */
static bool auth_file_refuse(char **error, const char *kind, const char *file, const char *what)
{
    struct text text = {0};
    text_printf(&text, "the %s ", kind);
    text_quote(&text, file, strlen(file));
    text_printf(&text, " %s", what);
    *error = text_take(&text);
    return false;
}

static bool check_file(int descriptor, const char *kind, const char *file, char **error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return auth_file_refuse(error, kind, file, "is not a plain file; name a plain file");
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return auth_file_refuse(error, kind, file, "belongs to another user; change its owner with chown");
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return auth_file_refuse(error, kind, file, "can be read or written by others; run chmod 600 on it");
    if (status.st_size >= AUTH_FILE_MAX)
        return auth_file_refuse(error, kind, file, "is longer than 4096 bytes; it must contain one line");
    return true;
}

/* Cuts the content after its one line. NULL: valid; else the problem. */
static const char *one_line(char *content, size_t length)
{
    if (length && content[length - 1] == '\n')
        length--;
    if (length && content[length - 1] == '\r')
        length--;
    if (memchr(content, '\n', length) || memchr(content, '\r', length))
        return "has more than one line; leave only one";
    if (memchr(content, '\0', length))
        return "contains a NUL byte; write it again";
    content[length] = '\0';
    return NULL;
}

char *auth_file_read_line(const char *file, const char *kind, char **error)
{
    *error = NULL;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        char *what = text_format("cannot be read (%s); check its name and its permissions", strerror(errno));
        auth_file_refuse(error, kind, file, what);
        free(what);
        return NULL;
    }
    /* read() and not stdio: no copy of the secret stays behind in a buffer that is not ours. */
    char content[AUTH_FILE_MAX + 1];
    size_t length = 0;
    bool fine = check_file(descriptor, kind, file, error);
    while (fine && length < AUTH_FILE_MAX) {
        ssize_t now = read(descriptor, content + length, AUTH_FILE_MAX - length);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            fine = auth_file_refuse(error, kind, file, "cannot be read; check the file");
        if (now <= 0)
            break;
        length += (size_t)now;
    }
    close(descriptor);
    const char *what = !fine                     ? NULL
                       : length == AUTH_FILE_MAX ? "is longer than 4096 bytes; it must contain one line"
                                                 : one_line(content, length);
    char *line = fine && !what ? secret_keep(content, strlen(content)) : NULL;
    if (what)
        auth_file_refuse(error, kind, file, what);
    auth_wipe_bytes(content, sizeof content);
    return line;
}

#define FORM "write one line such as digest:user:password"

/* Splits the line. NULL: valid; else the problem. */
static const char *auth_file_split(const char *line, char **scheme, char **credential)
{
    if (!*line)
        return "is empty; " FORM;
    const char *colon = strchr(line, ':');
    size_t word = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (!colon || colon == line || line + word != colon)
        return "does not begin with a scheme and a colon; " FORM;
    if (!colon[1])
        return "has no credential after its scheme; " FORM;
    if (strncmp(line, "digest:", 7) == 0 && !strchr(colon + 1, ':'))
        return "has no user and password after digest; " FORM;
    *scheme = xstrndup(line, word);
    *credential = secret_keep(colon + 1, strlen(colon + 1));
    return NULL;
}

bool auth_file_read(const char *file, char **scheme, char **credential, char **error)
{
    *scheme = *credential = NULL;
    char *line = auth_file_read_line(file, "auth file", error);
    if (!line)
        return false;
    const char *what = auth_file_split(line, scheme, credential);
    auth_wipe(line);
    if (what)
        return auth_file_refuse(error, "auth file", file, what);
    return true;
}
