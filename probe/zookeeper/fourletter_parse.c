#include "probe/zookeeper/fourletter_parse.h"

#include <limits.h>
#include <string.h>

static const char switched_off[] = "switched off (4lw.commands.whitelist)";
static const char cut_off[] = "the answer was cut off";
static const char strange[] = "not a ZooKeeper answer";
static const char no_memory[] = "out of memory";

const char *fourletter_word_text(enum fourletter_word word)
{
    static const char *const words[] = {"srvr", "mntr", "wchs", "cons", "wchc", "dump"};
    return words[word];
}

bool fourletter_word_is_switched_off(const char *problem)
{
    return problem == switched_off;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The text after a label, up to the end of its line; NULL: no such label. */
static const char *after(const char *text, const char *label, size_t *length)
{
    const char *at = strstr(text, label);
    if (!at)
        return NULL;
    at += strlen(label);
    *length = strcspn(at, "\r\n");
    return at;
}

static int64_t number_after(const char *text, const char *label)
{
    size_t length;
    const char *at = after(text, label, &length);
    uint64_t hexadecimal;
    if (!at)
        return -1;
    if (starts(at, "0x"))
        return session_id_parse(at, length, &hexadecimal) ? (int64_t)hexadecimal : -1;
    return figure_parse(at, strspn(at, "0123456789"), -1);
}

static int64_t milliseconds_after(const char *text, const char *label)
{
    size_t length;
    const char *at = after(text, label, &length);
    return at ? milliseconds_parse(at, strspn(at, "0123456789.")) : -1;
}

/* "Latency min/avg/max: 0/0.125/4" */
static void read_latencies(const char *text, struct server_figures *f)
{
    size_t length;
    const char *at = after(text, "Latency min/avg/max: ", &length);
    int64_t *const parts[] = {&f->fastest_us, &f->average_us};
    for (size_t i = 0; at && i < 2; i++) {
        const char *slash = memchr(at, '/', length);
        *parts[i] = slash ? milliseconds_parse(at, (size_t)(slash - at)) : -1;
        length -= slash ? (size_t)(slash + 1 - at) : 0;
        at = slash ? slash + 1 : NULL;
    }
    f->slowest_ms = at ? figure_parse(at, strspn(at, "0123456789"), -1) : -1;
}

static const char *read_srvr(const char *text, struct server_figures *f)
{
    size_t version_length, mode_length;
    const char *version = after(text, "Zookeeper version: ", &version_length);
    const char *mode = after(text, "Mode: ", &mode_length);
    if (!version || !mode)
        return version ? cut_off : strange;
    version_parse(version, version_length, f->version, sizeof f->version);
    f->mode = server_mode_parse(mode, mode_length);
    f->connections = number_after(text, "Connections: ");
    f->zxid = number_after(text, "Zxid: ");
    f->received = number_after(text, "Received: ");
    f->sent = number_after(text, "Sent: ");
    f->outstanding = number_after(text, "Outstanding: ");
    f->znodes = number_after(text, "Node count: ");
    read_latencies(text, f);
    return NULL;
}

static const char *read_mntr(const char *text, struct server_figures *f)
{
    size_t length;
    const char *state = after(text, "zk_server_state\t", &length);
    if (!state)
        return strange;
    f->mode = server_mode_parse(state, length);
    f->connections = number_after(text, "zk_num_alive_connections\t");
    f->all_watches = number_after(text, "zk_watch_count\t");
    f->sessions = number_after(text, "zk_global_sessions\t");
    f->ephemerals = number_after(text, "zk_ephemerals_count\t");
    f->slowest_ms = number_after(text, "zk_max_latency\t");
    f->fastest_us = milliseconds_after(text, "zk_min_latency\t");
    f->average_us = milliseconds_after(text, "zk_avg_latency\t");
    f->uptime_ms = number_after(text, "zk_uptime\t");
    f->znodes = number_after(text, "zk_znode_count\t");
    f->received = number_after(text, "zk_packets_received\t");
    f->sent = number_after(text, "zk_packets_sent\t");
    f->outstanding = number_after(text, "zk_outstanding_requests\t");
    return NULL;
}

static const char *read_wchs(const char *text, struct server_figures *f)
{
    size_t digits = strspn(text, "0123456789");
    static const char middle[] = " connections watching ";
    if (!digits || !starts(text + digits, middle))
        return strange;
    f->watching = figure_parse(text, digits, -1);
    f->watched_paths = number_after(text, middle);
    f->watches = number_after(text, "Total watches:");
    return f->watches < 0 ? cut_off : NULL;
}

static int fourletter_parse_small(int64_t number)
{
    return number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* "sid=0x100000baada0004,lop=EXIS,...": one field of it. */
static void field(struct connection_list *list, struct seen_connection *c, const char *name,
                  size_t name_length, const char *value, size_t length)
{
    uint64_t hexadecimal = 0;
    int64_t number = figure_parse(value, length, -1);
    bool is_hexadecimal = length > 2 && starts(value, "0x") && session_id_parse(value, length, &hexadecimal);
#define IS(word) (name_length == sizeof word - 1 && memcmp(name, word, sizeof word - 1) == 0)
    if (IS("sid"))
        c->session = hexadecimal;
    else if (IS("lop"))
        c->last_operation = texts_keep(&list->texts, value, length < 16 ? length : 16);
    else if (IS("est"))
        c->established_ms = number;
    else if (IS("to"))
        c->timeout_ms = fourletter_parse_small(number) < 0 ? 0 : fourletter_parse_small(number);
    else if (IS("lcxid"))
        c->last_cxid = is_hexadecimal ? (int64_t)hexadecimal : -1;
    else if (IS("lzxid"))
        c->last_zxid = is_hexadecimal ? (int64_t)hexadecimal : -1;
    else if (IS("lresp"))
        c->last_response_ms = number;
    else if (IS("queued"))
        c->outstanding = fourletter_parse_small(number);
#undef IS
}

/* " /127.0.0.1:41548[1](queued=0,recved=3,sent=3,sid=...)" */
static const char *read_cons_line(const char *line, size_t length, struct connection_list *list)
{
    const char *end = line + length, *at = line;
    while (at < end && *at != '(')
        at++;
    if (*line != ' ' || at == end || at[-1] != ']')
        return strange;
    if (end[-1] != ')')
        return cut_off;
    const char *address_end = at;
    while (address_end > line && *address_end != '[')
        address_end--;
    char address[CLIENT_ADDRESS_SIZE];
    size_t address_length =
        client_address_parse(line + 1, address_end > line ? (size_t)(address_end - line - 1) : 0, address);
    struct seen_connection c = {.last_cxid = -1, .last_zxid = -1, .outstanding = -1};
    c.client = texts_keep(&list->texts, address, address_length);
    for (at++; at < end - 1;) {
        size_t name = 0, value;
        size_t left = (size_t)(end - 1 - at);
        while (name < left && at[name] != '=' && at[name] != ',')
            name++;
        for (value = name; value < left && at[value] != ',';)
            value++;
        if (name < value)
            field(list, &c, at, name, at + name + 1, value - name - 1);
        at += value < left ? value + 1 : left;
    }
    return c.client && connection_list_add(list, &c) ? NULL : no_memory;
}

/* These end with an empty line, by which a whole answer is known. */
static bool ends_with_empty_line(const char *text)
{
    size_t length = strlen(text);
    return length && text[length - 1] == '\n' &&
           (length == 1 || text[length - 2] == '\n' || text[length - 2] == '\r');
}

static const char *read_cons(const char *text, struct connection_list *list)
{
    const char *problem = NULL;
    size_t length;
    for (const char *line = text; *line && !problem; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (length)
            problem = read_cons_line(line, length, list);
    }
    return problem ? problem : ends_with_empty_line(text) ? NULL : cut_off;
}

static const char *read_wchc(const char *text, struct watch_list *list)
{
    size_t length;
    uint64_t session;
    for (const char *line = text; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (!length)
            continue;
        bool added;
        if (line[0] == '\t' && list->count)
            added = watch_list_add_path(list, line + 1, length - 1);
        else if (starts(line, "0x") && session_id_parse(line, length, &session))
            added = watch_list_add_session(list, session);
        else
            return strange;
        if (!added)
            return no_memory;
    }
    watch_list_finish(list);
    return ends_with_empty_line(text) ? NULL : cut_off;
}

static const char *read_dump(const char *text, struct session_list *list)
{
    if (!starts(text, "SessionTracker dump:"))
        return strange;
    if (strstr(text, "Global Sessions("))
        return "only ZooKeeper's leader knows which sessions live";
    size_t length;
    /* Expiry times are dates in the server's time zone, which is not known. */
    struct seen_session seen = {.ends_ms = -1};
    for (const char *line = text; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (starts(line, "ephemeral nodes dump:"))
            return NULL;
        if (starts(line, "\t0x")) {
            if (!session_id_parse(line + 1, length - 1, &seen.id))
                return strange;
            if (!session_list_add(list, &seen))
                return no_memory;
        }
    }
    return cut_off;
}

const char *fourletter_word_read(enum fourletter_word word, const char *text, struct server_answer *answer)
{
    const char *problem = NULL;
    if (!*text)
        return "hung up without a word: too many connections, or just ending";
    if (starts(text, fourletter_word_text(word)) &&
        starts(text + strlen(fourletter_word_text(word)),
               " is not executed because it is not in the whitelist"))
        return switched_off;
    if (starts(text, "This ZooKeeper instance is not currently serving requests"))
        return "not serving: no quorum, or just starting";
    switch (word) {
    case FOURLETTER_WORD_SRVR:
        return read_srvr(text, &answer->figures);
    case FOURLETTER_WORD_MNTR:
        return read_mntr(text, &answer->figures);
    case FOURLETTER_WORD_WCHS:
        return read_wchs(text, &answer->figures);
    case FOURLETTER_WORD_CONS:
        problem = read_cons(text, &answer->connections);
        break;
    case FOURLETTER_WORD_WCHC:
        problem = read_wchc(text, &answer->watches);
        break;
    case FOURLETTER_WORD_DUMP:
        problem = read_dump(text, &answer->sessions);
        break;
    }
    if (problem)
        server_answer_free(answer);
    return problem;
}
