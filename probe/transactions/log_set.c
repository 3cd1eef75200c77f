#include "probe/transactions/log_set.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"

/* "log.100000001" or "snapshot.0", perhaps with a suffix such as ".gz". */
struct server_file_name {
    bool snapshot;
    int64_t zxid;
    const char *suffix; /* "" or ".gz" ... */
};

#define BLOCK_BYTES (1u << 20)
/* Members of an archive that are looked at. Each log and snapshot among them takes a descriptor. */
#define MEMBERS_MOST 100000
/* The first bytes of a file, which show its format. */
#define MAGIC_BYTES 8

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

static char *archive_problem(struct archive *a)
{
    const char *what = archive_error_string(a);
    return text_copy(what ? what : "cannot be unpacked");
}

/* A file without a name, in $TMPDIR. -1: errno says why. */
static int nameless_file(void)
{
    const char *where = getenv("TMPDIR");
    char *path = text_format("%s/electop-XXXXXX", where && *where ? where : "/tmp");
    int fd = mkstemp(path);
    if (fd >= 0 && unlink(path) != 0) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    free(path);
    return fd;
}

static char *room_problem(void)
{
    return text_format("cannot be unpacked (%s); set TMPDIR to a directory with room", strerror(errno));
}

/* Can this be the beginning of such a file? A server makes a log by preallocating zeros. */
static bool begins_rightly(const char *bytes, size_t length, bool snapshot)
{
    static const char log[MAGIC_BYTES] = "ZKLG\0\0\0\2", tree[MAGIC_BYTES] = "ZKSN\0\0\0\2";
    size_t known = length < MAGIC_BYTES ? length : MAGIC_BYTES;
    return memcmp(bytes, snapshot ? tree : log, known) == 0 || (!snapshot && is_zero(bytes, length));
}

/* The next bytes of an entry. -1 and *error: it is damaged, or too large. */
static la_ssize_t unpack_block(struct log_set *set, struct archive *a, char *block, char **error)
{
    la_ssize_t got = archive_read_data(a, block, BLOCK_BYTES);
    if (got < 0) {
        *error = archive_problem(a);
        return -1;
    }
    if (got > set->unpack_left) {
        *error = text_copy("too large to be unpacked; raise history: unpack in the configuration");
        return -1;
    }
    set->unpack_left -= got;
    return got;
}

static bool unpack_blocks(struct log_set *set, struct archive *a, bool snapshot, int fd, char *block,
                          char **error)
{
    off_t at = 0;
    for (;;) {
        la_ssize_t got = unpack_block(set, a, block, error);
        if (got < 0)
            return false;
        if (at == 0 && !begins_rightly(block, (size_t)got, snapshot)) {
            *error = text_copy(snapshot ? "contains no snapshot of ZooKeeper"
                                        : "contains no transaction log of ZooKeeper");
            return false;
        }
        if (got == 0 && ftruncate(fd, at) == 0)
            return true;
        if (got == 0 || !write_block(fd, block, (size_t)got, at)) {
            *error = room_problem();
            return false;
        }
        at += got;
    }
}

/* The entry's content, as a descriptor. -1 and *error. */
static int unpack_entry(struct log_set *set, struct archive *a, bool snapshot, char **error)
{
    int fd = nameless_file();
    if (fd < 0) {
        *error = room_problem();
        return -1;
    }
    char *block = xmalloc(BLOCK_BYTES);
    bool fine = unpack_blocks(set, a, snapshot, fd, block, error);
    free(block);
    if (fine)
        return fd;
    close(fd);
    return -1;
}

/* The last part of a path; *folder_length: the length of its directory. */
static const char *last_part(const char *path, size_t *folder_length)
{
    const char *slash = strrchr(path, '/');
    *folder_length = slash ? (size_t)(slash - path) : 0;
    return slash ? slash + 1 : path;
}

/* An open archive, or a file that is only compressed (raw). */
struct packed_file {
    struct archive *archive;
    int fd;
};

static bool packed_open(struct packed_file *packed, const char *file, bool raw, char **error)
{
    const char *why;
    *error = NULL;
    *packed = (struct packed_file){NULL, plain_file_open(file, &why)};
    if (packed->fd < 0) {
        *error = text_copy(why);
        return false;
    }
    packed->archive = archive_read_new();
    if (!packed->archive)
        memory_exhausted();
    /* Not those of libarchive for which it starts a program: a stranger's file would choose one of $PATH. */
    archive_read_support_filter_gzip(packed->archive);
    archive_read_support_filter_bzip2(packed->archive);
    archive_read_support_filter_xz(packed->archive);
    archive_read_support_filter_zstd(packed->archive);
    if (raw) {
        archive_read_support_format_raw(packed->archive);
    } else {
        archive_read_support_format_tar(packed->archive);
        archive_read_support_format_zip(packed->archive);
    }
    if (archive_read_open_fd(packed->archive, packed->fd, 1u << 18) != ARCHIVE_OK)
        *error = raw ? archive_problem(packed->archive)
                     : text_copy("no archive, and not named as servers name their files; call it log.ZXID or "
                                 "snapshot.ZXID");
    else if (archive_filter_count(packed->archive) > 2) /* each layer takes memory; one is the file */
        *error = text_copy("is packed more than once; unpack it first");
    return !*error;
}

static void packed_close(struct packed_file *packed)
{
    archive_read_free(packed->archive);
    if (packed->fd >= 0)
        close(packed->fd);
}

/* Deeper than this below a given directory no server keeps its files. */
#define DEPTH_MOST 4
#define ENTRIES_MOST 100000

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

static void server_file_end(struct server_file *file)
{
    if (file->unpacked >= 0)
        close(file->unpacked);
    free(file->path);
    free(file->problem);
}

/* The same log may be there twice: while it is compressed, its packed copy is not whole. */
static void log_meets_copy(struct server_file *known, struct server_file file)
{
    struct server_file spare = file;
    if (known->packed && known->unpacked < 0 && !file.packed) {
        spare = *known;
        *known = file;
    }
    server_file_end(&spare);
}

/* Takes the file over. */
static void add_log(struct log_set *set, const char *folder, struct server_file file)
{
    struct log_server *server = log_set_server_of(set, folder);
    size_t at = server->log_count;
    while (at > 0 && server->logs[at - 1].zxid > file.zxid)
        at--;
    if (at > 0 && server->logs[at - 1].zxid == file.zxid) {
        log_meets_copy(&server->logs[at - 1], file);
        return;
    }
    room_for_one(&server->logs, server->log_count, &server->log_room, sizeof *server->logs);
    memmove(server->logs + at + 1, server->logs + at, (server->log_count - at) * sizeof *server->logs);
    server->logs[at] = file;
    server->log_count++;
}

static void add_snapshot(struct log_set *set, struct server_file file)
{
    for (size_t i = 0; i < set->snapshot_count; i++)
        if (strcmp(set->snapshots[i].path, file.path) == 0) {
            server_file_end(&file);
            return;
        }
    room_for_one(&set->snapshots, set->snapshot_count, &set->snapshot_room, sizeof *set->snapshots);
    set->snapshots[set->snapshot_count++] = file;
}

/* Takes the file over. */
static void log_set_add_file(struct log_set *set, const char *folder, bool snapshot, struct server_file file)
{
    if (snapshot)
        add_snapshot(set, file);
    else
        add_log(set, folder, file);
}

/* ---- archives and compressed files ---- */

/* Members of no use have to be unpacked, too, and count. */
static bool pass_over(struct log_set *set, struct archive *a, char **error)
{
    char *block = xmalloc(BLOCK_BYTES);
    la_ssize_t got;
    while ((got = unpack_block(set, a, block, error)) > 0)
        continue;
    free(block);
    return got == 0;
}

/* A log or a snapshot inside an archive; other members are passed over. */
static bool take_member(struct log_set *set, struct archive *a, const char *file, const char *inside,
                        char **error)
{
    size_t length;
    struct server_file_name name;
    if (!inside || !server_file_parse(last_part(inside, &length), &name))
        return pass_over(set, a, error);
    int unpacked = unpack_entry(set, a, name.snapshot, error);
    if (unpacked < 0)
        return false;
    struct server_file member = {text_format("%s:%s", file, inside), name.zxid, true, unpacked, NULL};
    char *folder = text_format("%s:%.*s", file, (int)(length < 4096 ? length : 4096), inside);
    log_set_add_file(set, folder, name.snapshot, member);
    free(folder);
    return true;
}

static bool unpack_archive(struct log_set *set, const char *file, char **error)
{
    struct packed_file packed;
    struct archive_entry *entry;
    bool fine = packed_open(&packed, file, false, error);
    int got = ARCHIVE_EOF;
    for (size_t i = 0; fine && i < MEMBERS_MOST; i++) {
        got = archive_read_next_header(packed.archive, &entry);
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            break;
        /* The data of a member that is no plain file have to be unpacked, too. */
        bool plain = archive_entry_filetype(entry) == AE_IFREG;
        fine = take_member(set, packed.archive, file, plain ? archive_entry_pathname(entry) : NULL, error);
    }
    if (fine && got != ARCHIVE_EOF) {
        *error = archive_problem(packed.archive);
        fine = false;
    }
    packed_close(&packed);
    if (!fine) {
        char *problem = *error;
        *error = text_format("%s: %s", file, problem);
        free(problem);
    }
    return fine;
}

/* A file that is only compressed: its content. -1 and *error. */
static int unpack_file(struct log_set *set, const struct server_file *file, char **error)
{
    struct packed_file packed;
    struct archive_entry *entry;
    size_t length;
    struct server_file_name name;
    int fd = -1;
    if (packed_open(&packed, file->path, true, error) &&
        server_file_parse(last_part(file->path, &length), &name)) {
        int got = archive_read_next_header(packed.archive, &entry);
        if (got == ARCHIVE_OK || got == ARCHIVE_WARN)
            fd = unpack_entry(set, packed.archive, name.snapshot, error);
        else
            *error = archive_problem(packed.archive);
    }
    packed_close(&packed);
    return fd;
}

int log_set_read(struct log_set *set, struct server_file *file, const char **why)
{
    if (!file->packed)
        return plain_file_open(file->path, why);
    if (file->unpacked < 0 && !file->problem)
        file->unpacked = unpack_file(set, file, &file->problem);
    *why = file->problem;
    int fd = file->unpacked >= 0 ? fcntl(file->unpacked, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0 && !*why)
        *why = strerror(errno);
    return fd;
}

/* ---- directories ---- */

static void add_entry(struct log_set *set, const char *folder, const char *name, const char *path, bool again)
{
    struct server_file_name file;
    if (!server_file_parse(name, &file))
        return;
    if (strcmp(file.suffix, ".snappy") == 0) {
        if (!again)
            note(set, text_format("%s: compressed with snappy, which electop cannot read", path));
        return;
    }
    log_set_add_file(set, folder, file.snapshot,
                     (struct server_file){text_copy(path), file.zxid, *file.suffix != '\0', -1, NULL});
}

enum entry_kind { ENTRY_FILE, ENTRY_DIRECTORY, ENTRY_OTHER };

static enum entry_kind entry_kind(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0  ? ENTRY_OTHER
           : S_ISREG(status.st_mode) ? ENTRY_FILE
           : S_ISDIR(status.st_mode) ? ENTRY_DIRECTORY
                                     : ENTRY_OTHER;
}

/* One look through a directory and those below it. */
struct directory_scan {
    struct log_set *set;
    bool again;               /* problems were noted before */
    size_t left;              /* entries that may still be looked at */
    struct stat *directories; /* that were looked at: links may lead back to them */
    size_t count, room;
};

static bool scan_knows(struct directory_scan *scan, DIR *dir)
{
    struct stat status;
    if (fstat(dirfd(dir), &status) != 0)
        return true;
    for (size_t i = 0; i < scan->count; i++)
        if (scan->directories[i].st_dev == status.st_dev && scan->directories[i].st_ino == status.st_ino)
            return true;
    room_for_one(&scan->directories, scan->count, &scan->room, sizeof *scan->directories);
    scan->directories[scan->count++] = status;
    return false;
}

static void scan_directory(struct directory_scan *scan, const char *directory, int depth)
{
    DIR *dir = opendir(directory);
    if (!dir) {
        if (!scan->again)
            note(scan->set, text_format("%s: %s", directory, plain_file_refusal(errno)));
        return;
    }
    struct dirent *entry;
    bool known = scan_knows(scan, dir);
    while (!known && scan->left > 0 && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        scan->left--;
        char *path = text_format("%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/", entry->d_name);
        enum entry_kind kind = entry_kind(path);
        if (kind == ENTRY_FILE)
            add_entry(scan->set, directory, entry->d_name, path, scan->again);
        else if (kind == ENTRY_DIRECTORY && depth < DEPTH_MOST)
            scan_directory(scan, path, depth + 1);
        free(path);
    }
    closedir(dir);
}

static void log_set_scan(struct log_set *set, const char *directory, bool again)
{
    struct directory_scan scan = {.set = set, .again = again, .left = ENTRIES_MOST};
    scan_directory(&scan, directory, 0);
    free(scan.directories);
    if (scan.left == 0 && !again)
        note(set, text_format("%s: only its first %d files were looked at; name the directory of the logs",
                              directory, ENTRIES_MOST));
}

/* One that was named is read, or the reason why not is an error. */
static bool log_set_add_named(struct log_set *set, const char *path, char **error)
{
    struct server_file_name file;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (access(path, R_OK) != 0) {
        *error = text_format("%s: %s", path, plain_file_refusal(errno));
        return false;
    }
    enum entry_kind kind = entry_kind(path);
    if (kind == ENTRY_DIRECTORY) {
        log_set_scan(set, path, false);
        return true;
    }
    if (kind != ENTRY_FILE) {
        *error = text_format("%s: neither a directory nor a file", path);
        return false;
    }
    if (!server_file_parse(name, &file))
        return unpack_archive(set, path, error);
    char *folder =
        slash ? text_format("%.*s", (int)(slash - path > 0 ? slash - path : 1), path) : text_copy(".");
    add_entry(set, folder, name, path, false);
    free(folder);
    return true;
}

struct log_set *log_set_open(char *const *paths, size_t count, int64_t unpack_most, char **error)
{
    struct log_set *set = xcalloc(1, sizeof *set);
    bool fine = true;
    *error = NULL;
    set->paths = paths;
    set->path_count = count;
    set->unpack_left = unpack_most;
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
        if (entry_kind(set->paths[i]) == ENTRY_DIRECTORY)
            log_set_scan(set, set->paths[i], true);
}

void log_set_free(struct log_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->server_count; i++) {
        for (size_t k = 0; k < set->servers[i].log_count; k++)
            server_file_end(&set->servers[i].logs[k]);
        free(set->servers[i].logs);
        free(set->servers[i].name);
    }
    for (size_t i = 0; i < set->snapshot_count; i++)
        server_file_end(&set->snapshots[i]);
    for (size_t i = 0; i < set->note_count; i++)
        free(set->notes[i]);
    free(set->servers);
    free(set->snapshots);
    free(set->notes);
    free(set);
}
