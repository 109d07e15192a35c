/*
 * Chooses what a stopped thread's system call needs: nothing, a restart (restart.c), or its rest
 * (remainder.c). Does not handle stops before or after a call, which interrupt nothing.
 */
#include "attach/calls/mend.h"

#include <signal.h>

#include "attach/calls/remainder.h"
#include "attach/calls/restart.h"
#include "base/proc-status.h"

/*
 * Whether the signal breaks off calls without a tracer, too: it has a handler, stops the process or
 * ends it.
 */
static bool breaks_off(pid_t tid, int signal)
{
	char text[SPROF_PROC_STATUS_MAX];

	if (!signal)
		return false;
	if (sprof_proc_status_read(tid, 0, text, sizeof(text)) <= 0 ||
		sprof_proc_status_has_signal(text, "SigCgt", signal))
		return true;
	if (sprof_proc_status_has_signal(text, "SigIgn", signal))
		return false;
	return signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH;
}

/* A process that is stopped: that has interrupted its threads' calls. */
static bool is_interrupted(const struct sprof_thread *thread)
{
	return thread->group_stop || breaks_off(thread->tid, thread->signal);
}

static void end_remainder(struct sprof_thread *thread)
{
	struct sprof_regs_place place;

	sprof_remainder_end(thread);
	if (!sprof_regs_kernel_restarts() && thread->signal)
		(void)sprof_rewinds_handle(&thread->rewinds, &thread->remainder.regs, &place);
}

bool sprof_thread_mend(struct sprof_thread *thread, bool timed_too, struct sprof_regs *ret)
{
	if (thread->remainder.is_on) {
		*ret = thread->remainder.regs;
		if (is_interrupted(thread))
			end_remainder(thread);
		return true;
	}
	if (!sprof_regs_read(thread->tid, ret))
		return false;
	thread->thread_pointer = ret->thread_pointer;
	if (sprof_restart_repair(thread->tid, ret,
		    &(struct sprof_restart){
			    timed_too, thread->filtered, thread->signal, &thread->rewinds}))
		thread->restarted = true;
	else if (sprof_remainder_is_possible(ret) && !is_interrupted(thread) &&
		(sprof_regs_kernel_restarts() || sprof_rewinds_allow(&thread->rewinds, ret)))
		sprof_remainder_begin(thread, ret);
	return true;
}
