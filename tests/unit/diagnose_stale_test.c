/*
 * Proves that no finding is cleared because what it rests on went stale: whichever code it is, it stays,
 * unconfirmed, while its server shows nothing, while no server shows anything, and while there is no
 * connection. And that it goes once it is seen to be gone.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/model_script.h"
#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001"
#define GONE "ffffffffffffffffffffffffffffffff__lock__0000000009"
#define C "cccccccccccccccccccccccccccccccc__lock__0000000002"
#define D "dddddddddddddddddddddddddddddddd__lock__0000000003"

/* Four kazoo candidates on the first of three servers, the fourth on the second. */
#define FOUR                                                                                                 \
    "servers 3\nwatch /election\nconnect\n> connection connected\n"                                          \
    "+ " A " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n"                                                   \
    "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"                                           \
    "client c on=1 at=10.0.0.3:13\nclient d on=1 at=10.0.0.4:14\n"                                           \
    "w b " A "\nw c " B "\nw d " C "\n"                                                                      \
    "tick 1000\nlist\n> election-seen\nreadall\n"
#define A_GOES                                                                                               \
    "list\n> leader-lost " A " @1\n> candidate-left " A " @1\n> leader-elected " A " -> " B " after 0\n"

static const struct {
    const char *script; /* up to where it is found */
    const char *code, *certainty;
} illnesses[] = {
    {FOUR "unw c " B "\nproof\nproof\n", "no-watch", "certain"},
    {FOUR "unw c " B "\nround\ntick 1000\nround\n", "no-watch", "suspected"},
    {FOUR "unw c " B "\nw c " GONE "\nproof\nproof\n", "watch-on-deleted", "certain"},
    {FOUR "unw c " B "\nw c " C "\nproof\nproof\n", "watch-self", "certain"},
    {FOUR "unw d " C "\nw d " B "\nproof\nproof\n", "wrong-predecessor", "certain"},
    {FOUR "round\n= " B " x\nfire " B "\nproof\nread " B "\nproof\n", "watch-eaten", "suspected"},
    {FOUR "unw c " B "\nw c " A "\nunw d " C "\nw d " A "\nproof\nproof\n", "herd", "certain"},
    {FOUR "client 77 on=1 at=10.0.1.1:7\nw 77 " B "\nproof\nproof\n", "watcher-without-candidate", "certain"},
    {FOUR "w c " A "\nproof\nproof\n", "extra-watches", "certain"},
    {FOUR
     "ticks 1000\nclient 99 on=1 at=10.0.9.9:9\nown 99\nproof\nsessions\nend b\nround\ntick 1000\nsessions\n"
     "tick 1000\nsessions\ntick 1000\nsync\nreadall\ntick 1000\nsessions\ntick 2000\nsessions\n",
     "ghost-ephemeral", "certain"},
    {FOUR "ticks 1000\nensemble whole 1 2 3\nround\ntick 1000\nround\naway b\ntick 1000\nround\n"
          "tick 10000\nround\ntick 10\nsessions\n",
     "owner-disconnected", "certain"},
    {FOUR "round\nsilent a\ntick 7000\nround\n", "leader-silent", "suspected"},
    {FOUR "round\nsilent a\ntick 30000000\nround\n", "leader-silent",
     "suspected"}, /* as a stranger may say */
    {FOUR "client b on=1 at=10.0.0.2:12 timeout=120000\nround\n", "session-timeout-long", "certain"},
    {FOUR "client b on=1 at=10.0.0.2:12 timeout=500\nround\n", "session-timeout-short", "certain"},
    {FOUR "round\nend a\n- " A "\n" A_GOES "fire " A
          "\nround\nclient e on=1 at=10.0.0.1:77\ntick 5000\nround\ntick 6000\nround\n",
     "double-leader-risk", "suspected"},
    {FOUR "unw b " A "\nproof\nproof\n- " A "\nend a\n" A_GOES, "never-wakes", "suspected"},
    {FOUR "round\ntick 10\n- .\nlist\n"
          "> leader-lost " A " @1\n> candidate-left " A " @1\n> candidate-left " B " @2\n"
          "> candidate-left " C " @3\n> candidate-left " D " @4\n> election-gone\n"
          "end d\ntick 1000\nround\n",
     "election-gone", "certain"},
};

#define LOST 2
static const struct {
    const char *what, *script;
} stale[] = {
    {"its server shows nothing any more", "hide 1 connections\nhide 1 watches\nhide 1 sessions\n"},
    {"no server shows anything any more",
     "hide 1 connections\nhide 1 watches\nhide 1 sessions\nhide 2 connections\nhide 2 watches\n"
     "hide 3 connections\nhide 3 watches\n"},
    [LOST] = {"the connection is lost", "lose\n> connection disconnected\n"},
};

TEST(stays_unconfirmed)
{
    for (size_t i = 0; i < sizeof illnesses / sizeof *illnesses; i++)
        for (size_t k = 0; k < sizeof stale / sizeof *stale; k++) {
            char what[256], script[4096], expected[128];
            /* A belief of what was is confirmed by nothing that servers show. */
            bool kept = strcmp(illnesses[i].code, "never-wakes") != 0 || k == LOST;
            snprintf(what, sizeof what, "%s: %s", illnesses[i].code, stale[k].what);
            snprintf(expected, sizeof expected, "? standing %s %s%s\n", illnesses[i].code,
                     illnesses[i].certainty, kept ? " unconfirmed" : "");
            snprintf(script, sizeof script, "%s? standing %s %s\n%s%stick 1000\ntime\n%stick 60000\ntime\n%s",
                     illnesses[i].script, illnesses[i].code, illnesses[i].certainty, stale[k].script,
                     expected, expected, expected);
            model_script_run(what, script);
        }
}

/* A session that goes from one server to another is in no list for a while: neither that clears anything. */
TEST(stays_while_it_moves)
{
    model_script_run("leader-silent: its connection goes, and then it is told that there is none",
                     FOUR "round\nsilent a\ntick 7000\nround\n"
                          "? standing leader-silent suspected\n"
                          "away a\ntick 100\nround 1\n"
                          "? findings leader-silent warning suspected unconfirmed " A "\n"
                          "round 2\nround 3\ntick 1000\nround\n"
                          "? findings owner-disconnected error suspected " A "\n"
                          "client a on=2 at=10.0.0.1:99\nheard a\nround\n"
                          "? findings none\n");
    model_script_run("leader-silent: it comes back elsewhere, and is heard",
                     FOUR "round\nsilent a\ntick 7000\nround\n"
                          "away a\ntick 100\nround 1\n"
                          "? standing leader-silent suspected unconfirmed\n"
                          "client a on=2 at=10.0.0.1:99\nheard a\nround 2\n"
                          "? findings none\n");
    model_script_run("watcher-without-candidate: kept until every server has given two lists without it",
                     FOUR "client 77 on=1 at=10.0.1.1:7\nw 77 " B "\nproof\nproof\n"
                          "away 77\ntick 100\nround 1\n"
                          "? standing watcher-without-candidate suspected unconfirmed\n"
                          "tick 100\nround 1\nround 2\nconns 3\n"
                          "? standing watcher-without-candidate suspected unconfirmed\n"
                          "tick 1000\nround\n"
                          "? findings none\n");
    model_script_run("double-leader-risk: the same",
                     FOUR "round\nend a\n- " A "\n" A_GOES "fire " A
                          "\nround\nclient e on=1 at=10.0.0.1:77\ntick 5000\nround\ntick 6000\nround\n"
                          "away e\ntick 100\nround 1\n"
                          "? standing double-leader-risk suspected unconfirmed\n"
                          "? suspected yes\n" /* asked for soon ... */
                          "hide 3 connections\n"
                          "tick 1000\nround 1\nround 2\n"
                          "? standing double-leader-risk suspected unconfirmed\n"
                          "? suspected no\n" /* ... unless asking settles nothing */
                          "tick 1000\nround\ntick 1000\nround\n"
                          "? findings none\n");
}

/* What was proved of a connection proves nothing of the one that took its place: it is suspected at once, and
   certain when it was proved anew. On a connection that stays, it was proved. */
TEST(doubts_what_moved)
{
    static const struct {
        const char *code, *who, *watches;
    } wrong[] = {{"no-watch", "c", "unw c " B "\n"},
                 {"watch-on-deleted", "c", "unw c " B "\nw c " GONE "\n"},
                 {"watch-self", "c", "unw c " B "\nw c " C "\n"},
                 {"wrong-predecessor", "d", "unw d " C "\nw d " B "\n"},
                 {"extra-watches", "c", "w c " D "\n"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char what[256], script[4096];
        const char *code = wrong[i].code, *who = wrong[i].who;
        snprintf(what, sizeof what, "%s: its connection goes", code);
        snprintf(script, sizeof script,
                 FOUR "%sproof\nproof\n? standing %s certain\nfindings\n"
                      "away %s\ntick 100\nround 1\n? standing %s suspected unconfirmed\n"
                      "client %s on=2 at=10.0.0.3:99\n%stick 1000\nround 2\n"
                      "? standing %s suspected\n"       /* one look shows it again */
                      "proof\n? standing %s certain\n", /* as was reported before */
                 wrong[i].watches, code, who, code, who, wrong[i].watches, code, code);
        model_script_run(what, script);
        snprintf(what, sizeof what, "%s: at another server by the next look", code);
        snprintf(script, sizeof script,
                 FOUR "%sproof\nproof\n? standing %s certain\n"
                      "client %s on=3 at=10.0.0.3:99\n%stick 1000\nround\n? standing %s suspected\n",
                 wrong[i].watches, code, who, wrong[i].watches, code);
        model_script_run(what, script);
        snprintf(what, sizeof what, "%s: not shown for a while, on the same connection", code);
        snprintf(script, sizeof script,
                 FOUR "%sproof\nproof\nhide 1 watches\ntick 1000\nround\n"
                      "? standing %s certain unconfirmed\nproof\n? standing %s certain\n",
                 wrong[i].watches, code, code);
        model_script_run(what, script);
    }
    model_script_run("watches that a client renews a second after it moved",
                     FOUR "proof\n? findings none\n"
                          "unw c " B "\nclient c on=2 at=10.0.0.3:99\ntick 100\nround\ntick 600\nround\n"
                          "? findings none\ntick 2500\nround\n? standing no-watch suspected\n"
                          "w c " B "\ntick 1000\nround\n? findings none\n");
    model_script_run("... which a clock that is an hour ahead does not delay by that hour",
                     FOUR "proof\nunw c " B "\nclient c on=2 at=10.0.0.3:99 ahead=3600000\ntick 3000\nround\n"
                          "tick 1000\nround\n? standing no-watch suspected\n");
    model_script_run("herd: all of it but one move",
                     FOUR "unw c " B "\nw c " A "\nunw d " C "\nw d " A "\nproof\nproof\n"
                          "? standing herd certain\naway d\ntick 100\nround 1\n? standing herd certain\n"
                          "away c\ntick 100\nround 1\n? standing herd suspected unconfirmed\n"
                          "client c on=2 at=10.0.0.3:99\nw c " A "\nproof\n? standing herd certain\n");
}

/* An election that servers say nothing new about is not looked at again, nor written into a recording. */
TEST(nothing_new)
{
    model_script_run("the same once more", FOUR "proof\nsessions\n"
                                                "note\ntick 1000\nround\nsessions\n? turned no\n"
                                                "note\nunw c " B "\nround\n? turned yes\n"
                                                "w c " B "\nproof\n"
                                                "note\nround\n? turned no\n"
                                                "note\nclient d on=1 at=10.0.0.4:99\nround\n? turned yes\n"
                                                "proof\nnote\nround\n? turned no\n"
                                                "note\naway d\nround\n? turned yes\n");
    model_script_run("whoever falls silent, and is heard again",
                     FOUR "proof\nnote\nround\n? turned no\n"
                          "note\nsilent b\ntick 7000\nround\n? turned yes\n"
                          "note\nheard b\nround\n? turned yes\n"
                          "note\nround\n? turned no\n"
                          "note\nsilent a\ntick 7000\nround\n? turned yes\n"
                          "? standing leader-silent suspected\n"
                          "note\nheard a\nround\n? turned yes\n? findings none\n");
}

/* Whoever begins to watch beside a recording knows who left before that, and says what the run before said:
   since when it did, where the recording reaches until now. */
TEST(survives_a_restart)
{
#define AGAIN "connect\n> connection connected\nlist\n> election-seen\nreadall\n"
#define RISK                                                                                                 \
    FOUR "round\nend a\n- " A "\n" A_GOES "fire " A                                                          \
         "\nround\nclient e on=1 at=10.0.0.1:77\ntick 5000\nround\ntick 6000\nround\n"                       \
         "? standing double-leader-risk suspected\n? raised double-leader-risk 12000\n"
#define FELL_OUT                                                                                             \
    FOUR "proof\nproof\n- " C "\nlist\n> candidate-left " C " @3\nfire " C "\nw d " B "\nproof\n"            \
         "? findings watcher-without-candidate warning suspected " B "\n"
    model_script_run("double-leader-risk", RISK "restart 1000\n" AGAIN "round\ntick 1000\nround\n"
                                                "? standing double-leader-risk suspected\n"
                                                "? raised double-leader-risk 12000\n"
                                                "restart 1000\n" AGAIN "round\n" /* and once more */
                                                "? standing double-leader-risk suspected\n"
                                                "? raised double-leader-risk 12000\n");
    model_script_run("... after a gap: it is found again, and may have gone meanwhile",
                     RISK "restart 60000\n" AGAIN "round\n? standing double-leader-risk suspected\n"
                          "? raised double-leader-risk 72000\n");
    model_script_run("... ten minutes later it says nothing any more",
                     RISK "restart 600000\n" AGAIN "round\n? findings none\n");
    model_script_run("... nor where another one leads by then: who knows who led in between",
                     RISK "- " B "\nrestart 1000\n" AGAIN "round\n? findings none\n");
    model_script_run("watcher-without-candidate: it owned one before",
                     FELL_OUT "restart 1000\n" AGAIN "proof\n"
                              "? findings watcher-without-candidate warning suspected " B "\n");
}
