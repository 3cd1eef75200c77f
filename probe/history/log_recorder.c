#include "probe/history/log_recorder.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/history/recorder.h"
#include "probe/transactions/log_set.h"

struct log_recorder {
    struct log_set *set;
    struct model *model;
    struct autopsy *autopsy;
    struct capture_files *files; /* of captures: in the place of set and autopsy */
    struct capture *capture;
    bool over; /* they are all read */
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
    recorder_pace(r->recorder);
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

static bool capture_begin_in(struct log_recorder *r, const struct settings *settings, char **error)
{
    const struct autopsy_query *query = &r->options.query;
    r->files = capture_files_open(r->options.paths, r->options.path_count, false, error);
    r->model = r->files ? model_new(settings, error) : NULL;
    if (!r->model)
        return false;
    r->capture = capture_new(r->model, settings,
                             &(struct capture_query){query->from_us, query->to_us, query->election, false},
                             &(struct capture_sink){r, log_recorder_changed, log_recorder_fact});
    if (r->options.path_count > 1)
        capture_read_ahead(r->capture, r->options.paths, r->options.path_count);
    return true;
}

static bool log_recorder_begin(struct log_recorder *r, const struct settings *settings, char **error)
{
    struct autopsy_sink sink = {r, log_recorder_changed, log_recorder_fact, log_recorder_note};
    bool captures = r->options.captures;
    if (captures && !capture_begin_in(r, settings, error))
        return false;
    r->set = captures ? NULL
                      : log_set_open(r->options.paths, r->options.path_count, settings->history.unpack_bytes,
                                     error);
    r->model = captures ? r->model : r->set ? model_new(settings, error) : NULL;
    r->recorder = r->model ? recorder_new(r->model, r->options.file, RECORDER_KEEP_ALL_MS, error) : NULL;
    if (!r->recorder)
        return false;
    recorder_from_log(r->recorder);
    r->model->on_event = log_recorder_event;
    r->model->context = r;
    r->autopsy = captures ? NULL : autopsy_open(r->set, r->model, settings, &r->options.query, &sink, error);
    return captures || r->autopsy;
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
    struct captured_packet packet;
    if (r->autopsy && autopsy_step(r->autopsy, most))
        return true;
    if (r->autopsy && autopsy_show_snapshot(r->autopsy))
        log_recorder_changed(r);
    if (r->autopsy)
        return false;
    enum capture_next next = r->over ? CAPTURE_END : CAPTURE_PACKET;
    for (size_t i = 0; i < most && next == CAPTURE_PACKET; i++) {
        next = capture_files_next(r->files, &packet);
        for (size_t k = 0; k < r->options.path_count; k++)
            if (capture_files_over(r->files, k))
                capture_end(r->capture, k);
        if (next == CAPTURE_PACKET && !capture_take(r->capture, &packet))
            next = CAPTURE_END;
    }
    r->over = next == CAPTURE_END;
    if (next != CAPTURE_PACKET)
        capture_settle(r->capture);
    return next == CAPTURE_PACKET;
}

void log_recorder_refresh(struct log_recorder *r)
{
    if (r->set)
        log_set_refresh(r->set);
}

void log_recorder_pass(struct log_recorder *r, int64_t wall_us)
{
    if (r->autopsy)
        autopsy_pass(r->autopsy, wall_us);
    else
        capture_pass(r->capture, wall_us);
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

const struct capture *log_recorder_capture(const struct log_recorder *r)
{
    return r->capture;
}

const char *log_recorder_note_of_capture(struct log_recorder *r)
{
    return r->files ? capture_files_note(r->files) : NULL;
}

bool log_recorder_is_over(const struct log_recorder *r)
{
    return r->autopsy ? autopsy_is_over(r->autopsy) : r->over;
}

int64_t log_recorder_latest_us(const struct log_recorder *r)
{
    return r->autopsy ? autopsy_latest_us(r->autopsy) : capture_latest_us(r->capture);
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
    capture_free(r->capture);
    capture_files_close(r->files);
    model_free(r->model);
    log_set_free(r->set);
    free(r);
    return fine;
}
