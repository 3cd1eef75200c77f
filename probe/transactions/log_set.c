#include "probe/transactions/log_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/room.h"
#include "config/text.h"
#include "probe/transactions/archive.h"

/* Deeper than this below a given directory no server keeps its files. */
#define DEPTH_MOST 4
#define ENTRIES_MOST 1000000

static bool add_text(char ***list, size_t *count, size_t *room, char *text)
{
    if (!text || !room_for_one(list, *count, room, sizeof **list)) {
        free(text);
        return false;
    }
    (*list)[(*count)++] = text;
    return true;
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
    if (!room_for_one(&set->servers, set->server_count, &set->server_room, sizeof *set->servers))
        return NULL;
    struct log_server *server = &set->servers[set->server_count];
    *server = (struct log_server){.name = text_copy(name)};
    if (!server->name)
        return NULL;
    set->server_count++;
    return server;
}

static bool add_log(struct log_set *set, const char *folder, int64_t zxid, const char *path)
{
    struct log_server *server = log_set_server_of(set, folder);
    if (!server)
        return false;
    size_t at = server->log_count;
    while (at > 0 && server->logs[at - 1].zxid > zxid)
        at--;
    for (size_t i = 0; i < server->log_count; i++)
        if (server->logs[i].zxid == zxid)
            return true; /* given twice */
    if (!room_for_one(&server->logs, server->log_count, &server->log_room, sizeof *server->logs))
        return false;
    memmove(server->logs + at + 1, server->logs + at, (server->log_count - at) * sizeof *server->logs);
    server->logs[at] = (struct log_file){text_copy(path), zxid};
    server->log_count++;
    return server->logs[at].path != NULL;
}

static bool add_snapshot(struct log_set *set, int64_t zxid, const char *path)
{
    for (size_t i = 0; i < set->snapshot_count; i++)
        if (strcmp(set->snapshots[i].path, path) == 0)
            return true;
    if (!room_for_one(&set->snapshots, set->snapshot_count, &set->snapshot_room, sizeof *set->snapshots))
        return false;
    set->snapshots[set->snapshot_count] = (struct snapshot_file){text_copy(path), zxid};
    return set->snapshots[set->snapshot_count++].path != NULL;
}

static bool log_set_add_file(struct log_set *set, const char *folder, const struct server_file_name *name,
                             const char *path)
{
    return name->snapshot ? add_snapshot(set, name->zxid, path) : add_log(set, folder, name->zxid, path);
}

/* ---- archives ---- */

static bool on_unpacked(void *context, const char *folder, const struct server_file_name *name,
                        const char *path)
{
    struct log_set *set = context;
    return add_text(&set->unpacked, &set->unpacked_count, &set->unpacked_room, text_copy(path)) &&
           log_set_add_file(set, folder, name, path);
}

/* A directory inside the temporary one: two archives may hold files of one name. */
static char *unpack_into(struct log_set *set, char **error)
{
    const char *where = getenv("TMPDIR");
    if (!set->temporary) {
        char *made = text_format("%s/electop-autopsy-XXXXXX", where && *where ? where : "/tmp");
        if (!made || !mkdtemp(made)) {
            *error = text_format("%s: %s; set TMPDIR to a directory with room", made ? made : "TMPDIR",
                                 strerror(errno));
            free(made);
            return NULL;
        }
        set->temporary = made;
    }
    char *into = text_format("%s/%zu", set->temporary, set->unpacked_count);
    if (into && mkdir(into, 0700) == 0 &&
        add_text(&set->unpacked, &set->unpacked_count, &set->unpacked_room, text_copy(into)))
        return into;
    *error = text_format("%s: %s", into ? into : "TMPDIR", strerror(errno));
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

static bool add_entry(struct log_set *set, const char *folder, const char *name, const char *path, bool again)
{
    struct server_file_name file;
    char *error = NULL;
    if (!server_file_parse(name, &file))
        return true;
    if (strcmp(file.suffix, ".snappy") == 0) {
        if (!again)
            note(set, text_format("%s: compressed with snappy, which is not read", path));
        return true;
    }
    if (*file.suffix == '\0')
        return log_set_add_file(set, folder, &file, path);
    if (again || unpack(set, path, &error))
        return true;
    note(set, error);
    return true;
}

static bool scan(struct log_set *set, const char *directory, int depth, bool again)
{
    DIR *dir = opendir(directory);
    bool fine = true;
    if (!dir) {
        if (!again)
            note(set, text_format("%s: %s", directory, strerror(errno)));
        return true;
    }
    struct dirent *entry;
    for (size_t seen = 0; fine && seen < ENTRIES_MOST && (entry = readdir(dir)); seen++) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = text_format("%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/", entry->d_name);
        fine = path != NULL;
        if (fine && is_directory(path))
            fine = depth >= DEPTH_MOST || scan(set, path, depth + 1, again);
        else if (fine)
            fine = add_entry(set, directory, entry->d_name, path, again);
        free(path);
    }
    closedir(dir);
    return fine;
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
    if (S_ISDIR(status.st_mode))
        return scan(set, path, 0, false);
    if (!S_ISREG(status.st_mode)) {
        *error = text_format("%s: neither a directory nor a file", path);
        return false;
    }
    if (!server_file_parse(name, &file) || *file.suffix)
        return unpack(set, path, error);
    char *folder =
        slash ? text_format("%.*s", (int)(slash - path > 0 ? slash - path : 1), path) : text_copy(".");
    bool added = folder && log_set_add_file(set, folder, &file, path);
    free(folder);
    return added;
}

struct log_set *log_set_open(char *const *paths, size_t count, char **error)
{
    struct log_set *set = calloc(1, sizeof *set);
    bool fine = set != NULL;
    *error = NULL;
    if (set) {
        set->paths = paths;
        set->path_count = count;
    }
    for (size_t i = 0; fine && i < count; i++)
        fine = log_set_add_named(set, paths[i], error);
    if (fine && set->server_count == 0 && set->snapshot_count == 0) {
        *error = text_format(
            "%s: holds neither log.* nor snapshot.* of a ZooKeeper server%s%s; name the dataDir or "
            "the dataLogDir of its zoo.cfg",
            count ? paths[0] : "", set->note_count ? "; " : "", set->note_count ? set->notes[0] : "");
        fine = false;
    }
    if (fine)
        return set;
    if (!*error)
        *error = text_copy("out of memory");
    log_set_free(set);
    return NULL;
}

bool log_set_refresh(struct log_set *set)
{
    for (size_t i = 0; i < set->path_count; i++)
        if (is_directory(set->paths[i]) && !scan(set, set->paths[i], 0, true))
            return false;
    return true;
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
