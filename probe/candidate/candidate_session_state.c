#include "probe/candidate/candidate_session_state.h"

#include <stdlib.h>
#include <string.h>

void candidate_session_tell(struct test_candidate *t)
{
    const struct candidate_session_options *options = t->candidate_session->options;
    if (t->told == t->machine.state && t->told_acknowledged == t->machine.acknowledged)
        return;
    t->told = t->machine.state;
    t->told_acknowledged = t->machine.acknowledged;
    if (options->listener.changed)
        options->listener.changed(options->context, t);
}

void candidate_session_set_problem(struct candidate_session *candidate_session, const char *text)
{
    free(candidate_session->problem);
    candidate_session->problem = text ? strdup(text) : NULL;
}

void candidate_session_set_connected(struct candidate_session *candidate_session, enum connection_state state)
{
    const struct candidate_session_options *options = candidate_session->options;
    bool was_connected = candidate_session->connected;
    candidate_session->connected = state == CONNECTION_CONNECTED;
    if (options->listener.connection)
        options->listener.connection(options->context, candidate_session, was_connected, state);
}
