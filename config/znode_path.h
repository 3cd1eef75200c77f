/*
 * znode_path.h - paths of znodes, and patterns of them, checked by ZooKeeper's own rules.
 *
 * The rules are those of PathUtils.validatePath (ZooKeeper 3.5 to 3.9): a leading slash, no trailing one,
 * no empty, "." or ".." components, none of the characters U+0000-U+001F, U+007F-U+009F, U+D800-U+F8FF,
 * U+FFF0-U+FFFF; and, because Java sees them as surrogates, none above U+FFFF.
 *
 * A pattern is a path whose components may contain * (any run of characters, also none) and ? (one
 * character). Neither matches a slash, so a pattern has as many components as its matches.
 */
#ifndef ELECTOP_CONFIG_ZNODE_PATH_H
#define ELECTOP_CONFIG_ZNODE_PATH_H

#include <stdbool.h>

#define ZNODE_PATH_MAX 4096 /* bytes; ZooKeeper itself has no limit but the size of a packet */

/*
 * The error of a path (or pattern) and its remedy, as a static text fit to follow the path in a
 * message: "ends in a slash; leave it out". NULL: it is well formed. "/" is.
 */
const char *znode_path_problem(const char *path);

/* ZooKeeper takes this as one component of a path. A server that lists another lies about its children: no
 * request can name it. */
bool znode_name_is_valid(const char *name);

bool znode_is_pattern(const char *path);

/* Does the whole path match the whole pattern? */
bool znode_pattern_match(const char *pattern, const char *path);

/* As people order paths and names: by bytes, but numbers within them by their value ("/shard-2" before
   "/shard-10"). Less than, equal to (the same text only) or greater than 0. */
int znode_path_compare(const char *one, const char *two);

/* chroot ("" or "/a") and a path below it, as one full path: "/a" and "/" give "/a". malloc'd. */
char *znode_path_join(const char *chroot, const char *path);

#endif
