#include "tests/support/folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define FOLDERS_MOST 64

static char *made[FOLDERS_MOST];

void folder_remove(const char *name)
{
    DIR *files = opendir(name);
    for (struct dirent *file; files && (file = readdir(files));)
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            unlinkat(dirfd(files), file->d_name, 0);
    if (files)
        closedir(files);
    rmdir(name);
}

static void remove_all(void)
{
    for (size_t i = 0; i < FOLDERS_MOST && made[i]; i++) {
        folder_remove(made[i]);
        free(made[i]);
    }
}

void folder_make(char *name)
{
    size_t i = 0;
    while (i < FOLDERS_MOST && made[i])
        i++;
    assert_true(i < FOLDERS_MOST);
    assert_non_null(mkdtemp(name));
    made[i] = strdup(name);
    if (i == 0)
        atexit(remove_all);
}
