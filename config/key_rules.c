#include "config/key_rules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/alert_rules.h"
#include "config/text.h"

/* A key, its action, and the place in the file that binds it (NULL: the default). */
struct key_use {
    const char *action;
    int code;
    const struct yaml_node *node;
};

struct key_uses {
    struct key_use all[512];
    size_t count;
    bool collects; /* the first pass: only the letters, and nothing is refused */
    bool letters[UCHAR_MAX + 1];
    const struct known_words *known;
    struct problems *problems;
};

static void key_refuse(struct key_uses *uses, const struct yaml_node *node, char *what)
{
    char *quoted = text_quoted(node->text);
    if (!uses->collects)
        problems_add(uses->problems, node->line, node->column, "%s %s", quoted, what);
    free(quoted);
    free(what);
}

/* A letter that no action uses, also further down in the file. Each is offered once. 0: there is none. */
static char key_spare(struct key_uses *uses)
{
    const char *letter = "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA";
    while (*letter && uses->letters[(unsigned char)*letter])
        letter++;
    uses->letters[(unsigned char)*letter] = true;
    return *letter;
}

static void use_key(struct key_uses *uses, const char *action, const char *key, size_t length,
                    const struct yaml_node *node)
{
    int code = uses->known->key_code(key, length);
    if (code == 0 && node)
        key_refuse(uses, node,
                   text_format("of %s has no key %.*s; write a character, Ctrl-A, F1, Up, PgUp, Home, Space, "
                               "Tab, Enter or Esc",
                               action, (int)length, key));
    if (uses->collects) {
        if (code > 0 && code <= UCHAR_MAX)
            uses->letters[code] = true;
        return;
    }
    for (size_t i = 0; code && i < uses->count; i++) {
        const struct key_use *other = &uses->all[i];
        const struct yaml_node *place = node ? node : other->node;
        if (other->code != code || !place)
            continue;
        const char spare[] = {key_spare(uses), '\0'};
        key_refuse(uses, place,
                   text_format("is the key of %s and of %s; give one of them another key%s%s", other->action,
                               action, *spare ? ", such as " : "", spare));
        return;
    }
    if (code && uses->count < sizeof uses->all / sizeof *uses->all)
        uses->all[uses->count++] = (struct key_use){action, code, node};
}

static void use_keys(struct key_uses *uses, const char *action, const char *keys,
                     const struct yaml_node *node)
{
    size_t count = 0;
    for (const char *at = keys + strspn(keys, " "); *at; at += strspn(at, " ")) {
        if (++count > ACTION_KEYS_MOST && node) {
            key_refuse(uses, node, text_format("of %s are more than %d keys", action, ACTION_KEYS_MOST));
            return;
        }
        size_t length = strcspn(at, " ");
        use_key(uses, action, at, length, node);
        at += length;
    }
}

static void refuse_unknown_actions(struct key_uses *uses, const struct yaml_node *keys)
{
    for (size_t i = 0; i + 1 < keys->count && !problems_full(uses->problems); i += 2) {
        struct nearest nearest = {0};
        bool found = false;
        for (const char *const *action = uses->known->actions; *action && !found; action += 2) {
            found = strcmp(*action, keys->items[i].text) == 0;
            nearest_offer(&nearest, keys->items[i].text, *action);
        }
        if (!found)
            key_refuse(uses, &keys->items[i],
                       nearest.best
                           ? text_format("does not name an action; did you mean \"%s\"?", nearest.best)
                           : text_format("does not name an action; electop.yaml(5) lists them"));
    }
}

static void check_action(struct key_uses *uses, const struct yaml_node *action)
{
    const struct yaml_node *name = yaml_node_value(action, "name"), *key = yaml_node_value(action, "key");
    const struct yaml_node *run = yaml_node_value(action, "run");
    if (name && name->kind == NODE_TEXT)
        for (const char *const *other = uses->known->actions; *other; other += 2)
            if (strcmp(*other, name->text) == 0)
                key_refuse(uses, name, text_format("is what a key does already; write another name"));
    if (name && name->kind == NODE_TEXT && key && key->kind == NODE_TEXT)
        use_keys(uses, name->text, key->text, key);
    for (size_t i = 1; !uses->collects && run && run->kind == NODE_LIST && i < run->count; i++)
        if (run->items[i].kind == NODE_TEXT && uses->known->row_facts)
            alert_rules_placeholders(&run->items[i], uses->known->row_facts, uses->problems);
}

static void check_keys(struct key_uses *uses, const struct yaml_node *keys, const struct yaml_node *actions)
{
    bool changed = keys && keys->kind == NODE_MAP;
    if (changed)
        refuse_unknown_actions(uses, keys);
    for (const char *const *action = uses->known->actions; *action; action += 2) {
        const struct yaml_node *own = changed ? yaml_node_value(keys, *action) : NULL;
        bool given = own && own->kind == NODE_TEXT;
        use_keys(uses, *action, given ? own->text : action[1], given ? own : NULL);
    }
    for (size_t i = 0;
         actions && actions->kind == NODE_LIST && i < actions->count && !problems_full(uses->problems); i++)
        if (actions->items[i].kind == NODE_MAP)
            check_action(uses, &actions->items[i]);
}

void key_rules_check(const struct yaml_node *root, const struct known_words *known, struct problems *problems)
{
    struct key_uses uses = {.known = known, .problems = problems, .collects = true};
    const struct yaml_node *keys = root->kind == NODE_MAP ? yaml_node_value(root, "keys") : NULL;
    const struct yaml_node *actions = root->kind == NODE_MAP ? yaml_node_value(root, "actions") : NULL;
    check_keys(&uses, keys, actions);
    uses.collects = false;
    check_keys(&uses, keys, actions);
}
