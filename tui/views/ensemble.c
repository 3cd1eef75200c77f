#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/dangers.h"
#include "tui/screen/columns.h"
#include "tui/views/cluster_lines.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define DETAIL_ROWS 7 /* of a server that answers, on a wide screen */
#define SIGN_X 2
#define TABLE_X 4

enum {
    COLUMN_CLUSTER,
    COLUMN_SERVER,
    COLUMN_MODE,
    COLUMN_LATENCY,
    COLUMN_COURSE,
    COLUMN_AVERAGE,
    COLUMN_MOST,
    COLUMN_OUTSTANDING,
    COLUMN_LAG,
    COLUMN_ZXID,
    COLUMN_CONNECTIONS,
    COLUMN_WATCHES,
    COLUMN_CHILD_WATCHES,
    COLUMN_FROM,
    COLUMN_ASKED,
    COLUMN_UPTIME,
    COLUMN_ZNODES,
    COLUMN_EPHEMERALS,
    COLUMN_VERSION,
    COLUMN_COUNT
};

static const struct column columns_of_ensemble[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = {.heading = "CLUSTER", .least = 7, .most = 16, .importance = 90},
    [COLUMN_SERVER] = {.heading = "SERVER", .least = 12, .most = 40, .importance = 100},
    [COLUMN_MODE] = {.heading = "MODE", .least = 10, .most = 12, .importance = 95},
    [COLUMN_LATENCY] = {.heading = "ANSWER", .least = 7, .most = 8, .importance = 85, .right = true},
    [COLUMN_COURSE] = {.heading = "RECENT", .least = 8, .most = SERVER_ANSWERS_KEPT, .importance = 62},
    [COLUMN_AVERAGE] = {.heading = "AVG", .least = 6, .most = 7, .importance = 58, .right = true},
    [COLUMN_MOST] = {.heading = "MAX", .least = 6, .most = 7, .importance = 57, .right = true},
    [COLUMN_OUTSTANDING] = {.heading = "QUEUE", .least = 5, .most = 6, .importance = 55, .right = true},
    [COLUMN_LAG] = {.heading = "BEHIND", .least = 6, .most = 8, .importance = 78, .right = true},
    [COLUMN_UPTIME] = {.heading = "UP", .least = 6, .most = 6, .importance = 54, .right = true},
    [COLUMN_ZNODES] = {.heading = "ZNODES", .least = 7, .most = 9, .importance = 36, .right = true},
    [COLUMN_EPHEMERALS] = {.heading = "EPHEM", .least = 6, .most = 8, .importance = 35, .right = true},
    [COLUMN_ZXID] = {.heading = "ZXID", .least = 12, .most = 18, .importance = 38},
    [COLUMN_CONNECTIONS] = {.heading = "CONNS", .least = 5, .most = 7, .importance = 80, .right = true},
    [COLUMN_WATCHES] = {.heading = "WATCHES", .least = 7, .most = 8, .importance = 82, .right = true},
    [COLUMN_CHILD_WATCHES] =
        {.heading = "ON CHILDREN", .least = 11, .most = 11, .importance = 40, .right = true},
    [COLUMN_FROM] = {.heading = "SEEN BY", .least = 11, .most = 12, .importance = 75},
    [COLUMN_ASKED] = {.heading = "POLLED", .least = 6, .most = 7, .importance = 50},
    [COLUMN_VERSION] = {.heading = "VERSION", .least = 7, .most = 16, .importance = 30, .optional = true},
};

/* The servers of every cluster, their state, and the facts that each shows. */
struct ensemble_view {
    struct view view;
    struct list list; /* at: which server, over all clusters */
    struct column columns[COLUMN_COUNT];
    struct names servers, clusters;
    int64_t slowest_us; /* of the answers in RECENT */
    int first_y;
};

static size_t ensemble_count_servers(const struct scene *scene)
{
    size_t count = 0;

    for (size_t i = 0; i < scene->model->cluster_count; i++)
        count += scene->model->clusters[i].server_count;
    return count;
}

static const struct server *server_at(const struct scene *scene, size_t i, const struct cluster **cluster)
{
    for (size_t c = 0; c < scene->model->cluster_count; c++) {
        *cluster = &scene->model->clusters[c];
        if (i < (*cluster)->server_count)
            return &(*cluster)->servers[i];
        i -= (*cluster)->server_count;
    }
    return NULL;
}

/* The selection belongs to the server, whichever line it is on. */
static bool ensemble_key_of(const void *context, size_t line, char key[LIST_KEY_BYTES])
{
    const struct cluster *cluster;
    const struct server *server = server_at(context, line, &cluster);

    if (server != NULL)
        snprintf(key, LIST_KEY_BYTES, "%s\n%s", cluster->name, server->address);
    return server != NULL;
}

static void ensemble_follow_model(struct ensemble_view *view, const struct scene *scene, size_t rows)
{
    list_begin(&view->list, ensemble_count_servers(scene), rows);
    list_follow(&view->list, false, ensemble_key_of, scene);
}

static const char *source_word(const struct server *server)
{
    if (server->watches_from == NULL)
        return !server->reachable                       ? "?"
               : server->hidden[HIDDEN_WATCHES] != NULL ? "? hidden"
                                                        : "? not polled";
    return strcmp(server->watches_from, "adminserver") == 0 ? "AdminServer" : server->watches_from;
}

static void ensemble_put_figure(struct cells *cells, const struct column *column, int y, style look,
                                bool known, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    columns_put(cells, column, y, known ? look : (style)ROLE_DIM, known ? text : "?");
}

/* A latency as the server reports it; it rounds down to "0ms". */
static void put_latency(struct cells *cells, const struct column *column, int y, style look, int64_t us)
{
    char text[24];

    columns_put(cells, column, y, us >= 0 ? look : (style)ROLE_DIM,
                us < 0 ? "?" : format_span(us, text, sizeof text));
}

/* How many of its latest answers have room. */
static unsigned answers_shown(const struct server *server, int width)
{
    unsigned kept = server->answer_count < SERVER_ANSWERS_KEPT ? server->answer_count : SERVER_ANSWERS_KEPT;

    return width < 0 ? 0 : kept > (unsigned)width ? (unsigned)width : kept;
}

/* All rows have one scale: the tallest bar of the screen is the slowest answer of all that are shown. */
static int64_t slowest_answer(const struct scene *scene, int width)
{
    int64_t most = 1000; /* below a millisecond there is no course to look at */

    for (size_t i = 0; i < scene->model->cluster_count; i++)
        for (size_t j = 0; j < scene->model->clusters[i].server_count; j++) {
            const struct server *server = &scene->model->clusters[i].servers[j];

            for (unsigned k = answers_shown(server, width); k >= 1; k--) {
                int64_t us = server->answers_us[(server->answer_count - k) % SERVER_ANSWERS_KEPT];

                most = us > most ? us : most;
            }
        }
    return most;
}

/* The course of its answers, the latest at the right. */
static void ensemble_put_course(struct cells *cells, int x, int y, int width, const struct server *server,
                                int64_t most)
{
    unsigned kept = answers_shown(server, width);

    for (unsigned i = kept; i >= 1; i--) {
        int64_t us = server->answers_us[(server->answer_count - i) % SERVER_ANSWERS_KEPT];
        unsigned eighths = (unsigned)(us * CELL_EIGHTHS / most);

        cells_put(cells, x + (int)(kept - i), y, 1, ROLE_BAR_A,
                  cells_level(cells, eighths > 0 ? eighths : 1));
    }
}

static void put_load(const struct ensemble_view *view, struct cells *cells, int y, style look,
                     const struct server *server, bool past)
{
    const struct column *columns = view->columns;
    const struct server_load *load = &server->load;
    const struct column *course = &columns[COLUMN_COURSE];
    char text[32];

    if (!past)
        ensemble_put_course(cells, course->x, y, course->width, server, view->slowest_us);
    put_latency(cells, &columns[COLUMN_AVERAGE], y, look, load->latency_avg_us);
    put_latency(cells, &columns[COLUMN_MOST], y, look, load->latency_max_us);
    ensemble_put_figure(cells, &columns[COLUMN_OUTSTANDING], y, look, load->outstanding >= 0,
                        load->outstanding);
    ensemble_put_figure(cells, &columns[COLUMN_LAG], y, server->lag > 0 ? (style)ROLE_WARNING : look,
                        server->lag >= 0, server->lag);
    columns_put(cells, &columns[COLUMN_UPTIME], y, load->uptime_ms >= 0 ? look : (style)ROLE_DIM,
                load->uptime_ms >= 0 ? format_age(load->uptime_ms * 1000, text, sizeof text) : "?");
    ensemble_put_figure(cells, &columns[COLUMN_ZNODES], y, look, load->znodes >= 0, load->znodes);
    ensemble_put_figure(cells, &columns[COLUMN_EPHEMERALS], y, look, load->ephemerals >= 0, load->ephemerals);
}

/* The worst that it endangers elections with; SEVERITY_INFO: nothing worth a colour. */
static enum severity worst_danger(const struct cluster *cluster, const struct server *server)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    enum severity worst = SEVERITY_INFO;

    for (size_t i = server_dangers(cluster, server, dangers); i-- > 0;)
        worst = dangers[i].severity > worst ? dangers[i].severity : worst;
    return worst;
}

static void ensemble_draw_row(const struct ensemble_view *view, struct cells *cells, int y,
                              const struct scene *scene, const struct server *server,
                              const struct cluster *cluster)
{
    static const char *const unmoded[] = {
        [SERVER_SILENT] = "no answer", [SERVER_ANSWERS] = "connected", [SERVER_NOT_ASKED] = "not polled"};
    const struct column *columns = view->columns;
    enum server_reach reach = server_reach(cluster, server);
    enum severity worst = worst_danger(cluster, server);
    bool answers = reach == SERVER_ANSWERS;
    style state = reach == SERVER_NOT_ASKED   ? ROLE_DIM
                  : reach == SERVER_SILENT    ? ROLE_CRITICAL
                  : worst >= SEVERITY_WARNING ? severity_look(worst)
                  : server->problem != NULL   ? ROLE_WARNING
                  : scene->past               ? ROLE_DIM
                                              : ROLE_GOOD;
    style look = answers ? ROLE_TEXT : ROLE_DIM; /* its mode when it last answered */
    char text[64];

    cells_put(cells, SIGN_X, y, 1, state,
              cells_sign(cells, reach == SERVER_NOT_ASKED   ? SIGN_UNKNOWN
                                : reach == SERVER_SILENT    ? SIGN_CRITICAL
                                : worst >= SEVERITY_WARNING ? severity_sign(worst)
                                : server->problem != NULL   ? SIGN_WARNING
                                : scene->past               ? SIGN_BULLET
                                                            : SIGN_OK));
    names_put(cells, &view->clusters, &columns[COLUMN_CLUSTER], y, ROLE_DIM, cluster->name);
    names_put(cells, &view->servers, &columns[COLUMN_SERVER], y, ROLE_TEXT, server->address);
    columns_put(cells, &columns[COLUMN_MODE], y, reach == SERVER_SILENT ? (style)ROLE_CRITICAL : look,
                answers && !server->unasked ? label_mode(server) : unmoded[reach]);
    columns_put(cells, &columns[COLUMN_LATENCY], y, look,
                answers && server->answer_us >= 0 ? format_span(server->answer_us, text, sizeof text) : "?");
    put_load(view, cells, y, look, server, scene->past);
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)server->zxid);
    columns_put(cells, &columns[COLUMN_ZXID], y, server->zxid >= 0 ? look : (style)ROLE_DIM,
                server->zxid >= 0 ? text : "?");
    ensemble_put_figure(cells, &columns[COLUMN_CONNECTIONS], y, look, server->connections >= 0,
                        server->connections);
    ensemble_put_figure(cells, &columns[COLUMN_WATCHES], y, look, server->watches_from != NULL,
                        (int64_t)server->watch_count);
    ensemble_put_figure(cells, &columns[COLUMN_CHILD_WATCHES], y, ROLE_DIM,
                        server->watches_from != NULL && server->child_watches >= 0, server->child_watches);
    columns_put(cells, &columns[COLUMN_FROM], y, server->watches_from != NULL ? look : (style)ROLE_WARNING,
                source_word(server));
    columns_put(cells, &columns[COLUMN_ASKED], y, ROLE_DIM,
                server->watches_seen.mono_us != 0
                    ? format_age(label_age_us(server->watches_seen, scene->now), text, sizeof text)
                    : "?");
    columns_put(cells, &columns[COLUMN_VERSION], y, ROLE_DIM,
                server->version != NULL ? server->version : "?");
}

static void ensemble_lay_columns(struct ensemble_view *view, const struct cells *cells,
                                 const struct scene *scene)
{
    struct column *columns = view->columns;
    int wide = cells->width >= 100;

    memcpy(columns, columns_of_ensemble, sizeof columns_of_ensemble);
    names_free(&view->servers);
    names_free(&view->clusters);
    names_add_clusters(&view->clusters, scene->model);
    columns[COLUMN_CLUSTER].hidden = scene->model->cluster_count < 2;
    columns[COLUMN_COURSE].hidden = scene->past;
    for (size_t i = 0; i < view->list.count; i++) {
        const struct cluster *cluster;
        const struct server *server = server_at(scene, i, &cluster);

        columns_want(&columns[COLUMN_SERVER], cells_width(cells, server->address));
        names_add(&view->servers, server->address);
        columns_want(&columns[COLUMN_CLUSTER], cells_width(cells, cluster->name));
        if (server->version != NULL)
            columns_want(&columns[COLUMN_VERSION], (int)strlen(server->version));
    }
    columns_lay(columns, COLUMN_COUNT, TABLE_X, cells->width - TABLE_X - wide, wide ? 2 : 1);
    names_fit_column(&view->servers, cells, &columns[COLUMN_SERVER], 0);
    names_fit_column(&view->clusters, cells, &columns[COLUMN_CLUSTER], 0);
    view->slowest_us = slowest_answer(scene, columns[COLUMN_COURSE].width);
}

static int ensemble_draw_head(struct cells *cells, int y, const struct scene *scene)
{
    size_t servers = 0, answering = 0, unasked = 0, shown = 0;
    int x = 1;

    for (size_t i = 0; i < scene->model->cluster_count; i++)
        for (size_t j = 0; j < scene->model->clusters[i].server_count; j++) {
            const struct server *server = &scene->model->clusters[i].servers[j];
            enum server_reach reach = server_reach(&scene->model->clusters[i], server);

            servers++;
            answering += reach == SERVER_ANSWERS;
            unasked += reach == SERVER_NOT_ASKED;
            shown += server->watches_from != NULL;
        }
    x += cells_printf(cells, x, y, -1, ROLE_STRONG, "%zu", servers) + 1;
    x += cells_put(cells, x, y, -1, ROLE_TEXT, servers == 1 ? "server" : "servers") + 3;
    if (answering > 0 || unasked < servers)
        x += cells_printf(cells, x, y, -1, answering + unasked == servers ? ROLE_GOOD : ROLE_CRITICAL,
                          "%zu answering", answering) +
             3;
    if (unasked > 0)
        x += cells_printf(cells, x, y, -1, ROLE_DIM, "%zu not polled", unasked) + 3;
    cells_printf(cells, x, y, -1, shown == servers ? ROLE_GOOD : ROLE_WARNING, "watches seen on %zu of %zu",
                 shown, servers);
    return 1;
}

static int ensemble_put_part(struct cells *cells, int y, int end, style look, const char *label,
                             const char *text)
{
    if (y >= end)
        return 0;
    cells_put(cells, SIGN_X, y, 12, ROLE_DIM, label);
    return columns_wrap_put(cells, SIGN_X + 13, y, cells->width - SIGN_X - 15, end - y, look, text);
}

/* All its figures, in words. A figure that it does not tell is a question mark. */
static int draw_figures(struct cells *cells, int y, int end, const struct server *server)
{
    const struct server_load *load = &server->load;
    char text[400], a[24], b[24], c[24], n[6][24];
    const int64_t counts[] = {load->znodes,
                              load->ephemerals,
                              load->watches,
                              load->outstanding,
                              server->busiest_connections,
                              load->address_connections_most};
    int begin = y;

    for (size_t i = 0; i < 6; i++)
        snprintf(n[i], sizeof n[i], counts[i] >= 0 ? "%" PRId64 : "?", counts[i]);
    snprintf(text, sizeof text, "%s, version %s, up %s", label_mode(server),
             server->version != NULL ? server->version : "?",
             load->uptime_ms >= 0 ? format_age(load->uptime_ms * 1000, a, sizeof a) : "?");
    y += ensemble_put_part(cells, y, end, ROLE_TEXT, "role", text);
    if (server->zxid >= 0)
        snprintf(text, sizeof text, "zxid 0x%" PRIx64 ", epoch %" PRId64 ", ", (uint64_t)server->zxid,
                 server_epoch(server));
    else
        snprintf(text, sizeof text, "zxid ?, ");
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "%s%s; %s znodes, %s ephemerals, %s watches of all kinds",
             server->lag > 0    ? format_age(server->lag_us, a, sizeof a)
             : server->lag == 0 ? "not behind"
                                : "lag unknown",
             server->lag > 0 ? " behind" : "", n[0], n[1], n[2]);
    y += ensemble_put_part(cells, y, end, ROLE_TEXT, "data", text);
    snprintf(text, sizeof text, "min %s, average %s, max %s since its start; %s outstanding",
             load->latency_min_us >= 0 ? format_span(load->latency_min_us, a, sizeof a) : "?",
             load->latency_avg_us >= 0 ? format_span(load->latency_avg_us, b, sizeof b) : "?",
             load->latency_max_us >= 0 ? format_span(load->latency_max_us, c, sizeof c) : "?", n[3]);
    y += ensemble_put_part(cells, y, end, ROLE_TEXT, "latency", text);
    snprintf(a, sizeof a, server->connections >= 0 ? "%d" : "?", server->connections);
    snprintf(text, sizeof text, "%s connections; most from one address: %s%s%s; %s%s", a, n[4],
             server->busiest_connections > 0 ? " from " : "",
             server->busiest_connections > 0 ? server->busiest_address : "",
             load->address_connections_most == 0 ? "no limit (maxClientCnxns=0)" : "maxClientCnxns ",
             load->address_connections_most == 0 ? "" : n[5]);
    y += ensemble_put_part(cells, y, end, ROLE_TEXT, "clients", text);
    return y - begin;
}

/* Whether the others are a majority. Weights and groups of a quorum are not known. */
static bool quorum_is_left(const struct cluster *cluster, const struct server *server, char *text,
                           size_t size)
{
    size_t voters = 0, left = 0, hidden = 0, doubtful = 0;

    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *other = &cluster->servers[i];
        bool votes = other->mode == SERVER_LEADER || other->mode == SERVER_FOLLOWER;
        bool gone = other == server || server_reach(cluster, other) == SERVER_SILENT;

        if (other->mode == SERVER_OBSERVER)
            continue;
        voters++;
        left += votes && !gone;
        hidden += !gone && other->mode == SERVER_UNKNOWN;                /* it may serve */
        doubtful += !votes && (gone || other->mode == SERVER_READ_ONLY); /* perhaps an observer */
    }
    if (server->mode == SERVER_STANDALONE)
        snprintf(text, size, "no other server has its data");
    else if (cluster->ensemble != ENSEMBLE_WHOLE)
        snprintf(text, size,
                 "it is not known whether a majority remains: %zu of %zu servers %s, and there may be others",
                 left, voters, left == 1 ? "serves" : "serve");
    else if (2 * left <= voters && 2 * (left + hidden) > voters - doubtful)
        snprintf(text, size,
                 "it is not known whether a majority remains: %zu of %zu servers %s, and the mode of %zu is "
                 "not known",
                 left, voters, left == 1 ? "serves" : "serve", hidden + doubtful);
    else
        snprintf(text, size, "%s majority remains: %zu of %zu servers %s", 2 * left > voters ? "a" : "no",
                 left, voters, left == 1 ? "serves" : "serve");
    return cluster->ensemble == ENSEMBLE_WHOLE && 2 * left > voters;
}

/* What its end does to the ensemble, and to the leaders that are connected to it. */
static int draw_stop(struct cells *cells, int y, int end, const struct cluster *cluster,
                     const struct server *server)
{
    size_t leaders = 0, named = 0;
    int shortest_ms = 0;
    char text[600], names[300] = "", more[40] = "", age[24];
    bool left = quorum_is_left(cluster, server, text, sizeof text);

    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        const struct client_session *client =
            election->leader != NULL ? candidate_client(election->leader) : NULL;

        if (client == NULL || !client->connected || client->server != server - cluster->servers)
            continue;
        if (client->timeout_ms > 0 && (shortest_ms == 0 || client->timeout_ms < shortest_ms))
            shortest_ms = client->timeout_ms;
        /* Behind one that has no room none is named: the list has no holes. */
        if (leaders++ > named || strlen(names) + strlen(election->name) + 3 > sizeof names)
            continue;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", named++ > 0 ? ", " : ": ",
                 election->name);
    }
    if (left && server->mode == SERVER_LEADER)
        snprintf(text + strlen(text), sizeof text - strlen(text), " and must elect a new ZooKeeper leader");
    if (named > 0 && named < leaders)
        snprintf(more, sizeof more, ", and %zu more", leaders - named);
    if (leaders > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; %zu %s here and must reconnect %s%s%s%s",
                 leaders, leaders == 1 ? "leader is connected" : "leaders are connected",
                 shortest_ms > 0 ? "within " : "in time",
                 shortest_ms > 0 ? format_span(shortest_ms * INT64_C(1000), age, sizeof age) : "", names,
                 more);
    if (server->hidden[HIDDEN_CONNECTIONS] != NULL)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; it does not show who is connected here");
    return ensemble_put_part(cells, y, end, left ? ROLE_TEXT : ROLE_WARNING, "if it stops", text);
}

static int draw_dangers(struct cells *cells, int y, int end, const struct cluster *cluster,
                        const struct server *server)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    size_t count = server_dangers(cluster, server, dangers);
    int begin = y;

    for (size_t i = 0; i < count; i++) {
        char text[640];

        if (dangers[i].severity == SEVERITY_INFO)
            continue; /* hidden facts are shown with their reasons */
        snprintf(text, sizeof text, "%s: %s", dangers[i].code, dangers[i].evidence);
        y += ensemble_put_part(cells, y, end, severity_look(dangers[i].severity), "danger", text);
        y += ensemble_put_part(cells, y, end, ROLE_ACCENT, "", dangers[i].advice);
    }
    return y - begin;
}

/* The facts that a server hides, the reason, and the setting to change. Returns the row below it. */
static int ensemble_draw_detail(struct cells *cells, int y, const struct scene *scene, size_t at)
{
    const struct cluster *cluster;
    const struct server *server = server_at(scene, at, &cluster);
    int end = cells->height;
    unsigned reported = 0;
    bool silent;
    const char *why;
    char text[64], parts[64], unknown[768];

    if (server == NULL || end - y < 2)
        return end;
    silent = server_reach(cluster, server) == SERVER_SILENT;
    cells_rule(cells, 0, y++, cells->width, server->address);
    if (server->problem != NULL)
        y += ensemble_put_part(cells, y, end, silent ? ROLE_CRITICAL : ROLE_WARNING, "problem",
                               server->problem);
    if (server->seen.mono_us != 0 && !server->unasked)
        y += ensemble_put_part(
            cells, y, end, ROLE_TEXT, silent ? "silent for" : "answered",
            strcat(format_age(label_age_us(server->seen, scene->now), text, sizeof text - 8),
                   silent ? "" : " ago"));
    y += draw_dangers(cells, y, end, cluster, server);
    if (!server->unasked)
        y += draw_figures(cells, y, end, server);
    if (!silent && !server->unasked)
        y += draw_stop(cells, y, end, cluster, server);
    while ((why = label_hidden(server, &reported, parts, sizeof parts)) != NULL) {
        if (!server->reachable && server->problem != NULL && strcmp(why, server->problem) == 0)
            continue; /* that is the reason, and is shown there */
        snprintf(unknown, sizeof unknown, "%s: %s", parts, why);
        y += ensemble_put_part(cells, y, end, ROLE_WARNING, "unknown", unknown);
    }
    if (!server->reachable)
        y += ensemble_put_part(cells, y, end, ROLE_DIM, "unknown",
                               "what only this server shows; findings from it stay unconfirmed");
    else if (reported == 0 && server->watches_from == NULL && y < end)
        y += ensemble_put_part(cells, y, end, ROLE_DIM, "watches", "? not polled yet");
    else if (reported == 0 && y < end)
        y += ensemble_put_part(cells, y, end, ROLE_GOOD, "shows",
                               label_asked_for_sessions(server) ? "its connections, sessions and watches"
                                                                : "its connections and watches");
    return y;
}

/* The selected server's, and below it those of the others that have room: to be compared. */
static void ensemble_draw_details(const struct ensemble_view *view, struct cells *cells, int y,
                                  const struct scene *scene)
{
    y = ensemble_draw_detail(cells, y, scene, view->list.at);
    for (size_t i = 0; i < view->list.count && cells->height - y >= DETAIL_ROWS; i++)
        if (i != view->list.at)
            y = ensemble_draw_detail(cells, y, scene, i);
}

static void ensemble_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct ensemble_view *view = (struct ensemble_view *)self;
    int airy = cells->height >= 18, y = airy, rows, pane, count = (int)ensemble_count_servers(scene);

    y += ensemble_draw_head(cells, y, scene);
    y += cluster_lines_draw(cells, 1, y, cells->height / 4, scene, NULL) + airy;
    view->first_y = y + 1;
    pane = cells->height - view->first_y - count - 1;
    if (pane < cells->height / 4)
        pane = cells->height / 4;
    rows = cells->height - view->first_y - pane;
    ensemble_follow_model(view, scene, rows > 0 ? (size_t)rows : 0);
    if (count == 0) {
        cells_put(cells, SIGN_X, y, -1, ROLE_DIM, "? no server is known yet");
        return;
    }
    ensemble_lay_columns(view, cells, scene);
    columns_head(cells, view->columns, COLUMN_COUNT, y, -1, false);
    names_put_shared(cells, &view->servers, &view->columns[COLUMN_SERVER], y);
    names_put_shared(cells, &view->clusters, &view->columns[COLUMN_CLUSTER], y);
    for (size_t i = 0; i < view->list.rows && view->list.top + i < view->list.count; i++) {
        const struct cluster *cluster = NULL;
        const struct server *server = server_at(scene, view->list.top + i, &cluster);
        int row = view->first_y + (int)i;

        ensemble_draw_row(view, cells, row, scene, server, cluster);
        if (view->list.top + i == view->list.at)
            list_mark_row(cells, row, cells->width);
    }
    ensemble_draw_details(view, cells, cells->height - pane, scene);
}

static enum view_result ensemble_action(struct view *self, const struct scene *scene, enum action action,
                                        struct view **next)
{
    struct ensemble_view *view = (struct ensemble_view *)self;

    (void)next;
    ensemble_follow_model(view, scene, view->list.rows);
    if (!list_move(&view->list, action))
        return VIEW_IGNORED;
    list_select_line(&view->list, ensemble_key_of, scene);
    return VIEW_DONE;
}

static enum view_result ensemble_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                       struct view **next)
{
    struct ensemble_view *view = (struct ensemble_view *)self;

    (void)x;
    (void)next;
    ensemble_follow_model(view, scene, view->list.rows);
    return list_click(&view->list, view->first_y, y, twice, ensemble_key_of, scene) ? VIEW_DONE
                                                                                    : VIEW_IGNORED;
}

static void ensemble_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    (void)self, (void)scene;
    label_put_title(cells, x, room, "ensemble", "the servers, each polled separately");
}

static void ensemble_release(struct view *self)
{
    struct ensemble_view *view = (struct ensemble_view *)self;

    list_release(&view->list);
    names_free(&view->servers);
    names_free(&view->clusters);
}

static const struct view_ops ops = {
    .name = "ensemble",
    .draw = ensemble_draw,
    .action = ensemble_action,
    .click = ensemble_click,
    .title = ensemble_title,
    .release = ensemble_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_BACK),
    .opened_by = ACTION_ENSEMBLE,
};

struct view *ensemble_view_new(void)
{
    return view_new(&ops, sizeof(struct ensemble_view), NULL, NULL);
}
