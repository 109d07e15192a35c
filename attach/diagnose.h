/*
 * Why an attach was refused, as an error.
 */
#ifndef SPROF_ATTACH_DIAGNOSE_H
#define SPROF_ATTACH_DIAGNOSE_H

#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

/* Reports that ptrace refused the process with errnum. Returns false. The error has a hint if there
 * is a remedy. */
SPROF_MUST_USE bool sprof_diagnose(pid_t pid, int errnum, struct sprof_error *err);

#endif
