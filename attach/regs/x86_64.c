/*
 * Registers of x86_64: the kernel's user_regs_struct and DWARF numbers. Not for 32-bit code.
 */
#include "attach/regs/regs.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

bool sprof_regs_from_core(const void *bytes, size_t size, struct sprof_regs *ret)
{
	struct user_regs_struct user;

	/* 32-bit code has another register layout (arch/x86/kernel/ptrace.c, user_x86_32_view). */
	if (size != sizeof(user))
		return false;
	memcpy(&user, bytes, size);
	*ret = (struct sprof_regs){
		.values = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi, user.rbp,
			user.rsp, user.r8, user.r9, user.r10, user.r11, user.r12, user.r13,
			user.r14, user.r15, user.rip},
		.thread_pointer = user.fs_base,
		.known = ((uint64_t)1 << SPROF_REG_COUNT) - 1,
		/* The entry code stores the number in orig_rax, and a negative value on all other
		 * ways into the kernel (arch/x86/entry/entry_64.S). */
		.system_call = (int64_t)user.orig_rax < 0 ? -1 : (int64_t)user.orig_rax,
		.coming_call = -1,
	};
	return true;
}

bool sprof_regs_read(pid_t tid, struct sprof_regs *ret)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	return sprof_regs_from_core(&user, vector.iov_len, ret);
}

bool sprof_regs_kernel_restarts(void)
{
	return true;
}

uint64_t sprof_regs_signature_mask(void)
{
	return 0;
}

/* Kernel-internal (include/linux/errno.h). NOHAND: restart, or EINTR if a handler ran. */
enum { ERESTARTSYS = 512, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516 };

bool sprof_regs_was_waiting(const struct sprof_regs *regs)
{
	int64_t result = (int64_t)regs->values[0];

	return regs->system_call >= 0 &&
		(result == -EINTR || (result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK));
}

bool sprof_regs_was_interrupted(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && (int64_t)regs->values[0] == -EINTR;
}

bool sprof_regs_has_restart_block(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && (int64_t)regs->values[0] == -ERESTART_RESTARTBLOCK;
}

/*
 * The stop is inside get_signal(). The kernel acts on the result after get_signal()
 * (arch/x86/kernel/signal.c, arch_do_signal_or_restart), so the kernel itself decides.
 */
bool sprof_regs_restart(pid_t tid, const struct sprof_regs *regs, struct sprof_regs_place *ret)
{
	/* A long: ptrace() is variadic, so the upper half of an int would be undefined. */
	return !ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax),
		(long)-ERESTARTNOHAND);
}

void sprof_regs_place(pid_t tid, const struct sprof_regs_place *place)
{
}

void sprof_regs_move(pid_t tid, uint64_t pc)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip), pc);
}

void sprof_regs_call(pid_t tid, uint64_t pc, uint64_t sp)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rsp), sp);
	sprof_regs_move(tid, pc);
}

bool sprof_regs_read_word(pid_t tid, uint64_t address, uint64_t *ret)
{
	errno = 0;
	*ret = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, address, 0);
	return !errno;
}

/*
 * int3 has two forms, cc and cd 03. A word can only be read whole, so from where there is memory.
 */
uint64_t sprof_regs_trap_size(pid_t tid, const struct sprof_regs *regs)
{
	enum { LONG_TRAP = 0x03cd, LONG_TRAP_SIZE = 2 };
	const uint64_t pc = regs->values[SPROF_REG_PC];
	uint64_t word;

	if (sprof_regs_read_word(tid, pc - sizeof(word), &word))
		return word >> 48 == LONG_TRAP ? LONG_TRAP_SIZE : SPROF_TRAP_SIZE;
	return sprof_regs_read_word(tid, pc - LONG_TRAP_SIZE, &word) && (uint16_t)word == LONG_TRAP
		? LONG_TRAP_SIZE
		: SPROF_TRAP_SIZE;
}

uint64_t sprof_regs_flags(pid_t tid)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user_regs_struct, eflags), 0);
}

/* The entry code has set the result to ENOSYS (arch/x86/entry/entry_64.S). */
void sprof_regs_skip_call(pid_t tid)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), -1L);
}

/* rdi rsi rdx r10 r8 r9 */
static const unsigned char argument_order[] = {5, 4, 1, 10, 8, 9};

void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6])
{
	for (unsigned i = 0; i < sizeof(argument_order); i++)
		ret[i] = regs->values[argument_order[i]];
}

void sprof_regs_set_arguments(struct sprof_regs *regs, const uint64_t arguments[6])
{
	for (unsigned i = 0; i < sizeof(argument_order); i++)
		sprof_regs_set(regs, argument_order[i], arguments[i]);
}

bool sprof_regs_call_arguments(pid_t tid, const struct sprof_regs *regs, uint64_t ret[6])
{
	sprof_regs_arguments(regs, ret);
	return true;
}

static void set_user_arguments(struct user_regs_struct *user, const uint64_t arguments[6])
{
	user->rdi = arguments[0];
	user->rsi = arguments[1];
	user->rdx = arguments[2];
	user->r10 = arguments[3];
	user->r8 = arguments[4];
	user->r9 = arguments[5];
}

/* Not int $0x80, whose call numbers differ. */
static bool is_behind_syscall(pid_t tid, const struct sprof_regs *regs)
{
	uint64_t code;

	return sprof_regs_read_word(
		       tid, regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION, &code) &&
		(uint16_t)code == 0x050f;
}

/* Without a number, the kernel assumes that the thread is in no call, and restarts none. */
bool sprof_regs_begin_call(
	pid_t tid, const struct sprof_regs *regs, int64_t number, const uint64_t arguments[6])
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (!is_behind_syscall(tid, regs) || ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	set_user_arguments(&user, arguments);
	user.rax = (uint64_t)number;
	user.rip = regs->values[SPROF_REG_PC] - SPROF_CALL_INSTRUCTION;
	user.orig_rax = (uint64_t)-1;
	return !ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
}

/* At a stop before a call, without a number: the call is skipped (arch/x86/entry/common.c). */
void sprof_regs_end_call(pid_t tid, const struct sprof_regs *regs, uint64_t result)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};
	uint64_t arguments[6];

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return;
	sprof_regs_arguments(regs, arguments);
	set_user_arguments(&user, arguments);
	user.rax = result;
	user.rip = regs->values[SPROF_REG_PC];
	user.orig_rax = (uint64_t)-1;
	ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &vector);
}

void sprof_regs_parameters(const struct sprof_regs *regs, uint64_t ret[6])
{
	static const unsigned char order[] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */

	for (unsigned i = 0; i < sizeof(order); i++)
		ret[i] = regs->values[order[i]];
}

uint64_t sprof_regs_result(const struct sprof_regs *regs)
{
	return regs->values[SPROF_REG_RESULT];
}
