/*
 * Which system call a thread is in, from its user code's registers alone. A ptrace-stop tells the number
 * (regs.h); a record of the kernel does not.
 */
#ifndef SPROF_ATTACH_CALL_NUMBER_H
#define SPROF_ATTACH_CALL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/regs.h"

/* The number of bytes before the pc that may tell. */
enum { SPROF_CALL_CODE = 48 };

enum {
	SPROF_CALL_NUMBER_NONE = -1,    /* it is in no system call */
	SPROF_CALL_NUMBER_UNKNOWN = -2, /* it is in one */
};

/*
 * Whether the registers may be those of a thread in a system call: worth a look at its code. The other
 * ways into the kernel are exceptions and interrupts.
 */
bool sprof_call_is_possible(const struct sprof_regs *regs);

/* The number by the code before the pc, `size` bytes of it; or one of the above. */
int64_t sprof_call_number(const struct sprof_regs *regs, const uint8_t *code, size_t size);

/* The same for a thread at a pc whose code is known: `known` is what it told of another thread. */
int64_t sprof_call_number_again(const struct sprof_regs *regs, int64_t known);

#endif
