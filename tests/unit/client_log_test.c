/* Pauses in the logs of a client's host: the forms that JVMs and kernels write, and lines that tell of none. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/report/client_log.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#define NOON_US INT64_C(1795608000000000) /* 2026-11-25T12:00:00Z */

struct line_case {
    const char *line;
    int64_t from_ms, to_ms; /* after noon; -1: no end */
    const char *what;
};

TEST(each_form_of_a_pause)
{
    static const struct line_case cases[] = {
        {"[2026-11-25T12:00:14.500+0000][info][gc] GC(7) Pause Full (G1 Compaction Pause) "
         "2047M->2040M(2048M) "
         "14215.000ms",
         285, 14500, "Pause Full (G1 Compaction Pause)"},
        {"[2026-11-25T13:00:14.500+0100][3.2s][info][gc  ] GC(7) Pause Young (Normal) (G1 Evacuation Pause) "
         "24M->4M(256M) 500.000ms",
         14000, 14500, "Pause Young (Normal) (G1 Evacuation Pause)"},
        {"[2026-11-25T12:00:14.500Z][info][safepoint] Safepoint \"G1CollectFull\", Time since last: 1 ns, "
         "Reaching "
         "safepoint: 2 ns, At safepoint: 3 ns, Total: 2000000000 ns",
         12500, 14500, "Safepoint \"G1CollectFull\""},
        {"2026-11-25T12:00:14.500+0000: 99.1: Total time for which application threads were stopped: "
         "2.5000000 "
         "seconds, Stopping threads took: 0.0000211 seconds",
         12000, 14500, "all threads stopped"},
        {"2026-11-25T12:00:14.500+0000: 99.1: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(2K)] 3K->2K(4K), "
         "2.5000000 "
         "secs] [Times: user=1.00 sys=0.00, real=2.50 secs]",
         14500, 17000, "Full GC (Ergonomics)"},
        {"2026-11-25T12:00:14,500000+00:00 host kernel: Out of memory: Killed process 812 (java), UID 0",
         14500, -1, "Out of memory: Killed process 812 (java)"},
        {"Nov 25 12:00:14 host kernel: Memory cgroup out of memory: Killed process 4242 (java) total-vm:1kB, "
         "UID:0",
         14000, -1, "Memory cgroup out of memory: Killed process 4242 (java) total-vm:1kB"},
        {"Nov 25 12:00:14 host kernel: Out of memory: Kill process 4242 (java) score 900 or sacrifice "
         "child\n",
         14000, -1, "Out of memory: Kill process 4242 (java) score 900 or sacrifice child"},
        {"Nov 25 12:00:14 host kernel: Killed process 4242 (java) total-vm:1kB, anon-rss:1kB", 14000, -1,
         "Killed process 4242 (java) total-vm:1kB"},
        {"[Wed Nov 25 12:00:14 2026] Out of memory: Killed process 812 (java), UID 0", 14000, -1,
         "Out of memory: Killed process 812 (java)"},
        {"Nov 25 12:00:14 host kernel: PM: suspend entry (deep)", 14000, -1, "suspend of the host"},
        {"Nov 25 12:00:14 host kernel: PM: hibernation: hibernation entry", 14000, -1, "suspend of the host"},
        {"Nov 25 12:00:14 host kernel: PM: Preparing system for mem sleep", 14000, -1, "suspend of the host"},
        {"Nov 25 12:00:14 host systemd-sleep[9]: Entering sleep state 'suspend'...", 14000, -1,
         "suspend of the host"},
        {"Nov 25 12:00:14 host systemd-oomd[9]: Killed /system.slice/a.service due to memory pressure", 14000,
         -1, "Killed /system.slice/a.service due to memory pressure"},
        {"{\"log\":\"[2026-11-25T12:00:17.500+0000][info][gc] GC(3) Pause Full (x) 9M->8M(9M) "
         "2500.000ms\\n\",",
         15000, 17500, "Pause Full (x)"},
        {"Nov 25 12:00:14.754000 host kernel: Killed process 4242 (java) total-vm:1kB", 14754, -1,
         "Killed process 4242 (java) total-vm:1kB"},
        {"Wed 2026-11-25 12:00:14 UTC host kernel: Out of memory: Killed process 812 (java)", 14000, -1,
         "Out of memory: Killed process 812 (java)"},
        {"1795608014.500000 host kernel: Out of memory: Killed process 812 (java)", 14500, -1,
         "Out of memory: Killed process 812 (java)"},
        {"{\"MESSAGE\":\"Out of memory: Killed process 812 (java)\",\"__REALTIME_TIMESTAMP\" : "
         "\"1795608014500000\"}",
         14500, -1, "Out of memory: Killed process 812 (java)"},
        {"[99.2s][1795608014500ms][gc          ] GC(7) Pause Full (System.gc()) 6M->6M(64M) 500.000ms", 14000,
         14500, "Pause Full (System.gc())"},
        {"[2026-11-25T12:00:14.500+0000][0.057s][1795608014500ms][57ms][vm][25479][gc] GC(7) Pause "
         "Degenerated GC "
         "(Outside of Cycle) 6M->6M(64M) 500.000ms",
         14000, 14500, "Pause Degenerated GC (Outside of Cycle)"},
        {"<exclusive-end id=\"8\" timestamp=\"2026-11-25T12:00:14.500\" durationms=\"500.000\" />", 14000,
         14500, "all threads stopped"},
        {"2026-11-25T12:00:17.501234567Z stdout F [2026-11-25T12:00:17.500+0000][info][gc] GC(3) Pause Full "
         "(x) "
         "9M->8M(9M) 2500.000ms",
         15000, 17500, "Pause Full (x)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct client_pause pause = {0};
        assert_true(client_log_line(cases[i].line, NOON_US, &pause));
        assert_string_equal(pause.what, cases[i].what);
        assert_int_equal(pause.from_us, NOON_US + cases[i].from_ms * 1000);
        assert_int_equal(pause.to_us, cases[i].to_ms < 0 ? INT64_MAX : NOON_US + cases[i].to_ms * 1000);
    }
}

/* A time since the JVM's start ties to nothing. */
TEST(a_pause_without_a_date_has_no_time)
{
    struct client_pause pause = {0};
    assert_true(client_log_line("[12.345s][info][gc] GC(7) Pause Full (System.gc()) 9M->4M(10M) 50.1ms",
                                NOON_US, &pause));
    assert_int_equal(pause.from_us, 0);
}

TEST(lines_that_tell_of_no_pause)
{
    static const char *const lines[] = {
        "",
        "[",
        "[2026-11-25T12:00:14.500+0000][info][gc] Using G1",
        "[2026-11-25T12:00:14.500+0000][info][gc] GC(7) Concurrent Mark Cycle 14.2ms",
        "2026-11-25T12:00:14.500+0000: Pause for thought",
        "[2026-11-25T12:00:14.500+0000][info][gc] GC(7) Pause Full ms",
        "Safepoint \"x\", Total: -5 ns",
        "2026-11-25: [GC secs]",
        "9999999999.5 host kernel: Out of memory",
        "2026-11-25: [GC (x), 99999999999999999999999 secs]",
        "2026-11-25T12:00:14.500+0000: 99.1: [GC concurrent-mark-end, 9.2150000 secs]",
        "2026-11-25T12:00:14.500+0000: 9.1: [GC (Allocation Failure) 2026-11-25T12:00:14.500+0000: 9.1: "
        "[ParNew: 1K->"
        "1K(1K), 0.02 secs]2026-11-25T12:00:14.530+0000: 9.1: [CMS2026-11-25T12:00:14.580+0000: 9.2: "
        "[CMS-concurrent-mark: 0.008/0.050 secs] [Times: user=0.05 sys=0.00, real=0.05 secs]",
        "Out of memory",
        "Nov 25 12:00:14 host kernel: out of memory: Kill",
        "<exclusive-start id=\"2\" timestamp=\"2026-11-25T12:00:14.500\" intervalms=\"1.2\">",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct client_pause pause = {0};
        assert_false(client_log_line(lines[i], NOON_US, &pause));
    }
}

static char folder[] = "/tmp/client-log-XXXXXX";

/* A kill of another process: the client was heard since, or a pause explains most of its silence. */
TEST(a_kill_of_another_process)
{
    static const char pause_line[] =
        "[2026-11-25T12:00:09.000+0000][info][gc] GC(2) Pause Full (b) 1M->1M(1M) 8000.0ms\n";
    static const struct {
        const char *kill;
        bool pauses;
        const char *what;
    } rows[] = {
        {"2026-11-24T03:00:00+0000 host kernel: Out of memory: Killed process 99 (chrome)\n", false, ""},
        {"2026-11-24T03:00:00+0000 host kernel: Out of memory: Killed process 99 (chrome)\n", true,
         "Pause Full (b)"},
        {"2026-11-25T12:00:00+0000 host kernel: Out of memory: Killed process 99 (chrome)\n", true,
         "Pause Full (b)"},
        {"2026-11-25T11:59:59+0000 host kernel: Out of memory: Killed process 9 (java)\n", false,
         "Out of memory: Killed process 9 (java)"},
    };
    char path[64], *files[] = {path}, *error = NULL;
    struct client_pause pause;
    char own[] = "/tmp/client-log-XXXXXX";
    folder_make(own);
    snprintf(path, sizeof path, "%s/log", own);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].kill, file);
        fputs(rows[i].pauses ? pause_line : "", file);
        fclose(file);
        assert_true(client_log_find(files, 1,
                                    &(struct client_silence){.from_us = NOON_US, .to_us = NOON_US + 10000000},
                                    &pause, &error));
        assert_string_equal(pause.what, rows[i].what);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[12345.678901] Out of memory: Killed process 9 (java)\n", file);
    fclose(file);
    assert_true(client_log_find(
        files, 1, &(struct client_silence){.from_us = NOON_US, .to_us = NOON_US + 10000000}, &pause, &error));
    assert_int_equal(pause.undated, 1);
    assert_int_equal(pause.undated_kernel, 1);
    folder_remove(own);
}

/* The longest overlap with the silence counts, and not the longest pause. */
TEST(the_pause_that_overlaps)
{
    char path[64], *files[] = {path}, *error = NULL;
    struct client_pause pause;
    folder_make(folder);
    snprintf(path, sizeof path, "%s/log", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[2026-11-25T11:00:40.000+0000][info][gc] GC(1) Pause Full (a) 1M->1M(1M) 40000.0ms\n"
          "[2026-11-25T12:00:05.000+0000][info][gc] GC(2) Pause Full (b) 1M->1M(1M) 4000.0ms\n"
          "Nov 25 12:00:06 host kernel: PM: suspend entry (deep)\n"
          "Nov 25 12:00:09 host kernel: PM: suspend exit\n"
          "[9.9s][info][gc] GC(3) Pause Full (c) 1M->1M(1M) 1.0ms\n",
          file);
    fclose(file);
    assert_true(client_log_find(
        files, 1, &(struct client_silence){.from_us = NOON_US, .to_us = NOON_US + 10000000}, &pause, &error));
    assert_string_equal(pause.what, "Pause Full (b)");
    assert_int_equal(pause.undated, 1);
    assert_true(client_log_find(
        files, 1, &(struct client_silence){.from_us = NOON_US + 6500000, .to_us = NOON_US + 10000000}, &pause,
        &error));
    assert_string_equal(pause.what, "suspend of the host");
    assert_int_equal(pause.to_us, NOON_US + 9000000);
    assert_true(client_log_find(
        files, 1, &(struct client_silence){.from_us = NOON_US + 20000000, .to_us = NOON_US + 30000000},
        &pause, &error));
    assert_string_equal(pause.what, "");
    /* Of another clock, the only one that is as long as the silence was, until its client was back. */
    const int64_t later_us = NOON_US + INT64_C(7200000000);
    struct client_silence silence = {later_us, later_us + 12000000, 0, false, later_us + 43000000, 5000000,
                                     0};
    assert_true(client_log_find(files, 1, &silence, &pause, &error));
    assert_string_equal(pause.what, "Pause Full (a)");
    assert_int_equal(pause.ahead_us, NOON_US - 3600000000 + 20000000 - later_us - 21500000);
    silence.back_us += 3000000;
    assert_true(client_log_find(files, 1, &silence, &pause, &error));
    assert_string_equal(pause.what, "");
    silence = (struct client_silence){later_us, later_us + 4000000, 0, false, later_us + 4000000, 1100000, 0};
    assert_true(client_log_find(files, 1, &silence, &pause, &error));
    assert_string_equal(pause.what, "");
    for (int64_t apart_us = INT64_C(420000000); apart_us <= INT64_C(86400000000);
         apart_us += INT64_C(85980000000)) {
        const int64_t at_us = later_us + apart_us; /* not by a time zone */
        silence = (struct client_silence){at_us, at_us + 12000000, 0, false, at_us + 43000000, 5000000, 0};
        assert_true(client_log_find(files, 1, &silence, &pause, &error));
        assert_string_equal(pause.what, "");
    }
    for (int offset = 0; offset < 2; offset++) { /* with it, that time is in the log, and without a pause */
        file = fopen(path, "w");
        fprintf(file,
                "[2026-11-25T11:00:40.000%s][gc] GC(1) Pause Full (a) 1M->1M(1M) 40000.0ms\n"
                "[2026-11-25T18:00:00.000%s][gc] GC(2) Pause Full (b) 1M->1M(1M) 1.0ms\n",
                offset ? "+0000" : "", offset ? "+0000" : "");
        fclose(file);
        silence =
            (struct client_silence){later_us, later_us + 12000000, 0, false, later_us + 43000000, 5000000, 0};
        assert_true(client_log_find(files, 1, &silence, &pause, &error));
        assert_string_equal(pause.what, offset ? "" : "Pause Full (a)");
    }
    folder_remove(folder);
    assert_false(client_log_find(files, 1, &(struct client_silence){.to_us = 1}, &pause, &error));
    assert_non_null(strstr(error, "No such file"));
    free(error);
}

/* What a healthy client's log has in any silence explains none; a collection may be written on two lines, and a suspend
 * without its end. */
TEST(the_pause_that_explains)
{
    static const struct {
        const char *log, *what;
        int64_t short_us, from_ms;
    } rows[] = {
        {"[2026-11-25T12:00:05.000+0000][info][gc] GC(1) Pause Young (Normal) (a) 2M->1M(3M) 15.0ms\n"
         "[2026-11-25T12:00:07.000+0000][info][gc] GC(2) Pause Young (Normal) (a) 2M->1M(3M) 12.0ms\n",
         "", 15000, 0},
        {"[2026-11-25T12:00:16.000+0000][info][gc] GC(1) Pause Full (a) 2M->1M(3M) 7000.0ms\n", "", 1000000,
         0},
        {"2026-11-25T12:00:01.000+0000: 9.1: [GC (Allocation Failure) 2026-11-25T12:00:01.000+0000: 9.1: "
         "[ParNew "
         "(promotion failed): 1K->1K(1K), 0.02 secs]2026-11-25T12:00:01.030+0000: 9.1: "
         "[CMS2026-11-25T12:00:01.080+0000: 9.2: [CMS-concurrent-mark: 0.008/0.050 secs] "
         "[Times: user=0.05 sys=0.00, real=0.05 secs]\n"
         " (concurrent mode failure): 1K->1K(1K), 6.21 secs] 1K->1K(1K), [Metaspace: 1K->1K(1K)], 6.25 secs] "
         "[Times: user=6.25 sys=0.00, real=6.25 secs]\n",
         "concurrent mode failure", 0, 1000},
        {"2026-11-25T02:00:01.000+0000: 9.1: [GC (Allocation Failure) 2026-11-25T02:00:01.030+0000: 9.1: "
         "[CMS2026-11-25T02:00:01.080+0000: 9.2: [CMS-concurrent-mark: 0.008/0.050 secs]\n"
         "2026-11-25T12:00:02.000+0000: 9.1: [Full GC (System.gc()) 2026-11-25T12:00:02.000+0000: 9.1: [CMS "
         "(concurrent mode interrupted): 1K->1K(1K), 6.1 secs] 1K->1K(1K), 6.12 secs] [Times: real=6.12 "
         "secs]\n",
         "Full GC (System.gc())", 0, 2000},
        {"Nov 25 04:00:00 host kernel: PM: suspend entry (deep)\n"
         "Nov 25 12:00:01 host kernel: Out of memory: Killed process 812 (java)\n",
         "Out of memory: Killed process 812 (java)", 0, 1000},
    };
    char path[64], *files[] = {path}, *error = NULL, own[] = "/tmp/client-log-XXXXXX";
    struct client_pause pause;
    folder_make(own);
    snprintf(path, sizeof path, "%s/log", own);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].log, file);
        fclose(file);
        const struct client_silence silence = {
            .from_us = NOON_US, .to_us = NOON_US + 10000000, .least_us = 5000000};
        assert_true(client_log_find(files, 1, &silence, &pause, &error));
        assert_string_equal(pause.what, rows[i].what);
        assert_int_equal(pause.short_us, rows[i].short_us);
        assert_int_equal(pause.from_us, pause.what[0] ? NOON_US + rows[i].from_ms * 1000 : 0);
    }
    folder_remove(own);
}

/* The client was heard at 12:00:00 the last time, its znode went after 10 s, and its packets come again after 15 s. */
TEST(packets_refute_a_pause)
{
    static const struct {
        const char *log, *what;
        bool refuted;
        int64_t ahead_us;
    } rows[] = {
        {"2026-11-25T12:00:02+00:00 h kernel: Out of memory: Killed process 9 (chrome)\n", "", true, 0},
        {"2026-11-25T11:59:58.800000+00:00 h kernel: Out of memory: Killed process 9 (java)\n", "", false, 0},
        {"[2026-11-25T12:00:14.800+0000][gc] GC(1) Pause Full (a) 2M->1M(3M) 14700.0ms\n", "Pause Full (a)",
         false, 0},
        {"[2026-11-25T12:00:19.000+0000][gc] GC(1) Pause Full (a) 2M->1M(3M) 18000.0ms\n", "", true, 0},
        {"[2026-11-25T12:00:09.000+0000][gc] GC(1) Pause Full (a) 2M->1M(3M) 12000.0ms\n", "", true, 0},
        {"[2026-11-25T12:00:18.000+0000][gc] GC(1) Pause Full (a) 2M->1M(3M) 14800.0ms\n", "Pause Full (a)",
         false, 3100000},
    };
    char path[64], *files[] = {path}, *error = NULL, own[] = "/tmp/client-log-XXXXXX";
    struct client_pause pause;
    folder_make(own);
    snprintf(path, sizeof path, "%s/log", own);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].log, file);
        fclose(file);
        const int64_t alive_us = NOON_US + 15000000;
        const struct client_silence silence = {NOON_US, NOON_US + 10000000, alive_us, true, alive_us, 2500000,
                                               5000000};
        assert_true(client_log_find(files, 1, &silence, &pause, &error));
        assert_string_equal(pause.what, rows[i].what);
        assert_int_equal(pause.refuted, rows[i].refuted);
        assert_int_equal(pause.ahead_us, rows[i].ahead_us);
    }
    folder_remove(own);
}
