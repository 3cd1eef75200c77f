#include "probe/watch/left_out.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/transport/frame.h"

static const char *below_chroot(const struct left_out *left, const char *path)
{
    return path + strlen(left->live->chroot);
}

/* ---- directories ---- */

static size_t denied_kept(const struct left_out *left)
{
    return left->denied < DENIED_KEPT ? left->denied : DENIED_KEPT;
}

void left_out_forget_denied(struct left_out *left)
{
    for (size_t i = 0; i < denied_kept(left); i++)
        free(left->denied_at[i]);
    left->denied = 0;
}

void left_out_add_denied(struct left_out *left, const char *path)
{
    if (left->denied < DENIED_KEPT)
        left->denied_at[left->denied] = xstrdup(below_chroot(left, path));
    left->denied++;
}

size_t left_out_sort_denied(struct left_out *left)
{
    qsort(left->denied_at, denied_kept(left), sizeof left->denied_at[0], text_compare);
    return denied_kept(left);
}

void left_out_add_crowded(struct left_out *left, const char *path)
{
    path = below_chroot(left, path);
    if (left->crowded_at && strcmp(left->crowded_at, path) <= 0)
        return;
    free(left->crowded_at);
    left->crowded_at = xstrdup(path);
}

/* ---- paths that may have been elections ---- */

bool left_out_add_emptied(struct left_out *left, const char *path, enum emptied_how how)
{
    for (size_t i = 0; i < left->emptied_count; i++)
        if (strcmp(left->emptied[i].path, path) == 0)
            return false;
    if (live_watches(left->live, path))
        return false;
    left->emptied_more |= left->emptied_count == EMPTIED_KEPT;
    if (left->emptied_count == EMPTIED_KEPT)
        return false;
    left->emptied[left->emptied_count++] = (struct emptied){xstrdup(path), how};
    return true;
}

void left_out_listed(struct left_out *left, const char *directory, char *const *names, size_t count)
{
    size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);
    for (size_t i = left->emptied_count; i > 0; i--) {
        struct emptied *e = &left->emptied[i - 1];
        const char *below = strncmp(e->path, directory, length) == 0 ? e->path + length : "";
        bool in = *below == '/' && !strchr(below + 1, '/');
        if (strcmp(e->path, directory) != 0 &&
            !(in && (e->how == EMPTIED_MISSING || !text_is_among(below + 1, names, count))))
            continue;
        free(e->path);
        *e = left->emptied[--left->emptied_count];
    }
}

void left_out_forget(struct left_out *left)
{
    left_out_forget_denied(left);
    for (size_t i = 0; i < left->emptied_count; i++)
        free(left->emptied[i].path);
    free(left->crowded_at);
    left->emptied_count = 0;
    left->emptied_more = left->cut = false;
    left->crowded_at = NULL;
    left->no_root = NULL;
}

/* ---- the message ---- */

static void add_clause(struct text *all, struct text *clause)
{
    if (clause->length > 0)
        text_printf(all, "%s%s", all->length ? "; " : "", clause->at);
    text_free(clause);
}

static void describe_denied(const struct left_out *left, struct text *clause)
{
    if (left->denied == 1)
        text_printf(clause, "permission denied for %s (--auth-file): not searched", left->denied_at[0]);
    else if (left->denied == 2)
        text_printf(clause, "permission denied for %s and %s (--auth-file): not searched", left->denied_at[0],
                    left->denied_at[1]);
    else if (left->denied > 2)
        text_printf(clause, "permission denied for %zu directories, such as %s (--auth-file): not searched",
                    left->denied, left->denied_at[0]);
}

static void describe_emptied(const struct left_out *left, struct text *clause)
{
    const char *first = NULL;
    size_t count = 0, leftovers = 0;
    for (size_t i = 0; i < left->emptied_count; i++) {
        const char *path = left->emptied[i].path;
        if (live_watches(left->live, path))
            continue; /* it was named, or found, since then */
        count++;
        leftovers += left->emptied[i].how == EMPTIED_LEFTOVER;
        if (!first || strcmp(path, first) < 0)
            first = path;
    }
    if (count == 1)
        text_printf(clause, "%s %s; if it is one, name it", below_chroot(left, first),
                    directory_kind_emptied_clause(leftovers > 0));
    else if (count > 1)
        text_printf(clause,
                    "%s%zu paths are empty%s, and may have been elections, such as %s; name those that are",
                    left->emptied_more ? "more than " : "", count, leftovers > 0 ? ", or have no owner" : "",
                    below_chroot(left, first));
}

bool left_out_is_nothing(const struct left_out *left)
{
    return !left->no_root && left->denied == 0 && !left->crowded_at && !left->cut && !left->live->misnamed;
}

char *left_out_describe(struct left_out *left)
{
    struct text all = {0}, clause = {0};
    left_out_sort_denied(left);
    if (left->no_root)
        text_printf(&clause, "%s, the root of the search, does not exist", left->no_root);
    add_clause(&all, &clause);
    describe_denied(left, &clause);
    add_clause(&all, &clause);
    if (left->crowded_at)
        text_printf(&clause,
                    "%s has more than %u children, or an answer of more than %u MB: it was not searched; "
                    "name the elections below it",
                    left->crowded_at, FRAME_CHILDREN_MOST, FRAME_LENGTH_MOST >> 20);
    else if (left->cut)
        text_printf(&clause, "the tree is too large to search completely: name the elections");
    add_clause(&all, &clause);
    describe_emptied(left, &clause);
    add_clause(&all, &clause);
    if (left->live->misnamed)
        text_printf(&clause, "%s", left->live->misnamed);
    add_clause(&all, &clause);
    return all.length > 0 ? text_take(&all) : NULL;
}
