#include "tui/offers.h"

/* These move in time; they stand first in the footer while one does. */
#define TIME_KEYS                                                                                            \
    (ACTION_BIT(ACTION_EVENT_BACK) | ACTION_BIT(ACTION_EVENT_ON) | ACTION_BIT(ACTION_FAILOVER_BACK) |        \
     ACTION_BIT(ACTION_FAILOVER_ON) | ACTION_BIT(ACTION_PAUSE) | ACTION_BIT(ACTION_PACE) |                   \
     ACTION_BIT(ACTION_GO_TO) | ACTION_BIT(ACTION_LIVE))

static bool answers(const struct offers *offers, enum action action)
{
    const struct view_ops *ops = offers->view->ops;
    return (ops->answers & ACTION_BIT(action)) &&
           (!ops->heeds || ops->heeds(offers->view, offers->scene, action));
}

bool offers_key(const struct offers *offers, enum action action)
{
    const struct view_ops *ops = offers->view->ops;
    const struct scene *scene = offers->scene;
    switch (action) {
    case ACTION_BACK:
        return offers->deeper || answers(offers, action);
    case ACTION_FILTER:
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        return ops->filter != NULL;
    case ACTION_COPY:
        return ops->path != NULL;
    case ACTION_CLEAR:
        return ops->belief != NULL && !scene->past;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN: /* they open a screen from anywhere else */
        return ops->opened_by != action;
    case ACTION_INJECT:
        return scene->workbench && ops->opened_by != action;
    case ACTION_EVENT_BACK:
    case ACTION_FAILOVER_BACK:
    case ACTION_MINUTE_BACK:
    case ACTION_HOUR_BACK:
    case ACTION_BEGINNING:
    case ACTION_GO_TO:
        return offers->recorded;
    case ACTION_EVENT_ON:
    case ACTION_FAILOVER_ON:
    case ACTION_MINUTE_ON:
    case ACTION_HOUR_ON:
    case ACTION_END:
    case ACTION_PACE:
        return scene->past;
    case ACTION_LIVE:
        return scene->past && offers->live;
    case ACTION_PAUSE:
    case ACTION_DUMP:
    case ACTION_REDRAW:
    case ACTION_HELP:
    case ACTION_QUIT:
        return true;
    default:
        return answers(offers, action);
    }
}

uint64_t offers_all(const struct offers *offers)
{
    uint64_t all = 0;
    for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        all |= offers_key(offers, (enum action)action) ? ACTION_BIT(action) : 0;
    return all;
}

const char *offers_word(const struct offers *offers, const struct key_binding *binding)
{
    const struct view_ops *ops = offers->view->ops;
    bool past = offers->scene->past;
    if (!offers_key(offers, binding->action))
        return NULL;
    const char *own = ops->word ? ops->word(offers->view, offers->scene, binding->action) : NULL;
    if (own)
        return own;
    switch (binding->action) {
    case ACTION_PAUSE:
        return past ? offers->playing ? "stop" : "play" : offers->scene->paused ? "go on" : binding->footer;
    case ACTION_EVENT_BACK:
        return past ? binding->footer : "past";
    case ACTION_FAILOVER_BACK:
    case ACTION_GO_TO: /* one way back is enough to be shown in the present */
        return past ? binding->footer : NULL;
    default:
        return binding->footer;
    }
}

uint64_t offers_first(const struct offers *offers)
{
    const struct view_ops *ops = offers->view->ops;
    return offers->scene->past               ? TIME_KEYS
           : ops->opened_by == ACTION_INJECT ? ops->answers | ACTION_BIT(ACTION_BACK)
                                             : 0;
}
