#include "tui/dashboard/key_help.h"

/* These move in time; they come first in the footer during replay. */
#define TIME_KEYS                                                                                            \
    (ACTION_BIT(ACTION_EVENT_BACK) | ACTION_BIT(ACTION_EVENT_ON) | ACTION_BIT(ACTION_FAILOVER_BACK) |        \
     ACTION_BIT(ACTION_FAILOVER_ON) | ACTION_BIT(ACTION_PAUSE) | ACTION_BIT(ACTION_PACE) |                   \
     ACTION_BIT(ACTION_GO_TO) | ACTION_BIT(ACTION_LIVE))

static bool answers(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    return (ops->answers & ACTION_BIT(action)) &&
           (!ops->heeds || ops->heeds(key_help->view, key_help->scene, action));
}

bool key_help_key(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    const struct scene *scene = key_help->scene;
    switch (action) {
    case ACTION_BACK:
        return key_help->deeper || answers(key_help, action);
    case ACTION_FILTER:
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        return ops->filter != NULL;
    case ACTION_COPY:
        return ops->path != NULL;
    case ACTION_COPY_FINDING:
        return ops->finding != NULL;
    case ACTION_MUTE:
        return ops->finding != NULL && !scene->past;
    case ACTION_CLUSTER:
        return ops->filter != NULL && scene->model->cluster_count > 1;
    case ACTION_REPORT:
        return ops->path != NULL && key_help->recorded;
    case ACTION_CLEAR:
        return ops->belief != NULL && !scene->past;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN: /* they open a screen from anywhere else */
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
    case ACTION_HELP:
    case ACTION_QUIT:
        return true;
    default:
        return answers(key_help, action);
    }
}

uint64_t key_help_all(const struct key_help *key_help)
{
    uint64_t all = 0;
    for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        all |= key_help_key(key_help, (enum action)action) ? ACTION_BIT(action) : 0;
    return all;
}

const char *key_help_word(const struct key_help *key_help, const struct key_binding *binding)
{
    const struct view_ops *ops = key_help->view->ops;
    bool past = key_help->scene->past;
    if (!key_help_key(key_help, binding->action))
        return NULL;
    const char *own = ops->word ? ops->word(key_help->view, key_help->scene, binding->action) : NULL;
    if (own)
        return own;
    switch (binding->action) {
    case ACTION_PAUSE:
        return past                      ? key_help->playing ? "stop" : "play"
               : key_help->scene->paused ? "go on"
                                         : binding->footer;
    case ACTION_EVENT_BACK:
        return past ? binding->footer : "past";
    case ACTION_FAILOVER_BACK:
    case ACTION_GO_TO: /* one way back is enough to be shown in the present */
        return past ? binding->footer : NULL;
    default:
        return binding->footer;
    }
}

uint64_t key_help_first(const struct key_help *key_help)
{
    const struct view_ops *ops = key_help->view->ops;
    return key_help->scene->past             ? TIME_KEYS
           : ops->opened_by == ACTION_INJECT ? ops->answers | ACTION_BIT(ACTION_BACK)
                                             : 0;
}
