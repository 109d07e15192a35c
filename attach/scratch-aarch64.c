/* Not implemented on aarch64: breakpoints need an instruction decoder first. */
#include "attach/scratch.h"

bool sprof_scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address)
{
	return false;
}
