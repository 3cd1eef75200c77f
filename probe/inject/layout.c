#include "probe/inject/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/inject/acl.h"

struct asking {
    struct session *session;
    struct layout *layout;
    layout_fn fn;
    void *context;
    char *path, *sibling, *sibling_name;
};

static void layout_asking_end(struct asking *asking, bool lost)
{
    layout_fn fn = asking->fn;
    void *context = asking->context;
    free(asking->path);
    free(asking->sibling);
    free(asking->sibling_name);
    free(asking);
    fn(context, lost);
}

/* ---- names ---- */

static size_t guid_at(const char *at, const char **word)
{
    size_t hex = strspn(at, "0123456789abcdefABCDEF");
    if (hex == GUID_HEX_SIZE - 1) {
        *word = "{hex}";
        return hex;
    }
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t length = 0;
    for (size_t i = 0; i < 5; i++) {
        if (strspn(at + length, "0123456789abcdefABCDEF") != groups[i] ||
            (i < 4 && at[length + groups[i]] != '-'))
            return 0;
        length += groups[i] + (i < 4);
    }
    *word = "{uuid}";
    return length;
}

char *layout_pattern(const char *name, uint64_t owner)
{
    char decimal[24], hex[20];
    size_t length = strlen(name);
    if (recipe_sequence_of(name) == SEQUENCE_NONE || length < 10)
        return NULL;
    size_t digits = length - 10;
    if (digits > 0 && name[digits - 1] == '-' && recipe_sequence_of(name) < 0)
        return NULL; /* past the counter's end */
    snprintf(decimal, sizeof decimal, "%" PRId64, (int64_t)owner);
    snprintf(hex, sizeof hex, "%016" PRIx64, owner);
    char *pattern = xmalloc(4 * length + 16);
    size_t used = 0;
    for (size_t i = 0; i < digits;) {
        const char *word = NULL;
        bool begins = i == 0 || !isxdigit((unsigned char)name[i - 1]);
        size_t found = begins ? guid_at(name + i, &word) : 0;
        if (!found && owner && begins && strncmp(name + i, decimal, strlen(decimal)) == 0) {
            found = strlen(decimal);
            word = "{session}";
        } else if (!found && owner && begins && strncmp(name + i, hex, 16) == 0) {
            found = 16;
            word = "{session_hex}";
        }
        if (found > 0 && i + found <= digits) {
            used += (size_t)sprintf(pattern + used, "%s", word);
            i += found;
        } else {
            pattern[used++] = name[i++];
        }
    }
    pattern[used] = '\0';
    return pattern;
}

/* ---- reading ---- */

static void layout_on_acl(void *context, const struct session_answer *answer)
{
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    layout->acl_masked = answer->result == SESSION_OK && acl_is_masked(answer->acl);
    for (size_t i = 0; answer->result == SESSION_OK && !layout->acl_masked && i < answer->acl->count; i++)
        layout->acl_entries[layout->acl.count++] =
            (struct acl_entry){answer->acl->entries[i].permissions, xstrdup(answer->acl->entries[i].scheme),
                               xstrdup(answer->acl->entries[i].id)};
    layout->acl.entries = layout->acl_entries;
    layout_asking_end(asking, answer->result == SESSION_LOST);
}

static void take_name(struct asking *asking, const struct znode_stat *stat)
{
    if (!asking->layout->lock)
        asking->layout->name = layout_pattern(asking->sibling_name, stat->owner);
}

/* Its existence and owner are visible without permission to read it. */
static void on_denied_sibling(void *context, const struct session_answer *answer)
{
    struct asking *asking = context;
    if (answer->result == SESSION_OK)
        take_name(asking, answer->stat);
    layout_asking_end(asking, answer->result == SESSION_LOST);
}

static void on_sibling(void *context, const struct session_answer *answer)
{
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    if (answer->result == SESSION_OK) {
        take_name(asking, answer->stat);
        if (answer->data && answer->length > 0 && answer->length <= LAYOUT_DATA_MOST &&
            !memchr(answer->data, '\0', answer->length))
            layout->data = text_format("%.*s", (int)answer->length, (const char *)answer->data);
    }
    if (answer->result == SESSION_DENIED &&
        session_exists(asking->session, asking->sibling, false, on_denied_sibling, asking))
        return;
    if (answer->result != SESSION_OK || !session_acl(asking->session, asking->sibling, layout_on_acl, asking))
        layout_asking_end(asking, answer->result == SESSION_LOST || answer->result == SESSION_OK);
}

static void layout_on_list(void *context, const struct session_answer *answer)
{
    struct asking *asking = context;
    const char *first = NULL;
    for (size_t i = 0; answer->result == SESSION_OK && i < answer->count; i++) {
        int64_t number = recipe_sequence_of(answer->names[i]);
        if (number != SEQUENCE_NONE && (!first || number < recipe_sequence_of(first)))
            first = answer->names[i];
    }
    asking->sibling_name = first ? xstrdup(first) : NULL;
    asking->sibling = first ? path_join(asking->path, first) : NULL;
    if (!first || !session_get(asking->session, asking->sibling, false, on_sibling, asking))
        layout_asking_end(asking, answer->result == SESSION_LOST || first);
}

static void on_path(void *context, const struct session_answer *answer)
{
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    layout->exists = answer->result == SESSION_OK;
    if (layout->exists)
        layout->directory = *answer->stat;
    layout->denied = answer->result == SESSION_DENIED;
    layout->lock = answer->result == SESSION_OK && answer->stat->owner != 0;
    bool asked = false;
    if (layout->lock) {
        asking->sibling = xstrdup(asking->path);
        asking->sibling_name = xstrdup("");
        asked = session_get(asking->session, asking->path, false, on_sibling, asking);
    } else if (layout->exists) {
        asked = session_children(asking->session, asking->path, false, layout_on_list, asking);
    }
    if (!asked)
        layout_asking_end(asking, answer->result == SESSION_LOST || layout->exists);
}

bool layout_read(struct session *session, const char *path, struct layout *layout, layout_fn fn,
                 void *context)
{
    struct asking *asking = xcalloc(1, sizeof *asking);
    *asking = (struct asking){.session = session, .layout = layout, .fn = fn, .context = context};
    asking->path = xstrdup(path);
    if (session_get(session, path, false, on_path, asking))
        return true;
    free(asking->path);
    free(asking);
    return false;
}

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->acl.count; i++) {
        free((char *)(uintptr_t)layout->acl_entries[i].scheme);
        free((char *)(uintptr_t)layout->acl_entries[i].id);
    }
    free(layout->name);
    free(layout->data);
    *layout = (struct layout){0};
}
