/*
 * scenes.h - the situations that every screen must show well.
 */
#ifndef ELECTOP_TESTS_SUPPORT_SCENES_H
#define ELECTOP_TESTS_SUPPORT_SCENES_H

#include "tests/support/stage.h"

/* Elections in every state: vacant, led, not acknowledged, free, absent, denied. */
struct stage *scene_usual(void);
/* What the servers show of who watches whom: a line that is cut, hooked, and partly not known, whole ones
   beside it, and one server of three that does not answer. */
struct stage *scene_chain(void);
/* The same of servers that show nothing, as stock Debian ones. */
struct stage *scene_hidden(void);
/* Three clusters: one well, one whose connection is lost, one never reached. */
struct stage *scene_clusters(void);
/* Names and data that want to break out. */
struct stage *scene_hostile(void);
/* Names as an orchestrator makes them: long, and different only in their last characters, or in the middle. */
struct stage *scene_pods(void);
/* The elections of many tenants: the same five services of each, and long paths that differ in two places;
   eight clients take part in all. */
struct stage *scene_tenants(void);
/* One election of so many candidates. */
struct stage *scene_crowd(size_t candidates);
/* Connected, and nothing found; not connected, and why. */
struct stage *scene_nothing(void);
/* Servers that are not asked: our own session is connected to the first of them. */
struct stage *scene_unasked(void);
struct stage *scene_unreachable(void);

#endif
