/*
 * Places in a target where the instructions run that breakpoints hide.
 */
#ifndef SPROF_ATTACH_CODE_SLOTS_H
#define SPROF_ATTACH_CODE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/displace.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* Of one memory. Zeroed is empty; its owner sets the file. */
struct sprof_code_slots {
	int memory; /* /proc/PID/mem, to be written; the caller's */
	struct sprof_code_slot_area {
		uint64_t start, size, used;
	} * areas;
	size_t count, capacity;
	unsigned tries; /* that gave no memory near enough */
};

/* A thread is held at a breakpoint. */
struct sprof_code_slot_request {
	struct sprof_thread *thread;
	uint64_t address;
	const struct sprof_displaced *displaced; /* a COPY */
	const struct sprof_mapping *padded;      /* code of a file, which has padding; NULL: none */
};

/* Writes the copy where the thread can run it. 0: there is no such place, or no memory. */
SPROF_MUST_USE uint64_t sprof_code_slots_write(
	struct sprof_code_slots *slots, const struct sprof_code_slot_request *request);

/*
 * A child has a copy of the memory as it was at its birth: what has been mapped or written since is not
 * in it, and is not taken over. False: no memory.
 */
SPROF_MUST_USE bool sprof_code_slots_inherit(
	const struct sprof_code_slots *parent, struct sprof_code_slots *child);
/* Whether this slot is there. */
bool sprof_code_slots_have(const struct sprof_code_slots *slots, uint64_t slot);

void sprof_code_slots_finish(struct sprof_code_slots *slots);

#endif
