/*
 * Proves that a configuration is found where it should be, and that files of every bad kind are refused with
 * a reason, in bounded time and memory; and that credentials are read only from files that keep a secret.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/secret.h"
#include "config/security.h"
#include "config/config_file.h"
#include "config/options.h"
#include "config/settings.h"
#include "tests/support/test.h"

static char directory[] = "/tmp/electop-files-XXXXXX";

static const char *name_in(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"file", "pipe", "xdg/electop/config.yaml",
                                        "home/.config/electop/config.yaml"};
    static const char *const folders[] = {"xdg/electop", "xdg", "home/.config/electop", "home/.config",
                                          "home"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(name_in(names[i]));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        rmdir(name_in(folders[i]));
    return rmdir(directory);
}

static void write_bytes(const char *name, const char *bytes, size_t length, mode_t mode)
{
    unlink(name_in(name)); /* it may be one that its owner cannot write */
    FILE *stream = fopen(name_in(name), "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(chmod(name_in(name), mode), 0);
}

static void expect_found(const char *named, const char *wanted)
{
    char *file = config_file_find(named);
    if (wanted)
        assert_string_equal(file, wanted);
    free(file);
}

/* The documented order, each place in front of the next. */
TEST(places_in_order)
{
    static const char *const folders[] = {"xdg", "xdg/electop", "home", "home/.config",
                                          "home/.config/electop"};
    char wanted[256];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        assert_int_equal(mkdir(name_in(folders[i]), 0700), 0);
    setenv("HOME", name_in("home"), 1);
    setenv("XDG_CONFIG_HOME", name_in("xdg"), 1);
    unsetenv("ELECTOP_CONFIG");
    write_bytes("home/.config/electop/config.yaml", "", 0, 0600);
    snprintf(wanted, sizeof wanted, "%s/home/.config/electop/config.yaml", directory);
    expect_found(NULL, wanted);
    write_bytes("xdg/electop/config.yaml", "", 0, 0600);
    snprintf(wanted, sizeof wanted, "%s/xdg/electop/config.yaml", directory);
    expect_found(NULL, wanted);
    setenv("ELECTOP_CONFIG", "/from/environment", 1);
    expect_found(NULL, "/from/environment");
    expect_found("named", "named");
    unsetenv("ELECTOP_CONFIG");
}

/* A file written in a configuration lies beside it, or below ~. */
TEST(files_are_resolved)
{
    static const char *const table[][3] = {
        {"/etc/electop/config.yaml", "prod.auth", "/etc/electop/prod.auth"},
        {"/etc/electop/config.yaml", "/x", "/x"},
        {"config.yaml", "prod.auth", "prod.auth"},
        {NULL, "a/b", "a/b"},
        {"/etc/electop/config.yaml", "~/x", "/home/me/x"},
    };
    setenv("HOME", "/home/me", 1);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char *resolved = config_file_resolve(table[i][0], table[i][1]);
        assert_string_equal(resolved, table[i][2]);
        free(resolved);
    }
}

static void expect_unreadable(const char *file, const char *wanted, size_t wanted_line, size_t wanted_column)
{
    char *error = NULL;
    size_t length, line, column;
    assert_null(config_file_read(file, true, &length, &error, &line, &column));
    assert_non_null(error);
    assert_string_equal(error, wanted);
    assert_int_equal(line, wanted_line);
    assert_int_equal(column, wanted_column);
    free(error);
}

/* What is no configuration file, whatever it is, is refused without reading it all. */
TEST(bad_files)
{
    expect_unreadable("/nonexistent/x",
                      "cannot be read (No such file or directory); check its name and its permissions", 0, 0);
    expect_unreadable(directory, "is a directory; name a file", 0, 0);
    expect_unreadable("/dev/zero", "is larger than 16 MB, too large for a configuration", 0, 0);
    /* Sparse: a hundred megabytes that cost nothing, unless somebody reads them. */
    write_bytes("file", "", 0, 0600);
    assert_int_equal(truncate(name_in("file"), 100 * 1024 * 1024), 0);
    expect_unreadable(name_in("file"), "is larger than 16 MB, too large for a configuration", 0, 0);
    write_bytes("file", "a: b\n\xc3\xa4: \xff", 10, 0600);
    expect_unreadable(name_in("file"), "the byte 0xff is not UTF-8; save the file as UTF-8", 2, 4);
    write_bytes("file",
                "\xff\xfe"
                "a\0",
                4, 0600);
    expect_unreadable(name_in("file"), "the byte 0xff is not UTF-8; save the file as UTF-8", 1, 1);
    if (geteuid() != 0) {
        write_bytes("file", "", 0, 0);
        expect_unreadable(name_in("file"),
                          "cannot be read (Permission denied); check its name and its permissions", 0, 0);
    }
}

/* /dev/null is empty. A pipe without a writer does not hang, and is no empty configuration. */
TEST(empty_sources)
{
    char *error = NULL;
    size_t length, line, column;
    char *bytes = config_file_read("/dev/null", true, &length, &error, &line, &column);
    assert_non_null(bytes);
    assert_int_equal(length, 0);
    free(bytes);
    assert_int_equal(mkfifo(name_in("pipe"), 0600), 0);
    expect_unreadable(name_in("pipe"), "is a pipe without data; name a file", 0, 0);
}

/* Whoever writes into a pipe may come late, and pause: all of it is read. */
TEST(a_pipe_is_read_to_its_end)
{
    pid_t writer = fork();
    if (writer == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        int descriptor = open(name_in("pipe"), O_WRONLY);
        bool fine = write(descriptor, "a: ", 3) == 3;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        fine = fine && write(descriptor, "1\n", 2) == 2;
        _exit(fine ? 0 : 1);
    }
    char *error = NULL;
    size_t length, line, column;
    char *bytes = config_file_read(name_in("pipe"), true, &length, &error, &line, &column);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    assert_non_null(bytes);
    assert_int_equal(length, 5);
    assert_memory_equal(bytes, "a: 1\n", 5);
    free(bytes);
}

/* While something runs, no writer is waited for. */
TEST(a_pipe_is_not_waited_for_later)
{
    char *error = NULL;
    size_t length, line, column;
    int writer = open(name_in("pipe"), O_RDWR);
    assert_true(writer >= 0);
    assert_int_equal(write(writer, "a", 1), 1);
    assert_null(config_file_read(name_in("pipe"), false, &length, &error, &line, &column));
    assert_string_equal(error, "is a pipe, which is read at the start only; name a file");
    free(error);
    close(writer);
}

static void expect_yaml(const char *bytes, size_t length, const char *wanted)
{
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    settings_read(settings, NULL, bytes, length, &problems);
    settings_free(settings);
    char *errors = problems_take(&problems);
    assert_string_equal(errors, wanted);
    free(errors);
}

/* What YAML can do and a configuration has no use for, or what could blow it up,
   is refused with its place. */
TEST(bad_yaml)
{
    static const char *const table[][2] = {
        {"a: &x [1]",
         "f:1:1: unknown key \"a\"; the keys here are clusters, recipes, discover, inject, history, screen, "
         "keys, actions, alerts\nf:1:4: an anchor (&); write the value out: anchors are not supported"},
        {"screen: *x", "f:1:9: an alias (*); write the value out: aliases are not supported"},
        {"screen: !!map {}", "f:1:9: a tag (!); leave it out: tags are not supported"},
        {"screen: {}\n---\nscreen: {}",
         "f:2:1: a second document (---); a configuration has only one document"},
        {"screen: {}\nscreen: {}", "f:2:1: the key \"screen\" is already there, on line 1; keep one of them"},
        {"? [a]\n: b", "f:1:3: a list as a key; keys are words"},
        {"screen: {",
         "f:2:1: not valid YAML: while parsing a flow node, did not find expected node content; correct "
         "this line, or the previous one"},
        {"a: b: c",
         "f:1:5: not valid YAML: mapping values are not allowed in this context; correct this line, or the "
         "previous one"},
        {"screen:\n\ttheme: dark",
         "f:2:1: not valid YAML: while scanning for the next token, found character that cannot "
         "start any token; correct this line, or the previous one"},
        {"history: {file: \"a\\0b\"}", "f:1:17: a text with a NUL character; leave the character out"},
        {"a\x01: b", "f:1:2: a control character; write text only"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        expect_yaml(table[i][0], strlen(table[i][0]), table[i][1]);
    expect_yaml("a: \0", 4, "f:1:4: a control character; write text only");
}

/* Depth and width are bounded: a million brackets, a thousand laughs and very many keys all end at once. */
TEST(yaml_is_bounded)
{
    enum { SIZE = 900000 };
    char *bytes = malloc(SIZE + 1);
    assert_non_null(bytes);
    memset(bytes, '[', SIZE);
    expect_yaml(bytes, SIZE, "f:1:17: nested too deeply; settings have at most six levels");
    for (size_t i = 0; i + 2 < SIZE; i += 2)
        memcpy(bytes + i, i ? "1," : "[1", 2);
    expect_yaml(bytes, SIZE - 2, "f:1:400001: too many values; a configuration has at most 200000");
    size_t length = 0;
    for (int i = 0; i < 300; i++)
        length += (size_t)sprintf(bytes + length, "k%d: 1\n", i);
    expect_yaml(bytes, length, "f:201:1: more than 200 keys in one mapping");
    length = (size_t)sprintf(bytes, "a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++)
        length += (size_t)sprintf(bytes + length, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    settings_read(settings, NULL, bytes, length, &problems);
    assert_true(problems.count > PROBLEMS_MAX);
    problems_free(&problems);
    settings_free(settings);
    free(bytes);
}

static void expect_auth(const char *content, mode_t mode, const char *wanted)
{
    char *scheme, *credential, *error = NULL, full[512];
    write_bytes("file", content, strlen(content), mode);
    assert_false(security_read_auth(name_in("file"), &scheme, &credential, &error));
    snprintf(full, sizeof full, "the auth file \"%s\" %s", name_in("file"), wanted);
    assert_non_null(error);
    assert_string_equal(error, full);
    assert_null(strstr(error, "secret"));
    assert_null(scheme);
    assert_null(credential);
    free(error);
}

/* A credential is one line in a file that only its owner can use; the secret is in no message. */
TEST(credentials)
{
    static const char others[] = "can be read or written by others; run chmod 600 on it";
    static const mode_t open_modes[] = {0640, 0604, 0660, 0601, 0622};
    char *scheme, *credential, *error = NULL;
    write_bytes("file", "digest:user:se:cret\r\n", 21, 0400);
    assert_true(security_read_auth(name_in("file"), &scheme, &credential, &error));
    assert_string_equal(scheme, "digest");
    assert_string_equal(credential, "user:se:cret");
    free(scheme);
    secret_end(credential);
    assert_int_equal(unlink(name_in("file")), 0);
    for (size_t i = 0; i < sizeof open_modes / sizeof open_modes[0]; i++)
        expect_auth("digest:user:secret", open_modes[i], others);
    expect_auth("", 0600, "is empty; write one line such as digest:user:password");
    expect_auth("\n", 0600, "is empty; write one line such as digest:user:password");
    expect_auth("secret", 0600,
                "does not begin with a scheme and a colon; write one line such as digest:user:password");
    expect_auth(":secret", 0600,
                "does not begin with a scheme and a colon; write one line such as digest:user:password");
    expect_auth("digest:", 0600,
                "has no credential after its scheme; write one line such as digest:user:password");
    expect_auth("digest:secret", 0600,
                "has no user and password after digest; write one line such as "
                "digest:user:password");
    expect_auth("digest:user:secret\nmore", 0600, "has more than one line; leave only one");
    assert_false(security_read_auth(directory, &scheme, &credential, &error));
    assert_non_null(strstr(error, "is not a plain file; name a plain file"));
    free(error);
    assert_false(security_read_auth("/nonexistent/x", &scheme, &credential, &error));
    assert_string_equal(
        error, "the auth file \"/nonexistent/x\" cannot be read (No such file or directory); check its name "
               "and its permissions");
    free(error);
    if (geteuid() == 0) {
        write_bytes("file", "digest:user:secret", 18, 0600);
        assert_int_equal(chown(name_in("file"), 65534, 65534), 0);
        assert_true(security_read_auth(name_in("file"), &scheme, &credential, &error) == false);
        assert_non_null(strstr(error, "belongs to another user; change its owner with chown"));
        free(error);
    }
}

/* A bad file's errors come with its name and place, as the command line shows them. */
TEST(errors_name_the_file)
{
    char *error = NULL, wanted[512];
    struct options options = {.config_file = directory};
    assert_null(settings_load(&options, &error));
    snprintf(wanted, sizeof wanted, "%s: is a directory; name a file", directory);
    assert_string_equal(error, wanted);
    free(error);
    unlink(name_in("file"));
    write_bytes("file", "screen: {mouse: \xff}", 17, 0600);
    options.config_file = name_in("file");
    assert_null(settings_load(&options, &error));
    snprintf(wanted, sizeof wanted, "%s:1:17: the byte 0xff is not UTF-8; save the file as UTF-8",
             name_in("file"));
    assert_string_equal(error, wanted);
    free(error);
}

ALL_BETWEEN(make_directory, remove_directory)
