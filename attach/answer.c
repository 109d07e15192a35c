/* Answers an event: the thread continues, or is reaped or detached and forgotten. */
#include <sys/ptrace.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/calls/mend.h"
#include "attach/calls/stop.h"
#include "attach/dispatch.h"
#include "attach/target-internal.h"
#include "attach/tracers/watch.h"

void sprof_target_release(struct sprof_target *target, struct sprof_thread *thread)
{
	pid_t tid = thread->tid;

	if (thread->phase == SPROF_THREAD_ENDED)
		sprof_dispatch_reap(target, thread->tid);
	else if (thread->phase == SPROF_THREAD_LEAVING)
		ptrace(PTRACE_DETACH, thread->tid, 0, thread->signal);
	sprof_target_forget(target, thread);
	sprof_watch_let_go(target, tid);
}

void sprof_event_answer(struct sprof_target *target, const struct sprof_event *event)
{
	struct sprof_regs regs;

	if (event->kind == SPROF_EVENT_ENDED)
		sprof_target_release(target, event->thread);
	else if (event->kind == SPROF_EVENT_BORN || event->kind == SPROF_EVENT_DELIVERED)
		return;
	else if (event->kind == SPROF_EVENT_HELD && event->held == SPROF_HELD_BREAKPOINT)
		sprof_breakpoint_pass(event->thread, &event->regs);
	else if (event->kind == SPROF_EVENT_CALL)
		sprof_thread_resume_call(event->thread, event->thread->resumption);
	else if (event->thread && event->thread->phase == SPROF_THREAD_STOPPED &&
		!event->thread->held_for) {
		if (event->kind == SPROF_EVENT_STOPPED)
			(void)!sprof_thread_mend(event->thread, true, &regs);
		/* Cancels the step: later nothing would handle its trap. */
		if (event->thread->passing)
			sprof_breakpoint_stepped(event->thread);
		sprof_thread_resume(event->thread);
	}
}
