/*
 * Proves the rule of certainty: a finding is certain only where all that it presumes is known; and that
 * healthy systems of layouts which are known by half are not accused with certainty.
 */
#include <stdio.h>
#include <string.h>

#include "probe/election/certainty.h"
#include "tests/support/model_script.h"
#include "tests/support/test.h"

#define ALL ((1u << PRESUMPTIONS) - 1)

/* Each condition in turn is taken away from each finding: it is suspected then, or not raised. */
TEST(every_presumption_counts)
{
    for (enum finding_code code = 0; code < FINDING_COUNT; code++) {
        enum presumption missing;
        enum certainty_verdict without;
        assert_int_equal(certainty_judge(code, ALL, &missing), VERDICT_CERTAIN);
        assert_int_equal(missing, PRESUMPTIONS);
        for (enum presumption p = 0; p < PRESUMPTIONS; p++) {
            enum certainty_verdict verdict = certainty_judge(code, ALL & ~(1u << p), &missing);
            if (!certainty_presumes(code, p, &without)) {
                assert_int_equal(verdict, VERDICT_CERTAIN);
                continue;
            }
            assert_int_not_equal(verdict, VERDICT_CERTAIN);
            assert_int_equal(verdict, without);
            assert_int_equal(missing, p);
        }
        /* Without all of them, the gravest consequence counts. */
        enum certainty_verdict nothing = certainty_judge(code, 0, &missing);
        for (enum presumption p = 0; p < PRESUMPTIONS; p++)
            assert_true(!certainty_presumes(code, p, &without) || nothing >= without);
    }
}

/* Findings about members say nothing of a directory that is not known to be an election, and those that say
   that a watch is missing presume that every watch is shown or excluded. */
TEST(presumptions_of_kinds_of_findings)
{
    static const enum finding_code watches[] = {FINDING_NO_WATCH, FINDING_WATCH_ON_DELETED,
                                                FINDING_WATCH_SELF, FINDING_WRONG_PREDECESSOR,
                                                FINDING_ORPHAN_READER};
    static const enum finding_code of_leaders[] = {FINDING_NO_LEADER, FINDING_FLAPPING,
                                                   FINDING_SLOW_FAILOVER};
    enum certainty_verdict without;
    for (size_t i = 0; i < sizeof watches / sizeof *watches; i++) {
        assert_true(certainty_presumes(watches[i], PRESUMES_ELECTION, &without));
        assert_int_equal(without, VERDICT_NOTHING);
        assert_true(certainty_presumes(watches[i], PRESUMES_WATCHES, &without));
        assert_int_equal(without, VERDICT_SUSPECTED);
        assert_true(certainty_presumes(watches[i], PRESUMES_LAYOUT, &without));
        assert_true(certainty_presumes(watches[i], PRESUMES_ORDER, &without));
    }
    for (size_t i = 0; i < sizeof of_leaders / sizeof *of_leaders; i++) {
        assert_true(certainty_presumes(of_leaders[i], PRESUMES_LEADER, &without));
        assert_int_equal(without, VERDICT_SUSPECTED);
    }
    for (enum presumption p = 0; p < PRESUMPTIONS; p++) {
        assert_non_null(presumption_kind(p)->word);
        assert_non_null(presumption_kind(p)->assumed);
    }
}

#define RA "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__rlock__0000000000"
#define RB "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__rlock__0000000001"
#define RC "cccccccccccccccccccccccccccccccc__rlock__0000000002"
#define WD "dddddddddddddddddddddddddddddddd__lock__0000000003"
#define RE "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee__rlock__0000000004"
#define RF "ffffffffffffffffffffffffffffffff__rlock__0000000005"
#define FIVE                                                                                                 \
    "watch /lock kind=lock\nconnect\n> connection connected\n"                                               \
    "+ " RA " s=a\n+ " RB " s=b\n+ " RC " s=c\n+ " WD " s=d\n+ " RE " s=e\n+ " RF " s=f\n"                   \
    "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\nclient d on=1 at=h:4\n"               \
    "client e on=1 at=h:5\nclient f on=1 at=h:6\n"                                                           \
    "tick 1000\nlist\n> election-seen\nreadall\n"

TEST(read_write_locks)
{
    model_script_run("three readers hold it, a writer waits for the last, two readers for the writer",
                     FIVE "w d " RC "\nw e " WD "\nw f " WD "\nproof\n"
                          "? findings none\n"
                          "? link " RA " first\n? link " RC " first\n? link " WD " right\n"
                          "? link " RE " right\n? link " RF " right\n"
                          "? next-failover " WD " told, chain complete\n"
                          "? goes " RA " nobody unknown\n"
                          "? goes-why " RA " other readers still hold it\n"
                          "? goes " WD " " RE " told " RF "\n");
    model_script_run("the writer holds it, and three readers wait for it: no herd",
                     "watch /lock kind=lock\nconnect\n> connection connected\n"
                     "+ " WD " s=d\n+ " RE " s=e\n+ " RF " s=f\n"
                     "client d on=1 at=h:4\nclient e on=1 at=h:5\nclient f on=1 at=h:6\n"
                     "tick 1000\nlist\n> election-seen\nreadall\n"
                     "w e " WD "\nw f " WD "\nproof\n"
                     "? findings none\n"
                     "? next-failover " RE " told, chain complete\n");
    model_script_run("orphan-reader: a writer is before it, and it watches nothing",
                     FIVE "w d " RC "\nw e " WD "\nproof\n"
                          "? findings orphan-reader critical certain " RF "\n"
                          "w f " WD "\nround\n"
                          "? findings none\n");
    model_script_run("readers that wait for the writer behind them, which waits for them: nobody holds it",
                     FIVE "w a " WD "\nw b " WD "\nw d " RC "\nw e " WD "\nw f " WD "\nproof\n"
                          "? findings orphan-reader critical suspected " RA "," WD
                          "; orphan-reader critical suspected " RB "," WD "\n");
    model_script_run("... and where no reader waits for it, they may pass it, and hold the lock",
                     FIVE "w d " RC "\nproof\n"
                          "? findings orphan-reader critical suspected " RE
                          "; orphan-reader critical suspected " RF "\n");
    model_script_run("orphan-reader: it waits for a writer that is gone",
                     FIVE "w d " RC "\nw e " WD "\nw f 99999999999999999999999999999999__lock__0000000009\n"
                          "proof\n"
                          "? findings orphan-reader critical certain " RF "\n");
    model_script_run("a writer that waits for the wrong member is no healthy one",
                     FIVE "w d " RA "\nw e " WD "\nw f " WD "\nproof\n"
                          "? findings wrong-predecessor error certain " WD "\n");
#define R0 "read-11111111111111111111111111111110-0000000000"
#define W1 "write-11111111111111111111111111111111-0000000001"
#define R2 "read-11111111111111111111111111111112-0000000002"
#define R3 "read-11111111111111111111111111111113-0000000003"
    model_script_run("aiozk's shared lock: known by its watches, and healthy",
                     "watch /lock kind=auto found\nconnect\n> connection connected\n"
                     "+ " R0 " s=a\n+ " W1 " s=b\n+ " R2 " s=c\n+ " R3 " s=d\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "client d on=1 at=h:4\ntick 1000\nlist\n> election-seen\nreadall\n"
                     "w b " R0 "\nw c " W1 "\nw d " W1 "\nproof\nproof\n"
                     "? recipe zookeeper-shared-lock watch\n? all none\n");
    model_script_run("Curator's names have a GUID, and its readers wait for the first writer",
                     "watch /lock kind=lock\nconnect\n> connection connected\n"
                     "+ _c_11111111-2222-3333-4444-555555555501-__WRIT__0000000000 s=a\n"
                     "+ _c_11111111-2222-3333-4444-555555555502-__WRIT__0000000001 s=b\n"
                     "+ _c_11111111-2222-3333-4444-555555555503-__READ__0000000002 s=c\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "tick 1000\nlist\n> election-seen\nreadall\n"
                     "w b _c_11111111-2222-3333-4444-555555555501-__WRIT__0000000000\n"
                     "w c _c_11111111-2222-3333-4444-555555555501-__WRIT__0000000000\n"
                     "proof\n? recipe curator-rwlock signature\n? all none\n");
}

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001"
#define C "cccccccccccccccccccccccccccccccc__lock__0000000002"
#define D "dddddddddddddddddddddddddddddddd__lock__0000000003"
#define E "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee__lock__0000000004"
#define FOUR_UNREAD                                                                                          \
    "watch /election\nconnect\n> connection connected\n"                                                     \
    "+ " A " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n"                                                   \
    "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"                                           \
    "client c on=1 at=10.0.0.3:13\nclient d on=1 at=10.0.0.4:14\n"                                           \
    "tick 1000\nlist\n> election-seen\nw b " A "\n"
#define FOUR FOUR_UNREAD "readall\n"

/* The rule for a missing or a wrong watch: c has none, which is certain while all conditions hold, and suspected
   without any one of them. */
TEST(conditions_of_a_missing_watch)
{
#define FOUR_REQUESTS "request c\nrequest c\nrequest c\nrequest c\n"
#define SIXTEEN FOUR_REQUESTS FOUR_REQUESTS FOUR_REQUESTS FOUR_REQUESTS
#define FIFTH "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\nlist\n> candidate-joined " E " @5\n"
#define JOINS_X(later_ms)                                                                                    \
    "watch /x/election\n+ n_0000000000 s=8\nlist\n> election-seen\ntick " later_ms                           \
    "\n+ n_0000000001 s=7\nlist\n> candidate-joined n_0000000001 @2\nreadall\nrequest 7\nwatch /election\n"
    static const struct {
        const char *proves, *servers, *before, *meanwhile, *after, *expected;
    } rows[] = {
        {"all conditions hold", "1", "", "", "", "certain"},
        {"it requests something now and then: it may poll", "1", "", "request c\n", "", "suspected"},
        {"... and then nothing for half a minute", "1", "request c\n", "", "", "certain"},
        {"... sixteen requests in ten minutes: it may poll every 45 seconds", "1", "tick 600000\n" SIXTEEN,
         "", "", "suspected"},
        {"... when it joined", "1", SIXTEEN, "", "", "certain"},
        {"... in a day: it joined, and waits", "1", "tick 86400000\n" SIXTEEN, "", "", "certain"},
        {"a request of it is outstanding", "1", "waits c 1\n", "", "", "suspected"},
        {"another session of its address watches its predecessor", "1",
         "client e on=1 at=10.0.0.3:99\nw e " B "\n", "", "", "suspected"},
        {"... or the directory", "1", "client e on=1 at=10.0.0.3:99\nw e .\n", "", "", "suspected"},
        {"... of another address: a second network, or one that tells it", "1",
         "client e on=1 at=10.0.0.9:99\nw e " B "\n", "", "", "suspected"},
        {"... it watches all", "1",
         "client e on=1 at=10.0.0.9:99\nw e " A "\nw e " B "\nw e " C "\nw e " D "\n", "", "", "suspected"},
        {"... it follows the leader", "1", "client e on=1 at=10.0.0.9:99\nw e " A "\n", "", "", "certain"},
        {"... it watches for a member of its own", "1", "client d on=1 at=10.0.0.3:14\n", "", "", "certain"},
        {"... its predecessor is that session's own", "1", "client b on=1 at=10.0.0.3:12\nw b " B "\n", "",
         "", "suspected"},
        {"... at another address", "1", "w b " B "\n", "", "", "certain"},
        {"... it moves, perhaps to another server", "1", "client e on=1 at=10.0.0.3:99\nw e " B "\n", "",
         "away e\ntick 2000\nround\nsync\n", "suspected"},
        {"a server that is not polled may hide such a session", "1", "ensemble part 1\n", "", "",
         "suspected"},
        {"it watches a znode that another member may have made", "1", "w c /app/leader\n", "", "",
         "suspected"},
        {"... in its own directory", "1", "w c leader\n", "", "", "suspected"},
        {"... a place in another line: it may wait there first, and here then", "1",
         "w c /app/jobs/n_0000000007\n", "", "", "suspected"},
        {"... but it has waited here before", "1",
         "w c " B "\nround\nround\nunw c " B "\nw c /app/jobs/n_0000000007\n", "", "", "certain"},
        {"another member watches against the order", "1", "unw d " C "\nw d " A "\n", "", "", "suspected"},
        {"... one behind it", "1", "unw b " A "\nw b " D "\n", "", "", "suspected"},
        {"it is the first by the priorities in the data", "1",
         "= " A " 50\n= " B " 40\n= " C " 10\n= " D " 20\nreadall\n", "", "", "suspected"},
        {"... it is not", "1", "= " A " 10\n= " B " 20\n= " C " 30\n= " D " 40\nreadall\n", "", "",
         "certain"},
        {"nobody watches anything: perhaps nobody should", "1", "unw b " A "\nunw d " C "\n", "", "",
         "suspectedsuspectedsuspected"},
        {"every second one watches: perhaps the backups of the others", "1", FIFTH, "", "",
         "suspectedsuspected"},
        {"... and others watch the one before them, too", "1", FIFTH "w e " D "\n", "", "", "certain"},
        {"its server counts watches on children of strangers", "1", "children 3\n", "", "", "suspected"},
        {"... and the children have changed since it was last busy, which would have used its own up", "1",
         "children 3\nround\ntick 3000\n" FIFTH "w e " D "\n", "", "", "certain"},
        {"... nor does another client react to it", "1",
         "children 3\nclient 7 on=1 at=10.0.0.9:99\nround\ntick 3000\n" FIFTH "w e " D "\n", "", "",
         "certain"},
        {"... one does, and might tell it", "1",
         "children 3\nclient 7 on=1 at=10.0.0.9:99\nround\ntick 3000\n" FIFTH "w e " D "\nrequest 7\n", "",
         "", "suspected"},
        {"... it joins another line at that moment", "1",
         "children 3\nclient 7 on=1 at=10.0.0.9:99\nround\ntick 3000\n" FIFTH "w e " D "\n" JOINS_X("0"), "",
         "", "certain"},
        {"... two seconds later", "1",
         "children 3\nclient 7 on=1 at=10.0.0.9:99\nround\ntick 3000\n" FIFTH "w e " D "\n" JOINS_X("2000"),
         "", "", "suspected"},
        {"... it was busy just before that", "1", "children 3\nround\ntick 1000\n" FIFTH "w e " D "\n", "",
         "", "suspected"},
        {"... less than half a minute ago", "1", "children 3\n", "",
         "tick 3000\n" FIFTH "w e " D "\nround\ntick 6000\nround\n", "suspected"},
        {"... another session of its address may have one", "1",
         "children 3\nclient 7 on=1 at=10.0.0.3:99\nround\ntick 3000\n" FIFTH "w e " D "\n", "", "",
         "suspected"},
        {"... none before its last request, and not since", "1", "round\ntick 2000\nrequest c\nchildren -1\n",
         "", "", "suspected"},
        {"others join and leave behind it all the time", "1", "",
         "+ " E " s=e\nlist\n> candidate-joined " E " @5\n- " E "\nlist\n> candidate-left " E " @5\n", "",
         "certain"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[4096];
        snprintf(
            script, sizeof script,
            "servers %s\n" FOUR_UNREAD "w d " C "\n%sreadall\nround\ntick 8000\n%sround\ntick 8000\n"
            "%sround\ntick 8000\n%sround\ntick 8000\n%sround\ntick 100\nsync\n%s? standing no-watch %s\n",
            rows[i].servers, rows[i].before, rows[i].meanwhile, rows[i].meanwhile, rows[i].meanwhile,
            rows[i].meanwhile, rows[i].after, rows[i].expected);
        model_script_run(rows[i].proves, script);
    }
}

/* A client that takes several locks waits for one after the other, in whatever order it joined them. */
TEST(waits_in_other_lines)
{
#define OTHER_LINE(path)                                                                                     \
    "watch " path                                                                                            \
    "\n+ n_0000000000 s=d\n+ n_0000000001 s=c\nlist\n> election-seen\nreadall\nw c n_0000000000\n"
#define C_AND_D                                                                                              \
    "connect\n> connection connected\nclient c on=1 at=10.0.0.3:13\nclient d on=1 at=10.0.0.4:14\n"
#define FOUR_MORE                                                                                            \
    "watch /election\n+ " A " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n"                                  \
    "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"                                           \
    "tick 1000\nlist\n> election-seen\nw b " A "\nw d " C "\nreadall\nproof\nreadall\nproof\n"               \
    "? standing no-watch "
    model_script_run("its session waits in one line: perhaps for its turn there",
                     C_AND_D OTHER_LINE("/x/election") FOUR_MORE "suspected\n");
    model_script_run("... in two at once",
                     C_AND_D OTHER_LINE("/x/election") OTHER_LINE("/y/election") FOUR_MORE "certain\n");
    model_script_run("... behind one that wants only that lock",
                     C_AND_D "watch /x/election\n+ n_0000000000 s=e\n+ n_0000000001 s=c\nlist\n"
                             "> election-seen\nreadall\nw c n_0000000000\n" FOUR_MORE "suspected\n");
    model_script_run("... it has no place there",
                     C_AND_D "watch /x/election\n+ n_0000000000 s=e\n+ n_0000000001 s=6\nlist\n"
                             "> election-seen\nreadall\nw c n_0000000000\n" FOUR_MORE "certain\n");
}

/* One waits, and nobody was seen to watch: under names that everybody may write, another host may tell it. */
TEST(the_only_one_that_waits)
{
    static const struct {
        const char *first, *second, *before, *expected;
    } rows[] = {
        {"n_0000000000", "n_0000000001", "", "no-watch suspected"},
        {"n_0000000000", "n_0000000001", "w b n_0000000000\nround\nunw b n_0000000000\n", "no-watch certain"},
        {"n_0000000001", "n_0000000003", "w b n_0000000002\n", "watch-on-deleted certain"},
        {"candidate-72058518964535541_0000000000", "candidate-72058518964535542_0000000001", "",
         "no-watch suspected"},
        {A, B, "", "no-watch certain"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "watch /app/election\nconnect\n> connection connected\n+ %s s=a\n+ %s s=b\n"
                 "client a on=1 at=10.0.0.1:11\nclient b on=1 at=10.0.0.2:12\n"
                 "tick 1000\nlist\n> election-seen\nreadall\n%sproof\n? standing %s\n",
                 rows[i].first, rows[i].second, rows[i].before, rows[i].expected);
        model_script_run(rows[i].second, script);
    }
}

/* The last condition, for a wrong watch. */
TEST(conditions_of_a_wrong_watch)
{
    model_script_run("one skips a member, and all others watch the one before them",
                     FOUR "w c " B "\nw d " B "\nproof\n? standing wrong-predecessor certain\n");
    model_script_run("... it watches the first, as an older version may, or a last resort",
                     FOUR "w c " B "\nw d " A "\nproof\n? standing wrong-predecessor suspected\n");
    model_script_run("... beside another one",
                     FOUR "+ " E " s=e\nclient e on=1 at=10.0.0.5:15\nlist\n> candidate-joined " E
                          " @5\nreadall\nw c " B "\nw d " C "\nw e " C "\nw e " A
                          "\nproof\n? standing wrong-predecessor suspected\n");
    model_script_run("... it skips only its own former znode",
                     FOUR_UNREAD "= " C " app-1:80\n= " D " app-1:80\nreadall\nw c " B "\nw d " B
                                 "\nproof\n? standing wrong-predecessor suspected\n");
    model_script_run("... one of its host, which lives",
                     FOUR "client c on=1 at=10.0.0.4:13\nw c " B "\nw d " B
                          "\nproof\n? standing wrong-predecessor certain\n");
    model_script_run("all watch the first: perhaps they should",
                     FOUR "w c " A "\nproof\n? standing wrong-predecessor suspected\n");
    model_script_run("another member has no watch at all: another order would explain both", FOUR
                     "unw b " A "\nw c " B "\nw d " B "\nproof\n? standing wrong-predecessor suspected\n");
}

/* That a client lets the end of its predecessor pass without a request proves nothing yet: it may be busy, or poll
   now and then. */
TEST(predecessors_end_passes)
{
#define PASSES                                                                                               \
    FOUR "w d " C "\nround\ntick 11000\nround\n- " B "\nend b\nlist\n> candidate-left " B " @2\n"            \
         "tick 3000\nround\ntick 3000\nround\n"
    model_script_run("suspected ten seconds after its end, until half a minute has passed without a request",
                     PASSES "tick 4500\nround\nsync\n? standing no-watch suspected\n"
                            "tick 6000\nround\nsync\n? standing no-watch suspected\n"
                            "tick 3000\nround\nsync\n? standing no-watch certain\n");
    model_script_run("... it has requested something: it polls, or was notified", PASSES
                     "request c\ntick 4500\nround\ntick 3000\nround\nsync\n? standing no-watch suspected\n");
    model_script_run("one that was notified may be busy for half a minute",
                     FOUR "w c " B "\nw d " C "\nproof\n- " B "\nend b\nfire " B "\nlist\n"
                          "> candidate-left " B " @2\nround\ntick 6000\nround\ntick 6000\nround\n"
                          "tick 6000\nround\ntick 6000\nround\nsync\n? standing no-watch suspected\n"
                          "tick 6000\nround\ntick 6000\nround\nsync\n? standing no-watch certain\n");
    model_script_run("it becomes first, and requests nothing: it does not know",
                     FOUR "unw b " A "\nw c " B "\nw d " C "\nround\ntick 6000\nround\n"
                          "- " A "\nend a\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                          "> leader-elected " A " -> " B " after 0\n"
                          "tick 5000\nround\n? findings none\ntick 6000\nround\n"
                          "? findings never-wakes critical suspected " B "\n"
                          "request b\ntick 1000\nround\n? findings none\n");
}

/* Others show a watch on their predecessor, and one follows what no server shows. */
TEST(watches_that_no_server_shows)
{
    model_script_run("its server counts watches on children that are nobody's known",
                     FOUR "w d " C "\nchildren 2\nproof\nproof\n"
                          "? findings no-watch error suspected " C "\n"
                          "? link " C " suspect\n? next-failover " B " told, chain unknown\n");
    model_script_run(
        "... and it was polled several times before its place was judged: one more poll is asked for", FOUR
        "w c " B "\nw d " C "\nchildren 3\nproof\n+ " E " s=e\nlist\n> candidate-joined " E " @5\n"
        "client e on=1 at=10.0.0.5:15\nreadall\nround\ntick 900\nround\ntick 900\nround\ntick 900\nround\n"
        "? findings none\n? suspected yes\n"
        "tick 1000\nround\n? findings no-watch error suspected " E "\n");
    model_script_run("... all of them are an observer's", FOUR "w d " C "\nourchildren 2\nchildren 2\nproof\n"
                                                               "? findings no-watch error certain " C "\n");
    model_script_run("... it does not say how many", FOUR "w d " C "\nchildren -1\nproof\nproof\n"
                                                          "? findings no-watch error suspected " C "\n");
    model_script_run("a recursive watch above, of whatever session",
                     FOUR "w d " C "\nclient 77 on=1 at=h:7\nw 77 /\nproof\nproof\n"
                          "? findings no-watch error suspected " C "\n");
    model_script_run("what was proved stays so while the session asks for nothing",
                     FOUR "w d " C "\nproof\nchildren 2\nproof\n"
                          "? findings no-watch error certain " C "\n"
                          "request c\nproof\n"
                          "? findings no-watch error suspected " C "\n");
}

/* Its names leave open whom its members watch, and nothing in the line accuses with certainty. */
TEST(names_that_leave_the_watches_open)
{
#define L(digit) "_c_11111111-2222-3333-4444-55555555550" digit "-lock-000000000" digit
#define L0 L("0")
#define L1 L("1")
#define L2 L("2")
#define L3 L("3")
#define L4 L("4")
#define WRONG(name) "wrong-predecessor warning suspected " name
#define FIVE_LEASES                                                                                          \
    "watch /sem kind=auto found\nconnect\n> connection connected\n"                                          \
    "+ " L0 " s=a\n+ " L1 " s=b\n+ " L2 " s=c\n+ " L3 " s=d\n+ " L4 " s=e\n"                                 \
    "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\nclient d on=1 at=h:4\n"               \
    "client e on=1 at=h:5\ntick 1000\nlist\n> election-seen\nreadall\n"
    model_script_run("Curator's first semaphore has the names of its mutex: two leases",
                     FIVE_LEASES "w c " L0 "\nw d " L1 "\nw e " L2 "\nproof\nproof\n"
                                 "? findings no-watch warning suspected " L1
                                 "; " WRONG(L2) "; " WRONG(L3) "; " WRONG(L4) "\n"
                                                                              "? next-failover " L1
                                                                              " unknown, chain unknown\n");
    model_script_run("... whose waiters watch the one before them: the second lease's holder watches nothing",
                     FIVE_LEASES "w c " L1 "\nw d " L2 "\nw e " L3 "\nproof\nproof\n"
                                 "? findings no-watch warning suspected " L1 "\n");
    model_script_run("... a line that shows that it is a mutex",
                     FIVE_LEASES "w b " L0 "\nw c " L1 "\nw e " L3 "\nproof\n"
                                 "? findings no-watch error certain " L3 "\n");
#define TWO_ACTIVES                                                                                          \
    "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n+ n_0000000003 s=d\n"                       \
    "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\nclient d on=1 at=h:4\n"               \
    "tick 1000\nlist\n> election-seen\nreadall\nw c n_0000000001\nw d n_0000000002\nproof\nproof\n"
    model_script_run("two that lead together, under the names of the recipe, look like a deaf second",
                     "watch /two/election found\nconnect\n> connection connected\n" TWO_ACTIVES
                     "? findings no-watch critical certain n_0000000001\n");
    model_script_run("... unless the configuration says that this is not the recipe",
                     "watch /two/election recipe=sequence\nconnect\n> connection connected\n" TWO_ACTIVES
                     "? findings no-watch warning suspected n_0000000001\n");
    model_script_run("readers and writers of a lock that is not known",
                     "watch /shared kind=auto found\nconnect\n> connection connected\n"
                     "+ in-a1-0000000000 s=a\n+ out-a2-0000000001 s=b\n+ out-a3-0000000002 s=c\n"
                     "+ in-a4-0000000003 s=d\n+ in-a5-0000000004 s=e\n+ in-a6-0000000005 s=f\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "client d on=1 at=h:4\nclient e on=1 at=h:5\nclient f on=1 at=h:6\n"
                     "tick 1000\nlist\n> election-seen\nreadall\n"
                     "w b in-a1-0000000000\nw c out-a2-0000000001\nw d out-a3-0000000002\n"
                     "w e out-a3-0000000002\nw f out-a3-0000000002\nproof\nproof\n? recipe sequence watch\n"
                     "? findings " WRONG("in-a5-0000000004") "; " WRONG(
                         "in-a6-0000000005") "; herd warning suspected "
                                             "out-a3-0000000002,in-a4-0000000003,in-a5-0000000004,"
                                             "in-a6-0000000005\n");
}

/* Each member of a registry watches every other one: that proves no line. */
TEST(members_that_cache_each_other)
{
    model_script_run("a registry whose members cache each other is neither led nor accused",
                     "watch /services/orders kind=auto found\nconnect\n> connection connected\n"
                     "+ host0000000000 s=a\n+ host0000000001 s=b\n+ host0000000002 s=c\n"
                     "client a on=1 at=h:1\nclient b on=1 at=i:2\nclient c on=1 at=j:3\n"
                     "tick 1000\nlist\n> election-seen\nreadall\n"
                     "w a host0000000000\nw a host0000000001\nw a host0000000002\n"
                     "w b host0000000000\nw b host0000000001\nw b host0000000002\n"
                     "w c host0000000000\nw c host0000000001\nw c host0000000002\n"
                     "proof\n? recipe sequence name\n? all none\n");
}

/* One of them depends on another: nobody leads there. */
TEST(a_registry_with_a_dependency)
{
#define SERVICES                                                                                             \
    "watch /services kind=auto found\nconnect\n> connection connected\n+ n_0000000000 s=a\n"                 \
    "+ n_0000000001 s=b\n+ n_0000000002 s=c\n+ n_0000000003 s=d\nclient a on=1 at=h:1\n"                     \
    "client b on=1 at=i:2\nclient c on=1 at=j:3\nclient d on=1 at=k:4\ntick 1000\nlist\n> election-seen\n"   \
    "readall\n"
    model_script_run("one of three that might wait watches the one before it", SERVICES
                     "w c n_0000000001\nproof\n? recipe zookeeper-support name\n? summary unknown\n");
    model_script_run("... and two of three, beside one that never did: perhaps it has another part",
                     SERVICES "w c n_0000000001\nw d n_0000000002\nproof\n? recipe zookeeper-support watch\n"
                              "? findings no-watch warning suspected n_0000000001\n");
    model_script_run("... and all three, of which one lost its watch", SERVICES
                     "w b n_0000000000\nw c n_0000000001\nw d n_0000000002\nround\nunw b n_0000000000\n"
                     "proof\n? findings no-watch critical certain n_0000000001\n");
}

/* kazoo's extra_lock_patterns are for this. */
TEST(two_layouts_in_one_directory)
{
#define GO "_c_eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee-lock-0000000001"
    model_script_run("kazoo's locks wait for go-zk's between them",
                     "watch /lock kind=auto found\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " GO " s=e\n+ " C " s=c\n+ " D " s=d\n"
                     "client a on=1 at=h:1\nclient e on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "client d on=1 at=h:4\ntick 1000\nlist\n> election-seen\nreadall\n"
                     "w e " A "\nw c " GO "\nw d " C "\nproof\nproof\n"
                     "? link " C " unknown: it watches a child of another layout, which may be ahead of it\n"
                     "? next-failover " C " unknown, chain unknown\n"
                     "? findings foreign-child info certain\n");
}

TEST(roles_in_names)
{
    static const struct {
        const char *a, *b;
        bool one;
    } pairs[] = {
        {"n_0000000000", "n_0000000001", true},
        {"_c_11111111-cafe-3333-4444-555555555501-lock-0000000000",
         "_c_beefbeef-2222-3333-dead-555555555501-lock-0000000001", true},
        {"read-11111111111111111111111111111111-0000000000",
         "write-11111111111111111111111111111111-0000000000", false},
        {"read0000000000", "write0000000001", false},
        {"read0000000000", "read0000000001", true},
        {"web-1.example:80-0000000000", "web-2.example:80-0000000001", true},
        {"paris-0000000000", "rome-0000000001", false},
        {"0000000000", "0000000001", true},
        {"n_0000000000", "n_x_0000000001", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(certainty_role(pairs[i].a) == certainty_role(pairs[i].b), pairs[i].one);
}

TEST(names_alone)
{
    model_script_run(
        "a directory that only has an election's kind of names is neither led nor vacant",
        "watch /queue/taken kind=auto found\nconnect\n> connection connected\n"
        "+ qn-0000000000 s=a\n+ qn-0000000001 s=b\n"
        "tick 1000\nlist\n> election-seen\nreadall\n? recipe sequence name\n? sound yes\n"
        "- qn-0000000000\nlist\n> leader-lost qn-0000000000 @1\n> candidate-left qn-0000000000 @1\n"
        "> leader-elected qn-0000000000 -> qn-0000000001 after 0\n"
        "- qn-0000000001\nlist\n> leader-lost qn-0000000001 @1\n> candidate-left qn-0000000001 @1\n"
        "tick 60000\ntime\n? findings none\n? sound yes\n");
    model_script_run("a directory of directories that a pattern matches: its state is unknown",
                     "watch /ill/box matched kind=auto\nconnect\n> connection connected\n"
                     "+ one\n+ two\n+ one/n_0000000000 s=a\n"
                     "list\n> election-seen\ntick 60000\ntime\n? findings none\n? sound no\n");
}

#define LATCH "_c_11111111-2222-3333-4444-555555555501-latch-0000000000"
#define ONE_LATCH LATCH_AT("watch /jobs kind=auto found\n")
#define LATCH_AT(watch)                                                                                      \
    "servers 1\n" watch "connect\n> connection connected\nfailovers\n"                                       \
    "+ " LATCH " s=a\nclient a on=1 at=10.0.0.1:11 timeout=10000\n"                                          \
    "tick 1000\nlist\n> election-seen\nreadall\nround\ntick 3000\nround\nsessions\n"
#define LATCH_2 "_c_22222222-2222-4222-8222-222222222222-latch-0000000001"
#define LATCH_GOES                                                                                           \
    "end a\n- " LATCH "\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH " @1\ntick 100\nround\n"
#define DIRECTORY_GOES "- .\nlist\n> election-gone\ntick 60000\ntime\n"

/* Curator's containers go with their last candidate. */
TEST(directory_goes_with_its_last_candidate)
{
    model_script_run("its client closed it: a clean shutdown",
                     ONE_LATCH "tick 1000\n" LATCH_GOES "sessions\nstated\n> failover " LATCH
                               " -> nobody closed vacancy 102--1\n" DIRECTORY_GOES
                               "? kept-minutes 5\n? findings none\n");
    model_script_run("... and its directory stays: perhaps it is over, as nobody named it",
                     ONE_LATCH "tick 1000\n" LATCH_GOES "sessions\nstated\n> failover " LATCH
                               " -> nobody closed vacancy 102--1\ntick 60000\ntime\n"
                               "? findings no-leader warning suspected\n");
    model_script_run(
        "... and the next one crashes: what was meant once says nothing of an outage that is proven",
        ONE_LATCH "tick 1000\nend a\n- " LATCH "\ngone " LATCH "\n> leader-lost " LATCH
                  " @1\n> candidate-left " LATCH " @1\nlist\ntick 100\nround\nsessions\nstated\n"
                  "> failover " LATCH " -> nobody closed vacancy 102--1\ntick 9000\nlist\n"
                  "+ " LATCH_2 " s=b\nclient b on=1 at=10.0.0.2:12 timeout=10000\nlist\n"
                  "> candidate-joined " LATCH_2 " @1\n> leader-elected " LATCH " -> " LATCH_2 " after 9100\n"
                  "readall\n> failover " LATCH " -> " LATCH_2 " closed vacancy 9000-9200\nround\nsessions\n"
                  "silent b\ntick 3000\nround\ntick 4000\nround\ntick 4000\nround\nend b\n- " LATCH_2
                  "\nlist\n> leader-lost " LATCH_2 " @1\n> candidate-left " LATCH_2 " @1\n"
                  "tick 100\nround\nsessions\n> failover " LATCH_2 " -> nobody expired? detection 7513-11149 "
                  "vacancy 102--1\n"
                  "tick 60000\ntime\n? findings no-leader critical certain\n");
    model_script_run("it ended, and may have been closed", ONE_LATCH
                     "tick 1000\n" LATCH_GOES "sessions\nstated 1\ntick 1000\ntime\n> failover " LATCH
                     " -> nobody ended? vacancy 1100--1\n" DIRECTORY_GOES "? findings none\n");
    model_script_run("it expired: nobody follows a leader that crashed",
                     ONE_LATCH "silent a\ntick 3000\nround\ntick 4000\nround\ntick 4000\nround\n" LATCH_GOES
                               "sessions\n> failover " LATCH " -> nobody expired? detection 7513-11149 "
                               "vacancy 102--1\n" DIRECTORY_GOES
                               "? kept-minutes 1440\n? findings no-leader critical certain\n");
#define DELETED(after)                                                                                       \
    ONE_LATCH after "did a GETD\ntick 1000\nround\ntick 3000\nround\ntick 1000\n- " LATCH "\ngone " LATCH    \
                    "\n> leader-lost " LATCH " @1\n> candidate-left " LATCH                                  \
                    " @1\nlist\ntick 100\nstated\nconns 1\n> failover " LATCH                                \
                    " -> nobody evicted vacancy 100--1\n" DIRECTORY_GOES
    model_script_run("another one deleted it and its directory: a job that is over, perhaps",
                     DELETED("") "? findings no-leader warning suspected\n");
    model_script_run("... but not after a minute",
                     DELETED("tick 60000\n") "? findings no-leader critical certain\n");
    model_script_run("no server shows how it went: it may still need a leader",
                     ONE_LATCH "hide 1 connections\nhide 1 sessions\n- " LATCH "\nlist\n> leader-lost " LATCH
                               " @1\n> candidate-left " LATCH " @1\ntick 1100\ntime\n> failover " LATCH
                               " -> nobody unknown vacancy 1100--1\n" DIRECTORY_GOES
                               "? kept-minutes 1440\n? findings no-leader warning suspected\n");
}

/* Where servers hide how leaders go, how long one led, and what was before, tell whether it is needed at all times. */
TEST(an_end_that_servers_hide)
{
#define HIDDEN ONE_LATCH "hide 1 connections\nhide 1 sessions\n"
#define HIDDEN_END(name)                                                                                     \
    "- " name "\ngone " name "\n> leader-lost " name " @1\n> candidate-left " name                           \
    " @1\nlist\ntick 1100\ntime\n> failover " name " -> nobody unknown vacancy 1100--1\ntick 60000\ntime\n"
#define LASTED HIDDEN "tick 60000\ntime\n" HIDDEN_END(LATCH) "? findings no-leader critical certain\n"
    model_script_run("it led for some seconds, perhaps for one task",
                     HIDDEN HIDDEN_END(LATCH) "? findings no-leader warning suspected\n");
    model_script_run("... for a minute", LASTED);
    model_script_run("... for a minute, which was not all observed",
                     HIDDEN "tick 60000\ntime\nlose\n> connection disconnected\ntick 2000\nconnect\n"
                            "> connection connected\nlist\nreadall\ntick 1000\n" HIDDEN_END(
                                LATCH) "? findings no-leader critical certain\n");
    model_script_run(
        "... the next one, too: but nobody had led for a time, so perhaps it is not always needed",
        LASTED "+ " LATCH_2 " s=b\nlist\n> candidate-joined " LATCH_2 " @1\n> leader-elected " LATCH
               " -> " LATCH_2 " after 61100\n"
               "readall\n> failover " LATCH " -> " LATCH_2
               " unknown vacancy 61000-61200\ntick 60000\ntime\n" HIDDEN_END(
                   LATCH_2) "? findings no-leader warning suspected\n");
}

/* Found after a gap, the sessions that there are now show how the leader went. */
TEST(a_loss_that_is_found_has_a_cause)
{
#define FOUND_LATER                                                                                          \
    "- " LATCH "\nrestart 20000\nconnect\n> connection connected\nlist\n> election-seen\n"                   \
    "tick 100\nround\nstated\nsessions\n"
    model_script_run("its session lives: its znode was deleted", LATCH_AT("watch /jobs\n") FOUND_LATER
                     "> failover " LATCH " -> nobody deleted vacancy 102--1 gap 20000\n");
    model_script_run("its session has ended",
                     LATCH_AT("watch /jobs\n") "end a\n" FOUND_LATER "tick 1100\ntime\n> failover " LATCH
                                               " -> nobody ended? vacancy 1200--1 gap 20000\n");
    model_script_run(
        "the gap bounds it for whoever asks later, too, where the first does not lead",
        LATCH_AT("watch /jobs\n") "+ " LATCH_2 "\nlist\n> candidate-joined " LATCH_2
                                  " @2\nreadall\n" FOUND_LATER "readall\ntick 10000\ntime\n"
                                  "> failover " LATCH " -> " LATCH_2 " unknown gap 20100\n"
                                  "restart 100\nconnect\n> connection connected\nlist\n"
                                  "> election-seen\nreadall\n? lost perhaps nobody leads: the last leader, "
                                  "10.0.0.1, was lost between 22:13:24Z and 22:13:44Z: it is not known "
                                  "how; suspected: the first, " LATCH_2 ", is a leftover without a "
                                  "session: those behind it wait until somebody deletes it\n");
}

TEST(nobody_ever_led)
{
    model_script_run("a named path that never existed",
                     "watch /a/leader\nconnect\n> connection connected\ngone .\n? findings none\n"
                     "tick 6000\ntime\n? findings no-leader critical certain\n");
    model_script_run(
        "a named path in which all are gone",
        "watch /a/leader\nconnect\n> connection connected\n+ " A " s=a\n+ " B "\n- " A "\n- " B
        "\nlist\n> election-seen\n"
        "? why-nobody certain: nobody stands; 2 znodes had been created here, and none is left\n");
    model_script_run("an empty directory that a pattern matches",
                     "watch /a/leader matched kind=auto\nconnect\n> connection connected\n+ " A "\n- " A
                     "\nlist\n> election-seen\ntick 6000\ntime\n? summary vacant\n? sound no\n"
                     "? findings no-leader warning suspected\n");
}

/* Begun after the end: what the leader wrote is still there, and tells who it was. */
TEST(a_mark_that_outlived_its_leader)
{
#define OVERSEER "watch /overseer_elect/election\nconnect\n> connection connected\n"
#define STOOD "+ 1-10.0.0.1:8983_solr-n_0000000000 s=a\n- 1-10.0.0.1:8983_solr-n_0000000000\n"
#define OVERSEER_MARK "+ /overseer_elect/leader s=a {\"id\":\"1-10.0.0.1:8983_solr-n_0000000000\"}\n"
#define READ_MARK "read /overseer_elect/leader\n"
    model_script_run(
        "a Solr overseer without a candidate", OVERSEER STOOD OVERSEER_MARK
        "list\n> election-seen\n? complete no\n" READ_MARK "? recipe solr-overseer name\n? complete yes\n"
        "? lost nobody stands; 1 znode had been created here, and none is left; "
        "/overseer_elect/leader still names 1-10.0.0.1:8983_solr-n_0000000000; how it was lost, only "
        "transaction "
        "logs tell (electop autopsy)\n"
        "client a on=1 at=10.0.0.1:11\nround\n"
        "? lost nobody stands; 1 znode had been created here, and none is left; "
        "/overseer_elect/leader still names 1-10.0.0.1:8983_solr-n_0000000000, whose client is connected; "
        "how it was "
        "lost, only transaction logs tell (electop autopsy)\n"
        "- /overseer_elect/leader\n" READ_MARK
        "? lost nobody stands; 1 znode had been created here, and none is left; who led, and how it "
        "was lost, only transaction logs tell (electop autopsy)\n");
    model_script_run(
        "... whose next candidate proves the layout", OVERSEER STOOD
        "list\n> election-seen\n" READ_MARK "+ 2-10.0.0.2:8983_solr-n_0000000001 s=b\nlist\n"
        "> candidate-joined 2-10.0.0.2:8983_solr-n_0000000001 @1\n"
        "> leader-elected nobody -> 2-10.0.0.2:8983_solr-n_0000000001\n? recipe solr-overseer signature\n");
    model_script_run("... and one of another layout is that of its names", OVERSEER STOOD
                     "list\n> election-seen\n" READ_MARK "+ " LATCH " s=b\nlist\n> candidate-joined " LATCH
                     " @1\n> leader-elected nobody -> " LATCH "\n? recipe curator-latch signature\n");
    model_script_run(
        "a zk-ruby election, in which it is no other child",
        "watch /a/manager\nconnect\n> connection connected\n+ ballot0000000000 s=a x\n- ballot0000000000\n"
        "+ leader_ack s=a 10.0.0.2:80\nlist\n> election-seen\nread leader_ack\n"
        "? recipe zk-ruby name\n? complete yes\n? why-nobody certain: nobody stands; 2 znodes had been "
        "created here, and no candidate is left; certain: /a/manager/leader_ack still names 10.0.0.2:80\n"
        "tick 6000\ntime\n? summary vacant\n? findings no-leader critical certain\n");
    model_script_run(
        "HDFS, whose bread crumb has no owner",
        "watch /hadoop-ha/ns/ActiveStandbyElectorLock\nconnect\n> connection connected\ngone .\n"
        "> election-seen\n+ /hadoop-ha/ns/ActiveBreadCrumb nn1\nread /hadoop-ha/ns/ActiveBreadCrumb\n"
        "? why-nobody certain: nobody stands; certain: /hadoop-ha/ns/ActiveBreadCrumb still names nn1\n");
    model_script_run("a layout whose leader leaves no mark is not taken for one",
                     "watch /a/election\nconnect\n> connection connected\n" STOOD
                     "list\n> election-seen\n? recipe none name\n");
}

/* A pattern that ends in a name says what belongs into each directory that it matches. */
TEST(a_pattern_ends_in_its_name)
{
#define CONTROLLER                                                                                           \
    "+ . s=a {\"version\":1,\"brokerid\":7}\nread .\n> election-seen\ntick 1000\n- .\ngone .\n"              \
    "> leader-lost controller @1\n> candidate-left controller @1\ntick 6000\ntime\n"
    model_script_run("a lock's znode is missed while its directory is there, and vanishes with it",
                     "watch /a/controller expected kind=auto\nconnect\n> connection connected\n" CONTROLLER
                     "? state vacant\n? kept-minutes 0\n? findings no-leader critical certain\n"
                     "watch /a/controller orphaned kind=auto\n> election-gone\ntime\n"
                     "? state absent\n? kept-minutes 5\n? findings none\ngone .\n? state absent\n"
                     "watch /a/controller expected kind=auto\ntick 6000\ntime\n"
                     "? kept-minutes 0\n? findings no-leader critical certain\n");
    model_script_run(
        "a directory whose leader left on purpose, without and with the one that it was in",
        "watch /a/leader expected\nconnect\n> connection connected\n"
        "+ " A " s=a\ntick 1000\nlist\n> election-seen\nreadall\n"
        "- " A "\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n" DIRECTORY_GOES
        "? kept-minutes 0\n? findings no-leader critical certain\n"
        "watch /a/leader orphaned\ntime\n? kept-minutes 5\n? findings none\n"
        "? lost 60000+ the last leader, " A
        ", was lost at 22:13:21Z: it is not known how; the path does not exist, so nobody can stand\n");
    model_script_run("none was ever there",
                     "watch /a/leader expected kind=auto\nconnect\n> connection connected\n"
                     "gone .\n? summary absent\n? sound no\n? kept-minutes 0\n");
}

TEST(assumed_kind)
{
    model_script_run("kazoo's Election and Lock look alike: nobody said that somebody must lead",
                     "watch /jobs kind=auto\nconnect\n> connection connected\n"
                     "+ " A " s=a\ntick 60000\nlist\n> election-seen\nreadall\n"
                     "- " A "\ntick 1000\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "tick 10000\ntime\n"
                     "? findings no-leader critical suspected\n");
    model_script_run("... found by discovery, it is no alarm",
                     "watch /jobs kind=auto found\nconnect\n> connection connected\n"
                     "+ " A " s=a\ntick 60000\nlist\n> election-seen\nreadall\n"
                     "- " A "\ntick 1000\nlist\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "tick 10000\ntime\n"
                     "? findings no-leader warning suspected\n");
    model_script_run("a layout that serves nothing else",
                     "watch /jobs kind=auto found\nconnect\n> connection connected\n"
                     "+ _c_11111111-2222-3333-4444-555555555501-latch-0000000000 s=a\n"
                     "list\n> election-seen\nreadall\ntick 60000\n"
                     "- _c_11111111-2222-3333-4444-555555555501-latch-0000000000\ntick 1000\nlist\n"
                     "> leader-lost _c_11111111-2222-3333-4444-555555555501-latch-0000000000 @1\n"
                     "> candidate-left _c_11111111-2222-3333-4444-555555555501-latch-0000000000 @1\n"
                     "tick 10000\ntime\n"
                     "? findings no-leader critical certain\n");
#define HOLD(name, session)                                                                                  \
    "+ " name " s=" session "\nlist\n> candidate-joined " name " @1\n> leader-elected nobody -> " name       \
    "\nreadall\ntick 2000\n- " name "\nlist\n> leader-lost " name " @1\n> candidate-left " name              \
    " @1\ntick 6000\ntime\n"
#define HOLD_AGAIN(before, name, session, vacant)                                                            \
    "+ " name " s=" session "\nlist\n> candidate-joined " name " @1\n> leader-elected " before " -> " name   \
    " after " vacant "\nreadall\ntick 2000\n- " name "\nlist\n> leader-lost " name                           \
    " @1\n> candidate-left " name " @1\ntick 6000\ntime\n"
    model_script_run("held for short, and free again and again: it is a lock",
                     "watch /jobs kind=auto\nconnect\n> connection connected\n"
                     "+ " A " s=a\nlist\n> election-seen\nreadall\ntick 500\n- " A "\nlist\n> leader-lost " A
                     " @1\n> candidate-left " A " @1\ntick 6000\ntime\n" HOLD_AGAIN(A, B, "b", "6000")
                         HOLD_AGAIN(B, C, "c", "6000") HOLD_AGAIN(C, D, "d", "6000") "? findings none\n");
}

TEST(acknowledgements_of_other_versions)
{
    model_script_run("the acknowledgement of another version was never seen: nothing is missing",
                     "watch /flink/x/latch\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\ntick 60000\nlist\n> election-seen\nreadall\n"
                     "read /flink/x/connection_info\n? ack unknown\ntick 60000\ntime\n? findings none\n");
    model_script_run("... where all versions have the same, it is suspected to be missing",
                     "watch /ledgers/underreplication/auditorelection\nconnect\n> connection connected\n"
                     "+ V_0000000000 s=1 bookieId: \"10.0.0.1:3181\"\ntick 60000\n"
                     "list\n> election-seen\nreadall\nread .\n? ack no\ntick 20000\ntime\n"
                     "? findings never-acknowledged critical suspected V_0000000000\n");
#define BALLOTS "list\n> election-seen\nreadall\nread leader_ack\n"
#define LACKS(certainty) "time\n? findings never-acknowledged critical " certainty " ballot0000000001\n"
    model_script_run(
        "... where a recording saw one, it is certain in the next run, too, once zk-ruby's callbacks "
        "had three minutes",
        "watch /_zkelection/app\nconnect\n> connection connected\n+ ballot0000000000 s=1 a\n"
        "+ ballot0000000001 s=2 b\n+ leader_ack s=1 a\n" BALLOTS "? ack yes\n"
        "- ballot0000000000\n- leader_ack\nlist\n> leader-lost ballot0000000000 @1\n"
        "> candidate-left ballot0000000000 @1\n"
        "> leader-elected ballot0000000000 -> ballot0000000001 after 0\nread leader_ack\n"
        "tick 170000\n" LACKS("suspected") "tick 10000\n" LACKS(
            "certain") "restart 100\nconnect\n> connection connected\n" BALLOTS
                       "tick 10000\n" LACKS("certain"));
    model_script_run("Flink since 1.15 acknowledges with three",
                     "watch /flink/x/leader/latch\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\nlist\n> election-seen\nreadall\n"
                     "+ /flink/x/leader/dispatcher/connection_info s=a u\n"
                     "+ /flink/x/leader/resource_manager/connection_info s=a u\n"
                     "read /flink/x/leader/dispatcher/connection_info\n"
                     "read /flink/x/leader/resource_manager/connection_info\n"
                     "read /flink/x/leader/rest_server/connection_info\n? ack no\n"
                     "tick 10\n+ /flink/x/leader/rest_server/connection_info s=a u\n"
                     "read /flink/x/leader/rest_server/connection_info\n"
                     "> leader-acknowledged " LATCH "\n? ack yes\n");
#define FLINK_PART(part) "/flink/x/leader/" part "/connection_info"
#define FLINK_TAKES_OVER(missing, two, three, findings)                                                                                                              \
    "watch /flink/x/leader/latch\nconnect\n> connection connected\n+ " LATCH " s=a\n+ " LATCH_2                                                                      \
    " s=b\n+ " FLINK_PART(missing) " s=a u\n+ " FLINK_PART(two) " s=a u\n+ " FLINK_PART(                                                                             \
        three) " s=a u\n"                                                                                                                                            \
               "list\n> election-seen\nreadall\nread " FLINK_PART(missing) "\nread " FLINK_PART(                                                                     \
                   two) "\nread " FLINK_PART(three) "\n? ack yes\n- " LATCH                                                                                          \
                                                    "\n- " FLINK_PART(missing) "\n- " FLINK_PART(                                                                    \
                                                        two) "\n- " FLINK_PART(three) "\nlist\n> "                                                                   \
                                                                                      "leader-lost " LATCH                                                           \
                                                                                      " @1\n> "                                                                      \
                                                                                      "candidate-"                                                                   \
                                                                                      "left " LATCH " @1\n"                                                          \
                                                                                      "> "                                                                           \
                                                                                      "leader-"                                                                      \
                                                                                      "elected " LATCH                                                               \
                                                                                      " -> " LATCH_2                                                                 \
                                                                                      " after "                                                                      \
                                                                                      "0\nread " FLINK_PART(missing) "\n+ " FLINK_PART(two) " s=b u\n+ " FLINK_PART( \
                                                                                          three) " s=b "                                                             \
                                                                                                 "u\nread"                                                           \
                                                                                                 " " FLINK_PART(two) "\nread " FLINK_PART(                           \
                                                                                                     three) "\ntick 25000\ntime\n? findings " findings               \
                                                                                                            "\n"
    model_script_run("... of which one may recover for longer than the others",
                     FLINK_TAKES_OVER("dispatcher", "resource_manager", "rest_server",
                                      "never-acknowledged critical suspected " LATCH_2));
    model_script_run("... whichever it is",
                     FLINK_TAKES_OVER("rest_server", "dispatcher", "resource_manager",
                                      "never-acknowledged critical suspected " LATCH_2));
#define SHARD(n) "10000000000000000" n "-core_node" n "-n_000000000" n
#define SHARD_LEADER "/solr/collections/c/leaders/shard1/leader"
    model_script_run(
        "Solr's first of a shard waits three minutes for its replicas",
        "watch /solr/collections/c/leader_elect/shard1/election\nconnect\n> connection connected\n"
        "+ " SHARD("1") " s=1\n+ " SHARD(
            "2") " s=2\n+ " SHARD_LEADER " s=1 x\nlist\n"
                 "> election-seen\nreadall\nread " SHARD_LEADER "\n? ack yes\n- " SHARD(
                     "1") "\n- " SHARD_LEADER
                          "\nlist\n> leader-lost " SHARD("1") " @1\n> candidate-left " SHARD(
                              "1") " @1\n> leader-elected " SHARD("1") " -> " SHARD("2") " after "
                                                                                         "0\nread"
                                                                                         " " SHARD_LEADER
                                                                                         "\ntick "
                                                                                         "170000\ntime\n"
                                                                                         "? findings "
                                                                                         "never-acknowledged "
                                                                                         "critical "
                                                                                         "suspected " SHARD(
                                                                                             "2") "\n"
                                                                                                  "tick "
                                                                                                  "10000\ntim"
                                                                                                  "e\n? "
                                                                                                  "findings "
                                                                                                  "never-"
                                                                                                  "acknowledg"
                                                                                                  "ed "
                                                                                                  "critical "
                                                                                                  "certain"
                                                                                                  " " SHARD(
                                                                                                      "2") "\n");
    model_script_run("an acknowledgement that belongs to a stranger, where none was ever seen with a member",
                     "watch /flink/x/latch\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\n+ /flink/x/connection_info s=77 u\ntick 60000\n"
                     "list\n> election-seen\nreadall\nread /flink/x/connection_info\ntick 20000\ntime\n"
                     "? findings acknowledgement-mismatch critical suspected " LATCH "\n");
#define SECOND "_c_11111111-2222-3333-4444-555555555502-latch-0000000001"
    model_script_run("... a member's proves the layout, also when it was read before that member",
                     "watch /flink/x/latch\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\n+ " SECOND " s=b\n+ /flink/x/connection_info s=b u\n"
                     "list\n> election-seen\nread " LATCH "\nread /flink/x/connection_info\nread " SECOND
                     "\ntick 20000\ntime\n"
                     "? findings acknowledgement-mismatch critical certain " LATCH "," SECOND "\n");
}

TEST(locks_with_hidden_watches)
{
#define HELD(path)                                                                                           \
    "watch " path "\nconnect\n> connection connected\n+ " path " s=a {}\nread .\n> election-seen\n"
    model_script_run(
        "nobody watches it, and every watch is shown",
        HELD("/controller") "client a on=1 at=h:1\nround\n? next-failover nobody not told, chain unknown\n");
    model_script_run("its waiters may follow the children of what is above",
                     HELD("/controller") "client a on=1 at=h:1\nclient b on=1 at=h:2\nchildren 1\nround\n"
                                         "? next-failover nobody unknown, chain unknown\n");
    model_script_run("a recursive watch on the root",
                     HELD("/loadbalance/leader") "client a on=1 at=h:1\nclient b on=1 at=h:2\nw b /\nround\n"
                                                 "? next-failover nobody unknown, chain unknown\n");
    model_script_run("evidence names the lock itself",
                     "servers 1\n" HELD(
                         "/controller") "client a on=1 at=h:1\nround\naway a\ntick 1000\nround\n"
                                        "? why owner-disconnected /controller exists, but no server lists a "
                                        "connection of its session 0xa; it was last listed at 22:13:20Z; it "
                                        "expires by 22:13:34Z | check that client and its "
                                        "network: it must reconnect, or it loses its place\n");
}

TEST(stale_facts)
{
    model_script_run("owner-disconnected ends with its own deadline, and comes again with new lists only",
                     FOUR "w c " B "\nw d " C "\nround\naway b\ntick 1000\nround\n"
                          "? findings owner-disconnected warning suspected " B "\n"
                          "tick 10\nreadall\n? findings owner-disconnected warning certain " B "\n"
                          "tick 13100\ntime\n? findings none\n"
                          "tick 1000\nround\n? findings none\n");
    model_script_run("no list for long: what it showed is not confirmed",
                     FOUR "w c " B "\nw d " C "\nclient b on=1 at=10.0.0.2:12 timeout=120000\nround\n"
                          "? findings session-timeout-long warning certain " B "\n"
                          "tick 20000\ntime\n"
                          "? findings session-timeout-long warning certain unconfirmed " B "\n"
                          "round\n? findings session-timeout-long warning certain " B "\n");
}

TEST(silent_then_gone)
{
    model_script_run("a leader that falls silent, and whose connection ends then",
                     FOUR "w c " B "\nw d " C "\nclient a on=1 at=10.0.0.1:11 timeout=36000\nround\n"
                          "silent a\ntick 13000\nround\ntick 12000\nround\n"
                          "? findings leader-silent warning suspected " A "\n"
                          "away a\ntick 1000\nround\ntick 10\nreadall\n"
                          "? findings owner-disconnected error certain " A "\n"
                          "? why-nobody suspected: the client of the first, 10.0.0.1, has no connection\n"
                          "client a on=1 at=10.0.0.1:12\nheard a\ntick 1000\nround\n? findings none\n");
    model_script_run("an heir without a connection since before the leader was lost was not told", FOUR
                     "w c " B "\nw d " C "\nclient b on=1 at=10.0.0.2:12 timeout=60000\nround\n"
                     "away b\ntick 1000\nround\ntick 10\nreadall\n"
                     "? findings owner-disconnected warning certain " B "\n"
                     "tick 1000\n- " A "\ngone " A "\n> leader-lost " A " @1\n> candidate-left " A " @1\n"
                     "read " B "\n> leader-elected " A " -> " B " after 0\nlist\nround\n"
                     "? findings owner-disconnected error certain " B "\n"
                     "tick 1000\nround\n? findings owner-disconnected critical certain " B "\n"
                     "? why-nobody suspected: the client of the first, 10.0.0.2, has no connection, and had "
                     "none when the leader before it was lost\n"
                     "client b on=1 at=10.0.0.2:12\nheard b\ntick 1000\nround\n? findings none\n");
    model_script_run("an heir that was silent already when it became first may not lead", FOUR
                     "w c " B "\nw d " C "\nclient b on=1 at=10.0.0.2:12 timeout=36000\nround\n"
                     "silent b\ntick 1000\n- " A "\ngone " A "\n> leader-lost " A " @1\n"
                     "> candidate-left " A " @1\nread " B "\n> leader-elected " A " -> " B " after 0\nlist\n"
                     "tick 12000\nround\ntick 12000\nround\n"
                     "? findings leader-silent critical suspected " B "\n"
                     "? why-nobody suspected: the client of the first, 10.0.0.2, is silent\n");
    model_script_run("a leader that pings every two thirds of its timeout, and is late then",
                     FOUR "w c " B "\nw d " C "\nclient a on=1 at=10.0.0.1:11 timeout=36000\nround\n"
                          "silent a\ntick 12000\nround\ntick 12000\nheard a\nround\nsilent a\ntick "
                          "24000\nround\n? findings none\n"
                          "tick 6000\nround\n? findings leader-silent warning suspected " A "\n");
}

/* Where names or watches contradict the order of the numbers, nobody is said to lead, and nobody is accused. */
TEST(the_first_may_not_lead)
{
#define GO_FIRST "_c_eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee-lock-0000000000"
#define CLIENTS "client a on=1 at=h:1\nclient b on=1 at=i:2\nclient c on=1 at=j:3\nclient d on=1 at=k:4\n"
    static const struct {
        const char *proves, *watch, *candidates, *watches, *told;
    } rows[] = {
        {"names of one form", "/some/line kind=auto", "+ x-0000000000 s=a\n+ x-0000000001 s=b\n", "", "led"},
        {"... of two", "/some/line kind=auto", "+ x-0000000000 s=a\n+ y-0000000001 s=b\n", "", "unknown"},
        {"... each with its member's own name", "/some/line kind=auto",
         "+ ada-0000000000 s=a\n+ bea-0000000001 s=b\n+ cid-0000000002 s=c\n", "", "led"},
        {"... of two that share one", "/some/line kind=auto",
         "+ ada-0000000000 s=a\n+ bea-0000000001 s=b\n+ ada-0000000002 s=c\n", "", "unknown"},
        {"numbers that members chose: the server has not given them yet", "/some/line kind=auto",
         "+ db1-0000000003 s=a\n+ db2-0000000003 s=b\n+ db3-0000000007 s=c\n", "", "unknown"},
        {"two lines that differ in a digit", "/some/line kind=auto found",
         "+ shard1-0000000000 s=a\n+ shard1-0000000001 s=b\n+ shard1-0000000002 s=c\n+ shard2-0000000003 "
         "s=d\n",
         "w b shard1-0000000000\nw c shard1-0000000001\n", "unknown"},
        {"... in a layout that a watch across them shows to be one", "/some/line kind=auto found",
         "+ web1-0000000000 s=a\n+ web1-0000000001 s=b\n+ web1-0000000002 s=c\n+ web2-0000000003 s=d\n",
         "w b web1-0000000000\nw c web1-0000000001\nw d web1-0000000002\n", "led"},
        {"... and names of hosts, each of one member", "/some/line kind=auto found",
         "+ web1-0000000000 s=a\n+ web2-0000000001 s=b\n+ web3-0000000002 s=c\n+ web4-0000000003 s=d\n",
         "w b web1-0000000000\nw c web2-0000000001\n", "led"},
        {"... and what the configuration calls one line", "/some/line recipe=sequence",
         "+ shard1-0000000000 s=a\n+ shard1-0000000001 s=b\n+ shard2-0000000002 s=c\n+ shard2-0000000003 "
         "s=d\n",
         "w b shard1-0000000000\nw d shard2-0000000002\n", "led"},
        {"the newest leads, and each watches the next newer one", "/x/election",
         "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n+ n_0000000003 s=d\n",
         "w a n_0000000001\nw b n_0000000002\nw c n_0000000003\n", "unknown"},
        {"the newest leads, and the others follow in the order of their numbers", "/x/election",
         "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n+ n_0000000003 s=d\n",
         "w a n_0000000003\nw b n_0000000000\nw c n_0000000001\n", "unknown"},
        {"... a watch of it shows that there is no end of that chain", "/x/election",
         "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n+ n_0000000003 s=d\n",
         "w a n_0000000003\nw b n_0000000000\nw c n_0000000001\nw d n_0000000002\n", "led"},
        {"the first of the layout waits for another layout's member ahead of it", "/lock kind=auto found",
         "+ " GO_FIRST " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n",
         "w b " GO_FIRST "\nw c " B "\nw d " C "\n", "unknown"},
        {"... which is gone", "/lock kind=auto found",
         "+ " GO_FIRST " s=a\n+ " B " s=b\n+ " C " s=c\n+ " D " s=d\n",
         "w b " GO_FIRST "\nw c " B "\nw d " C "\nround\n- " GO_FIRST "\nfire " GO_FIRST "\nlist\n", "led"},
        {"a leader that observes its heir", "/x/election", "+ n_0000000000 s=a\n+ n_0000000001 s=b\n",
         "w a n_0000000001\nw b n_0000000000\n", "led"},
        {"a leader that caches all", "/x/election",
         "+ n_0000000000 s=a\n+ n_0000000001 s=b\n+ n_0000000002 s=c\n",
         "w a n_0000000001\nw a n_0000000002\n", "led"},
        {"... and the first has not looked since they came", "/some/line kind=auto found",
         "+ m-030-0000000000 s=a\n+ m-010-0000000001 s=b\n+ m-020-0000000002 s=c\n+ m-015-0000000003 s=d\n",
         "w c m-010-0000000001\nw d m-010-0000000001\n", "unknown"},
        {"a priority in the name, of which the lowest leads", "/some/line found",
         "+ m-030-0000000000 s=a\n+ m-010-0000000001 s=b\n+ m-020-0000000002 s=c\n+ m-015-0000000003 s=d\n",
         "w c m-010-0000000001\nround\nround\nunw c m-010-0000000001\nw c m-015-0000000003\n"
         "w d m-010-0000000001\nw a m-020-0000000002\n",
         "unknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[2048];
        snprintf(script, sizeof script,
                 "watch %s\nconnect\n> connection connected\n%s" CLIENTS
                 "tick 1000\nlist\n> election-seen\nreadall\n%sround\nround\n? state led\n? summary %s\n%s",
                 rows[i].watch, rows[i].candidates, rows[i].watches, rows[i].told,
                 strcmp(rows[i].told, "led") == 0 ? "" : "proof\nproof\n? findings none\n");
        model_script_run(rows[i].proves, script);
    }
}

TEST(a_silent_heir_is_no_promise)
{
    model_script_run("an heir that watches, and is silent for nine tenths of its timeout",
                     FOUR "w c " B "\nw d " C "\nclient b on=1 at=10.0.0.2:12 timeout=30000\nround\n"
                          "? next-failover " B " told, chain complete\n"
                          "silent b\ntick 26000\nround\n? next-failover " B " told, chain complete\n"
                          "tick 2000\nround\n? next-failover " B " unknown, chain unknown\n"
                          "heard b\ntick 1000\nround\n? next-failover " B " told, chain complete\n");
}

#define ONE_OF_MANY(path, session, name)                                                                     \
    "watch " path " kind=auto found\n+ " name " s=" session "\nlist\n> election-seen\nread " name "\n"

TEST(one_member_each)
{
    model_script_run(
        "each server owns the lock beside the others': nobody contends for it",
        "connect\n> connection connected\n" ONE_OF_MANY("/w/a", "a", "lock-0000000000")
            ONE_OF_MANY("/w/b", "b", "lock-0000000000") "? alone no\n" ONE_OF_MANY(
                "/w/c", "c",
                "lock-0000000000") "? alone owner\n" ONE_OF_MANY("/w/d/deeper", "d",
                                                                 "lock-0000000000") "? alone no\n");
    model_script_run("... one client may stand in many elections",
                     "connect\n> connection connected\n" ONE_OF_MANY("/w/a", "a", "lock-0000000000")
                         ONE_OF_MANY("/w/b", "a", "lock-0000000000")
                             ONE_OF_MANY("/w/c", "a", "lock-0000000000") "? alone no\n");
    model_script_run("... and a known leader's election needs a successor",
                     "connect\n> connection connected\n" ONE_OF_MANY("/w/a", "a", LATCH)
                         ONE_OF_MANY("/w/b", "b", LATCH) ONE_OF_MANY("/w/c", "c", LATCH) "? alone no\n");
    model_script_run("standbys that try, see that they are not first, and delete",
                     "watch /e/election kind=auto found\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=a\nlist\n> election-seen\nreadall\n? alone no\n"
                     "+ t1\n- t1\n+ t2\n- t2\ntick 20000\nlist\n> unseen +2 -2\n? alone no\n"
                     "+ t3\n- t3\nlist\n> unseen +1 -1\n? alone tried\n"
                     "tick 90000\n+ t4\n- t4\nlist\n> unseen +1 -1\n? alone tried\n"
                     "tick 90000\n+ t5\n- t5\nlist\n> unseen +1 -1\n? alone no\n");
}

TEST(short_lived_directories)
{
    model_script_run("made for one decision, and removed again",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
                     "tick 30\n- " LATCH "\n- .\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
                     " @1\n> election-gone\ntick 1000\nround\ntick 10000\nround\n? findings none\n");
    model_script_run("a guard of a job of half a second, whose client lives on",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
                     "tick 500\n- " LATCH "\n- .\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
                     " @1\n> election-gone\ntick 1000\nround\n? findings none\n");
    model_script_run("... not of two, one of which closed",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\n+ " LATCH_2 " s=b\nclient a on=1 at=h:1\nclient b on=1 at=h:2\n"
                     "list\n> election-seen\nreadall\nround\ntick 500\nend b\n- " LATCH "\n- " LATCH_2
                     "\n- .\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
                     " @1\n> candidate-left " LATCH_2 " @2\n> election-gone\ntick 1000\nround\n"
                     "? findings election-gone warning suspected\n");
    model_script_run(
        "all left, and their directory went: no slow failover to who makes it again",
        "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
        "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
        "tick 60000\nend a\n- " LATCH "\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
        " @1\ntick 3000\n- .\nlist\n> election-gone\ntick 30000\n"
        "+ " LATCH_2 " s=b\nclient b on=1 at=h:2\nlist\n> election-seen\n> candidate-joined " LATCH_2
        " @1\n> leader-elected " LATCH " -> " LATCH_2 " after 33000\nreadall\nround\n? findings none\n");
    model_script_run("... but of a leader whose candidate another client deleted",
                     "servers 1\nwatch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "client a on=1 at=h:1\n+ " LATCH " s=a\nlist\n> election-seen\nreadall\ndid a GETD\n"
                     "round\nsessions\ntick 60000\nround\ntick 1000\n- " LATCH "\ngone " LATCH
                     "\n> leader-lost " LATCH " @1\n> candidate-left " LATCH " @1\nlist\ntick 100\nstated\n"
                     "conns 1\ntick 3000\n- .\nlist\n> election-gone\ntick 30000\n+ " LATCH_2
                     " s=b\nclient b on=1 at=h:2\nlist\n> election-seen\n> candidate-joined " LATCH_2
                     " @1\n> leader-elected " LATCH " -> " LATCH_2 " after 33100\nreadall\nround\n"
                     "? findings double-leader-risk error suspected; slow-failover warning certain " LATCH_2
                     "\n");
    model_script_run("a directory that had lasted: its only member may have removed it",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
                     "tick 60000\nround\n- " LATCH "\n- .\nlist\n> leader-lost " LATCH
                     " @1\n> candidate-left " LATCH
                     " @1\n> election-gone\ntick 1000\nround\n? findings election-gone warning suspected\n");
    model_script_run("... in which nobody stood any more, however the last one left: a container goes so",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
                     "tick 60000\nround\n- " LATCH "\nlist\n> leader-lost " LATCH
                     " @1\n> candidate-left " LATCH
                     " @1\ntick 1000\n- .\nlist\n> election-gone\ntick 1000\nround\n? findings none\n");
    model_script_run(
        "... nor of a lock that was named, whose holder released it",
        "watch /some/mutex kind=lock\nconnect\n> connection connected\n"
        "+ " LATCH " s=a\nclient a on=1 at=h:1\nlist\n> election-seen\nreadall\nround\n"
        "tick 60000\nround\n- " LATCH "\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
        " @1\ndid a DELE\ntick 1000\n- .\nlist\n> election-gone\ntick 1000\nround\n? findings none\n");
#define TWO_GO(watch, findings)                                                                              \
    watch "connect\n> connection connected\n+ " LATCH " s=a\n+ " LATCH_2 " s=b\n"                            \
          "client a on=1 at=h:1\nclient b on=1 at=h:2\nlist\n> election-seen\nreadall\nround\n"              \
          "tick 60000\nround\n- " LATCH "\n- " LATCH_2 "\n- .\nlist\n> leader-lost " LATCH                   \
          " @1\n> candidate-left " LATCH " @1\n> candidate-left " LATCH_2                                    \
          " @2\n> election-gone\ntick 1000\nround\n? findings election-gone " findings "\n"
    model_script_run("... two at once: a job's election may be deleted for them",
                     TWO_GO("watch /some/latch kind=auto found\n", "warning suspected"));
    model_script_run("... somebody named it", TWO_GO("watch /some/latch\n", "critical certain"));
    model_script_run("... or the name in which a pattern ends",
                     TWO_GO("watch /some/latch expected\n", "critical certain"));
    model_script_run("its leaders last for milliseconds, and it is empty in between",
                     "watch /some/latch kind=auto found\nconnect\n> connection connected\n"
                     "+ x\n- x\nlist\n> election-seen\n"
                     "+ " LATCH " s=a\nlist\n> candidate-joined " LATCH
                     " @1\n> leader-elected nobody -> " LATCH "\nreadall\ntick 20\n- " LATCH
                     "\nlist\n> leader-lost " LATCH " @1\n> candidate-left " LATCH
                     " @1\ntick 60000\ntime\n? findings none\n");
}

TEST(equal_numbers)
{
#define T1 "11111111111111111111111111111111__lock__0000000001"
    model_script_run("members of equal number may each take the other for the first",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ " A " s=a\n+ " B " s=b\n+ " T1 " s=c\n"
                     "client a on=1 at=h:1\nclient b on=1 at=h:2\nclient c on=1 at=h:3\n"
                     "tick 1000\nlist\n> election-seen\nreadall\n"
                     "w b " A "\nw c " A "\nproof\n"
                     "? link " T1 " unknown: the order of equal sequence numbers is not defined\n"
                     "? findings sequence-tie error certain " T1 "," B "; herd info certain " A "," B "," T1
                     "\n");
}

TEST(exhausted_sequence)
{
    model_script_run("at the last number all further candidates get the same, or are refused",
                     "watch /election\nconnect\n> connection connected\nwind 2147483646\n"
                     "+ n_2147483646 s=a\nlist\n> election-seen\nreadall\n? next 2147483647\n"
                     "? findings sequence-overflowed critical certain\n");
    model_script_run(
        "servers that have lost transactions count anew: that proves no changes",
        "watch /election\nconnect\n> connection connected\nwind 50\n"
        "+ n_0000000050 s=a\nlist\n> election-seen\nreadall\n? next 51\n"
        "wind 40\n+ n_0000000051 s=b\nlist\n> candidate-joined n_0000000051 @2\n? unseen +0 -0\n");
}

/* A registry's ids look like numbers: who numbered them, the directory's counter shows. */
TEST(numbers_that_no_server_gave)
{
#define IDS "+ shard-0000000000 s=a\n+ shard-2147483647 s=b\nlist\n> election-seen\nreadall\n"
    model_script_run("a registry",
                     "watch /r kind=auto found\nconnect\n> connection connected\n" IDS "? findings none\n");
    model_script_run("... that somebody calls an election",
                     "watch /election\nconnect\n> connection connected\n" IDS "? findings none\n");
    model_script_run("... with negative ids",
                     "watch /election\nconnect\n> connection connected\n+ n_-0000000005 s=a\n"
                     "list\n> election-seen\nreadall\n? findings none\n");
    model_script_run("a queue that has used them up is no election",
                     "watch /q kind=auto found\nconnect\n> connection connected\nwind 2147483646\n"
                     "+ qn-2147483646 s=a\nlist\n> election-seen\nreadall\n? findings none\n");
}
