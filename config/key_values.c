#include "config/key_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"

void value_refuse(const struct key *key, const struct yaml_node *node, struct key_reading *reading,
                  const char *what)
{
    char word[KEY_PATH_MAX];
    struct text text = {0};
    if (node->kind == NODE_TEXT)
        text_quote(&text, node->text, strlen(node->text));
    else
        text_add(&text, yaml_node_word(node));
    char *value = text_take(&text);
    if (value)
        problems_add(reading->problems, node->line, node->column, "%s: %s %s",
                     key_word(key, word, sizeof word), value, what);
    reading->problems->out_of_memory |= !value;
    free(value);
}

bool value_text(const struct key *key, const struct yaml_node *node, struct key_reading *reading)
{
    if (node->kind == NODE_TEXT)
        return true;
    struct text what = {0};
    text_printf(&what, "is not what belongs here; write %s", key->type->expects);
    value_refuse(key, node, reading, what.at ? what.at : "");
    text_free(&what);
    return false;
}

bool value_is_clean(const struct key *key, const struct yaml_node *node, size_t longest,
                    struct key_reading *reading)
{
    const char *text = node->text;
    size_t length = strlen(text);
    if (!length) {
        value_refuse(key, node, reading, "is empty; write something, or leave the key out");
        return false;
    }
    if (length > longest) {
        char what[64];
        snprintf(what, sizeof what, "is too long; write at most %zu bytes", longest);
        value_refuse(key, node, reading, what);
        return false;
    }
    for (size_t at = 0; at < length;) {
        uint32_t code;
        size_t eaten = utf8_decode(text + at, length - at, &code);
        if (!eaten || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            value_refuse(key, node, reading, "holds a control character; leave it out");
            return false;
        }
        at += eaten;
    }
    return true;
}

void value_set_text(char **field, const char *text, struct key_reading *reading)
{
    char *copy = strdup(text);
    if (!copy) {
        reading->problems->out_of_memory = true;
        return;
    }
    free(*field);
    *field = copy;
}

void value_print_text(const char *value, bool in_list, struct text *out)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:% ,";
    size_t length = strlen(value);
    bool plain = length && strspn(value, harmless) == length && !strstr(value, ": ") &&
                 !strchr(" -.:,%", value[0]) && !strchr(" :", value[length - 1]) &&
                 strcmp(value, "null") != 0;
    if (plain && !(in_list && strchr(value, ','))) {
        text_add(out, value);
        return;
    }
    text_add(out, "'");
    for (const char *at = value; *at; at++) {
        text_add_bytes(out, at, 1);
        if (*at == '\'')
            text_add(out, "'");
    }
    text_add(out, "'");
}
