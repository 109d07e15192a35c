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
	};

	assert(end < SPROF_END_COUNT);
	return names[end];
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
