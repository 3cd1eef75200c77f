/* Proves what the model tells and shows for each kind of history, as scripts: see model_script.h. */

#include "tests/support/model_script.h"
#include "tests/support/test.h"

/* What stood before the first snapshot gives no joining and no election. */
TEST(first_snapshot)
{
    model_script_run("the first list is taken as it stands", "watch /election\n"
                                                             "? state unknown\n"
                                                             "? complete no\n"
                                                             "connect\n"
                                                             "> connection connected\n"
                                                             "+ n_0000000000 s=1 host-a\n"
                                                             "+ n_0000000001 s=2 host-b\n"
                                                             "tick 5000\n"
                                                             "list\n"
                                                             "> election-seen\n"
                                                             "? state led\n"
                                                             "? leader n_0000000000\n"
                                                             "? since unknown\n"
                                                             "? complete no\n"
                                                             "readall\n"
                                                             "? complete yes\n"
                                                             "? since ~0\n"
                                                             "? identity n_0000000001 host-b by data\n"
                                                             "? line n_0000000000 n_0000000001\n"
                                                             "? next 2\n"
                                                             "? recipe zookeeper signature\n"
                                                             "? ack none\n"
                                                             "? guard /election/n_0000000000 none\n"
                                                             "? tenures n_0000000000(host-a) ~5000-\n");
    model_script_run("an empty directory is vacant, and its first candidate is elected from nobody",
                     "watch /election\n"
                     "connect\n"
                     "> connection connected\n"
                     "wind 0\n"
                     "list\n"
                     "> election-seen\n"
                     "? state vacant\n"
                     "? complete yes\n"
                     "+ n_0000000000 s=1\n"
                     "tick 10\n"
                     "list\n"
                     "> candidate-joined n_0000000000 @1\n"
                     "> leader-elected nobody -> n_0000000000\n"
                     "? since 10\n"
                     "? tenures nobody ~0-10, n_0000000000 10-\n");
    model_script_run("an absent path is told only when it appears, and then everybody in it has joined",
                     "watch /election\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "? state absent\n"
                     "? complete yes\n"
                     "+ n_0000000000 s=1\n"
                     "+ n_0000000001 s=2\n"
                     "- n_0000000000\n"
                     "tick 10\n"
                     "list\n"
                     "> election-seen\n"
                     "> candidate-joined n_0000000001 @1\n"
                     "> leader-elected nobody -> n_0000000001\n"
                     "> unseen +1 -1\n");
}

#define STANDING                                                                                             \
    "watch /election\nconnect\n> connection connected\n"                                                     \
    "+ n_0000000000 s=1 a\n+ n_0000000001 s=2 b\n+ n_0000000002 s=3 c\n"                                     \
    "tick 1000\nlist\n> election-seen\nreadall\n"

/* Joining, leaving and failing over, each by the two ways in which it may be seen. */
TEST(changes)
{
    model_script_run("the leader's end is told at once, the next one when it is confirmed by its own read",
                     STANDING "- n_0000000000\n"
                              "tick 100\n"
                              "gone n_0000000000\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "? state electing\n"
                              "? leader none\n"
                              "? complete no\n"
                              "? guard /election/n_0000000001 none\n"
                              "gone n_0000000000\n"
                              "tick 2\n"
                              "read n_0000000001\n"
                              "> leader-elected n_0000000000 -> n_0000000001 after 2\n"
                              "? state led\n"
                              "? since 1100\n"
                              "? change n_0000000000 -> n_0000000001, lost 1100, vacant 0\n"
                              "? tenures n_0000000000(a) ~1000-1100, n_0000000001(b) 1100-\n"
                              "tick 1\n"
                              "list\n"
                              "? unseen +0 -0\n");
    model_script_run("... or by a list", STANDING "- n_0000000000\n"
                                                  "tick 100\n"
                                                  "gone n_0000000000\n"
                                                  "> leader-lost n_0000000000 @1\n"
                                                  "> candidate-left n_0000000000 @1\n"
                                                  "tick 3\n"
                                                  "list\n"
                                                  "> leader-elected n_0000000000 -> n_0000000001 after 3\n"
                                                  "? unseen +0 -0\n");
    model_script_run("the next in line goes, too, before it is confirmed",
                     STANDING "- n_0000000000\n"
                              "- n_0000000001\n"
                              "tick 1\n"
                              "gone n_0000000000\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "tick 1\n"
                              "read n_0000000001\n"
                              "> candidate-left n_0000000001 @1\n"
                              "? state electing\n"
                              "? guard /election/n_0000000002 none\n"
                              "tick 1\n"
                              "read n_0000000002\n"
                              "> leader-elected n_0000000000 -> n_0000000002 after 2\n"
                              "list\n"
                              "? unseen +0 -0\n");
    model_script_run("one list with everything: lost, left, joined, elected, in this order",
                     STANDING "- n_0000000000\n"
                              "- n_0000000001\n"
                              "+ n_0000000003 s=4\n"
                              "tick 50\n"
                              "list\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "> candidate-left n_0000000001 @2\n"
                              "> candidate-joined n_0000000003 @2\n"
                              "> leader-elected n_0000000000 -> n_0000000002 after 0\n"
                              "? change n_0000000000 -> n_0000000002, lost ~1050, vacant 0\n");
    model_script_run("the last one leaves: vacant at once, as far as anybody is known",
                     "watch /election\nconnect\n> connection connected\n+ n_0000000000 s=1\n"
                     "list\n> election-seen\nreadall\n"
                     "- n_0000000000\n"
                     "tick 10\n"
                     "gone n_0000000000\n"
                     "> leader-lost n_0000000000 @1\n"
                     "> candidate-left n_0000000000 @1\n"
                     "? state vacant\n"
                     "? guard none none\n"
                     "list\n"
                     "? state vacant\n"
                     "tick 490\n"
                     "+ n_0000000001 s=2\n"
                     "list\n"
                     "> candidate-joined n_0000000001 @1\n"
                     "> leader-elected n_0000000000 -> n_0000000001 after 490\n"
                     "? since 500\n"
                     "? change n_0000000000 -> n_0000000001, lost 10, vacant 490\n"
                     "? tenures n_0000000000 ~0-10, nobody 10-500, n_0000000001 500-\n");
    model_script_run("somebody in the middle leaves", STANDING "- n_0000000001\n"
                                                               "list\n"
                                                               "> candidate-left n_0000000001 @2\n"
                                                               "? leader n_0000000000\n");
    model_script_run("a lower number joins in front of the leader without its loss",
                     "watch /overseer_elect/election\nconnect\n> connection connected\n"
                     "+ 11-a-n_0000000005 s=1\nlist\n> election-seen\nreadall\n"
                     "tick 10\n"
                     "+ 22-b-n_0000000004 s=2\n"
                     "list\n"
                     "> candidate-joined 22-b-n_0000000004 @1\n"
                     "> leader-elected 11-a-n_0000000005 -> 22-b-n_0000000004 after 0\n"
                     "? ack unknown\n");
}

/* The Stat proves what no notification brought. */
TEST(unseen)
{
    model_script_run("who came and went between two lists is counted",
                     STANDING "+ n_0000000003 s=4\n"
                              "- n_0000000003\n"
                              "+ n_0000000004 s=5\n"
                              "- n_0000000004\n"
                              "+ n_0000000005 s=6\n"
                              "list\n"
                              "> candidate-joined n_0000000005 @4\n"
                              "> unseen +2 -2\n"
                              "? unseen +2 -2\n"
                              "? next 6\n");
    model_script_run("exact across 2^31 changes, where signed arithmetic goes wrong",
                     "watch /election\nconnect\n> connection connected\n"
                     "wind 1073741823\n"
                     "+ n_1073741823 s=1\n"
                     "list\n> election-seen\nreadall\n"
                     "? next 1073741824\n"
                     "+ n_1073741824 s=2\n"
                     "- n_1073741824\n"
                     "+ n_1073741825 s=2\n"
                     "list\n"
                     "> candidate-joined n_1073741825 @2\n"
                     "> unseen +1 -1\n"
                     "? next 1073741826\n");
    model_script_run("numbers past 2147483647 are negative, and sort first as they do for the clients",
                     "watch /election\nconnect\n> connection connected\n"
                     "wind 2147483646\n"
                     "+ n_2147483646 s=1\n"
                     "+ n_2147483647 s=2\n"
                     "list\n> election-seen\nreadall\n"
                     "+ n_-2147483648 s=3\n"
                     "list\n"
                     "> candidate-joined n_-2147483648 @1\n"
                     "> leader-elected n_2147483646 -> n_-2147483648 after 0\n"
                     "? foreign 0\n");
    model_script_run("a departure told by itself is not counted again",
                     STANDING "- n_0000000001\n"
                              "gone n_0000000001\n"
                              "> candidate-left n_0000000001 @2\n"
                              "+ n_0000000003 s=4\n"
                              "- n_0000000003\n"
                              "list\n"
                              "> unseen +1 -1\n");
    model_script_run("foreign children count in the arithmetic, and stand in no line",
                     STANDING "+ n_0000000003 s=4\n"
                              "+ lost+found\n"
                              "list\n"
                              "> candidate-joined n_0000000003 @4\n"
                              "? foreign 1 lost+found\n"
                              "- lost+found\n"
                              "+ q-0000000005 s=5\n"
                              "list\n"
                              "? foreign 1 q-0000000005\n"
                              "? unseen +0 -0\n"
                              "? recipe zookeeper signature\n");
}

/* Deleted, recreated, denied. */
TEST(paths)
{
    model_script_run("the path vanishes",
                     STANDING "- .\n"
                              "tick 10\n"
                              "gone .\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "> candidate-left n_0000000001 @2\n"
                              "> candidate-left n_0000000002 @3\n"
                              "> election-gone\n"
                              "? state absent\n"
                              "? next -1\n"
                              "gone .\n"
                              "+ n_0000000000 s=9\n"
                              "tick 10\n"
                              "list\n"
                              "> election-seen\n"
                              "> candidate-joined n_0000000000 @1\n"
                              "> leader-elected n_0000000000 -> n_0000000000 after 10\n");
    model_script_run("recreated between two lists, under the same names",
                     STANDING "- .\n"
                              "+ n_0000000000 s=8\n"
                              "+ n_0000000001 s=9\n"
                              "- n_0000000000\n"
                              "tick 10\n"
                              "list\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "> candidate-left n_0000000001 @2\n"
                              "> candidate-left n_0000000002 @3\n"
                              "> election-gone\n"
                              "> election-seen\n"
                              "> candidate-joined n_0000000001 @1\n"
                              "> leader-elected n_0000000000 -> n_0000000001 after 0\n"
                              "> unseen +1 -1\n"
                              "? next 2\n");
    model_script_run("denied, and readable again: nobody has left meanwhile", STANDING "deny .\n"
                                                                                       "? state denied\n"
                                                                                       "? complete yes\n"
                                                                                       "tick 10\n"
                                                                                       "list\n"
                                                                                       "? state led\n"
                                                                                       "? fresh yes\n");
    model_script_run("not answered: what was known stays, and is not said to hold; nobody has left meanwhile",
                     STANDING "tick 10\nunread\n"
                              "? state led\n? fresh no\n? complete no\n"
                              "tick 10\nlist\n"
                              "? state led\n? fresh yes\n? complete yes\n");
    model_script_run("not answered from the first: nothing is known, not even that it may not be read",
                     "watch /election\nconnect\n> connection connected\nunread\n"
                     "? state unknown\n? complete no\n");
    model_script_run(
        "an acknowledgement about which nothing is answered acknowledges nobody, until it is read again",
        "watch /election acknowledgement=/mark\nconnect\n> connection connected\n"
        "+ n_0000000000 s=1 a\n+ /mark s=1 a\nlist\n> election-seen\nreadall\nread /mark\n"
        "? ack yes\n? complete yes\n"
        "unread acknowledgement\n"
        "? ack unknown\n? state led\n? fresh yes\n? complete no\n"
        "read /mark\n"
        "? ack yes\n? complete yes\n");
    model_script_run("a candidate that may not be read does not keep the look from being complete",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=1\n+ n_0000000001 s=1\nlist\n> election-seen\n"
                     "read n_0000000000\n"
                     "? complete no\n"
                     "deny n_0000000001\n"
                     "? complete yes\n");
    model_script_run("dropped silently, and watched again as if for the first time",
                     STANDING "drop\n"
                              "watch /election\n"
                              "list\n"
                              "> election-seen\n");
}

/* What the tool itself does not know is never told as a change of the election. */
TEST(away)
{
    model_script_run("a lost connection makes everything stale and loses no leader; nobody watched it",
                     STANDING "tick 100\n"
                              "lose connection reset\n"
                              "> connection disconnected: connection reset\n"
                              "? fresh no\n"
                              "? leader n_0000000000\n"
                              "? complete no\n"
                              "lose no quorum\n"
                              "tick 900\n"
                              "connect\n"
                              "> connection connected\n"
                              "? fresh no\n"
                              "list\n"
                              "? fresh yes\n"
                              "? since ~0\n"
                              "? tenures n_0000000000(a) ~1000-1100, gap 1100-2000, "
                              "n_0000000000(a) ~2000-\n");
    model_script_run("what came after the servers were heard last was not watched, whenever that was noticed",
                     STANDING
                     "tick 5000\n"
                     "unheard 4000\n"
                     "> connection disconnected: no answer gap 4000\n"
                     "- n_0000000000\n"
                     "tick 1000\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "> leader-lost n_0000000000 @1 gap 5000\n"
                     "> candidate-left n_0000000000 @1 gap 5000\n"
                     "> leader-elected n_0000000000 -> n_0000000001 gap 5000\n"
                     "? tenures n_0000000000(a) ~1000-2000, gap 2000-7000, n_0000000001(b) ~7000-\n");
    model_script_run("... and a list that was read was heard", STANDING
                     "tick 100\n"
                     "unheard 4000\n"
                     "> connection disconnected: no answer gap 4000\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "? tenures n_0000000000(a) ~1000-1000, gap 1000-1100, n_0000000000(a) ~1100-\n");
    model_script_run("a change found after a reconnect is told as found then", STANDING
                     "tick 100\n"
                     "lose\n"
                     "> connection disconnected\n"
                     "- n_0000000000\n"
                     "+ n_0000000003 s=4\n"
                     "- n_0000000003\n"
                     "tick 900\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "> leader-lost n_0000000000 @1 gap 900\n"
                     "> candidate-left n_0000000000 @1 gap 900\n"
                     "> leader-elected n_0000000000 -> n_0000000001 gap 900\n"
                     "> unseen +1 -1 gap 900\n"
                     "? since ~1100\n"
                     "? change n_0000000000 -> n_0000000001, lost ~2000\n"
                     "? tenures n_0000000000(a) ~1000-1100, gap 1100-2000, n_0000000001(b) ~2000-\n");
    model_script_run("a server that stood still and goes on tells late what happened meanwhile",
                     STANDING "tick 5000\n"
                              "stalled 4500\n"
                              "? fresh no\n"
                              "- n_0000000000\n"
                              "list\n"
                              "> leader-lost n_0000000000 @1 gap 4500\n"
                              "> candidate-left n_0000000000 @1 gap 4500\n"
                              "> leader-elected n_0000000000 -> n_0000000001 gap 4500\n"
                              "? fresh yes\n");
    model_script_run("a program that stood still has seen nothing meanwhile, though it is still connected",
                     STANDING
                     "tick 5000\n"
                     "gap 4000\n"
                     "> connection gap: electop was busy or stopped, or the machine was suspended gap 4000\n"
                     "? fresh no\n"
                     "- n_0000000000\n"
                     "gone n_0000000000\n"
                     "> leader-lost n_0000000000 @1 gap 4000\n"
                     "> candidate-left n_0000000000 @1 gap 4000\n"
                     "list\n"
                     "> leader-elected n_0000000000 -> n_0000000001 gap 4000\n"
                     "? fresh yes\n"
                     "? since ~2000\n"
                     "? tenures n_0000000000(a) ~1000-2000, gap 2000-6000, n_0000000001(b) ~6000-\n");
    model_script_run("lost before, elected while away",
                     STANDING "tick 100\n"
                              "- n_0000000000\n"
                              "gone n_0000000000\n"
                              "> leader-lost n_0000000000 @1\n"
                              "> candidate-left n_0000000000 @1\n"
                              "lose\n"
                              "> connection disconnected\n"
                              "tick 500\n"
                              "connect\n"
                              "> connection connected\n"
                              "list\n"
                              "> leader-elected n_0000000000 -> n_0000000001 after 500 gap 500\n"
                              "? since 1100\n");
    model_script_run("a vacancy that was seen to begin is told exactly, one found after a gap is not",
                     "watch /election\nconnect\n> connection connected\n+ n_0000000000 s=1 a\nlist\n"
                     "> election-seen\nreadall\n"
                     "tick 100\n"
                     "- n_0000000000\n"
                     "list\n"
                     "> leader-lost n_0000000000 @1\n"
                     "> candidate-left n_0000000000 @1\n"
                     "? state-since 100\n"
                     "tick 100\n"
                     "lose\n"
                     "> connection disconnected\n"
                     "tick 100\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "? state-since 100\n" /* nothing has changed in between: the Stat proves it */
                     "lose\n"
                     "> connection disconnected\n"
                     "tick 100\n"
                     "+ n_0000000001 s=2 b\n"
                     "- n_0000000001\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "> unseen +1 -1 gap 100\n"
                     "? state-since ~400\n");
    model_script_run("a path that was absent may have come and gone while nobody watched",
                     "watch /election\nconnect\n> connection connected\n"
                     "gone .\n"
                     "? state-since ~0\n"
                     "tick 100\n"
                     "lose\n"
                     "> connection disconnected\n"
                     "? fresh no\n"
                     "tick 100\n"
                     "connect\n"
                     "> connection connected\n"
                     "gone .\n"
                     "? state-since ~200\n");
    model_script_run(
        "what is found after the program stood still happened since it stopped, not since it noticed",
        STANDING "tick 13000\n"
                 "gap 13000\n"
                 "> connection gap: electop was busy or stopped, or the machine was suspended gap 13000\n"
                 "expire\n"
                 "> connection expired\n"
                 "- n_0000000000\n"
                 "tick 200\n"
                 "connect\n"
                 "> connection connected\n"
                 "list\n"
                 "> leader-lost n_0000000000 @1 gap 13200\n"
                 "> candidate-left n_0000000000 @1 gap 13200\n"
                 "> leader-elected n_0000000000 -> n_0000000001 gap 13200\n"
                 "? since ~1000\n"
                 "? tenures n_0000000000(a) ~1000-1000, gap 1000-14200, n_0000000001(b) ~14200-\n");
    model_script_run("the same where the lost connection is noticed before the standstill", STANDING
                     "tick 13000\n"
                     "expire\n"
                     "> connection expired\n"
                     "gap 13000\n"
                     "> connection gap: electop was busy or stopped, or the machine was suspended gap 13000\n"
                     "- n_0000000000\n"
                     "tick 200\n"
                     "connect\n"
                     "> connection connected\n"
                     "list\n"
                     "> leader-lost n_0000000000 @1 gap 13200\n"
                     "> candidate-left n_0000000000 @1 gap 13200\n"
                     "> leader-elected n_0000000000 -> n_0000000001 gap 13200\n");
    model_script_run("since when it is not connected does not begin anew with each attempt, nor with expiry",
                     "watch /election\nconnect\n> connection connected\n"
                     "tick 100\n"
                     "lose\n"
                     "> connection disconnected\n"
                     "tick 20000\n"
                     "lose refused\n"
                     "expire\n"
                     "> connection expired\n"
                     "tick 300\n"
                     "lose\n"
                     "? connection-since 100\n"
                     "connect\n"
                     "> connection connected\n"
                     "? connection-since 20400\n"
                     "tick 10\n"
                     "refuse authentication failed\n"
                     "> connection disconnected: authentication failed\n"
                     "? connection-since 20410\n");
    model_script_run("why nothing is seen although it is connected is told, and that it is over",
                     "watch /election\nconnect the chroot /app does not exist\n"
                     "> connection connected: the chroot /app does not exist\n"
                     "connect the chroot /app does not exist\n"
                     "connect\n"
                     "> connection connected\n"
                     "connect\n");
    model_script_run(
        "expiry, refusal and gaps are told once",
        STANDING "expire\n"
                 "> connection expired\n"
                 "lose\n"
                 "refuse authentication failed\n"
                 "> connection disconnected: authentication failed\n"
                 "refuse authentication failed\n"
                 "gap 30000\n"
                 "> connection gap: electop was busy or stopped, or the machine was suspended gap 30000\n");
}
