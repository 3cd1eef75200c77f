#include "tui/output/discovery_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/key.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/cluster.h"
#include "probe/election/summary.h"
#include "tui/output/document.h"
#include "tui/screen/safe.h"
#include "tui/words/labels.h"

/* ---- found elections ---- */

static void put_rows(struct document *doc, const struct discovery_row *rows, size_t count)
{
    static const struct document_column columns[] = {
        {"Path", COLUMN_NAME, 9},  {"Kind", COLUMN_TEXT, 8},      {"Recipe", COLUMN_TEXT, 5},
        {"Proof", COLUMN_TEXT, 7}, {"Members", COLUMN_NUMBER, 4}, {"Evidence", COLUMN_TEXT, 6}};
    document_table(doc, columns, 6);
    for (size_t i = 0; i < count; i++) {
        const struct directory_verdict *verdict = &rows[i].verdict;
        const struct election *e = rows[i].election;
        document_row(doc, 0);
        document_name_cell(doc, ROLE_STRONG, rows[i].path);
        document_cell(doc, ROLE_TEXT, "%s", directory_kind_word(verdict->kind));
        document_cell(doc, ROLE_DIM, "%s", e && e->recipe ? e->recipe->name : "");
        document_cell(doc, verdict->certain ? ROLE_DIM : ROLE_WARNING, "%s%s", verdict->proof,
                      verdict->certain ? "" : ", suspected");
        document_cell(doc, ROLE_TEXT, "%zu", rows[i].members);
        document_block(doc, BLOCK_CELL, ROLE_TEXT);
        document_prose(doc, ROLE_DIM, verdict->evidence);
    }
}

static void put_warning(struct document *doc, const char *text)
{
    document_block(doc, BLOCK_PARAGRAPH, ROLE_WARNING);
    document_sign(doc, ROLE_WARNING, SIGN_WARNING, 1);
    document_words(doc, ROLE_WARNING, " %s", text);
}

/* What keeps anything from being found, or from being proved: why there is no session, a chroot that does not
   exist, directories that may not be read, and servers that show no watches. */
static void put_warnings(struct document *doc, const struct cluster *cluster, const struct discovery *found,
                         bool any)
{
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    if (found->left_out)
        put_warning(doc, found->left_out);
    if (problem && (!found->left_out || strcmp(problem, found->left_out) != 0))
        put_warning(doc, problem);
    for (size_t i = 0; any && i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (!server->hidden[HIDDEN_WATCHES])
            continue;
        char *line = text_format("%s shows no watches, so less can be proved: %s", server->address,
                                 server->hidden[HIDDEN_WATCHES]);
        put_warning(doc, line);
        free(line);
    }
}

static void put_found(struct document *doc, const struct cluster *cluster, const struct discovery *found)
{
    size_t count;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    document_block(doc, BLOCK_HEADING, ROLE_TEXT)->level = 2;
    document_name(doc, ROLE_STRONG, label_cluster(cluster));
    if (cluster->ever_connected)
        document_words(doc, ROLE_DIM, " · %zu found, %zu director%s searched, at most %d reads a second%s",
                       count, found->walked, found->walked == 1 ? "y" : "ies", found->rate_per_s,
                       found->complete ? "" : "; not finished");
    else
        document_words(doc, ROLE_DIM, " · %s", label_connection(cluster->connection));
    put_warnings(doc, cluster, found, count > 0);
    if (count > 0)
        put_rows(doc, rows, count);
    else if (cluster->ever_connected && !cluster->problem)
        document_paragraph(doc, ROLE_TEXT,
                           "No directory that looks like an election has a candidate now. If there is an "
                           "election, name its path: electop once PATH");
    free(rows);
}

void discovery_text_print(struct buffer *out, const struct model *model, const struct discovery *found,
                          const struct print_style *how)
{
    struct document doc = {.form = DOCUMENT_TEXT};
    for (size_t i = 0; i < model->cluster_count; i++)
        put_found(&doc, &model->clusters[i], &found[i]);
    document_print(&doc, out, how);
    document_free(&doc);
}

/* ---- the configuration ---- */

static void put_comment(struct text *out, const char *before, const char *text)
{
    char *safe = safe_text(text, strlen(text), false);
    text_printf(out, "%s# %s\n", before, safe);
    free(safe);
}

/* The path can be named in a configuration, means itself alone there, and can be shown on a terminal. */
static bool is_nameable(const char *path)
{
    char *safe = safe_text(path, strlen(path), false);
    bool same = strcmp(safe, path) == 0;
    free(safe);
    return same && !znode_path_problem(path) && !znode_is_pattern(path);
}

static void discovery_put_election(struct text *out, const struct discovery_row *row)
{
    const struct election *e = row->election;
    bool sure = e && e->recipe && e->recognised != RECOGNISED_NAME && is_nameable(row->path);
    const char *before = sure ? "      " : "      # ";
    struct text reason = {0};
    text_printf(&reason, "%s, %s%s: %s", directory_kind_word(row->verdict.kind), row->verdict.proof,
                row->verdict.certain ? "" : ", suspected", row->verdict.evidence);
    if (!is_nameable(row->path))
        text_add(&reason, "; this path cannot be named here");
    char *safe = safe_text(row->path, strlen(row->path), false);
    text_printf(out, "%s- path: ", before);
    if (is_nameable(row->path))
        key_print_text(row->path, false, out);
    else
        text_add(out, safe);
    text_add(out, "\n");
    free(safe);
    put_comment(out, sure ? "        " : "      #   ", reason.at ? reason.at : "");
    text_free(&reason);
    if (!sure)
        return;
    if (e->kind_proof == KIND_ASSUMED)
        text_add(out, "        # kind: leader  # or lock: say which; findings that presume it are suspected "
                      "until then\n");
    else
        text_printf(out, "        kind: %s\n", election_kind_word(e->kind));
    text_add(out, "        recipe: ");
    key_print_text(e->recipe->name, false, out);
    text_printf(out, "  # %s\n", e->recipe->title);
}

static bool is_electable(const struct discovery_row *row)
{
    return row->election && (row->verdict.kind <= DIRECTORY_READ_WRITE_LOCK || !row->election->recipe);
}

static void put_cluster(struct text *out, const struct cluster *cluster, const struct discovery *found,
                        const struct cluster_settings *settings)
{
    size_t count, chosen = 0;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    char *head = settings_print_cluster(settings);
    char summary[160];
    snprintf(summary, sizeof summary, "%zu director%s searched, at most %d reads a second%s", found->walked,
             found->walked == 1 ? "y" : "ies", found->rate_per_s, found->complete ? "" : "; not finished");
    put_comment(out, "  ", summary);
    if (found->left_out)
        put_comment(out, "  ", found->left_out);
    text_add(out, head);
    for (size_t i = 0; i < count; i++) {
        const struct election *e = rows[i].election;
        chosen += e && e->recipe && e->recognised != RECOGNISED_NAME && is_nameable(rows[i].path);
    }
    text_add(out, chosen ? "    elections:\n"
                         : "    # elections: none is certain; without any, they are discovered\n");
    for (size_t i = 0; i < count; i++)
        if (is_electable(&rows[i]))
            discovery_put_election(out, &rows[i]);
    for (size_t i = 0; i < count; i++) {
        if (is_electable(&rows[i]))
            continue;
        struct text line = {0};
        text_printf(&line, "%s: %s (%s: %s)",
                    rows[i].verdict.kind == DIRECTORY_EMPTIED ? "perhaps an election" : "not an election",
                    rows[i].path, directory_kind_word(rows[i].verdict.kind), rows[i].verdict.evidence);
        put_comment(out, "    ", line.at ? line.at : "");
        text_free(&line);
    }
    free(rows);
    free(head);
}

void discovery_text_yaml(struct buffer *out, const struct model *model, const struct discovery *found,
                         const struct settings *settings)
{
    struct text text = {0};
    char *others = settings_print_different(settings, "clusters[]");
    text_add(
        &text,
        "# Written by electop discover. Check it with electop config; man electop.yaml lists all keys.\n");
    text_add(&text, others);
    text_add(&text, "clusters:\n");
    for (size_t i = 0; i < model->cluster_count && i < settings->cluster_count; i++)
        put_cluster(&text, &model->clusters[i], &found[i], &settings->clusters[i]);
    buffer_put(out, text.at, text.length);
    free(others);
    text_free(&text);
}

/* ---- the recipes ---- */

void discovery_text_recipes(struct buffer *out, const struct recipe_book *book, const struct print_style *how)
{
    static const char *const natures[] = {"election or lock", "election, lock or semaphore", "election",
                                          "lock"};
    static const char *const watched[] = {"predecessor", "leader",  "children",
                                          "nothing",     "unknown", "member"};
    static const struct document_column columns[] = {
        {"Recipe", COLUMN_NAME, 9},  {"Family", COLUMN_WORD, 6}, {"Kind", COLUMN_TEXT, 7},
        {"Watches", COLUMN_WORD, 5}, {"System", COLUMN_TEXT, 8}, {"Recognised by", COLUMN_TEXT, 4}};
    struct document doc = {.form = DOCUMENT_TEXT};
    document_table(&doc, columns, 6);
    for (size_t i = 0; i < recipe_book_count(book); i++) {
        const struct recipe *r = recipe_book_at(book, i);
        document_row(&doc, 0);
        document_name_cell(&doc, ROLE_STRONG, r->name);
        document_cell(&doc, ROLE_TEXT, "%s", recipe_family_word(r->family));
        document_cell(&doc, ROLE_TEXT, "%s", natures[r->nature]);
        document_cell(&doc, ROLE_TEXT, "%s", watched[r->watches]);
        document_cell(&doc, ROLE_TEXT, "%s", r->title);
        document_cell(&doc, ROLE_TEXT, "%s", r->path ? r->path : r->candidate ? r->candidate : "");
    }
    document_print(&doc, out, how);
    document_free(&doc);
}
