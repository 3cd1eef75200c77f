#include "config/yaml.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"

void problems_add(struct problems *problems, size_t line, size_t column, const char *format, ...)
{
    struct text text = {0};
    if (++problems->count > PROBLEMS_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *what = text_take(&text);
    /* In the file's order, after earlier problems at the same place. */
    size_t at = problems->count - 1;
    while (at > 0) {
        const struct problem *before = &problems->list[at - 1];
        if (before->line < line || (before->line == line && before->column <= column))
            break;
        problems->list[at] = *before;
        at--;
    }
    problems->list[at] = (struct problem){.line = line, .column = column, .what = what};
}

bool problems_full(const struct problems *problems)
{
    return problems->count > PROBLEMS_MAX;
}

/* A file's name may hold anything, and a message must stay one line: quoted where it has to be. */
static void problems_add_file(struct text *out, const char *file)
{
    if (strpbrk(file, "\n\r"))
        text_quote(out, file, strlen(file));
    else
        text_add(out, file);
}

char *problems_take(struct problems *problems)
{
    struct text out = {0};
    for (size_t i = 0; i < problems->count && i < PROBLEMS_MAX; i++) {
        const struct problem *problem = &problems->list[i];
        if (i)
            text_add(&out, "\n");
        if (problems->file) {
            problems_add_file(&out, problems->file);
            if (problem->line)
                text_printf(&out, ":%zu:%zu", problem->line, problem->column);
            text_add(&out, ": ");
        }
        text_add(&out, problem->what);
    }
    if (problems->count > PROBLEMS_MAX)
        text_printf(&out, "\nthere are more than %d errors; correct these first", PROBLEMS_MAX);
    problems_free(problems);
    return text_take(&out);
}

void problems_free(struct problems *problems)
{
    for (size_t i = 0; i < problems->count && i < PROBLEMS_MAX; i++)
        free(problems->list[i].what);
    problems->count = 0;
}

struct builder {
    yaml_parser_t parser;
    const char *bytes;
    size_t length;
    struct problems *problems;
    size_t nodes;
    bool broken; /* libyaml cannot go on, or a bound was passed: unwind */
};

static bool builder_break(struct builder *builder)
{
    builder->broken = true;
    return false;
}

static bool next_event(struct builder *builder, yaml_event_t *event)
{
    if (yaml_parser_parse(&builder->parser, event))
        return true;
    const yaml_parser_t *parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        memory_exhausted();
    if (parser->error == YAML_READER_ERROR) {
        /* Found while reading ahead: its place is known in bytes only. */
        size_t line, column, offset = parser->problem_offset;
        utf8_locate(builder->bytes, offset < builder->length ? offset : builder->length, &line, &column);
        problems_add(builder->problems, line, column, "a control character; write text only");
    } else
        problems_add(builder->problems, parser->problem_mark.line + 1, parser->problem_mark.column + 1,
                     "not valid YAML: %s%s%s; correct this line, or the previous one",
                     parser->context ? parser->context : "", parser->context ? ", " : "",
                     parser->problem ? parser->problem : "cannot be read");
    return builder_break(builder);
}

static bool refuse_event(struct builder *builder, const yaml_event_t *event, const char *what)
{
    problems_add(builder->problems, event->start_mark.line + 1, event->start_mark.column + 1, "%s", what);
    return !problems_full(builder->problems) || builder_break(builder);
}

/* Anchors and tags: reported, and then passed over. */
static bool check_decorations(struct builder *builder, const yaml_event_t *event, const yaml_char_t *anchor,
                              const yaml_char_t *tag)
{
    if (anchor &&
        !refuse_event(builder, event, "an anchor (&); write the value out: anchors are not supported"))
        return false;
    return !tag || refuse_event(builder, event, "a tag (!); leave it out: tags are not supported");
}

static void node_append(struct yaml_node *parent, struct yaml_node item)
{
    /* Grown in powers of two, so the count alone says when the room is used up. */
    if ((parent->count & (parent->count - 1)) == 0) {
        size_t room = parent->count ? parent->count * 2 : 1;
        parent->items = xreallocarray(parent->items, room, sizeof *parent->items);
    }
    parent->items[parent->count++] = item;
}

static void node_clear(struct yaml_node *node)
{
    for (size_t i = 0; i < node->count; i++)
        node_clear(&node->items[i]);
    free(node->items);
    free(node->text);
}

static bool build_node(struct builder *, const yaml_event_t *, size_t depth, struct yaml_node *);

static bool build_text(struct builder *builder, const yaml_event_t *event, struct yaml_node *node)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!check_decorations(builder, event, event->data.scalar.anchor, event->data.scalar.tag))
        return false;
    if (memchr(value, '\0', length) &&
        !refuse_event(builder, event, "a text with a NUL character; leave the character out"))
        return false;
    node->kind = NODE_TEXT;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = xstrndup(value, length);
    return true;
}

/* Is this key already in the map? Reported with the place of the first. */
static bool key_is_double(struct builder *builder, const struct yaml_node *map, const struct yaml_node *key)
{
    for (size_t i = 0; i < map->count; i += 2) {
        if (strcmp(map->items[i].text, key->text) != 0)
            continue;
        char *quoted = text_quoted(key->text);
        problems_add(builder->problems, key->line, key->column,
                     "the key %s is already there, on line %zu; keep one of them", quoted,
                     map->items[i].line);
        free(quoted);
        return true;
    }
    return false;
}

/* Takes a key and its value into the map, or reports why not. Owns both. */
static bool map_append(struct builder *builder, struct yaml_node *map, struct yaml_node key,
                       struct yaml_node value)
{
    bool fine = true, keep = false;
    if (key.kind != NODE_TEXT)
        problems_add(builder->problems, key.line, key.column, "%s as a key; keys are words",
                     yaml_node_word(&key));
    else
        keep = !key_is_double(builder, map, &key);
    if (keep && map->count >= 2 * YAML_KEYS_MAX) {
        problems_add(builder->problems, key.line, key.column, "more than %d keys in one mapping",
                     YAML_KEYS_MAX);
        keep = false;
        fine = builder_break(builder);
    }
    if (keep) {
        node_append(map, key);
        node_append(map, value);
    } else {
        node_clear(&key);
        node_clear(&value);
    }
    return fine && (!problems_full(builder->problems) || builder_break(builder));
}

static bool build_collection(struct builder *builder, size_t depth, yaml_event_type_t end,
                             struct yaml_node *node)
{
    struct yaml_node key = {0};
    bool have_key = false, whole = false;
    for (;;) {
        yaml_event_t event;
        struct yaml_node item = {0};
        if (!next_event(builder, &event))
            break;
        if (event.type == end) {
            yaml_event_delete(&event);
            whole = true;
            break;
        }
        bool fine = build_node(builder, &event, depth, &item);
        yaml_event_delete(&event);
        if (!fine) {
            node_clear(&item);
            break;
        }
        if (node->kind == NODE_LIST) {
            node_append(node, item);
        } else if (!have_key) {
            key = item;
            have_key = true;
        } else {
            have_key = false;
            if (!map_append(builder, node, key, item))
                break;
        }
    }
    if (have_key)
        node_clear(&key);
    return whole;
}

/* Builds what begins with event, taking further events as needed. False: give up (builder->broken). */
static bool build_node(struct builder *builder, const yaml_event_t *event, size_t depth,
                       struct yaml_node *node)
{
    node->line = event->start_mark.line + 1;
    node->column = event->start_mark.column + 1;
    if (++builder->nodes > YAML_NODES_MAX) {
        refuse_event(builder, event, "too many values; a configuration has at most 200000");
        return builder_break(builder);
    }
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return build_text(builder, event, node);
    case YAML_ALIAS_EVENT:
        node->kind = NODE_TEXT;
        node->plain = true;
        node->text = xstrdup("");
        return refuse_event(builder, event, "an alias (*); write the value out: aliases are not supported");
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        break;
    default:
        refuse_event(builder, event, "not valid YAML here; write keys and values");
        return builder_break(builder);
    }
    if (depth >= YAML_DEPTH_MAX) {
        refuse_event(builder, event, "nested too deeply; settings have at most six levels");
        return builder_break(builder);
    }
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    node->kind = is_list ? NODE_LIST : NODE_MAP;
    if (is_list ? !check_decorations(builder, event, event->data.sequence_start.anchor,
                                     event->data.sequence_start.tag)
                : !check_decorations(builder, event, event->data.mapping_start.anchor,
                                     event->data.mapping_start.tag))
        return false;
    return build_collection(builder, depth + 1, is_list ? YAML_SEQUENCE_END_EVENT : YAML_MAPPING_END_EVENT,
                            node);
}

/* Runs through the stream; *root gets the first document's node. */
static void build_stream(struct builder *builder, struct yaml_node *root, bool *found)
{
    int documents = 0;
    for (;;) {
        yaml_event_t event;
        if (!next_event(builder, &event))
            return;
        yaml_event_type_t type = event.type;
        bool fine = true;
        if (type == YAML_DOCUMENT_START_EVENT && ++documents == 2) {
            refuse_event(builder, &event, "a second document (---); a configuration has only one document");
            fine = false;
        } else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT &&
                   type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT) {
            *found = true;
            fine = build_node(builder, &event, 0, root);
        }
        yaml_event_delete(&event);
        if (!fine || type == YAML_STREAM_END_EVENT)
            return;
    }
}

struct yaml_node *yaml_tree_parse(const char *bytes, size_t length, struct problems *problems)
{
    struct builder builder = {.bytes = bytes, .length = length, .problems = problems};
    struct yaml_node *root = xcalloc(1, sizeof *root);
    bool found = false;
    if (!yaml_parser_initialize(&builder.parser))
        memory_exhausted();
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)bytes, length);
    build_stream(&builder, root, &found);
    yaml_parser_delete(&builder.parser);
    /* After a syntax error a partial tree would only cause further errors. */
    if (!found || builder.broken || yaml_node_is_null(root)) {
        yaml_tree_free(root);
        return NULL;
    }
    return root;
}

void yaml_tree_free(struct yaml_node *root)
{
    if (!root)
        return;
    node_clear(root);
    free(root);
}

const struct yaml_node *yaml_node_value(const struct yaml_node *map, const char *key)
{
    if (map->kind != NODE_MAP)
        return NULL;
    for (size_t i = 0; i + 1 < map->count; i += 2)
        if (strcmp(map->items[i].text, key) == 0)
            return &map->items[i + 1];
    return NULL;
}

bool yaml_node_is_null(const struct yaml_node *node)
{
    return node->kind == NODE_TEXT && node->plain &&
           (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *yaml_node_word(const struct yaml_node *node)
{
    return node->kind == NODE_LIST ? "a list" : node->kind == NODE_MAP ? "a mapping" : "a text";
}

void problems_refuse(struct problems *problems, const struct yaml_node *node, const char *key,
                     const char *what)
{
    char *value = node->kind == NODE_TEXT ? text_quoted(node->text) : xstrdup(yaml_node_word(node));
    problems_add(problems, node->line, node->column, "%s: %s %s", key, value, what);
    free(value);
}
