#include "tui/views/cluster_lines.h"

#include <stdio.h>
#include <string.h>

#include "config/units.h"
#include "probe/election/summary.h"
#include "tui/screen/columns.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/views/view.h"

/* For so long a first connection is simply under way. */
#define PATIENCE_US INT64_C(2000000)
/* After so long without a find, looking on is not all there is to say. */
#define SEARCHED_US INT64_C(5000000)
/* Cells of a cluster's name that is cut. */
#define NAME_LEAST 12
/* Of a reason that is longer than a line. */
#define REASON_ROWS 4

/* Its name, in the room that the reason after it leaves: a connect string of three long names would fill the
 * line. */
static int put_name(struct cells *cells, int x, int y, const struct cluster *cluster, int behind)
{
    int room = cells->width - x - behind;

    return cells_put(cells, x, y, room > NAME_LEAST ? room : NAME_LEAST, ROLE_STRONG,
                     label_cluster(cluster)) +
           1;
}

/* Why it is not connected, or shows nothing or not all, and what happens next. */
struct trouble {
    char state[64]; /* that it is not connected, and for how long; or "" */
    const char *problem, *next;
    bool in_part;
    char quorum[SUMMARY_QUORUM_SIZE];
};

static void cluster_lines_judge(struct trouble *trouble, const struct cluster *cluster, struct moment now)
{
    char age[16];

    *trouble =
        (struct trouble){.in_part = cluster->connection == CONNECTION_CONNECTED && cluster_shows(cluster)};
    trouble->problem = summary_problem(cluster, trouble->quorum);
    if (trouble->problem == NULL)
        trouble->problem = "no server has answered";
    format_age(label_age_us(cluster->connection_since, now), age, sizeof age);
    if (cluster->connection == CONNECTION_REFUSED) {
        trouble->next = "; correct the auth file and restart";
    } else if (cluster->connection == CONNECTION_CONNECTED) {
        trouble->next = trouble->in_part || cluster_is_from_logs(cluster) ? "" : "; trying again";
    } else {
        snprintf(trouble->state, sizeof trouble->state, "not connected for %s", age);
        trouble->next = cluster->ever_connected ? "; trying again, rows as last seen" : "; trying again";
    }
}

static style role_of(const struct trouble *trouble)
{
    return trouble->in_part ? ROLE_WARNING : ROLE_CRITICAL;
}

static int put_sign(struct cells *cells, int x, int y, const struct trouble *trouble)
{
    enum sign sign = trouble->in_part ? SIGN_WARNING : SIGN_CRITICAL;

    return cells_put(cells, x, y, -1, role_of(trouble), cells_sign(cells, sign)) + 1;
}

/* In one line. The only cluster is shown without a name, unless it is configured: the reason needs the room
 * more. */
static void put_problem(struct cells *cells, int x, int y, const struct scene *scene,
                        const struct cluster *cluster)
{
    struct trouble trouble;

    cluster_lines_judge(&trouble, cluster, scene->now);
    x += put_sign(cells, x, y, &trouble);
    if (cluster->name[0] != '\0' || scene->model->cluster_count > 1)
        x += put_name(cells, x, y, cluster, (int)(1 + strlen(trouble.state) + 2 + strlen(trouble.problem)));
    x += cells_put(cells, x, y, cells->width - x, role_of(&trouble), trouble.state);
    if (trouble.state[0] != '\0')
        x += cells_put(cells, x, y, cells->width - x, role_of(&trouble), ": ");
    x += cells_put(cells, x, y, cells->width - x, role_of(&trouble), trouble.problem);
    cells_put(cells, x, y, cells->width - x, ROLE_DIM, trouble.next);
}

int cluster_lines_draw(struct cells *cells, int x, int y, int rows, const struct scene *scene,
                       const char *only)
{
    int used = 0;

    for (size_t i = 0; i < scene->model->cluster_count && used < rows; i++) {
        const struct cluster *cluster = &scene->model->clusters[i];

        if (cluster->connection == CONNECTION_CONNECTED && cluster->problem == NULL)
            continue;
        if (only != NULL && strcmp(cluster->name, only) != 0)
            continue;
        if (!cluster->ever_connected && cluster->problem == NULL &&
            label_age_us(cluster->connection_since, scene->now) < PATIENCE_US)
            continue;
        put_problem(cells, x, y + used++, scene, cluster);
    }
    return used;
}

/* In place of a table there is room for the whole of it. */
static int draw_trouble(struct cells *cells, int x, int y, const struct scene *scene,
                        const struct cluster *cluster)
{
    struct trouble trouble;
    char reason[600];
    int at = x;

    if (cluster->problem == NULL && label_age_us(cluster->connection_since, scene->now) < PATIENCE_US) {
        cells_printf(cells, x, y, -1, ROLE_TEXT, "%s connecting to %s", cells_sign(cells, SIGN_BULLET),
                     cluster->hosts);
        return 1;
    }
    cluster_lines_judge(&trouble, cluster, scene->now);
    at += put_sign(cells, at, y, &trouble);
    at += put_name(cells, at, y, cluster, (int)strlen(trouble.state) + 1);
    cells_put(cells, at, y, cells->width - at, role_of(&trouble), trouble.state);
    at = x + 2;
    snprintf(reason, sizeof reason, "%s%s", trouble.problem, trouble.next);
    int used =
        1 + columns_wrap_put(cells, at, y + 1, cells->width - at, REASON_ROWS, role_of(&trouble), reason);
    if (cluster->connection == CONNECTION_REFUSED || cluster->connection == CONNECTION_CONNECTED ||
        strstr(trouble.problem, "; ") != NULL) /* that says what to do */
        return used;
    cells_put(cells, x + 2, y + used, -1, ROLE_TEXT,
              "Does ZooKeeper run there? To use another one: electop -s HOST:PORT");
    cells_put(cells, x + 2, y + used + 1, -1, ROLE_TEXT,
              "No ZooKeeper? electop demo starts a private one, with elections.");
    return used + 2;
}

static int draw_search(struct cells *cells, int x, int y, const struct scene *scene,
                       const struct cluster *cluster, const struct cluster_settings *settings)
{
    const struct discover_settings *discover = &scene->settings->discover;
    const char *root = discover->roots != NULL && discover->roots[0] != NULL ? discover->roots[0] : "/";
    int at = x;
    char every[32];

    at += cells_put(cells, at, y, -1, ROLE_GOOD, cells_sign(cells, SIGN_OK)) + 1;
    at += cells_put(cells, at, y, -1, ROLE_STRONG, label_cluster(cluster)) + 1;
    if (settings != NULL && settings->election_count > 0) {
        cells_printf(cells, at, y, -1, ROLE_TEXT, "connected; no path matches %s%s so far",
                     settings->elections[0].path, settings->election_count > 1 ? " and the others" : "");
        return 1;
    }
    cells_printf(cells, at, y, -1, ROLE_TEXT, "connected; searching below %s, %d levels deep", root,
                 discover->depth);
    if (label_age_us(cluster->connection_since, scene->now) < SEARCHED_US)
        return 1;
    cells_printf(cells, x + 2, y + 1, -1, ROLE_TEXT, "None found so far; electop searches again every %s.",
                 duration_print(discover->every_ms, every, sizeof every));
    cells_printf(cells, x + 2, y + 2, -1, ROLE_TEXT,
                 "Is there one? Name its path: electop %s /path/of/election",
                 cluster->name[0] == '\0' ? "-s HOSTS" : "-C CLUSTER");
    return 3;
}

void cluster_lines_draw_empty(struct cells *cells, int x, int y, int rows, const struct scene *scene)
{
    const struct model *model = scene->model;
    int end = y + rows;
    bool looking = false, connected = false, problem = false;

    for (size_t i = 0; i < model->cluster_count; i++) {
        bool there = model->clusters[i].connection == CONNECTION_CONNECTED;
        looking |= there && model->clusters[i].problem == NULL;
        connected |= there;
        problem |= model->clusters[i].problem != NULL;
    }
    cells_put(cells, x, y, -1, ROLE_STRONG,
              looking     ? "Searching for elections"
              : connected ? "Nothing to show"
              : problem   ? "Not connected"
                          : "Connecting");
    y += 2;
    for (size_t i = 0; i < model->cluster_count && y < end; i++) {
        const struct cluster *cluster = &model->clusters[i];

        if (cluster->connection == CONNECTION_CONNECTED && cluster->problem == NULL)
            y += draw_search(cells, x, y, scene, cluster,
                             i < scene->settings->cluster_count ? &scene->settings->clusters[i] : NULL);
        else
            y += draw_trouble(cells, x, y, scene, cluster);
    }
}
