/*
 * model_monkey.h - feeds the model observations that no ZooKeeper would make, and checks that it stays whole.
 *
 * Bytes choose what comes next: lists with other Stats, locks that become directories, reads of what is not
 * there, lost connections, dropped elections. After each observation the model must be consistent with
 * itself, and so must a frozen snapshot from time to time. Prints what is wrong and aborts.
 */
#ifndef ELECTOP_TESTS_SUPPORT_MODEL_MONKEY_H
#define ELECTOP_TESTS_SUPPORT_MODEL_MONKEY_H

#include <stddef.h>
#include <stdint.h>

void model_monkey_run(const uint8_t *bytes, size_t length);

#endif
