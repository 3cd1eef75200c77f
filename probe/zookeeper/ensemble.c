#include "probe/zookeeper/ensemble.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"

/* A part of the text; never NUL-terminated. */
struct text_span {
    const char *at;
    size_t length;
};

/* Cuts off the text up to c, and removes c; all of the text if there is no c. */
static struct text_span cut(struct text_span *from, char c)
{
    const char *found = memchr(from->at, c, from->length);
    struct text_span part = {from->at, found ? (size_t)(found - from->at) : from->length};
    size_t gone = part.length + (found != NULL);
    from->at += gone;
    from->length -= gone;
    return part;
}

/* Cuts off the host of "host:port...", without brackets. */
static struct text_span cut_host(struct text_span *from)
{
    if (!from->length || *from->at != '[')
        return cut(from, ':');
    from->at++;
    from->length--;
    struct text_span host = cut(from, ']');
    cut(from, ':');
    return host;
}

static int ensemble_port_of(struct text_span text)
{
    int port = 0;
    if (text.length == 0 || text.length > 5)
        return 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        port = port * 10 + (text.at[i] - '0');
    }
    return port < 65536 ? port : 0;
}

static bool ensemble_is(struct text_span text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

/* The server listens on every interface: use the address known to the other servers. */
static bool is_wildcard(struct text_span host)
{
    return host.length == 0 || ensemble_is(host, "0.0.0.0") || ensemble_is(host, "::") ||
           ensemble_is(host, "0:0:0:0:0:0:0:0") || ensemble_is(host, "*");
}

static void ensemble_copy(struct text_span from, char *to, size_t size)
{
    snprintf(to, size, "%.*s", (int)from.length, from.at);
}

/* line: the text after "server." */
static void parse_member(struct text_span line, struct ensemble_member *member)
{
    struct text_span id = cut(&line, '='), quorum = cut(&line, ';'), client = line;
    struct text_span host = cut_host(&quorum);
    *member = (struct ensemble_member){.port = 0};
    if (client.length) {
        /* "2181" or "host:2181". */
        struct text_span first = cut_host(&client);
        member->port = client.length ? ensemble_port_of(client) : ensemble_port_of(first);
        if (client.length && !is_wildcard(first))
            host = first;
    }
    if (host_is_valid(host.at, host.length) && host.length < sizeof member->host)
        ensemble_copy(host, member->host, sizeof member->host);
    ensemble_copy(id.length ? id : (struct text_span){"?", 1}, member->id, sizeof member->id);
}

size_t ensemble_parse(const char *text, size_t length, struct ensemble_member members[ENSEMBLE_MEMBERS])
{
    static const struct text_span prefix = {"server.", 7};
    struct text_span left = {text, length};
    size_t count = 0;
    while (left.length) {
        struct text_span line = cut(&left, '\n');
        if (line.length && line.at[line.length - 1] == '\r')
            line.length--;
        if (line.length < prefix.length || memcmp(line.at, prefix.at, prefix.length) != 0)
            continue;
        if (count < ENSEMBLE_MEMBERS)
            parse_member((struct text_span){line.at + prefix.length, line.length - prefix.length},
                         &members[count]);
        count++;
    }
    return count;
}
