/*
 * Makes a stopped thread execute one mmap(2) with the vDSO's system call instruction, so nothing is
 * written into its code. Does not handle a process without a vDSO.
 */
#include "attach/scratch.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "attach/auxv.h"
#include "attach/memory.h"
#include "attach/stop.h"
#include "base/proc-status.h"

enum {
	VDSO_MAX = 16 * 1024,
	PTRACE_MASK_SIZE = 8, /* the kernel's sigset_t */
	STEPS_MAX = 8,        /* stops of other kinds may come first */
	FAR = 512 << 20,      /* likely free, and well within 2 GiB */
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
static bool wait_for_stop(pid_t tid, bool *ret_is_step)
{
	siginfo_t info = {0};
	int status;

	if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) ||
		info.si_code != CLD_TRAPPED || waitpid(tid, &status, __WALL) != tid)
		return false;
	*ret_is_step = sprof_stop_classify(status).kind == SPROF_STOP_SIGNAL &&
		!ptrace(PTRACE_GETSIGINFO, tid, 0, &info) &&
		sprof_stop_trap(&info) == SPROF_TRAP_STEP;
	return true;
}

static bool step(pid_t tid)
{
	bool is_step = false;

	for (int i = 0; i < STEPS_MAX && !is_step; i++) {
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) || !wait_for_stop(tid, &is_step))
			return false;
	}
	return is_step;
}

static struct user_regs_struct call_of(
	const struct user_regs_struct *registers, uint64_t instruction, uint64_t hint, size_t size)
{
	struct user_regs_struct call = *registers;

	call.rip = instruction;
	call.rax = SYS_mmap;
	call.orig_rax = UINT64_MAX; /* it is in no system call */
	call.rdi = hint;
	call.rsi = size;
	call.rdx = PROT_READ | PROT_EXEC;
	call.r10 = MAP_PRIVATE | MAP_ANONYMOUS;
	call.r8 = UINT64_MAX;
	call.r9 = 0;
	return call;
}

static bool call_mmap(pid_t tid, struct user_regs_struct *call, uint64_t *ret)
{
	if (!access_registers(PTRACE_SETREGSET, tid, call) || !step(tid) ||
		!access_registers(PTRACE_GETREGSET, tid, call))
		return false;
	*ret = call->rax;
	return call->rax < UINT64_MAX - 4095; /* errno values are above */
}

bool sprof_scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address)
{
	const uint64_t instruction = find_instruction(thread),
		       all = ~(UINT64_C(1) << (SIGTRAP - 1));
	const uint64_t hint = (near > 2 * (uint64_t)FAR ? near - FAR : near + FAR) & ~0xfffULL;
	const pid_t tid = thread->tid;
	struct user_regs_struct registers, call;
	uint64_t mask;
	bool done;

	if (!instruction || is_filtered(thread) ||
		!access_registers(PTRACE_GETREGSET, tid, &registers) ||
		ptrace(PTRACE_GETSIGMASK, tid, PTRACE_MASK_SIZE, &mask) ||
		ptrace(PTRACE_SETSIGMASK, tid, PTRACE_MASK_SIZE, &all))
		return false;
	call = call_of(&registers, instruction, hint, size);
	done = call_mmap(tid, &call, ret_address);
	(void)!access_registers(PTRACE_SETREGSET, tid, &registers);
	ptrace(PTRACE_SETSIGMASK, tid, PTRACE_MASK_SIZE, &mask);
	return done;
}
