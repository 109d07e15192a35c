/* Events of perf-prof that don't apply to a single process: the reason, and an alternative. */
#pragma once

#include <stddef.h>

/* A sentence about an event "group:name"; NULL: none. */
const char *sprof_refusal_of_event(const char *name, size_t length);
