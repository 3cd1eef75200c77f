#include "probe/sink/json_look.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/whatif.h"
#include "probe/sink/json_failover.h"
#include "probe/sink/json_finding.h"
#include "probe/sink/json_writer.h"
#include "probe/sink/look.h"

static void write_text(struct json_writer *writer, const char *key, const char *value)
{
    json_write_key(writer, key);
    json_write_string(writer, value);
}

static void write_null(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_write_null(writer);
}

static void write_flag(struct json_writer *writer, const char *key, bool value)
{
    json_write_key(writer, key);
    json_write_bool(writer, value);
}

static void write_time(struct json_writer *writer, const char *key, int64_t wall_us)
{
    json_write_key(writer, key);
    json_write_time(writer, wall_us);
}

static void write_number(struct json_writer *writer, const char *key, bool known, int64_t value)
{
    json_write_key(writer, key);
    if (known)
        json_write_int(writer, value);
    else
        json_write_null(writer);
}

static const char *connection_word(enum connection_state state)
{
    switch (state) {
    case CONNECTION_CONNECTED:
        return "connected";
    case CONNECTION_CONNECTING:
        return "connecting";
    case CONNECTION_EXPIRED:
        return "expired";
    case CONNECTION_REFUSED:
        return "refused";
    }
    return NULL;
}

static void write_servers(struct json_writer *writer, const struct cluster *cluster)
{
    json_write_key(writer, "servers");
    json_write_begin(writer, '[');
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        json_write_line(writer, 8);
        json_write_begin(writer, '{');
        write_text(writer, "address", server->address);
        write_text(writer, "mode", server_mode_word(server->mode));
        enum server_reach reach = server_reach(cluster, server);
        if (reach == SERVER_NOT_ASKED)
            write_text(writer, "reachable", NULL);
        else
            write_flag(writer, "reachable", reach == SERVER_ANSWERS);
        json_write_key(writer, "answer_ms");
        json_write_ms(writer, server->answer_us);
        write_text(writer, "watches_from", server->watches_from);
        write_text(writer, "problem", server->problem);
        write_text(writer, "watches_problem", chain_watches_problem(server));
        json_write_end(writer, '}');
    }
    if (cluster->server_count)
        json_write_line(writer, 6);
    json_write_end(writer, ']');
}

static void write_leader(struct json_writer *writer, const struct election *election)
{
    const struct candidate *leader = election->leader;
    json_write_key(writer, "leader");
    if (!leader) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '{');
    write_text(writer, "name", leader->name);
    write_text(writer, "identity", leader->identity);
    write_time(writer, "since", election->leader_since.wall_us);
    write_flag(writer, "since_exact", election->leader_since_exact);
    json_write_key(writer, "acknowledged");
    if (election->acknowledged == ACK_YES || election->acknowledged == ACK_NO)
        json_write_bool(writer, election->acknowledged == ACK_YES);
    else
        json_write_null(writer);
    json_write_end(writer, '}');
}

/* A watch as people write it down: a candidate of this election by its name, anything else by its path. */
static void write_watches(struct json_writer *writer, const struct election *election,
                          const struct client_session *session)
{
    json_write_key(writer, "watches");
    if (!session || !session->watches_known) {
        json_write_null(writer);
        return;
    }
    size_t length = strlen(election->path);
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    json_write_begin(writer, '[');
    for (size_t i = 0; i < session->watch_count; i++) {
        const char *path = session->watches[i];
        bool inside = !lock && strncmp(path, election->path, length) == 0 && path[length] == '/';
        json_write_string(writer, inside ? path + length + 1 : path);
    }
    json_write_end(writer, ']');
}

#define WATCHERS_FEW 16

/* Who is not listed does not watch only where every server shows its watches: else one that is empty is not
   known to be so. */
static void write_watchers(struct json_writer *writer, const struct election *election,
                           const struct candidate *candidate)
{
    uint64_t few[WATCHERS_FEW], *sessions = few;
    size_t count = chain_watched_by(election, candidate, few, WATCHERS_FEW);
    json_write_key(writer, "watched_by");
    if (!count && !chain_watches_complete(election->cluster)) {
        json_write_null(writer);
        return;
    }
    if (count > WATCHERS_FEW) {
        sessions = malloc(count * sizeof *sessions);
        if (sessions)
            chain_watched_by(election, candidate, sessions, count);
        else
            writer->out->failed = true;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; sessions && i < count; i++)
        json_write_session(writer, sessions[i]);
    json_write_end(writer, ']');
    if (sessions != few)
        free(sessions);
}

static const char *candidate_word(const struct election *election, const struct candidate *candidate)
{
    if (candidate == election->leader)
        return "leader";
    switch (candidate->link) {
    case LINK_RIGHT:
        return "waiting";
    case LINK_WRONG:
        return "wrong";
    case LINK_STUCK:
        return "stuck";
    case LINK_SUSPECT:
        return "suspect";
    case LINK_FIRST:
    case LINK_UNKNOWN:
        break;
    }
    return "unknown";
}

static void write_connection(struct json_writer *writer, const struct election *election,
                             const struct client_session *session)
{
    const struct cluster *cluster = election->cluster;
    bool connected = session && session->connected && session->server < cluster->server_count;
    write_text(writer, "client", session ? session->address : NULL);
    write_text(writer, "server", connected ? cluster->servers[session->server].address : NULL);
}

static void write_timeout(struct json_writer *writer, const struct cluster *cluster,
                          const struct client_session *session)
{
    bool heard = session && session->silent_ms >= 0;
    struct moment expires = session ? client_expires(cluster, session) : (struct moment){0, 0};
    write_number(writer, "session_timeout_ms", session && session->timeout_ms > 0,
                 session ? session->timeout_ms : 0);
    write_number(writer, "silent_ms", heard, heard ? session->silent_ms : 0);
    write_time(writer, "expires_at_latest", expires.mono_us ? expires.wall_us : 0);
}

static void write_candidate(struct json_writer *writer, const struct election *election, size_t i)
{
    const struct candidate *candidate = election->candidates[i];
    const struct client_session *session = candidate_client(candidate);
    json_write_begin(writer, '{');
    write_number(writer, "position", true, (int64_t)i + 1);
    write_text(writer, "name", candidate->name);
    write_number(writer, "sequence", candidate->sequence != SEQUENCE_NONE, candidate->sequence);
    json_write_key(writer, "session");
    if (candidate->known && candidate->stat.owner == 0)
        json_write_string(writer, "0x0"); /* persistent: known to belong to none */
    else
        json_write_session(writer, candidate->known ? candidate->stat.owner : 0);
    write_text(writer, "identity", candidate->identity);
    write_connection(writer, election, session);
    write_time(writer, "created", look_created_us(candidate));
    write_timeout(writer, election->cluster, session);
    write_text(writer, "predecessor", i ? election->candidates[i - 1]->name : NULL);
    write_watches(writer, election, session);
    write_watchers(writer, election, candidate);
    write_text(writer, "state", candidate_word(election, candidate));
    json_write_end(writer, '}');
}

static void write_candidates(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "candidates");
    if (!look_has_list(election)) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < election->candidate_count; i++) {
        json_write_line(writer, 12);
        write_candidate(writer, election, i);
    }
    if (election->candidate_count)
        json_write_line(writer, 10);
    json_write_end(writer, ']');
}

static void write_answer(struct json_writer *writer, const char *key, enum answer answer)
{
    json_write_key(writer, key);
    if (answer == ANSWER_UNKNOWN)
        json_write_null(writer);
    else
        json_write_bool(writer, answer == ANSWER_YES);
}

static void write_next(struct json_writer *writer, const struct election *election)
{
    static const char *const chains[] = {
        [CHAIN_UNKNOWN] = "unknown", [CHAIN_COMPLETE] = "complete", [CHAIN_BROKEN] = "broken"};
    struct next_failover next = whatif_next(election);
    json_write_key(writer, "next_failover");
    json_write_begin(writer, '{');
    write_text(writer, "heir", next.heir ? next.heir->name : NULL);
    write_answer(writer, "told", next.told);
    write_answer(writer, "by_itself", next.by_itself);
    write_text(writer, "chain", chains[next.chain]);
    write_text(writer, "broken_at", next.broken_at ? next.broken_at->name : NULL);
    json_write_end(writer, '}');
}

static void write_findings(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "findings");
    if (!look_has_list(election) && !election->finding_count) {
        json_write_null(writer); /* nothing was looked at: an empty list would claim that all is well */
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < election->finding_count; i++) {
        json_write_line(writer, 12);
        json_finding_write(writer, election->findings[i]);
    }
    if (election->finding_count)
        json_write_line(writer, 10);
    json_write_end(writer, ']');
}

/* Who knows of failovers before the look, if anybody does. */
struct kept {
    json_look_kept_fn figures;
    void *context;
};

static void write_span(struct json_writer *writer, const char *key, struct span span)
{
    json_write_key(writer, key);
    json_span_write(writer, span);
}

static void write_failovers(struct json_writer *writer, const struct election *election,
                            const struct kept *kept)
{
    struct failover_figures figures;
    if (!kept->figures || !kept->figures(kept->context, election, &figures)) {
        write_null(writer, "failovers");
        return;
    }
    json_write_key(writer, "failovers");
    json_write_begin(writer, '{');
    write_number(writer, "window_ms", true, JSON_LOOK_WINDOW_MS);
    write_number(writer, "count", true, (int64_t)figures.count);
    write_span(writer, "p50_ms", figures.p50);
    write_span(writer, "p99_ms", figures.p99);
    write_span(writer, "max_ms", figures.max);
    json_write_end(writer, '}');
}

static void write_election(struct json_writer *writer, const struct election *election,
                           const struct kept *kept)
{
    const struct recipe *recipe = election->recipe;
    enum election_state state = look_state(election);
    json_write_begin(writer, '{');
    json_write_line(writer, 10);
    write_text(writer, "path", look_path(election));
    write_text(writer, "name", election->name);
    write_text(writer, "kind", election_kind_word(election->kind));
    json_write_line(writer, 10);
    write_text(writer, "recipe", recipe ? recipe->name : NULL);
    write_text(writer, "family", recipe ? recipe_family_word(recipe->family) : NULL);
    write_text(writer, "recognised", recipe ? recognised_word(election->recognised) : NULL);
    json_write_line(writer, 10);
    write_text(writer, "state", election_state_word(state));
    write_time(writer, "stale_since",
               election->fresh || !look_has_list(election) ? 0 : election->stale_since.wall_us);
    bool troubled = state == ELECTION_UNKNOWN || state == ELECTION_DENIED;
    bool nobody = state == ELECTION_VACANT;
    char problem[64];
    write_text(writer, "problem",
               troubled || nobody ? election_problem(election, problem, sizeof problem) : NULL);
    json_write_line(writer, 10);
    write_leader(writer, election);
    json_write_line(writer, 10);
    write_candidates(writer, election);
    json_write_line(writer, 10);
    write_number(writer, "next_sequence", election->next_sequence >= 0, election->next_sequence);
    json_write_line(writer, 10);
    write_failovers(writer, election, kept);
    json_write_line(writer, 10);
    write_next(writer, election);
    json_write_line(writer, 10);
    write_findings(writer, election);
    json_write_line(writer, 8);
    json_write_end(writer, '}');
}

static void write_cluster(struct json_writer *writer, const struct cluster *cluster, const struct kept *kept)
{
    json_write_begin(writer, '{');
    json_write_line(writer, 6);
    write_text(writer, "name", cluster->name && *cluster->name ? cluster->name : NULL);
    write_text(writer, "hosts", cluster->hosts);
    write_text(writer, "state", connection_word(cluster->connection));
    json_write_key(writer, "session");
    json_write_session(writer, cluster->session);
    char quorum[LOOK_QUORUM_SIZE];
    write_text(writer, "problem", look_problem(cluster, quorum));
    json_write_line(writer, 6);
    write_servers(writer, cluster);
    json_write_line(writer, 6);
    write_flag(writer, "watches_complete", chain_watches_complete(cluster));
    json_write_line(writer, 6);
    json_write_key(writer, "elections");
    json_write_begin(writer, '[');
    for (size_t i = 0; i < cluster->election_count; i++) {
        json_write_line(writer, 8);
        write_election(writer, cluster->elections[i], kept);
    }
    if (cluster->election_count)
        json_write_line(writer, 6);
    json_write_end(writer, ']');
    json_write_line(writer, 4);
    json_write_end(writer, '}');
}

void json_look_write(struct buffer *out, const struct model *model, struct moment at)
{
    json_look_write_kept(out, model, at, NULL, NULL);
}

void json_look_write_kept(struct buffer *out, const struct model *model, struct moment at,
                          json_look_kept_fn figures, void *context)
{
    const struct kept kept = {figures, context};
    struct json_writer writer = json_writer_to(out, true);
    json_write_begin(&writer, '{');
    json_write_line(&writer, 2);
    json_write_key(&writer, "schema");
    json_write_int(&writer, JSON_SCHEMA);
    json_write_line(&writer, 2);
    write_time(&writer, "time", at.wall_us);
    json_write_line(&writer, 2);
    json_write_key(&writer, "clusters");
    json_write_begin(&writer, '[');
    for (size_t i = 0; i < model->cluster_count; i++) {
        json_write_line(&writer, 4);
        write_cluster(&writer, &model->clusters[i], &kept);
    }
    if (model->cluster_count)
        json_write_line(&writer, 2);
    json_write_end(&writer, ']');
    json_write_line(&writer, 0);
    json_write_end(&writer, '}');
    buffer_put_char(out, '\n');
}
