/* The rows of a profile grouped by thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_by_thread {
	uint32_t *rows; /* row indices; a thread's rows keep their order */
	size_t *first;  /* by thread: start index in `rows`; one more at the end */
};

/* Returns false if out of memory. */
bool sprof_by_thread_build(const struct sprof_profile *profile, struct sprof_by_thread *ret);
void sprof_by_thread_finish(struct sprof_by_thread *order);
