/*
 * The threads to be stopped in a tick, and what was copied from each.
 */
#ifndef SPROF_SAMPLER_SLOTS_H
#define SPROF_SAMPLER_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "sampler/copy.h"
#include "unwind/unwind.h"

struct sprof_thread;

enum slot_phase {
	SLOT_PLANNED,
	SLOT_ASKED,  /* to stop, in this tick */
	SLOT_QUEUED, /* asked, perhaps ticks ago, and waits for a CPU to stop on */
	SLOT_COPIED,
	SLOT_FAILED, /* it stopped, and was gone before its registers could be read */
	SLOT_ASLEEP, /* it has gone to sleep before it was asked, and is peeked at */
	SLOT_GONE,   /* the thread has ended, or runs another program now */
};

/* What is known of a thread before its stop. */
struct slot_before {
	int cpu; /* where it ran last */
};

struct slot {
	struct sprof_thread *thread;
	struct slot_before before;
	enum slot_phase phase;
	bool awaited;      /* asked in this tick, which waits for it */
	bool near;         /* awaited awake: it runs on a CPU, and we on another one */
	unsigned distance; /* of its CPU from ours */
	uint64_t requested_ns;
	struct sprof_snapshot snapshot;
	struct copy_buffer buffer;
};

/* Zeroed is empty and valid. */
struct slots {
	struct slot *items;
	size_t count, capacity;
	uint64_t since_ns; /* when the first of them was added */
	struct slot spare; /* for a stop that none of them waits for */
};

/* Some of them, in a row: [first, last). */
struct slot_group {
	struct slot *first, *last;
	bool contended; /* another program may have their CPU */
};

void sprof_slots_finish(struct slots *slots);

/* One more, with room for the thread's stack in it and in the spare one. False: no memory. */
bool sprof_slots_add(
	struct slots *slots, struct sprof_thread *thread, const struct slot_before *before);
/* NULL: the thread has none. */
struct slot *sprof_slots_find(const struct slots *slots, const struct sprof_thread *thread);
/* The spare one; NULL: it is in use, or too small, and nothing is allocated while a thread stands still. */
struct slot *sprof_slots_use_spare(struct slots *slots, struct sprof_thread *thread);

/* It has stopped, and goes on. */
bool sprof_slot_is_copied(const struct slot *slot);

bool sprof_slot_group_has(const struct slot_group *group, const struct slot *slot);
bool sprof_slot_group_is_awaited(const struct slot_group *group);
bool sprof_slot_group_is_asked(const struct slot_group *group);
/* One of them had the CPU; the others have to wait for it, which is no pause of ours. */
void sprof_slot_group_queue_rest(const struct slot_group *group);
/* What has not come by now comes when it can. */
void sprof_slot_group_give_up(const struct slot_group *group);

#endif
