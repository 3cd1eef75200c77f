#include "tui/commands/service.h"

#include <signal.h>
#include <stdlib.h>

#include "config/text.h"
#include "probe/transport/transport.h"
#include "tui/commands/command_output.h"
#include "tui/output/output.h"

#define OUT_OF_DESCRIPTORS "too many open files; raise the limit (ulimit -n)"

static void service_refused(const char *error)
{
    complain_and_log(LOG_LEVEL_ERROR, error ? error : OUT_OF_DESCRIPTORS);
    complain_and_log(LOG_LEVEL_WARNING, "kept the previous configuration");
}

static void service_took_over(struct service *service, struct settings *settings)
{
    settings_free(service->own);
    service->own = settings;
    char *line = text_format("%s: configuration reloaded", settings->file ? settings->file : "no file");
    complain_and_log(LOG_LEVEL_INFO, line);
    free(line);
}

/* NULL: a part of it is wrong, as was said. */
static struct settings *service_settings(const struct options *options)
{
    char *error = NULL;
    struct settings *settings = NULL;
    if (options->capture_count > 0) /* packets come once */
        error = text_format("the configuration is not read again while packets are read; restart electop");
    else
        settings = command_settings_again(options, &error);
    if (settings && !error)
        return settings;
    settings_free(settings);
    service_refused(error);
    free(error);
    return NULL;
}

static bool service_reload(struct service *service, const struct invocation *invocation)
{
    struct settings *settings = service_settings(invocation->options);
    char *reason, *error;
    if (!settings)
        return true;
    service->end(service->context);
    transport_forget(NULL); /* certificates, keys and tickets are read again, too */
    if (service->begin(service->context, settings, &reason)) {
        service_took_over(service, settings);
        return true;
    }
    bool fine = service->begin(service->context, service->own ? service->own : invocation->settings, &error);
    if (fine)
        service_refused(reason);
    else
        complain("%s", error ? error : OUT_OF_DESCRIPTORS);
    settings_free(settings);
    free(reason);
    free(error);
    return fine;
}

bool service_run(struct service *service, uv_loop_t *loop, const struct invocation *invocation,
                 struct shutdown *ending)
{
    while (!ending->signal || ending->signal == SIGHUP) {
        if (!ending->signal) {
            uv_run(loop, UV_RUN_ONCE);
            continue;
        }
        ending->signal = 0;
        output_hurry(false);
        if (!service_reload(service, invocation))
            return false;
    }
    return true;
}
