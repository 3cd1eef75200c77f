#include "tui/output/snapshot_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "probe/json/election_summary.h"
#include "tui/output/snapshot_election.h"
#include "tui/output/table.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/finding_lines.h"

/* Columns of a name or an identity that are shown even where the terminal has no room for all of it. */
#define NAME_LEAST 12
/* Of a terminal: below, only each election shows the layout. */
#define NARROW 110

static void print_server(struct printer *printer, const struct cluster *cluster, const struct server *server,
                         int address_width)
{
    static const style roles[] = {
        [SERVER_SILENT] = ROLE_CRITICAL, [SERVER_ANSWERS] = ROLE_GOOD, [SERVER_NOT_ASKED] = ROLE_DIM};
    static const enum sign signs[] = {
        [SERVER_SILENT] = SIGN_CRITICAL, [SERVER_ANSWERS] = SIGN_OK, [SERVER_NOT_ASKED] = SIGN_UNKNOWN};
    enum server_reach reach = server_reach(cluster, server);
    char span[32], parts[64];
    bool ill = reach == SERVER_ANSWERS && server->problem;
    int x =
        printer_put_sign(printer, 2, ill ? ROLE_WARNING : roles[reach], ill ? SIGN_WARNING : signs[reach]);
    printer_put(printer, x, ROLE_TEXT, server->address);
    x += address_width + TABLE_GAP;
    if (reach == SERVER_NOT_ASKED || (server->unasked && reach == SERVER_ANSWERS)) {
        x = printer_put(printer, x, ROLE_DIM,
                        reach == SERVER_ANSWERS ? "connected, not asked" : "not asked") +
            TABLE_GAP;
    } else if (reach == SERVER_ANSWERS) {
        printer_put(printer, x, ROLE_TEXT, label_mode(server));
        x += 10 + TABLE_GAP;
        if (server->answer_us >= 0)
            printer_put(printer, x, ROLE_DIM, format_span(server->answer_us, span, sizeof span));
        x += 6 + TABLE_GAP;
        if (server->version)
            x = printer_put(printer, x, ROLE_DIM, server->version) + TABLE_GAP;
    }
    if (server->problem)
        printer_put(printer, x, ROLE_WARNING, server->problem);
    else if (reach == SERVER_SILENT)
        printer_put(printer, x, ROLE_WARNING, "no answer");
    printer_prose(printer);
    unsigned told = 0;
    const char *why;
    while (reach == SERVER_ANSWERS || (reach == SERVER_NOT_ASKED && !server->problem)) {
        if (!(why = label_hidden(server, &told, parts, sizeof parts)))
            break;
        x = printer_put(printer, 4, ROLE_WARNING, parts);
        x = printer_put(printer, x, ROLE_WARNING, " unknown: ");
        printer_put(printer, x, ROLE_TEXT, why);
        printer_prose(printer);
    }
}

static void print_connection(struct printer *printer, const struct cluster *cluster)
{
    bool connected = cluster->connection == CONNECTION_CONNECTED;
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    int x = printer_put_sign(printer, 2, connected ? ROLE_GOOD : ROLE_CRITICAL,
                             connected ? SIGN_OK : SIGN_CRITICAL);
    x = printer_put(printer, x, ROLE_TEXT, label_connection(cluster->connection));
    if (connected && cluster->connected_to) {
        x = printer_put(printer, x, ROLE_TEXT, " to ");
        x = printer_put(printer, x, ROLE_TEXT, cluster->connected_to);
    }
    if (connected) {
        char text[96], timeout[32];
        snprintf(text, sizeof text, "session 0x%" PRIx64 ", timeout %s", cluster->session,
                 cluster->timeout_ms > 0
                     ? format_span((int64_t)cluster->timeout_ms * 1000, timeout, sizeof timeout)
                     : "unknown");
        printer_put(printer, printer_put_bullet(printer, x), ROLE_DIM, text);
    } else if (problem) {
        printer_put(printer, printer_put(printer, x, ROLE_TEXT, ": "), ROLE_WARNING, problem);
    }
    printer_prose(printer);
    if (connected && problem) {
        bool in_part = cluster_shows(cluster);
        x = printer_put_sign(printer, 2, in_part ? ROLE_WARNING : ROLE_CRITICAL,
                             in_part ? SIGN_WARNING : SIGN_CRITICAL);
        printer_put(printer, x, ROLE_WARNING, problem);
        printer_prose(printer);
    }
}

/* Nothing is watched: no path is there that would match, or none was found. */
static void print_none(struct printer *printer, const struct cluster_settings *patterns)
{
    int x = 2;
    if (!patterns || !patterns->election_count) {
        printer_put(printer, x, ROLE_DIM,
                    "no election was found; name its path, as in: electop once /election");
        printer_prose(printer);
        return;
    }
    x = printer_put(printer, x, ROLE_WARNING, "nothing matches ");
    for (size_t i = 0; i < patterns->election_count; i++) {
        x = i ? printer_put(printer, x, ROLE_DIM, " or ") : x;
        x = printer_put(printer, x, ROLE_TEXT, patterns->elections[i].path);
    }
    printer_put(printer, x, ROLE_WARNING, " yet");
    printer_prose(printer);
}

static void print_cluster_head(struct printer *printer, const struct cluster *cluster,
                               const struct cluster_settings *patterns)
{
    int x = 0, address_width = 0;
    if (cluster->name && *cluster->name)
        x = printer_put(printer, 0, ROLE_STRONG, cluster->name) + TABLE_GAP;
    printer_put(printer, x, x ? ROLE_DIM : ROLE_STRONG, cluster->hosts);
    printer_prose(printer);
    print_connection(printer, cluster);
    for (size_t i = 0; i < cluster->server_count; i++) {
        int width = printer_text_width(printer, cluster->servers[i].address);
        address_width = width > address_width ? width : address_width;
    }
    for (size_t i = 0; i < cluster->server_count; i++)
        print_server(printer, cluster, &cluster->servers[i], address_width);
    if (!cluster->election_count && cluster->ever_connected && !cluster->problem)
        print_none(printer, patterns);
}

enum {
    SUM_STATE,
    SUM_ELECTION,
    SUM_LEADER,
    SUM_COUNT,
    SUM_SINCE,
    SUM_NEXT,
    SUM_FINDING,
    SUM_RECIPE,
    SUM_COLUMNS
};

static int leader_width(struct printer *printer, const struct election *election, struct moment now)
{
    int width = label_put_leader(printer->row, 0, 0, printer->row->width, election, now);
    cells_clear(printer->row);
    return width;
}

/* All elections of a cluster, a line each. */
static bool print_summary(struct printer *printer, const struct cluster *cluster, struct moment now)
{
    struct column columns[SUM_COLUMNS] = {
        [SUM_STATE] = {.heading = "  STATE", .least = 10, .most = 24, .importance = 5},
        [SUM_ELECTION] = {.heading = "ELECTION", .least = NAME_LEAST, .most = INT_MAX, .importance = 4},
        [SUM_LEADER] = {.heading = "LEADER", .least = NAME_LEAST, .most = INT_MAX, .importance = 3},
        [SUM_COUNT] = {.heading = "CAND", .least = 5, .most = 10, .importance = 2, .right = true},
        [SUM_SINCE] = {.heading = "SINCE", .least = 7, .most = 8, .importance = 2, .right = true},
        [SUM_NEXT] = {.heading = "NEXT", .least = 9, .most = INT_MAX, .importance = 2},
        [SUM_FINDING] = {.heading = "FINDING", .least = 10, .most = INT_MAX, .importance = 3},
        [SUM_RECIPE] = {.heading = "RECIPE", .least = 10, .most = INT_MAX, .importance = 1},
    };
    char text[64];
    int finding = columns[SUM_FINDING].least;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        columns_want(&columns[SUM_STATE], 2 + printer_text_width(printer, label_badge(election, now).word));
        columns_want(&columns[SUM_ELECTION], printer_text_width(printer, election->name));
        columns_want(&columns[SUM_LEADER], leader_width(printer, election, now));
        columns_want(&columns[SUM_FINDING], finding_worst_width(printer->row, election, now));
        columns_want(&columns[SUM_NEXT],
                     2 + printer_text_width(printer, label_verdict(printer->row, election).text));
        if (finding < finding_worst_least(printer->row, election, now))
            finding = finding_worst_least(printer->row, election, now);
        columns_want(&columns[SUM_RECIPE],
                     election->recipe ? printer_text_width(printer, election->recipe->title) : 1);
    }
    /* A finding is not cut; each election below shows the layout. */
    columns[SUM_FINDING].least = finding;
    columns[SUM_RECIPE].hidden = printer->style.width > 0 && printer->style.width < NARROW;
    if (!table_begin(printer, columns, SUM_COLUMNS, 0))
        return false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        struct badge badge = label_badge(election, now), worse = finding_badge(election, now);
        printer_put(printer, printer_put_sign(printer, columns[SUM_STATE].x, worse.look, worse.sign),
                    badge.look, badge.word);
        label_put_name(printer->row, &columns[SUM_ELECTION], 0, ROLE_STRONG, election->name);
        if (columns[SUM_LEADER].width > 0)
            label_put_leader(printer->row, columns[SUM_LEADER].x, 0, columns[SUM_LEADER].width, election,
                             now);
        if (summary_has_list(election))
            snprintf(text, sizeof text, "%zu", election->candidate_count);
        columns_put(printer->row, &columns[SUM_COUNT], 0, ROLE_TEXT, summary_has_list(election) ? text : "?");
        columns_put(printer->row, &columns[SUM_SINCE], 0, ROLE_TEXT,
                    label_since(printer->row, election, now, text, sizeof text));
        label_put_verdict(printer->row, &columns[SUM_NEXT], 0, election);
        finding_put_worst(printer->row, columns[SUM_FINDING].x, 0, columns[SUM_FINDING].width, election,
                          now);
        columns_put(printer->row, &columns[SUM_RECIPE], 0, ROLE_DIM,
                    election->recipe ? election->recipe->title : "?");
        printer_line(printer);
    }
    return printer_width(printer, PRINTER_WIDTH);
}

static bool print_cluster(struct printer *printer, const struct cluster *cluster,
                          const struct cluster_settings *patterns, struct moment now)
{
    print_cluster_head(printer, cluster, patterns);
    if (cluster->election_count > 1) {
        printer_prose(printer);
        if (!print_summary(printer, cluster, now))
            return false;
    }
    for (size_t i = 0; i < cluster->election_count; i++) {
        printer_prose(printer);
        if (!snapshot_election_print(printer, cluster->elections[i], now))
            return false;
    }
    return true;
}

bool snapshot_text_print(struct buffer *out, const struct model *model, struct moment now,
                         const struct print_style *how)
{
    struct printer printer;
    bool good = printer_begin(&printer, out, how);
    for (size_t i = 0; good && i < model->cluster_count; i++) {
        if (i)
            printer_line(&printer);
        const struct settings *settings = how->settings;
        good = print_cluster(&printer, &model->clusters[i],
                             settings && i < settings->cluster_count ? &settings->clusters[i] : NULL, now);
    }
    if (printer.row)
        printer_end(&printer);
    return good && !buffer_failed(out);
}
