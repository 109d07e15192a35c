/*
 * Every switch of the target's threads, and where their own code stood when they left a CPU. The kernel
 * writes both down; it stops and wakes nobody. Threads and processes that are born later are covered
 * too.
 *
 * Switches and places have rings of their own: a place takes a hundred times as many bytes, and when
 * threads switch often, places are lost first, and the times stay exact.
 */
#ifndef SPROF_EVENTS_SWITCH_LOG_H
#define SPROF_EVENTS_SWITCH_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf-registers.h"
#include "events/perf-rings.h"

struct sprof_switch_log_plan {
	/* also where they stood; that takes CAP_PERFMON, or a perf_event_paranoid below 2 */
	bool places;
	/* who inherits the recording: threads that a covered thread starts, and processes */
	bool threads, processes;
};

/* Zeroed is accepted by finish(). */
struct sprof_switch_log {
	struct sprof_switch_log_plan plan;
	struct sprof_perf_rings switches, places;
};

enum sprof_switch_kind {
	SPROF_SWITCH_OFF,
	SPROF_SWITCH_ON,
	SPROF_SWITCH_PLACE, /* of the OFF that follows, up to some microseconds later */
	SPROF_SWITCH_GAP,   /* any switch may be missing, from since_ns to time_ns */
};

struct sprof_switch_record {
	enum sprof_switch_kind kind;
	pid_t tid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	bool preempted;   /* OFF: it could have gone on */
	uint64_t since_ns, lost;
	struct sprof_perf_user user; /* PLACE; its stack is valid during the call only */
};

typedef void (*sprof_switch_taker)(void *data, const struct sprof_switch_record *record);

/* Whether our own thread could be recorded that way. */
SPROF_MUST_USE bool sprof_switch_log_is_permitted(
	const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial);

/* No thread is covered yet. False: finish it all the same. */
SPROF_MUST_USE bool sprof_switch_log_begin(struct sprof_switch_log *log,
	const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial);
void sprof_switch_log_finish(struct sprof_switch_log *log);

/* Covers a thread, and those that will inherit it. */
SPROF_MUST_USE bool sprof_switch_log_cover(
	struct sprof_switch_log *log, pid_t tid, struct sprof_perf_denial *ret_denial);

/* Gives what has come since the last call: switches CPU by CPU, and then places CPU by CPU. */
void sprof_switch_log_read(struct sprof_switch_log *log, sprof_switch_taker take, void *data);

#endif
