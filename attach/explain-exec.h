/*
 * Why a program could not be started.
 */
#ifndef SPROF_ATTACH_EXPLAIN_EXEC_H
#define SPROF_ATTACH_EXPLAIN_EXEC_H

#include "base/error.h"

/* Sets an error for what execvp(3) of the program has failed with, and a hint where the file tells why. Returns false. */
bool sprof_explain_exec(const char *program, int errnum, struct sprof_error *err);

#endif
