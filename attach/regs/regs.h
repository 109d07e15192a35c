/*
 * A thread's registers, with this machine's DWARF numbers, which libunwind uses too. Differences
 * between machines are in this header and in the files of this folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "base/attributes.h"

#if defined(__x86_64__)
/* System V ABI, AMD64 supplement, figure 3.36: DWARF register number mapping. */
enum {
	SPROF_REG_RESULT = 0, /* rax */
	SPROF_REG_FP = 6,     /* rbp */
	SPROF_REG_SP = 7,     /* rsp */
	SPROF_REG_PC = 16,    /* the return address column */
	SPROF_REG_COUNT = 17,
	SPROF_RED_ZONE = 128, /* bytes below sp that leaf functions may use */
	SPROF_TRAP_SIZE = 1,  /* distance of the pc after a breakpoint trap */
	SPROF_TRAP_INSTRUCTION = 1,
	SPROF_CALL_INSTRUCTION = 2,
	SPROF_REG_CALL_STOP = SPROF_REG_PC, /* unused: see aarch64 */
};
#define SPROF_TRAP __asm__ volatile("int3")
#elif defined(__aarch64__)
/* DWARF for the Arm 64-bit Architecture, section 4.1. It has no number for the pc; libunwind uses
 * 32. */
enum {
	SPROF_REG_RESULT = 0,
	SPROF_REG_FP = 29,
	SPROF_REG_LR = 30,
	SPROF_REG_SP = 31,
	SPROF_REG_PC = 32,
	SPROF_REG_COUNT = 33,
	SPROF_RED_ZONE = 0,
	SPROF_TRAP_SIZE = 0,
	SPROF_TRAP_INSTRUCTION = 4,
	SPROF_CALL_INSTRUCTION = 4,
	/* At syscall-stops this register shows entry or exit. The kernel restores its value after
	 * the stop, whatever a tracer writes (arch/arm64/kernel/ptrace.c, report_syscall). */
	SPROF_REG_CALL_STOP = 7,
};
#define SPROF_TRAP __asm__ volatile("brk #0")
#else
#error "no register description for this machine"
#endif

struct sprof_regs {
	uint64_t values[SPROF_REG_COUNT];
	/* bit n: values[n] is known; a peek provides pc, sp and arguments only */
	uint64_t known;
	uint64_t thread_pointer; /* fs_base, at a stop only; 0: unknown, as on aarch64 */
	int64_t system_call;     /* the current one, at a stop only; -1: none */
	/* aarch64: the number of a call about to restart, if the pc is at its instruction; -1 */
	int64_t coming_call;
};

/* Where a thread continues, and its first argument there, or its result. */
struct sprof_regs_place {
	uint64_t pc, value;
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
 * The thread is about to return from the call that created it (clone(2) returns 0) and has executed
 * nothing yet. False if the result is unknown.
 */
static inline bool sprof_regs_are_newborn(const struct sprof_regs *regs)
{
	return (regs->system_call == SYS_clone || regs->system_call == SYS_clone3) &&
		sprof_regs_has(regs, SPROF_REG_RESULT) && !regs->values[SPROF_REG_RESULT];
}

/*
 * The bits of a return address that hold its signature instead of its address (pointer
 * authentication, Documentation/arch/arm64/pointer-authentication.rst). The same for all processes
 * of a machine. 0: this machine does not sign.
 */
uint64_t sprof_regs_signature_mask(void);

/*
 * Whether the kernel decides after the stop whether a call restarts; otherwise it has decided
 * before.
 */
bool sprof_regs_kernel_restarts(void);
/*
 * System calls that end with EINTR: at a stop, whether the thread's call is about to; and changing
 * its result so that the kernel restarts it unless a signal handler runs.
 */
/* At a stop: whether the thread's system call was blocked and the stop interrupted it. On aarch64,
 * calls that often don't block count only if they end with EINTR. */
bool sprof_regs_was_waiting(const struct sprof_regs *regs);
bool sprof_regs_was_interrupted(const struct sprof_regs *regs);
/*
 * At a stop: whether the kernel continues the call by restart_syscall(2), unless a signal handler
 * runs.
 */
bool sprof_regs_has_restart_block(const struct sprof_regs *regs);
/*
 * Returns true if the call restarts. Where the kernel does not decide, *ret is the thread's present
 * place.
 */
bool sprof_regs_restart(pid_t tid, const struct sprof_regs *regs, struct sprof_regs_place *ret);
/* At a stop, where the kernel does not decide: sets the place. */
void sprof_regs_place(pid_t tid, const struct sprof_regs_place *place);

/* At a stop after a call: the call's arguments. Returns false if the kernel no longer has them. */
SPROF_MUST_USE bool sprof_regs_call_arguments(
	pid_t tid, const struct sprof_regs *regs, uint64_t ret[6]);
/*
 * At a stop after a call, where the thread had these registers: makes the thread execute this call
 * there.
 */
SPROF_MUST_USE bool sprof_regs_begin_call(
	pid_t tid, const struct sprof_regs *regs, int64_t number, const uint64_t arguments[6]);
/* At any later stop: restores the registers, with this result. */
void sprof_regs_end_call(pid_t tid, const struct sprof_regs *regs, uint64_t result);

/*
 * At a stop: continues the thread at this address; the second one as by a call, with this stack
 * pointer.
 */
void sprof_regs_move(pid_t tid, uint64_t pc);
void sprof_regs_call(pid_t tid, uint64_t pc, uint64_t sp);
/* At a function's first instruction: its arguments in registers; at its return: its result.
 * Integers and pointers only (System V ABI, AMD64 supplement, 3.2.3; AAPCS64, 6.8). */
void sprof_regs_parameters(const struct sprof_regs *regs, uint64_t ret[6]);
uint64_t sprof_regs_result(const struct sprof_regs *regs);
/* At a stop: reads a word of the thread's memory, faster than sprof_memory_read(). */
SPROF_MUST_USE bool sprof_regs_read_word(pid_t tid, uint64_t address, uint64_t *ret);

/* Behind a breakpoint instruction of the program's own: the pc's distance from it. */
uint64_t sprof_regs_trap_size(pid_t tid, const struct sprof_regs *regs);
/* The condition flags, as this machine has them. */
uint64_t sprof_regs_flags(pid_t tid);

/* At a stop before a system call: skips it; it fails with ENOSYS. */
void sprof_regs_skip_call(pid_t tid);

/* The arguments of the thread's current system call. */
void sprof_regs_arguments(const struct sprof_regs *regs, uint64_t ret[6]);
/* Sets the arguments, and marks their registers as known. */
void sprof_regs_set_arguments(struct sprof_regs *regs, const uint64_t arguments[6]);

/*
 * Reads a core's registers: the kernel's struct user_regs_struct. Sets the system call only if it
 * is among them. Returns false for another size, as of 32-bit code.
 */
SPROF_MUST_USE bool sprof_regs_from_core(const void *bytes, size_t size, struct sprof_regs *ret);

/* Reads the registers of a thread in a ptrace-stop. Returns false if it is gone, not stopped, or
 * runs 32-bit code. */
SPROF_MUST_USE bool sprof_regs_read(pid_t tid, struct sprof_regs *ret);
