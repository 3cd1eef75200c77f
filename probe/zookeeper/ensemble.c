#include "probe/zookeeper/ensemble.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the text; never NUL-terminated. */
struct span {
    const char *at;
    size_t length;
};

/* Up to c, which goes too; all of it where there is none. */
static struct span cut(struct span *from, char c)
{
    const char *found = memchr(from->at, c, from->length);
    struct span part = {from->at, found ? (size_t)(found - from->at) : from->length};
    size_t gone = part.length + (found != NULL);
    from->at += gone;
    from->length -= gone;
    return part;
}

/* The host of "host:port...", without brackets. */
static struct span cut_host(struct span *from)
{
    if (!from->length || *from->at != '[')
        return cut(from, ':');
    from->at++;
    from->length--;
    struct span host = cut(from, ']');
    cut(from, ':');
    return host;
}

static int port_of(struct span text)
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

static bool is(struct span text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

/* Listening on every interface: reached where the other servers reach it. */
static bool is_wildcard(struct span host)
{
    return host.length == 0 || is(host, "0.0.0.0") || is(host, "::") || is(host, "0:0:0:0:0:0:0:0") ||
           is(host, "*");
}

static bool parse_line(struct span line, struct ensemble_member *member)
{
    struct span name = cut(&line, '=');
    if (name.length < 8 || memcmp(name.at, "server.", 7) != 0)
        return false;
    struct span quorum = cut(&line, ';'), client = line;
    struct span host = cut_host(&quorum);
    int port = 0;
    if (client.length) {
        /* "2181" or "host:2181". */
        struct span first = cut_host(&client);
        port = client.length ? port_of(client) : port_of(first);
        if (client.length && !is_wildcard(first))
            host = first;
    }
    if (!host.length || host.length >= sizeof member->host || memchr(host.at, '\0', host.length))
        return false;
    snprintf(member->id, sizeof member->id, "%.*s", (int)name.length - 7, name.at + 7);
    snprintf(member->host, sizeof member->host, "%.*s", (int)host.length, host.at);
    member->port = port;
    return true;
}

size_t ensemble_parse(const char *text, size_t length, struct ensemble_member members[ENSEMBLE_MEMBERS])
{
    struct span left = {text, length};
    size_t count = 0;
    while (left.length && count < ENSEMBLE_MEMBERS) {
        struct span line = cut(&left, '\n');
        if (line.length && line.at[line.length - 1] == '\r')
            line.length--;
        if (parse_line(line, &members[count]))
            count++;
    }
    return count;
}
