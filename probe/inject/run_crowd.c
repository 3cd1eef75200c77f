#include "probe/inject/run_crowd.h"

#include "config/text.h"
#include "probe/election/identity.h"
#include "probe/inject/run_state.h"

/* Identities stay their owners'; but where the siblings' data is empty, ours is too. */
static const char *candidate_data(const struct run *t)
{
    if (t->options.live)
        return t->layout.data ? IDENTITY_TEST_CANDIDATE : "";
    return t->layout.data ? t->layout.data : IDENTITY_TEST_CANDIDATE;
}

/* Who acknowledges late or never needs a mark. */
static void mark_choose(struct run *t)
{
    for (size_t i = 0; i < t->options.part_count; i++) {
        const struct manner *manner = behaviour_manner(t->options.parts[i].behaviour);
        if ((manner->is_slow || manner->is_mute) && !t->mark)
            t->mark = text_format("%s/%s.leader", t->sandbox, t->run);
    }
}

void run_crowd_options(struct run *t, struct crowd_options *o)
{
    mark_choose(t);
    const struct run_options *wanted = &t->options;
    int ceiling = wanted->settings->inject.creates_per_s;
    /* Live: at most the siblings' shortest, so that ours expire as soon as they would. */
    int timeout_ms = (int)wanted->cluster->session_timeout_ms;
    if (wanted->live && t->siblings_timeout_ms < timeout_ms)
        timeout_ms = t->siblings_timeout_ms;
    *o = (struct crowd_options){
        .session = {.hosts = t->hosts,
                    .timeout_ms = timeout_ms,
                    .auth_scheme = wanted->cluster->auth_scheme,
                    .auth_credential = wanted->cluster->auth_credential,
                    .security = &wanted->cluster->security},
        .guard = t->guard,
        .election = t->election,
        .lock = t->layout.lock,
        .name = run_name(t),
        .data = candidate_data(t),
        .mark = t->mark,
        .acl = t->layout.acl.count ? &t->layout.acl : NULL,
        .never_leads = wanted->live,
        .count = wanted->candidates,
        .rate_per_s = wanted->rate_per_s ? wanted->rate_per_s
                      : wanted->load     ? 0
                                         : ceiling,
        .parts = wanted->parts,
        .part_count = wanted->part_count,
        .per_session = wanted->per_session ? wanted->per_session : 1,
        .look = wanted->look,
        .seed = uv_hrtime(),
        .victim = wanted->victim,
        .every_ms = wanted->every_ms,
        .how = wanted->how,
        /* One that hangs comes back once its session is over: then it learns of that. */
        .away_ms = wanted->how == KILL_PAUSE ? 2 * (uint64_t)wanted->cluster->session_timeout_ms : 1000,
    };
}
