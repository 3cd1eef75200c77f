/*
 * The configuration in other forms: the effective one, the differences from the defaults, an example for
 * people, and a JSON schema for their editors; all from the table of keys.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/key.h"
#include "config/keys.h"
#include "config/memory.h"
#include "config/settings.h"

#define HELP_COLUMN 44

/* Which values are printed: all, or those that differ from the defaults; and which lists are left out. */
struct printing {
    bool differing;
    const char *without; /* the path of a list that is printed elsewhere; NULL: none */
    struct text *out;
};

static void print_map(struct printing *p, const char *parent, const void *base, const void *defaults,
                      size_t indent, const char *first);

static void print_key(const struct printing *p, const struct key *key, const char *value, size_t indent,
                      const char *lead)
{
    char word[KEY_PATH_MAX];
    text_printf(p->out, "%*s%s%s:%s%s\n", (int)indent, "", lead, key_word(key, word, sizeof word),
                *value ? " " : "", value);
}

static void print_items(struct printing *p, const struct key *list, const void *base, size_t indent,
                        const char *lead)
{
    const char *items;
    size_t count;
    memcpy(&items, (const char *)base + list->offset, sizeof items);
    memcpy(&count, (const char *)base + list->count_offset, sizeof count);
    if (p->differing && count == 0)
        return;
    void *defaults = xcalloc(1, list->item_size);
    keys_initialise(list->path, defaults);
    print_key(p, list, count ? "" : "[]", indent, lead);
    for (size_t i = 0; i < count; i++)
        print_map(p, list->path, items + i * list->item_size, defaults, indent + 2, "- ");
    keys_clear(list->path, defaults);
    free(defaults);
}

static void settings_print_value(struct printing *p, const struct key *key, const void *base,
                                 const void *defaults, size_t indent, const char *lead)
{
    struct text value = {0}, usual = {0};
    key->type->print(key, (const char *)base + key->offset, &value);
    key->type->print(key, (const char *)defaults + key->offset, &usual);
    bool differs = value.length != usual.length || (value.at && strcmp(value.at, usual.at) != 0);
    if (value.length > 0 && (differs || !p->differing))
        print_key(p, key, value.at, indent, lead);
    text_free(&value);
    text_free(&usual);
}

static void print_section(struct printing *p, const struct key *key, const void *base, const void *defaults,
                          size_t indent, const char *lead)
{
    struct text inside = {0};
    struct printing below = *p;
    below.out = &inside;
    bool reports = key->flags & KEY_TELLS && *(const bool *)((const char *)base + key->offset);
    print_map(&below, key->path, base, defaults, indent + strlen(lead) + 2, "");
    if (inside.length == 0 && reports && p->differing)
        print_key(p, key, "{}", indent, lead);
    else if (inside.length > 0)
        print_key(p, key, "", indent, lead);
    if (inside.at)
        text_add(p->out, inside.at);
    text_free(&inside);
}

/* first precedes the first key ("- " for an item); the others are indented by as much. */
static void print_map(struct printing *p, const char *parent, const void *base, const void *defaults,
                      size_t indent, const char *first)
{
    const char *lead = first;
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        size_t before = p->out->length;
        if (!key_is_child(key, parent) || (p->without && strcmp(key->path, p->without) == 0))
            continue;
        if (key->flags & KEY_OPTIONAL && !*(const bool *)((const char *)base + key->offset))
            continue;
        if (key_is_list(key))
            print_items(p, key, base, indent, lead);
        else if (!key->type)
            print_section(p, key, base, defaults, indent, lead);
        else
            settings_print_value(p, key, base, defaults, indent, lead);
        if (p->out->length == before)
            continue;
        /* The dash replaces part of the indentation, so the next keys align with the first. */
        indent += strlen(lead);
        lead = "";
    }
}

static void print_whole(struct printing *p, const struct settings *settings)
{
    struct settings defaults = {0};
    keys_initialise("", &defaults);
    print_map(p, "", settings, &defaults, 0, "");
    keys_clear("", &defaults);
}

char *settings_print(const struct settings *settings)
{
    struct text out = {0};
    struct printing all = {.out = &out};
    if (settings->file) {
        text_add(&out, "# read from ");
        text_quote(&out, settings->file, strlen(settings->file));
        text_add(&out, "\n");
    } else {
        text_add(&out, "# no configuration file: these are the defaults and what the command line says\n");
    }
    print_whole(&all, settings);
    return text_take(&out);
}

char *settings_print_shared(const struct settings *settings)
{
    struct text out = {0};
    struct printing all = {.without = "alerts[]", .out = &out};
    struct settings shared = *settings;
    shared.action_count = 0; /* commands may contain secrets, as those of alerts */
    if (settings->recorded_count) {
        shared.clusters = settings->recorded;
        shared.cluster_count = settings->recorded_count;
    }
    print_whole(&all, &shared);
    return text_take(&out);
}

char *settings_print_different(const struct settings *settings, const char *without)
{
    struct text out = {0};
    struct printing different = {.differing = true, .without = without, .out = &out};
    print_whole(&different, settings);
    return text_take(&out);
}

char *settings_print_cluster(const struct cluster_settings *cluster)
{
    struct text out = {0};
    struct cluster_settings defaults = {0};
    struct printing different = {.differing = true, .without = "clusters[].elections[]", .out = &out};
    keys_initialise("clusters[]", &defaults);
    print_map(&different, "clusters[]", cluster, &defaults, 2, "- ");
    keys_clear("clusters[]", &defaults);
    return text_take(&out);
}

/* ---- the example ---- */

/* How deep it is, in levels of mappings; a list's items are one deeper than the list. */
static size_t key_depth(const struct key *key)
{
    size_t depth = 0;
    for (const char *at = key->path; *at; at++)
        depth += *at == '.' ? 1 : *at == '[' && at[1] == ']' && at[2] == '.' ? 1 : 0;
    return depth;
}

static bool is_first_child(const struct key *key)
{
    const struct key *before = key > keys ? key - 1 : NULL;
    return before && key_is_list(before) && key_is_child(key, before->path);
}

/* Only the addresses of one cluster are set: its other keys have their defaults. */
static bool is_set(const struct key *key)
{
    return strcmp(key->path, "clusters[]") == 0 || strcmp(key->path, "clusters[].hosts") == 0;
}

static const char *sample(const struct key *key)
{
    static const char *const samples[][2] = {{"clusters[].hosts", "127.0.0.1:2181"},
                                             {"clusters[].elections[].path", "/election"},
                                             {"alerts[].on", "[no-leader, severity>=error]"},
                                             {"alerts[].run", "[/usr/local/bin/page, \"{election}\"]"}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i][0], key->path) == 0)
            return samples[i][1];
    return key->fallback ? key->fallback : "";
}

static void put_example(const struct key *key, bool dash, struct text *out)
{
    struct text line = {0};
    char word[KEY_PATH_MAX];
    const char *value = key->type ? sample(key) : "";
    text_printf(&line, "%s%*s%s%s:%s%s", is_set(key) ? "" : "# ", (int)(2 * key_depth(key) - 2 * dash), "",
                dash ? "- " : "", key_word(key, word, sizeof word), *value ? " " : "", value);
    text_printf(out, "%s%-*s # %s\n", strchr(key->path, '.') ? "" : "\n", HELP_COLUMN, line.at ? line.at : "",
                key->help);
    text_free(&line);
}

char *settings_example(void)
{
    struct text out = {0};
    const struct key *hosts = key_find("clusters[].hosts");
    text_add(&out, "# A configuration of electop: every key, with its default. To change one, remove the \"# "
                   "\" before it and\n"
                   "# before the section that it belongs to.\n");
    for (size_t i = 0; i < key_count; i++) {
        if (&keys[i] == hosts)
            continue;
        put_example(&keys[i], is_first_child(&keys[i]) && !key_is_child(&keys[i], "clusters[]"), &out);
        if (strcmp(keys[i].path, "clusters[]") == 0)
            put_example(hosts, true, &out); /* the key that is set begins the item */
    }
    return text_take(&out);
}

/* ---- the schema ---- */

static void put_string(struct text *out, const char *text)
{
    text_add(out, "\"");
    for (const char *at = text; *at; at++) {
        if (*at == '"' || *at == '\\')
            text_add(out, "\\");
        text_add_bytes(out, at, 1);
    }
    text_add(out, "\"");
}

static void put_words(struct text *out, const char *const *words)
{
    text_add(out, "\"enum\": [");
    for (size_t i = 0; words[i]; i++) {
        text_add(out, i ? ", " : "");
        put_string(out, words[i]);
    }
    text_add(out, "]");
}

static void put_type(struct text *out, const struct key *key)
{
    const struct key_type *type = key->type;
    if (key->words)
        put_words(out, key->words);
    else if (type == &type_switch)
        text_add(out, "\"type\": \"boolean\"");
    else if (type == &type_tri_state)
        text_add(out, "\"enum\": [\"auto\", true, false]");
    else if (type == &type_key_map)
        text_add(out,
                 "\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", \"integer\"]}");
    else if (type == &type_integer)
        text_printf(out, "\"type\": \"integer\", \"minimum\": %" PRId64 ", \"maximum\": %" PRId64,
                    key->minimum, key->maximum);
    else if (type == &type_path_list || type == &type_conditions || type == &type_addresses ||
             type == &type_command || type == &type_admin)
        text_add(out, "\"anyOf\": [{\"type\": [\"string\", \"integer\", \"boolean\"]}, {\"type\": \"array\", "
                      "\"items\": {\"type\": \"string\"}}]");
    else
        text_add(out, "\"type\": [\"string\", \"number\", \"boolean\"]");
}

static void put_map(struct text *out, const char *parent, int indent)
{
    bool comma = false;
    text_printf(out, "\"type\": %s, \"additionalProperties\": false,\n%*s\"properties\": {",
                *parent ? "[\"object\", \"null\"]" : "\"object\"", indent, "");
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        char word[KEY_PATH_MAX];
        if (!key_is_child(key, parent))
            continue;
        text_printf(out, "%s\n%*s\"%s\": {\"description\": ", comma ? "," : "", indent + 2, "",
                    key_word(key, word, sizeof word));
        put_string(out, key->help);
        text_add(out, ", ");
        if (key->fallback) {
            text_add(out, "\"default\": ");
            put_string(out, key->fallback);
            text_add(out, ", ");
        }
        if (key_is_list(key)) {
            text_add(out, "\"type\": [\"array\", \"null\"], \"items\": {");
            put_map(out, key->path, indent + 4);
            text_add(out, "}");
        } else if (!key->type) {
            put_map(out, key->path, indent + 4);
        } else {
            put_type(out, key);
        }
        text_add(out, "}");
        comma = true;
    }
    text_add(out, "}");
    comma = false;
    for (size_t i = 0; i < key_count; i++) {
        char word[KEY_PATH_MAX];
        if (!key_is_child(&keys[i], parent) || !(keys[i].flags & KEY_REQUIRED))
            continue;
        text_printf(out, "%s\"%s\"", comma ? ", " : ", \"required\": [",
                    key_word(&keys[i], word, sizeof word));
        comma = true;
    }
    text_add(out, comma ? "]" : "");
}

char *settings_schema(void)
{
    struct text out = {0};
    text_add(&out, "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"configuration of "
                   "electop\",\n ");
    put_map(&out, "", 1);
    text_add(&out, "}\n");
    return text_take(&out);
}
