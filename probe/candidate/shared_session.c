#include "probe/candidate/shared_session.h"

#include "probe/candidate/candidate_session_state.h"

bool shared_session_begin(struct candidate_session *candidate_session)
{
    candidate_session_set_problem(candidate_session, NULL);
    candidate_session->session =
        session_open(candidate_session->options->loop, &candidate_session->options->session,
                     candidate_session->brings, candidate_session);
    if (!candidate_session->session)
        candidate_session_set_problem(candidate_session, "no session: out of memory");
    return candidate_session->session != NULL;
}

void shared_session_end(struct candidate_session *candidate_session, void (*how)(struct session *))
{
    struct session *session = candidate_session->session;
    for (size_t i = 0; i < candidate_session->count; i++)
        candidate_disconnected(&candidate_session->candidates[i].machine); /* answers still owed are void */
    if (session)
        how(session);
    candidate_session->session = NULL;
    candidate_session->paused = false;
    if (session && candidate_session->connected)
        candidate_session_set_connected(candidate_session, CONNECTION_CONNECTING);
}

void shared_session_all_gone(struct candidate_session *candidate_session, void (*how)(struct session *))
{
    shared_session_end(candidate_session, how);
    for (size_t i = 0; i < candidate_session->count; i++) {
        candidate_gone(&candidate_session->candidates[i].machine);
        candidate_session_tell(&candidate_session->candidates[i]);
    }
}

void shared_session_renew(struct candidate_session *candidate_session)
{
    shared_session_end(candidate_session, session_close);
    if (!shared_session_begin(candidate_session))
        shared_session_all_gone(candidate_session, session_drop);
}
