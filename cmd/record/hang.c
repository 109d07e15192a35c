/*
 * Watches the tracing thread by its files in /proc, which costs that thread nothing. Does not
 * handle a program with a thread stopped at a breakpoint at that moment: the kernel delivers the
 * trap when the tracer ends.
 */
#include "cmd/record/hang.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "base/proc.h"
#include "cmd/cli/command.h"

/* One look per second. This number of them that equal the one before is a hang. */
enum { EQUAL_LOOKS = 5 };

struct look {
	char call[256], times[128]; /* its system call with all arguments, and its times on a CPU */
};

static bool read_look(pid_t tid, struct look *ret)
{
	const pid_t self = getpid();

	return sprof_proc_read_file(self, tid, "syscall", ret->call, sizeof(ret->call)) > 0 &&
		sprof_proc_read_file(self, tid, "schedstat", ret->times, sizeof(ret->times)) > 0;
}

/*
 * Reads of another process's memory, also by /proc/PID/mem. Everything else that the thread waits
 * in can be interrupted by signals.
 */
static bool is_in_memory(const struct look *look)
{
	switch (strtol(look->call, NULL, 10)) {
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
	case SYS_pread64:
	case SYS_pwrite64:
		return true;
	default:
		return false;
	}
}

/* Returns false if there was no word within a second, or a signal arrived. */
static bool has_word(sem_t *word)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	return !sem_timedwait(word, &end);
}

bool sprof_hang_wait(const struct sprof_hang_watched *watched, sem_t *word)
{
	struct look last = {0}, now;
	int equal = 0;

	while (!has_word(word)) {
		const pid_t tid = watched->tid;

		if (errno == EINTR)
			continue;
		if (!tid || !read_look(tid, &now) || !is_in_memory(&now)) {
			equal = 0;
			continue;
		}
		equal = strcmp(now.call, last.call) || strcmp(now.times, last.times) ? 0
										     : equal + 1;
		if (equal == EQUAL_LOOKS)
			return false;
		last = now;
	}
	return true;
}

/* The thread changes nothing of the target meanwhile, because it hangs. */
static void remove_breakpoints(const struct sprof_target *target)
{
	struct sprof_process **processes;
	size_t count;

	processes = sprof_target_processes(target, &count);
	for (size_t i = 0; i < count; i++)
		sprof_breakpoints_remove(processes[i]);
}

static void __attribute__((noreturn)) execute_anew(pid_t copy, pid_t program)
{
	char name[] = "sprof", word[] = SPROF_HANG_WORD, ids[2][16];
	char *const arguments[] = {name, word, ids[0], ids[1], NULL};

	snprintf(ids[0], sizeof(ids[0]), "%d", (int)copy);
	snprintf(ids[1], sizeof(ids[1]), "%d", (int)program);
	execv("/proc/self/exe", arguments);
	_exit(SPROF_EXIT_FAILED);
}

void sprof_hang_end(
	const struct sprof_hang_watched *watched, pid_t program, struct sprof_error *err)
{
	pid_t copy;

	remove_breakpoints(watched->target);
	copy = fork();
	if (copy)
		execute_anew(copy, program);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sprof_error_set(err, SPROF_ERROR_IO,
		"memory of the program could not be read: a page did not come within %d s, and the "
		"program was let go",
		EQUAL_LOOKS);
	sprof_error_hint(err,
		"userfaultfd(2) or a FUSE file system of the program can't provide a page while "
		"the program is stopped");
}

/* Signals for the thread that hung have had their effect: the end. */
static void take_signals(void)
{
	const struct timespec now = {0};
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGCHLD);
	while (sigtimedwait(&all, NULL, &now) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid) {
		if (errno != EINTR)
			return SPROF_EXIT_FAILED;
	}
	return sprof_exit_of_program(status);
}

int sprof_hang_finish(char *const words[])
{
	const pid_t copy = (pid_t)strtol(words[0], NULL, 10);
	const pid_t program = words[1] ? (pid_t)strtol(words[1], NULL, 10) : 0;
	int code;

	take_signals();
	code = copy > 0 ? wait_for(copy) : SPROF_EXIT_FAILED;
	if (program > 0)
		wait_for(program);
	return code;
}
