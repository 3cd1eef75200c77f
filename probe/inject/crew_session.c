#include "probe/inject/crew_session.h"

#include "probe/inject/crew_state.h"

bool crew_session_begin(struct crew *crew)
{
    crew_set_problem(crew, NULL);
    crew->session = session_open(crew->options->loop, &crew->options->session, crew->brings, crew);
    if (!crew->session)
        crew_set_problem(crew, "no session: out of memory");
    return crew->session != NULL;
}

void crew_session_end(struct crew *crew, void (*how)(struct session *))
{
    struct session *session = crew->session;
    for (size_t i = 0; i < crew->count; i++)
        candidate_disconnected(&crew->candidates[i].machine); /* what it still owes means nothing any more */
    if (session)
        how(session);
    crew->session = NULL;
    crew->paused = false;
    if (session && crew->connected)
        crew_set_connected(crew, CONNECTION_CONNECTING);
}

void crew_all_gone(struct crew *crew, void (*how)(struct session *))
{
    crew_session_end(crew, how);
    for (size_t i = 0; i < crew->count; i++) {
        candidate_gone(&crew->candidates[i].machine);
        crew_tell(&crew->candidates[i]);
    }
}

void crew_session_renew(struct crew *crew)
{
    crew_session_end(crew, session_close);
    if (!crew_session_begin(crew))
        crew_all_gone(crew, session_drop);
}
