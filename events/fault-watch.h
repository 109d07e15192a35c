/*
 * The events of page faults: which threads have them, and for how many faults each of their records
 * stands.
 */
#ifndef SPROF_EVENTS_FAULT_WATCH_H
#define SPROF_EVENTS_FAULT_WATCH_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"
#include "events/fault-threads.h"
#include "events/perf-event.h"
#include "events/perf-rings.h"

enum { SPROF_FAULT_KINDS = 2 };

/* Zeroed, with a period, before init(). */
struct sprof_fault_watch {
	uint64_t period; /* that never changes; 0: it may, and is a power of two */
	bool follows_children;
	bool is_of_users_only; /* the kernel permits no more */
	struct perf_event_attr attributes[SPROF_FAULT_KINDS];
	struct sprof_perf_rings rings;
	struct sprof_idmap kinds; /* (0, the kernel's id of an event) -> its kind, and its period */
	bool out_of_memory;
};

/* Asks the kernel what it permits. False: refused, or no memory; finish it all the same. */
SPROF_MUST_USE bool sprof_fault_watch_init(struct sprof_fault_watch *watch, bool follow_children,
	struct sprof_perf_denial *ret_denial);
void sprof_fault_watch_finish(struct sprof_fault_watch *watch);

/* Watches all threads that there are. Returns how many of them miss an event on some CPU. */
uint32_t sprof_fault_watch_open(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period);
/* The same with another period. False: not all of them could be watched so; the former period stays. */
SPROF_MUST_USE bool sprof_fault_watch_change(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period);

/* How many faults of which kind a record stands for. None, if it is of an event that was given up. */
struct sprof_fault_count sprof_fault_watch_weight(
	const struct sprof_fault_watch *watch, const struct sprof_perf_record *record);

#endif
