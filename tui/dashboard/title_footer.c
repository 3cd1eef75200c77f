#include "tui/dashboard/title_footer.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/utf8.h"
#include "tui/screen/columns.h"
#include "tui/screen/key_bindings.h"
#include "tui/screen/safe.h"
#include "tui/views/list.h"
#include "tui/views/run_control_interface.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

/* ---- the title ---- */

/* Writes piece by piece into a span, and counts what all of it would have taken. */
struct title_pen {
    struct cells *cells;
    const struct model *model;
    int x, end, wanted;
};

static void pen_put(struct title_pen *pen, style look, const char *text)
{
    int width = cells_width(pen->cells, text);
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
        pen_put(pen, ROLE_DIM, "not polled");
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
            snprintf(text, sizeof(text), "%zu servers not polled", cluster->server_count);
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

static void title_put_each(struct title_pen *pen, const struct model *model, bool named)
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
        title_put_each(&measure, model, named);
        if (measure.wanted > right / 3)
            continue;
        struct title_pen pen = {.cells = cells, .model = model, .x = right - measure.wanted, .end = right};
        title_put_each(&pen, model, named);
        return measure.wanted + 2;
    }
    return 0;
}

/* Of a recording: which clusters, and no sign that could be taken for their present state. */
static void title_put_names(struct cells *cells, int x, int end, const struct model *model)
{
    struct title_pen pen = {.cells = cells, .model = model, .x = x, .end = end};
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        pen_gap(&pen, 3);
        pen_put(&pen, ROLE_TITLE, label_cluster(cluster));
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
            title_put_names(cells, 8, right, scene->model);
        else
            put_clusters(cells, 8, right, scene->model, scene->now);
    } else {
        if (!scene->past)
            right -= put_health(cells, right, scene->model, scene->now);
        if (view->ops->title)
            view->ops->title(view, scene, cells, 1, right - 1);
        else
            cells_put(cells, 1, 0, right - 1, ROLE_TITLE, view->ops->name);
    }
    cells_title_row(cells, 0);
}

/* ---- the footer ---- */

#define KEY_CLEAR 21 /* Ctrl-U */

enum typed typed_line_key(char *text, size_t size, int key)
{
    char bytes[4];
    size_t length = strlen(text), more;
    if (key == KEY_CODE_ENTER)
        return TYPED_KEPT;
    if (key == KEY_CODE_ESCAPE) {
        text[0] = '\0';
        return TYPED_ENDED;
    }
    if (key == KEY_CLEAR) {
        text[0] = '\0';
        return TYPED_CHANGED;
    }
    if (key == KEY_CODE_BACKSPACE) {
        while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
            ;
        text[length] = '\0';
        return TYPED_CHANGED;
    }
    if (key < 0x20 || key == 0x7f || key >= KEY_CODE_BASE || (more = utf8_encode((uint32_t)key, bytes)) == 0)
        return key < KEY_CODE_BASE ? TYPED_NOTHING : TYPED_NOT;
    if (length + more >= size)
        return TYPED_NOTHING;
    memcpy(text + length, bytes, more);
    text[length + more] = '\0';
    return TYPED_CHANGED;
}

/* These move in time; they come first in the footer during replay. */
#define TIME_KEYS                                                                                            \
    (ACTION_BIT(ACTION_EVENT_BACK) | ACTION_BIT(ACTION_EVENT_ON) | ACTION_BIT(ACTION_FAILOVER_BACK) |        \
     ACTION_BIT(ACTION_FAILOVER_ON) | ACTION_BIT(ACTION_PAUSE) | ACTION_BIT(ACTION_PACE) |                   \
     ACTION_BIT(ACTION_GO_TO) | ACTION_BIT(ACTION_LIVE))

static bool answers(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    if (action == ACTION_OPEN && ops->list) {
        const struct list *list = (const void *)((const char *)key_help->view + ops->list);
        if (list->count == 0)
            return false;
    }
    return (ops->answers & ACTION_BIT(action)) &&
           (!ops->heeds || ops->heeds(key_help->view, key_help->scene, action));
}

bool key_help_key(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    const struct scene *scene = key_help->scene;
    if (action >= ACTION_COMMAND)
        return view_has_paths(key_help->view) && !scene->past;
    switch (action) {
    case ACTION_BACK:
        return key_help->deeper || answers(key_help, action) || (scene->past && key_help->live);
    case ACTION_FILTER:
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        return ops->filter != NULL;
    case ACTION_COPY:
        return view_has_paths(key_help->view);
    case ACTION_COPY_FINDING:
        return true; /* or the text of the screen */
    case ACTION_MUTE:
        return ops->finding != NULL && !scene->past;
    case ACTION_CLUSTER:
        return ops->filter != NULL && scene->model->cluster_count > 1;
    case ACTION_REPORT:
        return view_has_paths(key_help->view) && key_help->recorded;
    case ACTION_BUNDLE:
    case ACTION_PSEUDONYMS:
        return key_help->recorded;
    case ACTION_TELL:
        return view_has_paths(key_help->view) && !scene->past;
    case ACTION_CLEAR:
        return ops->clearable != NULL && !scene->past;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN:
    case ACTION_COMPARE: /* they open a screen from anywhere else */
        return ops->opened_by != action;
    case ACTION_INJECT:
        return scene->control && ops->opened_by != action;
    case ACTION_EVENT_BACK:
    case ACTION_FAILOVER_BACK:
    case ACTION_MINUTE_BACK:
    case ACTION_HOUR_BACK:
    case ACTION_BEGINNING:
    case ACTION_GO_TO:
        return key_help->recorded;
    case ACTION_EVENT_ON:
    case ACTION_FAILOVER_ON:
    case ACTION_MINUTE_ON:
    case ACTION_HOUR_ON:
    case ACTION_END:
    case ACTION_PACE:
        return scene->past;
    case ACTION_LIVE:
        return scene->past && key_help->live;
    case ACTION_JUMP:
    case ACTION_PAUSE:
    case ACTION_DUMP:
    case ACTION_REDRAW:
    case ACTION_RELOAD:
    case ACTION_HELP:
    case ACTION_QUIT:
        return true;
    default:
        return answers(key_help, action);
    }
}

action_set key_help_all(const struct key_help *key_help)
{
    action_set all = 0;
    for (int action = ACTION_NONE + 1; action < ACTION_ALL; action++)
        all |= key_help_key(key_help, (enum action)action) ? ACTION_BIT(action) : 0;
    return all;
}

/* Its word in the footer here; NULL: it is not shown. */
static const char *key_help_word(const struct key_help *key_help, const struct key_binding *binding)
{
    const struct view_ops *ops = key_help->view->ops;
    bool past = key_help->scene->past;
    if (!key_help_key(key_help, binding->action))
        return NULL;
    const char *own = ops->word ? ops->word(key_help->view, key_help->scene, binding->action) : NULL;
    if (own)
        return own;
    switch (binding->action) {
    case ACTION_BACK:
        return past && !key_help->deeper ? "live" : key_help->back_to ? key_help->back_to : binding->footer;
    case ACTION_PAUSE:
        return past                      ? key_help->playing ? "stop" : "play"
               : key_help->scene->paused ? "continue"
                                         : binding->footer;
    case ACTION_COPY_FINDING:
        return ops->finding ? binding->footer : NULL;
    case ACTION_EVENT_BACK:
        return past ? binding->footer : "past";
    case ACTION_FAILOVER_BACK:
    case ACTION_GO_TO: /* one way back is enough to be shown in the present */
        return past ? binding->footer : NULL;
    default:
        return binding->footer;
    }
}

/* Those that come first in the footer: a set of ACTION_BIT(). */
static action_set key_help_first(const struct key_help *key_help)
{
    const struct view_ops *ops = key_help->view->ops;
    return key_help->scene->past             ? TIME_KEYS | ACTION_BIT(ACTION_BACK)
           : ops->opened_by == ACTION_INJECT ? ops->answers | ACTION_BIT(ACTION_BACK)
                                             : ops->first;
}

/* Draws one key and its word at x, or nothing where there is no room; returns its columns. */
static int footer_put_key(struct footer *footer, struct cells *cells, int x, int y, int end,
                          const struct key_binding *binding, const char *word)
{
    const char *key = strcmp(binding->first, "Enter") == 0 ? cells_sign(cells, SIGN_ENTER) : binding->first;
    int key_width = cells_width(cells, key), width = key_width + 1 + (int)strlen(word);
    if (x + width > end)
        return 0;
    cells_put(cells, x, y, key_width, ROLE_KEY, key);
    cells_put(cells, x + key_width + 1, y, -1, ROLE_DIM, word);
    if (footer->key_count < FOOTER_KEYS_MOST)
        footer->keys[footer->key_count++] = (struct footer_key){binding->action, x, x + width};
    return width + 2;
}

/* From x on; help and quit always. */
static void footer_draw_keys(struct footer *footer, struct cells *cells, int x, int y,
                             const struct key_help *key_help)
{
    size_t count;
    action_set first = key_help_first(key_help);
    const struct key_binding *bindings = key_bindings(&count);
    int kept = cells_width(cells, key_first(ACTION_HELP)) + cells_width(cells, key_first(ACTION_QUIT));
    int end = cells->width - 1;
    kept += (int)strlen(" help   quit");
    for (int pass = first ? 0 : 1; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const struct key_binding *binding = &bindings[i];
            bool keep = binding->action == ACTION_HELP || binding->action == ACTION_QUIT;
            bool is_first = first & ACTION_BIT(binding->action);
            const char *word = is_first == (pass == 0) ? key_help_word(key_help, binding) : NULL;
            if (word)
                x += footer_put_key(footer, cells, x, y, keep ? end : end - kept - 2, binding, word);
        }
}

#define TYPED_LEAST 16 /* columns for an answer */

/* The question on row y, and on the rows above where it needs more: what it asks about is never cut. Returns its
   rows; *used: the columns of it in the last one. */
static int put_question(struct cells *cells, int y, const char *question, int *used)
{
    int room = cells->width - 2, lines = columns_wrap_lines(cells, room, question);
    *used = columns_wrap_end(cells, room, question);
    if (*used + TYPED_LEAST > room && cells_width(cells, question) > TYPED_LEAST) {
        lines++; /* the answer has a line to itself */
        *used = 0;
    }
    for (int row = y - lines + 1; row <= y; row++)
        cells_fill(cells, 0, row, cells->width, ROLE_TEXT);
    columns_wrap_put(cells, 1, y - lines + 1, room, lines, ROLE_KEY, question);
    return lines;
}

/* The text being typed, after its sign, with its hint if there is room. Returns the rows of it all. */
static int footer_draw_line(struct cells *cells, int y, const char *sign, const char *text, const char *hint)
{
    size_t length = strlen(text), start = 0, eaten;
    char unit[SAFE_UNIT];
    int width, x, rows = put_question(cells, y, sign, &x);
    x++;
    /* Of a text longer than the line its end is shown: that is where one types. */
    while (start < length && safe_width(text + start, length - start, cells->ascii) > cells->width - x - 1) {
        eaten = safe_unit(text + start, length - start, cells->ascii, unit, &width);
        start += eaten;
    }
    x += cells_put(cells, x, y, -1, ROLE_STRONG, text + start);
    cells->cursor_x = x < cells->width ? x : cells->width - 1;
    cells->cursor_y = y;
    if (x + 4 + (int)strlen(hint) < cells->width)
        cells_put_right(cells, cells->width - 1, y, -1, ROLE_DIM, hint);
    return rows;
}

/* Returns its rows; 0: nothing is being typed. */
static int draw_typed(const struct footer *footer, struct cells *cells, int y, const struct view *view,
                      const char *filter)
{
    char question[2048];
    int rows = 0;
    switch (footer->typing) {
    case TYPING_NOTHING:
        break;
    case TYPING_FILTER:
        rows = footer_draw_line(
            cells, y, "/", filter,
            view->ops->opened_by == ACTION_EVENTS
                ? "Enter keeps   Esc clears   a name, 14:02, expired"
                : "Enter keeps   Esc clears   state: next: severity>= leader: recipe: client: cluster:");
        break;
    case TYPING_UNHEARD:
        rows = footer_draw_line(cells, y, "/", footer->typed, "this screen has no filter   Esc ends this");
        cells->cursor_x = cells->cursor_y = -1;
        break;
    case TYPING_TIME:
        rows = footer_draw_line(cells, y, "go to ", footer->typed, "14:03, -10m, 2026-11-20T13:18:40Z");
        break;
    case TYPING_JUMP:
        rows = footer_draw_line(cells, y, "jump to ", footer->typed,
                                "an election, host, action, screen or time   Tab: the next match");
        break;
    case TYPING_MUTE:
        rows = footer_draw_line(cells, y, "mute for ", footer->typed,
                                "1h   2h known, OPS-12   tomorrow 08:00   0 ends it   Esc cancels");
        break;
    case TYPING_ANSWER:
        view->ops->question(view, question, sizeof question);
        rows = footer_draw_line(cells, y, question, footer->typed, "Enter answers   Esc cancels");
        break;
    }
    return rows;
}

void footer_say(struct footer *footer, style role, const char *text, int64_t until_us)
{
    snprintf(footer->message, sizeof footer->message, "%s", text);
    footer->message_role = role;
    footer->message_until_us = until_us;
}

enum action footer_action_at(const struct footer *footer, int x, int y)
{
    for (size_t i = 0; i < footer->key_count && y == footer->y; i++)
        if (x >= footer->keys[i].from && x < footer->keys[i].to)
            return footer->keys[i].action;
    return ACTION_NONE;
}

#define MESSAGE_LINES 4

static void draw_message(struct cells *cells, int y, style role, const char *message)
{
    int lines = columns_wrap_lines(cells, cells->width - 2, message);
    lines = lines < MESSAGE_LINES ? lines : MESSAGE_LINES;
    for (int line = 0; line < lines; line++)
        cells_fill(cells, 0, y - line, cells->width, ROLE_TEXT);
    columns_wrap_put(cells, 1, y - lines + 1, cells->width - 2, lines, role, message);
}

/* Why the input was refused: beside it where that has room, else above it. */
static void draw_refusal(struct cells *cells, int y, int rows, style role, const char *message)
{
    int half = cells->width / 2;
    if (cells_width(cells, message) >= half || cells->cursor_x >= half) {
        draw_message(cells, y - rows, role, message);
        return;
    }
    cells_fill(cells, cells->cursor_x + 1, y, cells->width - cells->cursor_x - 1,
               ROLE_TEXT); /* all of the hint */
    cells_put_right(cells, cells->width - 1, y, half - 1, role, message);
}

void footer_draw(struct footer *footer, struct cells *cells, const struct key_help *key_help,
                 const char *filter, int64_t now_us)
{
    int y = cells->height - 1, x = 1;
    bool says = footer->message_until_us > now_us;
    const char *message = says ? footer->message : footer->told;
    style role = says ? footer->message_role : ROLE_WARNING;
    footer->y = y;
    footer->key_count = 0;
    int rows = draw_typed(footer, cells, y, key_help->view, filter);
    if (*message && rows > 0)
        draw_refusal(cells, y, rows, role, message);
    else if (*message)
        draw_message(cells, y, role, message);
    if (*message || rows > 0)
        return;
    if (filter[0]) {
        x += cells_put(cells, x, y, -1, ROLE_DIM, "filter ");
        x += cells_put(cells, x, y, cells->width / 3, ROLE_ACCENT | STYLE_BOLD, filter) + 3;
    }
    footer_draw_keys(footer, cells, x, y, key_help);
}

void footer_draw_hints(struct cells *cells, int y)
{
    static const struct {
        enum sign sign;
        style look;
        const char *word;
    } signs[] = {{SIGN_OK, ROLE_GOOD, "led, no problem"},
                 {SIGN_WARNING, ROLE_WARNING, "warning"},
                 {SIGN_CRITICAL, ROLE_CRITICAL, "error"},
                 {SIGN_UNKNOWN, ROLE_DIM, "not known"},
                 {SIGN_AT_MOST, ROLE_TEXT, "at most"}};
    cells_fill(cells, 0, y, cells->width, ROLE_TEXT);
    int x = 4 + cells_printf(cells, 1, y, -1, ROLE_ACCENT, "%s opens an election", key_first(ACTION_OPEN));
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (x + (int)strlen(signs[i].word) + 4 >= cells->width)
            break;
        x += cells_put(cells, x, y, -1, signs[i].look, cells_sign(cells, signs[i].sign)) + 1;
        x += cells_put(cells, x, y, -1, ROLE_DIM, signs[i].word) + 3;
    }
}
