/*
 * Reads, follows and restores the program's mask and action for SIGTRAP. Does not see calls that
 * the program makes without the C library, nor masks that calls such as ppoll(2) set while they
 * run.
 */
#include "attach/breakpoints/signals.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/insert.h"
#include "attach/calls/make-call.h"
#include "attach/resume.h"
#include "attach/stop.h"
#include "base/array.h"
#include "base/proc.h"

enum {
	SIGNALS = 64,
	MASK_SIZE = 8,          /* the kernel's sigset_t */
	CODE_MOST = 8 << 20,    /* C libraries are smaller */
	CODE_READ = 64 << 10,   /* at once */
	SCAN_OVERLAP = 14,      /* the longest code of a call that is followed */
	MASK_CALLS_MOST = 4096, /* of one place: the program is not to be slowed down for ever */
	BELOW_STACK = 256,      /* where nothing is that is in use */
};

/* The kernel's struct sigaction (include/linux/signal_types.h). */
struct action {
	uint64_t handler, flags, restorer, mask;
};

enum { DEFAULT = 0, IGNORED = 1 }; /* handlers: SIG_DFL, SIG_IGN */

struct thread_mask {
	pid_t tid;
	uint64_t mask;
};

struct sprof_trap_signals {
	uint64_t known; /* signals whose action is known */
	struct action actions[SIGNALS + 1];
	bool is_asked;     /* SIGTRAP has a handler that has not been seen to be set */
	bool misses_masks; /* a call is not followed any more */
	/* before the first breakpoint */
	struct thread_mask *masks;
	size_t count, capacity;
};

static bool is_known(const struct sprof_trap_signals *signals, int signal)
{
	return signals->known & sprof_trap_mask_bit(signal);
}

static void set_handler(struct sprof_trap_signals *signals, uint64_t handler)
{
	signals->actions[SIGTRAP] = (struct action){.handler = handler};
	signals->known |= sprof_trap_mask_bit(SIGTRAP);
	signals->is_asked = false;
}

static bool is_ignored(const struct sprof_trap_signals *signals)
{
	return is_known(signals, SIGTRAP) && signals->actions[SIGTRAP].handler == IGNORED;
}

/*
 * Reads the current action, while no trap of ours can come. If a program of several threads ignored
 * SIGTRAP, the kernel no longer knows that.
 */
static void read_action(struct sprof_trap_signals *signals, pid_t pid)
{
	char text[SPROF_PROC_STATUS_MAX];

	if (sprof_proc_status_read(pid, 0, text, sizeof(text)) <= 0)
		return;
	if (sprof_proc_status_has_signal(text, "SigIgn", SIGTRAP)) {
		set_handler(signals, IGNORED);
	} else if (!sprof_proc_status_has_signal(text, "SigCgt", SIGTRAP)) {
		if (!is_ignored(signals))
			set_handler(signals, DEFAULT);
	} else if (!is_known(signals, SIGTRAP) || signals->actions[SIGTRAP].handler <= IGNORED) {
		signals->known &= ~sprof_trap_mask_bit(SIGTRAP);
		signals->is_asked = true;
	}
}

static bool read_mask(pid_t pid, pid_t tid, uint64_t *ret)
{
	char text[SPROF_PROC_STATUS_MAX], mask[32];

	if (sprof_proc_status_read(pid, tid, text, sizeof(text)) <= 0 ||
		!sprof_proc_status_field(text, "SigBlk", mask, sizeof(mask)))
		return false;
	*ret = strtoull(mask, NULL, 16);
	return true;
}

static void read_masks(struct sprof_trap_signals *signals, pid_t pid)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	uint64_t mask;
	pid_t tid;

	while (tasks && (tid = sprof_proc_next_id(tasks))) {
		if (read_mask(pid, tid, &mask) &&
			!SPROF_ARRAY_APPEND(signals->masks, signals->count, signals->capacity,
				(struct thread_mask){tid, mask}))
			break;
	}
	if (tasks)
		closedir(tasks);
}

/*
 * The bytes of `lea disp32(register or rip), register`, which compilers put before a system call;
 * 0: it is none.
 */
static size_t lea_size(const uint8_t *code)
{
	enum { REX_W = 0x48, LEA = 0x8d, MOD = 0xc7, AT_RIP = 0x05, AT_SIB = 0x84, SIZE = 7 };
	const bool is_relative = (code[2] & MOD) == AT_RIP;
	const bool has_distance = (code[2] & 0xc0) == 0x80 && (code[2] & MOD) != AT_SIB;

	return code[0] == REX_W && code[1] == LEA && (is_relative || has_distance) ? SIZE : 0;
}

/*
 * Of code at this address: the calls that are made right after their number is set, or after one
 * lea that follows.
 */
static void follow_calls_in(
	struct sprof_process *process, uint64_t address, const uint8_t *code, size_t size)
{
	static const uint8_t zeros[] = {0, 0, 0}; /* of the number */
	enum { MOV_EAX = 0xb8, BEFORE = 2, MOST = SCAN_OVERLAP - BEFORE };
	const uint8_t *found = code + BEFORE, *const limit = code + size;

	for (; found + MOST <= limit && (found = memmem(found, (size_t)(limit - found), zeros, 3));
		found++) {
		const uint8_t *call = found + sizeof(zeros);
		struct breakpoint *breakpoint;

		if (found + MOST > limit || found[-2] != MOV_EAX ||
			(found[-1] != SYS_rt_sigaction && found[-1] != SYS_rt_sigprocmask))
			continue;
		call += lea_size(call);
		if (call[0] != 0x0f || call[1] != 0x05)
			continue;
		if (sprof_breakpoint_insert(process, address + (uint64_t)(call - code), 0)) {
			breakpoint = sprof_trap_find(
				process->breakpoints, address + (uint64_t)(call - code));
			breakpoint->is_followed = true;
		}
	}
}

static void scan(struct sprof_process *process, const struct sprof_mapping *mapping)
{
	uint8_t *code = malloc(CODE_READ);

	for (uint64_t at = mapping->start; code && at < mapping->end;
		at += CODE_READ - SCAN_OVERLAP) {
		const uint64_t left = mapping->end - at;
		const size_t size = sprof_process_read_memory(process, process->maps.pid, at, code,
			left < CODE_READ ? (size_t)left : CODE_READ);

		follow_calls_in(process, at, code, size);
	}
	free(code);
}

static bool is_scanned(const struct sprof_breakpoints *table, uint64_t start)
{
	for (size_t i = 0; table && i < table->scanned_count; i++) {
		if (table->scanned[i] == start)
			return true;
	}
	return false;
}

static void scan_new_code(struct sprof_process *process)
{
	for (size_t i = 0; i < process->maps.count; i++) {
		const struct sprof_mapping mapping = process->maps.items[i];

		if (!mapping.executable || mapping.end - mapping.start > CODE_MOST ||
			is_scanned(process->breakpoints, mapping.start))
			continue;
		scan(process, &mapping);
		if (process->breakpoints)
			(void)!SPROF_ARRAY_APPEND(process->breakpoints->scanned,
				process->breakpoints->scanned_count,
				process->breakpoints->scanned_capacity, mapping.start);
	}
}

void sprof_trap_signals_begin(struct sprof_process *process)
{
	const struct sprof_breakpoints *table = process->breakpoints;
	const bool is_first = !process->trap_signals;

	if (!sprof_breakpoints_are_possible())
		return;
	if (is_first)
		process->trap_signals = calloc(1, sizeof(*process->trap_signals));
	if (!process->trap_signals)
		return;
	if (is_first)
		read_masks(process->trap_signals, process->pid);
	if (!table || table->is_removed)
		read_action(process->trap_signals, process->pid);
	scan_new_code(process);
}

/* The masks known before the breakpoints were removed for a while may have changed since. */
static struct sprof_trap_masks *masks_of(struct sprof_thread *thread)
{
	const struct sprof_trap_signals *signals = thread->process->trap_signals;
	const struct sprof_breakpoints *table = thread->process->breakpoints;
	struct sprof_trap_masks *masks = &thread->trap_masks;

	if (signals->misses_masks || (table && thread->trap_masks_of != table->restored))
		masks->count = 0;
	if (table)
		thread->trap_masks_of = table->restored;
	for (size_t i = 0; !masks->count && !signals->misses_masks && !thread->trap_masks_of &&
		i < signals->count;
		i++) {
		if (signals->masks[i].tid == thread->tid)
			sprof_trap_masks_note(masks, signals->masks[i].mask);
	}
	return masks;
}

static bool is_mask(int request, pid_t tid, uint64_t *mask)
{
	return !ptrace(request, tid, MASK_SIZE, mask);
}

static bool read_struct(struct sprof_thread *thread, uint64_t address, struct action *ret)
{
	return sprof_process_read_memory(
		       thread->process, thread->tid, address, ret, sizeof(*ret)) == sizeof(*ret);
}

/* rt_sigaction(2) of SIGTRAP, with unused memory of the thread, which is restored afterwards. */
static bool call_action(struct sprof_thread *thread, bool sets, struct action *action)
{
	const struct sprof_breakpoints *table = thread->process->breakpoints;
	struct action before;
	struct sprof_regs regs;
	uint64_t place, result;
	bool done;

	if (!table || !sprof_regs_read(thread->tid, &regs))
		return false;
	place = (regs.values[SPROF_REG_SP] - SPROF_RED_ZONE - BELOW_STACK) & ~UINT64_C(15);
	if (!read_struct(thread, place, &before) ||
		(sets && !sprof_trap_table_write(table, place, action, sizeof(*action))))
		return false;
	done = sprof_thread_make_call(thread, SYS_rt_sigaction,
		       (uint64_t[6]){SIGTRAP, sets ? place : 0, sets ? 0 : place, MASK_SIZE, 0, 0},
		       &result) &&
		(sets || read_struct(thread, place, action));
	return sprof_trap_table_write(table, place, &before, sizeof(before)) && done;
}

/*
 * To ignore a signal discards it where it is pending (kernel/signal.c, do_sigaction): the trap of
 * another thread would be lost. So in a program of several threads the kernel never ignores it, and
 * sprof does.
 */
static void set_action(struct sprof_thread *thread, struct action *action)
{
	if (action->handler != IGNORED || thread->process->threads == 1)
		(void)!call_action(thread, true, action);
}

/* A handler that was there before is seen as long as no trap has removed it. */
static void restore_action(struct sprof_thread *thread, bool is_blocked)
{
	struct sprof_trap_signals *signals = thread->process->trap_signals;
	struct action *action = &signals->actions[SIGTRAP];

	if (signals->is_asked) {
		signals->is_asked = false;
		if (!is_blocked && call_action(thread, false, action))
			signals->known |= sprof_trap_mask_bit(SIGTRAP);
	} else if (is_known(signals, SIGTRAP) && action->handler != DEFAULT &&
		(action->handler == IGNORED || is_blocked)) {
		set_action(thread, action);
	}
}

static bool is_sent(pid_t tid)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, tid, 0, &info) && info.si_signo == SIGTRAP &&
		sprof_stop_trap(&info) == SPROF_TRAP_SENT;
}

void sprof_trap_signals_restore(struct sprof_thread *thread)
{
	struct sprof_trap_masks *masks;
	uint64_t behind, before;
	bool is_blocked;

	if (!thread->process->trap_signals || !is_mask(PTRACE_GETSIGMASK, thread->tid, &behind))
		return;
	masks = masks_of(thread);
	before = sprof_trap_masks_before(masks, behind);
	/*
	 * A trap that found SIGTRAP blocked has reset its action (kernel/signal.c,
	 * force_sig_info_to_task). If the program still has a handler, SIGTRAP was not blocked.
	 */
	if (before != behind && sprof_proc_has_handler(thread->process->pid, SIGTRAP))
		before = behind;
	sprof_trap_masks_note(masks, before);
	if (before != behind)
		(void)!is_mask(PTRACE_SETSIGMASK, thread->tid, &before);
	is_blocked = before & sprof_trap_mask_bit(SIGTRAP);
	/*
	 * A SIGTRAP that was sent while it was blocked: the kernel has taken our trap for the same
	 * signal (kernel/signal.c, legacy_queue). Passed on with the mask of before, it waits
	 * again.
	 */
	if (is_blocked && is_sent(thread->tid))
		thread->signal = SIGTRAP;
	restore_action(thread, is_blocked);
}

/* The thread continues after the call, as if it had made it. */
static void leave_call(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	struct sprof_regs behind = *regs;

	behind.values[SPROF_REG_PC] += SPROF_CALL_INSTRUCTION;
	sprof_regs_end_call(thread->tid, &behind, 0);
	sprof_thread_resume(thread);
}

/*
 * Of SIGTRAP the kernel doesn't know all, see set_action(). False: the thread makes the call
 * itself, and fails.
 */
static bool answer(
	struct sprof_thread *thread, const struct sprof_regs *regs, const uint64_t arguments[6])
{
	const uint64_t never = sprof_trap_mask_bit(SIGKILL) | sprof_trap_mask_bit(SIGSTOP);
	const struct sprof_breakpoints *table = thread->process->breakpoints;
	struct sprof_trap_signals *signals = thread->process->trap_signals;
	const struct action before = signals->actions[SIGTRAP];
	struct action action;

	if ((arguments[1] && !read_struct(thread, arguments[1], &action)) ||
		(arguments[2] &&
			!sprof_trap_table_write(table, arguments[2], &before, sizeof(before))))
		return false;
	if (arguments[1]) {
		action.mask &= ~never;
		signals->actions[SIGTRAP] = action;
		set_action(thread, &action);
	}
	leave_call(thread, regs);
	return true;
}

static bool follow_action(
	struct sprof_thread *thread, const struct sprof_regs *regs, const uint64_t arguments[6])
{
	struct sprof_trap_signals *signals = thread->process->trap_signals;
	const uint64_t signal = arguments[0];

	if (signal == SIGTRAP && is_known(signals, SIGTRAP))
		return answer(thread, regs, arguments);
	if (!signal || signal > SIGNALS || !arguments[1] ||
		!read_struct(thread, arguments[1], &signals->actions[signal]))
		return false;
	signals->known |= sprof_trap_mask_bit((int)signal);
	if (signal == SIGTRAP)
		signals->is_asked = false;
	return false;
}

static void follow_mask(
	struct sprof_thread *thread, struct breakpoint *breakpoint, const uint64_t arguments[6])
{
	struct sprof_trap_signals *signals = thread->process->trap_signals;
	uint64_t set;

	if (arguments[1] && sprof_regs_read_word(thread->tid, arguments[1], &set))
		sprof_trap_masks_change(&thread->trap_masks, arguments[0], set);
	if (++breakpoint->followed < MASK_CALLS_MOST)
		return;
	signals->misses_masks = true;
	breakpoint->is_followed = false;
	sprof_trap_take_out(thread->process->breakpoints, breakpoint);
}

bool sprof_trap_signals_follow(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const struct sprof_trap_signals *signals = thread->process->trap_signals;
	const uint64_t number = regs->values[SPROF_REG_RESULT];
	struct breakpoint *breakpoint =
		sprof_trap_find(thread->process->breakpoints, regs->values[SPROF_REG_PC]);
	uint64_t arguments[6];

	if (!breakpoint || !breakpoint->is_followed)
		return false;
	sprof_regs_parameters(regs, arguments);
	if (signals && number == SYS_rt_sigprocmask)
		follow_mask(thread, breakpoint, arguments);
	if (!signals || number != SYS_rt_sigaction || !follow_action(thread, regs, arguments))
		sprof_breakpoint_pass(thread, regs);
	return true;
}

/* While the handler runs, its mask is blocked, too. */
void sprof_trap_signals_deliver(struct sprof_thread *thread)
{
	struct sprof_trap_signals *signals = thread->process->trap_signals;
	const int signal = thread->signal;
	struct action *action;
	uint64_t mask;

	if (!signals || signal <= 0 || signal > SIGNALS || !is_known(signals, signal))
		return;
	action = &signals->actions[signal];
	if (signal == SIGTRAP && action->handler == IGNORED && is_sent(thread->tid))
		thread->signal = 0;
	if (action->handler <= IGNORED || !is_mask(PTRACE_GETSIGMASK, thread->tid, &mask))
		return;
	mask |= action->mask;
	if (!(action->flags & SA_NODEFER))
		mask |= sprof_trap_mask_bit(signal);
	sprof_trap_masks_note(masks_of(thread), mask);
	if (action->flags & SA_RESETHAND)
		action->handler = DEFAULT;
}

void sprof_trap_signals_born(struct sprof_thread *thread)
{
	uint64_t mask;

	if (thread->process->trap_signals && is_mask(PTRACE_GETSIGMASK, thread->tid, &mask))
		sprof_trap_masks_note(masks_of(thread), mask);
}

void sprof_trap_signals_inherit(const struct sprof_process *parent, struct sprof_process *child)
{
	if (!parent->trap_signals || child->trap_signals)
		return;
	child->trap_signals = malloc(sizeof(*child->trap_signals));
	if (!child->trap_signals)
		return;
	*child->trap_signals = *parent->trap_signals;
	child->trap_signals->masks = NULL;
	child->trap_signals->count = child->trap_signals->capacity = 0;
}

void sprof_trap_signals_exec(struct sprof_thread *thread)
{
	struct sprof_trap_signals *signals = thread->process->trap_signals;

	thread->trap_masks.count = thread->trap_masks_of = 0;
	sprof_trap_signals_born(thread);
	if (!signals)
		return;
	signals->count = 0;
	signals->misses_masks = false;
	signals->known &= sprof_trap_mask_bit(SIGTRAP);
	if (!is_ignored(signals))
		set_handler(signals, DEFAULT);
}

void sprof_trap_signals_forget(struct sprof_process *process)
{
	if (process->trap_signals)
		free(process->trap_signals->masks);
	free(process->trap_signals);
	process->trap_signals = NULL;
}
