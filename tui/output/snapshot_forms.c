#include "tui/output/snapshot_forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/summary.h"
#include "tui/screen/safe.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

void picked_model_make(struct picked_model *picked, const struct model *model,
                       bool (*wants)(const void *context, const struct election *), const void *context)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < model->cluster_count; i++)
        count += model->clusters[i].election_count;
    picked->model = *model;
    picked->model.clusters = xcalloc(model->cluster_count + 1, sizeof *picked->model.clusters);
    picked->elections = xcalloc(count + 1, sizeof(struct election *));
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &picked->model.clusters[i];
        *cluster = model->clusters[i];
        cluster->elections = picked->elections + used;
        cluster->election_count = 0;
        for (size_t j = 0; j < model->clusters[i].election_count; j++)
            if (wants(context, model->clusters[i].elections[j]))
                cluster->elections[cluster->election_count++] = model->clusters[i].elections[j];
        used += cluster->election_count;
    }
}

void picked_model_release(struct picked_model *picked)
{
    free(picked->model.clusters);
    free(picked->elections);
}

/* A value that begins like a formula would be run by a spreadsheet: names are strangers' bytes. */
static void csv_put(struct buffer *out, const char *text)
{
    char *safe = safe_text(text ? text : "", strlen(text ? text : ""), false);
    bool formula = strchr("=+-@", safe[0]) && safe[0];
    buffer_put_char(out, '"');
    if (formula)
        buffer_put_char(out, '\'');
    for (const char *c = safe; *c; c++) {
        if (*c == '"')
            buffer_put_char(out, '"');
        buffer_put_char(out, *c);
    }
    buffer_put_char(out, '"');
    free(safe);
}

static void csv_put_election(struct buffer *out, const struct election *election, struct moment now)
{
    static const char *const next[] = {[OUTLOOK_NONE] = "",
                                       [OUTLOOK_ALONE] = "alone",
                                       [OUTLOOK_UNKNOWN] = "unknown",
                                       [OUTLOOK_STOPS] = "stops",
                                       [OUTLOOK_WORKS] = "works"};
    const struct candidate *leader = election->leader;
    const struct finding *worst = election->finding_count > 0 ? election->findings[0] : NULL;
    char since[32] = "", candidates[24] = "";
    if (leader && election->leader_since.wall_us)
        format_time(election->leader_since.wall_us, since, sizeof since);
    if (summary_has_list(election))
        snprintf(candidates, sizeof candidates, "%zu", election->candidate_count);
    const char *const values[] = {election->cluster->name,
                                  summary_path(election),
                                  election->name,
                                  label_badge(election, now).word,
                                  leader ? leader->name : "",
                                  leader ? leader->identity : "",
                                  since,
                                  candidates,
                                  next[label_outlook(election)],
                                  worst ? finding_kind(worst->code)->word : "",
                                  worst ? severity_word(worst->severity) : ""};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (i > 0)
            buffer_put_char(out, ',');
        csv_put(out, values[i]);
    }
    buffer_put_text(out, "\r\n");
}

void snapshot_csv_write(struct buffer *out, const struct model *model, struct moment now)
{
    buffer_put_text(out,
                    "cluster,path,name,state,leader,identity,since,candidates,next,finding,severity\r\n");
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++)
            csv_put_election(out, model->clusters[i].elections[j], now);
}
