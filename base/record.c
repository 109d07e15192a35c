/*
 * The names of the vocabulary's enums, as reports and JSON show them.
 */
#include "base/record.h"

#include <assert.h>

const char *sprof_end_name(enum sprof_end end)
{
	static const char *const names[SPROF_END_COUNT] = {
		[SPROF_END_ROOT] = "root",
		[SPROF_END_DEPTH] = "depth",
		[SPROF_END_STACK_COPY] = "stack-copy",
		[SPROF_END_NO_CFI] = "no-cfi",
		[SPROF_END_NO_MODULE] = "no-module",
		[SPROF_END_BAD_MEMORY] = "bad-memory",
		[SPROF_END_NO_PROGRESS] = "no-progress",
		[SPROF_END_REGISTER] = "register",
		[SPROF_END_DENIED] = "denied",
	};

	assert(end < SPROF_END_COUNT);
	return names[end];
}

const char *sprof_merge_name(enum sprof_merge merge)
{
	static const char *const names[SPROF_MERGE_COUNT] = {
		[SPROF_MERGE_NONE] = "none",
		[SPROF_MERGE_MERGED] = "merged",
		[SPROF_MERGE_VERSION] = "version",
		[SPROF_MERGE_NO_STATE] = "no-state",
		[SPROF_MERGE_NOT_READ] = "not-read",
		[SPROF_MERGE_TORN] = "torn",
		[SPROF_MERGE_NATIVE] = "native",
		[SPROF_MERGE_MISMATCH] = "mismatch",
		[SPROF_MERGE_SWITCH] = "switch",
	};

	assert(merge < SPROF_MERGE_COUNT);
	return names[merge];
}

const char *sprof_state_name(enum sprof_state state)
{
	static const char *const names[SPROF_STATE_COUNT] = {
		[SPROF_STATE_USER] = "user",
		[SPROF_STATE_SYS] = "sys",
		[SPROF_STATE_SLEEP] = "sleep",
		[SPROF_STATE_DISK] = "disk",
		[SPROF_STATE_STOPPED] = "stopped",
	};

	assert(state < SPROF_STATE_COUNT);
	return names[state];
}

bool sprof_state_is_blocked(enum sprof_state state)
{
	return state == SPROF_STATE_SLEEP || state == SPROF_STATE_DISK ||
		state == SPROF_STATE_STOPPED;
}

const char *sprof_mode_name(enum sprof_mode mode)
{
	static const char *const names[SPROF_MODE_COUNT] = {
		[SPROF_MODE_WALL] = "wall",
		[SPROF_MODE_CPU] = "cpu",
		[SPROF_MODE_WAIT] = "wait",
	};

	assert(mode < SPROF_MODE_COUNT);
	return names[mode];
}

bool sprof_mode_takes(enum sprof_mode mode, enum sprof_state state)
{
	bool runs = state == SPROF_STATE_USER || state == SPROF_STATE_SYS;

	return mode == SPROF_MODE_WALL || runs == (mode == SPROF_MODE_CPU);
}

bool sprof_mode_counts(enum sprof_mode mode, enum sprof_time_class class)
{
	bool runs = class == SPROF_TIME_USER || class == SPROF_TIME_SYS;

	/* A thread that waits for a CPU neither runs nor is blocked. */
	if (class == SPROF_TIME_RUNQ || class == SPROF_TIME_STOLEN)
		return mode == SPROF_MODE_WALL;
	return mode == SPROF_MODE_WALL || runs == (mode == SPROF_MODE_CPU);
}

const char *sprof_wait_kind_name(enum sprof_wait_kind kind)
{
	static const char *const names[SPROF_WAIT_KIND_COUNT] = {
		[SPROF_WAIT_KIND_NONE] = "-",
		[SPROF_WAIT_KIND_IO] = "io",
		[SPROF_WAIT_KIND_LOCK] = "lock",
		[SPROF_WAIT_KIND_TIME] = "time",
		[SPROF_WAIT_KIND_CHILD] = "child",
		[SPROF_WAIT_KIND_IDLE] = "idle",
		[SPROF_WAIT_KIND_EVENT] = "event",
		[SPROF_WAIT_KIND_OTHER] = "other",
	};

	assert(kind < SPROF_WAIT_KIND_COUNT);
	return names[kind];
}

const char *sprof_lock_kind_name(enum sprof_lock_kind kind)
{
	static const char *const names[SPROF_LOCK_COUNT] = {
		[SPROF_LOCK_UNKNOWN] = "lock",
		[SPROF_LOCK_MUTEX] = "mutex",
		[SPROF_LOCK_CONDITION] = "condition variable",
		[SPROF_LOCK_RWLOCK] = "rwlock",
		[SPROF_LOCK_BARRIER] = "barrier",
		[SPROF_LOCK_JOIN] = "join",
		[SPROF_LOCK_SEMAPHORE] = "semaphore",
		[SPROF_LOCK_INTERPRETER] = "interpreter lock",
		[SPROF_LOCK_PYTHON] = "Python lock",
		[SPROF_LOCK_RUST] = "Rust lock",
		[SPROF_LOCK_PARKING] = "parking_lot lock",
	};

	assert(kind < SPROF_LOCK_COUNT);
	return names[kind];
}
