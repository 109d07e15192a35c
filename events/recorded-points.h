/*
 * All perf events of a run: opened for threads or for the machine, with rings that they share.
 */
#ifndef SPROF_EVENTS_RECORDED_POINTS_H
#define SPROF_EVENTS_RECORDED_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/perf-rings.h"
#include "events/recorded-point.h"

struct sprof_recorded_points {
	struct sprof_recorded_wants wants; /* what its pointers lead to stays the caller's */
	struct sprof_perf_rings rings;
	struct sprof_recorded_point *items;
	size_t count, capacity;
	struct sprof_idmap by_id; /* (0, the kernel's id of an event) -> place in items */
	/* Opened for single threads that inherit nothing; of those that are still there. */
	struct sprof_recorded_opened {
		pid_t tid;
		size_t point; /* in items */
		size_t index; /* in the rings' descriptors */
		uint64_t id;
	} * opened;
	size_t opened_count, opened_capacity;
	size_t enabled;     /* of the rings' descriptors */
	uint32_t unwatched; /* events of threads that could not be opened */
	uint32_t refused;   /* uprobes of threads that can't be at their instruction */
	bool out_of_memory;
};

/* The types of the begin and the end of any call. */
uint32_t sprof_recorded_calls(void);

/*
 * Whether events of a type are recorded. A call's begin and end tell about each other, so both are if
 * one is wanted.
 */
bool sprof_recorded_has_type(const struct sprof_recorded_wants *wants, enum sprof_trace_type type);

/* Whether a call of this number is recorded. */
bool sprof_recorded_has_call(const struct sprof_recorded_wants *wants, int64_t number);

/*
 * Finds all points and asks the kernel whether they may be opened. `follow_children`: processes inherit
 * them as threads do. False: one of them may not, or there is no memory (OTHER with errno 0): *ret_type
 * is whose it is. Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_recorded_points_init(struct sprof_recorded_points *points,
	const struct sprof_recorded_wants *wants, bool follow_children,
	enum sprof_trace_type *ret_type, struct sprof_perf_denial *ret_denial);
void sprof_recorded_points_finish(struct sprof_recorded_points *points);

/* What was opened begins to record, all of it at once: opening takes long. */
void sprof_recorded_points_enable(struct sprof_recorded_points *points);

/* Opens those of the machine; those of a thread; those that a new thread has neither inherited nor got
 * already. */
void sprof_recorded_points_watch_machine(struct sprof_recorded_points *points);
void sprof_recorded_points_watch_thread(struct sprof_recorded_points *points, pid_t tid);
void sprof_recorded_points_watch_newborn(struct sprof_recorded_points *points, pid_t tid);

/*
 * Adds a probe that was not among those that were wanted; it outlives the points. Nobody is watched
 * yet, and the kernel is not asked: probes are permitted, or none is. False: there are none here, or
 * there is no memory; nothing was added.
 */
SPROF_MUST_USE bool sprof_recorded_points_add_probe(struct sprof_recorded_points *points,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial);
/* Opens the point that was added last for a thread. */
void sprof_recorded_points_watch_added(struct sprof_recorded_points *points, pid_t tid);

/* A thread has ended, and its records have been read: closes what was opened for it alone. */
void sprof_recorded_points_end_thread(struct sprof_recorded_points *points, pid_t tid);

/* Whether something is recorded in user code only, because the kernel permits no more. */
bool sprof_recorded_points_see_users_only(const struct sprof_recorded_points *points);

/* The point that gave a record; NULL: none did. */
const struct sprof_recorded_point *sprof_recorded_points_find(
	const struct sprof_recorded_points *points, const struct sprof_perf_record *record);

#endif
