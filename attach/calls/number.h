/*
 * The number of the system call that a thread is in, from its user registers and code. At a
 * ptrace-stop the kernel provides it (attach/regs/regs.h); its perf records don't.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/regs/regs.h"

enum {
	SPROF_CALL_CODE = 48,      /* the number of bytes before the pc that are examined */
	SPROF_CALL_NUMBERS = 1024, /* all are less */
};

enum {
	SPROF_CALL_NUMBER_NONE = -1,    /* not in a system call */
	SPROF_CALL_NUMBER_UNKNOWN = -2, /* in an unknown one */
	/*
	 * On the stack, as the seventh argument of the caller: in glibc 2.41 and later, one function
	 * makes all calls in which a thread may be cancelled, if the process has several threads.
	 */
	SPROF_CALL_NUMBER_OF_CALLER = -3,
	/* On the stack, and down to 127 less: the distance from the sp or the frame pointer. */
	SPROF_CALL_NUMBER_AT_SP = -256,
	SPROF_CALL_NUMBER_AT_FP = -512,
};

/*
 * Whether the registers may be those of a thread in a system call, so that its code is worth
 * examining. Other ways into the kernel are exceptions and interrupts.
 */
bool sprof_call_is_possible(const struct sprof_regs *regs);

/* The number according to `size` bytes of code before the pc; or one of the above. */
int64_t sprof_call_number(const struct sprof_regs *regs, const uint8_t *code, size_t size);

/* The same at a pc examined before; `known` is the result for another thread there. */
int64_t sprof_call_number_again(const struct sprof_regs *regs, int64_t known);
