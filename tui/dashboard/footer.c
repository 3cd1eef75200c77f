#include "tui/dashboard/footer.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config/utf8.h"
#include "tui/screen/keys.h"
#include "tui/screen/safe.h"

#define KEY_CLEAR 21 /* Ctrl-U */

enum typed typed_line_key(char *text, size_t size, int key)
{
    char bytes[4];
    size_t length = strlen(text), more;
    if (key == KEY_CODE_ENTER)
        return TYPED_KEPT;
    if (key == KEY_CODE_ESCAPE) {
        text[0] = '\0';
        return TYPED_ENDED;
    }
    if (key == KEY_CLEAR) {
        text[0] = '\0';
        return TYPED_CHANGED;
    }
    if (key == KEY_CODE_BACKSPACE) {
        while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
            ;
        text[length] = '\0';
        return TYPED_CHANGED;
    }
    if (key < 0x20 || key == 0x7f || key >= KEY_CODE_BASE || (more = utf8_encode((uint32_t)key, bytes)) == 0)
        return key < KEY_CODE_BASE ? TYPED_NOTHING : TYPED_NOT;
    if (length + more >= size)
        return TYPED_NOTHING;
    memcpy(text + length, bytes, more);
    text[length + more] = '\0';
    return TYPED_CHANGED;
}

/* These move in time; they come first in the footer during replay. */
#define TIME_KEYS                                                                                            \
    (ACTION_BIT(ACTION_EVENT_BACK) | ACTION_BIT(ACTION_EVENT_ON) | ACTION_BIT(ACTION_FAILOVER_BACK) |        \
     ACTION_BIT(ACTION_FAILOVER_ON) | ACTION_BIT(ACTION_PAUSE) | ACTION_BIT(ACTION_PACE) |                   \
     ACTION_BIT(ACTION_GO_TO) | ACTION_BIT(ACTION_LIVE))

static bool answers(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    return (ops->answers & ACTION_BIT(action)) &&
           (!ops->heeds || ops->heeds(key_help->view, key_help->scene, action));
}

bool key_help_key(const struct key_help *key_help, enum action action)
{
    const struct view_ops *ops = key_help->view->ops;
    const struct scene *scene = key_help->scene;
    switch (action) {
    case ACTION_BACK:
        return key_help->deeper || answers(key_help, action) || (scene->past && key_help->live);
    case ACTION_FILTER:
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        return ops->filter != NULL;
    case ACTION_COPY:
        return ops->path != NULL;
    case ACTION_COPY_FINDING:
        return ops->finding != NULL;
    case ACTION_MUTE:
        return ops->finding != NULL && !scene->past;
    case ACTION_CLUSTER:
        return ops->filter != NULL && scene->model->cluster_count > 1;
    case ACTION_REPORT:
        return ops->path != NULL && key_help->recorded;
    case ACTION_CLEAR:
        return ops->belief != NULL && !scene->past;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN: /* they open a screen from anywhere else */
        return ops->opened_by != action;
    case ACTION_INJECT:
        return scene->control && ops->opened_by != action;
    case ACTION_EVENT_BACK:
    case ACTION_FAILOVER_BACK:
    case ACTION_MINUTE_BACK:
    case ACTION_HOUR_BACK:
    case ACTION_BEGINNING:
    case ACTION_GO_TO:
        return key_help->recorded;
    case ACTION_EVENT_ON:
    case ACTION_FAILOVER_ON:
    case ACTION_MINUTE_ON:
    case ACTION_HOUR_ON:
    case ACTION_END:
    case ACTION_PACE:
        return scene->past;
    case ACTION_LIVE:
        return scene->past && key_help->live;
    case ACTION_JUMP:
    case ACTION_PAUSE:
    case ACTION_DUMP:
    case ACTION_REDRAW:
    case ACTION_RELOAD:
    case ACTION_HELP:
    case ACTION_QUIT:
        return true;
    default:
        return answers(key_help, action);
    }
}

uint64_t key_help_all(const struct key_help *key_help)
{
    uint64_t all = 0;
    for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        all |= key_help_key(key_help, (enum action)action) ? ACTION_BIT(action) : 0;
    return all;
}

/* Its word in the footer here; NULL: it is not shown. */
static const char *key_help_word(const struct key_help *key_help, const struct key_binding *binding)
{
    const struct view_ops *ops = key_help->view->ops;
    bool past = key_help->scene->past;
    if (!key_help_key(key_help, binding->action))
        return NULL;
    const char *own = ops->word ? ops->word(key_help->view, key_help->scene, binding->action) : NULL;
    if (own)
        return own;
    switch (binding->action) {
    case ACTION_BACK:
        return past && !key_help->deeper ? "live" : binding->footer;
    case ACTION_PAUSE:
        return past                      ? key_help->playing ? "stop" : "play"
               : key_help->scene->paused ? "go on"
                                         : binding->footer;
    case ACTION_EVENT_BACK:
        return past ? binding->footer : "past";
    case ACTION_FAILOVER_BACK:
    case ACTION_GO_TO: /* one way back is enough to be shown in the present */
        return past ? binding->footer : NULL;
    default:
        return binding->footer;
    }
}

/* Those that come first in the footer: a set of ACTION_BIT(). */
static uint64_t key_help_first(const struct key_help *key_help)
{
    const struct view_ops *ops = key_help->view->ops;
    return key_help->scene->past             ? TIME_KEYS | ACTION_BIT(ACTION_BACK)
           : ops->opened_by == ACTION_INJECT ? ops->answers | ACTION_BIT(ACTION_BACK)
                                             : ops->first;
}

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
                         view->ops->opened_by == ACTION_EVENTS
                             ? "Enter keeps   Esc clears   a name, 14:02, expired"
                             : "Enter keeps   Esc clears   state: next: severity>= leader: recipe: cluster:");
        break;
    case TYPING_TIME:
        footer_draw_line(cells, y, "go to ", footer->typed, "14:03, -10m, 2026-11-20T13:18:40Z");
        break;
    case TYPING_JUMP:
        footer_draw_line(cells, y, "jump to ", footer->typed,
                         "an election, screen or time   Tab: the next that fits");
        break;
    case TYPING_MUTE:
        footer_draw_line(cells, y, "mute for ", footer->typed,
                         "1h   2h known, OPS-12   0 ends it   Esc cancels");
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

void footer_draw_hints(struct cells *cells, int y)
{
    static const struct {
        enum sign sign;
        style look;
        const char *word;
    } signs[] = {{SIGN_OK, ROLE_GOOD, "led, nothing wrong"},
                 {SIGN_WARNING, ROLE_WARNING, "warning"},
                 {SIGN_CRITICAL, ROLE_CRITICAL, "error"},
                 {SIGN_UNKNOWN, ROLE_DIM, "not known"},
                 {SIGN_AT_MOST, ROLE_TEXT, "at most"}};
    cells_fill(cells, 0, y, cells->width, ROLE_TEXT);
    int x = 1 + cells_put(cells, 1, y, -1, ROLE_ACCENT, "Enter opens an election") + 3;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (x + (int)strlen(signs[i].word) + 4 >= cells->width)
            break;
        x += cells_put(cells, x, y, -1, signs[i].look, cells_sign(cells, signs[i].sign)) + 1;
        x += cells_put(cells, x, y, -1, ROLE_DIM, signs[i].word) + 3;
    }
}
