/*
 * Makes the program import ptrace(), as one does that can trace others.
 */
#include <sys/ptrace.h>

#include "tests/behaviours/behaviour.h"

long trace_nobody(void);

long trace_nobody(void)
{
	return ptrace(PTRACE_DETACH, 0, 0, 0);
}
