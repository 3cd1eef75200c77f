/*
 * json_back.h - JSON that was written, read back by another's reader. What is none fails the running cmocka
 * test, as does an object that has a key twice.
 */
#ifndef ELECTOP_TESTS_SUPPORT_JSON_BACK_H
#define ELECTOP_TESTS_SUPPORT_JSON_BACK_H

#include <jansson.h>

#include "probe/json/buffer.h"

/* The caller lets go of it (json_decref). It may be any value. */
json_t *json_back(const char *bytes, size_t length);
json_t *json_back_of(const struct buffer *);

#endif
