/*
 * What perf-prof's users write and one process does not have: why, and what to use.
 */
#ifndef SPROF_EVENTS_REFUSALS_H
#define SPROF_EVENTS_REFUSALS_H

#include <stddef.h>

/* A sentence about an event "group:name"; NULL: nothing is known about it. */
const char *sprof_refusal_of_event(const char *name, size_t length);

/* The same for an option of perf-prof, such as "-C" or "--cgroups". */
const char *sprof_refusal_of_option(const char *option);

#endif
