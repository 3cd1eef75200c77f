#include "tui/output/discovery_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/key.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/cluster.h"
#include "probe/json/election_summary.h"
#include "tui/screen/columns.h"
#include "tui/screen/safe.h"
#include "tui/words/labels.h"

/* ---- the table ---- */

enum { FOUND_PATH, FOUND_KIND, FOUND_RECIPE, FOUND_PROOF, FOUND_COUNT, FOUND_WHY, FOUND_COLUMNS };

/* What is shown in a column; buffer for numbers. */
static const char *cell(const struct discovery_row *row, int column, char *buffer, size_t size)
{
    const struct election *e = row->election;
    switch (column) {
    case FOUND_PATH:
        return row->path;
    case FOUND_KIND:
        return directory_kind_word(row->verdict.kind);
    case FOUND_RECIPE:
        return e && e->recipe ? e->recipe->name : "";
    case FOUND_PROOF:
        snprintf(buffer, size, "%s%s", row->verdict.proof, row->verdict.certain ? "" : ", suspected");
        return buffer;
    case FOUND_COUNT:
        snprintf(buffer, size, "%zu", row->members);
        return buffer;
    default:
        return row->verdict.evidence;
    }
}

static void print_rows(struct printer *printer, const struct discovery_row *rows, size_t count)
{
    struct column columns[FOUND_COLUMNS] = {
        [FOUND_PATH] = {.heading = "PATH", .least = 12, .most = 200, .importance = 9},
        [FOUND_KIND] = {.heading = "KIND", .least = 8, .most = 15, .importance = 8},
        [FOUND_RECIPE] = {.heading = "RECIPE", .least = 6, .most = 24, .importance = 5},
        [FOUND_PROOF] = {.heading = "PROOF", .least = 9, .most = 21, .importance = 7},
        [FOUND_COUNT] = {.heading = "MEMBERS", .least = 7, .most = 9, .importance = 4, .right = true},
        [FOUND_WHY] = {.heading = "EVIDENCE", .least = 20, .most = 200, .importance = 6}};
    char text[64];
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < FOUND_COLUMNS; c++)
            columns_want(&columns[c], printer_text_width(printer, cell(&rows[i], c, text, sizeof text)));
    table_begin(printer, columns, FOUND_COLUMNS, 0);
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < FOUND_COLUMNS; c++)
            columns_put(printer->row, &columns[c], 0,
                        c == FOUND_PATH                                ? ROLE_STRONG
                        : c == FOUND_PROOF && !rows[i].verdict.certain ? ROLE_WARNING
                        : c >= FOUND_RECIPE && c != FOUND_COUNT        ? ROLE_DIM
                                                                       : ROLE_TEXT,
                        cell(&rows[i], c, text, sizeof text));
        printer_line(printer);
    }
    printer_width(printer, PRINTER_WIDTH);
}

static void print_warning(struct printer *printer, const char *text)
{
    int x = printer_put_sign(printer, 0, ROLE_WARNING, SIGN_WARNING);
    printer_put(printer, x, ROLE_WARNING, text);
    printer_prose(printer);
}

/* What keeps anything from being found, or from being proved: why there is no session, a chroot that does not
   exist, directories that may not be read, and servers that show no watches. */
static void print_warnings(struct printer *printer, const struct cluster *cluster,
                           const struct discovery *found, bool any)
{
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    if (found->left_out)
        print_warning(printer, found->left_out);
    if (problem && (!found->left_out || strcmp(problem, found->left_out) != 0))
        print_warning(printer, problem);
    for (size_t i = 0; any && i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (!server->hidden[HIDDEN_WATCHES])
            continue;
        char *line = text_format("%s shows no watches, which would prove more: %s", server->address,
                                 server->hidden[HIDDEN_WATCHES]);
        print_warning(printer, line);
        free(line);
    }
}

static void print_cluster(struct printer *printer, const struct cluster *cluster,
                          const struct discovery *found)
{
    char text[160];
    size_t count;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    int x = printer_put(printer, 0, ROLE_STRONG, *cluster->name ? cluster->name : cluster->hosts);
    snprintf(text, sizeof text, "%zu found, %zu director%s searched, at most %d reads a second%s", count,
             found->walked, found->walked == 1 ? "y" : "ies", found->rate_per_s,
             found->complete ? "" : "; not finished");
    x = printer_put_bullet(printer, x);
    printer_put(printer, x, ROLE_TEXT,
                cluster->ever_connected ? text : label_connection(cluster->connection));
    printer_prose(printer);
    print_warnings(printer, cluster, found, count > 0);
    if (count == 0 && cluster->ever_connected && !cluster->problem) {
        printer_put(
            printer, 0, ROLE_TEXT,
            "Nothing that looks like an election has a candidate now. Name its path: electop once PATH");
        printer_prose(printer);
    } else if (count > 0) {
        print_rows(printer, rows, count);
    }
    free(rows);
}

void discovery_text_print(struct buffer *out, const struct model *model, const struct discovery *found,
                          const struct print_style *how)
{
    struct printer printer;
    printer_begin(&printer, out, how);
    for (size_t i = 0; i < model->cluster_count; i++) {
        if (i)
            printer_line(&printer);
        print_cluster(&printer, &model->clusters[i], &found[i]);
    }
    printer_end(&printer);
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

static void put_election(struct text *out, const struct discovery_row *row)
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
        value_print_text(row->path, false, out);
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
    value_print_text(e->recipe->name, false, out);
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
            put_election(out, &rows[i]);
    for (size_t i = 0; i < count; i++) {
        if (is_electable(&rows[i]))
            continue;
        struct text line = {0};
        text_printf(&line, "not an election: %s (%s: %s)", rows[i].path,
                    directory_kind_word(rows[i].verdict.kind), rows[i].verdict.evidence);
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

enum { RECIPE_NAME, RECIPE_FAMILY, RECIPE_KIND, RECIPE_WATCHES, RECIPE_TITLE, RECIPE_NAMES, RECIPE_COLUMNS };

static const char *recipe_cell(const struct recipe *r, int column)
{
    static const char *const natures[] = {"election or lock", "election", "lock"};
    static const char *const watched[] = {"predecessor", "leader", "children", "nothing", "unknown"};
    switch (column) {
    case RECIPE_NAME:
        return r->name;
    case RECIPE_FAMILY:
        return recipe_family_word(r->family);
    case RECIPE_KIND:
        return natures[r->nature];
    case RECIPE_WATCHES:
        return watched[r->watches];
    case RECIPE_TITLE:
        return r->title;
    default:
        return r->path ? r->path : r->candidate ? r->candidate : "";
    }
}

void discovery_text_recipes(struct buffer *out, const struct recipe_book *book, const struct print_style *how)
{
    struct printer printer;
    struct column columns[RECIPE_COLUMNS] = {
        [RECIPE_NAME] = {.heading = "RECIPE", .least = 12, .most = 64, .importance = 9},
        [RECIPE_FAMILY] = {.heading = "FAMILY", .least = 8, .most = 8, .importance = 6},
        [RECIPE_KIND] = {.heading = "KIND", .least = 8, .most = 16, .importance = 7},
        [RECIPE_WATCHES] = {.heading = "WATCHES", .least = 7, .most = 11, .importance = 5},
        [RECIPE_TITLE] = {.heading = "SYSTEM", .least = 12, .most = 44, .importance = 8},
        [RECIPE_NAMES] = {.heading = "RECOGNISED BY", .least = 20, .most = 120, .importance = 4}};
    printer_begin(&printer, out, how);
    for (size_t i = 0; i < recipe_book_count(book); i++)
        for (int c = 0; c < RECIPE_COLUMNS; c++)
            columns_want(&columns[c], printer_text_width(&printer, recipe_cell(recipe_book_at(book, i), c)));
    table_begin(&printer, columns, RECIPE_COLUMNS, 0);
    for (size_t i = 0; i < recipe_book_count(book); i++) {
        for (int c = 0; c < RECIPE_COLUMNS; c++)
            columns_put(printer.row, &columns[c], 0, c ? ROLE_TEXT : ROLE_STRONG,
                        recipe_cell(recipe_book_at(book, i), c));
        printer_line(&printer);
    }
    printer_end(&printer);
}
