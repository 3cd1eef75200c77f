/*
 * connect_string.h - parses ZooKeeper's connect strings: "zk1:2181,[::1]:2181/chroot".
 *
 * A missing port is 2181, as in ZooKeeper's own clients. Names are not resolved here.
 * An error is a text with the reason and the remedy; the caller frees it. When an allocation
 * fails, *error is NULL.
 */
#ifndef ELECTOP_CONFIG_CONNECT_STRING_H
#define ELECTOP_CONFIG_CONNECT_STRING_H

#include <stdbool.h>
#include <stddef.h>

#define ZOOKEEPER_PORT 2181
#define CONNECT_STRING_SERVERS 64 /* at most */

struct host_port {
    char *host; /* a name or an address; IPv6 without brackets */
    int port;
};

struct connect_string {
    struct host_port *servers;
    size_t count; /* at least 1 */
    char *hosts;  /* the same as one text, every port said, IPv6 in brackets, no chroot */
    char *chroot; /* "/a/b", or "" */
};

bool connect_string_parse(const char *text, struct connect_string *out, char **error);
void connect_string_free(struct connect_string *string);

/*
 * One "host:port" of length bytes. default_port 0: a port must be given. out->host is malloc'd.
 */
bool host_port_parse(const char *text, size_t length, int default_port, struct host_port *out, char **error);

/* A name, or an IPv4 or IPv6 address without brackets, that may precede a port and has no other meaning in a
   URL. */
bool host_is_valid(const char *host, size_t length);

/*
 * "host:port,host:port" as a NULL-terminated list of texts in normal form ("[::1]:8080"), malloc'd, with
 * host_list_free(). A port must be given. NULL on failure.
 */
char **host_list_parse(const char *text, char **error);
void host_list_free(char **list);

/* "host:port", IPv6 in brackets; malloc'd. */
char *host_port_print(const struct host_port *server);

#endif
