/* Tries whether sprof may trace, on processes that it starts for that. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Traces a child, as a program that sprof starts, or a process that is no descendant
 * (`is_strange`), as one that it attaches to. On false, the error has the cause, and the remedy as
 * its hint.
 */
SPROF_MUST_USE bool sprof_self_check_ptrace(bool is_strange, struct sprof_error *err);
