/*
 * A set of CPUs, such as those that are online.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

struct sprof_cpus {
	int *items; /* ascending */
	size_t count, capacity;
};

/*
 * Parses the kernel's list format, "0-3,5,8-9" (Documentation/admin-guide/cputopology.rst). Returns
 * false if malformed or out of memory. Finish `ret` in both cases.
 */
SPROF_MUST_USE bool sprof_cpus_parse(const char *text, struct sprof_cpus *ret);

void sprof_cpus_finish(struct sprof_cpus *cpus);
