/*
 * inquiry_admin.h - asks a server's AdminServer, once it is proved to be that server's own.
 */
#ifndef ELECTOP_PROBE_SOURCE_INQUIRY_ADMIN_H
#define ELECTOP_PROBE_SOURCE_INQUIRY_ADMIN_H

struct inquiry;

/* This step. inquiry_step_succeeded() or inquiry_way_failed() follows, once (inquiry_round.h). */
void inquiry_ask_adminserver(struct inquiry *);

#endif
