#include "probe/transactions/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"

#define BLOCK_BYTES (1u << 20)
#define FILES_MOST 100000

static bool parse_zxid(const char *text, const char **end, int64_t *zxid)
{
    char *stop;
    errno = 0;
    /* strtoull() takes spaces and signs, too. */
    bool hex =
        (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f') || (*text >= 'A' && *text <= 'F');
    if (!hex)
        return false;
    unsigned long long value = strtoull(text, &stop, 16);
    *end = stop;
    *zxid = (int64_t)value;
    return errno == 0 && value <= INT64_MAX && (*stop == '\0' || *stop == '.');
}

bool server_file_parse(const char *name, struct server_file_name *file)
{
    file->snapshot = strncmp(name, "snapshot.", 9) == 0;
    if (!file->snapshot && strncmp(name, "log.", 4) != 0)
        return false;
    return parse_zxid(name + (file->snapshot ? 9 : 4), &file->suffix, &file->zxid);
}

/* Blocks of zeros, of which a preallocated log has many, become holes. */
static bool is_zero(const char *bytes, size_t length)
{
    return length > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static bool write_block(int fd, const char *bytes, size_t length, off_t at)
{
    if (is_zero(bytes, length))
        return true;
    while (length > 0) {
        ssize_t written = pwrite(fd, bytes, length, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
        at += written;
    }
    return true;
}

static char *archive_complaint(const char *file, const char *what)
{
    return text_format("%s: %s", file, what ? what : "cannot be unpacked");
}

static bool unpack_entry(struct archive *a, const char *file, const char *path, char **error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char *block = malloc(BLOCK_BYTES);
    off_t at = 0;
    la_ssize_t got = -1;
    bool fine = fd >= 0 && block;
    while (fine && (got = archive_read_data(a, block, BLOCK_BYTES)) > 0) {
        fine = write_block(fd, block, (size_t)got, at);
        at += got;
    }
    fine = fine && got == 0 && ftruncate(fd, at) == 0;
    if (!fine)
        *error = got < 0 && block && fd >= 0
                     ? archive_complaint(file, archive_error_string(a))
                     : text_format("%s cannot be written: %s; set TMPDIR to a directory with room", path,
                                   strerror(errno));
    if (fd >= 0)
        close(fd);
    free(block);
    return fine;
}

/* Of a path: its last part; *folder_length: of what is in front of it. */
static const char *last_part(const char *path, size_t *folder_length)
{
    const char *slash = strrchr(path, '/');
    *folder_length = slash ? (size_t)(slash - path) : 0;
    return slash ? slash + 1 : path;
}

static bool take_entry(struct archive *a, const char *file, const char *inside, const char *into,
                       size_t number, archive_fn fn, void *context, char **error)
{
    size_t length;
    struct server_file_name name;
    const char *last = last_part(inside, &length);
    if (!server_file_parse(last, &name))
        return true;
    char *path = text_format("%s/%zu.%s.%llx", into, number, name.snapshot ? "snapshot" : "log",
                             (unsigned long long)name.zxid);
    char *folder = text_format("%s:%.*s", file, (int)(length < 4096 ? length : 4096), inside);
    name.suffix = "";
    bool fine = path && folder && unpack_entry(a, file, path, error) && fn(context, folder, &name, path);
    free(path);
    free(folder);
    return fine;
}

static struct archive *archive_open(const char *file, bool raw, char **error)
{
    struct archive *a = archive_read_new();
    if (!a)
        return NULL;
    archive_read_support_filter_all(a);
    if (raw)
        archive_read_support_format_raw(a);
    else
        archive_read_support_format_all(a);
    if (archive_read_open_filename(a, file, 1u << 18) == ARCHIVE_OK)
        return a;
    *error = archive_complaint(file, archive_error_string(a));
    archive_read_free(a);
    return NULL;
}

bool archive_unpack(const char *file, const char *into, archive_fn fn, void *context, char **error)
{
    size_t length;
    struct server_file_name own;
    struct archive_entry *entry;
    const char *name = last_part(file, &length);
    bool raw = server_file_parse(name, &own), fine = true;
    *error = NULL;
    struct archive *a = archive_open(file, raw, error);
    int got = ARCHIVE_EOF;
    for (size_t i = 0; a && fine && i < FILES_MOST; i++) {
        got = archive_read_next_header(a, &entry);
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            break;
        const char *inside = raw ? name : archive_entry_pathname(entry);
        bool plain = raw || archive_entry_filetype(entry) == AE_IFREG;
        if (inside && plain)
            fine = take_entry(a, file, inside, into, i, fn, context, error);
    }
    if (a && fine && got != ARCHIVE_EOF) {
        *error = archive_complaint(file, archive_error_string(a));
        fine = false;
    }
    archive_read_free(a);
    return a && fine;
}
