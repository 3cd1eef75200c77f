#include "tui/dashboard/footer.h"

#include <stdio.h>
#include <string.h>

#include "tui/screen/safe.h"

static const char *key_name(const struct cells *cells, const struct key_binding *binding, char *buffer,
                            size_t size)
{
    if (binding->action == ACTION_OPEN)
        return cells_sign(cells, SIGN_ENTER);
    snprintf(buffer, size, "%.*s", (int)strcspn(binding->keys, " "), binding->keys);
    return buffer;
}

/* Draws one key and its word at x, or nothing where there is no room; returns its columns. */
static int footer_put_key(struct footer *footer, struct cells *cells, int x, int y, int end,
                          const struct key_binding *binding, const char *word)
{
    char buffer[16];
    const char *key = key_name(cells, binding, buffer, sizeof(buffer));
    int key_width = safe_width(key, strlen(key), cells->ascii), width = key_width + 1 + (int)strlen(word);
    if (x + width > end)
        return 0;
    cells_put(cells, x, y, key_width, ROLE_KEY, key);
    cells_put(cells, x + key_width + 1, y, -1, ROLE_DIM, word);
    if (footer->key_count < FOOTER_KEYS_MOST)
        footer->keys[footer->key_count++] = (struct footer_key){binding->action, x, x + width};
    return width + 2;
}

/* From x on; help and quit always. */
static void draw_keys(struct footer *footer, struct cells *cells, int x, int y,
                      const struct key_help *key_help)
{
    size_t count;
    uint64_t first = key_help_first(key_help);
    const struct key_binding *bindings = key_bindings(&count);
    int kept = (int)strlen("? help  q quit"), end = cells->width - 1;
    for (int pass = first ? 0 : 1; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const struct key_binding *binding = &bindings[i];
            bool keep = binding->action == ACTION_HELP || binding->action == ACTION_QUIT;
            bool is_first = first & ACTION_BIT(binding->action);
            const char *word = is_first == (pass == 0) ? key_help_word(key_help, binding) : NULL;
            if (word)
                x += footer_put_key(footer, cells, x, y, keep ? end : end - kept - 2, binding, word);
        }
}

/* The text being typed, after its sign, with its hint if there is room. */
static void footer_draw_line(struct cells *cells, int y, const char *sign, const char *text, const char *hint)
{
    size_t length = strlen(text), start = 0, eaten;
    char unit[SAFE_UNIT];
    int width, x = 1;
    x += cells_put(cells, x, y, -1, ROLE_KEY, sign);
    /* Of a text longer than the line its end is shown: that is where one types. */
    while (start < length && safe_width(text + start, length - start, cells->ascii) > cells->width - x - 1) {
        eaten = safe_unit(text + start, length - start, cells->ascii, unit, &width);
        start += eaten;
    }
    x += cells_put(cells, x, y, -1, ROLE_STRONG, text + start);
    cells->cursor_x = x < cells->width ? x : cells->width - 1;
    cells->cursor_y = y;
    if (x + 4 + (int)strlen(hint) < cells->width)
        cells_put_right(cells, cells->width - 1, y, -1, ROLE_DIM, hint);
}

/* False: nothing is being typed. */
static bool draw_typed(const struct footer *footer, struct cells *cells, int y, const struct view *view,
                       const char *filter)
{
    char question[300];
    switch (footer->typing) {
    case TYPING_NOTHING:
        return false;
    case TYPING_FILTER:
        footer_draw_line(cells, y, "/", filter,
                         "Enter keeps   Esc clears   state: next: severity>= leader: recipe: cluster:");
        break;
    case TYPING_TIME:
        footer_draw_line(cells, y, "go to ", footer->typed, "14:03, -10m, 2026-11-20T13:18:40Z");
        break;
    case TYPING_JUMP:
        footer_draw_line(cells, y, "jump to ", footer->typed, "an election, screen or time   Tab completes");
        break;
    case TYPING_MUTE:
        footer_draw_line(cells, y, "mute for ", footer->typed, "1h   2h known, OPS-12   0 ends it   Esc cancels");
        break;
    case TYPING_ANSWER:
        view->ops->question(view, question, sizeof question);
        footer_draw_line(cells, y, question, footer->typed, "Enter   Esc cancels");
        break;
    }
    return true;
}

void footer_say(struct footer *footer, style role, const char *text, int64_t until_us)
{
    snprintf(footer->message, sizeof footer->message, "%s", text);
    footer->message_role = role;
    footer->message_until_us = until_us;
}

enum action footer_action_at(const struct footer *footer, int x, int y)
{
    for (size_t i = 0; i < footer->key_count && y == footer->y; i++)
        if (x >= footer->keys[i].from && x < footer->keys[i].to)
            return footer->keys[i].action;
    return ACTION_NONE;
}

void footer_draw(struct footer *footer, struct cells *cells, const struct key_help *key_help,
                 const char *filter, int64_t now_us)
{
    int y = cells->height - 1, x = 1;
    footer->y = y;
    footer->key_count = 0;
    if (draw_typed(footer, cells, y, key_help->view, filter)) {
        if (footer->message_until_us > now_us) { /* why what was typed was not taken */
            cells_fill(cells, cells->width / 2, y, cells->width - cells->width / 2, ROLE_TEXT);
            cells_put_right(cells, cells->width - 1, y, cells->width / 2 - 1, footer->message_role,
                            footer->message);
        }
        return;
    }
    if (footer->message_until_us > now_us) {
        cells_put(cells, x, y, cells->width - 2, footer->message_role, footer->message);
        return;
    }
    if (filter[0]) {
        x += cells_put(cells, x, y, -1, ROLE_DIM, "filter ");
        x += cells_put(cells, x, y, cells->width / 3, ROLE_ACCENT | STYLE_BOLD, filter) + 3;
    }
    draw_keys(footer, cells, x, y, key_help);
}
