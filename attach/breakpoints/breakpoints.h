/*
 * Breakpoint instructions in the code of traced processes. A breakpoint replaces one byte of the
 * target's memory. The replaced instruction runs elsewhere, so that the breakpoint stays in place
 * and no other thread can miss it.
 *
 * A thread that hits a breakpoint is held (SPROF_HELD_BREAKPOINT). If its tracer died then, the
 * kernel would deliver the trap, which terminates the process: code that uses breakpoints must
 * protect the tracer (attach/start/guardian.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* The table of one memory; processes that share memory share it. */
struct sprof_breakpoints;

/* Whether this machine and build support breakpoints. */
bool sprof_breakpoints_are_possible(void);

/*
 * Inserts a breakpoint at a code address, if there is none. `tag` belongs to the owner; 0 keeps the
 * present tag. The process need not be stopped. Returns false if the memory can't be written, the
 * program has its own breakpoint there, or out of memory.
 */
SPROF_MUST_USE bool sprof_breakpoint_insert(
	struct sprof_process *process, uint64_t address, uint32_t tag);

/*
 * Inserts a breakpoint at a jump of a function to its own first instruction, the entry. It makes
 * the jump skip the breakpoint there, so that only calls hit that. Returns false if this is not
 * possible.
 */
SPROF_MUST_USE bool sprof_breakpoint_insert_loop(
	struct sprof_process *process, uint64_t address, uint64_t entry);

/* Whether memory still contains a breakpoint with this tag: other code may have replaced it. */
bool sprof_breakpoint_is_tagged(const struct sprof_process *process, uint64_t address);

/* 0: no tag, or no breakpoint. */
uint32_t sprof_breakpoint_tag(const struct sprof_process *process, uint64_t address);

/* Whether only this trap can explain a thread's pc right after it. */
bool sprof_breakpoint_is_certain(const struct sprof_process *process, uint64_t address);

/* Whether a breakpoint is or was there: a thread may have hit it before it was removed. */
bool sprof_breakpoint_is_known(const struct sprof_process *process, uint64_t address);

/*
 * The thread is held at a breakpoint, with these registers and the pc at the breakpoint: moves it
 * past the breakpoint and resumes it. Returns true if the breakpoint was removed for a moment, so
 * that other threads may miss it.
 */
bool sprof_breakpoint_pass(struct sprof_thread *thread, const struct sprof_regs *regs);
/* A single step of the thread has completed. */
void sprof_breakpoint_stepped(struct sprof_thread *thread);
/*
 * A signal came instead of the single step: the thread's next stop at the breakpoint is not a new
 * hit.
 */
void sprof_breakpoint_put_off(struct sprof_thread *thread);
/*
 * Whether the thread's stop at this breakpoint repeats one put off by a signal; true only once. If
 * the handler has jumped away, the next hit with the same sp is mistaken for the repetition.
 */
SPROF_MUST_USE bool sprof_breakpoint_was_put_off(
	struct sprof_thread *thread, const struct sprof_regs *regs);

/*
 * Restores the process's code until the next insertion. Threads may still report breakpoints that
 * they hit before.
 */
void sprof_breakpoints_remove(struct sprof_process *process);

/*
 * A thread of the process is detached, maybe to another tracer: restores the code; later insertions
 * are only recorded. For a child of vfork(2), whose parent waits for it, this is temporary: the
 * parent's table is lent.
 */
void sprof_breakpoints_let_go(struct sprof_process *process);
bool sprof_breakpoints_are_lent(const struct sprof_process *process);
/* The child has its own memory now, or has ended: ends the loan. */
void sprof_breakpoints_take_back(struct sprof_process *process);

/* Inserts the removed breakpoints that have a tag again. */
void sprof_breakpoints_restore(struct sprof_process *process);

/*
 * A child was born: it shares its parent's table, or gets a copy. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_breakpoints_inherit(
	const struct sprof_process *parent, struct sprof_process *child);
/* Whether several processes share the table. */
bool sprof_breakpoints_are_shared(const struct sprof_process *process);

/*
 * The process has executed a program or ended. Removes breakpoints from memory that is still there.
 */
void sprof_breakpoints_forget(struct sprof_process *process);
