/* All perf events of a run, opened per thread or for the machine, and their shared rings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/perf/rings.h"
#include "events/recorded/point.h"

struct sprof_recorded_points {
	struct sprof_recorded_wants wants; /* the pointers inside must stay valid */
	struct sprof_perf_rings rings;
	struct sprof_recorded_point *items;
	size_t count, capacity;
	struct sprof_idmap by_id; /* (0, event id) -> index in `items` */
	/* Events of single, living threads that are not inherited. */
	struct sprof_recorded_opened {
		pid_t tid;
		size_t point; /* index in `items` */
		size_t index; /* index in the rings' descriptors */
		uint64_t id;
	} * opened;
	size_t opened_count, opened_capacity;
	size_t enabled;     /* number of the rings' descriptors */
	uint32_t unwatched; /* thread events that could not be opened */
	uint32_t refused;   /* thread uprobes that can't be at their instruction */
	uint32_t late;      /* threads and programs that had begun when their uprobes were opened */
	bool out_of_memory;
};

/* The types for begin and end of any system call, as a bit mask. */
uint32_t sprof_recorded_calls(void);

/*
 * Whether a type is recorded. Begin and end of system calls depend on each other: if one is wanted,
 * both are recorded.
 */
bool sprof_recorded_has_type(const struct sprof_recorded_wants *wants, enum sprof_trace_type type);

bool sprof_recorded_has_call(const struct sprof_recorded_wants *wants, int64_t number);

/*
 * Finds all points and checks that the kernel permits them. `follow_children`: child processes
 * inherit them as threads do. On false, *ret_type is the refused type; out of memory is OTHER with
 * errno 0. Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_recorded_points_init(struct sprof_recorded_points *points,
	const struct sprof_recorded_wants *wants, bool follow_children,
	enum sprof_trace_type *ret_type, struct sprof_perf_denial *ret_denial);
void sprof_recorded_points_finish(struct sprof_recorded_points *points);

/* Enables all opened events at one moment, because opening takes long. */
void sprof_recorded_points_enable(struct sprof_recorded_points *points);

/*
 * Open the machine's events; a thread's events; a new thread's events that it did not inherit or
 * get before.
 */
void sprof_recorded_points_watch_machine(struct sprof_recorded_points *points);
void sprof_recorded_points_watch_thread(struct sprof_recorded_points *points, pid_t tid);
void sprof_recorded_points_watch_newborn(
	struct sprof_recorded_points *points, pid_t pid, pid_t tid);

/*
 * Adds a probe, which must outlive the points. Opens nothing yet, and does not check permission:
 * either all probes are permitted, or none. Returns false, and adds nothing, if unsupported or out
 * of memory.
 */
SPROF_MUST_USE bool sprof_recorded_points_add_probe(struct sprof_recorded_points *points,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial);
/* Opens the last added point for a thread. */
void sprof_recorded_points_watch_added(struct sprof_recorded_points *points, pid_t tid);

/*
 * A thread has ended, and its records have been read: closes what was opened for it alone. With a
 * process's pid, its program is over, too.
 */
void sprof_recorded_points_end_thread(struct sprof_recorded_points *points, pid_t tid);

/* Whether some events are recorded in user code only, because the kernel permits no more. */
bool sprof_recorded_points_see_users_only(const struct sprof_recorded_points *points);

/* The point that produced a record; NULL: unknown. */
const struct sprof_recorded_point *sprof_recorded_points_find(
	const struct sprof_recorded_points *points, const struct sprof_perf_record *record);
