/* The recorded program or processes, in one line. */
#pragma once

#include "base/attributes.h"
#include "cmd/cli/processes.h"
#include "cmd/record/tracing.h"

/* The chosen processes or threads, which must outlive the subject. */
struct sprof_subject sprof_subject_of(const struct sprof_processes *processes);

/*
 * The command line of the program or process; of several processes, all of them; of chosen threads,
 * their ids as well. The caller frees it. Returns NULL if out of memory.
 */
char *sprof_subject_describe(const struct sprof_subject *subject) SPROF_MUST_USE;
