/* What a candidate's line says of its server and its watches where servers show only a part. */
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"
#include "tests/support/test.h"
#include "tui/words/chain_lines.h"
#include "tui/words/labels.h"

static char hidden[] = "cons: switched off; allow it", path[] = "/election", zk1[] = "zk1:2181";

/* One that waits, and whose session lives, has been looked for by every server, and was on none. */
struct waiting {
    struct server server;
    struct cluster cluster;
    struct election election;
    struct election_private own;
    struct client client;
    struct candidate candidate;
    struct candidate_private candidate_own;
};

static void wait(struct waiting *w)
{
    *w = (struct waiting){.server = {.address = zk1, .reachable = true},
                          .cluster = {.servers = &w->server, .server_count = 1},
                          .election = {.path = path, .cluster = &w->cluster, .own = &w->own},
                          .client = {.shown = {.id = 7, .alive_known = true, .alive = true}},
                          .candidate = {.election = &w->election, .known = true, .own = &w->candidate_own},
                          .candidate_own = {.client = &w->client}};
    w->cluster.connection = CONNECTION_CONNECTED;
    w->server.watches_from = "adminserver";
    w->candidate.stat.owner = 7;
    w->candidate.link = LINK_UNKNOWN;
}

static const char *server_of(const struct waiting *w)
{
    static char text[64];
    static const struct cells cells = {.ascii = true};

    chain_server_text(&cells, &w->election, &w->candidate, text, sizeof text);
    return text;
}

static const char *watch_of(const struct waiting *w)
{
    static char text[128];
    static const struct cells cells = {.ascii = true};

    chain_watch_text(&cells, &w->election, &w->candidate, text, sizeof text);
    return text;
}

/* Whoever is on no server has none, but only where each server shows its connections. */
TEST(no_server_or_not_known)
{
    struct waiting w;

    wait(&w);
    assert_string_equal(server_of(&w), "none");
    w.server.hidden[HIDDEN_WATCHES] = hidden;
    assert_string_equal(server_of(&w), "none");
    w.server.hidden[HIDDEN_CONNECTIONS] = hidden;
    assert_string_equal(server_of(&w), "?");
    wait(&w);
    w.client.shown.alive_known = false;
    assert_string_equal(server_of(&w), "?");
    w.candidate_own.client = NULL;
    assert_string_equal(server_of(&w), "?");
    w.candidate.stat.owner = 0; /* it belongs to no session: there is nothing to be known */
    assert_string_equal(server_of(&w), "-");
}

TEST(a_watch_on_the_directory)
{
    struct waiting w;
    char *watches[] = {path};

    wait(&w);
    w.candidate.link = LINK_RIGHT;
    w.client.shown.watches = watches;
    w.client.shown.watch_count = 1;
    assert_string_equal(watch_of(&w), "^ the directory");
}

/* A list of watches is of no use without one of connections: then no server shows what it watches. */
TEST(watches_without_connections)
{
    struct waiting w;

    wait(&w);
    assert_string_equal(watch_of(&w), "? connection not seen");
    w.server.hidden[HIDDEN_CONNECTIONS] = hidden;
    assert_string_equal(watch_of(&w), "? no server shows it");
    assert_string_equal(chain_watches_problem(&w.server), hidden);
    assert_false(chain_watches_complete(&w.cluster));
}

/* What is hidden for one reason is told in one piece, what for another in one of its own. */
TEST(hidden_parts_by_reason)
{
    static char admin_words[] = "refused; wchc: off", admin_cons[] = "refused; cons: off",
                half[] = "cut off; -";
    struct server server = {.hidden = {[HIDDEN_CONNECTIONS] = admin_cons, [HIDDEN_WATCHES] = admin_words}};
    unsigned reported = 0;
    char parts[64];

    assert_string_equal(label_hidden(&server, &reported, parts, sizeof parts), admin_words);
    assert_string_equal(parts, "watches and connections");
    assert_null(label_hidden(&server, &reported, parts, sizeof parts));
    server.hidden[HIDDEN_SESSIONS] = admin_cons;
    reported = 0;
    assert_non_null(label_hidden(&server, &reported, parts, sizeof parts));
    assert_string_equal(parts, "watches, connections and sessions");
    /* A follower that came back is not asked for sessions: why they were not had before says nothing now. */
    server.mode = SERVER_FOLLOWER;
    reported = 0;
    assert_non_null(label_hidden(&server, &reported, parts, sizeof parts));
    assert_string_equal(parts, "watches and connections");
    assert_null(label_hidden(&server, &reported, parts, sizeof parts));
    server.mode = SERVER_LEADER;
    server.hidden[HIDDEN_CONNECTIONS] = half;
    reported = 0;
    assert_non_null(label_hidden(&server, &reported, parts, sizeof parts));
    assert_string_equal(parts, "watches and sessions");
    assert_string_equal(label_hidden(&server, &reported, parts, sizeof parts), half);
    assert_string_equal(parts, "connections");
    assert_null(label_hidden(&server, &reported, parts, sizeof parts));
}
