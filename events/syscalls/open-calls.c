/*
 * The system calls of one thread. If a signal handler leaves by longjmp(3), the interrupted call
 * never returns; it is reported as EINTR when the thread ends or its entry is needed.
 *
 * An interrupted call returns one of the kernel's internal errors (include/linux/errno.h). If a
 * handler runs, its calls follow; rt_sigreturn(2) then "returns" the interrupted call's result:
 * EINTR, or the register with the call's number if it restarts (arch/x86/kernel/signal.c). Without
 * a handler, the call restarts at once, with its own number or as restart_syscall(2). For calls
 * that always return EINTR, such as epoll_wait(2), sprof forces a restart if only a stop or an
 * ignored signal woke them (attach/calls/restart.h).
 */
#include "events/syscalls/open-calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	ERRNO_MAX = 4095,
	KERNEL_ERESTARTSYS = 512,
	KERNEL_ERESTARTNOINTR = 513,
	KERNEL_ERESTARTNOHAND = 514,
	KERNEL_ERESTART_RESTARTBLOCK = 516,
};

uint32_t sprof_call_native_arch(void)
{
#if defined(__x86_64__)
	return AUDIT_ARCH_X86_64;
#else
	return AUDIT_ARCH_AARCH64;
#endif
}

bool sprof_call_is_native(const struct sprof_call *call)
{
	return !call->arch || call->arch == sprof_call_native_arch();
}

bool sprof_call_result_is_error(int64_t result)
{
	return result < 0 && result >= -ERRNO_MAX;
}

static struct open_call *top_of(struct open_calls *open)
{
	return open->depth ? &open->calls[open->depth - 1] : NULL;
}

static bool is_native(uint32_t arch, int64_t number, int64_t wanted)
{
	return number == wanted && (!arch || arch == sprof_call_native_arch());
}

static bool is_broken_off(const struct sprof_call_state *state)
{
	if (!state->is_error)
		return false;
	switch (-state->result) {
	case KERNEL_ERESTARTSYS:
	case KERNEL_ERESTARTNOINTR:
	case KERNEL_ERESTARTNOHAND:
	case KERNEL_ERESTART_RESTARTBLOCK:
		return true;
	default:
		return false;
	}
}

/* Whether the entry is the call again. */
static bool goes_on(const struct open_call *call, const struct open_calls_stop *entry)
{
	const struct sprof_call_state *state = entry->state;
	bool is_same = state->number == call->number && state->sp == call->sp;
	bool is_restart = is_native(state->arch, state->number, SYS_restart_syscall);

	switch (call->state) {
	case CALL_GOES_ON:
		return is_restart && call->was_before;
	case CALL_BROKEN:
		return is_same || is_restart;
	case CALL_INTERRUPTED:
		return is_same && entry->is_restarted;
	case CALL_RESUMES:
		return is_same;
	case CALL_IN_HANDLER:
		break;
	}
	return false;
}

static struct sprof_call describe(
	const struct open_call *call, enum sprof_call_ending ending, uint64_t now_ns)
{
	struct sprof_call described = {
		.arch = call->arch,
		.number = call->number,
		.begin_ns = call->begin_ns,
		.end_ns = now_ns,
		.was_before = call->was_before,
		.ending = ending,
		.stack = call->stack,
	};

	memcpy(described.arguments, call->arguments, sizeof(described.arguments));
	return described;
}

static enum sprof_call_ending return_of(const struct open_call *call)
{
	return call->was_before ? SPROF_CALL_UNDER_WAY : SPROF_CALL_RETURNED;
}

/* It ended when it was broken off. */
static struct sprof_call describe_interrupted(const struct open_call *call)
{
	struct sprof_call described = describe(call, return_of(call), call->broken_ns);

	described.result = -EINTR;
	described.is_error = true;
	return described;
}

static void drop_oldest(struct open_calls *open)
{
	memmove(&open->calls[0], &open->calls[1], --open->depth * sizeof(open->calls[0]));
}

bool sprof_open_calls_settle(
	struct open_calls *open, const struct open_calls_stop *entry, struct sprof_call *ret)
{
	const struct open_call *top = top_of(open);

	if (!top || goes_on(top, entry))
		return false;
	if (top->state == CALL_INTERRUPTED) {
		*ret = describe_interrupted(top);
		open->depth--;
		return true;
	}
	if (open->depth == OPEN_CALLS_DEPTH && top->state != CALL_GOES_ON) {
		*ret = describe_interrupted(&open->calls[0]);
		drop_oldest(open);
		return true;
	}
	return false;
}

static void push(struct open_calls *open, const struct open_calls_stop *entry)
{
	const struct sprof_call_state *state = entry->state;
	struct open_call *call = &open->calls[open->depth];

	*call = (struct open_call){
		.arch = state->arch,
		.number = state->number,
		.sp = state->sp,
		.begin_ns = entry->now_ns,
		/* A restart of a call that was not seen. */
		.was_before =
			!open->depth && is_native(state->arch, state->number, SYS_restart_syscall),
	};
	memcpy(call->arguments, state->arguments, sizeof(call->arguments));
	open->depth++;
}

enum open_calls_entry sprof_open_calls_enter(
	struct open_calls *open, const struct open_calls_stop *entry)
{
	struct open_call *top = top_of(open);
	enum open_calls_entry result = OPEN_CALLS_BEGINS;

	if (top && goes_on(top, entry)) {
		top->state = CALL_GOES_ON;
		return OPEN_CALLS_GOES_ON;
	}
	if (top && top->state == CALL_GOES_ON) {
		open->depth--;
		result = OPEN_CALLS_BEGINS_UNSEEN;
	} else if (top) {
		top->state = CALL_IN_HANDLER;
	}
	push(open, entry);
	return result;
}

void sprof_open_calls_found(struct open_calls *open, const struct open_call *call)
{
	open->calls[0] = *call;
	open->depth = 1;
}

static void break_off(struct open_call *call, enum call_break state, uint64_t now_ns)
{
	call->state = state;
	call->broken_ns = now_ns;
}

/* The call under a handler that returns now. */
static void resume(struct open_calls *open, const struct open_calls_stop *exit)
{
	struct open_call *below = top_of(open);
	const int64_t result = exit->state->result;

	/* The register of the number, or of the first argument, where both are one (arm64). */
	if (below && below->state == CALL_IN_HANDLER &&
		(result == below->number || (uint64_t)result == below->arguments[0]))
		below->state = CALL_RESUMES;
}

bool sprof_open_calls_leave(
	struct open_calls *open, const struct open_calls_stop *exit, struct sprof_call *ret)
{
	struct open_call *top = top_of(open);
	bool is_return;

	if (!top || top->state != CALL_GOES_ON)
		return false;
	/* Its result is the register of the code that the signal interrupted. */
	is_return = is_native(top->arch, top->number, SYS_rt_sigreturn);
	if (!is_return && is_broken_off(exit->state)) {
		break_off(top, CALL_BROKEN, exit->now_ns);
		return false;
	}
	if (!is_return && exit->state->is_error && exit->state->result == -EINTR) {
		break_off(top, CALL_INTERRUPTED, exit->now_ns);
		return false;
	}
	*ret = describe(top, return_of(top), exit->now_ns);
	ret->result = exit->state->result;
	ret->is_error = exit->state->is_error && !is_return;
	open->depth--;
	if (is_return)
		resume(open, exit);
	return true;
}

bool sprof_open_calls_returned(
	struct open_calls *open, const struct open_calls_stop *exit, struct sprof_call *ret)
{
	const struct open_call *top = top_of(open);

	if (!top || top->state != CALL_IN_HANDLER || exit->state->result != -EINTR)
		return false;
	*ret = describe_interrupted(top);
	open->depth--;
	return true;
}

/* A kill interrupts a call, too, but the program never sees that. */
static bool has_returned(const struct open_call *call, enum sprof_call_ending ending)
{
	return call->state == CALL_IN_HANDLER ||
		(call->state == CALL_INTERRUPTED && ending != SPROF_CALL_CUT);
}

bool sprof_open_calls_close(struct open_calls *open, enum sprof_call_ending ending, uint64_t now_ns,
	struct sprof_call *ret)
{
	const struct open_call *top = top_of(open);

	if (!top)
		return false;
	*ret = has_returned(top, ending) ? describe_interrupted(top)
					 : describe(top, ending, now_ns);
	open->depth--;
	return true;
}

bool sprof_open_calls_present(
	const struct open_calls *open, uint64_t now_ns, struct sprof_call *ret)
{
	const struct open_call *top = open->depth ? &open->calls[open->depth - 1] : NULL;

	if (!top || top->state != CALL_GOES_ON)
		return false;
	*ret = describe(top, SPROF_CALL_OPEN, now_ns);
	return true;
}

void sprof_open_calls_set_stack(struct open_calls *open, uint32_t stack)
{
	top_of(open)->stack = stack;
}

/* Only the execve call stays open. */
void sprof_open_calls_executed(struct open_calls *open)
{
	const struct open_call *top = top_of(open);

	if (top && top->state != CALL_GOES_ON) {
		open->depth = 0;
	} else if (top) {
		open->calls[0] = *top;
		open->depth = 1;
	}
}
