/*
 * Whether sprof can run on this machine.
 */
#pragma once

#include "base/attributes.h"
#include "base/error.h"

/* On false, the error names the missing requirement (requirements.h). */
SPROF_MUST_USE bool sprof_machine_check(struct sprof_error *err);

/* The part of this check for commands that only read /proc. */
SPROF_MUST_USE bool sprof_machine_check_proc(struct sprof_error *err);
