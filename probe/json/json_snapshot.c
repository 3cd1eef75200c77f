#include "probe/json/json_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"
#include "probe/election/dangers.h"
#include "probe/election/vacancy.h"
#include "probe/election/whatif.h"
#include "probe/election/summary.h"
#include "probe/json/json_event.h"
#include "probe/json/json_writer.h"

static void write_number(struct json_writer *writer, const char *key, bool known, int64_t value)
{
    if (known)
        json_member_int(writer, key, value);
    else
        json_member_null(writer, key);
}

/* A cluster's "state". */
static const char *json_connection_word(enum connection_state state)
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

/* A server's workload; unknown figures are null. */
static void json_snapshot_write_load(struct json_writer *writer, const struct server *server)
{
    const struct server_load *load = &server->load;
    json_member_begin(writer, "load", '{');
    json_member_known(writer, "id", load->id);
    json_member_ms(writer, "uptime_ms", load->uptime_ms < 0 ? -1 : load->uptime_ms * 1000);
    char zxid[24];
    snprintf(zxid, sizeof zxid, "0x%llx", (unsigned long long)server->zxid);
    json_member_text(writer, "zxid", server->zxid < 0 ? NULL : zxid);
    json_member_known(writer, "epoch", server_epoch(server));
    json_member_known(writer, "lag", server->lag);
    json_member_ms(writer, "lag_ms", server->lag < 0 ? -1 : server->lag_us);
    json_member_ms(writer, "latency_min_ms", load->latency_min_us);
    json_member_ms(writer, "latency_avg_ms", load->latency_avg_us);
    json_member_ms(writer, "latency_max_ms", load->latency_max_us);
    json_member_known(writer, "outstanding", load->outstanding);
    json_member_known(writer, "znodes", load->znodes);
    json_member_known(writer, "ephemerals", load->ephemerals);
    json_member_known(writer, "watches", load->watches);
    json_member_known(writer, "connections", server->connections);
    json_member_known(writer, "connections_of_one_address", server->busiest_connections);
    json_member_known(writer, "max_client_cnxns", load->address_connections_most);
    json_member_known(writer, "slow_fsyncs", load->slow_fsyncs);
    json_write_end(writer, '}');
}

static void json_snapshot_write_dangers(struct json_writer *writer, const struct cluster *cluster,
                                        const struct server *server)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    size_t count = server_dangers(cluster, server, dangers);
    json_member_begin(writer, "findings", '[');
    for (size_t i = 0; i < count; i++) {
        json_write_begin(writer, '{');
        json_member_text(writer, "code", dangers[i].code);
        json_member_text(writer, "severity", severity_word(dangers[i].severity));
        json_member_text(writer, "evidence", dangers[i].evidence);
        json_member_text(writer, "advice", dangers[i].advice);
        json_write_end(writer, '}');
    }
    json_write_end(writer, ']');
}

static void json_snapshot_write_servers(struct json_writer *writer, const struct cluster *cluster)
{
    json_member_begin(writer, "servers", '[');
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        json_write_line(writer, 8);
        json_write_begin(writer, '{');
        json_member_text(writer, "address", server->address);
        json_member_text(writer, "mode", server_mode_word(server->mode));
        enum server_reach reach = server_reach(cluster, server);
        if (reach == SERVER_NOT_ASKED)
            json_member_null(writer, "reachable");
        else
            json_member_bool(writer, "reachable", reach == SERVER_ANSWERS);
        json_member_ms(writer, "answer_ms", server->answer_us);
        json_member_text(writer, "watches_from", server->watches_from);
        json_member_text(writer, "problem", server->problem);
        json_member_known(writer, "bad_replies", server->bad_replies);
        json_member_text(writer, "watches_problem", chain_watches_problem(server));
        json_member_text(writer, "version", server->version);
        json_snapshot_write_load(writer, server);
        json_snapshot_write_dangers(writer, cluster, server);
        json_write_end(writer, '}');
    }
    if (cluster->server_count)
        json_write_line(writer, 6);
    json_write_end(writer, ']');
}

static void json_snapshot_write_leader(struct json_writer *writer, const struct election *election)
{
    const struct candidate *leader = vacancy_stalls(election) ? NULL : election->leader;
    json_write_key(writer, "leader");
    if (!leader) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '{');
    json_member_text(writer, "name", leader->name);
    json_member_text(writer, "identity", leader->identity);
    json_member_time(writer, "since", election->leader_since.wall_us);
    json_member_bool(writer, "since_exact", election->leader_since_exact);
    json_write_key(writer, "acknowledged");
    if (election->acknowledged == ACK_YES || election->acknowledged == ACK_NO)
        json_write_bool(writer, election->acknowledged == ACK_YES);
    else
        json_write_null(writer);
    json_member_time(writer, "acknowledged_at", acknowledge_time_us(election));
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
        sessions = xmalloc(count * sizeof *sessions);
        chain_watched_by(election, candidate, sessions, count);
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
    if (shared_lock(election) && election->leader && shared_lock_holds(election, candidate))
        return "holder";
    if (candidate == election->leader)
        return vacancy_stalls(election) ? "stuck" : "leader";
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
    json_member_text(writer, "client", session ? session->address : NULL);
    json_member_text(writer, "server", connected ? cluster->servers[session->server].address : NULL);
}

static void write_timeout(struct json_writer *writer, const struct cluster *cluster,
                          const struct client_session *session)
{
    bool heard = session && session->silent_ms >= 0;
    struct moment expires = session ? client_expires(cluster, session) : (struct moment){0, 0};
    write_number(writer, "session_timeout_ms", session && session->timeout_ms > 0,
                 session ? session->timeout_ms : 0);
    write_number(writer, "silent_ms", heard, heard ? session->silent_ms : 0);
    json_member_time(writer, "expires_at_latest", expires.mono_us ? expires.wall_us : 0);
}

static void json_snapshot_write_candidate(struct json_writer *writer, const struct election *election,
                                          size_t i)
{
    const struct candidate *candidate = election->candidates[i];
    const struct client_session *session = candidate_client(candidate);
    json_write_begin(writer, '{');
    json_member_int(writer, "position", (int64_t)i + 1);
    json_member_text(writer, "name", candidate->name);
    write_number(writer, "sequence", candidate->sequence != SEQUENCE_NONE, candidate->sequence);
    json_write_key(writer, "session");
    if (candidate->known && candidate->stat.owner == 0)
        json_write_string(writer, "0x0"); /* persistent: known to belong to none */
    else
        json_write_session(writer, candidate->known ? candidate->stat.owner : 0);
    json_member_text(writer, "identity", candidate->identity);
    write_connection(writer, election, session);
    json_member_time(writer, "created", summary_created_us(candidate));
    write_timeout(writer, election->cluster, session);
    json_member_text(writer, "predecessor", i ? election->candidates[i - 1]->name : NULL);
    write_watches(writer, election, session);
    write_watchers(writer, election, candidate);
    json_member_text(writer, "state", candidate_word(election, candidate));
    json_write_end(writer, '}');
}

static void write_candidates(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "candidates");
    if (!summary_has_list(election)) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < election->candidate_count; i++) {
        json_write_line(writer, 12);
        json_snapshot_write_candidate(writer, election, i);
    }
    if (election->candidate_count)
        json_write_line(writer, 10);
    json_write_end(writer, ']');
}

static void write_answer(struct json_writer *writer, const char *key, enum answer answer)
{
    if (answer == ANSWER_UNKNOWN)
        json_member_null(writer, key);
    else
        json_member_bool(writer, key, answer == ANSWER_YES);
}

/* Who registered beside the lock, and so may wait for it; null: the layout has no such directory, or it has
   not been read. */
static void json_write_members(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "members");
    if (!election->members_listed) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < election->listed_member_count; i++) {
        const struct member *member = &election->listed_members[i];
        json_write_line(writer, 12);
        json_write_begin(writer, '{');
        json_member_text(writer, "name", member->name);
        json_member_text(writer, "identity", member->identity);
        json_member_text(writer, "about", member->about);
        json_write_key(writer, "session");
        json_write_session(writer, member->session);
        write_answer(writer, "leads", member_leads(election, member));
        write_answer(writer, "watches", member_watches(election, member));
        json_write_end(writer, '}');
    }
    if (election->listed_member_count)
        json_write_line(writer, 10);
    json_write_end(writer, ']');
}

/* Of a read-write lock: those that hold it together. */
static void write_holders(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "holders");
    if (!shared_lock(election) || !election->leader) {
        json_write_null(writer);
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < shared_lock_holders(election); i++)
        json_write_string(writer, election->candidates[i]->name);
    json_write_end(writer, ']');
}

static void write_next(struct json_writer *writer, const struct election *election)
{
    static const char *const chains[] = {
        [CHAIN_UNKNOWN] = "unknown", [CHAIN_COMPLETE] = "complete", [CHAIN_BROKEN] = "broken"};
    struct next_failover next = whatif_next(election);
    json_member_begin(writer, "next_failover", '{');
    json_member_text(writer, "heir", next.successor ? next.successor->name : NULL);
    write_answer(writer, "told", next.notified);
    write_answer(writer, "by_itself", next.by_itself);
    json_member_text(writer, "chain", chains[next.chain]);
    json_member_text(writer, "broken_at", next.broken_at ? next.broken_at->name : NULL);
    json_write_end(writer, '}');
}

static void json_snapshot_write_findings(struct json_writer *writer, const struct election *election)
{
    json_write_key(writer, "findings");
    if (!summary_has_list(election) && !election->finding_count) {
        json_write_null(writer); /* nothing was looked at: an empty list would claim that all is well */
        return;
    }
    json_write_begin(writer, '[');
    for (size_t i = 0; i < election->finding_count; i++) {
        json_write_line(writer, 12);
        json_finding_write(writer, election->findings[i], election);
    }
    if (election->finding_count)
        json_write_line(writer, 10);
    json_write_end(writer, ']');
}

/* Who knows of failovers before the snapshot, if anybody does. */
struct kept {
    json_snapshot_kept_fn figures;
    void *context;
    struct moment at; /* of the snapshot */
};

static void json_snapshot_write_failovers(struct json_writer *writer, const struct election *election,
                                          const struct kept *kept)
{
    struct failover_figures figures;
    size_t changes;
    if (!kept->figures || !kept->figures(kept->context, election, &changes, &figures)) {
        json_member_null(writer, "failovers");
        return;
    }
    json_member_begin(writer, "failovers", '{');
    json_member_int(writer, "window_ms", JSON_SNAPSHOT_WINDOW_MS);
    json_member_uint(writer, "leader_changes", changes);
    json_member_uint(writer, "count", figures.count);
    json_failover_write_span(writer, "p50_ms", figures.p50);
    json_failover_write_span(writer, "p99_ms", figures.p99);
    json_failover_write_span(writer, "max_ms", figures.max);
    json_write_end(writer, '}');
}

static void write_lost(struct json_writer *writer, const struct election *election, struct moment at)
{
    struct failover failover;
    struct vacancy_reason reasons[VACANCY_REASONS];
    const struct finding *doubt = vacancy_doubt(election);
    if ((doubt && !vacancy_is_sure(doubt)) || !vacancy_lost(election, at, &failover)) {
        json_member_null(writer, "lost");
        return;
    }
    json_member_begin(writer, "lost", '{');
    json_member_time(writer, "since", failover.lost_at.wall_us);
    json_failover_write_members(writer, &failover);
    json_member_begin(writer, "why_nobody", '[');
    size_t count = vacancy_reasons(election, reasons);
    for (size_t i = 0; i < count; i++) {
        json_write_begin(writer, '{');
        json_member_text(writer, "reason", reasons[i].text);
        json_member_text(writer, "certainty", certainty_word(reasons[i].certainty));
        json_member_text(writer, "evidence", reasons[i].evidence);
        json_write_end(writer, '}');
    }
    json_write_end(writer, ']');
    json_write_end(writer, '}');
}

static void json_snapshot_write_election(struct json_writer *writer, const struct election *election,
                                         const struct kept *kept)
{
    const struct recipe *recipe = election->recipe;
    enum election_state state = vacancy_stalls(election) ? ELECTION_VACANT : summary_state(election);
    json_write_begin(writer, '{');
    json_write_line(writer, 10);
    json_member_text(writer, "path", summary_path(election));
    json_member_text(writer, "name", election->name);
    json_member_text(writer, "kind", election_kind_word(election->kind));
    json_member_text(writer, "kind_known", kind_proof_word(election->kind_proof));
    json_write_line(writer, 10);
    json_member_text(writer, "recipe", recipe ? recipe->name : NULL);
    json_member_text(writer, "family", recipe ? recipe_family_word(recipe->family) : NULL);
    json_member_text(writer, "recognised", recipe ? recognised_word(election->recognised) : NULL);
    json_write_line(writer, 10);
    json_member_text(writer, "state", election_state_word(state));
    json_member_time(writer, "stale_since",
                     election->fresh || !summary_has_list(election) ? 0 : election->stale_since.wall_us);
    bool troubled = state == ELECTION_UNKNOWN || state == ELECTION_DENIED || state == ELECTION_ELECTING;
    bool nobody = state == ELECTION_VACANT;
    char problem[64];
    json_member_text(writer, "problem",
                     troubled || nobody ? election_problem(election, problem, sizeof problem) : NULL);
    json_write_line(writer, 10);
    json_snapshot_write_leader(writer, election);
    write_lost(writer, election, kept->at);
    write_holders(writer, election);
    json_write_line(writer, 10);
    json_write_members(writer, election);
    json_write_line(writer, 10);
    write_candidates(writer, election);
    json_write_line(writer, 10);
    write_number(writer, "next_sequence", election->next_sequence >= 0, election->next_sequence);
    json_write_line(writer, 10);
    json_snapshot_write_failovers(writer, election, kept);
    json_write_line(writer, 10);
    write_next(writer, election);
    json_write_line(writer, 10);
    json_snapshot_write_findings(writer, election);
    json_write_line(writer, 8);
    json_write_end(writer, '}');
}

static void json_snapshot_write_cluster(struct json_writer *writer, const struct cluster *cluster,
                                        const struct kept *kept)
{
    json_write_begin(writer, '{');
    json_write_line(writer, 6);
    json_member_text(writer, "name", cluster->name && *cluster->name ? cluster->name : NULL);
    json_member_text(writer, "hosts", cluster->hosts);
    json_member_text(writer, "state", json_connection_word(cluster->connection));
    json_member_session(writer, "session", cluster->session);
    char quorum[SUMMARY_QUORUM_SIZE];
    json_member_text(writer, "problem", summary_problem(cluster, quorum));
    json_write_line(writer, 6);
    json_snapshot_write_servers(writer, cluster);
    json_write_line(writer, 6);
    json_member_bool(writer, "watches_complete", chain_watches_complete(cluster));
    json_write_line(writer, 6);
    json_member_begin(writer, "elections", '[');
    for (size_t i = 0; i < cluster->election_count; i++) {
        json_write_line(writer, 8);
        json_snapshot_write_election(writer, cluster->elections[i], kept);
    }
    if (cluster->election_count)
        json_write_line(writer, 6);
    json_write_end(writer, ']');
    json_write_line(writer, 4);
    json_write_end(writer, '}');
}

void json_snapshot_write(struct buffer *out, const struct model *model, struct moment at,
                         json_snapshot_kept_fn figures, void *context)
{
    const struct kept kept = {figures, context, at};
    struct json_writer writer = json_writer_to(out, true);
    json_write_begin(&writer, '{');
    json_write_line(&writer, 2);
    json_member_int(&writer, "schema", JSON_SCHEMA);
    json_write_line(&writer, 2);
    json_member_time(&writer, "time", at.wall_us);
    json_write_line(&writer, 2);
    json_member_begin(&writer, "clusters", '[');
    for (size_t i = 0; i < model->cluster_count; i++) {
        json_write_line(&writer, 4);
        json_snapshot_write_cluster(&writer, &model->clusters[i], &kept);
    }
    if (model->cluster_count)
        json_write_line(&writer, 2);
    json_write_end(&writer, ']');
    json_write_line(&writer, 0);
    json_write_end(&writer, '}');
    buffer_put_char(out, '\n');
}

/* ---- the result of a search for elections ---- */

static void discovery_write_row(struct json_writer *w, const struct discovery_row *row)
{
    const struct election *e = row->election;
    const struct candidate *leader = e ? e->leader : NULL;
    json_write_begin(w, '{');
    json_member_text(w, "path", row->path);
    json_member_text(w, "kind", directory_kind_word(row->verdict.kind));
    json_member_text(w, "proof", row->verdict.proof);
    json_member_text(w, "certainty", row->verdict.certain ? "certain" : "suspected");
    json_member_text(w, "evidence", row->verdict.evidence);
    json_member_uint(w, "members", row->members);
    if (e) {
        json_member_text(w, "recipe", e->recipe ? e->recipe->name : NULL);
        json_member_text(w, "family", e->recipe ? recipe_family_word(e->recipe->family) : NULL);
        json_member_text(w, "kind_known", kind_proof_word(e->kind_proof));
        json_member_text(w, "state", election_state_word(e->state));
        json_member_text(w, "leader", !leader ? NULL : leader->identity ? leader->identity : leader->name);
    }
    json_write_end(w, '}');
}

static void discovery_write_cluster(struct json_writer *w, const struct cluster *cluster,
                                    const struct discovery *found)
{
    size_t count;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    json_write_begin(w, '{');
    json_member_text(w, "name", *cluster->name ? cluster->name : NULL);
    json_member_text(w, "hosts", cluster->hosts);
    json_member_text(w, "state", json_connection_word(cluster->connection));
    json_member_text(w, "problem", cluster->problem);
    json_member_uint(w, "walked", found->walked);
    json_member_int(w, "rate_per_s", found->rate_per_s);
    json_member_bool(w, "complete", found->complete);
    json_member_text(w, "left_out", found->left_out);
    json_member_begin(w, "denied", '[');
    for (size_t i = 0; i < found->denied_count; i++)
        json_write_string(w, found->denied[i]);
    json_write_end(w, ']');
    json_member_begin(w, "found", '[');
    for (size_t i = 0; i < count; i++) {
        json_write_line(w, 6);
        discovery_write_row(w, &rows[i]);
    }
    if (count)
        json_write_line(w, 4);
    json_write_end(w, ']');
    json_write_end(w, '}');
    free(rows);
}

void json_discovery_write(struct buffer *out, const struct model *model, const struct discovery *found,
                          struct moment now)
{
    struct json_writer w = json_writer_to(out, true);
    json_write_begin(&w, '{');
    json_member_int(&w, "schema", JSON_SCHEMA);
    json_member_time(&w, "time", now.wall_us);
    json_member_begin(&w, "clusters", '[');
    for (size_t i = 0; i < model->cluster_count; i++) {
        json_write_line(&w, 2);
        discovery_write_cluster(&w, &model->clusters[i], &found[i]);
    }
    json_write_line(&w, 0);
    json_write_end(&w, ']');
    json_write_end(&w, '}');
    buffer_put_char(out, '\n');
}
