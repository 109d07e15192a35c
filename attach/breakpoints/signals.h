/*
 * The program's mask and action for SIGTRAP, which each trap of a breakpoint changes.
 *
 * A trap makes the kernel unblock the signal if it is blocked. If it was blocked or ignored, the
 * kernel also sets its action to the default (kernel/signal.c, force_sig_info_to_task). So sprof
 * restores both after each trap. It reads them before it inserts breakpoints, and follows the calls
 * with which the C library changes them: these have breakpoints, too.
 */
#pragma once

#include <stdbool.h>

#include "attach/regs/regs.h"
#include "attach/thread.h"

/* Of one process. */
struct sprof_trap_signals;

/*
 * Call it before breakpoints are inserted or restored, and after code was mapped. Out of memory, it
 * knows less.
 */
void sprof_trap_signals_begin(struct sprof_process *process);

/* At the stop of a trap or a step that is ours, before the thread continues. */
void sprof_trap_signals_restore(struct sprof_thread *thread);

/*
 * The thread is held at a breakpoint, with these registers. Returns true if the breakpoint is at a
 * followed call; the thread then continues.
 */
bool sprof_trap_signals_follow(struct sprof_thread *thread, const struct sprof_regs *regs);

/* At the stop before a signal is delivered; at the first stop of a thread. */
void sprof_trap_signals_deliver(struct sprof_thread *thread);
void sprof_trap_signals_born(struct sprof_thread *thread);

/* A child inherits its parent's mask and action. */
void sprof_trap_signals_inherit(const struct sprof_process *parent, struct sprof_process *child);
/* At the stop of an exec, when the breakpoints are forgotten: ignored signals stay ignored. */
void sprof_trap_signals_exec(struct sprof_thread *thread);
/* The process has ended. */
void sprof_trap_signals_forget(struct sprof_process *process);
