/*
 * Classification of wait statuses. Knows the encoding of ptrace(2) and waitpid(2), and no state.
 */
#include "attach/stop.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static struct sprof_stop classify_event(int event, int signal)
{
	struct sprof_stop stop = {.kind = SPROF_STOP_OTHER_EVENT, .value = event};

	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		stop.kind = SPROF_STOP_NEW_TASK;
		break;
	case PTRACE_EVENT_EXEC:
		stop.kind = SPROF_STOP_EXEC;
		break;
	case PTRACE_EVENT_STOP:
		/* With SEIZE a group-stop is an event too, told from a trap by its signal. */
		stop.kind = signal == SIGTRAP ? SPROF_STOP_TRAP : SPROF_STOP_GROUP;
		stop.value = signal;
		break;
	default:
		break;
	}
	return stop;
}

struct sprof_stop sprof_stop_classify(int wait_status)
{
	if (WIFEXITED(wait_status))
		return (struct sprof_stop){SPROF_STOP_EXITED, WEXITSTATUS(wait_status)};
	if (WIFSIGNALED(wait_status))
		return (struct sprof_stop){SPROF_STOP_KILLED, WTERMSIG(wait_status)};
	if (wait_status >> 16)
		return classify_event(wait_status >> 16, WSTOPSIG(wait_status));
	if (WSTOPSIG(wait_status) == (SIGTRAP | 0x80))
		return (struct sprof_stop){SPROF_STOP_SYSCALL, 0};
	return (struct sprof_stop){SPROF_STOP_SIGNAL, WSTOPSIG(wait_status)};
}
