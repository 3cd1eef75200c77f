#include "tui/dashboard/title.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/views/run_control_interface.h"
#include "tui/words/format.h"
#include "tui/screen/safe.h"
#include "tui/words/labels.h"

/* Writes piece by piece into a span, and counts what all of it would have taken. */
struct title_pen {
    struct cells *cells;
    const struct model *model;
    int x, end, wanted;
};

static void pen_put(struct title_pen *pen, style look, const char *text)
{
    int width = safe_width(text, strlen(text), pen->cells->ascii);
    if (pen->x < pen->end)
        pen->x += cells_put(pen->cells, pen->x, 0, pen->end - pen->x, look, text);
    pen->wanted += width;
}

static void pen_gap(struct title_pen *pen, int columns)
{
    pen->x += columns;
    pen->wanted += columns;
}

/* Two silences that began within this time have one cause. */
#define SAME_US 5000000

/* How much is shown of healthy servers. Problems are always shown. */
enum detail { DETAIL_BRIEF, DETAIL_COUNT, DETAIL_NAMES, DETAIL_ALL };

/* As its cluster calls it; with its port where another cluster has a server on that host, too. */
static const char *server_name(const struct model *model, const struct cluster *cluster, size_t which,
                               char *buffer, size_t size)
{
    const char *address = cluster->servers[which].address, *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) + 1 : 0;
    for (size_t i = 0; length > 0 && i < model->cluster_count; i++)
        for (size_t k = 0; &model->clusters[i] != cluster && k < model->clusters[i].server_count; k++)
            if (strncmp(model->clusters[i].servers[k].address, address, length) == 0) {
                snprintf(buffer, size, "%s", address);
                return buffer;
            }
    return label_server(cluster, which, buffer, size);
}

static bool is_troubled(const struct cluster *cluster)
{
    return cluster->connection != CONNECTION_CONNECTED || cluster->silent_since.mono_us != 0;
}

/* Its silence has lasted longer than that of all, which comes first. */
static bool is_silent_for_longer(const struct cluster *cluster, const struct server *server)
{
    if (server->seen.mono_us == 0)
        return false;
    return !is_troubled(cluster) || server->seen.mono_us < cluster->connection_since.mono_us - SAME_US;
}

static void title_put_server(struct title_pen *pen, const struct cluster *cluster, size_t which,
                             enum detail detail, struct moment now)
{
    const struct server *server = &cluster->servers[which];
    char text[160], age[16], name[128];
    enum server_reach reach = server_reach(cluster, server);
    style role = reach == SERVER_NOT_ASKED ? ROLE_DIM
                 : reach == SERVER_SILENT  ? ROLE_CRITICAL
                 : server->problem         ? ROLE_WARNING
                                           : ROLE_GOOD;
    if (detail == DETAIL_BRIEF || (detail == DETAIL_COUNT && (role == ROLE_GOOD || role == ROLE_DIM)))
        return;
    enum sign sign = role == ROLE_GOOD      ? SIGN_OK
                     : role == ROLE_WARNING ? SIGN_WARNING
                     : role == ROLE_DIM     ? SIGN_UNKNOWN
                                            : SIGN_CRITICAL;
    pen_gap(pen, 3);
    pen_put(pen, role, cells_sign(pen->cells, sign));
    pen_gap(pen, 1);
    pen_put(pen, ROLE_TEXT, server_name(pen->model, cluster, which, name, sizeof(name)));
    if (role == ROLE_DIM) {
        pen_gap(pen, 1);
        pen_put(pen, ROLE_DIM, "not asked");
        return;
    }
    if (role != ROLE_GOOD) {
        snprintf(text, sizeof(text), "%.120s", server->problem ? server->problem : "no answer");
        pen_gap(pen, 1);
        pen_put(pen, role, text);
        if (reach == SERVER_SILENT && is_silent_for_longer(cluster, server)) {
            pen_gap(pen, 1);
            pen_put(pen, role, format_age(now.mono_us - server->seen.mono_us, age, sizeof(age)));
        }
        return;
    }
    if (detail < DETAIL_ALL)
        return;
    static const char *const modes[] = {
        [SERVER_LEADER] = "leader", [SERVER_OBSERVER] = "observer", [SERVER_READ_ONLY] = "read-only"};
    if ((size_t)server->mode < sizeof(modes) / sizeof(*modes) && modes[server->mode]) {
        pen_gap(pen, 1);
        pen_put(pen, ROLE_DIM, modes[server->mode]);
    } else if (server->answer_us >= 0) {
        pen_gap(pen, 1);
        pen_put(pen, ROLE_DIM, format_span(server->answer_us, text, sizeof(text)));
    }
}

/* That the tool itself is not connected, and for how long; the reason is below, if there is room. */
static void title_put_connection(struct title_pen *pen, const struct cluster *cluster, struct moment now)
{
    char text[256], age[16] = "";
    bool silent = cluster->silent_since.mono_us != 0;
    struct moment begun = silent ? cluster->silent_since : cluster->connection_since;
    const char *what = silent                                        ? "no answer"
                       : cluster->connection == CONNECTION_REFUSED   ? "authentication failed"
                       : cluster->ever_connected || cluster->problem ? "not connected"
                                                                     : "connecting";
    int64_t since = begun.mono_us ? now.mono_us - begun.mono_us : 0;
    if (since >= 1000000)
        format_age(since, age, sizeof(age));
    snprintf(text, sizeof(text), "%s%s%s", what, *age ? " " : "", age);
    style role = cluster->connection == CONNECTION_REFUSED || cluster->ever_connected || since >= 5000000
                     ? ROLE_CRITICAL
                 : since >= 1000000 ? ROLE_WARNING
                                    : ROLE_DIM;
    pen_put(pen, role, cells_sign(pen->cells, role == ROLE_CRITICAL ? SIGN_CRITICAL : SIGN_WARNING));
    pen_gap(pen, 1);
    pen_put(pen, role, text);
}

/* known: of how many it is known whether they answer. */
static size_t good_servers(const struct cluster *cluster, size_t *known)
{
    size_t good = 0;
    *known = 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        enum server_reach reach = server_reach(cluster, &cluster->servers[i]);
        *known += reach != SERVER_NOT_ASKED;
        good += reach == SERVER_ANSWERS && !cluster->servers[i].problem;
    }
    return good;
}

/* A majority carries the ensemble; less is as much as nothing. */
static style title_judge(size_t good, size_t all, enum sign *sign)
{
    *sign = good == all ? SIGN_OK : good * 2 > all ? SIGN_WARNING : SIGN_CRITICAL;
    return good == all ? ROLE_GOOD : good * 2 > all ? ROLE_WARNING : ROLE_CRITICAL;
}

/* In the fewest columns: several clusters are all named before any of them gets details. */
static void put_brief(struct title_pen *pen, const struct cluster *cluster)
{
    char text[48] = "";
    size_t all, good = good_servers(cluster, &all);
    enum sign sign = SIGN_OK;
    style role = all > 0 ? title_judge(good, all, &sign) : ROLE_GOOD;
    if (is_troubled(cluster)) {
        sign = SIGN_CRITICAL;
        role = ROLE_CRITICAL;
    }
    if (cluster->connection == CONNECTION_REFUSED)
        snprintf(text, sizeof text, "auth"); /* they may all be well: none of them takes us */
    else if (all > 0)
        snprintf(text, sizeof text, "%zu/%zu", is_troubled(cluster) ? 0 : good, all);
    pen_put(pen, role, cells_sign(pen->cells, sign));
    pen_put(pen, ROLE_TEXT, text);
}

static void title_put_cluster(struct title_pen *pen, const struct cluster *cluster, enum detail detail,
                              struct moment now)
{
    bool named = cluster->name && *cluster->name;
    if (named || is_troubled(cluster) || cluster->server_count == 0 || detail <= DETAIL_COUNT)
        pen_gap(pen, 3); /* else its servers add a gap */
    if (named) {
        pen_put(pen, ROLE_TITLE, cluster->name);
        if (is_troubled(cluster) || cluster->server_count == 0 || detail <= DETAIL_COUNT)
            pen_gap(pen, 1);
    }
    if (detail == DETAIL_BRIEF) {
        put_brief(pen, cluster);
    } else if (is_troubled(cluster)) {
        title_put_connection(pen, cluster, now);
    } else if (cluster->server_count == 0) {
        pen_put(pen, ROLE_GOOD, cells_sign(pen->cells, SIGN_OK));
        pen_gap(pen, 1);
        pen_put(pen, ROLE_TEXT, cluster->connected_to ? cluster->connected_to : "connected");
    } else if (detail == DETAIL_COUNT) {
        char text[48];
        size_t known, good = good_servers(cluster, &known);
        enum sign sign = SIGN_OK;
        style role = known ? title_judge(good, known, &sign) : ROLE_GOOD; /* of the connection, then */
        if (known)
            snprintf(text, sizeof(text), "%zu of %zu servers", good, known);
        else
            snprintf(text, sizeof(text), "%zu servers not asked", cluster->server_count);
        pen_put(pen, role, cells_sign(pen->cells, sign));
        pen_gap(pen, 1);
        pen_put(pen, ROLE_DIM, text);
    }
    bool said = cluster->silent_since.mono_us != 0 && cluster->server_count == 1;
    for (size_t i = 0; i < cluster->server_count && !said; i++)
        title_put_server(pen, cluster, i, detail, now);
}

static void put_clusters(struct cells *cells, int x, int end, const struct model *model, struct moment now)
{
    for (int detail = DETAIL_ALL; detail >= DETAIL_BRIEF; detail--) {
        struct title_pen pen = {.cells = cells, .model = model, .x = x, .end = end};
        cells_fill(cells, x, 0, end - x, ROLE_TITLE);
        for (size_t i = 0; i < model->cluster_count; i++)
            title_put_cluster(&pen, &model->clusters[i], (enum detail)detail, now);
        if (pen.wanted <= end - x)
            break;
    }
}

static void put_each(struct title_pen *pen, const struct model *model, bool named)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        const char *name = model->clusters[i].name;
        pen_gap(pen, i > 0 ? 2 : 0);
        if (named && name && *name) {
            pen_put(pen, ROLE_TITLE_DIM, name);
            pen_gap(pen, 1);
        }
        put_brief(pen, &model->clusters[i]);
    }
}

/* Beside a screen's own words: the first cluster that is in trouble, else each in brief, or all in a sign. */
static int put_health(struct cells *cells, int right, const struct model *model, struct moment now)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        if (!is_troubled(&model->clusters[i]))
            continue;
        struct title_pen measure = {.cells = cells, .x = 0, .end = 0};
        title_put_connection(&measure, &model->clusters[i], now);
        int room = measure.wanted < right / 2 ? measure.wanted : right / 2;
        struct title_pen pen = {.cells = cells, .x = right - room, .end = right};
        title_put_connection(&pen, &model->clusters[i], now);
        return room + 3;
    }
    for (size_t named = 2; named-- > 0;) {
        struct title_pen measure = {.cells = cells, .model = model, .x = 0, .end = 0};
        put_each(&measure, model, named);
        if (measure.wanted > right / 3)
            continue;
        struct title_pen pen = {.cells = cells, .model = model, .x = right - measure.wanted, .end = right};
        put_each(&pen, model, named);
        return measure.wanted + 2;
    }
    return 0;
}

/* Of a recording: which clusters, and no sign that could be taken for their present state. */
static void put_names(struct cells *cells, int x, int end, const struct model *model)
{
    struct title_pen pen = {.cells = cells, .model = model, .x = x, .end = end};
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        pen_gap(&pen, 3);
        pen_put(&pen, ROLE_TITLE, cluster->name && *cluster->name ? cluster->name : cluster->hosts);
        if (cluster->connection != CONNECTION_CONNECTED) {
            pen_gap(&pen, 1);
            pen_put(&pen, ROLE_TITLE_DIM, "not connected then");
        }
    }
}

/* The moment of a recording; of another day than today with its date. */
static int title_put_moment(struct cells *cells, int right, int64_t at_us, int64_t clock_us)
{
    time_t at = (time_t)(at_us / 1000000), today = (time_t)(clock_us / 1000000);
    char text[64], clock[24], date[24] = "";
    struct tm then, now;
    if (localtime_r(&at, &then) && localtime_r(&today, &now) &&
        (then.tm_year != now.tm_year || then.tm_yday != now.tm_yday))
        strftime(date, sizeof(date), "%Y-%m-%d ", &then);
    char zone[16];
    snprintf(text, sizeof(text), "REPLAY %s%s %s", date, format_clock_ms(at_us, clock, sizeof(clock)),
             format_zone(at_us, zone, sizeof(zone)));
    return cells_put_right(cells, right, 0, -1, ROLE_WARNING | STYLE_BOLD, text);
}

void title_draw(struct cells *cells, struct view *view, bool first, const struct scene *scene,
                int64_t paused_us, int64_t clock_us)
{
    char text[64], age[16], clock[24], zone[16];
    int right = cells->width - 1;
    snprintf(text, sizeof(text), "%s %s", format_clock(clock_us, clock, sizeof(clock)),
             format_zone(clock_us, zone, sizeof(zone)));
    cells_fill(cells, 0, 0, cells->width, ROLE_TITLE);
    if (scene->past)
        right -= title_put_moment(cells, right, scene->now.wall_us, clock_us) + 2;
    else
        right -= cells_put_right(cells, right, 0, -1, ROLE_TITLE, text) + 2;
    if (paused_us >= 0) {
        snprintf(text, sizeof(text), "PAUSED %s", format_age(paused_us, age, sizeof(age)));
        right -= cells_put_right(cells, right, 0, -1, ROLE_WARNING | STYLE_BOLD, text) + 2;
    }
    if (scene->control && scene->control->is_busy(scene->control->context) &&
        view->ops->opened_by != ACTION_INJECT)
        right -= cells_put_right(cells, right, 0, -1, ROLE_WARNING | STYLE_BOLD, "INJECTING") + 2;
    if (first) {
        cells_put(cells, 1, 0, right - 1, ROLE_TITLE, "electop");
        if (scene->past)
            put_names(cells, 8, right, scene->model);
        else
            put_clusters(cells, 8, right, scene->model, scene->now);
    } else {
        if (!scene->past)
            right -= put_health(cells, right, scene->model, scene->now);
        if (view->ops->title)
            view->ops->title(view, scene, cells, 1, right - 1);
    }
    cells_title_row(cells, 0);
}
