/*
 * All context switches of the target's threads, with the user code position at each switch-out. The
 * kernel records both, without stopping or waking a thread. Threads and processes created later are
 * covered as well.
 *
 * Switches and positions have separate rings: a position takes a hundred times more bytes, so with
 * frequent switches positions are lost first, and times stay exact.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf/registers.h"
#include "events/perf/rings.h"

struct sprof_switch_log_plan {
	/* also record positions: needs CAP_PERFMON, or perf_event_paranoid below 2 */
	bool places;
	/* what inherits the recording: new threads, new processes */
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
	SPROF_SWITCH_PLACE, /* belongs to the OFF that follows within some microseconds */
	SPROF_SWITCH_GAP,   /* switches between since_ns and time_ns may be missing */
};

struct sprof_switch_record {
	enum sprof_switch_kind kind;
	pid_t tid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	bool preempted;   /* OFF: it was still runnable */
	uint64_t since_ns, lost;
	struct sprof_perf_user user; /* PLACE; the stack is valid during the call */
};

typedef void (*sprof_switch_taker)(void *data, const struct sprof_switch_record *record);

/* Whether sprof's own thread could be recorded like this. */
SPROF_MUST_USE bool sprof_switch_log_is_permitted(
	const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial);

/* Covers no thread yet. On false, finish it all the same. */
SPROF_MUST_USE bool sprof_switch_log_begin(struct sprof_switch_log *log,
	const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial);
void sprof_switch_log_finish(struct sprof_switch_log *log);

/* Covers a thread, and the threads and processes that inherit from it. */
SPROF_MUST_USE bool sprof_switch_log_cover(
	struct sprof_switch_log *log, pid_t tid, struct sprof_perf_denial *ret_denial);

/*
 * Passes the records since the last call to the taker: switches CPU by CPU, then positions CPU by
 * CPU.
 */
void sprof_switch_log_read(struct sprof_switch_log *log, sprof_switch_taker take, void *data);
