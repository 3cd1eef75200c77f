/*
 * session_listener.h - callbacks of a session (session.h), besides answers.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_LISTENER_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_LISTENER_H

#include <stdbool.h>

#include "probe/election/observation.h" /* enum connection_state */

/* What a one-shot watch brought. */
enum session_notice { NOTICE_CREATED, NOTICE_DELETED, NOTICE_CHANGED, NOTICE_CHILDREN };

struct session_listener {
    /*
     * The session's state changed. After CONNECTED with renewed = true every watch is gone and must be
     * set again (a new session); with renewed = false the same session came back and the library has set
     * its watches again, but what changed in between may have gone unseen: read again.
     */
    void (*state)(void *context, enum connection_state, bool renewed, const char *problem);
    /* An attempt to connect failed, or a look-up of its names, or the connection was lost; may be NULL. The
       state changes less often, and the back-off between attempts bounds how often this comes. */
    void (*failed)(void *context, const char *problem);
    /* A server sent a reply that is no ZooKeeper reply, which ended the connection; after failed(). what:
       "children count -1 in 88 bytes". May be NULL. */
    void (*bad_reply)(void *context, const char *server, const char *what);
    /*
     * The servers would not answer a read of path (list: of its children) for a reason that says nothing of
     * the znode, such as an overload, and would not when it was asked again. It goes on being asked; its
     * answer comes as any other. path NULL: all have been answered by now. May be NULL. It is not called for
     * reads that end with the connection.
     */
    void (*refused)(void *context, const char *path, bool list, const char *problem);
    /* Input is about to be read; may be NULL. session_silent_us() shows whether the server was stalled
       before it came. */
    void (*reading)(void *context);
    /* A watch fired. Each watch of this session, from any caller, arrives here, once. */
    void (*notice)(void *context, enum session_notice, const char *path);
    /* Another number of watches on children is set than before; may be NULL. Where the session counts them.
     */
    void (*child_watches)(void *context);
};

#endif
