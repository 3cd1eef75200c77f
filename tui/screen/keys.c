#include "tui/screen/keys.h"

#define CONTROL(letter) ((letter)&0x1f)

/*
 * In the order in which the footer shows them and the help screen lists them. The footer gives up the later
 * ones first where it has no room, but always keeps help and quit.
 */
static const struct key_binding bindings[] = {
    {ACTION_UP, "Up k", NULL, "up", {KEY_CODE_UP, 'k'}, false},
    {ACTION_DOWN, "Down j", NULL, "down", {KEY_CODE_DOWN, 'j'}, false},
    {ACTION_LEFT,
     "Left",
     NULL,
     "shorter strips; earlier in a history; the value before",
     {KEY_CODE_LEFT},
     false},
    {ACTION_RIGHT,
     "Right l",
     NULL,
     "longer strips; later in a history; the value after",
     {KEY_CODE_RIGHT, 'l'},
     false},
    {ACTION_PAGE_UP, "PgUp Ctrl-B", NULL, "a page up", {KEY_CODE_PAGE_UP, CONTROL('B')}, false},
    {ACTION_PAGE_DOWN, "PgDn Ctrl-F", NULL, "a page down", {KEY_CODE_PAGE_DOWN, CONTROL('F')}, false},
    {ACTION_HALF_UP, "Ctrl-U", NULL, "half a page up", {CONTROL('U')}, false},
    {ACTION_HALF_DOWN, "Ctrl-D", NULL, "half a page down", {CONTROL('D')}, false},
    {ACTION_FIRST, "Home g", NULL, "the first line", {KEY_CODE_HOME, 'g'}, false},
    {ACTION_LAST, "End G", NULL, "the last line", {KEY_CODE_END, 'G'}, false},
    {ACTION_BACK, "Esc", "back", "go back one level; end a filter", {KEY_CODE_ESCAPE}, false},
    {ACTION_OPEN, "Enter", "open", "open what is selected", {KEY_CODE_ENTER, '\r', '\n'}, false},
    {ACTION_FILTER,
     "/ F3 F4",
     "filter",
     "show only matches: text, state:vacant, next:stops, severity>=error, ...",
     {'/', KEY_CODE_F3, KEY_CODE_F4},
     false},
    {ACTION_PROBLEMS, "!", "problems", "show only elections with a problem, or all again", {'!'}, false},
    {ACTION_JUMP, ":", "jump", "go to an election, cluster, screen or time; Tab completes", {':'}, false},
    {ACTION_NEXT_MATCH, "n", NULL, "the next line that matches the filter", {'n'}, false},
    {ACTION_PREVIOUS_MATCH, "N", NULL, "the previous line that matches the filter", {'N'}, false},
    {ACTION_SORT, "s F6", "sort", "sort by the next column", {'s', KEY_CODE_F6}, false},
    {ACTION_REVERSE, "r", NULL, "reverse sort order", {'r'}, false},
    {ACTION_FINDINGS, "f", "findings", "what is wrong, over all elections, the worst first", {'f'}, false},
    {ACTION_EXPLAIN,
     "x",
     "explain",
     "what a finding means; in a history why the leader changed",
     {'x'},
     false},
    {ACTION_CLEAR,
     "c",
     NULL,
     "clear never-wakes, which no observation can clear; in this program only",
     {'c'},
     false},
    {ACTION_WHAT_IF, "w", "what if", "show what happens if the selected candidate goes", {'w'}, false},
    {ACTION_ENSEMBLE, "e", "ensemble", "the servers, and what each of them shows", {'e'}, false},
    {ACTION_FOLLOW, "F", "follow leader", "keep the selection on the leader", {'F'}, false},
    {ACTION_EVENTS, "v", "events", "everything that happened, the latest first", {'v'}, false},
    {ACTION_HISTORY, "h", "history", "who led when, and every failover with its phases", {'h'}, false},
    {ACTION_KINDS, "o", "only", "events of one kind only: leaders, findings, candidates, servers", {'o'}, false},
    {ACTION_CLUSTER, "C", NULL, "only the next cluster; after the last one all again", {'C'}, false},
    {ACTION_ZOOM_IN, "+ =", NULL, "a shorter time in a history", {'+', '='}, false},
    {ACTION_ZOOM_OUT, "-", NULL, "a longer time in a history", {'-'}, false},
    {ACTION_PAUSE, "Space", "pause", "freeze display; in replay: play, stop", {' '}, false},
    {ACTION_EVENT_BACK, "T", "back", "back in time: to the event before", {'T'}, false},
    {ACTION_EVENT_ON, "t", "forward", "forward in time: to the next event", {'t'}, false},
    {ACTION_FAILOVER_BACK, "<", "failover", "back to just before the previous failover", {'<'}, false},
    {ACTION_FAILOVER_ON, ">", "next", "forward to just before the next failover", {'>'}, false},
    {ACTION_MINUTE_BACK, "[", NULL, "back by a minute", {'['}, false},
    {ACTION_MINUTE_ON, "]", NULL, "forward by a minute", {']'}, false},
    {ACTION_HOUR_BACK, "{", NULL, "back by an hour", {'{'}, false},
    {ACTION_HOUR_ON, "}", NULL, "forward by an hour", {'}'}, false},
    {ACTION_GO_TO, "b", "go to", "go to a time: 14:03, -10m, 2026-11-20T13:18:40Z", {'b'}, false},
    {ACTION_PACE, "p", "speed", "replay speed: x1, x10 or x60", {'p'}, false},
    {ACTION_BEGINNING, "^", NULL, "the beginning of what was recorded", {'^'}, false},
    {ACTION_END, "$", NULL, "its end", {'$'}, false},
    {ACTION_LIVE, "L", "live", "back to live", {'L'}, false},
    {ACTION_INJECT, "i", "inject", "test candidates: a form, a run, its report", {'i'}, true},
    {ACTION_RUN, "R", "run", "start the run of test candidates; asks first", {'R'}, true},
    {ACTION_ADD, "a", "add", "one more test candidate", {'a'}, true},
    {ACTION_KILL, "K", "kill", "close the selected test candidate's session", {'K'}, true},
    {ACTION_HANG, "Z", "hang", "let the selected test candidate hang", {'Z'}, true},
    {ACTION_RESUME, "u", "resume", "let it go on, or stand again", {'u'}, true},
    {ACTION_RESIGN, "d", "resign", "let it step down: its znode goes, its session stays", {'d'}, true},
    {ACTION_STOP, "X", "end", "end the run; everything of it is removed", {'X'}, true},
    {ACTION_COPY, "y", "copy path", "copy the selected path (the terminal must allow OSC 52)", {'y'}, false},
    {ACTION_COPY_FINDING,
     "Y",
     "copy finding",
     "copy the worst or selected finding with evidence and advice, for a ticket",
     {'Y'},
     false},
    {ACTION_MUTE,
     "m",
     "mute",
     "mute the selected finding for a time, with a note: 2h known, OPS-12; 0 ends it",
     {'m'},
     false},
    {ACTION_REPORT,
     "W",
     NULL,
     "write a report of the selected election's last 24 hours to a file, as a page",
     {'W'},
     false},
    {ACTION_DUMP, "D", NULL, "save this screen to a file in the current directory", {'D'}, false},
    {ACTION_REDRAW, "Ctrl-L", NULL, "draw everything again", {CONTROL('L')}, false},
    {ACTION_HELP, "? F1", "help", "every key", {'?', KEY_CODE_F1}, false},
    {ACTION_QUIT, "q F10", "quit", "quit (so does Ctrl-C)", {'q', KEY_CODE_F10}, false},
};

const struct key_binding *key_bindings(size_t *count)
{
    *count = sizeof(bindings) / sizeof(*bindings);
    return bindings;
}

enum action key_action(int key)
{
    if (key == 0)
        return ACTION_NONE;
    for (size_t i = 0; i < sizeof(bindings) / sizeof(*bindings); i++)
        for (size_t j = 0; j < KEY_CODES_MOST; j++)
            if (bindings[i].codes[j] == key)
                return bindings[i].action;
    return ACTION_NONE;
}
