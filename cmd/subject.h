/*
 * What a recording is of, as one line of text.
 */
#ifndef SPROF_CMD_SUBJECT_H
#define SPROF_CMD_SUBJECT_H

#include "base/attributes.h"
#include "cmd/tracing.h"

/*
 * The command line of the program or process. Several processes have theirs one after the other;
 * chosen threads are named, because the profile has nothing of the others. The caller frees it.
 * NULL: no memory.
 */
char *sprof_subject_describe(const struct sprof_subject *subject) SPROF_MUST_USE;

#endif
