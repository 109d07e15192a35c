/*
 * Not implemented on aarch64: only breakpoints need it, and they need an instruction decoder first.
 */
#include "attach/calls/make-call.h"

bool sprof_thread_make_call(
	struct sprof_thread *thread, int64_t number, const uint64_t arguments[6], uint64_t *ret)
{
	return false;
}
