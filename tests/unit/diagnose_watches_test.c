/* Proves what the watch chain shows and what is diagnosed from it: see model_script.h. */

#include "config/text.h"
#include "tests/support/model_script.h"
#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001"
#define C "cccccccccccccccccccccccccccccccc__lock__0000000002"
#define RB "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__rlock__0000000001"
#define RC "cccccccccccccccccccccccccccccccc__rlock__0000000002"
#define D "dddddddddddddddddddddddddddddddd__lock__0000000003"
#define E "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee__lock__0000000004"

/* Four kazoo candidates on one server; each script adds who watches whom. */
#define FOUR                                                                                                 \
    "watch /election\nconnect\n> connection connected\n"                                                     \
    "+ " A " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n"                                                   \
    "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"                                           \
    "client c on=1 at=10.0.0.3:13\nclient d on=1 at=10.0.0.4:14\n"                                           \
    "tick 1000\nlist\n> election-seen\nreadall\n"

#define HEALTHY FOUR "w b " A "\nw c " B "\nw d " C "\n"
#define DEAF FOUR "w b " A "\nw d " C "\n" /* c watches nothing */
/* ... and has requested nothing for nearly half a minute */
#define PASSIVE DEAF "conns 1\ntick 26000\n"

/* Who watches rightly gives no finding, and what the next failover does is known. */
TEST(healthy)
{
    model_script_run("a whole chain", HEALTHY "? next-failover " B " unknown, chain unknown\n"
                                              "? link " B " unknown: the servers have not been polled yet\n"
                                              "round\n"
                                              "? link " A " first\n"
                                              "? link " B " right\n"
                                              "? link " D " right\n"
                                              "? by " B " c\n"
                                              "? next-failover " B " told, chain complete\n"
                                              "? goes " A " " B " told leads\n"
                                              "? goes " C " " D " told\n"
                                              "? goes " D " nobody unknown\n"
                                              "? identity " C " 10.0.0.3 by client\n"
                                              "? suspected no\n"
                                              "proof\n"
                                              "? findings none\n");
    model_script_run("the leader goes: the next one is told, looks, and watches nobody by right",
                     HEALTHY "proof\n"
                             "- " A "\nend a\nfire " A "\n"
                             "tick 10\n"
                             "list\n"
                             "> leader-lost " A " @1\n"
                             "> candidate-left " A " @1\n"
                             "> leader-elected " A " -> " B " after 0\n"
                             "round\n"
                             "? findings none\n"
                             "proof\n"
                             "? link " B " first\n"
                             "? link " C " right\n"
                             "? findings none\n");
    model_script_run("somebody in the middle goes, and the one behind is seen before it looks again",
                     HEALTHY "proof\n"
                             "- " B "\nend b\nfire " B "\n"
                             "list\n"
                             "> candidate-left " B " @2\n"
                             "tick 100\n"
                             "round\n"
                             "? link " C " unknown: the line has just changed\n"
                             "? findings none\n"
                             "w c " A "\n"
                             "tick 3000\n"
                             "round\n"
                             "? link " C " right\n"
                             "? findings none\n");
    model_script_run("clients that follow the leader, other watches and copies of this program say nothing",
                     HEALTHY "client 77 on=1 at=10.0.1.1:7\nw 77 " A "\n"
                             "client 88 on=1 at=10.0.1.1:8\nw 88 " A "\nw 88 " C
                             "\nw 88 /x/electop-observer\n"
                             "client 99 on=1 at=10.0.1.1:9\nw 99 /config/a\nw 99 /election/other-node\n"
                             "w c /config/b\n"
                             "proof\n"
                             "? findings none\n"
                             "? by " A " 77 b\n"
                             "? by " C " d\n");
}

/* What makes no-watch certain, and what does not. */
TEST(certainty)
{
    model_script_run(
        "polls come when they may settle it: watches once, then when the client is passive, then "
        "around its next ping",
        DEAF "client c on=1 at=10.0.0.3:13 timeout=6000\n"
             "round\n"
             "? due 2002\n" /* a list takes a millisecond */
             "tick 2002\n"
             "? due 0 watches\n"
             "round\n"
             "? due 27998\n" /* 30 s without a request */
             "tick 20000\n"
             "round\n"
             "? due 7998\n"
             "tick 7999\n"
             "round\n"
             "? suspected yes\n"
             "? due 252\n" /* a list after a sync is missing, not a ping */
             "sync\n"
             "? suspected no\n"
             "? findings no-watch error certain " C "\n");
    model_script_run("a count that says too little, once, hides no watch on children",
                     "watch /curator\nconnect\n> connection connected\n"
                     "+ _c_3b1c9a50-1111-4222-8333-444455556666-latch-0000000000 s=a\n"
                     "+ _c_3b1c9a50-1111-4222-8333-444455556667-latch-0000000001 s=b\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\n"
                     "list\n> election-seen\nreadall\nfindings\n"
                     "conns 1\nseen 1 child=1\nconns 1\ntick 6000\nconns 1\nseen 1 child=1\n"
                     "> finding-raised no-watch critical suspected\n"
                     "conns 1\ntick 6000\nconns 1\nseen 1 child=0\nconns 1\ntick 1000\nsync\n"
                     "tick 6000\nconns 1\nseen 1 child=0\nconns 1\ntick 1000\nsync\n"
                     "? findings no-watch critical suspected "
                     "_c_3b1c9a50-1111-4222-8333-444455556667-latch-0000000001\n");
    model_script_run("a notification may be on its way, for less than a timeout",
                     HEALTHY "client c on=1 at=10.0.0.3:13 timeout=20000\n"
                             "round\nround\nfindings\nfire " B "\n"
                             "tick 3000\nround\ntick 3000\nround\n"
                             "> finding-raised no-watch error suspected\n"
                             "tick 3000\nround\ntick 100\nsync\ntick 3000\nround\ntick 100\nsync\n"
                             "? findings no-watch error suspected " C "\n"
                             "tick 17000\nround\ntick 3000\nround\ntick 100\nsync\n"
                             "> finding-raised no-watch error certain\n");
    model_script_run("one look is a suspicion, and told only where there will be no second",
                     DEAF "round\n"
                          "? link " C " suspect\n"
                          "? suspected yes\n"
                          "? findings none\n");
    model_script_run("a suspicion that is gone at the second look was none",
                     HEALTHY "round\nfindings\n"
                             "tick 1000\nunw c " B "\nround\n"
                             "? link " C " suspect\n"
                             "tick 1000\n- " C "\nend c\nlist\n"
                             "> candidate-left " C " @3\n"
                             "w d " B "\ntick 3000\nround\n"
                             "? findings none\n");
    model_script_run("watches that another port lists may be another server's",
                     DEAF "findings\n"
                          "conns 1\nseen 1 elsewhere\nconns 1\n"
                          "tick 6000\n"
                          "conns 1\nseen 1 elsewhere\nconns 1\n"
                          "tick 100\nsync\ntick 3000\nconns 1\n"
                          "? findings none\n"
                          "proof\n"
                          "> finding-raised no-watch error suspected\n"
                          "> finding-raised no-watch error certain\n");
    model_script_run("one look", DEAF "quick\nround\n"
                                      "? sound yes\n"
                                      "? link " C " suspect\n"
                                      "? suspected yes\n"
                                      "? findings no-watch error suspected " C "\n"
                                      "? next-failover " B " told, chain unknown\n"
                                      "? goes " B " " C " unknown\n");
    model_script_run(
        "two looks, a later answer and a list after a sync prove it", PASSIVE
        "findings\n"
        "round\n"
        "tick 6000\n"
        "round\n"
        "> finding-raised no-watch error suspected\n"
        "? sound no\n"
        "? findings no-watch error suspected " C "\n"
        "? why no-watch session 0xc of 10.0.0.3:13 on zk1:2181 has no data watch under "
        "/election, in two polls; it should watch " B
        " | first run electop once --wait 33s: if it is still suspected then, that client makes "
        "requests, and may poll: see its log\n"
        "tick 100\n"
        "sync\n"
        "? findings no-watch error suspected " C "\n" /* the second look does not count yet */
        "tick 3000\n"
        "conns 1\n"
        "> finding-raised no-watch error certain\n"
        "? link " C " stuck\n"
        "? suspected no\n"
        "? findings no-watch error certain " C "\n"
        "? next-failover " B " told, chain broken at " C "\n"
        "? goes " B " " C " not told\n"
        "? why no-watch session 0xc of 10.0.0.3:13 on zk1:2181 has no data watch under "
        "/election, in 2 polls over 6.0 s; it should watch " B
        " | if that lasts for 2 minutes and no other host tells it of its turn, restart the client at "
        "10.0.0.3:13: it will not be notified when " B " leaves\n"
        "w c " B "\n"
        "tick 3000\n"
        "round\n"
        "> finding-cleared no-watch error certain\n"
        "? link " C " right\n");
    model_script_run("no list after a sync since the second look",
                     PASSIVE "sync\nround\ntick 6000\nround\ntick 3000\nconns 1\nlist\n"
                             "? findings no-watch error suspected " C "\n"
                             "sync\n"
                             "? findings no-watch error certain " C "\n");
    model_script_run("a sync that was asked for before the second look was over, and answered after it",
                     PASSIVE "round\ntick 6000\nround\ntick 3000\nconns 1\nsync 3000\n"
                             "? findings no-watch error suspected " C "\n"
                             "sync\n"
                             "? findings no-watch error certain " C "\n");
    model_script_run("critical for the second in line",
                     FOUR "w c " B "\nw d " C "\nproof\n"
                          "? findings no-watch critical certain " B "\n"
                          "? next-failover " B " not told, chain broken at " B "\n"
                          "? goes " A " " B " not told leads\n");
    model_script_run("two looks too near each other",
                     PASSIVE "round\ntick 1000\nround\ntick 1000\nround\nsync\n"
                             "? findings no-watch error suspected " C "\n");
    model_script_run("a long timeout: the session pings seldom, and has to be heard of after the second look",
                     DEAF "client c on=1 at=10.0.0.3:13 timeout=60000\n"
                          "round\ntick 6000\nround\nsilent c\ntick 25000\nround\nsync\n"
                          "? findings no-watch error suspected " C "\n"
                          "heard c\ntick 1000\nround\nsync\n"
                          "? findings no-watch error certain " C "\n");
    model_script_run("the same session on another connection begins anew",
                     DEAF "round\ntick 6000\n"
                          "client c on=1 at=10.0.0.3:99\n"
                          "round\ntick 4000\nround\nsync\n"
                          "? findings no-watch error suspected " C "\n");
    model_script_run("... also from the same port, established later",
                     DEAF "round\ntick 6000\n"
                          "client c on=1 at=10.0.0.3:13\n"
                          "round\ntick 4000\nround\nsync\n"
                          "? findings no-watch error suspected " C "\n");
    model_script_run("a connection that answers no more was perhaps not its own any more",
                     DEAF "round\n"
                          "silent c\n"
                          "proof\n"
                          "? findings no-watch error suspected " C "\n");
    model_script_run("a request that is outstanding may be the watch",
                     DEAF "waits c 1\n"
                          "proof\n"
                          "? findings no-watch error suspected " C "\n");
    model_script_run("a client that reads the children every eight seconds polls: it needs no watch", DEAF
                     "findings\nround\nrequest c\ntick 8000\nround\n"
                     "> finding-raised no-watch error suspected\n"
                     "request c\ntick 8000\nround\nrequest c\ntick 8000\nround\nsync\n"
                     "request c\ntick 8000\nround\nrequest c\ntick 8000\nround\nsync\n"
                     "? findings no-watch error suspected " C "\n"
                     "? why no-watch session 0xc of 10.0.0.3:13 on zk1:2181 has no data watch under "
                     "/election, in 5 polls over 32.0 s; it should watch " B
                     "; this assumes that its client waits for a notification and does not poll | see its "
                     "log: that client makes requests, and may poll; if so, it is well\n");
    model_script_run("... every forty: its next pause may be as long", DEAF
                     "conns 1\nround\ntick 20000\nround\ntick 9000\nround\ntick 10500\nrequest c\nround\n"
                     "tick 20000\nround\ntick 20000\nround\ntick 30000\nround\nsync\n"
                     "? findings no-watch error suspected " C "\n"
                     "tick 10000\nround\nsync\n"
                     "? findings no-watch error certain " C "\n");
    model_script_run("a client that stops making requests is idle from its last one on",
                     DEAF "round\nrequest c\ntick 6000\nround\ntick 6000\nround\ntick 6000\nround\n"
                          "tick 6000\nround\ntick 6000\nround\ntick 7000\nround\ntick 1000\nsync\n"
                          "? findings no-watch error certain " C "\n");
    model_script_run("the line changed between the looks",
                     DEAF "round\ntick 6000\n"
                          "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\nw e " D "\n"
                          "list\n> candidate-joined " E " @5\nreadall\n"
                          "round\ntick 3000\nround\nsync\n"
                          "? findings no-watch error suspected " C "\n"
                          "proof\n"
                          "? findings no-watch error certain " C "\n");
    model_script_run("a watch on the directory may be recursive",
                     DEAF "w c .\n"
                          "proof\n"
                          "? link " C " unknown: it watches the directory, perhaps recursively\n"
                          "? findings none\n");
    model_script_run("... on what lies above, too", DEAF "w c /\n"
                                                         "proof\n"
                                                         "? findings none\n");
    model_script_run("its server hides its watches: nothing is claimed",
                     DEAF "servers 1\n"
                          "conns 1\nhide 1 watches\ntick 6000\nconns 1\n"
                          "? link " C " unknown: its server does not show its watches\n"
                          "? findings none\n");
    model_script_run("hidden later: what was found stays, unconfirmed, and comes back confirmed",
                     DEAF "proof\n"
                          "findings\n"
                          "hide 1 watches\n"
                          "? findings no-watch error certain unconfirmed " C "\n"
                          "tick 60000\n"
                          "time\n"
                          "? findings no-watch error certain unconfirmed " C "\n"
                          "round\n" /* what one look shows proves nothing of the minute before */
                          "? findings no-watch error certain unconfirmed " C "\n"
                          "proof\n"
                          "? findings no-watch error certain " C "\n"
                          "lose\n"
                          "> connection disconnected\n"
                          "? findings no-watch error certain unconfirmed " C "\n"
                          "connect\n"
                          "> connection connected\n"
                          "list\n"
                          "? findings no-watch error certain " C "\n"
                          "- " C "\n"
                          "list\n"
                          "> candidate-left " C " @3\n"
                          "> finding-cleared no-watch error certain\n"
                          "? findings none\n");
    model_script_run("its server hides its connections: whose a listed watch is now, nobody knows",
                     DEAF "hide 1 connections\nseen 1\ntick 6000\nhide 1 connections\nseen 1\nsync\n"
                          "? link " C " unknown: a server does not show its connections\n"
                          "? next-failover " B " unknown, chain unknown\n"
                          "? suspected no\n"
                          "? findings none\n"
                          "hide 1 watches\n"
                          "? link " C " unknown: no server shows its watches\n"
                          "proof\n"
                          "? findings no-watch error certain " C "\n");
    model_script_run("one of several hides both",
                     "servers 2\n" DEAF "round 2\nhide 1 connections\nhide 1 watches\n"
                     "? link " C " unknown: a server shows neither its connections nor its watches\n"
                     "? findings none\n");
    model_script_run("another server may hide a second session of that client",
                     "servers 2\n" PASSIVE "client d on=2 at=10.0.0.4:14\n"
                     "hide 2 watches\nround 1\ntick 6000\nround 1\ntick 6000\nround 1\nsync\n"
                     "? link " D " unknown: no server shows a connection of its session\n"
                     "? findings no-watch error suspected " C "\n"
                     "? next-failover " B " told, chain unknown\n"
                     "round 2\ntick 6000\nround\nsync\n"
                     "? findings no-watch error certain " C "\n"
                     "hide 2 watches\n"
                     "? findings no-watch error certain " C "\n");
    static const char *const counts[][2] = {{"conns 2\nseen 2 child=1\nconns 2\n", "suspected"},
                                            {"round 2\n", "certain"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct text script = {0};
        text_add(&script, "servers 2\n" DEAF "client e on=2 at=10.0.0.3:15\n");
        for (int round = 0; round < 6; round++)
            text_printf(&script, "round 1\n%stick 6000\n", counts[i][0]);
        text_printf(&script, "round 1\n%ssync\n? findings no-watch error %s " C "\n", counts[i][0],
                    counts[i][1]);
        model_script_run("a watch on children at another server may be of a second session of that client",
                         script.at);
        text_free(&script);
    }
    static const char *const beside[][3] = {
        {"client e on=1 at=10.0.0.3:15\n", "request e\n", "suspected"}, /* one to own, one to read */
        {"client e on=1 at=10.0.0.3:15\n", "", "certain"},
        {"client e on=1 at=10.0.0.9:15\n", "request e\n", "certain"},
        {"+ " E " s=e\nclient e on=1 at=10.0.0.3:15\nw e " D "\nlist\n> candidate-joined " E " @5\nreadall\n",
         "request e\n", "certain"},
    };
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        struct text script = {0};
        text_printf(&script, DEAF "%s", beside[i][0]);
        for (int round = 0; round < 7; round++)
            text_printf(&script, "%sround 1\ntick 6000\n", beside[i][1]);
        text_printf(&script, "round 1\nsync\n? findings no-watch error %s " C "\n", beside[i][2]);
        if (i == 1)
            text_add(&script,
                     "tick 16000\nrequest e\nround 1\ntime\n? findings no-watch error suspected " C "\n");
        model_script_run("another session of its host asks: perhaps for that client", script.at);
        text_free(&script);
    }
    model_script_run("... which time may settle, so it is looked at again",
                     DEAF "client e on=1 at=10.0.0.3:15\nround\nrequest e\ntick 3000\nround\ntick 3000\n"
                          "round\n? suspected yes\n");
    model_script_run("a server that has fallen silent holds no session back that moved to another",
                     "servers 3\n" DEAF "proof\n"
                     "? findings no-watch error certain " C "\n"
                     "hide 1 connections\nhide 1 watches\n"
                     "client c on=2 at=10.0.0.3:14\n"
                     "round 2\n"
                     "? link " C " suspect\n"
                     "tick 6000\nround 2\ntick 3000\nround 2\nsync\n"
                     "? link " C " suspect\n");
    model_script_run("two looks whose answers took so long that they may have been one", PASSIVE
                     "conns 1\nseen 1\ntick 4000\nconns 1\ntick 1000\nround\ntick 3000\nconns 1\nsync\n"
                     "? findings no-watch error suspected " C "\n"
                     "tick 4000\nround\ntick 3000\nconns 1\nsync\n"
                     "? findings no-watch error certain " C "\n");
    model_script_run("two servers show the session: which watches are its own?",
                     "servers 2\n" DEAF "round\ntick 1000\nround\n"
                     "conns 2\n"
                     "? findings no-watch error suspected " C "\n"
                     "client c on=2 at=10.0.0.3:14\n"
                     "conns 2\n"
                     "? link " C " unknown: two servers show a connection of its session\n"
                     "? findings no-watch error suspected unconfirmed " C "\n");
}

/* Layouts whose watches no server shows, or that nobody knows. */
TEST(layouts)
{
    model_script_run("members that watch the children show nothing, rightly",
                     "watch /mesos recipe=mesos\nconnect\n> connection connected\n"
                     "+ info_0000000000 s=a\n+ info_0000000001 s=b\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\n"
                     "list\n> election-seen\nreadall\nproof\n"
                     "? link info_0000000001 unknown: members of this layout watch the directory, and no "
                     "server shows that\n"
                     "? findings none\n");
    model_script_run("an unknown layout proves nothing until most of its members show it",
                     "watch /things\nconnect\n> connection connected\n"
                     "+ q-0000000000 s=a\n+ q-0000000001 s=b\n+ q-0000000002 s=c\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "list\n> election-seen\nreadall\nproof\n"
                     "? link q-0000000002 unknown: the watches of this layout are not known\n"
                     "? findings none\n"
                     "? recipe sequence name\n"
                     "w c q-0000000001\n"
                     "proof\n"
                     "? recipe sequence watch\n"
                     "? link q-0000000002 right\n"
                     "? findings no-watch warning suspected q-0000000001\n"
                     "+ q-0000000003 s=d\nclient d on=1 at=h:4\n"
                     "list\n> candidate-joined q-0000000003 @4\nreadall\nw d q-0000000002\nproof\nproof\n"
                     "? findings no-watch warning suspected q-0000000001\n" /* it may hold another lease */
                     "w b q-0000000000\nunw c q-0000000001\n+ q-0000000004 s=e\nclient e on=1 at=h:5\n"
                     "list\n> candidate-joined q-0000000004 @5\nreadall\nw e q-0000000003\nproof\nproof\n"
                     "? findings no-watch error certain q-0000000002\n");
    model_script_run("a plain name is no proof of whom it watches: another member's watch is",
                     "watch /things\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=a\n+ n_0000000001 s=b\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\n"
                     "list\n> election-seen\nreadall\nproof\n"
                     "? findings no-watch critical suspected n_0000000001\n"
                     "tick 3000\nconns 1\nseen 1 child=0\nconns 1\n"
                     "? findings no-watch critical suspected n_0000000001\n");
#define THREE_IN_A_ROUND "tick 3000\nconns 1\nseen 1 child=3\nconns 1\n"
#define THREE THREE_IN_A_ROUND THREE_IN_A_ROUND THREE_IN_A_ROUND
    model_script_run("... on the server of our own session, too, where all of these are ours",
                     "watch /things\nconnect\n> connection connected\nourchildren 3\n"
                     "+ n_0000000000 s=a\n+ n_0000000001 s=b\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\n"
                     "list\n> election-seen\nreadall\n"
                     "conns 1\nseen 1 child=4\nconns 1\ntick 6000\nconns 1\nseen 1 child=4\nconns 1\n"
                     "tick 6000\nconns 1\nseen 1 child=4\nconns 1\ntick 1000\nsync\n"
                     "? link n_0000000001 unknown: its watches on children cannot be seen\n" THREE THREE
                     "tick 3000\nconns 1\nseen 1 child=3\nconns 1\n"
                     "tick 3000\nconns 1\nseen 1 child=3\n"
                     "? link n_0000000001 unknown: its watches on children cannot be seen\n"
                     "conns 1\n" /* ... tells whose they are */
                     "? link n_0000000001 suspect\n"
                     "? findings none\n");
#define PLAIN                                                                                                \
    "watch /things\nconnect\n> connection connected\n"                                                       \
    "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n"                                           \
    "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"                                     \
    "list\n> election-seen\nreadall\n"
    model_script_run("members with plain names that may watch the children are not suspected",
                     PLAIN "conns 1\nseen 1 child=4\nconns 1\ntick 6000\nconns 1\nseen 1 child=4\nconns 1\n"
                           "? link n_0000000001 unknown: its watches on children cannot be seen\n"
                           "? next-failover n_0000000001 unknown, chain unknown\n"
                           "? findings none\n"
                           "? suspected no\n"
                           "w c n_0000000001\n"
                           "tick 6000\nconns 1\nseen 1 child=4\nconns 1\n"
                           "tick 6000\nconns 1\nseen 1 child=4\nconns 1\n"
                           "? findings no-watch critical suspected n_0000000001\n");
    model_script_run("... and those that were, before it was known, are not any more",
                     PLAIN "proof\n"
                           "? findings no-watch critical suspected n_0000000001; no-watch error suspected "
                           "n_0000000002\n"
                           "tick 3000\nconns 1\nseen 1 child=4\nconns 1\n"
                           "? findings none\n");
    model_script_run("where all watch the leader, that is right",
                     "watch /spark/leader_election\nconnect\n> connection connected\n"
                     "+ master_0000000000 s=a\n+ master_0000000001 s=b\n+ master_0000000002 s=c\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "w b master_0000000000\nw c master_0000000000\n"
                     "list\n> election-seen\nreadall\nproof\n"
                     "? link master_0000000002 right\n"
                     "? next-failover master_0000000001 told, chain complete\n"
                     "? goes master_0000000000 master_0000000001 told leads master_0000000002\n"
                     "? findings none\n");
}

/* Who is told that a lock is free: its holder goes with its own watch. */
TEST(lock_watchers)
{
    model_script_run("those that watch a lock, its holder left out",
                     "watch /kafka/controller\nconnect\n> connection connected\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "? lock-told 0\n"
                     "+ . s=a {\"brokerid\":1}\n"
                     "read .\n> election-seen\n"
                     "? next-failover nobody unknown, chain unknown\n"
                     "w a .\nround\n"
                     "? lock-told 0\n"
                     "? next-failover nobody not told, chain unknown\n"
                     "w b .\nw c .\nround\n"
                     "? lock-told 2\n"
                     "? next-failover nobody told, chain unknown\n");
    model_script_run("those that watch what no server lists may be told",
                     "watch /service/db/leader\nconnect\n> connection connected\n"
                     "client a on=1 at=h:1\n+ . s=a db-1\n"
                     "read .\n> election-seen\n"
                     "round\n"
                     "? lock-told 0\n"
                     "? next-failover nobody unknown, chain unknown\n");
}

/* Each illness of a watch, with the candidate that has it; its twin, healthy(), has none. */
TEST(illnesses)
{
    model_script_run("watch-on-deleted", FOUR "w b " A "\nw d " C "\n"
                                              "w c bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc__lock__0000000000\n"
                                              "round\n"
                                              "? link " C " wrong\n"
                                              "? findings none\n"
                                              "tick 1000\nround\n"
                                              "? findings watch-on-deleted critical suspected " C "\n"
                                              "proof\n"
                                              "? findings watch-on-deleted critical certain " C "\n"
                                              "? next-failover " B " told, chain broken at " C "\n"
                                              "w c " B "\n"
                                              "proof\n"
                                              "? findings none\n");
    model_script_run("watch-self", FOUR "w b " A "\nw d " C "\nw c " C "\n"
                                        "proof\n"
                                        "? findings watch-self critical certain " C "\n"
                                        "? by " C " d c\n"
                                        "? goes-why " B " it watches only itself\n"
                                        "? next-failover " B " told, chain broken at " C "\n"
                                        "w c " B "\n"
                                        "round\n"
                                        "? findings none\n");
    model_script_run("wrong-predecessor; it is told when another goes, and too late: the line stops there",
                     FOUR "w b " A "\nw c " B "\nw d " B "\n"
                          "round\n"
                          "? next-failover " B " told, chain unknown\n"
                          "? goes " C " " D " unknown\n"
                          "? findings none\n"
                          "tick 1000\nround\n"
                          "? findings wrong-predecessor error suspected " D "\n"
                          "proof\n"
                          "? findings wrong-predecessor error certain " D "\n"
                          "? next-failover " B " told, chain broken at " D "\n"
                          "? goes " B " " C " told " D "\n"
                          "? goes " C " " D " not told\n"
                          "unw d " B "\nw d " C "\n"
                          "proof\n"
                          "? findings none\n");
    model_script_run("herd", FOUR "w b " A "\nw c " A "\nw d " A "\n"
                                  "proof\n"
                                  "? findings herd info certain " A "," B "," C "," D "\n"
                                  "? goes " A " " B " told leads " D " " C "\n"
                                  "? goes " B " " C " unknown\n"
                                  "? next-failover " B " told, chain unknown\n"
                                  "unw c " A "\nw c " B "\nunw d " A "\nw d " C "\n"
                                  "proof\n"
                                  "? findings none\n"
                                  "unw c " B "\nw c " A "\nproof\n"
                                  "? findings wrong-predecessor error suspected " C "\n");
    model_script_run("... that is over with its first, even where watches are hidden",
                     FOUR "w b " A "\nw c " A "\nw d " A "\nproof\nhide 1 watches\n"
                          "? findings herd info certain unconfirmed " A "," B "," C "," D "\n"
                          "- " A "\nend a\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "? findings none\n");
    model_script_run("... of which two are left",
                     FOUR "w b " A "\nw c " A "\nw d " A "\nproof\n"
                          "unw b " A "\n- " B "\nlist\n> candidate-left " B " @2\nproof\n"
                          "? findings herd info certain " A "," C "," D "\n"
                          "unw c " A "\naway c\nproof\n"
                          "? findings herd info suspected unconfirmed " A "," C "," D "\n");
    model_script_run("... a warning where some of the line follow the recipe",
                     FOUR "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\nw b " A "\nw c " A "\nw d " A "\n"
                          "w e " D "\nlist\n> candidate-joined " E " @5\nreadall\nproof\n"
                          "? findings wrong-predecessor error suspected " C
                          "; wrong-predecessor error suspected " D "; herd warning certain " A "," B "," C
                          "," D "\n");
    model_script_run("... of design where all watch the first, and some the second, too: a hot standby", FOUR
                     "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\nw b " A "\nw c " A "\nw c " B "\n"
                     "w d " A "\nw d " B "\nw e " A "\nw e " B "\nlist\n> candidate-joined " E
                     " @5\nreadall\nproof\n"
                     "? findings herd info certain " A "," B "," D "," E "; extra-watches info certain " C
                     "; extra-watches info certain " D "; extra-watches info certain " E "\n");
    model_script_run("watch-eaten",
                     FOUR "w b " A "\nw c " B "\nw d " C "\n"
                          "round\n"
                          "= " B " somebody was here\n"
                          "fire " B "\n"
                          "proof\n"
                          "? findings no-watch error certain " C "\n"
                          "read " B "\n"
                          "? findings no-watch error certain " C "; watch-eaten error suspected " C "," B "\n"
                          "w c " B "\n"
                          "round\n"
                          "? findings none\n");
    model_script_run("extra-watches", HEALTHY "w d " A "\n"
                                              "proof\n"
                                              "? findings extra-watches info certain " D "\n"
                                              "unw d " A "\n"
                                              "round\n"
                                              "? findings none\n");
    model_script_run("one session that watches several is one cause: told where the foremost of them is",
                     HEALTHY "w d " A "\nw d " B "\n"
                             "proof\n"
                             "? findings extra-watches info certain " D "\n");
    model_script_run("a leader that observes all behind it waits for none of them",
                     HEALTHY "w a " B "\nw a " C "\nproof\n? findings extra-watches info certain " A "\n");
#define SOLR_1 "10-10.0.0.1:8983_solr-n_0000000001"
#define SOLR_2 "12-10.0.0.3:8983_solr-n_0000000002"
    model_script_run(
        "Solr's designate joins at the head with a number that is taken: the one behind waits as it did",
        "watch /overseer_elect/election kind=leader acknowledgement=/none\n"
        "connect\n> connection connected\n"
        "+ " SOLR_1 " s=a\n+ 11-10.0.0.2:8983_solr-n_0000000001 s=b\n+ " SOLR_2 " s=c\n"
        "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"
        "client c on=1 at=10.0.0.3:13\nw b " SOLR_1 "\nw c " SOLR_1
        "\nlist\n> election-seen\nreadall\nproof\n? findings sequence-tie info certain " SOLR_1
        ",11-10.0.0.2:8983_solr-n_0000000001\n");
    model_script_run("who watches its predecessor, too, is woken for no herd",
                     HEALTHY "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\n"
                             "w e " D "\nw e " A "\nw d " B "\nw c " A "\n"
                             "list\n> candidate-joined " E " @5\nreadall\n"
                             "proof\n"
                             "? findings extra-watches info certain " C "; extra-watches info certain " D
                             "; extra-watches info certain " E "\n");
    model_script_run("what was found of those who watch too much stays while their watches are not shown",
                     "servers 3\n" HEALTHY "w d " A "\nclient 77 on=1 at=10.0.1.1:7\nw 77 " B "\n"
                     "round\nproof\n"
                     "? findings watcher-without-candidate info certain " B "; extra-watches info certain " D
                     "\n"
                     "client d on=2 at=10.0.0.4:99\nclient 77 on=2 at=10.0.1.1:8\n"
                     "tick 1000\nconns 2\n"
                     "? findings watcher-without-candidate info suspected unconfirmed " B
                     "; extra-watches info suspected unconfirmed " D "\n"
                     "unw d " A "\nunw 77 " B "\n"
                     "tick 1000\nround\ntick 6000\nround\ntick 1000\nround\n"
                     "? findings none\n");
    model_script_run("threads that share a session watch as many as they own",
                     FOUR "+ " E " s=b\n"
                          "w b " A "\nw c " B "\nw d " C "\nw b " D "\n"
                          "list\n> candidate-joined " E " @5\nreadall\n"
                          "proof\n"
                          "? link " E " right\n"
                          "? findings duplicate-session info certain " B "," E "\n");
    model_script_run("watcher-without-candidate: it stood here before",
                     HEALTHY "proof\n"
                             "- " C "\n"
                             "list\n> candidate-left " C " @3\n"
                             "fire " C "\nw d " B "\n"
                             "proof\n"
                             "? findings watcher-without-candidate warning suspected " B "\n"
                             "unw c " B "\n"
                             "round\n"
                             "? findings none\n");
    model_script_run("... it led, and was evicted: it has fallen out of the line",
                     HEALTHY "proof\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                             "read " B "\n> leader-elected " A " -> " B " after 0\nlist\nfire " A
                             "\nrequest b\nw a " B "\nw c " B "\nproof\n"
                             "? findings watcher-without-candidate warning suspected " B "\n");
    model_script_run("... it led, and gave it up: it has set this watch since, and knows",
                     HEALTHY "proof\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                             "read " B "\n> leader-elected " A " -> " B " after 0\nlist\nfire " A
                             "\nrequest b\ndid a DELE\nround\nw a " B "\nproof\n"
                             "? findings none\n");
    model_script_run("watcher-without-candidate: it never did",
                     HEALTHY "client 77 on=1 at=10.0.1.1:7\nw 77 " B "\n"
                             "proof\n"
                             "? findings watcher-without-candidate info certain " B "\n"
                             "end 77\n"
                             "round\n"
                             "? findings none\n");
#define LOCKED                                                                                               \
    FOUR "tick 10\nacl .\n- " A "\nend a\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"         \
         "> leader-elected " A " -> " B " after 0\n? findings never-wakes info suspected " B "\n"
    model_script_run("never-wakes: a note, if its ACL was set after it had joined",
                     LOCKED "tick 1000\nlist\ntick 700000\ntime\n? findings none\n");
    model_script_run("... which a person may clear", LOCKED "clear " B "\n? findings none\n");
    model_script_run("... and which is no more for another run",
                     LOCKED "restart 1000\nconnect\n> connection connected\nlist\n> election-seen\nreadall\n"
                            "tick 10\ntime\n? findings none\n");
    model_script_run("... not of one that joined with the list that shows it",
                     FOUR "acl .\n+ " E " s=e\ntick 20\nlist\n> candidate-joined " E " @5\nreadall\n"
                          "- " A "\n- " B "\n- " C "\n- " D "\nend a\nlist\n> leader-lost " A
                          " @1\n> candidate-left " A " @1\n> candidate-left " B " @2\n> candidate-left " C
                          " @3\n> candidate-left " D " @4\n> leader-elected " A " -> " E " after 0\n"
                          "? findings none\n");
    model_script_run("... not if that was seen after it had become first",
                     FOUR "- " A "\nend a\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\ntick 5000\nacl .\nlist\n"
                          "? findings none\n");
    model_script_run("never-wakes: proved before, and first now",
                     FOUR "w c " B "\nw d " C "\nproof\n"
                          "? findings no-watch critical certain " B "\n"
                          "- " A "\nend a\n"
                          "findings\n"
                          "tick 10\n"
                          "list\n"
                          "> leader-lost " A " @1\n"
                          "> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "> finding-raised never-wakes critical suspected\n"
                          "> finding-cleared no-watch critical certain\n"
                          "? findings never-wakes critical suspected " B "\n"
                          "proof\n"
                          "? findings never-wakes critical suspected " B "\n"
                          "- " B "\nend b\nfire " B "\n"
                          "list\n"
                          "> leader-lost " B " @1\n"
                          "> candidate-left " B " @1\n"
                          "> leader-elected " B " -> " C " after 0\n"
                          "> finding-cleared never-wakes critical suspected\n"
                          "? findings none\n");
    model_script_run(
        "... first when it was found, its client has asked for nothing since it created its candidate",
        "watch /election kind=leader\nconnect\n> connection connected\n"
        "+ " B " s=b\n+ " C " s=c\n"
        "client b on=1 at=10.0.0.2:12\nclient c on=1 at=10.0.0.3:13\n"
        "tick 1000\nlist\n> election-seen\nreadall\nw c " B "\nround\n"
        "? findings none\n"
        "tick 9000\ntime\n"
        "? findings never-wakes critical suspected " B "\n"
        "request b\nconns 1\n"
        "? findings none\n");
    model_script_run("... which was seen to become first, and has not listed the candidates since",
                     "watch /election kind=leader\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " B " s=b\n+ " C " s=c\nclient a on=1 at=10.0.0.1:11\n"
                     "client b on=1 at=10.0.0.2:12\nclient c on=1 at=10.0.0.3:13\n"
                     "list\n> election-seen\nreadall\nw c " B "\nround\ntick 1000\n- " A "\nend a\nlist\n"
                     "> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "> leader-elected " A " -> " B " after 0\nround\ntick 9000\ntime\n? findings none\n"
                     "tick 1000\ntime\n? findings never-wakes critical suspected " B "\n"
                     "clear " B "\n? findings none\n");
    model_script_run("... which was notified, and has requested nothing since, as clients of its layout do",
                     HEALTHY "round\ntick 3000\nround\ntick 3000\nround\n- " A "\ngone " A "\n"
                             "> leader-lost " A " @1\n> candidate-left " A " @1\nread " B "\n"
                             "> leader-elected " A " -> " B " after 0\nlist\nend a\nfire " A "\n"
                             "round\ntick 7000\nround\ntime\n? findings none\n"
                             "tick 3000\nround\ntick 2000\ntime\n? findings never-wakes critical suspected " B
                             "\n"
                             "request b\nround\ntick 2000\ntime\n? findings none\n");
    model_script_run("... not of a reader that held the lock already, beside the one that left",
                     "watch /lock\nconnect\n> connection connected\n+ " A " s=a\n+ " RB " s=b\n+ " RC " s=c\n"
                     "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"
                     "client c on=1 at=10.0.0.3:13\ntick 1000\nlist\n> election-seen\nreadall\n"
                     "w b " A "\nw c " A "\nround\ntick 3000\nround\n- " A "\ngone " A "\n"
                     "> leader-lost " A " @1\n> candidate-left " A " @1\nread " RB "\n"
                     "> leader-elected " A " -> " RB " after 0\nlist\nend a\nfire " A "\nrequest b\n"
                     "request c\nround\ntick 60000\nround\n- " RB "\ngone " RB "\n"
                     "> leader-lost " RB " @1\n> candidate-left " RB " @1\nread " RC "\n"
                     "> leader-elected " RB " -> " RC " after 0\nlist\nend b\nround\ntick 12000\nround\n"
                     "tick 2000\ntime\n? findings none\n");
    model_script_run("... not where it has",
                     "watch /election kind=leader\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " B " s=b\nclient a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"
                     "list\n> election-seen\nreadall\nround\nrequest b\ntick 1000\n- " A "\nend a\nlist\n"
                     "> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "> leader-elected " A " -> " B " after 0\nrequest b\nround\ntick 11000\nround\n"
                     "? findings none\n");
    model_script_run("... not in a layout whose clients may count their requests from 0",
                     "watch /election kind=leader\nconnect\n> connection connected\n"
                     "+ aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee_standby_0000000001 s=b\n"
                     "client b on=1 at=10.0.0.2:12\n"
                     "tick 1000\nlist\n> election-seen\nreadall\nround\ntick 9000\ntime\n"
                     "? findings none\n");
    model_script_run("... not on another connection, which may count its requests anew",
                     "watch /election kind=leader\nconnect\n> connection connected\n"
                     "+ " B " s=b\ntick 1000\nclient b on=1 at=10.0.0.2:12\n"
                     "list\n> election-seen\nreadall\ntick 20000\nround\n"
                     "? findings none\n");
    model_script_run("... which a person may take back, and nothing but that is taken back",
                     FOUR "w c " B "\nw d " C "\nproof\n"
                          "clear " B "\n"
                          "? findings no-watch critical certain " B "\n"
                          "- " A "\nend a\n"
                          "findings\n"
                          "list\n"
                          "> leader-lost " A " @1\n"
                          "> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "> finding-raised never-wakes critical suspected\n"
                          "> finding-cleared no-watch critical certain\n"
                          "clear " C "\nclear nobody\n"
                          "? findings never-wakes critical suspected " B "\n"
                          "clear " B "\n"
                          "> finding-cleared never-wakes critical suspected\n"
                          "proof\n"
                          "? findings none\n");
    model_script_run("... not where its watches had become unknown since: it may have set one",
                     FOUR "w c " B "\nw d " C "\nproof\n"
                          "? findings no-watch critical certain " B "\n"
                          "hide 1 watches\n"
                          "? next-failover " B " unknown, chain unknown\n"
                          "- " A "\nend a\n"
                          "tick 10\n"
                          "list\n"
                          "> leader-lost " A " @1\n"
                          "> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "? findings none\n");
    model_script_run(
        "... suspected beside watches on children, if it requests nothing: those would have told it to",
        FOUR "w c " B "\nw d " C "\nchildren 9\nround\ntick 1000\nround\n"
             "? findings no-watch critical suspected " B "\n"
             "- " A "\nend a\n"
             "list\n"
             "> leader-lost " A " @1\n"
             "> candidate-left " A " @1\n"
             "> leader-elected " A " -> " B " after 0\n"
             "? findings none\n"
             "tick 11000\nround\n"
             "? findings never-wakes critical suspected " B "\n");
    model_script_run("... not where it was only suspected",
                     FOUR "w c " B "\nw d " C "\nround\ntick 1000\nround\n"
                          "? findings no-watch critical suspected " B "\n"
                          "- " A "\nend a\n"
                          "list\n"
                          "> leader-lost " A " @1\n"
                          "> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "? findings none\n");
}

/* What a candidate without a session does to the line: it never goes by itself, and nobody can tell it. */
TEST(persistent_ones)
{
    model_script_run("a leader without a session goes only when it is deleted; who is told then is known",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ " A "\n+ " B " s=b\n+ " C " s=c\n"
                     "client b on=1 at=10.0.0.2:12\nclient c on=1 at=10.0.0.3:13\n"
                     "w b " A "\nw c " B "\n"
                     "tick 1000\nlist\n> election-seen\n"
                     "? next-failover " B " unknown, chain unknown, perhaps by itself\n"
                     "readall\nproof\n"
                     "? goes " A " " B " told leads, stays\n"
                     "? goes " B " " C " told\n"
                     "? next-failover " B " told, chain complete, not by itself\n"
                     "- " A "\nfire " A "\n"
                     "list\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "> leader-elected " A " -> " B " after 0\n"
                     "? next-failover " C " told, chain complete\n");
    model_script_run(
        "one without a session next in line: who made it may be told, and nobody knows who that is",
        "watch /election\nconnect\n> connection connected\n"
        "+ " A " s=a\n+ " B "\n+ " C " s=c\n"
        "client a on=1 at=10.0.0.1:11\nclient c on=1 at=10.0.0.3:13\n"
        "w c " B "\n"
        "tick 1000\nlist\n> election-seen\nreadall\nproof\n"
        "? goes " A " " B " unknown leads, which stays\n"
        "? goes-why " A " no session owns it\n"
        "? next-failover " B " unknown, chain unknown\n");
}

/* One session owns two candidates: its process ends with both, and alive it waits for its own znode forever. */
TEST(heirs_of_one_session)
{
#define TWO "watch /election\nconnect\n> connection connected\n+ " A " s=a\n+ " B " s=a\n"
    model_script_run("nobody else is in line",
                     TWO "client a on=1 at=10.0.0.1:11\ntick 1000\nlist\n> election-seen\nreadall\nw a " A
                         "\nround\n"
                         "? next-failover nobody not told, chain broken at " B "\n"
                         "? goes-why " A " all behind it belong to its own session\n");
    model_script_run(
        "the heir is the first of another session, which is told by the end of the last of its own",
        TWO "+ " C " s=c\nclient a on=1 at=10.0.0.1:11\nclient c on=1 at=10.0.0.3:13\n"
            "tick 1000\nlist\n> election-seen\nreadall\nw a " A "\nw c " B "\nround\n"
            "? next-failover " C " told, chain complete\n? goes " A " " C " told leads\n");
}

/* Layouts in which members watch something else, or nothing, by design. */
TEST(other_designs)
{
#define ZLOCK(member, number) "zlock#0000000" member "-1111-2222-3333-444444444444#000000000" number
    model_script_run(
        "Accumulo: each waits for the first znode of the member before it",
        "watch /accumulo/x/managers/lock\nconnect\n> connection connected\n"
        "+ " ZLOCK("1", "5") " s=a\n+ " ZLOCK("1", "6") " s=a\n+ " ZLOCK("2", "7") " s=b\n+ " ZLOCK(
            "3", "8") " s=c\n"
                      "client a on=1 at=h:1\nclient b on=1 at=i:2\nclient c on=1 at=j:3\n"
                      "tick 1000\nlist\n> election-seen\nreadall\n"
                      "w a " ZLOCK("1", "5") "\nw b " ZLOCK("1", "5") "\nw c " ZLOCK(
                          "2", "7") "\nproof\n"
                                    "? link " ZLOCK("2", "7") " right\n? link " ZLOCK(
                                        "3", "8") " right\n"
                                                  "? next-failover " ZLOCK(
                                                      "2", "7") " told, chain complete\n"
                                                                "? standing wrong-predecessor \n");
    model_script_run("ClickHouse 20.6 to 21.11: every replica leads, and nobody watches",
                     "watch /clickhouse/tables/t/leader_election\nconnect\n> connection connected\n"
                     "+ leader_election-0000000000 s=a ch1 (multiple leaders Ok)\n"
                     "+ leader_election-0000000001 s=b ch2 (multiple leaders Ok)\n"
                     "client a on=1 at=h:1\nclient b on=1 at=i:2\n"
                     "tick 1000\nlist\n> election-seen\nreadall\nproof\n? findings none\n");
}

/* Deleted and made again in one transaction: the list is the same, the znode is another, and so is its owner. */
TEST(a_name_made_again)
{
    model_script_run("a waiting one: the session that lost it may watch for its client", HEALTHY
                     "round\n- " C "\n+ " C " s=e\nclient e on=1 at=10.0.0.5:15\nlist\n> unseen +1 -1\n"
                     "tick 10\nreadall\n> candidate-left " C " @3\n> candidate-joined " C " @3\n"
                     "proof\n? findings no-watch error suspected " C
                     "; watcher-without-candidate warning suspected " B "; unseen-changes info certain\n");
    model_script_run("the leader",
                     HEALTHY "round\n- " A "\n+ " A " s=e\nlist\n> unseen +1 -1\ntick 10\nreadall\n"
                             "> leader-lost " A " @1\n> candidate-left " A " @1\n"
                             "> candidate-joined " A " @1\n> leader-elected " A " -> " A " after 0\n");
}

/* Why nobody leads comes before what is as bad. */
TEST(the_reason_first)
{
    model_script_run(
        "a leftover is first, and the next one watches nothing",
        "watch /election\nconnect\n> connection connected\n+ n_0000000000\n+ n_0000000001 s=b\n"
        "+ n_0000000002 s=c\nclient b on=1 at=10.0.0.2:12\nclient c on=1 at=10.0.0.3:13\n"
        "w c n_0000000001\ntick 1000\nlist\n> election-seen\nreadall\nconns 1\ntick 36000\n"
        "read n_0000000000\nproof\n"
        "? findings persistent-candidate critical certain n_0000000000; no-watch critical certain "
        "n_0000000001\n");
}

/* The predecessors of those whose watch fired are read again, and other reads wait meanwhile: only for findings that
 * are shown. */
TEST(a_crowd_whose_watch_fired)
{
    static const char *const quick[] = {"", "quick\n"};
    for (size_t one = 0; one < 2; one++) {
        struct text script = {0};
        text_printf(&script, "watch /election\n%sconnect\n> connection connected\n+ " A " s=a\n", quick[one]);
        for (int i = 1; i < 100; i++)
            text_printf(&script, "+ %032d__lock__%010d s=b\n", i, i);
        text_printf(&script,
                    "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\nw b " A "\n"
                    "tick 1000\nlist\n> election-seen\nreadall\nround\nfire " A "\n"
                    "tick 6000\nround\ntick 6000\nround\n? unread %d\n",
                    one ? 0 : 64);
        model_script_run(one ? "one look" : "all findings", script.at);
        text_free(&script);
    }
}

/* Only lists since it left count, however many left with it. */
TEST(a_session_that_leaves_with_many)
{
    static const char *const before[] = {"+ ", "list\n> candidate-joined ", "- ", "> candidate-left "};
    struct text script = {0};
    text_add(&script, HEALTHY "proof\n");
    for (int step = 0; step < 4; step++) {
        if (step == 2)
            text_add(&script, "readall\n- " C "\n");
        if (step == 3)
            text_add(&script, "list\n> candidate-left " C " @3\n");
        for (int i = 5; i < 25; i++) {
            text_printf(&script, "%s%032d__lock__%010d",
                        i > 5 && step == 1 ? "> candidate-joined " : before[step], i, i);
            if (step == 0)
                text_printf(&script, " s=%x", i + 32);
            else if (step != 2)
                text_printf(&script, " @%d", i);
            text_add(&script, "\n");
        }
    }
    text_add(&script, "fire " C "\nw d " B "\nround\n? findings none\n"
                      "proof\n? findings watcher-without-candidate info certain " B "\n");
    model_script_run("it owns none, and watches", script.at);
    text_free(&script);
}

/* What it leaves in another election is not about what it watches here. */
TEST(a_session_that_takes_locks_elsewhere)
{
    struct text script = {0};
    text_add(&script, HEALTHY "client 77 on=1 at=10.0.1.1:7\nw 77 " B "\nw 77 " C "\nwatch /lock kind=lock\n"
                              "+ n_0000000000 s=77\nlist\n> election-seen\nreadall\n");
    for (int i = 0; i < 4; i++)
        text_printf(&script,
                    "watch /election\nround\ntick 3000\nwatch /lock kind=lock\n- n_%010d\nlist\n"
                    "> leader-lost n_%010d @1\n> candidate-left n_%010d @1\n+ n_%010d s=77\nlist\n"
                    "> candidate-joined n_%010d @1\n> leader-elected n_%010d -> n_%010d after 0\nreadall\n",
                    i, i, i, i + 1, i + 1, i, i + 1);
    text_add(&script, "watch /election\nround\n? findings watcher-without-candidate info suspected " B "\n");
    model_script_run("it watches, owns none, and takes locks elsewhere", script.at);
    text_free(&script);
}
