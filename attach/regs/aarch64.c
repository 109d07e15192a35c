/*
 * Registers of aarch64: the kernel's struct user_regs_struct and the DWARF numbers. Does not handle
 * 32-bit code.
 */
#include "attach/regs/regs.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "attach/proc/procfs.h"
#include "base/proc.h"

enum { NUMBER = 8 }; /* the register of a call's number */

static const uint32_t call_instruction = 0xd4000001; /* svc #0 */

/* Calls that hardly anybody makes without having to wait. */
static bool is_made_to_wait(int64_t number)
{
	static const int16_t calls[] = {SYS_nanosleep, SYS_clock_nanosleep, SYS_futex, SYS_ppoll,
		SYS_pselect6, SYS_wait4, SYS_waitid, SYS_rt_sigsuspend, SYS_accept, SYS_accept4,
		SYS_flock, SYS_msgrcv, SYS_mq_timedreceive};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i] == number)
			return true;
	}
	return false;
}

/*
 * NT_ARM_SYSTEM_CALL: the thread's system call, or -1 (arch/arm64/kernel/ptrace.c). The kernel
 * forgets it at a stop caused by a signal or PTRACE_INTERRUPT; then the code is examined, because
 * no call changes the register with its number. A thread in user code may also be at such a place.
 * After the instruction, it has just left the call. Before it, it counts as in the call only if
 * that is likely.
 */
static void read_calls(pid_t tid, struct sprof_regs *regs)
{
	const int64_t last = (int32_t)regs->values[NUMBER];
	int number = -1;
	struct iovec vector = {.iov_base = &number, .iov_len = sizeof(number)};
	uint64_t code;

	if (!ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &vector))
		regs->system_call = number;
	if (regs->system_call >= 0 ||
		!sprof_regs_read_word(
			tid, regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION, &code))
		return;
	if ((uint32_t)code == call_instruction)
		regs->system_call = last;
	else if (code >> 32 == call_instruction && is_made_to_wait(last))
		regs->system_call = regs->coming_call = last;
}

bool sprof_regs_from_core(const void *bytes, size_t size, struct sprof_regs *ret)
{
	struct user_regs_struct user;

	/* 32-bit code has another register layout (arch/arm64/kernel/ptrace.c,
	 * user_aarch32_view). */
	if (size != sizeof(user))
		return false;
	memcpy(&user, bytes, size);
	*ret = (struct sprof_regs){
		.known = ((uint64_t)1 << SPROF_REG_COUNT) - 1,
		.system_call = -1,
		.coming_call = -1,
	};
	memcpy(ret->values, user.regs, sizeof(user.regs));
	ret->values[SPROF_REG_SP] = user.sp;
	ret->values[SPROF_REG_PC] = user.pc;
	return true;
}

bool sprof_regs_read(pid_t tid, struct sprof_regs *ret)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector) ||
		!sprof_regs_from_core(&user, vector.iov_len, ret))
		return false;
	read_calls(tid, ret);
	return true;
}

bool sprof_regs_kernel_restarts(void)
{
	return false;
}

/*
 * The same mask as NT_ARM_PAC_MASK, which ptrace gives only for a stopped thread. XPACLRI removes
 * the signature from x30, and does nothing on a machine that can't sign (Arm ARM, C6.2). Bits 55
 * and up are an address's range and tag, never its signature
 * (arch/arm64/include/asm/pointer_auth.h, ptrauth_user_pac_mask).
 */
uint64_t sprof_regs_signature_mask(void)
{
	const uint64_t all = ((uint64_t)1 << 55) - 1;
	register uint64_t stripped __asm__("x30") = all;

	/* XPACLRI by number: older assemblers lack the name */
	__asm__("hint #7" : "+r"(stripped));
	return all & ~stripped;
}

/*
 * The kernel has decided before the stop (arch/arm64/kernel/signal.c, do_signal): for a call that
 * it restarts, the pc is at the instruction again, with the first argument. Otherwise the pc is
 * after it, with the result.
 */
bool sprof_regs_was_waiting(const struct sprof_regs *regs)
{
	return regs->coming_call >= 0 || sprof_regs_was_interrupted(regs);
}

bool sprof_regs_was_interrupted(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && regs->coming_call < 0 &&
		(int64_t)regs->values[0] == -EINTR;
}

/* poll(2) is ppoll(2) here, which has no restart block. */
bool sprof_regs_has_restart_block(const struct sprof_regs *regs)
{
	switch (regs->coming_call) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_futex:
		return true;
	default:
		return false;
	}
}

static bool write_place(pid_t tid, const struct sprof_regs_place *place)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	user.pc = place->pc;
	user.regs[0] = place->value;
	return !ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
}

static bool write_system_call(pid_t tid, int number)
{
	struct iovec vector = {.iov_base = &number, .iov_len = sizeof(number)};

	return !ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &vector);
}

/*
 * The result has overwritten the register of the first argument. ptrace does not show the kernel's
 * copy (orig_x0), but /proc/PID/syscall does for a thread in a call: so the thread is put into one
 * for a moment (arch/arm64/include/asm/syscall.h, syscall_get_arguments; lib/syscall.c). Kernels
 * since 2026 overwrite the copy with the result then (arch/arm64/kernel/ptrace.c,
 * update_syscall_orig_x0_after_ptrace), also in stable updates. There the call can't be restarted,
 * except from its exit stop, where they leave the copy alone.
 */
static bool read_first_argument(pid_t tid, const struct sprof_regs *regs, uint64_t *ret)
{
	struct sprof_proc_syscall call = {.kind = SPROF_PROC_SYSCALL_RUNNING};
	char text[512];
	bool is_read;

	if (!write_system_call(tid, (int)regs->system_call))
		return false;
	is_read = sprof_proc_read_file(tid, 0, "syscall", text, sizeof(text)) > 0;
	write_system_call(tid, -1);
	if (!is_read || !sprof_proc_parse_syscall(text, &call) ||
		call.kind != SPROF_PROC_SYSCALL_INSIDE ||
		call.arguments[0] == regs->values[SPROF_REG_RESULT])
		return false;
	*ret = call.arguments[0];
	return true;
}

/*
 * Whether the instruction puts into a register what this has already: MOVZ, and MOV of a register
 * (Arm ARM C6.2, MOVZ, ORR). Most calls have one before their own.
 */
static bool is_repeatable(const struct sprof_regs *regs, uint32_t instruction)
{
	const unsigned to = instruction & 0x1f, from = instruction >> 16 & 0x1f;
	const uint64_t width = instruction >> 31 ? UINT64_MAX : UINT32_MAX;
	const uint64_t number = (uint64_t)(instruction >> 5 & 0xffff)
		<< (instruction >> 21 & 3) * 16;

	if (to == 31)
		return false;
	if ((instruction & 0x7f800000) == 0x52800000)
		return regs->values[to] == (number & width);
	return (instruction & 0x7fe0ffe0) == 0x2a0003e0 && from != 31 &&
		regs->values[to] == (regs->values[from] & width);
}

/*
 * After the stop, the kernel turns a call that waits until a moment into restart_syscall(2), if the
 * thread still stands at the call. One instruction before it, the thread makes the call itself.
 */
static bool place_before(pid_t tid, const struct sprof_regs *regs, struct sprof_regs_place *ret)
{
	const uint64_t pc = regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION;
	uint64_t word;

	if (!sprof_regs_read_word(tid, pc, &word) || !is_repeatable(regs, (uint32_t)word))
		return false;
	*ret = (struct sprof_regs_place){pc, regs->values[0]};
	return true;
}

bool sprof_regs_restart(pid_t tid, const struct sprof_regs *regs, struct sprof_regs_place *ret)
{
	struct sprof_regs_place place = {.pc = regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION};

	if (regs->coming_call >= 0 ? !place_before(tid, regs, &place)
				   : !read_first_argument(tid, regs, &place.value))
		return false;
	if (!write_place(tid, &place))
		return false;
	*ret = place;
	return true;
}

void sprof_regs_place(pid_t tid, const struct sprof_regs_place *place)
{
	write_place(tid, place);
}

/* The entry code has set the result to ENOSYS (arch/arm64/kernel/syscall.c, el0_svc_common). */
void sprof_regs_skip_call(pid_t tid)
{
	write_system_call(tid, -1);
}

void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6])
{
	memcpy(ret, regs->values, 6 * sizeof(ret[0]));
}

void sprof_regs_set_arguments(struct sprof_regs *regs, const uint64_t arguments[6])
{
	for (unsigned i = 0; i < 6; i++)
		sprof_regs_set(regs, i, arguments[i]);
}

bool sprof_regs_call_arguments(pid_t tid, const struct sprof_regs *regs, uint64_t ret[6])
{
	sprof_regs_arguments(regs, ret);
	return read_first_argument(tid, regs, &ret[0]);
}

bool sprof_regs_begin_call(
	pid_t tid, const struct sprof_regs *regs, int64_t number, const uint64_t arguments[6])
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	memcpy(user.regs, arguments, 6 * sizeof(arguments[0]));
	user.regs[NUMBER] = (uint64_t)number;
	user.pc = regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION;
	return !ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
}

/* At a stop before a call, without a number: the call is skipped (arch/arm64/kernel/syscall.c). */
void sprof_regs_end_call(pid_t tid, const struct sprof_regs *regs, uint64_t result)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return;
	memcpy(user.regs, regs->values, 6 * sizeof(regs->values[0]));
	user.regs[NUMBER] = regs->values[NUMBER];
	user.regs[SPROF_REG_RESULT] = result;
	user.pc = regs->values[SPROF_REG_PC];
	ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
	write_system_call(tid, -1);
}

void sprof_regs_parameters(const struct sprof_regs *regs, uint64_t ret[6])
{
	memcpy(ret, regs->values, 6 * sizeof(ret[0]));
}

uint64_t sprof_regs_result(const struct sprof_regs *regs)
{
	return regs->values[SPROF_REG_RESULT];
}

/* Reads all registers, changes some, and writes them back. */
static void change(pid_t tid, uint64_t pc, const uint64_t *sp)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return;
	user.pc = pc;
	if (sp)
		user.sp = *sp;
	ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
}

void sprof_regs_move(pid_t tid, uint64_t pc)
{
	change(tid, pc, NULL);
}

void sprof_regs_call(pid_t tid, uint64_t pc, uint64_t sp)
{
	change(tid, pc, &sp);
}

bool sprof_regs_read_word(pid_t tid, uint64_t address, uint64_t *ret)
{
	errno = 0;
	*ret = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, address, 0);
	return !errno;
}

uint64_t sprof_regs_trap_size(pid_t tid, const struct sprof_regs *regs)
{
	return SPROF_TRAP_SIZE;
}

uint64_t sprof_regs_flags(pid_t tid)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector) ? 0 : user.pstate;
}
