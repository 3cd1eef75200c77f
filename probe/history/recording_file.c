#include "probe/history/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"

#define SERVICE_FILE "/var/lib/electop/history.db"
#define FILE_MODE 0640
#define DIRECTORY_MODE 0750

static const char *recording_file_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value == '/' ? value : NULL;
}

char *recording_file_choose(const struct history_settings *settings, bool reading, char **error)
{
    *error = NULL;
    if (settings->file && strcmp(settings->file, "off") == 0) {
        *error = xstrdup("the configuration says history: {file: off}; name a file there");
        return NULL;
    }
    if (settings->file && strcmp(settings->file, "auto") != 0)
        return xstrdup(settings->file);
    const char *service = recording_file_environment("STATE_DIRECTORY"),
               *state = recording_file_environment("XDG_STATE_HOME"),
               *home = recording_file_environment("HOME");
    char *file = NULL;
    if (service)
        file = text_format("%.*s/history.db", (int)strcspn(service, ":"), service);
    else if (state)
        file = text_format("%s/electop/history.db", state);
    else if (home)
        file = text_format("%s/.local/state/electop/history.db", home);
    if (reading && (!file || access(file, F_OK) != 0) && access(SERVICE_FILE, F_OK) == 0) {
        free(file);
        file = xstrdup(SERVICE_FILE);
    }
    if (!file)
        *error = xstrdup("no place for a recording: $HOME is not set; name one with history: {file: ...}");
    return file;
}

static bool recording_file_refuse(char **error, const char *file, const char *what)
{
    *error = text_format("%s: %s", file, what);
    return false;
}

/* Like mkdir -p. */
static bool make_directories(const char *directory, char **error)
{
    char *path = xstrdup(directory);
    bool fine = true;
    for (char *at = path + 1; fine && at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        char *slash = strchr(at, '/');
        if (slash)
            *slash = '\0';
        struct stat status;
        if (stat(path, &status) != 0 && mkdir(path, DIRECTORY_MODE) != 0 && errno != EEXIST) {
            *error = text_format("%s: cannot be created (%s); create it, or name another file with "
                                 "history: {file: ...}",
                                 path, strerror(errno));
            fine = false;
        }
        if (slash)
            *slash = '/';
    }
    free(path);
    return fine;
}

/* In a directory where others may rename files, they could replace the recording. */
static bool check_private_directory(const char *directory, char **error)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return recording_file_refuse(error, directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return recording_file_refuse(error, directory,
                                     "is not a directory; name another file with history: {file: ...}");
    bool others = (status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX);
    if (others || (status.st_uid != geteuid() && status.st_uid != 0))
        return recording_file_refuse(
            error, directory,
            "other users can change files there; choose a directory that only you can write");
    return true;
}

/* The latest that this process has taken: it may be taken again, whatever other names a backup gave it meanwhile. Another
   file may have its inode once it is deleted. */
static struct stat latest;
static char *latest_file;

static bool is_latest(const char *file)
{
    struct stat status;
    return latest_file && strcmp(file, latest_file) == 0 && lstat(file, &status) == 0 &&
           status.st_dev == latest.st_dev && status.st_ino == latest.st_ino;
}

/* Missing is fine. */
static bool check_ours(const char *file, bool again, char **error)
{
    struct stat status;
    if (lstat(file, &status) != 0)
        return errno == ENOENT || recording_file_refuse(error, file, strerror(errno));
    if (S_ISLNK(status.st_mode))
        return recording_file_refuse(error, file,
                                     "is a link; name the file itself with history: {file: ...}");
    if (!S_ISREG(status.st_mode))
        return recording_file_refuse(error, file,
                                     "is not a regular file; name another one with history: {file: ...}");
    /* A recorder by the other name has another lock, and other files beside it. */
    if (status.st_nlink > 1 && !again)
        return recording_file_refuse(error, file,
                                     "has another name, too (a hard link); remove that one, or name another "
                                     "file with history: {file: ...}");
    if (status.st_uid != geteuid())
        return recording_file_refuse(error, file,
                                     "belongs to another user; record as that user, or into another file");
    return true;
}

/* At the end of a rollback journal of a transaction over several databases, before these eight bytes, is the name of a
 * file. */
static bool journal_names_another(const char *name)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof magic];
    int journal = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    off_t size = journal < 0 ? 0 : lseek(journal, 0, SEEK_END);
    bool names = size >= (off_t)sizeof end &&
                 pread(journal, end, sizeof end, size - (off_t)sizeof end) == (ssize_t)sizeof end &&
                 memcmp(end, magic, sizeof end) == 0;
    if (journal >= 0)
        close(journal);
    return names;
}

/* The most that a recording has while its first page is written. */
#define BEGUN_SIZE 4096

/* SQLite plays a rollback journal back, and deletes the file that it names. A recording has none, unless it ended while
 * its first page was written: so what else lies there is a stranger's. */
static bool check_journal(const char *file, bool writing, char **error)
{
    struct stat recording, journal;
    char *name = text_format("%s-journal", file);
    bool fine =
        lstat(name, &journal) != 0 || (S_ISREG(journal.st_mode) && journal.st_size == 0) ||
        (writing && (stat(file, &recording) != 0 || recording.st_size <= BEGUN_SIZE) &&
         !journal_names_another(name)) ||
        recording_file_refuse(error, name,
                              "no recording of electop has such a journal, which may change or delete "
                              "files; move it away");
    free(name);
    return fine;
}

static bool check_all(const char *file, char **error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = text_format("%s%s", file, suffixes[i]);
        bool fine = check_ours(name, is_latest(file), error);
        free(name);
        if (!fine)
            return false;
    }
    return check_journal(file, true, error);
}

static char *real_path(const char *file, char **error)
{
    const char *slash = strrchr(file, '/');
    char *directory = !slash          ? xstrdup(".")
                      : slash == file ? xstrdup("/")
                                      : xstrndup(file, (size_t)(slash - file));
    char *real = NULL, *resolved = NULL;
    if (make_directories(directory, error)) {
        resolved = realpath(directory, NULL);
        if (!resolved)
            *error = text_format("%s: %s", directory, strerror(errno));
    }
    if (resolved && check_private_directory(resolved, error))
        real = text_format("%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, slash ? slash + 1 : file);
    free(resolved);
    free(directory);
    return real;
}

static int take_lock(const char *file, char **error)
{
    char *name = text_format("%s.lock", file);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fd < 0) {
        *error = text_format("%s: cannot be written (%s); check who owns the directory, or name another file "
                             "with history: {file: ...}",
                             name, strerror(errno));
    } else if (fcntl(fd, F_SETLK, &lock) != 0) {
        bool reported = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
        *error = reported
                     ? text_format("%s: process %ld is recording into it already; only one at a time can",
                                   file, (long)lock.l_pid)
                     : text_format("%s: another process is recording into it already; only one at a time can",
                                   file);
        close(fd);
        fd = -1;
    }
    free(name);
    return fd;
}

bool recording_file_is_taken(const char *file)
{
    char *name = text_format("%s.lock", file);
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool taken = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    free(name);
    return taken;
}

/*
 * SQLite would make it with its own mode. An existing one is not even opened: this process may be reading it,
 * and closing a descriptor releases all locks that it has on that file, SQLite's among them. Without those,
 * the next reader to leave takes itself for the last one, and removes the files beside it.
 */
static bool make_file(const char *file, char **error)
{
    int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd >= 0)
        close(fd);
    else if (errno != EEXIST || faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0)
        *error = text_format("%s: cannot be written (%s); check who owns it, or name another file with "
                             "history: {file: ...}",
                             file, strerror(errno));
    return !*error;
}

int recording_file_take(const char *file, char **real, char **error)
{
    *error = NULL;
    *real = real_path(file, error);
    int lock = -1;
    if (*real && check_all(*real, error))
        lock = take_lock(*real, error);
    if (lock >= 0 && make_file(*real, error)) {
        free(latest_file);
        latest_file = lstat(*real, &latest) == 0 ? xstrdup(*real) : NULL;
        return lock;
    }
    if (lock >= 0)
        close(lock);
    free(*real);
    *real = NULL;
    return -1;
}

#define BUSY_MS 5000
/* Of a row: the largest is a packed snapshot. */
#define ROW_MOST (64 << 20)

/* SQLite keeps these beside a file: rows not yet moved into it, and data shared by those who have it open.
 */
#define AHEAD "-wal"
#define SHARED "-shm"

char *recording_open_damaged(const char *file)
{
    return text_format("%s: the recording is damaged (was it cut, or copied while it was written?); "
                       "`sqlite3 FILE .recover` saves the readable part",
                       file);
}

/* By the effective user, like everything that is opened afterwards. */
static bool may_read(const char *name)
{
    return faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) == 0;
}

/* False: there is none, or nothing is known of it. */
static bool stat_beside(const char *file, const char *suffix, struct stat *status)
{
    char *name = text_format("%s%s", file, suffix);
    bool there = stat(name, status) == 0;
    free(name);
    return there;
}

/* Nothing is written beside it that is not in it yet. */
static bool is_alone(const char *file)
{
    struct stat status;
    return !stat_beside(file, AHEAD, &status) || status.st_size == 0;
}

bool recording_open_is_stale(const char *file)
{
    struct stat status;
    return stat_beside(file, SHARED, &status);
}

static bool recording_open_open_database(sqlite3 **db, const char *name, int more)
{
    sqlite3_close(*db);
    *db = NULL;
    return sql_open(name, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | more) == SQLITE_OK;
}

static bool can_read(sqlite3 *db)
{
    sqlite3_busy_timeout(db, BUSY_MS);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, ROW_MOST);
    /* A stranger's file shall not run anything here. */
    return sql_run(db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA query_only=ON; PRAGMA "
                       "cache_size=-32000; SELECT count(*) FROM sqlite_schema");
}

/*
 * Without a recorder, and without permission to write the directory, SQLite cannot make its files beside
 * the recording; but then no process changes the file, either. Rows not yet moved into it are read from
 * beside it: without locks, and with the shared data in memory.
 */
static bool open_still(sqlite3 **db, const char *file)
{
    bool alone = is_alone(file), locked = *db && sqlite3_errcode(*db) == SQLITE_BUSY;
    if (locked || (!alone && recording_open_is_stale(file)))
        return false;
    struct text name = {0};
    text_add(&name, "file:");
    for (const char *at = file; *at; at++)
        if (strchr("?#%", *at))
            text_printf(&name, "%%%02x", (unsigned)(unsigned char)*at);
        else
            text_printf(&name, "%c", *at);
    text_add(&name, alone ? "?immutable=1" : "?vfs=unix-none");
    char *uri = text_take(&name);
    bool fine =
        recording_open_open_database(db, uri, SQLITE_OPEN_URI) &&
        (alone || (sqlite3_db_config(*db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL) == SQLITE_OK &&
                   sql_run(*db, "PRAGMA locking_mode=EXCLUSIVE"))) &&
        can_read(*db);
    free(uri);
    return fine;
}

#define HEAD_SIZE 32

/*
 * The first bytes of the file. Asked of SQLite's own descriptor: closing another one would let go all locks
 * that this process has on the file, those of a recorder in it too. NULL: none is open.
 */
static sqlite3_file *recording_read_head(sqlite3 *db, unsigned char head[HEAD_SIZE], int *code)
{
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods)
        return NULL;
    *code = file->pMethods->xRead(file, head, HEAD_SIZE, 0);
    return file;
}

static bool is_head(const unsigned char head[HEAD_SIZE])
{
    return memcmp(head, "SQLite format 3", 16) == 0;
}

bool recording_open_is_overwritten(sqlite3 *db)
{
    unsigned char head[HEAD_SIZE];
    int code;
    return recording_read_head(db, head, &code) &&
           (code == SQLITE_IOERR_SHORT_READ || (code == SQLITE_OK && !is_head(head)));
}

bool recording_open_is_cut(sqlite3 *db, const char *path)
{
    unsigned char head[HEAD_SIZE];
    int code;
    sqlite3_int64 length = 0;
    sqlite3_file *file = recording_read_head(db, head, &code);
    if (!file || code != SQLITE_OK || !is_head(head) || file->pMethods->xFileSize(file, &length) != SQLITE_OK)
        return false;
    int64_t size = head[16] << 8 | head[17];
    int64_t pages = (int64_t)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
    return (size == 1 ? 65536 : size) * pages > length && is_alone(path);
}

/* One that is there, and that others may read, but not we. */
static char *unreadable_beside(const char *file)
{
    static const char *const suffixes[] = {AHEAD, SHARED};
    struct stat status;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = text_format("%s%s", file, suffixes[i]);
        bool ours = !stat_beside(file, suffixes[i], &status) || may_read(name);
        free(name);
        if (!ours)
            return text_format("%s%s: belongs to the recording: " PLAIN_FILE_DENIED, file, suffixes[i]);
    }
    return NULL;
}

static char *why_not(sqlite3 *db, const char *file)
{
    char *error = unreadable_beside(file);
    if (error || !db || sqlite3_errcode(db) != SQLITE_CANTOPEN || is_alone(file))
        return error ? error : schema_error(db, file);
    return text_format("%s: the latest part of the recording is still in %s" AHEAD
                       ", which cannot be read in a read-only directory; copy both to a writable one",
                       file, file);
}

sqlite3 *recording_open_read(const char *file, bool *still, char **error)
{
    sqlite3 *db = NULL;
    struct stat status;
    bool opened;
    *error = NULL;
    *still = false;
    if (stat(file, &status) != 0 && errno != EACCES) {
        *error = text_format("%s: there is no recording; `electop record` creates one", file);
    } else if (!may_read(file)) {
        *error = text_format("%s: " PLAIN_FILE_DENIED, file);
    } else if (!S_ISREG(status.st_mode)) {
        *error = text_format("%s: is not a file; name a recording", file);
    } else if (!check_journal(file, false, error)) {
        ; /* said */
    } else if ((opened = recording_open_open_database(&db, file, 0)) && recording_open_is_cut(db, file)) {
        *error = recording_open_damaged(file);
    } else if ((opened && can_read(db)) || (*still = open_still(&db, file))) {
        *still = *still && !recording_open_is_stale(file);
        return db;
    } else {
        *error = why_not(db, file);
    }
    sqlite3_close(db);
    return NULL;
}
