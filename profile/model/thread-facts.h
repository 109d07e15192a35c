/* The fields of struct sprof_thread_facts by name: one table for all readers and writers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

/* "own_pid", "voluntary_switches", ...; NULL after the last. */
const char *sprof_fact_name(size_t index);
/* Returns false if unknown for this thread. */
bool sprof_fact_get(const struct sprof_thread_facts *facts, size_t index, uint64_t *ret);
void sprof_fact_set(struct sprof_thread_facts *facts, size_t index, uint64_t value);

/* All fields unknown. */
struct sprof_thread_facts sprof_facts_none(void);
