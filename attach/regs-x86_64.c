/*
 * Registers of x86_64. Knows the kernel's struct user_regs_struct and the DWARF numbers, nothing else.
 */
#include "attach/regs.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/utsname.h>

/* In the number of a system call, of which the kernel takes 32 bits (entry_64.S: movslq %eax). */
#define BEGUN_AGAIN ((uint64_t)1 << 32)
#define BROKEN_OFF ((uint64_t)1 << 33)

bool sprof_regs_read(pid_t tid, struct sprof_regs *ret)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	/* 32-bit code has registers of another shape (arch/x86/kernel/ptrace.c, user_x86_32_view). */
	if (vector.iov_len != sizeof(user))
		return false;
	*ret = (struct sprof_regs){
		.values = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi, user.rbp,
			user.rsp, user.r8, user.r9, user.r10, user.r11, user.r12, user.r13,
			user.r14, user.r15, user.rip},
		.known = ((uint64_t)1 << SPROF_REG_COUNT) - 1,
		/* The entry code stores the number in orig_rax, and a negative value on every other way
		 * into the kernel (arch/x86/entry/entry_64.S). */
		.system_call = (int64_t)user.orig_rax < 0 ? -1 : (int32_t)user.orig_rax,
		.begun_again = (int64_t)user.orig_rax >= 0 && (user.orig_rax & BEGUN_AGAIN),
		.broken_off = (int64_t)user.orig_rax >= 0 && (user.orig_rax & BROKEN_OFF),
	};
	return true;
}

/* Kernel-internal (include/linux/errno.h). NOHAND: restart, or EINTR if a handler was run. */
enum { ERESTARTSYS = 512, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516 };

bool sprof_regs_can_restart(void)
{
	return true;
}

bool sprof_regs_was_waiting(const struct sprof_regs *regs)
{
	int64_t result = (int64_t)regs->values[0];

	return regs->system_call >= 0 &&
		(result == -EINTR || (result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK));
}

bool sprof_regs_was_interrupted(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && !regs->broken_off && (int64_t)regs->values[0] == -EINTR;
}

/*
 * The stop lies inside get_signal(); what the result asks for is done behind it
 * (arch/x86/kernel/signal.c, arch_do_signal_or_restart), so the kernel itself decides.
 */
void sprof_regs_restart(pid_t tid)
{
	/* A long: ptrace() is variadic, and the upper half of an int would be anything. */
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax),
		(long)-ERESTARTNOHAND);
}

bool sprof_regs_is_restarting(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && (int64_t)regs->values[0] == -ERESTARTNOHAND;
}

/* Before Linux 5.14 the upper half was looked at as well. */
static bool is_upper_half_free(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
		(major > 5 || (major == 5 && minor >= 14));
}

static bool mark(pid_t tid, const struct sprof_regs *regs, uint64_t bit)
{
	return !ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax),
		(long)((uint64_t)regs->system_call | bit));
}

bool sprof_regs_begin_again(pid_t tid, const struct sprof_regs *regs)
{
	if (!regs->begun_again && !is_upper_half_free())
		return false;
	/* First the mark, which does nothing alone. */
	if (!mark(tid, regs, BEGUN_AGAIN))
		return false;
	sprof_regs_restart(tid);
	return true;
}

void sprof_regs_break_off(pid_t tid, const struct sprof_regs *regs)
{
	mark(tid, regs, BROKEN_OFF);
	sprof_regs_end_call(tid, -EINTR);
}

void sprof_regs_end_call(pid_t tid, long result)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result);
}

void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6])
{
	static const unsigned char order[] = {5, 4, 1, 10, 8, 9}; /* rdi rsi rdx r10 r8 r9 */

	for (unsigned i = 0; i < sizeof(order); i++)
		ret[i] = regs->values[order[i]];
}
