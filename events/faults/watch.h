/*
 * The page fault events of all threads, and the number of faults that a record of each event
 * represents.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"
#include "events/faults/threads.h"
#include "events/perf/event.h"
#include "events/perf/rings.h"

enum { SPROF_FAULT_KINDS = 2 };

/* Set `period`; zero the rest before init(). */
struct sprof_fault_watch {
	uint64_t period; /* the constant period; 0: it varies, as a power of two */
	bool follows_children;
	bool is_of_users_only; /* the kernel permits faults in user code only */
	struct perf_event_attr attributes[SPROF_FAULT_KINDS];
	struct sprof_perf_rings rings;
	struct sprof_idmap kinds; /* (0, event id) -> kind and period */
	bool out_of_memory;
};

/*
 * Checks what the kernel permits. Returns false if refused, or out of memory. Finish it in both
 * cases.
 */
SPROF_MUST_USE bool sprof_fault_watch_init(struct sprof_fault_watch *watch, bool follow_children,
	struct sprof_perf_denial *ret_denial);
void sprof_fault_watch_finish(struct sprof_fault_watch *watch);

/* Opens events for all threads. Returns the number of threads that lack an event on some CPU. */
uint32_t sprof_fault_watch_open(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period);
/*
 * Opens all events again with another period. Returns false, and keeps the former period, if some
 * can't be opened.
 */
SPROF_MUST_USE bool sprof_fault_watch_change(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period);

/* The number and kind of faults that a record represents; zero if its event was closed. */
struct sprof_fault_count sprof_fault_watch_weight(
	const struct sprof_fault_watch *watch, const struct sprof_perf_record *record);
