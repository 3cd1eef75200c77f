#include "probe/sink/look.h"

enum election_state look_state(const struct election *election)
{
    return election->fresh ? election->state : ELECTION_UNKNOWN;
}

bool look_has_list(const struct election *election)
{
    return election->listed.mono_us || election->candidate_count || election->state == ELECTION_ABSENT;
}

int64_t look_created_us(const struct candidate *candidate)
{
    /* A server's clock may say anything: what would not fit is not known. */
    int64_t ms = candidate->known ? candidate->stat.ctime_ms : 0;
    return ms > 0 && ms < INT64_MAX / 1000 ? ms * 1000 : 0;
}

/* Elections of the whole model, counted by what the look found out about them. */
struct tally {
    size_t answered, denied, silent;
    bool reached, unreached; /* some cluster was; some was not */
};

static struct tally tally_of(const struct model *model)
{
    struct tally tally = {0};
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        *(cluster->ever_connected ? &tally.reached : &tally.unreached) = true;
        for (size_t j = 0; j < cluster->election_count; j++) {
            const struct election *election = cluster->elections[j];
            /* What was read before the connection went is a look too. */
            if (election->state == ELECTION_DENIED)
                tally.denied++;
            else if (election->state == ELECTION_UNKNOWN)
                tally.silent++;
            else
                tally.answered++;
        }
    }
    return tally;
}

enum look_result look_result(const struct model *model)
{
    struct tally tally = tally_of(model);
    if (tally.answered)
        return LOOK_TAKEN;
    if (tally.denied)
        return LOOK_DENIED;
    if (!tally.reached)
        return LOOK_UNREACHED;
    return tally.silent ? LOOK_UNFINISHED : LOOK_TAKEN; /* nothing to look at is an answer, too */
}

static bool is_sound(const struct election *election)
{
    switch (look_state(election)) {
    case ELECTION_LED:
    case ELECTION_ELECTING:
        return true;
    case ELECTION_VACANT:
        return election->kind == KIND_LOCK;
    case ELECTION_ABSENT:
        /* The znode of such a lock is its holder: without it the lock is free. */
        return election->kind == KIND_LOCK && election->recipe && election->recipe->family == FAMILY_LOCK;
    case ELECTION_DENIED:
    case ELECTION_UNKNOWN:
        return false;
    }
    return false;
}

bool look_is_sound(const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        if (!cluster->ever_connected)
            return false;
        for (size_t j = 0; j < cluster->election_count; j++)
            if (!is_sound(cluster->elections[j]))
                return false;
    }
    return true;
}
