#include "probe/election/summary.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/recipe.h"

enum election_state summary_state(const struct election *election)
{
    bool connected = election->cluster->connection == CONNECTION_CONNECTED;
    /* A denied election is never fresh, and its state is still known. */
    bool holds = election->fresh || (connected && election->state == ELECTION_DENIED);
    bool lines = election->state == ELECTION_LED || election->state == ELECTION_ELECTING ||
                 election->state == ELECTION_VACANT;
    /* A configured path is an election. */
    bool empty = election->state == ELECTION_VACANT && election->origin == ORIGIN_CONFIGURED;
    return holds && (!lines || empty || election_is_proven(election)) ? election->state : ELECTION_UNKNOWN;
}

const char *summary_path(const struct election *election)
{
    const char *chroot = election->cluster->chroot ? election->cluster->chroot : "";
    size_t length = strlen(chroot);
    if (strncmp(election->path, chroot, length) != 0)
        return election->path;
    const char *below = election->path + length;
    return *below == '/' ? below : *below ? election->path : "/";
}

bool summary_has_list(const struct election *election)
{
    return election->listed.mono_us || election->candidate_count || election->state == ELECTION_ABSENT;
}

int64_t summary_created_us(const struct candidate *candidate)
{
    const struct znode_stat *stat = &candidate->stat;
    return candidate->known ? cluster_stat_us(candidate->election->cluster, stat->czxid, stat->ctime_ms) : 0;
}

const char *summary_no_quorum(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE])
{
    size_t answering = 0, waiting = 0;
    if (cluster->connection == CONNECTION_CONNECTED || cluster->connection == CONNECTION_REFUSED)
        return NULL;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (!server->reachable)
            continue;
        answering++;
        waiting += server->mode == SERVER_READ_ONLY ||
                   (server->problem && strncmp(server->problem, "not serving", 11) == 0);
    }
    if (!waiting || waiting < answering)
        return NULL;
    snprintf(buffer, SUMMARY_QUORUM_SIZE, "no quorum: %zu of %zu servers answer%s", answering,
             cluster->server_count, answering == 1 ? "s" : "");
    return buffer;
}

const char *summary_problem(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE])
{
    const char *no_quorum = summary_no_quorum(cluster, buffer);
    return no_quorum ? no_quorum : cluster->problem;
}

enum summary_result summary_result(const struct model *model)
{
    size_t answered = 0, denied = 0, reached = 0;
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        if (!cluster->ever_connected)
            continue;
        reached += cluster->connection == CONNECTION_CONNECTED;
        if (!cluster->election_count) /* that there is nothing to look at is an answer, too */
            answered += !cluster->no_chroot;
        for (size_t j = 0; j < cluster->election_count; j++) {
            /* State read before the connection was lost counts as a snapshot. */
            enum election_state state = cluster->elections[j]->state;
            denied += state == ELECTION_DENIED;
            answered += state != ELECTION_DENIED && state != ELECTION_UNKNOWN;
        }
    }
    if (answered)
        return SUMMARY_TAKEN;
    if (denied)
        return SUMMARY_DENIED;
    return reached ? SUMMARY_UNFINISHED : SUMMARY_UNREACHED;
}

bool summary_must_lead(const struct election *election)
{
    if (election_has_no_line(election))
        return false;
    return election->origin == ORIGIN_CONFIGURED && election->settings->kind != KIND_LOCK
               ? true
               : election->kind == KIND_LEADER;
}

static bool is_sound(const struct election *election)
{
    bool nobody = election->state == ELECTION_VACANT || election->state == ELECTION_ABSENT;
    bool missed = election->origin == ORIGIN_EXPECTED && election->state == ELECTION_ABSENT;
    if (election->fresh && election_has_no_line(election))
        return true;
    if (election->fresh && nobody && (election->origin == ORIGIN_CONFIGURED || missed))
        return !summary_must_lead(election);
    if (election->fresh && !election_is_proven(election))
        return election->origin == ORIGIN_DISCOVERED; /* the user did not call it one */
    switch (summary_state(election)) {
    case ELECTION_LED:
        return true;
    case ELECTION_ELECTING: /* no leader is known */
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

static bool has_error(const struct election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->severity >= SEVERITY_ERROR && !election->findings[i]->one_poll)
            return true;
    return false;
}

bool summary_is_sound(const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        if (!cluster->ever_connected)
            return false;
        for (size_t j = 0; j < cluster->election_count; j++)
            if (!is_sound(cluster->elections[j]) || has_error(cluster->elections[j]))
                return false;
    }
    return true;
}
