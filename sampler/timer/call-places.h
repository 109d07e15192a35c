/*
 * Finds a thread's system call by the place where its user code entered the kernel. Timer records
 * need this, because they lack the number (attach/calls/number.h).
 */
#ifndef SPROF_SAMPLER_TIMER_CALL_PLACES_H
#define SPROF_SAMPLER_TIMER_CALL_PLACES_H

#include <stdint.h>

#include "attach/proc/procfs.h"
#include "sampler/loop/run.h"

enum { CALL_PLACES = 256 };

/* Zeroed knows nothing. */
struct call_places {
	struct call_place {
		uint64_t pc; /* 0: none */
		uint32_t process;
		int16_t number; /* or SPROF_CALL_NUMBER_UNKNOWN, SPROF_CALL_NUMBER_NONE */
	} items[CALL_PLACES];
};

/* The number, or SPROF_CALL_NUMBER_UNKNOWN, SPROF_CALL_NUMBER_NONE. Reads the thread's code at new places. */
int64_t sprof_call_places_find(struct call_places *places, const struct run *run,
	const struct sprof_thread *thread, const struct sprof_regs *regs);

/* The call with that number, or none, of a thread with these registers. */
struct sprof_proc_syscall sprof_call_at(const struct sprof_regs *regs, int64_t number);

/* The process has executed another program. */
void sprof_call_places_forget(struct call_places *places, const struct sprof_process *process);

#endif
