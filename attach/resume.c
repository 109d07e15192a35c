/* The ptrace requests that stop and resume a thread. Does not handle the resulting stops. */
#include "attach/resume.h"

#include <assert.h>
#include <sys/ptrace.h>

#include "base/clock.h"

bool sprof_thread_interrupt(struct sprof_thread *thread)
{
	assert(thread->phase == SPROF_THREAD_RUNNING || thread->phase == SPROF_THREAD_LISTENING);
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
		return false;
	thread->phase = SPROF_THREAD_INTERRUPTED;
	return true;
}

/* The C libraries disagree about the type of a request. */
static int request_of(const struct sprof_thread *thread)
{
	if (thread->remainder.is_on)
		return PTRACE_SYSCALL;
	switch (thread->resumption) {
	case SPROF_RESUME_TO_CALL:
		return PTRACE_SYSCALL;
	case SPROF_RESUME_ONE_STEP:
		return PTRACE_SINGLESTEP;
	case SPROF_RESUME_CONTINUE:
		break;
	}
	return PTRACE_CONT;
}

void sprof_thread_resume(struct sprof_thread *thread)
{
	uint64_t now_ns;

	if (thread->group_stop) {
		ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
		thread->phase = SPROF_THREAD_LISTENING;
	} else {
		/* The list of moments may grow, so it waits until the thread runs. */
		now_ns = thread->keeps_resumes ? sprof_clock_now_ns() : 0;
		ptrace(request_of(thread), thread->tid, 0, thread->signal);
		sprof_thread_note_resume(thread, now_ns);
		thread->phase = SPROF_THREAD_RUNNING;
	}
	thread->signal = 0;
	thread->group_stop = false;
	/* It was marked to leave while stopped: it does so at its next stop. */
	if (thread->leaving)
		(void)!sprof_thread_interrupt(thread);
}

void sprof_thread_resume_to_signal(struct sprof_thread *thread)
{
	const bool listens = thread->group_stop, leaving = thread->leaving;

	/* Another interrupt would come before the signal. */
	thread->leaving = false;
	sprof_thread_resume(thread);
	thread->leaving = leaving;
	if (!listens)
		thread->phase = SPROF_THREAD_INTERRUPTED;
}

/* In the other order, a call interrupted by the first interrupt could report this before the second
 * interrupt arrives. */
void sprof_thread_resume_to_stop(struct sprof_thread *thread)
{
	bool is_asked = !thread->group_stop && !ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);

	sprof_thread_resume(thread);
	if (!is_asked)
		is_asked = !ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	/* If it is gone, its end is reported separately. */
	if (is_asked)
		thread->phase = SPROF_THREAD_INTERRUPTED;
}
