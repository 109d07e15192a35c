/*
 * Prepares to detach a thread. answer.c detaches; attach/tracers/watch.c chooses threads for
 * another tracer.
 */
#include "attach/leave.h"

#include <sys/ptrace.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/regs/regs.h"
#include "attach/tracers/program.h"

/*
 * If the file can't be read, uses the registers (arch/x86/kernel/ptrace.c, user_x86_32_view). x32
 * programs are recognised by the file only: their registers are the 64-bit ones.
 */
static bool is_narrow(const struct sprof_thread *thread)
{
	struct sprof_regs regs;
	unsigned long message;

	if (sprof_program_has_other_word_size(thread->process->pid))
		return true;
	/* The message can be read as long as the thread exists. */
	return !sprof_regs_read(thread->tid, &regs) &&
		!ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &message);
}

void sprof_target_leave(struct sprof_target *target, struct sprof_thread *thread)
{
	target->left |= target->launched && thread->tid == target->pid;
	thread->phase = SPROF_THREAD_LEAVING;
	sprof_breakpoints_let_go(thread->process);
	sprof_event_queue_put_now(&target->events,
		(struct sprof_event){
			.kind = SPROF_EVENT_ENDED, .thread = thread, .former_tid = thread->tid});
}

bool sprof_target_leaves_narrow(struct sprof_target *target, struct sprof_thread *thread)
{
	if (!is_narrow(thread))
		return false;
	sprof_target_note_name(
		thread->process->pid, target->programs.narrow, sizeof(target->programs.narrow));
	sprof_target_leave(target, thread);
	return true;
}
