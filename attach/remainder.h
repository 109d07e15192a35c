/*
 * Finishes system calls that a ptrace-stop ended early, with a part of their data moved: the thread
 * makes the call again for the rest, and the program sees the sum.
 *
 * While a thread does that, it makes syscall-stops, and its registers are those of the call for the
 * rest. Each of its stops must come here before it goes on.
 */
#ifndef SPROF_ATTACH_REMAINDER_H
#define SPROF_ATTACH_REMAINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs.h"

struct sprof_thread;
struct sprof_part_call; /* how a call says what it moves */

struct sprof_remainder {
	bool is_on;
	const struct sprof_part_call *call;
	struct sprof_regs regs; /* at the stop that cut the call */
	uint64_t arguments[6];
	uint64_t done, asked;
	bool is_socket;
	bool drops_sigpipe; /* the next SIGPIPE is of a call for a rest: the program must not have it */
};

/* At a stop: whether the thread's call may have returned a part only. Costs no system call. */
bool sprof_remainder_is_possible(const struct sprof_regs *regs);

/*
 * At a stop that no signal comes with which breaks off calls: if the call has returned less than was
 * asked for, and only a stop of ours can have been the cause, it is made again for the rest.
 */
void sprof_remainder_begin(struct sprof_thread *thread, const struct sprof_regs *regs);

/* At a syscall-stop of a thread whose remainder is on. */
void sprof_remainder_step(struct sprof_thread *thread);

/* At any stop of such a thread: the program sees what has been moved so far. */
void sprof_remainder_end(struct sprof_thread *thread);

/*
 * Such a thread is to be traced no more: stops it, lets the program see what has been moved, and
 * detaches it.
 */
void sprof_remainder_settle(struct sprof_thread *thread);

#endif
