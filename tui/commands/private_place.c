#include "tui/commands/private_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"

char *private_place_make(char **error)
{
    const char *base = getenv("TMPDIR");
    *error = NULL;
    if (!base || *base != '/')
        base = "/tmp";
    char *directory = text_format("%s/electop-XXXXXX", base);
    if (directory && mkdtemp(directory))
        return directory;
    *error = text_format("nothing is recorded, so there is no going back: no directory can be made in %s: %s",
                         base, strerror(errno));
    free(directory);
    return NULL;
}

void private_place_remove(char *directory)
{
    DIR *entries = directory ? opendir(directory) : NULL;
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    if (directory)
        rmdir(directory);
    free(directory);
}
