/*
 * Registers of aarch64: the kernel's struct user_regs_struct and the DWARF numbers. Does not handle
 * 32-bit code.
 */
#include "attach/regs.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* NT_ARM_SYSTEM_CALL: the thread's system call, or -1 (arch/arm64/kernel/ptrace.c). */
static int64_t read_system_call(pid_t tid)
{
	int number = -1;
	struct iovec vector = {.iov_base = &number, .iov_len = sizeof(number)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &vector))
		return -1;
	return number;
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
	ret->system_call = read_system_call(tid);
	return true;
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
 * A call that ends with EINTR can't be repaired exactly here, so it is not repaired. Before the
 * stop, the kernel has decided about restarts and forgotten the call (arch/arm64/kernel/signal.c,
 * do_signal). So an EINTR that our stop made looks like one after a handler, which the program must
 * see. The first argument shares its register with the result; its copy (orig_x0) is unreadable
 * through ptrace. At the stop the register holds the first argument again, so a coming
 * restart_syscall(2) is not visible.
 */
bool sprof_regs_was_waiting(const struct sprof_regs *regs)
{
	return false;
}

bool sprof_regs_was_interrupted(const struct sprof_regs *regs)
{
	return false;
}

bool sprof_regs_has_restart_block(const struct sprof_regs *regs)
{
	return false;
}

void sprof_regs_restart(pid_t tid)
{
}

/* The entry code has set the result to ENOSYS (arch/arm64/kernel/syscall.c, el0_svc_common). */
void sprof_regs_skip_call(pid_t tid)
{
	int number = -1;
	struct iovec vector = {.iov_base = &number, .iov_len = sizeof(number)};

	ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &vector);
}

void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6])
{
	memcpy(ret, regs->values, 6 * sizeof(ret[0]));
}

void sprof_regs_parameters(const struct sprof_regs *regs, uint64_t ret[6])
{
	memcpy(ret, regs->values, 6 * sizeof(ret[0]));
}

uint64_t sprof_regs_result(const struct sprof_regs *regs)
{
	return regs->values[0];
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

uint64_t sprof_regs_flags(pid_t tid)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector) ? 0 : user.pstate;
}
