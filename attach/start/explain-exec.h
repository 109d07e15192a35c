/*
 * Why a program could not be started.
 */
#pragma once

#include "base/attributes.h"
#include "base/error.h"

/* Sets an error, and a hint if the file shows why, for a failed execvp(3). Returns false. */
SPROF_MUST_USE bool sprof_explain_exec(const char *program, int errnum, struct sprof_error *err);
