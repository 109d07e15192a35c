/*
 * Makes a stopped thread execute a system call with the vDSO's system call instruction, so nothing
 * is written into its code. Does not handle a process without a vDSO. The thread stops at the
 * call's beginning and end; after a single step, the kernel would force SIGTRAP, and so change the
 * program's signal mask and its action for SIGTRAP.
 */
#include "attach/calls/make-call.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "attach/calls/stop.h"
#include "attach/proc/auxv.h"
#include "attach/proc/memory.h"
#include "attach/stop.h"
#include "base/proc-status.h"

enum {
	VDSO_MAX = 16 * 1024,
	PTRACE_MASK_SIZE = 8, /* the kernel's sigset_t */
	STOPS_MAX = 8,        /* those of other kinds may come first */
};

/* 0: there is none. */
static uint64_t find_instruction(const struct sprof_thread *thread)
{
	static const uint8_t instruction[] = {0x0f, 0x05};
	const uint64_t vdso = sprof_auxv_find(thread->process->pid, AT_SYSINFO_EHDR);
	uint8_t bytes[VDSO_MAX];
	const size_t size = vdso ? sprof_memory_read(thread->tid, vdso, bytes, sizeof(bytes)) : 0;
	const uint8_t *found = memmem(bytes, size, instruction, sizeof(instruction));

	return found ? vdso + (uint64_t)(found - bytes) : 0;
}

/* A filter may forbid the call and end the program. */
static bool is_filtered(const struct sprof_thread *thread)
{
	long mode;

	return !sprof_proc_status_read_number(thread->tid, "Seccomp", &mode) || mode;
}

static bool access_registers(int request, pid_t tid, struct user_regs_struct *registers)
{
	struct iovec vector = {.iov_base = registers, .iov_len = sizeof(*registers)};

	return !ptrace(request, tid, NT_PRSTATUS, &vector) && vector.iov_len == sizeof(*registers);
}

/* Its end is left for the target's loop to find. */
static bool wait_for_stop(struct sprof_thread *thread, enum sprof_call_stop *ret)
{
	struct sprof_call_state state;
	struct sprof_stop stop;
	siginfo_t info = {0};
	int status;

	if (waitid(P_PID, (id_t)thread->tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) ||
		info.si_code != CLD_TRAPPED || waitpid(thread->tid, &status, __WALL) != thread->tid)
		return false;
	stop = sprof_stop_classify(status);
	*ret = stop.kind == SPROF_STOP_SYSCALL && sprof_thread_read_call(thread, &state)
		? state.stop
		: SPROF_CALL_NONE;
	if (stop.kind == SPROF_STOP_SIGNAL)
		thread->signal = stop.value;
	return true;
}

static bool go_to_end(struct sprof_thread *thread)
{
	enum sprof_call_stop stop = SPROF_CALL_NONE;

	for (int i = 0; i < STOPS_MAX && stop != SPROF_CALL_EXIT; i++) {
		if (ptrace(PTRACE_SYSCALL, thread->tid, 0, 0) || !wait_for_stop(thread, &stop))
			return false;
	}
	return stop == SPROF_CALL_EXIT;
}

static struct user_regs_struct call_of(const struct user_regs_struct *registers,
	uint64_t instruction, int64_t number, const uint64_t arguments[6])
{
	struct user_regs_struct call = *registers;

	call.rip = instruction;
	call.rax = (uint64_t)number;
	call.orig_rax = UINT64_MAX; /* it is in no system call */
	call.rdi = arguments[0];
	call.rsi = arguments[1];
	call.rdx = arguments[2];
	call.r10 = arguments[3];
	call.r8 = arguments[4];
	call.r9 = arguments[5];
	return call;
}

static bool run(struct sprof_thread *thread, struct user_regs_struct *call, uint64_t *ret)
{
	if (!access_registers(PTRACE_SETREGSET, thread->tid, call) || !go_to_end(thread) ||
		!access_registers(PTRACE_GETREGSET, thread->tid, call))
		return false;
	*ret = call->rax;
	return call->rax < UINT64_MAX - 4095; /* errno values are above */
}

bool sprof_thread_make_call(
	struct sprof_thread *thread, int64_t number, const uint64_t arguments[6], uint64_t *ret)
{
	const uint64_t instruction = find_instruction(thread), all = UINT64_MAX;
	const pid_t tid = thread->tid;
	struct user_regs_struct registers, call;
	uint64_t mask;
	bool done;

	if (!instruction || is_filtered(thread) ||
		!access_registers(PTRACE_GETREGSET, tid, &registers) ||
		ptrace(PTRACE_GETSIGMASK, tid, PTRACE_MASK_SIZE, &mask) ||
		ptrace(PTRACE_SETSIGMASK, tid, PTRACE_MASK_SIZE, &all))
		return false;
	call = call_of(&registers, instruction, number, arguments);
	done = run(thread, &call, ret);
	(void)!access_registers(PTRACE_SETREGSET, tid, &registers);
	ptrace(PTRACE_SETSIGMASK, tid, PTRACE_MASK_SIZE, &mask);
	return done;
}
