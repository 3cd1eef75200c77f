/* From observations to EVENT_FAILOVER: told once for every change, when its evidence is in, and no later than
   the allowed failover time. */
#include <string.h>

#include "probe/election/known_transactions.h"
#include "tests/support/model_script.h"
#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000"
#define C "cccccccccccccccccccccccccccccccc__lock__0000000002"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001"
#define TWO                                                                                                  \
    "servers 1\nwatch /election\nconnect\n> connection connected\n"                                          \
    "+ " A " s=a\n+ " B " s=b\nclient a on=1 at=10.0.0.1:11 timeout=10000\n"                                 \
    "client b on=1 at=10.0.0.2:12 timeout=10000\nfailovers\n"                                                \
    "tick 1000\nlist\n> election-seen\nreadall\nround\ntick 3000\nround\nsessions\n"
#define A_GOES                                                                                               \
    "- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"                               \
    "read " B "\n> leader-elected " A " -> " B " after 0\nlist\n"

TEST(reports_a_closed_session)
{
    model_script_run("closed: it had been heard a second before",
                     TWO "tick 1000\nend a\n" A_GOES "tick 100\nround\nsessions\nstated\n"
                         "> failover " A " -> " B " closed vacancy 0\n");
}

/* Where nobody stood, the next one leads from the list on that shows it; who that is, its data says after it.
 */
TEST(waits_until_it_knows_who_leads)
{
    model_script_run(
        "resigned, and followed by one whose data is not read yet",
        "servers 1\nwatch /election\nconnect\n> connection connected\n+ " A " s=a\n"
        "client a on=1 at=10.0.0.1:11 timeout=10000\nfailovers\npeople\n"
        "tick 1000\nlist\n> election-seen\nreadall\nround\ntick 3000\nround\nsessions\n"
        "- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\nlist\n"
        "did a DELE\ntick 10\nround\n> failover " A " -> nobody resigned vacancy 10--1\ntick 990\n"
        "+ " B " s=b host-b:1\nlist\n> candidate-joined " B " @1\n> leader-elected " A "(10.0.0.1) -> " B
        " after 1000\nreadall\n> failover " A " -> " B "(host-b:1) resigned vacancy 900-1100\n");
}

/* Nobody else led in between. */
TEST(ignores_a_leader_that_is_created_again)
{
#define ALONE(again)                                                                                         \
    "servers 1\nwatch /controller\nconnect\n> connection connected\n+ . s=a one\nfailovers\n"                \
    "client a on=1 at=10.0.0.1:11 timeout=10000\nread .\n> election-seen\nround\nsessions\ntick 3000\n"      \
    "round\nsessions\n- .\ngone .\n> leader-lost controller @1\n> candidate-left controller @1\ndid a "      \
    "DELE\n"                                                                                                 \
    "tick 10\nround\n+ . s=" again "\ntick 990\nread .\n> candidate-joined controller @1\n"                  \
    "> leader-elected controller -> controller after 1000\n"
    model_script_run("by its own session: no failover", ALONE("a one") "tick 20000\nround\ntime\n");
    model_script_run("... by another one: one",
                     ALONE("b one") "tick 20000\nround\n"
                                    "> failover controller -> controller unknown vacancy 900-1100\n");
#define KILLED "restart 100\nconnect\n> connection connected\nread .\n> election-seen\n"
    model_script_run("... also where the recorder was killed before it told it", ALONE("a one") KILLED);
    model_script_run("... by another one: the next recorder tells it",
                     ALONE("b one") KILLED "> failover controller -> controller unknown vacancy 900-1100\n");
}

/* No list of a directory says when a lock went: our own session has seen it gone, which the servers list. */
TEST(tells_who_deleted_a_lock_that_nobody_takes)
{
#define GOES                                                                                                 \
    "servers 1\nwatch /controller kind=leader\nconnect\n> connection connected\nours\n"                      \
    "+ . s=a one\nfailovers\n"                                                                               \
    "client a on=1 at=10.0.0.1:11 timeout=10000\nread .\n> election-seen\nround\nsessions\ntick 3000\n"      \
    "round\nsessions\n- .\ngone .\n> leader-lost controller @1\n> candidate-left controller @1\n"
    model_script_run(
        "its session lives, and requested nothing",
        GOES "tick 10\nround\nstated\nconns 1\n> failover controller -> nobody evicted vacancy 12--1\n");
    model_script_run("... which it may have requested itself",
                     GOES "did a GETD\ntick 10\nround\nstated\nconns 1\n"
                          "> failover controller -> nobody deleted vacancy 12--1\n");
}

TEST(survives_a_candidate_that_nobody_could_read)
{
    model_script_run(
        "it never led: the loss before it stays open, and the next leader closes that",
        "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A " s=a\n"
        "client a on=1 at=10.0.0.1:11 timeout=10000\nfailovers\ntick 1000\nlist\n> election-seen\nreadall\n"
        "round\nsessions\ntick 3000\nround\nsessions\nend a\n- " A "\ngone " A "\n"
        "> leader-lost " A " @1\n> candidate-left " A " @1\nlist\ntick 10\nround\nsessions\nstated\n"
        "> failover " A " -> nobody closed vacancy 12--1\n"
        "tick 1000\n+ " B " s=b\nlist\n> candidate-joined " B " @1\n> leader-elected " A " -> " B
        " after 1010\n"
        "- " B "\ngone " B "\n> leader-lost " B " @1\n> candidate-left " B " @1\n"
        "? state-since 4000\n? why-nobody certain: nobody stands; certain: " B
        " stood meanwhile, for less than a second until 22:13:25Z\n"
        "tick 1000\n+ cccccccccccccccccccccccccccccccc__lock__0000000002 s=c\nlist\n"
        "> candidate-joined cccccccccccccccccccccccccccccccc__lock__0000000002 @1\n"
        "> leader-elected " A " -> cccccccccccccccccccccccccccccccc__lock__0000000002 after 2010\nreadall\n"
        "> failover " A " -> cccccccccccccccccccccccccccccccc__lock__0000000002 closed vacancy 1910-2110\n");
}

#define LEFTOVER                                                                                             \
    "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A " s=a\n+ " B "\n+ " C    \
    " s=c\n"                                                                                                 \
    "client a on=1 at=10.0.0.1:11 timeout=10000\nclient c on=1 at=10.0.0.3:13 timeout=10000\nw c " B         \
    "\nfailovers\ntick 1000\nlist\n> election-seen\nreadall\nround\nsessions\ntick "                         \
    "40000\ntime\nreadall\nround\nsessions\n"
#define LEFTOVER_IS_FIRST                                                                                    \
    LEFTOVER "end a\n" A_GOES "tick 100\nround\nsessions\nstated\n"                                          \
             "> failover " A " -> nobody closed vacancy 102--1\n"

/* What is certain from its first moment on is never told otherwise. */
TEST(stays_open_while_a_leftover_is_first)
{
    model_script_run("it is first, and does not lead: nobody has, since the loss", LEFTOVER_IS_FIRST
                     "? state led\n? never-led yes\n? leader " B "\n? change " A " -> open, lost 41000\n"
                     "? tenures " A " ~1000-41000, nobody 41000-\n");
    model_script_run("it is deleted: no leader is lost, and who leads now ends what began before",
                     LEFTOVER_IS_FIRST "tick 4900\n- " B "\ngone " B "\n> candidate-left " B " @1\nread " C
                                       "\n> leader-elected " A " -> " C " after 5000\n"
                                       "> failover " A " -> " C " closed vacancy 4900-5100\n");
    model_script_run("... and nobody stands",
                     LEFTOVER_IS_FIRST "- " C "\nlist\n> candidate-left " C " @2\ntick 4900\n- " B "\ngone " B
                                       "\n> candidate-left " B " @1\n? state vacant\n? state-since 41000\n"
                                       "tick 1000\nlist\n+ " C " s=d\nlist\n> candidate-joined " C
                                       " @1\n> leader-elected " A " -> " C " after 6000\n");
    model_script_run("a gap hides nothing of it", LEFTOVER_IS_FIRST
                     "lose\n> connection disconnected\ntick 9000\nconnect\n> connection connected\nlist\n"
                     "? change " A " -> open, lost 41000\n");
}

#define SEEMS_TO_LEAD                                                                                        \
    "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A " s=a\n+ " B " x\n+ " C  \
    " s=c\nclient a on=1 at=10.0.0.1:11 timeout=10000\nclient c on=1 at=10.0.0.3:13 timeout=10000\nw c " B   \
    "\nfailovers\ntick 10000\nlist\n> election-seen\nreadall\nround\nsessions\n"                             \
    "tick 3000\nround\nsessions\nend a\n" A_GOES "tick 100\nround\nsessions\nstated\n"                       \
    "> failover " A " -> " B " closed vacancy 0\n? never-led no\n"                                           \
    "tick 61000\ntime\nreadall\n? never-led yes\ntick 1000\ntime\n"                                          \
    "> failover " A " -> nobody closed vacancy 62100--1\n? change " A " -> open, lost 13000\n"

/* What turns out later takes back what was told before. */
TEST(opens_again_when_the_winner_never_led)
{
    model_script_run("it may have been a TTL znode that is written to, and is a leftover",
                     SEEMS_TO_LEAD "? tenures " A " ~10000-13000, nobody 13000-\n");
    model_script_run("... and another one leads",
                     SEEMS_TO_LEAD "- " B "\ngone " B "\n> candidate-left " B " @1\nread " C
                                   "\n> leader-elected " A " -> " C " after 62100\n"
                                   "> failover " A " -> " C " closed vacancy 62000-62200\n");
    model_script_run("... and it leads after all: since when is known within bounds",
                     SEEMS_TO_LEAD "= " B " w\nread " B "\ntick 100\ntime\n"
                                   "> failover " A " -> " B " closed vacancy 61100-62200\n");
    model_script_run("one that was written to may have led before it was a leftover",
                     "watch /election kind=leader\nconnect\n> connection connected\n+ " B " x\n+ " C " s=c\n"
                     "tick 5000\n= " B " y\ntick 5000\n= " B " z\nlist\n> election-seen\nreadall\n"
                     "tick 61000\ntime\nreadall\ntick 61000\ntime\nreadall\n? never-led no\n"
                     "? tenures " B "(z) ~10000-\n");
}

#define OPEN(on)                                                                                             \
    "servers 2\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A " s=a\n"                 \
    "client a on=" on " at=10.0.0.1:11 timeout=10000\nclient d on=2 at=10.0.0.4:14\nfailovers\ntick 1000\n"  \
    "list\n> election-seen\nreadall\nserves 2\nround\nsessions\ntick 3000\nserves 2\nround\nsessions\n"      \
    "end a\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\nlist\ntick 10\n"
#define CLOSES                                                                                               \
    "tick 1000\n+ " B " s=b\nlist\n> candidate-joined " B " @1\n> leader-elected " A " -> " B                \
    " after 2010\n"                                                                                          \
    "readall\n> failover " A " -> " B " closed vacancy 1910-2110\n"

/* It is judged again when the next one leads, perhaps hours later. */
TEST(keeps_what_was_proven_of_an_open_one)
{
    model_script_run("closed: its server stood still only after it had answered",
                     OPEN("2") "round\nsessions\nstated\n> failover " A " -> nobody closed vacancy 12--1\n"
                               "tick 1000\nmissed 2\n" CLOSES);
    char script[16384] = OPEN("1") "+ /d\ndid d CREA\nsessions\nstated\nround\n"
                                   "> failover " A " -> nobody closed vacancy 12--1\ntick 1000\n";
    for (int i = 0; i < TRANSACTIONS_KEPT; i++)
        strcat(script, "= /d x\n");
    strcat(script, "did d SETD\nround\n" CLOSES);
    model_script_run("closed: others have written since as much as is kept", script);
}

TEST(counts_a_leader_that_a_gap_hid)
{
    model_script_run(
        "found after a gap, it may have led all that time, although it is gone before it is read",
        "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A
        " s=a\nfailovers\ntick 1000\nlist\n> election-seen\nreadall\ntick 3000\nlose\n"
        "> connection disconnected\n- " A "\n+ " B " s=b\ntick 9000\nconnect\n> connection connected\nlist\n"
        "> leader-lost " A " @1 gap 9000\n> candidate-left " A " @1 gap 9000\n> candidate-joined " B
        " @1 gap 9000\n"
        "> leader-elected " A " -> " B " gap 9000\n- " B "\ngone " B "\n> leader-lost " B " @1\n"
        "> failover " A " -> " B " unknown gap 9000\n> candidate-left " B " @1\n");
#define AGAIN(next)                                                                                          \
    "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A                          \
    " s=a\nfailovers\ntick 1000\nlist\n> election-seen\nreadall\nclient a on=1 at=10.0.0.1:11\n"             \
    "round\ntick 3000\nround\nlose\n> connection disconnected\n- " A "\n+ " next                             \
    " s=a\ntick 9000\nconnect\n> connection connected\nlist\n> leader-lost " A                               \
    " @1 gap 9000\n> candidate-left " A " @1 gap 9000\n> candidate-joined " next                             \
    " @1 gap 9000\n> leader-elected " A " -> " next " gap 9000\nreadall\n"
    model_script_run("made again by its session, where another one stood in between",
                     AGAIN(C) "tick 20000\nround\n> failover " A " -> " C " deleted gap 9000\n");
    model_script_run("... and where none did: no change of leader", AGAIN(B) "tick 20000\nround\n");
}

/* Whoever deletes its znode and closes its session at once leaves the same lists behind, but one transaction
   more. */
TEST(doubts_that_znode_and_session_went_together)
{
    model_script_run("ended: a transaction of which nothing is known may have closed it after its deletion",
                     TWO "tick 1000\nend a\n" A_GOES "tick 100\nround\nsessions\nstated 1\n"
                         "tick 800\ntime\ntick 200\ntime\n> failover " A " -> " B " ended? vacancy 0\n");
    model_script_run("ended: the latest transaction is only known from before the list of sessions",
                     TWO "tick 1000\nend a\n" A_GOES "tick 100\nround\nstated\nsessions\n"
                         "tick 1000\ntime\n> failover " A " -> " B " ended? vacancy 0\n");
}

TEST(counts_what_others_did)
{
    model_script_run("closed: the one transaction since was another one's volunteering", TWO
                     "tick 1000\nend a\n" A_GOES "+ cccccccccccccccccccccccccccccccc__lock__0000000002 s=c\n"
                     "tick 100\nround\nsessions\nstated\nlist\n"
                     "> candidate-joined cccccccccccccccccccccccccccccccc__lock__0000000002 @2\nreadall\n"
                     "> failover " A " -> " B " closed vacancy 0\n");
}

/* Busy clients' requests give their transactions away; what remains unknown may be its own end. */
TEST(sorts_out_what_busy_clients_did)
{
    model_script_run("closed: both transactions since were others' requests", TWO
                     "client d on=1 at=10.0.0.4:14\nclient e on=1 at=10.0.0.5:15\ntick 1000\nend a\n" A_GOES
                     "+ /d\ndid d CREA\n= /d x\ndid e SETD\n"
                     "tick 100\nsessions\nstated\nround\n> failover " A " -> " B " closed vacancy 0\n");
    model_script_run("ended: one of them has asked for something else since, so the first is unknown",
                     TWO "client d on=1 at=10.0.0.4:14\ntick 1000\nend a\n" A_GOES
                         "+ /d\n= /d x\ndid d SETD\ntick 100\nsessions\nstated\nround\n"
                         "tick 1000\ntime\n> failover " A " -> " B " ended? vacancy 0\n");
    model_script_run("ended: a read shows where its server stood, and is no transaction",
                     TWO "client d on=1 at=10.0.0.4:14\ntick 1000\nend a\n" A_GOES
                         "+ /d\ndid d GETD\ntick 100\nsessions\nstated\nround\n"
                         "tick 1000\ntime\n> failover " A " -> " B " ended? vacancy 0\n");
}

#define LOCK                                                                                                 \
    "servers 1\nwatch /lock kind=lock\nconnect\n> connection connected\nours\n"                              \
    "+ /lock s=a\nclient a on=1 at=10.0.0.1:11 timeout=10000\nclient b on=1 at=10.0.0.2:12\nfailovers\n"     \
    "tick 1000\nread /lock\n> election-seen\nround\ntick 3000\nround\nsessions\n"
#define LOCK_GOES                                                                                            \
    "- /lock\nread /lock\n> leader-lost lock @1\n> candidate-left lock @1\n+ /lock s=b\ndid b CREA\n"        \
    "read /lock\n> candidate-joined lock @1\n> leader-elected lock -> lock after 0\ntick 100\n"

#define ON_A_FOLLOWER                                                                                        \
    "servers 2\nwatch /election\nconnect\n> connection connected\n"                                          \
    "+ " A " s=a\n+ " B " s=b\nclient a on=2 at=10.0.0.1:11 timeout=10000\n"                                 \
    "client b on=1 at=10.0.0.2:12 timeout=10000\nclient d on=2 at=10.0.0.4:14\nfailovers\n"                  \
    "tick 1000\nlist\n> election-seen\nreadall\nserves 2\nround\ntick 3000\nserves 2\nround\nsessions\n"
#define A_ENDS "tick 7000\nend a\n" A_GOES "tick 100\nround 1\nsessions\nstated\n"

/* A follower tells ZooKeeper's leader, which counts the timeout, only now and then whom it heard: where it
   dies or stands still, a session may expire sooner after it was last heard there. */
TEST(believes_only_living_followers)
{
    model_script_run("closed: its server answers as before",
                     ON_A_FOLLOWER A_ENDS "round 2\n> failover " A " -> " B " closed vacancy 0\n");
    model_script_run("ended: its server has not answered since it stood still",
                     ON_A_FOLLOWER A_ENDS "missed 2\n> failover " A " -> " B " ended vacancy 0\n");
    model_script_run("ended: its server stood still, and answers again",
                     ON_A_FOLLOWER "tick 2000\nmissed 2\ntick 100\nserves 2\n" A_ENDS "round 2\n"
                                   "> failover " A " -> " B " ended vacancy 0\n");
    model_script_run("ended: its server came back without its connection, as one does that was started again",
                     ON_A_FOLLOWER "tick 1000\naway a\nround 2\n" A_ENDS "round 2\n"
                                   "> failover " A " -> " B " ended vacancy 0\n");
    model_script_run(
        "ended: nobody's connection to its server lasted: it may have been started again between two lists",
        ON_A_FOLLOWER "client d on=2 at=10.0.0.4:15\n" A_ENDS "round 2\n"
                      "> failover " A " -> " B " ended vacancy 0\n");
    model_script_run("closed: ZooKeeper's leader heard it itself",
                     TWO "stated\nround\ntick 7000\nend a\n" A_GOES "missed 1\ntick 100\nsessions\nstated\n"
                         "> failover " A " -> " B " closed vacancy 0\n");
}

/* Where the tool's own server stands still, others' lists show what its session is told only later: the one
   before the loss may show the request that took the znode. */
TEST(is_not_misled_by_a_late_notice)
{
    model_script_run("evicted: its last request was before, and it has made none since",
                     TWO "did a GETD\ntick 1000\nround\ntick 1000\n" A_GOES "tick 100\nstated\nconns 1\n"
                         "> failover " A " -> " B " evicted vacancy 0\n");
    model_script_run("deleted: its last request, of before the notice, may be what took it",
                     TWO "did a GETD\ntick 1000\n- " A "\nrequest a\ndid a PING\nround\ntick 1000\n"
                         "gone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                         "read " B "\n> leader-elected " A " -> " B " after 0\nlist\n"
                         "tick 100\nstated\nconns 1\n> failover " A " -> " B " deleted vacancy 0\n");
    model_script_run(
        "deleted: which transaction took it is not known, and its last request was after its list",
        TWO "+ cccccccccccccccccccccccccccccccc__lock__0000000002 s=c\ndid a GETD\ntick 1000\nround\n"
            "tick 1000\n" A_GOES "> candidate-joined cccccccccccccccccccccccccccccccc__lock__0000000002 @2\n"
            "tick 100\nstated\nconns 1\n> failover " A " -> " B " deleted vacancy 0\n");
}

/* No directory says which transaction took a lock; but it stood when our session had caught up last. */
TEST(proves_a_lock_that_was_closed)
{
    model_script_run("closed: since then there was but one transaction that made nothing",
                     LOCK "tick 3000\nround\ntick 1000\nend a\n" LOCK_GOES
                          "sessions\nstated\nround\n> failover lock -> lock closed vacancy 0-100\n");
    model_script_run(
        "ended: there were two",
        LOCK "tick 3000\nround\ntick 1000\n+ /else\nend a\n" LOCK_GOES
             "sessions\nstated\nround\ntick 1000\ntime\n> failover lock -> lock ended? vacancy 0-100\n");
    model_script_run(
        "ended: it may have been deleted by the other one's request, and closed by itself",
        LOCK "tick 3000\nround\ntick 1000\nend a\n"
             "- /lock\ndid b DELE\nread /lock\n> leader-lost lock @1\n> candidate-left lock @1\n"
             "client c on=1 at=10.0.0.3:13\n+ /else\n+ /lock s=c\ndid c CREA\n"
             "read /lock\n> candidate-joined lock @1\n> leader-elected lock -> lock after 0\ntick 100\n"
             "sessions\nstated\nround\ntick 1000\ntime\n> failover lock -> lock ended? vacancy 0-100\n");
    model_script_run(
        "ended: a list that came in the moment of the loss may know of it already",
        LOCK "end a\ntick 3000\nround\n- /lock\nround\n+ /else\ntick 20\nconns 1\n"
             "read /lock\n> leader-lost lock @1\n> candidate-left lock @1\n+ /lock s=b\ndid b CREA\n"
             "read /lock\n> candidate-joined lock @1\n> leader-elected lock -> lock after 0\ntick 100\n"
             "sessions\nstated\nround\ntick 1000\ntime\n> failover lock -> lock ended? vacancy 0-100\n");
}

TEST(follows_a_lock)
{
    model_script_run(
        "a lock's next holder has the name of the one before, who does not stand any more",
        "servers 1\nwatch /lock kind=lock\nconnect\n> connection connected\n"
        "+ /lock s=a\nclient a on=1 at=10.0.0.1:11 timeout=10000\nfailovers\ntick 1000\n"
        "read /lock\n> election-seen\nround\ntick 3000\nround\nsessions\ntick 1000\nend a\n"
        "- /lock\nread /lock\n> leader-lost lock @1\n> candidate-left lock @1\n+ /lock s=b\n"
        "read /lock\n> candidate-joined lock @1\n> leader-elected lock -> lock after 0\n"
        "tick 100\nround\nsessions\ntick 1000\ntime\n> failover lock -> lock ended? vacancy 0-100\n");
}

TEST(reports_an_expired_session)
{
    model_script_run("expired: silent for its timeout, and seen so",
                     TWO "silent a\ntick 3000\nround\ntick 4000\nround\ntick 4000\nround\nend a\n" A_GOES
                         "tick 100\nround\nsessions\n"
                         "> failover " A " -> " B " expired? detection 7513-11149 vacancy 0\n");
}

/* Begun after its client had died, and before its session expired: to close that takes a connection. */
TEST(suspects_that_what_had_no_connection_expired)
{
#define APART                                                                                                \
    "servers 1\nwatch /election kind=leader\nconnect\n> connection connected\n+ " A " s=a\n"                 \
    "client a on=1 at=10.0.0.1:11 timeout=10000\naway a\nfailovers\nlist\n> election-seen\nreadall\n"        \
    "round\nsessions\ntick 500\nround\nsessions\n"
#define APART_ENDS                                                                                           \
    "end a\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A                                \
    " @1\nlist\ntick 10\nround\nsessions\n"
#define APART_IS_TOLD "> failover " A " -> nobody "
    model_script_run("no list showed one", APART "tick 2000\nround\nsessions\ntick 1000\nround\nsessions\n"
                                                 "? findings owner-disconnected error suspected " A
                                                 "\n" APART_ENDS APART_IS_TOLD "expired? vacancy 12--1\n");
    model_script_run("... but for a moment",
                     APART APART_ENDS "stated\n" APART_IS_TOLD "ended vacancy 12--1\n");
    model_script_run(
        "one had a connection in between",
        APART "tick 1000\nclient a on=1 at=10.0.0.1:12 timeout=10000\nround\nsessions\ntick 500\n" APART_ENDS
              "stated\n" APART_IS_TOLD "closed vacancy 12--1\n");
}

TEST(reports_what_nobody_explains)
{
    model_script_run("unknown: no server shows anything, told after the second in which it may come again",
                     "servers 1\nwatch /election\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " B " s=b\nfailovers\ntick 1000\nlist\n> election-seen\nreadall\n" A_GOES
                     "tick 900\ntime\ntick 200\ntime\n> failover " A " -> " B " unknown vacancy 0-100\n");
}

TEST(reports_at_the_latest)
{
    model_script_run("an acknowledgement that does not come is not waited for beyond the allowed time",
                     "servers 1\nwatch /election acknowledgement=/leader\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " B
                     " s=b\n+ /leader s=a x\nfailovers\ntick 1000\nlist\n> election-seen\n"
                     "readall\nread /leader\n"
                     "- /leader\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "read " B "\n> leader-elected " A " -> " B " after 0\nlist\nread /leader\n"
                     "tick 9900\ntime\ntick 1200\ntime\n"
                     "> failover " A " -> " B " unknown vacancy 0-100 takeover 11100--1 total 11100--1\n");
    model_script_run("where there must be a leader, nobody leads from then on, until it is acknowledged",
                     "servers 1\nwatch /election kind=leader acknowledgement=/leader\nconnect\n"
                     "> connection connected\n+ " A " s=a host-a\n+ " B
                     " s=b host-b\n+ /leader s=a host-a\nfailovers\ntick 1000\nlist\n> election-seen\n"
                     "readall\nread /leader\n"
                     "- /leader\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "read " B "\n> leader-elected " A " -> " B " after 0\nlist\nread /leader\n"
                     "tick 9900\ntime\ntick 200\ntime\ntick 100\ntime\n"
                     "> failover " A " -> nobody unknown vacancy 10200--1\n? never-led yes\n? led no\n"
                     "+ /leader s=b host-b\nread /leader\n> leader-acknowledged " B
                     " after 10200\ntick 100\ntime\n"
                     "> failover " A " -> " B " unknown vacancy 0-100 takeover 10100-10300 total 10100--1\n"
                     "? never-led no\n? led yes\n? tenures " A "(host-a) ~1000-1000, " B "(host-b) ~1000-\n");
}

TEST(reports_an_open_one_when_the_next_begins)
{
    model_script_run(
        "one that is still looked into is told when the next one begins, after its news",
        TWO "+ cccccccccccccccccccccccccccccccc__lock__0000000002 s=c\nlist\n"
            "> candidate-joined cccccccccccccccccccccccccccccccc__lock__0000000002 @3\nreadall\n" A_GOES
            "- " B "\ngone " B "\n> leader-lost " B " @1\n> failover " A " -> " B " unknown vacancy 0\n"
            "> candidate-left " B " @1\n");
}

/* The directory went with its leader, whose session lives on: nobody may ever follow. */
TEST(asks_no_longer_than_it_may_help)
{
    model_script_run("watches are looked at again, though nobody follows and the end is unexplained",
                     TWO "- .\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n> candidate-left " B
                         " @2\n> election-gone\n? evidence wanted\n"
                         "tick 1000\nround\nsessions\n? evidence wanted\n"
                         "tick 5000\nround\nsessions\n? evidence none\n");
}

TEST(survives_being_dropped)
{
    model_script_run("an election that is not watched any more takes its case with it",
                     TWO A_GOES "drop\ntick 20000\ntime\n");
}
