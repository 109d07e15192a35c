/*
 * Completes system calls that a ptrace-stop ended early, with part of their data transferred: the
 * thread repeats the call for the rest, and the program sees the sum.
 *
 * Meanwhile the thread makes syscall-stops, and its registers are those of the repeated call. Each
 * of its stops must be handled here before it continues.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs/regs.h"

struct sprof_thread;
struct sprof_part_call; /* how a call describes its data */

struct sprof_remainder {
	bool is_on;
	const struct sprof_part_call *call;
	struct sprof_regs regs; /* at the stop that interrupted the call */
	uint64_t arguments[6];
	uint64_t done, asked;
	bool is_socket;
	bool drops_sigpipe; /* the next SIGPIPE comes from a repeated call: drop it */
};

/* At a stop: whether the thread's call may have returned early. Costs no system call. */
bool sprof_remainder_is_possible(const struct sprof_regs *regs);

/*
 * At a stop without a signal that interrupts calls: if the call has returned less than requested,
 * and only a stop by sprof can be the cause, repeats it for the rest.
 */
void sprof_remainder_begin(struct sprof_thread *thread, const struct sprof_regs *regs);

/* At a syscall-stop of a thread with an active remainder. */
void sprof_remainder_step(struct sprof_thread *thread);

/* At any other stop of such a thread: gives the program the sum so far. */
void sprof_remainder_end(struct sprof_thread *thread);

/* Such a thread is to be detached: stops it, gives the program the sum so far, and detaches it. */
void sprof_remainder_settle(struct sprof_thread *thread);
