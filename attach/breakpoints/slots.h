/* Memory in a target where instructions replaced by breakpoints run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/breakpoints/displace.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* For one memory. Zeroed is empty; the owner sets `memory`. */
struct sprof_code_slots {
	int memory; /* /proc/PID/mem, writable; owned by the caller */
	struct sprof_code_slot_area {
		uint64_t start, size, used;
	} * areas;
	size_t count, capacity;
	unsigned tries; /* failed attempts to get memory near enough */
};

/* For a thread held at a breakpoint. */
struct sprof_code_slot_request {
	struct sprof_thread *thread;
	uint64_t address;
	const struct sprof_displaced *displaced; /* a COPY */
	/* a code mapping of a file, with padding; NULL: none */
	const struct sprof_mapping *padded;
};

/*
 * Writes the copy where the thread can execute it. Returns 0 if there is no place, or out of
 * memory.
 */
SPROF_MUST_USE uint64_t sprof_code_slots_write(
	struct sprof_code_slots *slots, const struct sprof_code_slot_request *request);

/*
 * A child has a copy of the memory as of its birth: slots mapped or written since are not
 * inherited. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_code_slots_inherit(
	const struct sprof_code_slots *parent, struct sprof_code_slots *child);
bool sprof_code_slots_have(const struct sprof_code_slots *slots, uint64_t slot);

void sprof_code_slots_finish(struct sprof_code_slots *slots);
