#include "tui/dashboard/row_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"
#include "tui/screen/safe.h"

enum {
    ROW_PATH,
    ROW_ELECTION,
    ROW_NAME,
    ROW_CLUSTER,
    ROW_HOSTS,
    ROW_CANDIDATE,
    ROW_IDENTITY,
    ROW_CLIENT,
    ROW_SESSION,
    ROW_FACTS
};
const char *const row_command_words[] = {"path",      "election", "name",   "cluster", "hosts",
                                         "candidate", "identity", "client", "session", NULL};

static const char *row_fact(int fact, const struct election *election, const char *path, char session[32])
{
    const char *slash = strrchr(path, '/');
    const struct candidate *candidate =
        strcmp(path, election->path) != 0 && slash ? election_find(election, slash + 1) : election->leader;
    switch (fact) {
    case ROW_PATH:
        return path;
    case ROW_ELECTION:
        return election->path;
    case ROW_NAME:
        return election->name;
    case ROW_CLUSTER:
        return election->cluster->name;
    case ROW_HOSTS:
        return election->cluster->hosts;
    }
    if (!candidate)
        return NULL;
    const struct client_session *connection = candidate_client(candidate);
    const char *client = connection ? connection->address : NULL;
    uint64_t owner = candidate->known ? (uint64_t)candidate->stat.owner : 0;
    snprintf(session, 32, "0x%" PRIx64, owner);
    return fact == ROW_CANDIDATE  ? candidate->name
           : fact == ROW_IDENTITY ? candidate->identity
           : fact == ROW_CLIENT   ? client
           : owner                ? session
                                  : NULL;
}

/* The fact that at, at a brace, names; -1: none. */
static int named_fact(const char *at)
{
    for (int i = 0; i < ROW_FACTS; i++) {
        size_t length = strlen(row_command_words[i]);
        if (strncmp(at + 1, row_command_words[i], length) == 0 && at[1 + length] == '}')
            return i;
    }
    return -1;
}

/* What a shell takes for code, for more than one word or for files' names: an argument may be a part of the
 * script of `sh -c`, or of what ssh hands to a shell far away. */
#define CODE "$`;&|<>()\\'\"! \t*?{}~#^"

/* Some shells take other blanks than the one of ASCII for the end of a word. */
static bool has_blank(const char *text)
{
    size_t length = strlen(text), used;
    uint32_t code;
    for (; length > 0; text += used, length -= used) {
        used = utf8_decode(text, length, &code);
        if (used == 0)
            return true;
        if (code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f ||
            code == 0x205f || code == 0x3000)
            return true;
    }
    return false;
}

/* False: it may not be an argument, or a part of one: after a dash, a word of such a script is an option,
 * and after an equals sign zsh looks for a program. An address has brackets (IPv6). */
static bool row_fact_is_harmless(int number, const char *fact)
{
    bool address = number == ROW_HOSTS || number == ROW_CLIENT;
    char *safe = safe_text(fact, strlen(fact), false);
    bool harmless = strcmp(safe, fact) == 0 && *fact != '-' && *fact != '=' && !has_blank(fact) &&
                    !strpbrk(fact, address ? CODE : CODE "[]");
    free(safe);
    return harmless;
}

static char *row_fill(const char *argument, const struct election *election, const char *path, char *problem,
                      size_t size)
{
    struct text out = {0};
    char session[32];
    text_add(&out, "");
    for (const char *at = argument; *at; at++) {
        int fact = *at == '{' ? named_fact(at) : -1;
        if (fact < 0) {
            text_add_bytes(&out, at, 1);
            continue;
        }
        const char *text = row_fact(fact, election, path, session);
        if (!text || !*text || !row_fact_is_harmless(fact, text)) {
            snprintf(problem, size,
                     text && *text ? "{%s} of this row cannot be an argument: a dash, a control character, "
                                     "or what a shell does not take as it is"
                                   : "{%s} of this row is not known",
                     row_command_words[fact]);
            text_free(&out);
            return NULL;
        }
        text_add(&out, text);
        at += strlen(row_command_words[fact]) + 1;
    }
    return text_take(&out);
}

char **row_command_make(char *const *run, const struct election *election, const char *path, char *problem,
                        size_t size)
{
    size_t count = 0;
    while (run[count])
        count++;
    char **arguments = xcalloc(count + 1, sizeof *arguments);
    /* The program is what the configuration says: no stranger's byte decides what runs. */
    for (size_t i = 0; i < count; i++) {
        arguments[i] = i ? row_fill(run[i], election, path, problem, size) : xstrdup(run[i]);
        if (!arguments[i]) {
            host_list_free(arguments);
            return NULL;
        }
    }
    return arguments;
}
