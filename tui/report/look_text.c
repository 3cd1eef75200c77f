#include "tui/report/look_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "probe/sink/look.h"
#include "tui/report/look_election.h"
#include "tui/report/table.h"
#include "tui/text/format.h"
#include "tui/views/facts.h"
#include "tui/views/finding_lines.h"

/* Columns of a name or an identity that are shown even where the terminal has no room for all of it. */
#define NAME_LEAST 12
/* Of a terminal: below, the layout stands with each election alone. */
#define NARROW 110

static void print_server(struct paper *paper, const struct cluster *cluster, const struct server *server,
                         int address_width)
{
    static const style roles[] = {
        [SERVER_SILENT] = ROLE_CRITICAL, [SERVER_ANSWERS] = ROLE_GOOD, [SERVER_NOT_ASKED] = ROLE_DIM};
    static const enum sign signs[] = {
        [SERVER_SILENT] = SIGN_CRITICAL, [SERVER_ANSWERS] = SIGN_OK, [SERVER_NOT_ASKED] = SIGN_UNKNOWN};
    enum server_reach reach = server_reach(cluster, server);
    char span[32], parts[64];
    bool ill = reach == SERVER_ANSWERS && server->problem;
    int x = paper_put_sign(paper, 2, ill ? ROLE_WARNING : roles[reach], ill ? SIGN_WARNING : signs[reach]);
    paper_put(paper, x, ROLE_TEXT, server->address);
    x += address_width + TABLE_GAP;
    if (reach == SERVER_NOT_ASKED || (server->unasked && reach == SERVER_ANSWERS)) {
        x = paper_put(paper, x, ROLE_DIM, reach == SERVER_ANSWERS ? "connected, not asked" : "not asked") +
            TABLE_GAP;
    } else if (reach == SERVER_ANSWERS) {
        paper_put(paper, x, ROLE_TEXT, facts_mode(server));
        x += 10 + TABLE_GAP;
        if (server->answer_us >= 0)
            paper_put(paper, x, ROLE_DIM, format_span(server->answer_us, span, sizeof span));
        x += 6 + TABLE_GAP;
        if (server->version)
            x = paper_put(paper, x, ROLE_DIM, server->version) + TABLE_GAP;
    }
    if (server->problem)
        paper_put(paper, x, ROLE_WARNING, server->problem);
    else if (reach == SERVER_SILENT)
        paper_put(paper, x, ROLE_WARNING, "no answer");
    paper_prose(paper);
    unsigned told = 0;
    const char *why;
    while (reach == SERVER_ANSWERS || (reach == SERVER_NOT_ASKED && !server->problem)) {
        if (!(why = facts_hidden(server, &told, parts, sizeof parts)))
            break;
        x = paper_put(paper, 4, ROLE_WARNING, parts);
        x = paper_put(paper, x, ROLE_WARNING, " unknown: ");
        paper_put(paper, x, ROLE_TEXT, why);
        paper_prose(paper);
    }
}

static void print_connection(struct paper *paper, const struct cluster *cluster)
{
    bool connected = cluster->connection == CONNECTION_CONNECTED;
    char quorum[LOOK_QUORUM_SIZE];
    const char *problem = look_problem(cluster, quorum);
    int x =
        paper_put_sign(paper, 2, connected ? ROLE_GOOD : ROLE_CRITICAL, connected ? SIGN_OK : SIGN_CRITICAL);
    x = paper_put(paper, x, ROLE_TEXT, facts_connection(cluster->connection));
    if (connected && cluster->connected_to) {
        x = paper_put(paper, x, ROLE_TEXT, " to ");
        x = paper_put(paper, x, ROLE_TEXT, cluster->connected_to);
    }
    if (connected) {
        char text[96], timeout[32];
        snprintf(text, sizeof text, "session 0x%" PRIx64 ", timeout %s", cluster->session,
                 cluster->timeout_ms > 0
                     ? format_span((int64_t)cluster->timeout_ms * 1000, timeout, sizeof timeout)
                     : "unknown");
        paper_put(paper, paper_put_bullet(paper, x), ROLE_DIM, text);
    } else if (problem) {
        paper_put(paper, paper_put(paper, x, ROLE_TEXT, ": "), ROLE_WARNING, problem);
    }
    paper_prose(paper);
    if (connected && problem) {
        bool in_part = cluster_shows(cluster);
        x = paper_put_sign(paper, 2, in_part ? ROLE_WARNING : ROLE_CRITICAL,
                           in_part ? SIGN_WARNING : SIGN_CRITICAL);
        paper_put(paper, x, ROLE_WARNING, problem);
        paper_prose(paper);
    }
}

/* Nothing is watched: no path is there that would match, or none was found. */
static void print_none(struct paper *paper, const struct cluster_settings *patterns)
{
    int x = 2;
    if (!patterns || !patterns->election_count) {
        paper_put(paper, x, ROLE_DIM, "no election was found; name its path, as in: electop once /election");
        paper_prose(paper);
        return;
    }
    x = paper_put(paper, x, ROLE_WARNING, "nothing matches ");
    for (size_t i = 0; i < patterns->election_count; i++) {
        x = i ? paper_put(paper, x, ROLE_DIM, " or ") : x;
        x = paper_put(paper, x, ROLE_TEXT, patterns->elections[i].path);
    }
    paper_put(paper, x, ROLE_WARNING, " yet");
    paper_prose(paper);
}

static void print_cluster_head(struct paper *paper, const struct cluster *cluster,
                               const struct cluster_settings *patterns)
{
    int x = 0, address_width = 0;
    if (cluster->name && *cluster->name)
        x = paper_put(paper, 0, ROLE_STRONG, cluster->name) + TABLE_GAP;
    paper_put(paper, x, x ? ROLE_DIM : ROLE_STRONG, cluster->hosts);
    paper_prose(paper);
    print_connection(paper, cluster);
    for (size_t i = 0; i < cluster->server_count; i++) {
        int width = paper_text_width(paper, cluster->servers[i].address);
        address_width = width > address_width ? width : address_width;
    }
    for (size_t i = 0; i < cluster->server_count; i++)
        print_server(paper, cluster, &cluster->servers[i], address_width);
    if (!cluster->election_count && cluster->ever_connected && !cluster->problem)
        print_none(paper, patterns);
}

enum { SUM_STATE, SUM_ELECTION, SUM_LEADER, SUM_COUNT, SUM_SINCE, SUM_FINDING, SUM_RECIPE, SUM_COLUMNS };

static int leader_width(struct paper *paper, const struct election *election, struct moment now)
{
    int width = facts_put_leader(paper->row, 0, 0, paper->row->width, election, now);
    cells_clear(paper->row);
    return width;
}

/* All elections of a cluster, a line each. */
static bool print_summary(struct paper *paper, const struct cluster *cluster, struct moment now)
{
    struct column columns[SUM_COLUMNS] = {
        [SUM_STATE] = {.heading = "  STATE", .least = 10, .most = 24, .importance = 5},
        [SUM_ELECTION] = {.heading = "ELECTION", .least = NAME_LEAST, .most = INT_MAX, .importance = 4},
        [SUM_LEADER] = {.heading = "LEADER", .least = NAME_LEAST, .most = INT_MAX, .importance = 3},
        [SUM_COUNT] = {.heading = "CAND", .least = 5, .most = 10, .importance = 2, .right = true},
        [SUM_SINCE] = {.heading = "SINCE", .least = 7, .most = 8, .importance = 2, .right = true},
        [SUM_FINDING] = {.heading = "FINDING", .least = 10, .most = INT_MAX, .importance = 3},
        [SUM_RECIPE] = {.heading = "RECIPE", .least = 10, .most = INT_MAX, .importance = 1},
    };
    char text[64];
    int finding = columns[SUM_FINDING].least;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        columns_want(&columns[SUM_STATE], 2 + paper_text_width(paper, facts_badge(election, now).word));
        columns_want(&columns[SUM_ELECTION], paper_text_width(paper, election->name));
        columns_want(&columns[SUM_LEADER], leader_width(paper, election, now));
        columns_want(&columns[SUM_FINDING], finding_worst_width(paper->row, election));
        if (finding < finding_worst_least(paper->row, election))
            finding = finding_worst_least(paper->row, election);
        columns_want(&columns[SUM_RECIPE],
                     election->recipe ? paper_text_width(paper, election->recipe->title) : 1);
    }
    /* What is wrong is not cut; the layout stands with each election below. */
    columns[SUM_FINDING].least = finding;
    columns[SUM_RECIPE].hidden = paper->style.width > 0 && paper->style.width < NARROW;
    if (!table_begin(paper, columns, SUM_COLUMNS, 0))
        return false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        struct badge badge = facts_badge(election, now), worse = finding_badge(election, now);
        paper_put(paper, paper_put_sign(paper, columns[SUM_STATE].x, worse.look, worse.sign), badge.look,
                  badge.word);
        columns_put(paper->row, &columns[SUM_ELECTION], 0, ROLE_STRONG, election->name);
        if (columns[SUM_LEADER].width > 0)
            facts_put_leader(paper->row, columns[SUM_LEADER].x, 0, columns[SUM_LEADER].width, election, now);
        if (look_has_list(election))
            snprintf(text, sizeof text, "%zu", election->candidate_count);
        columns_put(paper->row, &columns[SUM_COUNT], 0, ROLE_TEXT, look_has_list(election) ? text : "?");
        columns_put(paper->row, &columns[SUM_SINCE], 0, ROLE_TEXT,
                    facts_since(paper->row, election, now, text, sizeof text));
        finding_put_worst(paper->row, columns[SUM_FINDING].x, 0, columns[SUM_FINDING].width, election);
        columns_put(paper->row, &columns[SUM_RECIPE], 0, ROLE_DIM,
                    election->recipe ? election->recipe->title : "?");
        paper_line(paper);
    }
    return paper_width(paper, PAPER_WIDTH);
}

static bool print_cluster(struct paper *paper, const struct cluster *cluster,
                          const struct cluster_settings *patterns, struct moment now)
{
    print_cluster_head(paper, cluster, patterns);
    if (cluster->election_count > 1) {
        paper_prose(paper);
        if (!print_summary(paper, cluster, now))
            return false;
    }
    for (size_t i = 0; i < cluster->election_count; i++) {
        paper_prose(paper);
        if (!look_election_print(paper, cluster->elections[i], now))
            return false;
    }
    return true;
}

bool look_text_print(struct buffer *out, const struct model *model, struct moment now,
                     const struct print_style *how)
{
    struct paper paper;
    bool good = paper_begin(&paper, out, how);
    for (size_t i = 0; good && i < model->cluster_count; i++) {
        if (i)
            paper_line(&paper);
        const struct settings *settings = how->settings;
        good = print_cluster(&paper, &model->clusters[i],
                             settings && i < settings->cluster_count ? &settings->clusters[i] : NULL, now);
    }
    if (paper.row)
        paper_end(&paper);
    return good && !buffer_failed(out);
}
