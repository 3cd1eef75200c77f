/*
 * Proves that many changes of leader are flapping, with certainty, only where they are not planned: a rolling restart,
 * jobs that end, a lock that is passed on.
 */
#include <stdbool.h>
#include <stdio.h>

#include "tests/support/model_script.h"
#include "tests/support/test.h"

/* Busy: it is never free, and whoever held it waits for it again at once. */
TEST(released_again_and_again)
{
#define WAITS(digit) "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__000000000" digit
#define RELEASE(digit, next, session, last)                                                                              \
    "tick 1000\n- " WAITS(digit) "\ngone " WAITS(digit) "\n> leader-lost " WAITS(                                        \
        digit) " @1\n> "                                                                                                 \
               "candidate-"                                                                                              \
               "left " WAITS(digit) " @1\nread " WAITS(next) "\n> leader-elected " WAITS(                                \
                   digit) " -> " WAITS(next) " after 0\n+ " WAITS(last) " s"                                             \
                                                                        "=" session "\nlist\n"                           \
                                                                        "> "                                             \
                                                                        "candidat"                                       \
                                                                        "e-"                                             \
                                                                        "joined"                                         \
                                                                        " " WAITS(last) " @2\nread " WAITS(              \
                                                                            last) "\ndid " session                       \
                                                                                  " CREA\ntick "                         \
                                                                                  "10\nround\n> "                        \
                                                                                  "failover " WAITS(digit) " -> " WAITS( \
                                                                                      next) " deleted "                  \
                                                                                            "vacancy "                   \
                                                                                            "0\nsessions\n"
    model_script_run("a busy lock",
                     "servers 1\nwatch /jobs kind=auto\nconnect\n> connection connected\n"
                     "+ " WAITS("0") " s=a\n+ " WAITS(
                         "1") " s=b\nclient a on=1 at=h:1\nclient b on=1 at=h:2\n"
                              "failovers\ntick 1000\nlist\n> election-seen\nreadall\nround\ntick "
                              "3000\nround\nsessions\n" RELEASE("0", "1", "a", "2")
                                  RELEASE("1", "2", "b", "3") RELEASE("2", "3", "a", "4")
                                      RELEASE("3", "4", "b", "5") "? findings none\n");
    model_script_run(
        "leadership that each passes on on purpose",
        "servers 1\nwatch /jobs\nconnect\n> connection connected\n"
        "+ " WAITS("0") " s=a\n+ " WAITS(
            "1") " s=b\nclient a on=1 at=h:1\nclient b on=1 at=h:2\n"
                 "failovers\ntick 1000\nlist\n> election-seen\nreadall\nround\ntick "
                 "3000\nround\nsessions\n" RELEASE("0", "1", "a", "2") RELEASE("1", "2", "b", "3")
                     RELEASE("2", "3", "a", "4")
                         RELEASE("3", "4", "b", "5") "? findings flapping info certain " WAITS("4") "\n");
}

/* Each client once, as its version is changed; or as each is given up by the server. */
TEST(restarted_in_turn)
{
#define NTH(digit) "n_000000000" digit
#define MEMBER(digit, host)                                                                                  \
    "+ " NTH(digit) " s=1" digit " " host ":1\nclient 1" digit " on=1 at=h:" digit "\n"
#define RESTART(digit, next, last, host, state, cause)                                                                         \
    "tick 1000\nend 1" digit                                                                                                   \
    "\n- " NTH(digit) "\ngone " NTH(digit) "\n> leader-lost " NTH(digit) " @1\n> candidate-left " NTH(digit) " @1\nread " NTH( \
        next) "\n> leader-elected " NTH(digit) " -> " NTH(next) " after 0\nlist\ntick "                                        \
                                                                "100\nround\nsessions\n" state                                 \
                                                                "> failover " NTH(digit) " -> " NTH(                           \
                                                                    next) " " cause                                            \
                                                                          " vacancy 0\n" MEMBER(                               \
                                                                              last,                                            \
                                                                              host) "list\n> "                                 \
                                                                                    "candidate-"                               \
                                                                                    "joined " NTH(                             \
                                                                                        last) " @"                             \
                                                                                              "5\nreadall\n"                   \
                                                                                              "round\nsessi"                   \
                                                                                              "ons\n"
#define WATCHES(digit, other) "w 1" digit " " NTH(other) "\nround\n"
#define FIVE_HOSTS                                                                                           \
    "servers 1\nwatch /jobs\nconnect\n> connection connected\n" MEMBER("0", "host-a") MEMBER("1", "host-b")  \
        MEMBER("2", "host-c") MEMBER("3", "host-d")                                                          \
            MEMBER("4", "host-e") "failovers\ntick 1000\nlist\n> election-seen\nreadall\nround\ntick "       \
                                  "3000\nround\nsessions\n"
#define ROLL(state, cause)                                                                                   \
    FIVE_HOSTS RESTART("0", "1", "5", "host-a", state, cause) WATCHES("5", "4")                              \
        RESTART("1", "2", "6", "host-b", state, cause) WATCHES("6", "5")                                     \
            RESTART("2", "3", "7", "host-c", state, cause) WATCHES("7", "6")                                 \
                RESTART("3", "4", "8", "host-d", state, cause)
#define DIES(digit) "silent 1" digit "\ntick 3000\nround\ntick 4000\nround\ntick 4000\nround\n"
#define KILL(digit, next, last, host)                                                                        \
    DIES(digit) RESTART(digit, next, last, host, "", "expired? detection 8513-12149")
    model_script_run("killed, each once: its restart, too, may be planned",
                     FIVE_HOSTS KILL("0", "1", "5", "host-a") WATCHES("5", "4") KILL("1", "2", "6", "host-b")
                         WATCHES("6", "5") KILL("2", "3", "7", "host-c") WATCHES("7", "6") KILL(
                             "3", "4", "8", "host-d") "? findings flapping error suspected " NTH("4") "\n");
    model_script_run("closed", ROLL("stated\n", "closed") "? findings flapping info certain " NTH("4") "\n");
    model_script_run(
        "... ended, and perhaps expired: no restart is known, and no crash",
        ROLL("stated 1\ntick 1000\ntime\n", "ended?") "? findings flapping error suspected " NTH("4") "\n");
/* clang-format off */
#define REPLACE(digit, next, last, host)                                                                            \
    MEMBER(last, host) "list\n> candidate-joined " NTH(last) " @6\nreadall\ntick 4000\nround\nsessions\n"           \
    "end 1" digit "\n- " NTH(digit) "\ngone " NTH(digit) "\n> leader-lost " NTH(digit) " @1\n"                      \
    "> candidate-left " NTH(digit) " @1\nread " NTH(next) "\n"                                                      \
    "> leader-elected " NTH(digit) " -> " NTH(next) " after 0\nlist\ntick 100\nround\nsessions\nstated\n"           \
    "> failover " NTH(digit) " -> " NTH(next) " closed vacancy 0\n"
    /* clang-format on */
    model_script_run("replaced: the new process stands before the old one closes",
                     FIVE_HOSTS REPLACE("0", "1", "5", "host-a") WATCHES("5", "4")
                         REPLACE("1", "2", "6", "host-b") WATCHES("6", "5") REPLACE("2", "3", "7", "host-c")
                             WATCHES("7", "6") REPLACE("3", "4", "8", "host-d")
                                 WATCHES("8", "7") "? findings flapping info certain " NTH("4") "\n");
}

/* Jobs of which one works at a time: each is a process of its own, leads, and closes its session; the next one waits
 * already. After so many, the names begin again. */
static void jobs_run(const char *proves, bool dies, const char *judge, const char *cause, int names,
                     const char *expected)
{
    char script[16384];
    int at = snprintf(script, sizeof script,
                      "servers 1\nwatch /jobs\nconnect\n> connection connected\n+ n_0000000000 s=10 job-0\n"
                      "client 10 on=1 at=h:10 timeout=10000\n+ n_0000000001 s=11 job-1\nclient 11 on=1 "
                      "at=h:11 timeout=10000\nfailovers\n"
                      "tick 1000\nlist\n> election-seen\nreadall\nround\ntick 3000\nround\nsessions\n");
    for (int i = 0; i < 6; i++) {
        at += snprintf(script + at, sizeof script - (size_t)at,
                       "w 1%d n_%010d\nround\ntick 1000\n%s 1%d\n%send 1%d\n- n_%010d\ngone n_%010d\n"
                       "> leader-lost n_%010d @1\n> candidate-left n_%010d @1\nread n_%010d\n"
                       "> leader-elected n_%010d -> n_%010d after 0\nlist\ntick 100\nround\nsessions\n",
                       i + 1, i, dies ? "silent" : "heard", i,
                       dies ? "tick 3000\nround\ntick 4000\nround\ntick 4000\nround\n" : "", i, i, i, i, i,
                       i + 1, i, i + 1);
        at += snprintf(script + at, sizeof script - (size_t)at,
                       "%s> failover n_%010d -> n_%010d %s vacancy 0\n+ n_%010d s=1%d job-%d\n"
                       "client 1%d on=1 at=h:1%d timeout=10000\nlist\n> candidate-joined n_%010d "
                       "@2\nreadall\nround\nsessions\n",
                       judge, i, i + 1, cause, i + 2, i + 2, (i + 2) % names, i + 2, i + 2, i + 2);
    }
    snprintf(script + at, sizeof script - (size_t)at, "? findings flapping %s n_0000000006\n", expected);
    model_script_run(proves, script);
}

TEST(jobs_that_end)
{
    jobs_run("each closes its session when it is done, and the next one waits: no pause", false, "stated\n",
             "closed", 10, "error suspected");
    jobs_run("... perhaps after it deleted its znode", false, "stated 1\ntick 1000\ntime\n", "ended?", 10,
             "error suspected");
    jobs_run("... and leads again, as in a drill", false, "stated\n", "closed", 3, "error suspected");
    jobs_run("... where each dies", true, "", "expired? detection 8513-12149", 10, "error certain");
}

/* Each takes a lock over from the one before, again and again, in one transaction. */
TEST(taken_over_in_turn)
{
#define TAKES(old, session, standing)                                                                        \
    "tick 6000\ndid " old " GETD\nround\nsessions\ntick 1000\n- .\ngone .\n> leader-lost controller @1\n"    \
    "> candidate-left controller @1\n? standing flapping " standing "\n+ . s=" session " " session           \
    "\nread .\n> candidate-joined controller @1\n> leader-elected controller -> controller after 0\n"        \
    "tick 100\nstated\nconns 1\n> failover controller -> controller evicted vacancy 0-100\n"
    model_script_run(
        "every session lives on",
        "servers 1\nwatch /controller\nconnect\n> connection connected\nours\n+ . s=a a\nfailovers\n"
        "client a on=1 at=h:1\nclient b on=1 at=i:2\nclient c on=1 at=j:3\nread .\n> election-seen\n"
        "tick 1000\nround\nsessions\n" TAKES("a", "b", "") TAKES("b", "c", "") TAKES("c", "a", "")
            TAKES("a", "b", "") TAKES("b", "c", "suspected")
                TAKES("c", "a", "suspected") "? findings flapping error suspected controller\n");
}
