/*
 * Registers of x86_64. Knows the kernel's struct user_regs_struct and the DWARF numbers, nothing else.
 */
#include "attach/regs.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

bool sprof_regs_read(pid_t tid, struct sprof_regs *ret)
{
	struct user_regs_struct user;
	struct iovec vector = {.iov_base = &user, .iov_len = sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector))
		return false;
	*ret = (struct sprof_regs){
		.values = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi, user.rbp,
			user.rsp, user.r8, user.r9, user.r10, user.r11, user.r12, user.r13,
			user.r14, user.r15, user.rip},
		.known = ((uint64_t)1 << SPROF_REG_COUNT) - 1,
		/* The entry code stores the number in orig_rax, and a negative value on every other way
		 * into the kernel (arch/x86/entry/entry_64.S). */
		.system_call = (int64_t)user.orig_rax < 0 ? -1 : (int64_t)user.orig_rax,
	};
	return true;
}
