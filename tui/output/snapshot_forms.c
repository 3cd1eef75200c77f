#include "tui/output/snapshot_forms.h"

#include <inttypes.h>
#include <jansson.h>
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

/* ---- CSV ---- */

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

/* ---- YAML ---- */

static void yaml_indent(struct buffer *out, int depth)
{
    for (int i = 0; i < depth; i++)
        buffer_put_text(out, "  ");
}

static void yaml_put(struct buffer *out, json_t *value, int depth, bool in_list);

/* A JSON scalar is a YAML scalar; its strings stay quoted, so that none is taken for a number. */
static void yaml_put_scalar(struct buffer *out, json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (!text) /* jansson allocates by itself */
        memory_exhausted();
    buffer_put_text(out, text);
    buffer_put_char(out, '\n');
    free(text);
}

static bool is_flat(json_t *value)
{
    return !(json_is_object(value) && json_object_size(value)) &&
           !(json_is_array(value) && json_array_size(value));
}

static void yaml_put_object(struct buffer *out, json_t *object, int depth, bool in_list)
{
    const char *key;
    json_t *value;
    bool first = in_list;
    json_object_foreach(object, key, value)
    {
        if (!first)
            yaml_indent(out, depth);
        first = false;
        buffer_put_text(out, key);
        buffer_put_text(out, is_flat(value) ? ": " : ":\n");
        yaml_put(out, value, depth + 1, false);
    }
}

static void yaml_put(struct buffer *out, json_t *value, int depth, bool in_list)
{
    if (is_flat(value)) {
        yaml_put_scalar(out, value);
    } else if (json_is_object(value)) {
        yaml_put_object(out, value, depth, in_list);
    } else {
        size_t i;
        json_t *item;
        json_array_foreach(value, i, item)
        {
            if (i > 0 || !in_list)
                yaml_indent(out, depth);
            buffer_put_text(out, "- ");
            yaml_put(out, item, depth + 1, true);
        }
    }
}

void snapshot_yaml_write(struct buffer *out, const struct buffer *json)
{
    json_error_t error;
    json_t *document = json_loadb(json->bytes, json->length, JSON_ALLOW_NUL, &error);
    if (!document) /* it is our own JSON, and jansson allocates by itself */
        memory_exhausted();
    yaml_put(out, document, 0, false);
    json_decref(document);
}
