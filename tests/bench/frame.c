/*
 * frame - what drawing one frame of an election costs.
 *
 *     frame FRAMES COUNT ...
 *
 * Builds a model through its one way in, and draws the election's view into cells as the dashboard does:
 * at the top, in the middle and at the end of the line, on a model that did not change since the frame
 * before ("still") and on one that did ("changed": the view may not have kept anything). Prints the median
 * of each in microseconds, and of the same text put into the cells line by line ("floor"):
 *     {"100": {"still": 41.2, "changed": 42.0, "floor": 9.1}, "10000": {...}}
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/model.h"
#include "tests/bench/gauge.h"
#include "tui/views/event_log.h"
#include "tui/views/screens.h"

#define PATH "/bench/frame"
#define WIDTH 120
#define HEIGHT 40
#define NAME_ROOM 16
#define DATA_ROOM 32
#define CREATED_MS INT64_C(1763600000000)

struct snapshot {
    struct settings *settings;
    struct model *model;
    struct event_log *events;
    struct view *view;
    struct cells *cells;
    int64_t now_us; /* the model's clock: it goes on a little with each observation */
    size_t count;
};

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("frame: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void observe(struct snapshot *p, struct observation *observation)
{
    p->now_us += 1000;
    observation->at = (struct moment){.mono_us = p->now_us, .wall_us = CREATED_MS * 1000 + p->now_us};
    observation->election = observation->kind == OBSERVED_CONNECTION ? NULL : PATH;
    model_observe(p->model, observation);
}

static void name_of(size_t i, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "n_%010u", (unsigned)i);
}

/* The znode of candidate i was read, for the version'th time. */
static void observe_candidate(struct snapshot *p, size_t i, int32_t version)
{
    char name[NAME_ROOM], path[sizeof PATH + NAME_ROOM], data[DATA_ROOM];
    name_of(i, name);
    snprintf(path, sizeof path, PATH "/%s", name);
    int length = snprintf(data, sizeof data, "host-%zu.example:7071", i);
    struct znode_stat stat = {.czxid = (int64_t)i + 10,
                              .mzxid = (int64_t)i + 10 + version,
                              .pzxid = (int64_t)i + 10,
                              .ctime_ms = CREATED_MS,
                              .mtime_ms = CREATED_MS + version,
                              .version = version,
                              .data_length = length,
                              .owner = 0x100002a4d0a0000u + i};
    struct observation seen = {
        .kind = OBSERVED_NODE,
        .path = path,
        .node = {.stat = &stat, .has_data = true, .data = data, .data_length = (size_t)length}};
    observe(p, &seen);
}

static void observe_all(struct snapshot *p)
{
    struct observation connected = {
        .kind = OBSERVED_CONNECTION,
        .connection = {
            .state = CONNECTION_CONNECTED, .session = 1, .timeout_ms = 10000, .server = "127.0.0.1:2181"}};
    observe(p, &connected);
    struct observation subject = {
        .kind = OBSERVED_ELECTION,
        .path = PATH,
        .subject = {.origin = ORIGIN_CONFIGURED, .settings = p->settings->clusters[0].elections}};
    observe(p, &subject);

    char(*names)[NAME_ROOM] = must(calloc(p->count, sizeof *names));
    char **list = must(calloc(p->count, sizeof *list));
    for (size_t i = 0; i < p->count; i++) {
        name_of(i, names[i]);
        list[i] = names[i];
    }
    struct znode_stat stat = {.czxid = 1,
                              .ctime_ms = CREATED_MS,
                              .mtime_ms = CREATED_MS,
                              .cversion = (int32_t)p->count,
                              .children = (int32_t)p->count};
    struct observation children = {.kind = OBSERVED_CHILDREN,
                                   .path = PATH,
                                   .children = {.stat = &stat, .names = list, .count = p->count}};
    observe(p, &children);
    free(list);
    free(names);
    for (size_t i = 0; i < p->count; i++)
        observe_candidate(p, i, 0);
}

static void picture_begin(struct snapshot *p, struct settings *settings, size_t count)
{
    char *error = NULL;
    *p = (struct snapshot){.settings = settings, .count = count};
    p->model = model_new(settings, &error);
    if (p->model == NULL) {
        fprintf(stderr, "frame: %s\n", error != NULL ? error : "out of memory");
        exit(1);
    }
    p->events = must(event_log_new());
    p->model->on_event = event_log_add;
    p->model->context = p->events;
    observe_all(p);
    const struct election *election = model_election(p->model, 0, PATH);
    if (election == NULL || election->candidate_count != count) {
        fprintf(stderr, "frame: the model does not show %zu candidates\n", count);
        exit(1);
    }
    p->view = must(election_view_new(settings->clusters[0].name, PATH));
    p->cells = must(cells_new(WIDTH, HEIGHT));
}

static void picture_end(struct snapshot *p)
{
    view_free(p->view);
    cells_free(p->cells);
    model_free(p->model);
    event_log_free(p->events);
}

static struct scene scene_of(const struct snapshot *p)
{
    return (struct scene){
        .model = p->model, .events = p->events, .settings = p->settings, .now = p->model->now};
}

static void press(struct snapshot *p, enum action action)
{
    struct view *next = NULL;
    struct scene scene = scene_of(p);
    p->view->ops->action(p->view, &scene, action, &next);
}

/* The last word that was drawn in the middle of the screen: a frame without the candidates proves nothing. */
static bool shows(const struct snapshot *p, const char *text)
{
    struct text drawn = {0};
    cells_text(p->cells, &drawn);
    bool found = strstr(drawn.at, text) != NULL;
    text_free(&drawn);
    return found;
}

static double draw_us(struct snapshot *p)
{
    struct scene scene = scene_of(p);
    int64_t began_ns = gauge_ns(CLOCK_MONOTONIC);
    cells_clear(p->cells);
    p->view->ops->draw(p->view, &scene, p->cells);
    return (double)(gauge_ns(CLOCK_MONOTONIC) - began_ns) / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_frames(struct snapshot *p, size_t frames, bool changed)
{
    double *took = must(calloc(frames, sizeof *took));
    int32_t version = 1;
    for (size_t i = 0; i < frames; i++) {
        static const enum action places[] = {ACTION_FIRST, ACTION_PAGE_DOWN, ACTION_LAST, ACTION_PAGE_UP};
        /* A few frames at each place, as a person looks at them. */
        if (i % 8 == 0)
            press(p, places[i / 8 % 4]);
        if (changed)
            observe_candidate(p, i % p->count, version++);
        took[i] = draw_us(p);
    }
    qsort(took, frames, sizeof *took, by_value);
    double middle = took[frames / 2];
    free(took);
    return middle;
}

/* Nothing but what any program must do that shows this. */
static double median_of_floor(struct snapshot *p, size_t frames)
{
    double *took = must(calloc(frames, sizeof *took));
    struct text drawn = {0};
    cells_text(p->cells, &drawn);
    for (size_t i = 0; i < frames; i++) {
        int64_t began_ns = gauge_ns(CLOCK_MONOTONIC);
        cells_clear(p->cells);
        int y = 0;
        for (const char *line = drawn.at, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            cells_put_bytes(p->cells, 0, y++, WIDTH, 0, line, (size_t)(end - line));
        took[i] = (double)(gauge_ns(CLOCK_MONOTONIC) - began_ns) / 1e3;
    }
    qsort(took, frames, sizeof *took, by_value);
    double middle = took[frames / 2];
    free(took);
    text_free(&drawn);
    return middle;
}

static void measure(struct settings *settings, size_t count, size_t frames, const char *before)
{
    struct snapshot p;
    char last[NAME_ROOM];
    picture_begin(&p, settings, count);
    press(&p, ACTION_LAST);
    draw_us(&p);
    name_of(count - 1, last);
    if (!shows(&p, last)) {
        fprintf(stderr, "frame: the last of %zu candidates is not on the screen at the end of the line\n",
                count);
        exit(1);
    }
    double still = median_of_frames(&p, frames, false);
    double changed = median_of_frames(&p, frames, true);
    printf("%s\"%zu\": {\"still\": %.2f, \"changed\": %.2f, \"floor\": %.2f}", before, count, still, changed,
           median_of_floor(&p, frames));
    picture_end(&p);
}

int main(int argc, char **argv)
{
    char path[] = PATH, recipe[] = "auto", name[] = "", hosts[] = "127.0.0.1:2181", file[] = "off";
    struct election_settings election = {.path = path,
                                         .recipe = recipe,
                                         .inject = INJECT_SANDBOX,
                                         .allow = {.vacancy_ms = 5000,
                                                   .failover_ms = 10000,
                                                   .silent_percent = 66,
                                                   .leader_changes = 3,
                                                   .leader_changes_ms = 600000}};
    struct cluster_settings cluster = {.name = name,
                                       .hosts = hosts,
                                       .session_timeout_ms = 10000,
                                       .elections = &election,
                                       .election_count = 1};
    struct settings settings = {
        .clusters = &cluster, .cluster_count = 1, .history = {.file = file}, .screen = {.refresh_ms = 250}};

    char *end = NULL;
    errno = 0;
    long frames = argc > 2 ? strtol(argv[1], &end, 10) : 0;
    if (frames < 1 || frames > 1000000 || errno != 0 || *end != '\0') {
        fputs("usage: frame FRAMES COUNT ...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        measure(&settings, strtoul(argv[i], NULL, 10), (size_t)frames, i == 2 ? "{" : ", ");
    puts("}");
    return 0;
}
