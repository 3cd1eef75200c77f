/*
 * key_bindings.h - one table of keys: it drives dispatch, the footer and the help screen.
 */
#ifndef ELECTOP_TUI_SCREEN_KEY_BINDINGS_H
#define ELECTOP_TUI_SCREEN_KEY_BINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings.h"

enum action {
    ACTION_NONE,
    ACTION_UP,
    ACTION_DOWN,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_HALF_UP,
    ACTION_HALF_DOWN,
    ACTION_FIRST,
    ACTION_LAST,
    ACTION_OPEN,
    ACTION_BACK,
    ACTION_FILTER,
    ACTION_PROBLEMS,
    ACTION_JUMP,
    ACTION_NEXT_MATCH,
    ACTION_PREVIOUS_MATCH,
    ACTION_SORT,
    ACTION_REVERSE,
    ACTION_CHANGES,
    ACTION_COLUMNS,
    ACTION_PAUSE,
    ACTION_FINDINGS,
    ACTION_EXPLAIN,
    ACTION_CLEAR,
    ACTION_WHAT_IF,
    ACTION_ENSEMBLE,
    ACTION_FOLLOW,
    ACTION_EVENTS,
    ACTION_HISTORY,
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_EVENT_BACK,
    ACTION_EVENT_ON,
    ACTION_FAILOVER_BACK,
    ACTION_FAILOVER_ON,
    ACTION_MINUTE_BACK,
    ACTION_MINUTE_ON,
    ACTION_HOUR_BACK,
    ACTION_HOUR_ON,
    ACTION_BEGINNING,
    ACTION_END,
    ACTION_GO_TO,
    ACTION_PACE,
    ACTION_LIVE,
    ACTION_COMPARE,
    ACTION_INJECT,
    ACTION_RUN,
    ACTION_ADD,
    ACTION_KILL,
    ACTION_HANG,
    ACTION_RESUME,
    ACTION_RESIGN,
    ACTION_STOP,
    ACTION_COPY,
    ACTION_COPY_FINDING,
    ACTION_MUTE,
    ACTION_TELL,
    ACTION_REPORT,
    ACTION_BUNDLE,
    ACTION_PSEUDONYMS,
    ACTION_KINDS,
    ACTION_CLUSTER,
    ACTION_DUMP,
    ACTION_REDRAW,
    ACTION_RELOAD,
    ACTION_HELP,
    ACTION_QUIT,
    ACTION_COUNT,
    ACTION_COMMAND = ACTION_COUNT, /* the first command of the configuration; the others follow */
    ACTION_ALL = ACTION_COMMAND + ACTIONS_MOST
};
/* A set of actions. */
__extension__ typedef unsigned __int128 action_set;
_Static_assert(ACTION_ALL <= 128, "the set has no more room");
#define ACTION_BIT(action) ((action_set)1 << (action))

#define KEY_CODES_MOST ACTION_KEYS_MOST

struct key_binding {
    enum action action;
    const char *name;   /* for : and for the configuration */
    const char *keys;   /* for the user: "Up k" */
    const char *footer; /* one or two words for the footer, or NULL: not shown there */
    const char *help;   /* one line */
    bool writes;        /* would write to a cluster: needs a confirmation, and is checked in one place */
    char first[24];     /* the first of the keys, as the footer shows it */
    int codes[KEY_CODES_MOST]; /* of the keys; 0: none */
};

const struct key_binding *key_bindings(size_t *count);
/* Changes keys to those of the configuration, which must outlive their use; NULL: the defaults. */
void key_bindings_configure(const struct settings *settings);
/* Name and default keys of each action in turn, NULL at the end; malloc'd. */
const char **key_bindings_words(void);
const struct key_binding *key_binding_of(enum action action); /* NULL: none */
const char *key_first(enum action action);                    /* "": none */

/* A key as the back end reads it: a Unicode character, or KEY_CODE_* above 0x110000. */
#define KEY_CODE_BASE 0x110000
enum key_code {
    KEY_CODE_UP = KEY_CODE_BASE,
    KEY_CODE_DOWN,
    KEY_CODE_LEFT,
    KEY_CODE_RIGHT,
    KEY_CODE_PAGE_UP,
    KEY_CODE_PAGE_DOWN,
    KEY_CODE_HOME,
    KEY_CODE_END,
    KEY_CODE_ENTER,
    KEY_CODE_ESCAPE,
    KEY_CODE_BACKSPACE,
    KEY_CODE_DELETE,
    KEY_CODE_BACK_TAB,
    KEY_CODE_F1,
    KEY_CODE_F2,
    KEY_CODE_F3,
    KEY_CODE_F4,
    KEY_CODE_F5,
    KEY_CODE_F6,
    KEY_CODE_F7,
    KEY_CODE_F8,
    KEY_CODE_F9,
    KEY_CODE_F10,
    KEY_CODE_CLICK,
    KEY_CODE_DOUBLE_CLICK,
    KEY_CODE_WHEEL_UP,
    KEY_CODE_WHEEL_DOWN,
    KEY_CODE_ANSWER, /* the terminal answered a query: key_decoder_answer() */
    KEY_CODE_NONE    /* no key, but something on the screen has changed: draw again */
};
enum action key_action(int key);
/* Of a name such as "k", "Ctrl-B", "F3" or "PgUp"; 0: no key has it. */
int key_code(const char *name, size_t length);

#endif
