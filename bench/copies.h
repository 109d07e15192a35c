/*
 * Stack copies of a process, taken as the sampler takes them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/proc/maps.h"
#include "unwind/snapshot.h"

struct copies {
	struct sprof_snapshot *items;
	size_t count;
	uint8_t *buffer; /* as large as the largest copy: where they are walked, as fresh from the
			    kernel */
	size_t largest;
};

/*
 * Seizes the process's first thread and takes `wanted` copies, `period_ns` apart; fewer when it
 * ends. The thread stands still from the last one on, for as long as we live. False: it can't be
 * seized, or there is no memory.
 */
bool copies_take(struct copies *copies, pid_t pid, const struct sprof_maps *maps, size_t wanted,
	uint64_t period_ns);

/* The copy at index, moved into the buffer. Good until the next one is. */
struct sprof_snapshot copies_load(struct copies *copies, size_t index);

void copies_finish(struct copies *copies);
