/* Proves that the command line is read as the help says, and refused with what to do about it. */
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "tests/support/test.h"

#define WORDS_MAX 24

/* Reads a command line written as one text, split at blanks; "''" stands for an empty argument. */
static bool parse(const char *line, struct options *options, char **error)
{
    static char text[512];
    static char program[] = "electop", empty[] = "";
    char *argv[WORDS_MAX + 2] = {program};
    int argc = 1;
    assert_true(strlen(line) < sizeof text);
    strcpy(text, line);
    for (char *word = strtok(text, " "); word && argc <= WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "''") == 0 ? empty : word;
    return options_parse(argc, argv, options, error);
}

static void expect_error(const char *line, const char *wanted)
{
    struct options options;
    char *error = NULL;
    if (parse(line, &options, &error))
        fail_msg("taken: electop %s", line);
    assert_non_null(error);
    assert_string_equal(error, wanted);
    free(error);
}

static struct options expect(const char *line)
{
    struct options options;
    char *error = NULL;
    if (!parse(line, &options, &error))
        fail_msg("electop %s: %s", line, error);
    return options;
}

/* The default command, its defaults, and paths as its first argument. */
TEST(defaults)
{
    struct options options = expect("");
    assert_int_equal(options.command, COMMAND_WATCH);
    assert_null(options.paths);
    assert_null(options.server);
    assert_int_equal(options.wait_ms, 10000);
    assert_int_equal(options.servers, 3);
    assert_null(options.four_letter);
    options_free(&options);
    options = expect("/a /b/*/c");
    assert_int_equal(options.command, COMMAND_WATCH);
    assert_int_equal(options.path_count, 2);
    assert_string_equal(options.paths[1], "/b/*/c");
    assert_null(options.paths[2]);
    options_free(&options);
}

/* Every way to write an option's value, options before the command and behind paths, and "--". */
TEST(forms)
{
    static const char *const lines[] = {
        "once --server zk:1 --session-timeout 4s /a",
        "once --server=zk:1 -t4s /a",
        "once /a -szk:1 -t 4s",
        "-s zk:1 once -t 4s /a",
        "-t 4s --server zk:1 once -- /a",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options options = expect(lines[i]);
        assert_int_equal(options.command, COMMAND_ONCE);
        assert_string_equal(options.server, "zk:1");
        assert_int_equal(options.session_timeout_ms, 4000);
        assert_int_equal(options.path_count, 1);
        assert_string_equal(options.paths[0], "/a");
        options_free(&options);
    }
}

/* Each option of the contract lands where it belongs. */
TEST(every_option)
{
    struct options options = expect(
        "events --json --for 1m --count 5 -c f -C prod --auth-file a --admin 9 --four-letter off --wait 3s");
    assert_true(options.json);
    assert_int_equal(options.for_ms, 60000);
    assert_int_equal(options.count, 5);
    assert_string_equal(options.config_file, "f");
    assert_string_equal(options.cluster, "prod");
    assert_string_equal(options.auth_file, "a");
    assert_string_equal(options.admin, "9");
    assert_string_equal(options.four_letter, "off");
    assert_int_equal(options.wait_ms, 3000);
    options_free(&options);
    options =
        expect("once --strict --quick --color always --ascii --log l --admin a:1,[::1]:2 --four-letter auto");
    assert_true(options.strict && options.quick && options.ascii);
    assert_int_equal(options.color, COLOR_ALWAYS);
    assert_string_equal(options.log, "l");
    assert_string_equal(options.admin, "a:1,[::1]:2");
    assert_string_equal(options.four_letter, "auto");
    options_free(&options);
}

/* -c and -t are the plug-in guidelines' for check, and --config and --session-timeout elsewhere. */
TEST(check_options)
{
    struct options options =
        expect("check /a -c candidates=2: -w vacancy=5s -w tenure=60: --config f -t 3 --window 2h");
    assert_int_equal(options.command, COMMAND_CHECK);
    assert_int_equal(options.check.critical_count, 1);
    assert_int_equal(options.check.warning_count, 2);
    assert_string_equal(options.check.warning[1].figure, "tenure");
    assert_string_equal(options.config_file, "f");
    assert_int_equal(options.check.timeout_ms, 3000);
    assert_false(options.wait_given);
    assert_int_equal(options.check.window_ms, 7200000);
    assert_int_equal(options.session_timeout_ms, 0);
    options_free(&options);
    options = expect("check -t 250ms --wait 100ms --session-timeout 4s");
    assert_int_equal(options.check.timeout_ms, 250);
    assert_int_equal(options.wait_ms, 100);
    assert_int_equal(options.session_timeout_ms, 4000);
    options_free(&options);
    options = expect("export --listen [::1]:9 --series 200");
    assert_string_equal(options.listen, "[::1]:9");
    assert_int_equal(options.series, 200);
    options_free(&options);
    expect_error("check -c vacancy",
                 "--critical \"vacancy\" names no figure; write it as in candidates=3: or vacancy=10s");
    expect_error(
        "check -c candidates=2: -w candidates=3: -c candidates=5:",
        "--critical \"candidates=5:\" names a figure that already has a range; give each figure one range");
    expect_error(
        "check -w tenure=1 --warning tenure=1",
        "--warning \"tenure=1\" names a figure that already has a range; give each figure one range");
    options = expect("check -v");
    assert_true(options.check.verbose);
    options_free(&options);
    expect_error("export --once --listen 1",
                 "--once prints the metrics, and --listen serves them; leave one of them out");
    expect_error("export --wait 3s", "--wait belongs to --once: a service waits forever; leave it out");
    expect_error("record --series 200", "--series bounds the metrics; serve them with --listen ADDR:PORT");
    expect_error("once -w x=1", "electop once has no option --warning; it belongs to electop check");
}

/* A recording is a file, wherever it lies; times and an election choose what of it. */
TEST(report_options)
{
    struct options options =
        expect("report /var/h.db --from 12:00 --to -5m --election /a/* --html out.html --json -C prod -c f");
    assert_int_equal(options.command, COMMAND_REPORT);
    assert_string_equal(options.recording, "/var/h.db");
    assert_int_equal(options.path_count, 0);
    assert_string_equal(options.from, "12:00");
    assert_string_equal(options.to, "-5m");
    assert_string_equal(options.election, "/a/*");
    assert_string_equal(options.html, "out.html");
    assert_string_equal(options.cluster, "prod");
    assert_true(options.json && !options.markdown);
    options_free(&options);
    options = expect("report --markdown");
    assert_null(options.recording);
    assert_true(options.markdown);
    options_free(&options);
}

TEST(demo_options)
{
    struct options options = expect("demo --servers 3 --no-screen");
    assert_int_equal(options.command, COMMAND_DEMO);
    assert_int_equal(options.servers, 3);
    assert_true(options.no_screen);
    options_free(&options);
}

/* Help and version win over whatever comes behind them. */
TEST(help_and_version)
{
    static const struct {
        const char *line;
        enum command command, about;
    } table[] = {
        {"--help", COMMAND_HELP, COMMAND_HELP},
        {"-h --bogus", COMMAND_HELP, COMMAND_HELP},
        {"once --help", COMMAND_HELP, COMMAND_ONCE},
        {"watch -h", COMMAND_HELP, COMMAND_WATCH},
        {"help", COMMAND_HELP, COMMAND_HELP},
        {"help events", COMMAND_HELP, COMMAND_EVENTS},
        {"-V", COMMAND_VERSION, COMMAND_HELP},
        {"version", COMMAND_VERSION, COMMAND_HELP},
        {"once --version --bogus", COMMAND_VERSION, COMMAND_HELP},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct options options = expect(table[i].line);
        assert_int_equal(options.command, table[i].command);
        assert_int_equal(options.about, table[i].about);
        options_free(&options);
    }
}

/* Wrong usage says what is wrong, what to do, and the nearest word there is. */
TEST(wrong_usage)
{
    static const char *const table[][2] = {
        {"zk1:2181 /a", "unknown command \"zk1:2181\"; -s names a server: electop -s HOST:PORT [PATH...]"},
        {"watch zk1:2181", "the path \"zk1:2181\" does not begin with a slash; write the full path, such as "
                           "/election; -s names a server: electop -s HOST:PORT [PATH...]"},
        {"onc", "unknown command \"onc\"; did you mean once?"},
        {"evnets /a", "unknown command \"evnets\"; did you mean events?"},
        {"once --at -5m", "--at is a time in a recording; name the recording with --replay FILE"},
        {"events --from 14:03", "--from is a time in a recording; name the recording with --replay FILE"},
        {"once --replay h.db -s zk:1",
         "--server has no meaning with --replay, which uses no cluster; leave one of them out"},
        {"once --wait 1s --replay h.db",
         "--wait has no meaning with --replay, which uses no cluster; leave one of them out"},
        {"events --replay h.db --for 1s",
         "--for has no meaning with --replay, which uses no cluster; leave one of them out"},
        {"replay a.db b.db", "\"b.db\" is a second file; name one recording"},
        {"frobnicate",
         "unknown command \"frobnicate\"; the commands are watch, once, check, export, discover, "
         "events, record, report, replay, case, bundle, autopsy, why, "
         "inject, config, "
         "completion, demo, help, "
         "version, and a "
         "path begins with a slash"},
        {"election",
         "unknown command \"election\"; the commands are watch, once, check, export, discover, "
         "events, record, "
         "report, replay, case, bundle, autopsy, why, inject, config, completion, demo, help, version, "
         "and a path begins with a slash"},
        {"help onc", "unknown command \"onc\"; did you mean once?"},
        {"once --jsno", "unknown option \"--jsno\"; did you mean --json?"},
        {"--jsno",
         "unknown option \"--jsno\"; did you mean --json of electop once, electop discover, electop events, "
         "electop report, electop autopsy, electop why, electop inject?"},
        {"--serv=x", "unknown option \"--serv\"; did you mean --server?"},
        {"record --pair ops", "unknown option \"--pair\", which is gone; several recorders may send the same "
                              "alert: have the pager remove duplicates by {key}, as Alertmanager does"},
        {"inject /a --against=herd", "electop inject has no option --against; it belongs to electop events"},
        {"--xyzzy", "unknown option \"--xyzzy\"; electop watch --help lists the options"},
        {"-x", "unknown option \"-x\"; electop watch --help lists the options"},
        {"--json", "electop watch has no option --json; it belongs to electop once, electop discover, "
                   "electop events, electop "
                   "report, electop autopsy, electop why, electop inject"},
        {"events --strict", "electop events has no option --strict; it belongs to electop once"},
        {"once --count 3", "electop once has no option --count; it belongs to electop events"},
        {"--linear --replay f",
         "--replay has no meaning with --linear, which follows a cluster; leave one of them out"},
        {"--linear --capture f",
         "--capture has no meaning with --linear, which follows a cluster; leave one of them out"},
        {"--linear --sort name",
         "--sort has no meaning with --linear, which has no screen; leave one of them out"},
        {"--columns state --linear",
         "--columns has no meaning with --linear, which has no screen; leave one of them out"},
        {"--linear --theme dark",
         "--theme has no meaning with --linear, which has no screen; leave one of them out"},
        {"--linear --refresh 1s",
         "--refresh has no meaning with --linear, which has no screen; leave one of them out"},
        {"once --for 3s", "--for needs --watch; add --watch, or use --wait DURATION"},
        {"once --watch -o csv", "-o csv cannot be used with --watch; use -o json"},
        {"config --wait 3s",
         "electop config has no option --wait; it belongs to electop once, electop check, "
         "electop export, electop discover, electop events, electop inject, electop demo"},
        {"--wait 3s /a", "electop watch has no option --wait; it belongs to electop once, electop check, "
                         "electop export, electop discover, electop events, "
                         "electop inject, electop demo"}, /* a dashboard waits for nothing */
        {"demo -s zk", "electop demo has no option --server; it belongs to electop watch, electop once, "
                       "electop check, electop export, electop discover, "
                       "electop events, electop record, electop inject, electop config"},
        {"once --json=1", "--json takes no value; write it alone"},
        {"--server", "--server needs a value; write --server HOSTS"},
        {"-t", "--session-timeout needs a value; write --session-timeout DURATION"},
        {"-s a -s b", "--server is given twice; give it once"},
        {"events --against a.db", "--against compares a case with a recording; name the case with --replay"},
        {"events --replay a.case --against a.db --count 1",
         "--against compares everything; leave out --count"},
        {"-s ''", "--server \"\" is empty; write host:port,host:port/chroot"},
        {"-s zk:0", "--server: \"zk:0\" has no valid port; ports are 1 to 65535"},
        {"-s zk:1/", "--server: \"zk:1/\" ends in a slash; leave it out, or name the chroot after it"},
        {"-s zk:1/a/", "in --server \"zk:1/a/\", the chroot \"/a/\" ends in a slash; leave it out"},
        {"-c ''", "--config \"\" is empty; name a file"},
        {"--transactions /dev/null", "--transactions \"/dev/null\" is not a directory; name the data "
                                     "directory of a server on this machine"},
        {"--transactions /nowhere",
         "--transactions \"/nowhere\" cannot be opened; name the data directory of a server on this machine"},
        {"--admin x", "--admin \"x\" is neither a port, nor host:port,..., nor off; ports are 1 to 65535"},
        {"--admin x:y", "--admin: \"x:y\" has no valid port; ports are 1 to 65535"},
        {"--four-letter on", "--four-letter \"on\" is not known; write auto or off"},
        {"--color blue", "--color \"blue\" is not known; write auto, always or never"},
        {"-t 500ms", "--session-timeout \"500ms\" is out of range; write 1s to 5m"},
        {"-t 1h", "--session-timeout \"1h\" is out of range; write 1s to 5m"},
        {"once --wait 0", "--wait \"0\" is out of range; write 10ms to 1h"},
        {"events --for 3", "--for \"3\" has no unit; write it as in 250ms, 10s, 5m, 2h or 30d"},
        {"events --for 0s", "--for \"0s\" is out of range; write 1ms to 3650d"},
        {"events --count 0", "--count \"0\" is out of range; write 1 to 2147483647"},
        {"events --count 1x", "--count \"1x\" is not a whole number; write digits only"},
        {"demo --servers 2", "--servers \"2\" is not a size of the demo's ensemble; write 1 or 3"},
        {"inject /s --join a/b",
         "--join \"a/b\" is not a name for a run; write 1 to 64 characters without / . { }"},
        {"inject /s --join \x1b[31m",
         "--join \"\\x1b[31m\" contains a character that ZooKeeper refuses in paths; leave it out"},
        {"inject /s --join \xff", "--join \"\\xff\" is not UTF-8; ZooKeeper's paths are"},
        {"report a b", "\"b\" is a second file; name one recording"},
        {"report ''", "the file has no name; name a recording, or leave it out for the usual one"},
        {"report --from yesterday",
         "--from \"yesterday\" is not a time; write it as in 2026-11-20T14:03:22Z, 2026-11-20, "
         "14:03 or -10m"},
        {"report a --replay b", "--replay FILE and FILE are two recordings; name one of them"},
        {"report --json --markdown", "--json and --markdown exclude each other; give one of them"},
        {"config --replay f --diff",
         "--example, --diff, --schema and --replay exclude each other; give one of them"},
        {"config --replay f /a", "config --replay prints the bundle's; leave the path out"},
        {"config --replay f -s h:1",
         "--server has no meaning with --replay, which uses no cluster; leave one of them out"},
        {"report --html - --json",
         "--html - and --json would both go to standard output; give --html a file"},
        {"report --server zk:1",
         "electop report has no option --server; it belongs to electop watch, electop once, electop check, "
         "electop export, electop discover, electop events, electop record, electop inject, electop config"},
        {"once --html f",
         "electop once has no option --html; it belongs to electop report, electop autopsy, electop inject"},
        {"once a", "the path \"a\" does not begin with a slash; write the full path, such as /election"},
        {"/a/", "the path \"/a/\" ends in a slash; leave it out"},
        {"/a/../b",
         "the path \"/a/../b\" contains a component . or .., which ZooKeeper refuses; write the path "
         "without it"},
        {"once ''", "the path \"\" is empty; write a path such as /election"},
        {"once -", "the path \"-\" does not begin with a slash; write the full path, such as /election"},
        {"-- --json",
         "the path \"--json\" does not begin with a slash; write the full path, such as /election"},
        {"\x1b[2J",
         "unknown command \"\\x1b[2J\"; the commands are watch, once, check, export, discover, "
         "events, record, "
         "report, replay, case, bundle, autopsy, why, inject, config, completion, demo, help, version, and a "
         "path begins with a slash"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        expect_error(table[i][0], table[i][1]);
}

/* A command's help names its options and no other's; the program's names every command. */
TEST(help_is_from_the_table)
{
    static const char *const recipes[] = {"curator-latch", "kazoo", NULL};
    char *once = options_help(COMMAND_ONCE, recipes), *all = options_help(COMMAND_HELP, recipes),
         *config = options_help(COMMAND_CONFIG, recipes);
    assert_non_null(strstr(once, "--strict"));
    assert_null(strstr(once, "--no-screen"));
    assert_null(strstr(once, "--count"));
    for (int command = 0; command < COMMAND_COUNT; command++)
        assert_non_null(strstr(all, command_word((enum command)command)));
    assert_non_null(strstr(config, "stop_above_ping: 250ms"));
    assert_non_null(strstr(config, "curator-latch, kazoo\n"));
    free(once);
    free(all);
    free(config);
}
