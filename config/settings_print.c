#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "config/settings.h"

#define NOT_USED " # not used by this version yet"

static void print_map(const char *parent, const void *base, size_t indent, const char *first,
                      struct text *out);

static void print_key(const struct key *key, const char *value, size_t indent, const char *lead,
                      struct text *out)
{
    char word[KEY_PATH_MAX];
    text_printf(out, "%*s%s%s:%s%s%s\n", (int)indent, "", lead, key_word(key, word, sizeof word),
                *value ? " " : "", value, key->flags & KEY_NOT_USED_YET ? NOT_USED : "");
}

static void print_items(const struct key *list, const void *base, size_t indent, const char *lead,
                        struct text *out)
{
    const char *items;
    size_t count;
    memcpy(&items, (const char *)base + list->offset, sizeof items);
    memcpy(&count, (const char *)base + list->count_offset, sizeof count);
    print_key(list, count ? "" : "[]", indent, lead, out);
    for (size_t i = 0; i < count; i++)
        print_map(list->path, items + i * list->item_size, indent + 2, "- ", out);
}

/* first precedes the first key ("- " for an item); the others are indented by as much. */
static void print_map(const char *parent, const void *base, size_t indent, const char *first,
                      struct text *out)
{
    const char *lead = first;
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        if (!key_is_child(key, parent))
            continue;
        if (key->flags & KEY_OPTIONAL && !*(const bool *)((const char *)base + key->offset))
            continue;
        if (key_is_list(key)) {
            print_items(key, base, indent, lead, out);
        } else if (!key->type) {
            print_key(key, "", indent, lead, out);
            print_map(key->path, base, indent + strlen(lead) + 2, "", out);
        } else {
            struct text value = {0};
            key->type->print(key, (const char *)base + key->offset, &value);
            out->failed |= value.failed;
            bool is_set = value.length > 0;
            if (is_set)
                print_key(key, value.at, indent, lead, out);
            text_free(&value);
            if (!is_set)
                continue;
        }
        /* The dash replaces part of the indentation, so the next keys align with the first. */
        indent += strlen(lead);
        lead = "";
    }
}

char *settings_print(const struct settings *settings)
{
    struct text out = {0};
    if (settings->file) {
        text_add(&out, "# read from ");
        text_quote(&out, settings->file, strlen(settings->file));
        text_add(&out, "\n");
    } else {
        text_add(&out, "# no configuration file: these are the defaults and what the command line says\n");
    }
    print_map("", settings, 0, "", &out);
    return text_take(&out);
}
