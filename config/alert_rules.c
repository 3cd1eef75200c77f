#include "config/alert_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config_file.h"
#include "config/memory.h"
#include "config/secret.h"
#include "config/text.h"

/* Takes ownership of what. */
static void alert_refuse(const struct yaml_node *node, const char *key, char *what, struct problems *problems)
{
    problems_refuse(problems, node, key, what);
    free(what);
}

static bool is_listed(const char *const *words, const char *word, struct nearest *nearest)
{
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0)
            return true;
        nearest_offer(nearest, word, words[i]);
    }
    return false;
}

static void alert_rule_check_condition(const struct yaml_node *word, const struct known_words *known,
                                       struct problems *problems)
{
    struct nearest nearest = {0};
    /* The reader refuses anything that has not the form of a word. */
    if (word->kind != NODE_TEXT || strncmp(word->text, "severity", 8) == 0 ||
        word->text[strspn(word->text, "abcdefghijklmnopqrstuvwxyz0123456789-")] ||
        is_listed(known->conditions, word->text, &nearest))
        return;
    alert_refuse(word, "on",
                 nearest.best
                     ? text_format("is neither a finding nor an event; did you mean %s?", nearest.best)
                     : text_format("is neither a finding nor an event; man 7 electop-findings lists them"),
                 problems);
}

/* A misspelt word in braces would reach the program unchanged. ${name} belongs to a shell, %{name} to curl. */
void alert_rules_placeholders(const struct yaml_node *argument, const char *const *facts,
                              struct problems *problems)
{
    for (const char *at = argument->text; (at = strchr(at, '{')); at++) {
        struct nearest nearest = {0};
        size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");
        if (!length || at[1 + length] != '}' || (at > argument->text && strchr("$%", at[-1])))
            continue;
        char *word = xstrndup(at + 1, length);
        if (!is_listed(facts, word, &nearest) && nearest.best)
            alert_refuse(argument, "run",
                         text_format("contains {%s}, which is not a fact; did you mean {%s}? Or write { %s }",
                                     word, nearest.best, word),
                         problems);
        free(word);
    }
}

/* NULL: it can be run; else the reason. */
static char *program_problem(const char *file)
{
    struct stat facts;
    if (stat(file, &facts) != 0)
        return text_format("cannot be run: %s; check its path and its permissions", strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return text_format("is a directory; name the program in it");
    if (!S_ISREG(facts.st_mode) || faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) != 0)
        return text_format("is not executable; run chmod +x on it, or name a program");
    return NULL;
}

/* A name without a slash is looked for where the program would be. */
static char *program_search(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return program_problem(name);
    for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *file = text_format("%.*s%s%s", (int)length, at, length ? "/" : "", name);
        char *problem = program_problem(file);
        free(file);
        if (!problem)
            return NULL;
        free(problem);
        at += length + (at[length] == ':');
    }
    return text_format("is in no directory of PATH; write its full path");
}

static void check_secret(const struct yaml_node *node, const char *file, struct problems *problems)
{
    char *resolved = config_file_resolve(file, node->text), *error;
    char *token = secret_read_line(resolved, "secret_file", &error);
    if (!token)
        problems_add(problems, node->line, node->column, "%s", error);
    else if (!*token)
        alert_refuse(node, "secret_file",
                     text_format("is empty; write a token, or a whole Authorization header, into it"),
                     problems);
    secret_end(token);
    free(error);
    free(resolved);
}

static void check_run(const struct yaml_node *run, const struct known_words *known, struct problems *problems)
{
    size_t count = run->kind == NODE_LIST ? run->count : 1;
    for (size_t i = 0; i < count && !problems_full(problems); i++) {
        const struct yaml_node *argument = run->kind == NODE_LIST ? &run->items[i] : run;
        if (argument->kind != NODE_TEXT || (!i && !*argument->text))
            return; /* said where it is read */
        char *problem = !i && known->alerts_are_sent ? program_search(argument->text) : NULL;
        if (problem)
            alert_refuse(argument, "run", problem, problems);
        if (i && known->facts)
            alert_rules_placeholders(argument, known->facts, problems);
    }
}

static void check_post(const struct yaml_node *post, struct problems *problems)
{
    if (post->kind != NODE_TEXT)
        return;
    if (strncmp(post->text, "http://", 7) != 0 && strncmp(post->text, "https://", 8) != 0)
        problems_add(problems, post->line, post->column,
                     "post: is not a URL; write it as in http://alertmanager:9093/api/v2/alerts");
    else if (strpbrk(post->text, "{}"))
        problems_add(problems, post->line, post->column,
                     "post: a URL cannot contain braces; the facts are in the JSON that is posted");
    else if (strchr(post->text, '@'))
        problems_add(problems, post->line, post->column,
                     "post: a URL cannot contain @ (write %%40 in its place): name a file with the user and "
                     "the password with "
                     "secret_file");
}

bool alert_rules_expose(const struct alert_settings *rule)
{
    if (!rule->secret_file || !rule->post || strncmp(rule->post, "http://", 7) != 0)
        return false;
    const char *host = rule->post + 7;
    size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
    return !(length == 9 && strncasecmp(host, "localhost", length) == 0) &&
           !(length == 5 && strncmp(host, "[::1]", length) == 0) &&
           !(strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == length);
}

static const struct yaml_node *alert_value(const struct yaml_node *alert, const char *key)
{
    const struct yaml_node *value = yaml_node_value(alert, key);
    return value && !yaml_node_is_null(value) ? value : NULL;
}

static void check_alert(const struct yaml_node *alert, const struct known_words *known, const char *file,
                        struct problems *problems)
{
    const struct yaml_node *run = alert_value(alert, "run"), *post = alert_value(alert, "post");
    const struct yaml_node *on = alert_value(alert, "on"), *secret = alert_value(alert, "secret_file");
    bool list = on && on->kind == NODE_LIST;
    for (size_t i = 0; on && known->conditions && i < (list ? on->count : 1); i++)
        alert_rule_check_condition(list ? &on->items[i] : on, known, problems);
    if (!run && !post)
        problems_add(problems, alert->line, alert->column,
                     "alerts[] has neither run nor post; add one (run: [/usr/bin/logger, \"{code}\"])");
    if (run)
        check_run(run, known, problems);
    if (post)
        check_post(post, problems);
    if (secret && secret->kind == NODE_TEXT && known->alerts_are_sent)
        check_secret(secret, file, problems);
}

void alert_rules_check(const struct yaml_node *root, const struct known_words *known, const char *file,
                       struct problems *problems)
{
    const struct yaml_node *alerts = root->kind == NODE_MAP ? yaml_node_value(root, "alerts") : NULL;
    for (size_t i = 0; alerts && alerts->kind == NODE_LIST && i < alerts->count && !problems_full(problems);
         i++)
        if (alerts->items[i].kind == NODE_MAP)
            check_alert(&alerts->items[i], known, file, problems);
}
