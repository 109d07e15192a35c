/*
 * Why an attach was refused, as an error.
 */
#ifndef SPROF_ATTACH_DENIAL_DIAGNOSE_H
#define SPROF_ATTACH_DENIAL_DIAGNOSE_H

#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

/* Sets the error for a process that ptrace refused with errnum, with a hint if there is a remedy.
 * Returns false. */
SPROF_MUST_USE bool sprof_diagnose(pid_t pid, int errnum, struct sprof_error *err);

#endif
