/*
 * session_listener.h - callbacks of a session (session.h), other than answers.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_LISTENER_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_LISTENER_H

#include <stdbool.h>

#include "probe/election/observation.h" /* enum connection_state */

/* The notifications of a one-shot watch. */
enum session_notice { NOTICE_CREATED, NOTICE_DELETED, NOTICE_CHANGED, NOTICE_CHILDREN };

struct session_listener {
    /*
     * The session's state changed. After CONNECTED with renewed = true (a new session) every watch is gone
     * and must be set again. With renewed = false the same session has returned and the library has set its
     * watches again, but changes in between may be missing: read again.
     */
    void (*state)(void *context, enum connection_state, bool renewed, const char *problem);
    /* An attempt to connect failed, or a look-up of its names, or the connection was lost. May be NULL.
     * Called more often than state(), as often as the back-off between attempts allows. */
    void (*failed)(void *context, const char *problem);
    /* A server sent an invalid reply, which ended the connection; called after failed(). what: "children
     * count -1 in 88 bytes". May be NULL. */
    void (*bad_reply)(void *context, const char *server, const char *what);
    /*
     * The servers refused a read of path (list: of its children) twice for a reason unrelated to the znode,
     * such as overload. The read is repeated; its answer arrives as usual. path NULL: all have been answered.
     * May be NULL. Not called for reads that end with the connection.
     */
    void (*refused)(void *context, const char *path, bool list, const char *problem);
    /* A list of path has a child whose name no request can carry: ZooKeeper refuses it. Lists are passed on
     * without such children. May be NULL. Called for the first of each list; name NULL: this list has none, or
     * there is no such directory. */
    void (*misnamed)(void *context, const char *path, const char *name);
    /* Input is about to be read. May be NULL. session_silent_us() shows whether the server was stalled
     * before. */
    void (*reading)(void *context);
    /* A watch fired. Each watch of this session, from any caller, is reported here, once. */
    void (*notice)(void *context, enum session_notice, const char *path);
    /* The number of child watches has changed. May be NULL. Only if the session counts them. */
    void (*child_watches)(void *context);
};

#endif
