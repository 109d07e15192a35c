/*
 * Breakpoint instructions in the code of traced processes. One byte of the target's memory is replaced
 * while a breakpoint is in place; the instruction that it hides runs elsewhere, so that no other thread
 * can miss the breakpoint meanwhile.
 *
 * A thread that has come to a breakpoint is held (SPROF_HELD_BREAKPOINT). If its tracer died then, the
 * kernel would deliver the trap, which ends the process: who uses breakpoints keeps the tracer out of
 * harm's way.
 */
#ifndef SPROF_ATTACH_BREAKPOINTS_H
#define SPROF_ATTACH_BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* Of one memory; processes that share it have one table. */
struct sprof_breakpoints;

/* Whether this machine and build have them. */
bool sprof_breakpoints_are_possible(void);

/*
 * Puts a breakpoint at an address of code, if none is there. The tag is its owner's; 0 leaves the one
 * that it has. The process need not be stopped. False: it can't be written, there is a breakpoint of the program's own, or no memory.
 */
SPROF_MUST_USE bool sprof_breakpoint_insert(
	struct sprof_process *process, uint64_t address, uint32_t tag);

/* 0: it has none, or there is no breakpoint. */
uint32_t sprof_breakpoint_tag(const struct sprof_process *process, uint64_t address);

/* Whether a thread's pc can be right behind the trap at this address for no other reason. */
bool sprof_breakpoint_is_certain(const struct sprof_process *process, uint64_t address);

/* Whether there is one, or was: a thread may have come to it before it was removed. */
bool sprof_breakpoint_is_known(const struct sprof_process *process, uint64_t address);

/*
 * The thread is held at a breakpoint, with these registers, whose pc is the breakpoint's address: it
 * goes past it and is resumed. True: the breakpoint is gone for a moment, and other threads may miss it.
 */
bool sprof_breakpoint_pass(struct sprof_thread *thread, const struct sprof_regs *regs);
/* A thread that was resumed by one step has made it. */
void sprof_breakpoint_stepped(struct sprof_thread *thread);
/* It has not, because a signal has come: what comes to the breakpoint next is no hit of its own. */
void sprof_breakpoint_put_off(struct sprof_thread *thread);
/*
 * Whether the thread comes to this breakpoint once more for that reason; true only once. If the handler
 * has jumped away, the next hit with the same sp is taken for that.
 */
SPROF_MUST_USE bool sprof_breakpoint_was_put_off(
	struct sprof_thread *thread, const struct sprof_regs *regs);

/* The code of a process is as it was, and stays so until another one is inserted. Threads may still report breakpoints that they came to. */
void sprof_breakpoints_remove(struct sprof_process *process);

/*
 * A thread of the process is let go, maybe to another tracer: the code is as it was, and what is inserted
 * from now on is only noted. If a child of vfork(2) goes, its parent waits for it: that one's are lent.
 */
void sprof_breakpoints_let_go(struct sprof_process *process);
bool sprof_breakpoints_are_lent(const struct sprof_process *process);
/* The child has a memory of its own by now, or has ended. */
void sprof_breakpoints_take_back(struct sprof_process *process);

/* Puts back those with a tag that were removed. */
void sprof_breakpoints_restore(struct sprof_process *process);

/* A child is born: what it shares or what was copied with its memory. False: no memory. */
SPROF_MUST_USE bool sprof_breakpoints_inherit(
	const struct sprof_process *parent, struct sprof_process *child);
/* Whether several processes have them together. */
bool sprof_breakpoints_are_shared(const struct sprof_process *process);

/* The process has another memory, or has ended. */
void sprof_breakpoints_forget(struct sprof_process *process);

#endif
