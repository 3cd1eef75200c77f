#include "probe/history/case_recorder.h"

#include <stdlib.h>

#include "config/text.h"
#include "probe/history/recorder.h"

/* By the observations' clock, so that every run makes the same recording. */
#define CASE_FLUSH_US INT64_C(250000)

struct case_run_recorder {
    struct model *model;
    struct recorder *recorder;
    int64_t flushed_us;
};

static bool case_run_begin(struct case_run_recorder *run, const struct case_reader *reader, const char *file,
                           char **error)
{
    *run = (struct case_run_recorder){.model = case_model(reader, error)};
    run->recorder = run->model ? recorder_new(run->model, file, RECORDER_KEEP_ALL_MS, error) : NULL;
    if (!run->recorder)
        return false;
    run->model->on_event = recorder_event;
    run->model->context = run->recorder;
    return true;
}

static void case_run_observe(struct case_run_recorder *run, const struct observation *o)
{
    model_observe(run->model, o);
    if (o->at.mono_us - run->flushed_us < CASE_FLUSH_US)
        return;
    run->flushed_us = o->at.mono_us;
    recorder_pace(run->recorder);
}

static bool case_run_end(struct case_run_recorder *run, char **error)
{
    bool fine = recorder_stop(run->recorder, *error ? NULL : error);
    if (run->model)
        run->model->on_event = NULL;
    model_free(run->model);
    return fine;
}

bool case_record(struct case_reader *reader, const char *file, char **error)
{
    struct case_run_recorder run = {.model = NULL};
    struct observation o;
    enum case_next next;
    bool fine = true;
    *error = NULL;
    while (fine && (next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_OBSERVATION)
            case_run_observe(&run, &o);
        else
            fine = case_run_end(&run, error) && case_run_begin(&run, reader, file, error);
    }
    fine = case_run_end(&run, error) && fine;
    if (!fine && !*error)
        *error = text_format("%s: cannot be written", file);
    return fine;
}
