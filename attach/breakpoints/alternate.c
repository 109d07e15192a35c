/*
 * Reads the alternate stack with a system call in the thread, because no file of /proc shows it.
 * The kernel writes the answer into memory that the thread does not use; the old content is
 * restored.
 */
#include "attach/breakpoints/alternate.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/insert.h"
#include "attach/calls/make-call.h"

enum { BELOW_STACK = 256 };

static bool read_at(const struct sprof_breakpoints *table, uint64_t place, stack_t *ret)
{
	return pread(table->memory, ret, sizeof(*ret), (off_t)place) == sizeof(*ret);
}

bool sprof_alternate_stack_read(struct sprof_thread *thread, const struct sprof_regs *regs,
	struct sprof_alternate_stack *ret)
{
	const struct sprof_breakpoints *table = thread->process->breakpoints;
	const uint64_t place =
		(regs->values[SPROF_REG_SP] - SPROF_RED_ZONE - BELOW_STACK) & ~UINT64_C(15);
	stack_t before, answer;
	uint64_t result;
	bool done;

	if (!table || !read_at(table, place, &before))
		return false;
	done = sprof_thread_make_call(
		       thread, SYS_sigaltstack, (uint64_t[6]){0, place, 0, 0, 0, 0}, &result) &&
		read_at(table, place, &answer);
	if (!sprof_trap_table_write(table, place, &before, sizeof(before)) || !done)
		return false;
	*ret = (struct sprof_alternate_stack){0};
	if (answer.ss_flags & SS_DISABLE)
		return true;
	ret->low = (uint64_t)answer.ss_sp;
	ret->high = ret->low + answer.ss_size;
	return true;
}
