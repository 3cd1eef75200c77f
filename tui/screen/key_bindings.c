#include "tui/screen/key_bindings.h"

#include <stdio.h>
#include <string.h>

#include "config/memory.h"
#include "config/utf8.h"

/*
 * In the order in which the footer shows them and the help screen lists them. The footer gives up the later
 * ones first where it has no room, but always keeps help and quit.
 */
/* clang-format off: a table, one row for each action. */
static const struct key_binding defaults[] = {
    {ACTION_UP, "up", "Up k", NULL, .help = "up"},
    {ACTION_DOWN, "down", "Down j", NULL, .help = "down"},
    {ACTION_LEFT, "left", "Left", NULL, .help = "shorter strips; earlier in a history; the previous value"},
    {ACTION_RIGHT, "right", "Right l", NULL, .help = "longer strips; later in a history; the next value"},
    {ACTION_PAGE_UP, "page up", "PgUp Ctrl-B", NULL, .help = "a page up"},
    {ACTION_PAGE_DOWN, "page down", "PgDn Ctrl-F", NULL, .help = "a page down"},
    {ACTION_HALF_UP, "half page up", "Ctrl-U", NULL, .help = "half a page up"},
    {ACTION_HALF_DOWN, "half page down", "Ctrl-D", NULL, .help = "half a page down"},
    {ACTION_FIRST, "first", "Home g", NULL, .help = "the first line"},
    {ACTION_LAST, "last", "End G", NULL, .help = "the last line"},
    {ACTION_BACK, "back", "Esc", "back", .help = "go back one level; end a filter, or a replay"},
    {ACTION_OPEN, "open", "Enter", "open", .help = "open what is selected"},
    {ACTION_FILTER, "filter", "/ F3 F4", "filter",
     .help = "show only matches: a name, host or session, state:vacant, severity>=error, ..."},
    {ACTION_PROBLEMS, "problems", "!", "problems",
     .help = "show only elections with a problem, or all again"},
    {ACTION_JUMP, "jump", ":", "jump", .help = "go to an election, host or time; do anything by its name"},
    {ACTION_NEXT_MATCH, "next match", "n", NULL, .help = "the next line that matches the filter"},
    {ACTION_PREVIOUS_MATCH, "previous match", "N", NULL, .help = "the previous line that matches the filter"},
    {ACTION_SORT, "sort", "s F6", "sort", .help = "sort by the next column"},
    {ACTION_REVERSE, "reverse", "r", NULL, .help = "reverse sort order"},
    {ACTION_CHANGES, "changes", "S", NULL,
     .help = "what changed its leader most in the time of the strips, or the worst again"},
    {ACTION_COLUMNS, "columns", "F2", NULL,
     .help = "choose the columns of the overview; the choice is saved"},
    {ACTION_FINDINGS, "findings", "f", "findings", .help = "the findings of all elections, the worst first"},
    {ACTION_ENSEMBLE, "ensemble", "e", "ensemble", .help = "the servers, and what each of them shows"},
    {ACTION_EXPLAIN, "explain", "x", "explain",
     .help = "what a finding means; in a history: why the leader changed"},
    {ACTION_CLEAR, "clear", "c", NULL, .help = "clear the finding never-wakes, in this electop only"},
    {ACTION_WHAT_IF, "what if", "w", "what if", .help = "show what happens if the selected candidate leaves"},
    {ACTION_FOLLOW, "follow leader", "F", "follow leader", .help = "keep the selection on the leader"},
    {ACTION_EVENTS, "events", "v", "events", .help = "all events, the latest first"},
    {ACTION_HISTORY, "history", "h", "history", .help = "who led when, and every failover with its phases"},
    {ACTION_KINDS, "only", "o", "only",
     .help = "events of one kind only: leaders, findings, candidates, servers"},
    {ACTION_CLUSTER, "next cluster", "C", NULL,
     .help = "show the next cluster only; after the last one: all"},
    {ACTION_ZOOM_IN, "zoom in", "+ =", NULL, .help = "a shorter time in a history"},
    {ACTION_ZOOM_OUT, "zoom out", "-", NULL, .help = "a longer time in a history"},
    {ACTION_PAUSE, "pause", "Space", "pause", .help = "freeze the display; in a replay: play, stop"},
    {ACTION_EVENT_BACK, "previous event", "T", "back", .help = "back in time: to the previous event"},
    {ACTION_EVENT_ON, "next event", "t", "forward", .help = "forward in time: to the next event"},
    {ACTION_FAILOVER_BACK, "previous failover", "<", "failover",
     .help = "back to just before the previous failover (of the election that is shown)"},
    {ACTION_FAILOVER_ON, "next failover", ">", "next",
     .help = "forward to just before the next failover (of the election that is shown)"},
    {ACTION_MINUTE_BACK, "minute back", "[", NULL, .help = "back by a minute"},
    {ACTION_MINUTE_ON, "minute forward", "]", NULL, .help = "forward by a minute"},
    {ACTION_HOUR_BACK, "hour back", "{", NULL, .help = "back by an hour"},
    {ACTION_HOUR_ON, "hour forward", "}", NULL, .help = "forward by an hour"},
    {ACTION_GO_TO, "go to", "b", "go to", .help = "go to a time: 14:03, -10m, 2026-11-20T13:18:40Z"},
    {ACTION_PACE, "speed", "p", "speed", .help = "replay speed: x1, x10 or x60"},
    {ACTION_BEGINNING, "beginning", "^", NULL, .help = "the recording's beginning"},
    {ACTION_END, "end", "$", NULL, .help = "the recording's end"},
    {ACTION_LIVE, "live", "L", "live", .help = "back to live"},
    {ACTION_COMPARE, "compare", "M", NULL,
     .help = "mark this moment; at another one: list what differs between the two"},
    {ACTION_INJECT, "inject", "i", "inject", .help = "test candidates: the form, the run and its report",
     .writes = true},
    {ACTION_RUN, "run", "R", "run",
     .help = "start the run of test candidates; outside the demo, after a question", .writes = true},
    {ACTION_ADD, "add", "a", "add", .help = "one more test candidate", .writes = true},
    {ACTION_KILL, "kill", "K", "kill", .help = "close the selected test candidate's session", .writes = true},
    {ACTION_HANG, "hang", "Z", "hang", .help = "let the selected test candidate hang", .writes = true},
    {ACTION_RESUME, "resume", "u", "resume", .help = "let it continue, or join again", .writes = true},
    {ACTION_RESIGN, "resign", "d", "resign", .help = "let it resign: delete its znode, keep its session",
     .writes = true},
    {ACTION_STOP, "end run", "X", "end", .help = "end the run and remove everything that it created",
     .writes = true},
    {ACTION_COPY, "copy path", "y", "copy path",
     .help = "copy the selected path (the terminal must allow OSC 52)"},
    {ACTION_COPY_FINDING, "copy finding", "Y", "copy finding",
     .help = "copy the worst or selected finding for a ticket; elsewhere the text of the screen"},
    {ACTION_MUTE, "mute", "m", "mute",
     .help = "mute the selected finding, with a note: 2h known, OPS-12; tomorrow 08:00; 0 unmutes it"},
    {ACTION_TELL, "tell me", "A", NULL,
     .help = "bell and notification when the selected election changes, once; again: not"},
    {ACTION_REPORT, "report", "W", NULL,
     .help = "write an HTML report of the selected election's failovers in the last 24 hours to a file"},
    {ACTION_BUNDLE, "bundle", "B", NULL, .help = "save this moment as a bundle, to hand over"},
    {ACTION_PSEUDONYMS, "pseudonyms", "P", NULL,
     .help = "the same with pseudonyms for names, hosts, addresses, paths, identities and data"},
    {ACTION_DUMP, "save screen", "D", NULL, .help = "save this screen to a file in the current directory"},
    {ACTION_REDRAW, "redraw", "Ctrl-L", NULL, .help = "redraw the screen"},
    {ACTION_RELOAD, "reload", "Ctrl-R", NULL,
     .help = "read the configuration again; if it has errors, nothing changes"},
    {ACTION_HELP, "help", "? F1", "help", .help = "all keys and signs"},
    {ACTION_QUIT, "quit", "q F10", "quit", .help = "quit (so does Ctrl-C)"},
};
/* clang-format on */

static const struct {
    const char *name;
    int code;
} named_keys[] = {{"Up", KEY_CODE_UP},
                  {"Down", KEY_CODE_DOWN},
                  {"Left", KEY_CODE_LEFT},
                  {"Right", KEY_CODE_RIGHT},
                  {"PgUp", KEY_CODE_PAGE_UP},
                  {"PgDn", KEY_CODE_PAGE_DOWN},
                  {"Home", KEY_CODE_HOME},
                  {"End", KEY_CODE_END},
                  {"Esc", KEY_CODE_ESCAPE},
                  {"Enter", KEY_CODE_ENTER},
                  {"Space", ' '},
                  {"Tab", '\t'},
                  {"Delete", KEY_CODE_DELETE},
                  {"F10", KEY_CODE_F10}};

int key_code(const char *name, size_t length)
{
    uint32_t code;
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        if (strlen(named_keys[i].name) == length && memcmp(named_keys[i].name, name, length) == 0)
            return named_keys[i].code;
    /* Without those of the terminal itself, and those that are Enter, Tab and Backspace. */
    if (length == 6 && memcmp(name, "Ctrl-", 5) == 0 && name[5] >= 'A' && name[5] <= 'Z')
        return strchr("CHIJMQSZ", name[5]) ? 0 : name[5] & 0x1f;
    if (length == 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9')
        return KEY_CODE_F1 + name[1] - '1';
    bool one = length && utf8_decode(name, length, &code) == length;
    return one && code > ' ' && !(code >= 0x7f && code <= 0xa0) ? (int)code : 0;
}

#define DEFAULTS (sizeof defaults / sizeof *defaults)
static struct key_binding bindings[DEFAULTS + ACTIONS_MOST];
static size_t binding_count;

static void read_codes(struct key_binding *binding)
{
    const char *name = binding->keys + strspn(binding->keys, " ");
    snprintf(binding->first, sizeof binding->first, "%.*s", (int)strcspn(name, " "), name);
    for (size_t j = 0; j < KEY_CODES_MOST && *name; j++) {
        size_t length = strcspn(name, " ");
        binding->codes[j] = key_code(name, length);
        name += length + strspn(name + length, " ");
    }
}

void key_bindings_configure(const struct settings *settings)
{
    memcpy(bindings, defaults, sizeof defaults);
    for (size_t i = 0; i < DEFAULTS; i++) {
        for (char *const *pair = settings ? settings->keys : NULL; pair && pair[0]; pair += 2)
            if (strcmp(pair[0], bindings[i].name) == 0)
                bindings[i].keys = pair[1];
        read_codes(&bindings[i]);
    }
    binding_count = DEFAULTS;
    for (size_t i = 0; settings && i < settings->action_count && i < ACTIONS_MOST; i++) {
        const struct action_settings *own = &settings->actions[i];
        bindings[binding_count] = (struct key_binding){ACTION_COMMAND + (enum action)i, own->name, own->key,
                                                       NULL, .help = own->name};
        read_codes(&bindings[binding_count++]);
    }
}

const struct key_binding *key_bindings(size_t *count)
{
    if (binding_count == 0)
        key_bindings_configure(NULL);
    *count = binding_count;
    return bindings;
}

const char **key_bindings_words(void)
{
    size_t count = sizeof defaults / sizeof *defaults;
    const char **words = xcalloc(2 * count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        words[2 * i] = defaults[i].name;
        words[2 * i + 1] = defaults[i].keys;
    }
    return words;
}

const struct key_binding *key_binding_of(enum action action)
{
    size_t count;
    const struct key_binding *all = key_bindings(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].action == action)
            return &all[i];
    return NULL;
}

const char *key_first(enum action action)
{
    const struct key_binding *binding = key_binding_of(action);
    return binding ? binding->first : "";
}

enum action key_action(int key)
{
    size_t count;
    const struct key_binding *all = key_bindings(&count);
    if (key == '\r' || key == '\n')
        key = KEY_CODE_ENTER;
    for (size_t i = 0; i < count && key != 0; i++)
        for (size_t j = 0; j < KEY_CODES_MOST; j++)
            if (all[i].codes[j] == key)
                return all[i].action;
    return ACTION_NONE;
}
