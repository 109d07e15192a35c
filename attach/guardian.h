/*
 * Keeps the process that traces out of the way of a SIGKILL.
 *
 * While breakpoints are in a program, the death of its tracer can be the program's death: the kernel
 * delivers the trap that was just being reported. So sprof goes on as a child of the process that the
 * user knows. When that one is killed, the child takes the breakpoints out and lets the program go.
 */
#ifndef SPROF_ATTACH_GUARDIAN_H
#define SPROF_ATTACH_GUARDIAN_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Before anything is traced, and before there are threads. Returns in the child; the parent passes
 * signals on, and ends as the child does. `attaches`: the child leaves the process group, so that
 * what is sent to the group comes once, and a SIGKILL of the group does not reach it. A program
 * that is started is in the group itself.
 */
SPROF_MUST_USE bool sprof_guardian_begin(bool attaches, struct sprof_error *err);

/* The signal that tells the child of its parent's death; 0: this process is no such child. Only the thread
 * that began knows. */
int sprof_guardian_signal(void);

#endif
