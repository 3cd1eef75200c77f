#include "config/connect_string.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/units.h"
#include "config/znode_path.h"

#define HOST_MAX 255 /* bytes of a host name, as DNS has it */

/* "what" about the piece of text quoted in front, as an error. Always false, for returning. */
static bool connect_string_refuse(char **error, const char *piece, size_t length, const char *what)
{
    struct text text = {0};
    text_quote(&text, piece, length);
    text_printf(&text, " %s", what);
    *error = text_take(&text);
    return false;
}

static bool host_is_name(const char *host, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = host[i];
        bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                    c == '-' || c == '_';
        if (!fits)
            return false;
    }
    return length > 0 && host[0] != '-'; /* else it is an option */
}

static bool host_is_ipv6(const char *host, size_t length)
{
    size_t colons = 0;
    for (size_t i = 0; i < length; i++) {
        char c = host[i];
        if (c == '%') /* a zone: "fe80::1%eth0" */
            return colons > 1 && host_is_name(host + i + 1, length - i - 1);
        if (c == '\0' || !strchr("0123456789abcdefABCDEF:.", c))
            return false;
        colons += c == ':';
    }
    return colons > 1;
}

bool host_is_valid(const char *host, size_t length)
{
    return length <= HOST_MAX && (host_is_name(host, length) || host_is_ipv6(host, length));
}

static void connect_string_trim(const char **text, size_t *length)
{
    while (*length && **text == ' ') {
        (*text)++;
        (*length)--;
    }
    while (*length && (*text)[*length - 1] == ' ')
        (*length)--;
}

bool host_port_parse(const char *text, size_t length, int default_port, struct host_port *out, char **error)
{
    *out = (struct host_port){0};
    *error = NULL;
    connect_string_trim(&text, &length);
    const char *host = text, *port = NULL;
    size_t host_length = length;
    if (length && text[0] == '[') {
        const char *close = memchr(text, ']', length);
        if (!close)
            return connect_string_refuse(error, text, length,
                                         "has no closing bracket; write IPv6 as [::1]:2181");
        host = text + 1;
        host_length = (size_t)(close - host);
        if (!host_is_ipv6(host, host_length))
            return connect_string_refuse(error, text, length,
                                         "has no IPv6 address in its brackets; write it as [::1]:2181");
        if (close + 1 < text + length && close[1] != ':')
            return connect_string_refuse(error, text, length,
                                         "has text after its bracket; write IPv6 as [::1]:2181");
        port = close + 1 < text + length ? close + 2 : NULL;
    } else {
        const char *colon = length ? memchr(text, ':', length) : NULL;
        if (colon && memchr(colon + 1, ':', length - (size_t)(colon + 1 - text)))
            return connect_string_refuse(error, text, length,
                                         "has more than one colon; write IPv6 in brackets, as [::1]:2181");
        if (colon) {
            host_length = (size_t)(colon - text);
            port = colon + 1;
        }
        if (!host_length)
            return connect_string_refuse(error, text, length, "names no host; write it as host:port");
        if (!host_is_name(host, host_length))
            return connect_string_refuse(error, text, length,
                                         "is not a host and port; write it as host:port");
    }
    if (host_length > HOST_MAX)
        return connect_string_refuse(error, text, length,
                                     "is too long for a host name; host names have at most 255 characters");

    int number = default_port;
    if (port) {
        char digits[8];
        size_t port_length = (size_t)(text + length - port);
        const char *problem = "";
        if (port_length < sizeof digits) {
            memcpy(digits, port, port_length);
            digits[port_length] = '\0';
            problem = port_parse(digits, &number);
        }
        if (problem)
            return connect_string_refuse(error, text, length, "has no valid port; ports are 1 to 65535");
    } else if (!default_port) {
        return connect_string_refuse(error, text, length, "has no port; write it as host:port");
    }
    out->port = number;
    out->host = xstrndup(host, host_length);
    return true;
}

char *host_port_print(const struct host_port *server)
{
    bool ipv6 = strchr(server->host, ':') != NULL;
    return text_format(ipv6 ? "[%s]:%d" : "%s:%d", server->host, server->port);
}

/* All but the servers themselves. chroot: where it begins, or the end of the text. */
static bool check_outline(const char *text, const char *chroot, char **error)
{
    if (strstr(text, "://"))
        return connect_string_refuse(
            error, text, strlen(text),
            "is not a connect string; write host:port,host:port/chroot without a scheme");
    if (text[strspn(text, " ")] == '\0') {
        *error = xstrdup("is empty; write host:port,host:port/chroot");
        return false;
    }
    if (*chroot && chroot[1] == '\0')
        return connect_string_refuse(error, text, strlen(text),
                                     "ends in a slash; leave it out, or name the chroot after it");
    const char *problem = *chroot ? znode_path_problem(chroot) : NULL;
    if (!problem)
        return true;
    struct text message = {0};
    text_add(&message, "the chroot ");
    text_quote(&message, chroot, strlen(chroot));
    text_printf(&message, " %s", problem);
    *error = text_take(&message);
    return false;
}

/* One more server, and its normal form at the end of hosts. */
static bool take_server(struct connect_string *out, const char *piece, size_t length, struct text *hosts,
                        char **error)
{
    if (out->count == CONNECT_STRING_SERVERS) {
        *error = xstrdup("names more than 64 servers; name fewer: electop finds the others");
        return false;
    }
    struct host_port *server = &out->servers[out->count];
    if (!host_port_parse(piece, length, ZOOKEEPER_PORT, server, error))
        return false;
    char *printed = host_port_print(server);
    text_printf(hosts, "%s%s", out->count > 0 ? "," : "", printed);
    free(printed);
    out->count++;
    return true;
}

bool connect_string_parse(const char *text, struct connect_string *out, char **error)
{
    *out = (struct connect_string){0};
    *error = NULL;
    struct text hosts = {0};
    const char *end = text + strcspn(text, "/");
    if (!check_outline(text, end, error))
        return false;
    out->servers = xcalloc(CONNECT_STRING_SERVERS, sizeof out->servers[0]);
    out->chroot = xstrdup(end);
    bool fine = true;
    for (const char *piece = text, *comma; fine && piece; piece = comma ? comma + 1 : NULL) {
        comma = memchr(piece, ',', (size_t)(end - piece));
        size_t length = (size_t)((comma ? comma : end) - piece);
        if (strspn(piece, " ") >= length)
            fine = connect_string_refuse(error, text, strlen(text),
                                         "contains an empty server name; write host:port,host:port/chroot");
        else
            fine = take_server(out, piece, length, &hosts, error);
    }
    if (fine) {
        out->hosts = text_take(&hosts);
        /* Ten thousand sessions have one each: give back the room of those that were not named. */
        out->servers = xreallocarray(out->servers, out->count, sizeof out->servers[0]);
        return true;
    }
    text_free(&hosts);
    connect_string_free(out);
    return false;
}

void connect_string_free(struct connect_string *string)
{
    for (size_t i = 0; string->servers && i < string->count; i++)
        free(string->servers[i].host);
    free(string->servers);
    free(string->hosts);
    free(string->chroot);
    *string = (struct connect_string){0};
}

char **host_list_parse(const char *text, char **error)
{
    *error = NULL;
    char **list = xcalloc(CONNECT_STRING_SERVERS + 1, sizeof *list);
    size_t count = 0;
    for (const char *piece = text;;) {
        size_t length = strcspn(piece, ",");
        struct host_port server;
        if (count == CONNECT_STRING_SERVERS) {
            *error = xstrdup("there are more than 64 addresses; name fewer");
            goto failed;
        }
        if (!host_port_parse(piece, length, 0, &server, error))
            goto failed;
        list[count++] = host_port_print(&server);
        free(server.host);
        if (!piece[length])
            return list;
        piece += length + 1;
    }
failed:
    host_list_free(list);
    return NULL;
}

void host_list_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}
