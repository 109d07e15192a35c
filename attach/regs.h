/*
 * A thread's registers, numbered as DWARF does on this machine, which is also how libunwind numbers
 * them. What differs between machines is in this header and in regs-<machine>.c.
 */
#ifndef SPROF_ATTACH_REGS_H
#define SPROF_ATTACH_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__x86_64__)
/* System V ABI, AMD64 supplement, figure 3.36: DWARF register number mapping. */
enum {
	SPROF_REG_FP = 6,  /* rbp */
	SPROF_REG_SP = 7,  /* rsp */
	SPROF_REG_PC = 16, /* the return address column */
	SPROF_REG_COUNT = 17,
	SPROF_RED_ZONE = 128, /* bytes below sp that a leaf function may use */
};
#elif defined(__aarch64__)
/* DWARF for the Arm 64-bit Architecture, section 4.1. The pc has no number there; libunwind gives it 32. */
enum {
	SPROF_REG_FP = 29,
	SPROF_REG_LR = 30,
	SPROF_REG_SP = 31,
	SPROF_REG_PC = 32,
	SPROF_REG_COUNT = 33,
	SPROF_RED_ZONE = 0,
};
#else
#error "no register description for this machine"
#endif

struct sprof_regs {
	uint64_t values[SPROF_REG_COUNT];
	uint64_t known; /* bit n: values[n] is the thread's; a peek knows pc and sp only */
	uint64_t thread_pointer; /* fs_base; from a stop only. 0: not known, as on aarch64 */
	int64_t system_call; /* the one the thread is in; -1: none. From a stop only */
};

static inline bool sprof_regs_has(const struct sprof_regs *regs, unsigned number)
{
	return number < SPROF_REG_COUNT && regs->known >> number & 1;
}

static inline void sprof_regs_set(struct sprof_regs *regs, unsigned number, uint64_t value)
{
	regs->values[number] = value;
	regs->known |= (uint64_t)1 << number;
}

/*
 * Of a return address the bits that hold its signature, and no part of the address (pointer authentication,
 * Documentation/arch/arm64/pointer-authentication.rst); the same for all processes of a machine. 0: none
 * are signed here.
 */
uint64_t sprof_regs_signature_mask(void);

/*
 * System calls that end with EINTR. At a stop, whether the thread's call is about to; and changing its
 * result so that the kernel restarts it instead, unless a signal handler runs.
 */
/* At a stop: the thread's system call was waiting, and the stop ended the wait. */
bool sprof_regs_was_waiting(const struct sprof_regs *regs);
bool sprof_regs_was_interrupted(const struct sprof_regs *regs);
/* At a stop: the kernel goes on with the call by restart_syscall(2), unless a signal handler runs. */
bool sprof_regs_has_restart_block(const struct sprof_regs *regs);
void sprof_regs_restart(pid_t tid);

/* The arguments of the system call that the thread is in. */
void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6]);

/* The registers of a thread in a ptrace-stop of ours. False: it is gone, not stopped, or runs 32-bit code. */
bool sprof_regs_read(pid_t tid, struct sprof_regs *ret);

#endif
