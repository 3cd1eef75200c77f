#include "probe/inject/crew_state.h"

#include <stdlib.h>
#include <string.h>

void crew_tell(struct test_candidate *t)
{
    const struct crew_options *options = t->crew->options;
    if (t->told == t->machine.state && t->told_acknowledged == t->machine.acknowledged)
        return;
    t->told = t->machine.state;
    t->told_acknowledged = t->machine.acknowledged;
    if (options->listener.changed)
        options->listener.changed(options->context, t);
}

void crew_set_problem(struct crew *crew, const char *text)
{
    free(crew->problem);
    crew->problem = text ? strdup(text) : NULL;
}

void crew_set_connected(struct crew *crew, enum connection_state state)
{
    const struct crew_options *options = crew->options;
    bool was_connected = crew->connected;
    crew->connected = state == CONNECTION_CONNECTED;
    if (options->listener.connection)
        options->listener.connection(options->context, crew, was_connected, state);
}
