/*
 * options.h - the command line, checked: one table of options says which command takes which.
 *
 * An option that a command cannot honour is refused with the nearest one it knows, never ignored.
 */
#ifndef ELECTOP_CONFIG_OPTIONS_H
#define ELECTOP_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "config/threshold.h"

enum command {
    COMMAND_WATCH,
    COMMAND_ONCE,
    COMMAND_EVENTS,
    COMMAND_REPORT,
    COMMAND_REPLAY,
    COMMAND_CASE,
    COMMAND_BUNDLE,
    COMMAND_AUTOPSY,
    COMMAND_WHY,
    COMMAND_INJECT,
    COMMAND_CONFIG,
    COMMAND_DEMO,
    COMMAND_RECORD,
    COMMAND_CHECK,
    COMMAND_EXPORT,
    COMMAND_DISCOVER,
    COMMAND_COMPLETION,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_COUNT
};

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* What `inject` is asked for. Texts are parsed by probe/inject/run_options.h. */
#define INJECT_EXPECTATIONS 16
struct inject_options {
    long candidates;       /* -n, default 10 */
    const char *behaviour; /* NULL: the recipe */
    const char *kill;      /* NULL: no kills */
    const char *how;
    const char *sessions, *look, *name; /* NULL: own, own, auto */
    const char *expect[INJECT_EXPECTATIONS];
    size_t expect_count;
    const char *join; /* NULL: alone */
    bool load, live, may_lead;
};

/* What `check` is asked for. */
#define CHECK_THRESHOLDS 32
struct check_options {
    struct threshold warning[CHECK_THRESHOLDS], critical[CHECK_THRESHOLDS];
    size_t warning_count, critical_count;
    int64_t window_ms;  /* of figures from a recording, default 24h */
    int64_t timeout_ms; /* the deadline of all; 0: not given */
    bool verbose;
};

#define REPLAYS_MOST 16

/* The command line; members without an option keep zero or the default named here. */
struct options {
    enum command command;
    enum command about; /* of COMMAND_HELP: the command to explain; COMMAND_HELP: the whole program */
    char **paths;       /* of elections, NULL-terminated; NULL: none. autopsy: of directories and files */
    size_t path_count;
    const char *server;              /* NULL: not given */
    const char *config_file;         /* NULL: look in the usual places */
    bool reads_again;                /* not the first time: what runs waits for no writer of a pipe */
    const struct known_words *known; /* no option: words that the configuration may use; NULL: any word */
    const char *cluster;             /* only this one of the configuration; NULL: all */
    int64_t session_timeout_ms;      /* 0: not given */
    const char *auth_file;
    bool tls; /* --tls; each of the next implies it */
    const char *tls_ca, *tls_cert, *tls_key;
    const char *admin;             /* PORT | HOST:PORT,... | off; NULL: not given */
    const char *four_letter;       /* a word of servers.four_letter; NULL: not given */
    const char *transactions;      /* directory; NULL: not given */
    char *captures[CAPTURES_MOST]; /* --capture: FILE, - or NAME=FILE, of the command line */
    size_t capture_count;
    char *client_logs[CAPTURES_MOST]; /* why: --client-log, of the command line */
    size_t client_log_count;
    int64_t wait_ms; /* default 10000 */
    bool wait_given; /* --wait says so */
    enum color_choice color;
    bool ascii, utc;
    const char *theme;        /* watch, demo, replay: a word of screen.theme; NULL: not given */
    int64_t refresh_ms;       /* watch, demo, replay: 0: not given */
    const char *sort;         /* watch, demo, replay: a word of --sort; NULL: not given */
    const char *columns;      /* watch, demo, replay: names, with commas; NULL: all */
    const char *form;         /* once: "json", "wide" or "csv"; NULL: the table */
    const char *filter;       /* watch, once, events: which elections; NULL: all */
    const char *log;          /* file; NULL: none */
    const char *observe;      /* the case that observations are written to; NULL: none */
    bool json, strict, quick; /* once, events */
    const char *kind;         /* check, once: of the paths, a word of elections[].kind; NULL: not given */
    bool watch;               /* once: again after each change */
    int64_t for_ms;           /* once --watch, events: 0 for ever */
    long count;               /* events: 0 without limit */
    const char *recording;    /* report, replay: the file; NULL: the configured one */
    const char *replay;       /* once, events: this recording; NULL: a cluster. report: same as recording */
    const char *replays[REPLAYS_MOST]; /* all of --replay */
    size_t replay_count;
    const char *against;   /* events: compare with this recording; NULL: print */
    const char *at;        /* replay, once, autopsy: a time in the same format as from and to */
    const char *from, *to; /* report, events: times as of config/times.h, well formed; NULL: not given */
    const char *election;  /* report: only this one; NULL: all */
    const char *html;      /* report, inject: the page's file, or "-"; NULL: none */
    bool markdown;         /* report */
    const char *into;      /* autopsy: the recording to write; case, bundle: the file; NULL: none */
    bool follow;           /* autopsy */
    bool screen, events;   /* autopsy: these forms in place of a report */
    bool pseudonyms;       /* case, bundle */
    const char *when;      /* why: a time as of config/times.h, or "last"; NULL: not given */
    int servers;           /* demo: 1 (default) or 3 */
    bool no_screen;        /* demo */
    int rate_per_s; /* inject: candidates, 0: as fast as the servers accept; discover: reads, 0: not given */
    struct inject_options inject;
    bool yaml, list_recipes;    /* discover: these forms in place of a table */
    bool example, diff, schema; /* config: these in place of the effective one */
    const char *completion;     /* completion: the shell, or the list to print */
    struct check_options check;
    const char *listen; /* export, record: ADDR:PORT; NULL: export 127.0.0.1:9151, record none */
    bool once;          /* export: print once, and end */
    bool linear;        /* watch: lines, no screen */
    long series;        /* export: the maximum, 50000 by default */
};

/*
 * Reads argv. Returns false with a text in *error ("the error; the remedy", caller frees) for wrong
 * usage. Strings point into argv. options_free() releases the rest.
 */
bool options_parse(int argc, char *const *argv, struct options *options, char **error);
void options_free(struct options *options);
/* --capture beside the cluster that --server or --cluster names; else it takes the place of one. */
bool options_beside(const struct options *options);

/* The help of one command (COMMAND_HELP: of the program), from the same table, with the names of the built-in
   recipes where they belong; malloc'd. */
char *options_help(enum command about, const char *const *recipes);
const char *command_word(enum command command);

#endif
