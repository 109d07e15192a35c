/*
 * Protects the tracing process from SIGKILL.
 *
 * While a program contains breakpoints, the death of its tracer can terminate it: the kernel
 * delivers the trap that was being reported. So sprof continues in a child of the process that the
 * user knows. If the parent is killed, the child removes the breakpoints and detaches.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Call it before tracing, and before there are threads. Returns in the child; the parent forwards
 * signals and exits with the child's status. `attaches`: the child leaves the process group, so
 * that a signal to the group arrives once, and a SIGKILL of the group does not reach it. With a
 * launched program it stays, because the program is in the group, too.
 */
SPROF_MUST_USE bool sprof_guardian_begin(bool attaches, struct sprof_error *err);

/* The signal sent to the child at its parent's death; 0: this process is not such a child. Valid in
 * the thread that called begin. */
int sprof_guardian_signal(void);

/* Whether this process ignores the signal. */
bool sprof_signal_is_ignored(int signal);
