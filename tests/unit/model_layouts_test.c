/* Proves what the model makes of each layout: locks, acknowledgements, recipes and their order, as scripts
 * (model_script.h). */

#include "probe/election/model.h"
#include "tests/support/model_script.h"
#include "tests/support/test.h"

/* One ephemeral znode at the path itself. */
TEST(locks)
{
    model_script_run("an ephemeral znode at the path is a lock, whatever the path",
                     "watch /jobs/cleaner kind=lock\nconnect\n> connection connected\n"
                     "+ . s=1 worker-1\n"
                     "tick 100\n"
                     "list\n"
                     "> election-seen\n"
                     "? complete no\n"
                     "read .\n"
                     "? recipe lock name\n"
                     "? state led\n"
                     "? leader cleaner\n"
                     "? since ~0\n"
                     "? complete yes\n"
                     "? identity cleaner worker-1 by data\n"
                     "? guard /jobs/cleaner none\n"
                     "- .\n"
                     "tick 10\n"
                     "gone .\n"
                     "> leader-lost cleaner @1\n"
                     "> candidate-left cleaner @1\n"
                     "? state vacant\n"
                     "? guard /jobs/cleaner none\n"
                     "+ . s=2 worker-2\n"
                     "tick 10\n"
                     "read .\n"
                     "> candidate-joined cleaner @1\n"
                     "> leader-elected cleaner -> cleaner after 10\n"
                     "? since 120\n"
                     "? tenures cleaner(worker-1) ~100-110, nobody 110-120, cleaner(worker-2) 120-\n");
    model_script_run("a lock that was found is kept for a day without a holder, however many there are",
                     "watch /jobs/42/lock kind=auto found\nconnect\n> connection connected\n"
                     "+ . s=1 worker-1\nread .\n> election-seen\n? kept-minutes 0\n"
                     "- .\ntick 10\ngone .\n> leader-lost lock @1\n> candidate-left lock @1\n"
                     "? state vacant\n? kept-minutes 1440\n");
    model_script_run("a new holder whose predecessor's end was not seen",
                     "watch /controller\nconnect\n> connection connected\n"
                     "+ . s=1 {\"version\":1,\"brokerid\":7}\n"
                     "read .\n"
                     "> election-seen\n"
                     "? recipe kafka-controller signature\n"
                     "? identity controller broker 7 by data\n"
                     "- .\n"
                     "tick 50\n"
                     "+ . s=2 {\"version\":1,\"brokerid\":8}\n"
                     "tick 10\n"
                     "read .\n"
                     "> leader-lost controller @1\n"
                     "> unseen +1 -1\n"
                     "> leader-elected controller -> controller\n"
                     "? since ~50\n"
                     "? unseen +1 -1\n"
                     "list\n"
                     "= . {\"version\":1,\"brokerid\":9}\n"
                     "read .\n"
                     "? identity controller broker 9 by data\n");
    model_script_run(
        "a new holder that a list shows first is told once its data says who it is",
        "people\nwatch /controller\nconnect\n> connection connected\n"
        "+ . s=1 {\"version\":1,\"brokerid\":7}\nread .\n> election-seen\n"
        "tick 10\n- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
        "tick 10\n+ . s=2 {\"version\":1,\"brokerid\":8}\nlist\n"
        "> candidate-joined controller @1\n"
        "? state led\n? leader controller\n? identity controller none\n"
        "tick 3\nread .\n> leader-elected controller(broker 7) -> controller(broker 8) after 13\n"
        "? since 20\n"
        "? tenures controller(broker 7) ~0-10, nobody 10-20, controller(broker 8) 20-\n"
        "list\nread .\n");
    model_script_run("... the same where the end of the one before went unseen",
                     "people\nwatch /controller\nconnect\n> connection connected\n"
                     "+ . s=1 {\"version\":1,\"brokerid\":7}\nread .\n> election-seen\n"
                     "- .\n+ . s=2 {\"version\":1,\"brokerid\":8}\ntick 10\nlist\n"
                     "> leader-lost controller @1\n> unseen +1 -1\n"
                     "tick 3\nread .\n> leader-elected controller(broker 7) -> controller(broker 8)\n");
    model_script_run("... at once where it has no data, and in order where that never comes: it goes again,",
                     "people\nwatch /controller\nconnect\n> connection connected\n"
                     "+ . s=1 x\nread .\n> election-seen\n"
                     "- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
                     "+ . s=2\nlist\n> candidate-joined controller @1\n"
                     "> leader-elected controller(x) -> controller after 0\n"
                     "- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
                     "+ . s=3 y\nlist\n> candidate-joined controller @1\n"
                     "- .\nread .\n> leader-elected controller -> controller after 0\n"
                     "> leader-lost controller @1\n> candidate-left controller @1\n");
    model_script_run("... may not be read, or the tool is away for so long that the failover is due",
                     "people\nwatch /controller\nconnect\n> connection connected\n"
                     "+ . s=1 x\nread .\n> election-seen\nfailovers\n"
                     "- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
                     "+ . s=2 y\nlist\n> candidate-joined controller @1\n"
                     "lose\n> connection disconnected\ntick 9000\ntime\ntick 1000\ntime\n"
                     "> leader-elected controller(x) -> controller after 10000 gap 10000\n"
                     "> failover controller -> controller unknown vacancy 0-100\n"
                     "connect\n> connection connected\nread .\n"
                     "- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
                     "+ . s=3 z\nlist\n> candidate-joined controller @1\n"
                     "deny .\n> leader-elected controller(y) -> controller after 0\n");
    model_script_run("a lock that its path names is vacant where nothing lies",
                     "watch /kafka/controller\nconnect\n> connection connected\n"
                     "? guard /kafka/controller none\n"
                     "list\n"
                     "> election-seen\n"
                     "? state vacant\n"
                     "? complete yes\n"
                     "tick 5\n"
                     "+ . s=1\n"
                     "read .\n"
                     "> candidate-joined controller @1\n"
                     "> leader-elected nobody -> controller\n");
    model_script_run("a Stat alone shows the holder at once, its data completes the look",
                     "watch /controller\nconnect\n> connection connected\n"
                     "+ . s=1 broker-a\n"
                     "stat .\n"
                     "> election-seen\n"
                     "? leader controller\n"
                     "? complete no\n"
                     "read .\n"
                     "? complete yes\n"
                     "? identity controller broker-a by data\n"
                     "= . broker-b\n"
                     "stat .\n"
                     "read .\n"
                     "? identity controller broker-b by data\n");
    model_script_run(
        "away while the lock stays with its holder",
        "watch /controller\nconnect\n> connection connected\n+ . s=1 x\nread .\n> election-seen\n"
        "tick 10\n"
        "lose\n"
        "> connection disconnected\n"
        "tick 10\n"
        "connect\n"
        "> connection connected\n"
        "list\n"
        "? fresh yes\n"
        "? tenures controller(x) ~0-10, gap 10-20, controller(x) ~20-\n");
    model_script_run(
        "a holder whose data was never read is no child of its lock",
        "watch /controller\nconnect\n> connection connected\n+ . s=1 x\nread .\n> election-seen\n"
        "- .\n+ . s=2 y\nlist\n> leader-lost controller @1\n> unseen +1 -1\n"
        "lose\n> connection disconnected\nconnect\n> connection connected\nlist\nreadall\n"
        "read .\n> leader-elected controller -> controller\n");
    model_script_run(
        "vacant before a gap and after it: it may have been held meanwhile",
        "watch /controller\nconnect\n> connection connected\n+ . s=1 x\nread .\n> election-seen\n"
        "tick 10\n- .\nread .\n> leader-lost controller @1\n> candidate-left controller @1\n"
        "tick 10\nlose\n> connection disconnected\ntick 10\nconnect\n> connection connected\nread .\n"
        "tick 10\n+ . s=2 y\nread .\n> candidate-joined controller @1\n"
        "> leader-elected controller -> controller\n");
    model_script_run("a breadcrumb with the holder's data acknowledges",
                     "watch /hadoop-ha/ns/ActiveStandbyElectorLock\nconnect\n> connection connected\n"
                     "? acknowledgement /hadoop-ha/ns/ActiveBreadCrumb\n"
                     "list\n"
                     "> election-seen\n"
                     "tick 5\n"
                     "+ . s=1 nn1\n"
                     "read .\n"
                     "> candidate-joined ActiveStandbyElectorLock @1\n"
                     "> leader-elected nobody -> ActiveStandbyElectorLock\n"
                     "+ /hadoop-ha/ns/ActiveBreadCrumb nn2\n"
                     "read /hadoop-ha/ns/ActiveBreadCrumb\n"
                     "? ack no\n"
                     "= /hadoop-ha/ns/ActiveBreadCrumb nn1\n"
                     "tick 5\n"
                     "read /hadoop-ha/ns/ActiveBreadCrumb\n"
                     "> leader-acknowledged ActiveStandbyElectorLock after 5\n"
                     "? ack yes\n");
    model_script_run(
        "what is seen late is an interval; what servers timed is not",
        "people\nwatch /hadoop-ha/ns/ActiveStandbyElectorLock\nconnect\n> connection connected\n"
        "+ /hadoop-ha/ns/ActiveBreadCrumb nn1\nread /hadoop-ha/ns/ActiveBreadCrumb\n"
        "+ . s=1 nn1\nread .\n> election-seen\nfailovers\n"
        "- .\nread .\n> leader-lost ActiveStandbyElectorLock @1\n"
        "> candidate-left ActiveStandbyElectorLock @1\n"
        "tick 300\n+ . s=2 nn2\ntick 7\nread .\n"
        "> candidate-joined ActiveStandbyElectorLock @1\n"
        "> leader-elected ActiveStandbyElectorLock(nn1) -> ActiveStandbyElectorLock(nn2) after 307\n"
        "tick 20\n= /hadoop-ha/ns/ActiveBreadCrumb nn2\ntick 6\n"
        "read /hadoop-ha/ns/ActiveBreadCrumb\n"
        "> leader-acknowledged ActiveStandbyElectorLock after 26\n"
        "tick 20000\ntime\n"
        "> failover ActiveStandbyElectorLock -> ActiveStandbyElectorLock(nn2) unknown vacancy "
        "207-407 takeover 27 total 234--1\n");
    model_script_run("a directory at a lock's usual path is an election all the same",
                     "watch /service/pg/leader\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=1\n"
                     "read .\n"
                     "list\n"
                     "> election-seen\n"
                     "? recipe zookeeper-support name\n"
                     "? leader n_0000000000\n");
}

/* Marks: a node of the leader's session, a registry, the directory's own data. */
TEST(acknowledgements)
{
    model_script_run("an ephemeral acknowledgement of the leader's session",
                     "watch /election acknowledgement=/election-leader\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=1\n+ n_0000000001 s=2\n+ /election-leader s=1\n"
                     "list\n> election-seen\nreadall\n"
                     "? ack unknown\n"
                     "? complete no\n"
                     "? guard /election/n_0000000000 /election-leader\n"
                     "read /election-leader\n"
                     "? ack yes\n"
                     "? complete yes\n"
                     "- n_0000000000\n"
                     "tick 10\n"
                     "gone n_0000000000\n"
                     "> leader-lost n_0000000000 @1\n"
                     "> candidate-left n_0000000000 @1\n"
                     "? ack unknown\n"
                     "read n_0000000001\n"
                     "> leader-elected n_0000000000 -> n_0000000001 after 0\n"
                     "? ack no\n"
                     "- /election-leader\n"
                     "gone /election-leader\n"
                     "? ack no\n"
                     "tick 40\n"
                     "+ /election-leader s=2\n"
                     "read /election-leader\n"
                     "> leader-acknowledged n_0000000001 after 40\n"
                     "? change n_0000000000 -> n_0000000001, lost 10, vacant 0, took over 40\n");
    model_script_run("a registry acknowledges by session, and names the candidates",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ c_0000000000 s=1\n+ c_0000000001 s=2\n"
                     "+ /coordinators_service_registry/n_0000000000 s=1 http://10.0.0.1:8080/search\n"
                     "list\n> election-seen\nreadall\n"
                     "? recipe course-search signature\n"
                     "? acknowledgement /coordinators_service_registry\n"
                     "? ack unknown\n"
                     "list /coordinators_service_registry\n"
                     "? complete no\n"
                     "read /coordinators_service_registry/n_0000000000\n"
                     "? ack yes\n"
                     "? complete yes\n"
                     "? identity c_0000000000 10.0.0.1:8080 by registry\n"
                     "? identity c_0000000001 none\n"
                     "? tenures c_0000000000(10.0.0.1:8080) ~0-\n"
                     "- c_0000000000\n"
                     "- /coordinators_service_registry/n_0000000000\n"
                     "tick 5\n"
                     "gone c_0000000000\n"
                     "> leader-lost c_0000000000 @1\n"
                     "> candidate-left c_0000000000 @1\n"
                     "list\n"
                     "> leader-elected c_0000000000 -> c_0000000001 after 0\n"
                     "list /coordinators_service_registry\n"
                     "? ack no\n"
                     "+ /coordinators_service_registry/n_0000000001 s=2 http://10.0.0.2:8080/search\n"
                     "tick 20\n"
                     "list /coordinators_service_registry\n"
                     "read /coordinators_service_registry/n_0000000001\n"
                     "> leader-acknowledged c_0000000001 after 20\n"
                     "? identity c_0000000001 10.0.0.2:8080 by registry\n");
    model_script_run("a recipe used without its registry has no acknowledgement",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ c_0000000000 s=1\nlist\n> election-seen\nreadall\n"
                     "list /coordinators_service_registry\n"
                     "? ack none\n"
                     "? complete yes\n");
    model_script_run("the directory's own data as the acknowledgement",
                     "watch /ledgers/underreplication/auditorelection\nconnect\n> connection connected\n"
                     "+ V_0000000000 s=1 bookieId: \"10.0.0.1:3181\"\n"
                     "list\n> election-seen\nreadall\n"
                     "? guard /ledgers/underreplication/auditorelection/V_0000000000 "
                     "/ledgers/underreplication/auditorelection\n"
                     "? identity V_0000000000 10.0.0.1:3181 by data\n"
                     "read .\n"
                     "? ack no\n"
                     "tick 5\n"
                     "= . bookieId: \"10.0.0.1:3181\"\n"
                     "read .\n"
                     "> leader-acknowledged V_0000000000\n"
                     "? ack yes\n");
    model_script_run(
        "a persistent acknowledgement names a leader by its whole word, whatever stands about it",
        "watch /election acknowledgement=/mark\nconnect\n> connection connected\n"
        "+ n_0000000000 s=1 host-1\n+ /mark host-10\n"
        "list\n> election-seen\nreadall\nread /mark\n? ack no\n"
        "= /mark leads: host-1:8080\nread /mark\n> leader-acknowledged n_0000000000\n? ack yes\n"
        "= /mark leads: host-10:8080\nread /mark\n? ack unknown\n"
        "= /mark leads: host-2\nread /mark\n? ack no\n"
        "= /mark \xac\xed host-2\nread /mark\n? ack unknown\n"); /* Java's, which may name it by other bytes */
    model_script_run(
        "a persistent acknowledgement is judged by its data alone, not by the data that it had before",
        "watch /election acknowledgement=/election-leader\nconnect\n> connection connected\n"
        "+ n_0000000000 s=1 host-a\n+ /election-leader host-b\n"
        "list\n> election-seen\nreadall\n"
        "stat /election-leader\n"
        "? complete no\n"
        "? ack unknown\n"
        "read /election-leader\n"
        "? ack no\n"
        "? complete yes\n"
        "= /election-leader host-a\n"
        "tick 3\n"
        "stat /election-leader\n"
        "? ack no\n"
        "read /election-leader\n"
        "> leader-acknowledged n_0000000000\n");
    model_script_run("an acknowledgement inside the election is not foreign to it",
                     "watch /_zkelection/x\nconnect\n> connection connected\n"
                     "+ ballot0000000000 s=1\n+ leader_ack s=1\nlist\n> election-seen\nreadall\n"
                     "? acknowledgement /_zkelection/x/leader_ack\n"
                     "? foreign 0\n"
                     "read leader_ack\n"
                     "? ack yes\n"
                     "- leader_ack\n"
                     "gone leader_ack\n"
                     "? ack no\n"
                     "list\n"
                     "? unseen +0 -0\n");
}

/* What a directory is called does not change while its candidates stand. */
TEST(recognition)
{
    model_script_run("unknown names with numbers look like an election",
                     "watch /things\nconnect\n> connection connected\n"
                     "+ member-0000000003 s=1\n+ readme\nlist\n> election-seen\n"
                     "? recipe sequence name\n"
                     "? foreign 1 readme\n");
    model_script_run(
        "the majority decides, and a later majority does not change it",
        "watch /things\nconnect\n> connection connected\n"
        "+ 0123456789abcdef0123456789abcdef__lock__0000000000 s=1\n"
        "list\n> election-seen\n"
        "? recipe kazoo signature\n"
        "+ a-0000000001 s=1\n+ b-0000000002 s=1\n+ c-0000000003 s=1\n"
        "list\n"
        "? recipe kazoo signature\n"
        "? foreign 3 a-0000000001 b-0000000002 c-0000000003\n"
        "- 0123456789abcdef0123456789abcdef__lock__0000000000\n"
        "tick 1\n"
        "list\n"
        "> leader-lost 0123456789abcdef0123456789abcdef__lock__0000000000 @1\n"
        "> candidate-left 0123456789abcdef0123456789abcdef__lock__0000000000 @1\n"
        "> leader-elected 0123456789abcdef0123456789abcdef__lock__0000000000 -> a-0000000001 after 0\n"
        "? recipe sequence name\n"
        "? foreign 0\n"
        "? line a-0000000001 b-0000000002 c-0000000003\n");
    model_script_run("what is configured is not guessed",
                     "watch /things recipe=curator-latch\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=1\nlist\n> election-seen\n"
                     "? recipe curator-latch configured\n"
                     "? state vacant\n"
                     "? foreign 1 n_0000000000\n");
    model_script_run("a vacant election is still called what it was",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ n_0000000000 s=1 a\n+ n_0000000001 s=2 b\n+ n_0000000002 s=3 c\n"
                     "list\n> election-seen\nreadall\n"
                     "- n_0000000000\n"
                     "- n_0000000001\n"
                     "- n_0000000002\n"
                     "list\n"
                     "> leader-lost n_0000000000 @1\n"
                     "> candidate-left n_0000000000 @1\n"
                     "> candidate-left n_0000000001 @2\n"
                     "> candidate-left n_0000000002 @3\n"
                     "? state vacant\n"
                     "? recipe zookeeper signature\n");
}

/* Order: by number, never by name; equal numbers by their age once it is known. */
TEST(order)
{
    model_script_run("a GUID in front of the number does not decide",
                     "watch /things\nconnect\n> connection connected\n"
                     "+ ffffffffffffffffffffffffffffffff__lock__0000000000 s=1\n"
                     "+ 00000000000000000000000000000000__lock__0000000001 s=2\n"
                     "list\n> election-seen\n"
                     "? leader ffffffffffffffffffffffffffffffff__lock__0000000000\n");
    model_script_run("a tie is ordered by name until all are read, then by age, without a change being told",
                     "watch /locks/a\nconnect\n> connection connected\n"
                     "+ 99999999999999999999999999999999__lock__0000000001 s=2\n"
                     "+ 88888888888888888888888888888888__lock__0000000001 s=1\n"
                     "list\n> election-seen\n"
                     "? leader 88888888888888888888888888888888__lock__0000000001\n"
                     "read 99999999999999999999999999999999__lock__0000000001\n"
                     "? leader 88888888888888888888888888888888__lock__0000000001\n"
                     "read 88888888888888888888888888888888__lock__0000000001\n"
                     "? leader 99999999999999999999999999999999__lock__0000000001\n"
                     "? line 99999999999999999999999999999999__lock__0000000001 "
                     "88888888888888888888888888888888__lock__0000000001\n");
    model_script_run("... but Solr's, by their whole names",
                     "watch /overseer_elect/election\nconnect\n> connection connected\n"
                     "+ 9-b-n_0000000001 s=2\n+ 8-a-n_0000000001 s=1\n"
                     "list\n> election-seen\nreadall\n"
                     "? line 8-a-n_0000000001 9-b-n_0000000001\n"
                     "? identity 9-b-n_0000000001 b by name\n");
    model_script_run("a persistent node of the pattern is a candidate, too",
                     "watch /election\nconnect\n> connection connected\n"
                     "+ n_0000000000\n+ n_0000000001 s=1\nlist\n> election-seen\nreadall\n"
                     "? leader n_0000000000\n");
}

/* An election's recipe may be a pattern of its own; an unknown one is refused with the names that exist. */
TEST(configured_recipes)
{
    static char hosts[] = "h:1/app/", name[] = "prod", path[] = "/things", pattern[] = "^member-(\\d{10})$",
                child[] = "member-0000000042";
    struct election_settings election = {.path = path, .recipe = pattern};
    struct cluster_settings cluster = {
        .name = name, .hosts = hosts, .elections = &election, .election_count = 1};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error = NULL, *names[] = {child};
    struct model *model = model_new(&settings, &error);
    assert_non_null(model);
    assert_string_equal(model->clusters[0].chroot, "/app");
    struct observation o = {
        .kind = OBSERVED_ELECTION, .at = {1, 1}, .election = "/app/things", .path = "/app/things"};
    o.subject = (struct observed_election){ORIGIN_CONFIGURED, &election};
    model_observe(model, &o);
    const struct election *found = model_election(model, 0, "/app/things");
    assert_string_equal(found->name, "/things");
    assert_string_equal(found->recipe->candidate, pattern);
    assert_int_equal(found->recognised, RECOGNISED_CONFIGURED);
    const struct recipe *any = recipe_recognise(model->recipes, "/other", names, 1);
    assert_true(any && any != found->recipe && any->family == FAMILY_SEQUENCE);
    model_free(model);
}
