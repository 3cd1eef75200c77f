/*
 * report_scene.h - reports that are written down, for tests of the forms in which they are told.
 */
#ifndef ELECTOP_TESTS_SUPPORT_REPORT_SCENE_H
#define ELECTOP_TESTS_SUPPORT_REPORT_SCENE_H

#include "probe/report/report.h"

/* 2026-11-20, 12:00 to 14:03:22.104 UTC: elections with every cause, intervals that are open, vacancies,
   gaps, missed changes and findings; one that is quiet, a lock, one that nobody watched, in two clusters. */
struct report *report_scene_usual(void);
/* The first of them alone. */
struct report *report_scene_one(void);
/* Names, identities and evidence that want to break out of every form. */
struct report *report_scene_hostile(void);
/* One election with so many changes of leader in a day, among so many leaders. */
struct report *report_scene_crowd(size_t changes, size_t leaders);
/* Nothing was recorded in the window. */
struct report *report_scene_empty(void);

#endif
