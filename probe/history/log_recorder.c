#include "probe/history/log_recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/recorder.h"

/* A recording from logs is as old as they are: nothing of it is forgotten for its age. */
#define KEEP_MS (INT64_C(100) * 365 * 24 * 3600 * 1000)
/* The disk may be slower than the logs are read; what waits for it is bounded. */
#define WAITING_MOST (8u << 20)

struct log_recorder {
    struct log_set *set;
    struct model *model;
    struct autopsy *autopsy;
    struct recorder *recorder;
    struct log_recorder_options options;
    void (*listener)(void *context, const struct event *);
    void *context;
};

static void log_recorder_event(void *context, const struct event *event)
{
    struct log_recorder *r = context;
    recorder_event(r->recorder, event);
    if (r->listener)
        r->listener(r->context, event);
}

static void log_recorder_changed(void *context)
{
    struct log_recorder *r = context;
    model_catch_up(r->model);
    recorder_flush(r->recorder);
    while (recorder_waiting(r->recorder) > WAITING_MOST)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void log_recorder_fact(void *context, const struct logged_fact *fact)
{
    struct log_recorder *r = context;
    recorder_fact(r->recorder, r->model->clusters[0].name, fact);
}

static void log_recorder_note(void *context, const struct stream_note *note)
{
    struct log_recorder *r = context;
    if (r->options.note)
        r->options.note(r->options.context, note);
}

static bool log_recorder_begin(struct log_recorder *r, const struct settings *settings, char **error)
{
    struct autopsy_sink sink = {r, log_recorder_changed, log_recorder_fact, log_recorder_note};
    r->set = log_set_open(r->options.paths, r->options.path_count, error);
    r->model = r->set ? model_new(settings, error) : NULL;
    r->recorder = r->model ? recorder_new(r->model, r->options.file, KEEP_MS, error) : NULL;
    if (!r->recorder)
        return false;
    recorder_from_log(r->recorder);
    r->model->on_event = log_recorder_event;
    r->model->context = r;
    r->autopsy = autopsy_open(r->set, r->model, settings, &r->options.query, &sink, error);
    return r->autopsy != NULL;
}

struct log_recorder *log_recorder_new(const struct settings *settings,
                                      const struct log_recorder_options *options, char **error)
{
    struct log_recorder *r = xcalloc(1, sizeof *r);
    *error = NULL;
    r->options = *options;
    if (log_recorder_begin(r, settings, error))
        return r;
    log_recorder_end(r, NULL);
    return NULL;
}

bool log_recorder_step(struct log_recorder *r, size_t most)
{
    return autopsy_step(r->autopsy, most);
}

void log_recorder_refresh(struct log_recorder *r)
{
    log_set_refresh(r->set);
}

void log_recorder_pass(struct log_recorder *r, int64_t wall_us)
{
    autopsy_pass(r->autopsy, wall_us);
    log_recorder_changed(r);
}

const struct autopsy *log_recorder_autopsy(const struct log_recorder *r)
{
    return r->autopsy;
}

const struct log_set *log_recorder_set(const struct log_recorder *r)
{
    return r->set;
}

const struct model *log_recorder_model(const struct log_recorder *r)
{
    return r->model;
}

void log_recorder_listen(struct log_recorder *r, void (*fn)(void *context, const struct event *),
                         void *context)
{
    r->listener = fn;
    r->context = context;
}

bool log_recorder_end(struct log_recorder *r, char **problem)
{
    if (problem)
        *problem = NULL;
    if (!r)
        return true;
    bool fine = recorder_stop(r->recorder, problem);
    autopsy_close(r->autopsy);
    model_free(r->model);
    log_set_free(r->set);
    free(r);
    return fine;
}
