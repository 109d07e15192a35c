/*
 * User registers and stack in perf samples: requesting and reading them. They are those of the user
 * code, even while the thread is in a system call.
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/regs/regs.h"
#include "base/attributes.h"
#include "events/perf/record.h"

enum {
	/* Bytes of stack that the kernel copies from sp on. A multiple of 8, below 64 KiB. */
	SPROF_PERF_STACK_SIZE = 16 << 10,
	SPROF_PERF_ARGUMENTS = 6, /* arguments passed in registers */
};

/* Add user registers, or registers and stack, to the event's samples. */
void sprof_perf_ask_registers(struct perf_event_attr *attributes);
void sprof_perf_ask_stack(struct perf_event_attr *attributes);

struct sprof_perf_user {
	struct sprof_regs regs;
	const uint8_t *stack; /* from sp on, points into the record; NULL: none */
	size_t stack_size;    /* bytes actually copied */
};

/*
 * Parses the end of a sample. `has_stack`: a stack was requested. Returns false for kernel threads,
 * 32-bit code and corrupt records.
 */
SPROF_MUST_USE bool sprof_perf_user_read(
	const struct sprof_perf_record *record, bool has_stack, struct sprof_perf_user *ret);

/* Argument `index` at a function's first instruction. */
int64_t sprof_perf_argument(const struct sprof_regs *regs, size_t index);
