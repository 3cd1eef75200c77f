#include "probe/transactions/log_set.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"

/*
 * Unpacks a server's files from an archive (tar, zip ...) or from a compressed file (gz, zst, xz
 * ...).
 *
 * Names in an archive are not trusted: a file is written under a name made from the zxid in it, into a
 * directory that was made for this.
 */

/* "log.100000001" or "snapshot.0", perhaps with a suffix such as ".gz". */
struct server_file_name {
    bool snapshot;
    int64_t zxid;
    const char *suffix; /* "" or ".gz" ... */
};

/*
 * Unpacks each log and each snapshot of the archive. fn gets the folder that it was in inside the archive,
 * its name, and the path of the unpacked file, which is the caller's to delete. A file that is only
 * compressed counts as an archive that holds it under its own name. False and a text in *error (caller
 * frees).
 */
typedef void (*archive_fn)(void *context, const char *folder, const struct server_file_name *,
                           const char *path);

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

/* False: no name of a log or of a snapshot. */
static bool server_file_parse(const char *name, struct server_file_name *file)
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
    char *block = xmalloc(BLOCK_BYTES);
    off_t at = 0;
    la_ssize_t got = -1;
    bool fine = fd >= 0;
    while (fine && (got = archive_read_data(a, block, BLOCK_BYTES)) > 0) {
        fine = write_block(fd, block, (size_t)got, at);
        at += got;
    }
    fine = fine && got == 0 && ftruncate(fd, at) == 0;
    if (!fine)
        *error = got < 0 && fd >= 0
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
    bool fine = unpack_entry(a, file, path, error);
    if (fine)
        fn(context, folder, &name, path);
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

static bool archive_unpack(const char *file, const char *into, archive_fn fn, void *context, char **error)
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

/* Deeper than this below a given directory no server keeps its files. */
#define DEPTH_MOST 4
#define ENTRIES_MOST 1000000

static void add_text(char ***list, size_t *count, size_t *room, char *text)
{
    room_for_one(list, *count, room, sizeof **list);
    (*list)[(*count)++] = text;
}

static void note(struct log_set *set, char *text)
{
    add_text(&set->notes, &set->note_count, &set->note_room, text);
}

static struct log_server *log_set_server_of(struct log_set *set, const char *name)
{
    for (size_t i = 0; i < set->server_count; i++)
        if (strcmp(set->servers[i].name, name) == 0)
            return &set->servers[i];
    room_for_one(&set->servers, set->server_count, &set->server_room, sizeof *set->servers);
    struct log_server *server = &set->servers[set->server_count++];
    *server = (struct log_server){.name = text_copy(name)};
    return server;
}

static void add_log(struct log_set *set, const char *folder, int64_t zxid, const char *path)
{
    struct log_server *server = log_set_server_of(set, folder);
    size_t at = server->log_count;
    while (at > 0 && server->logs[at - 1].zxid > zxid)
        at--;
    for (size_t i = 0; i < server->log_count; i++)
        if (server->logs[i].zxid == zxid)
            return; /* given twice */
    room_for_one(&server->logs, server->log_count, &server->log_room, sizeof *server->logs);
    memmove(server->logs + at + 1, server->logs + at, (server->log_count - at) * sizeof *server->logs);
    server->logs[at] = (struct log_file){text_copy(path), zxid};
    server->log_count++;
}

static void add_snapshot(struct log_set *set, int64_t zxid, const char *path)
{
    for (size_t i = 0; i < set->snapshot_count; i++)
        if (strcmp(set->snapshots[i].path, path) == 0)
            return;
    room_for_one(&set->snapshots, set->snapshot_count, &set->snapshot_room, sizeof *set->snapshots);
    set->snapshots[set->snapshot_count++] = (struct snapshot_file){text_copy(path), zxid};
}

static void log_set_add_file(struct log_set *set, const char *folder, const struct server_file_name *name,
                             const char *path)
{
    if (name->snapshot)
        add_snapshot(set, name->zxid, path);
    else
        add_log(set, folder, name->zxid, path);
}

/* ---- archives ---- */

static void on_unpacked(void *context, const char *folder, const struct server_file_name *name,
                        const char *path)
{
    struct log_set *set = context;
    add_text(&set->unpacked, &set->unpacked_count, &set->unpacked_room, text_copy(path));
    log_set_add_file(set, folder, name, path);
}

/* A directory inside the temporary one: two archives may hold files of one name. */
static char *unpack_into(struct log_set *set, char **error)
{
    const char *where = getenv("TMPDIR");
    if (!set->temporary) {
        char *made = text_format("%s/electop-autopsy-XXXXXX", where && *where ? where : "/tmp");
        if (!mkdtemp(made)) {
            *error = text_format("%s: %s; set TMPDIR to a directory with room", made, strerror(errno));
            free(made);
            return NULL;
        }
        set->temporary = made;
    }
    char *into = text_format("%s/%zu", set->temporary, set->unpacked_count);
    if (mkdir(into, 0700) == 0) {
        add_text(&set->unpacked, &set->unpacked_count, &set->unpacked_room, text_copy(into));
        return into;
    }
    *error = text_format("%s: %s", into, strerror(errno));
    free(into);
    return NULL;
}

static bool unpack(struct log_set *set, const char *file, char **error)
{
    char *into = unpack_into(set, error);
    bool fine = into && archive_unpack(file, into, on_unpacked, set, error);
    free(into);
    return fine;
}

/* ---- directories ---- */

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void add_entry(struct log_set *set, const char *folder, const char *name, const char *path, bool again)
{
    struct server_file_name file;
    char *error = NULL;
    if (!server_file_parse(name, &file))
        return;
    if (strcmp(file.suffix, ".snappy") == 0) {
        if (!again)
            note(set, text_format("%s: compressed with snappy, which electop cannot read", path));
    } else if (*file.suffix == '\0') {
        log_set_add_file(set, folder, &file, path);
    } else if (!again && !unpack(set, path, &error)) {
        note(set, error);
    }
}

static void scan(struct log_set *set, const char *directory, int depth, bool again)
{
    DIR *dir = opendir(directory);
    if (!dir) {
        if (!again)
            note(set, text_format("%s: %s", directory, strerror(errno)));
        return;
    }
    struct dirent *entry;
    for (size_t seen = 0; seen < ENTRIES_MOST && (entry = readdir(dir)); seen++) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = text_format("%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/", entry->d_name);
        if (!is_directory(path))
            add_entry(set, directory, entry->d_name, path, again);
        else if (depth < DEPTH_MOST)
            scan(set, path, depth + 1, again);
        free(path);
    }
    closedir(dir);
}

/* One that was named is read, or the reason why not is an error. */
static bool log_set_add_named(struct log_set *set, const char *path, char **error)
{
    struct stat status;
    struct server_file_name file;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0) {
        *error = text_format("%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        scan(set, path, 0, false);
        return true;
    }
    if (!S_ISREG(status.st_mode)) {
        *error = text_format("%s: neither a directory nor a file", path);
        return false;
    }
    if (!server_file_parse(name, &file) || *file.suffix)
        return unpack(set, path, error);
    char *folder =
        slash ? text_format("%.*s", (int)(slash - path > 0 ? slash - path : 1), path) : text_copy(".");
    log_set_add_file(set, folder, &file, path);
    free(folder);
    return true;
}

struct log_set *log_set_open(char *const *paths, size_t count, char **error)
{
    struct log_set *set = xcalloc(1, sizeof *set);
    bool fine = true;
    *error = NULL;
    set->paths = paths;
    set->path_count = count;
    for (size_t i = 0; fine && i < count; i++)
        fine = log_set_add_named(set, paths[i], error);
    if (fine && set->server_count == 0 && set->snapshot_count == 0) {
        *error = text_format(
            "%s: contains neither log.* nor snapshot.* of a ZooKeeper server%s%s; name the dataDir or "
            "the dataLogDir of its zoo.cfg",
            count ? paths[0] : "", set->note_count ? "; " : "", set->note_count ? set->notes[0] : "");
        fine = false;
    }
    if (fine)
        return set;
    log_set_free(set);
    return NULL;
}

void log_set_refresh(struct log_set *set)
{
    for (size_t i = 0; i < set->path_count; i++)
        if (is_directory(set->paths[i]))
            scan(set, set->paths[i], 0, true);
}

void log_set_free(struct log_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->server_count; i++) {
        for (size_t k = 0; k < set->servers[i].log_count; k++)
            free(set->servers[i].logs[k].path);
        free(set->servers[i].logs);
        free(set->servers[i].name);
    }
    for (size_t i = 0; i < set->snapshot_count; i++)
        free(set->snapshots[i].path);
    /* Directories were noted before the files in them. */
    for (size_t i = set->unpacked_count; i-- > 0;) {
        if (remove(set->unpacked[i]) != 0)
            errno = 0;
        free(set->unpacked[i]);
    }
    if (set->temporary)
        rmdir(set->temporary);
    for (size_t i = 0; i < set->note_count; i++)
        free(set->notes[i]);
    free(set->servers);
    free(set->snapshots);
    free(set->unpacked);
    free(set->temporary);
    free(set->notes);
    free(set);
}
