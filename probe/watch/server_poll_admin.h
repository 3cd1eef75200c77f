/*
 * server_poll_admin.h - asks a server's AdminServer, once it is proved to be that server's own.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_POLL_ADMIN_H
#define ELECTOP_PROBE_WATCH_SERVER_POLL_ADMIN_H

struct server_poll;

/* This step. server_poll_step_succeeded() or server_poll_way_failed() follows, once (server_poll_state.h). */
void server_poll_ask_adminserver(struct server_poll *);

#endif
