/*
 * subject_registry.h - the directory that leaders of an election acknowledge in: its list, its entries, its
 * watch.
 */
#ifndef ELECTOP_PROBE_SOURCE_SUBJECT_REGISTRY_H
#define ELECTOP_PROBE_SOURCE_SUBJECT_REGISTRY_H

struct subject;

void subject_registry_init(struct subject *);
/* Reads all of it, and sets its watch; nothing while that is under way. */
void subject_registry_list(struct subject *);

#endif
