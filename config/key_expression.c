#include "config/key_expression.h"

#include <pcre2.h>
#include <stdio.h>

#include "config/key_values.h"
#include "config/key_types.h"
#include "config/recipe_names.h"

static void read_expression(const struct key *key, const struct yaml_node *node, void *field,
                            struct key_reading *reading)
{
    size_t longest = (size_t)key->maximum;
    if (!value_text(key, node, reading) || !value_is_clean(key, node, longest, reading))
        return;
    int code;
    PCRE2_SIZE at;
    uint32_t groups = 0;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)node->text, PCRE2_ZERO_TERMINATED,
                                         PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF, &code, &at, NULL);
    if (!compiled) {
        PCRE2_UCHAR text[160];
        char what[256];
        if (pcre2_get_error_message(code, text, sizeof text) < 0)
            text[0] = '\0';
        snprintf(what, sizeof what, "is no regular expression: %s, at character %zu; see pcre2pattern(3)",
                 (const char *)text, (size_t)at + 1);
        value_refuse(key, node, reading, what);
        return;
    }
    pcre2_pattern_info(compiled, PCRE2_INFO_CAPTURECOUNT, &groups);
    pcre2_code_free(compiled);
    if (groups == 0)
        value_refuse(key, node, reading,
                     "has no group for the sequence number; put ten digits in parentheses: (\\d{10})");
    else
        value_set_text(field, node->text, reading);
}

/* A recipe is a name, which is looked for once the whole file is read, or a pattern. */
static void read_recipe(const struct key *key, const struct yaml_node *node, void *field,
                        struct key_reading *reading)
{
    bool is_pattern = node->kind == NODE_TEXT && recipe_is_pattern(node->text);
    (is_pattern ? read_expression : type_text.read)(key, node, field, reading);
}

/* type_text's own are no constants to fill a table with. */
static void print_expression(const struct key *key, const void *field, struct text *out)
{
    type_text.print(key, field, out);
}

static void clear_expression(void *field)
{
    type_text.clear(field);
}

const struct key_type type_expression = {"a regular expression", read_expression, print_expression,
                                         clear_expression};
const struct key_type type_recipe = {"auto, a recipe's name, or a pattern", read_recipe, print_expression,
                                     clear_expression};
