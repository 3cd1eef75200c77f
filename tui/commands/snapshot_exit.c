#include "tui/commands/snapshot_exit.h"

#include <stdio.h>
#include <string.h>

#include "config/znode_path.h"
#include "probe/election/summary.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/words/format.h"

#define HOSTS_SIZE 160

int snapshot_exit_status(const struct model *model, bool strict)
{
    if (summary_result(model) != SUMMARY_TAKEN)
        return EXIT_NO_SNAPSHOT;
    return strict && !summary_is_sound(model) ? EXIT_FOUND : EXIT_DONE;
}

/* Its last part is the remedy: waiting would change nothing. */
static bool names_a_step(const char *problem)
{
    return strstr(problem, "; ") != NULL;
}

int snapshot_exit_unsearched(const struct model *model, const struct options *options)
{
    char wait[32];
    const char *why = NULL;
    bool any = false;
    for (size_t i = 0; i < model->cluster_count; i++) {
        any |= model->clusters[i].election_count > 0;
        if (!why && model->clusters[i].connection != CONNECTION_CONNECTED)
            why = model->clusters[i].problem;
    }
    if (any && !options->strict)
        return EXIT_DONE;
    complain("the search for elections was not finished within %s%s%s%s",
             format_span(options->wait_ms * 1000, wait, sizeof wait), why ? ": " : "", why ? why : "",
             why && names_a_step(why) ? "" : "; wait longer (--wait), or name their paths");
    return any ? EXIT_FOUND : EXIT_NO_SNAPSHOT;
}

bool snapshot_exit_is_matched(const struct cluster *cluster, const char *pattern)
{
    if (!znode_is_pattern(pattern))
        return true;
    for (size_t i = 0; i < cluster->election_count; i++)
        if (znode_pattern_match(pattern, summary_path(cluster->elections[i])))
            return true;
    return false;
}

bool snapshot_exit_complain_unjudged(const struct model *model, const struct settings *settings)
{
    bool unjudged = false;
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        const struct cluster_settings *wanted = &settings->clusters[i];
        if (!cluster->ever_connected)
            continue;
        const char *unseen = cluster->connection == CONNECTION_CONNECTED ? cluster->problem : NULL;
        if (cluster->sees_all && cluster->election_count)
            unseen = NULL;
        if (!wanted->election_count && unseen) {
            complain("%s: %s, so elections there were not checked; name the paths of the elections, or make "
                     "everything searchable (--auth-file, discover: {roots: ...})",
                     cluster->hosts, unseen);
            unjudged = true;
        } else if (!wanted->election_count && !cluster->election_count) {
            complain("%s: no election was found, so none was checked; name their paths: discovery finds only "
                     "those with candidates",
                     cluster->hosts);
            unjudged = true;
        }
        for (size_t j = 0; j < wanted->election_count; j++) {
            const char *pattern = wanted->elections[j].path;
            if (snapshot_exit_is_matched(cluster, pattern))
                continue;
            complain("%s: no path matches %s, so nothing was checked; check the pattern, or name the paths",
                     cluster->hosts, pattern);
            unjudged = true;
        }
    }
    return unjudged;
}

/* A list of sixty servers is no sentence: the first of them, then. */
static const char *hosts_of(const struct cluster *cluster, char buffer[HOSTS_SIZE])
{
    size_t commas = 0, first = strcspn(cluster->hosts, ",");
    for (const char *at = cluster->hosts; *at; at++)
        commas += *at == ',';
    if (strlen(cluster->hosts) < HOSTS_SIZE || commas == 0)
        return cluster->hosts;
    snprintf(buffer, HOSTS_SIZE, "%.*s and %zu other%s", (int)(first < 100 ? first : 100), cluster->hosts,
             commas, commas == 1 ? "" : "s");
    return buffer;
}

const char *snapshot_exit_next_step(const struct cluster *cluster)
{
    char quorum[SUMMARY_QUORUM_SIZE];
    if (summary_no_quorum(cluster, quorum))
        return "; start the others";
    if (cluster->connection == CONNECTION_REFUSED)
        return "; check --auth-file";
    return cluster->problem && names_a_step(cluster->problem) ? "" : "; check the address (--server)";
}

static void complain_unreached(const struct model *model, int64_t wait_ms)
{
    char wait[32], brief[HOSTS_SIZE];
    format_span(wait_ms * 1000, wait, sizeof wait);
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        bool named = cluster->name && *cluster->name;
        const char *between = named ? ": " : "", *name = named ? cluster->name : "";
        const char *problem = cluster->problem ? cluster->problem : "no answer";
        char quorum[SUMMARY_QUORUM_SIZE];
        if (summary_no_quorum(cluster, quorum))
            complain("%s%s%s; start the others of %s, or wait longer (--wait)", name, between, quorum,
                     hosts_of(cluster, brief));
        else if (cluster->connection == CONNECTION_REFUSED)
            complain("%s%s%s: %s; check --auth-file", name, between, hosts_of(cluster, brief), problem);
        else
            complain("%s%s%s could not be reached within %s: %s%s", name, between, hosts_of(cluster, brief),
                     wait, problem,
                     names_a_step(problem) ? "" : "; check the address (--server) or wait longer (--wait)");
    }
}

static void complain_denied(const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++)
            if (model->clusters[i].elections[j]->state == ELECTION_DENIED)
                complain("permission denied for %s; give other credentials (--auth-file, with a line "
                         "digest:USER:PASSWORD)",
                         summary_path(model->clusters[i].elections[j]));
}

static void complain_unfinished(const struct model *model, const char *wait)
{
    const char *why = NULL;
    for (size_t i = 0; i < model->cluster_count && !why; i++)
        why = model->clusters[i].problem;
    for (size_t i = 0; i < model->cluster_count; i++)
        if (model->clusters[i].no_chroot) {
            complain("%s: %s", model->clusters[i].hosts, model->clusters[i].problem);
            return;
        }
    complain("connected, but the servers did not answer within %s%s%s%s", wait, why ? ": " : "",
             why ? why : "", why && names_a_step(why) ? "" : "; wait longer (--wait)");
}

void snapshot_exit_complain(const struct model *model, int64_t wait_ms)
{
    char wait[32];
    switch (summary_result(model)) {
    case SUMMARY_TAKEN:
        break;
    case SUMMARY_UNREACHED:
        complain_unreached(model, wait_ms);
        break;
    case SUMMARY_DENIED:
        complain_denied(model);
        break;
    case SUMMARY_UNFINISHED:
        complain_unfinished(model, format_span(wait_ms * 1000, wait, sizeof wait));
        break;
    }
}
