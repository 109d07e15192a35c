/* The state of a thread with traced system calls. calls.c frees it when the thread ends. */
#include "events/syscalls/state.h"

#include <stdlib.h>

struct watched_thread *sprof_calls_watch(struct sprof_calls *calls, struct sprof_thread *thread)
{
	struct watched_thread *watched = thread->calls;

	if (watched)
		return watched;
	thread->calls = watched = calloc(1, sizeof(*watched));
	if (!watched)
		calls->out_of_memory = true;
	return watched;
}
