/*
 * The registers and the stack of the thread that a perf event's sample is of: asking for them, and
 * reading them. They are those of its user code, also while it is in a system call.
 */
#ifndef SPROF_EVENTS_PERF_REGISTERS_H
#define SPROF_EVENTS_PERF_REGISTERS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/regs.h"
#include "base/attributes.h"
#include "events/perf-record.h"

enum {
	/* The kernel copies as much of the stack, from sp on. A multiple of 8, below 64 KiB. */
	SPROF_PERF_STACK_SIZE = 16 << 10,
	SPROF_PERF_ARGUMENTS = 6, /* of a function, that are in registers */
};

/* Have each sample of the event end with registers, or with registers and stack. */
void sprof_perf_ask_registers(struct perf_event_attr *attributes);
void sprof_perf_ask_stack(struct perf_event_attr *attributes);

struct sprof_perf_user {
	struct sprof_regs regs;
	const uint8_t *stack; /* points into the record, from sp on; NULL: none */
	size_t stack_size;    /* the bytes that could be read */
};

/*
 * What the end of a sample says. `has_stack`: a stack was asked for. False: nothing, because the
 * thread is the kernel's or runs 32-bit code, or the record is damaged.
 */
SPROF_MUST_USE bool sprof_perf_user_read(
	const struct sprof_perf_record *record, bool has_stack, struct sprof_perf_user *ret);

/* At a function's first instruction: its argument `index`. */
int64_t sprof_perf_argument(const struct sprof_regs *regs, size_t index);

#endif
