/*
 * The threads to stop in a tick, and the copy made of each.
 */
#pragma once

#include "sampler/sampled.h"
#include "sampler/stack/copy.h"
#include "sampler/stop/hop.h"

/* One thread to sample. */
struct ask {
	struct sprof_thread *thread;
	struct known_cpu cpu; /* where it ran last; number -1: not known */
	bool wants_figures;   /* reads them too, as soon as they are exact */
};

enum slot_phase {
	SLOT_PLANNED,
	SLOT_ASKED,  /* to stop in this tick */
	SLOT_QUEUED, /* asked, perhaps ticks ago; it waits for a CPU to stop on */
	SLOT_COPIED,
	SLOT_FAILED, /* its registers could not be read, or the slot is too small by now */
	SLOT_ASLEEP, /* it went to sleep before it was asked */
	SLOT_GONE,   /* the thread has ended, or runs another program now */
};

struct slot {
	struct ask ask;
	enum slot_phase phase;
	bool awaited;   /* asked in this tick, which waits for its stop */
	bool near;      /* awaited by spinning: it runs on another CPU than ours */
	bool may_visit; /* near, and we may go to its CPU to ask it */
	bool has_reading;
	unsigned distance; /* of its CPU from ours */
	uint64_t requested_ns;
	struct sprof_snapshot snapshot;
	struct reading reading;
	struct ledger_look look; /* right after the stop */
	struct copy_buffer buffer;
};

/* Zeroed is empty and valid. */
struct slots {
	struct slot *items;
	size_t count, capacity;
	uint64_t since_ns; /* when the first slot was added */
	struct slot spare; /* for a stop that belongs to no slot */
};

/* Slots in a row: [first, last). */
struct slot_group {
	struct slot *first, *last;
	bool contended; /* another program may use their CPU */
};

void sprof_slots_finish(struct slots *slots);

/*
 * Adds a slot, with room for the thread's stack, and an interpreter's frames, in it and in the
 * spare one. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_slots_add(
	struct slots *slots, const struct sprof_world *world, const struct ask *ask);
/* Returns NULL if the thread has no slot. */
struct slot *sprof_slots_find(const struct slots *slots, const struct sprof_thread *thread);
/*
 * Takes the spare slot. Returns NULL if it is in use or too small; nothing is allocated while a
 * thread stands still.
 */
struct slot *sprof_slots_use_spare(struct slots *slots, const struct ask *ask);

bool sprof_slot_group_has(const struct slot_group *group, const struct slot *slot);
bool sprof_slot_group_is_awaited(const struct slot_group *group);
bool sprof_slot_group_is_asked(const struct slot_group *group);
/* Those that were asked and have not come wait for a CPU. */
void sprof_slot_group_queue_rest(const struct slot_group *group);
/* Stops that have not come by now come later. */
void sprof_slot_group_give_up(const struct slot_group *group);

/*
 * order.c: the order in which a tick stops its threads, and the CPU to stop them from: the threads
 * of one CPU together.
 */
struct stop_order {
	struct sprof_hop *hop;
	bool crowded;              /* other programs want CPUs, and none is idle */
	struct sprof_cpu_set busy; /* CPUs that any of the threads ran on */
	/* real-time threads leave us no time there: threads on them are stopped from another CPU */
	struct sprof_cpu_set taken;
	/* those with a pinned real-time thread: also taken at the next tick */
	struct sprof_cpu_set taken_for_good;
	struct slot *end;        /* of the last group */
	struct slot_group group; /* the present group */
};

/* Sorts the slots, and moves to a free CPU if that helps. `crowded`: there is none. */
void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, bool crowded, struct sprof_hop *hop);

/*
 * Goes on to the next CPU's group, and moves to the CPU to stop it from. Returns false if there is
 * none.
 */
bool sprof_stop_order_next(struct stop_order *order);
