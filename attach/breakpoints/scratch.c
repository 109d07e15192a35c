/*
 * Memory for code in a target, by an mmap(2) of its own thread.
 */
#include "attach/breakpoints/scratch.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "attach/calls/make-call.h"

enum { FAR = 512 << 20 }; /* likely free, and well within 2 GiB */

bool sprof_scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address)
{
	const uint64_t hint = (near > 2 * (uint64_t)FAR ? near - FAR : near + FAR) & ~0xfffULL;
	const uint64_t arguments[] = {
		hint, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0};

	return sprof_thread_make_call(thread, SYS_mmap, arguments, ret_address);
}
