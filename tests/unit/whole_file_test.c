/* A file is replaced as a whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/output/whole_file.h"

static char directory[] = "/tmp/electop-whole-XXXXXX";

static const char *in(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void expect(const char *name, const char *content)
{
    char bytes[64] = "";
    FILE *file = fopen(in(name), "r");
    assert_non_null(file);
    assert_true(fread(bytes, 1, sizeof bytes - 1, file) <= sizeof bytes);
    fclose(file);
    assert_string_equal(bytes, content);
}

static size_t files(void)
{
    size_t count = 0;
    DIR *opened = opendir(directory);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened));)
        count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    assert_int_equal(stat(in(name), &status), 0);
    return status.st_mode & 07777;
}

/* New ones get the umask's permissions, old ones keep theirs; nothing is left beside them. */
static void replaces_and_keeps_permissions(void **state)
{
    (void)state;
    umask(022);
    assert_int_equal(whole_file_write(in("a"), "one", 3), 0);
    assert_int_equal(mode_of("a"), 0644);
    assert_int_equal(chmod(in("a"), 0600), 0);
    assert_int_equal(whole_file_write(in("a"), "second", 6), 0);
    expect("a", "second");
    assert_int_equal(mode_of("a"), 0600);
    assert_int_equal(files(), 1);
    unlink(in("a"));
}

/* A link stays one, and what it points at is replaced. */
static void follows_links(void **state)
{
    (void)state;
    assert_int_equal(whole_file_write(in("real"), "one", 3), 0);
    assert_int_equal(symlink("real", in("link")), 0);
    assert_int_equal(whole_file_write(in("link"), "two", 3), 0);
    struct stat status;
    assert_int_equal(lstat(in("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect("real", "two");
    /* One to nothing stays, too, and that it cannot be written is known before. */
    unlink(in("real"));
    assert_int_equal(whole_file_check(in("link")), ENOENT);
    assert_int_equal(whole_file_write(in("link"), "three", 5), ENOENT);
    assert_int_equal(lstat(in("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(files(), 1);
    unlink(in("link"));
}

/* Where it cannot be written, the old content stays, and nothing lies beside it. */
static void leaves_what_it_cannot_replace(void **state)
{
    (void)state;
    assert_int_equal(whole_file_write(in("no/such/place"), "x", 1), ENOENT);
    assert_int_equal(whole_file_write(directory, "x", 1), EISDIR);
    assert_int_equal(whole_file_check(in("no/such/place")), ENOENT); /* and that is known before */
    assert_int_equal(whole_file_check(directory), EISDIR);
    assert_int_equal(whole_file_check(in("new")), 0);
    assert_int_equal(whole_file_check("/dev/null"), 0);
    assert_int_equal(whole_file_write("/dev/full", "x", 1), ENOSPC);
    assert_int_equal(whole_file_write("/dev/null", "x", 1), 0);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode)); /* it was not replaced by a file */
    assert_int_equal(files(), 0);
}

/* A named pipe is written where somebody reads it; nobody is waited for. */
static void waits_for_no_reader(void **state)
{
    (void)state;
    char content[3] = "";
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    assert_int_equal(whole_file_write(in("pipe"), "one", 3), ENXIO);
    int reader = open(in("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(whole_file_write(in("pipe"), "two", 3), 0);
    assert_int_equal(read(reader, content, sizeof content), 3);
    assert_memory_equal(content, "two", 3);
    close(reader);
    unlink(in("pipe"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_and_keeps_permissions),
        cmocka_unit_test(follows_links),
        cmocka_unit_test(leaves_what_it_cannot_replace),
        cmocka_unit_test(waits_for_no_reader),
    };
    if (!mkdtemp(directory))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
