/*
 * Makes a child in the way that each line on stdin names: fork, vfork, exec, clone (a process that
 * no SIGCHLD is sent for), thread, or double (a grandchild that outlives its parent). Each ends at
 * once; the line is answered with its id and how it ended.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define CHILD_CODE 7

static char child_word[] = "child";
static char *program;

static MEASURED void *live_as_thread(void *tid)
{
	*(pid_t *)tid = gettid();
	return NULL;
}

static pid_t make_thread(void)
{
	pthread_t thread;
	pid_t tid = 0;

	if (pthread_create(&thread, NULL, live_as_thread, &tid) != 0)
		target_fail("pthread_create");
	pthread_join(thread, NULL);
	return tid;
}

static void execute(void)
{
	char *argv[] = {program, child_word, NULL};

	execv("/proc/self/exe", argv);
	_exit(98);
}

/* The id in the parent; what the child does first in the child, which then ends. */
static pid_t make_process(const char *how)
{
	pid_t pid;

	if (strcmp(how, "vfork") == 0) {
		pid = vfork();
		if (!pid)
			_exit(CHILD_CODE);
		return pid;
	}
	pid = strcmp(how, "clone") == 0 ? (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0) : fork();
	if (pid)
		return pid;
	if (strcmp(how, "exec") == 0)
		execute();
	if (strcmp(how, "double") == 0)
		fork();
	_exit(CHILD_CODE);
}

static void make(const char *how)
{
	int status = 0;
	pid_t pid;

	if (strcmp(how, "thread") == 0) {
		target_print("thread %d", (int)make_thread());
		return;
	}
	pid = make_process(how);
	if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
		target_fail(how);
	target_print("%s %d %d", how, (int)pid, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(int argc, char *argv[])
{
	char line[16];

	target_init(&argc, argv);
	if (argc > 1 && strcmp(argv[1], child_word) == 0)
		return CHILD_CODE;
	program = argv[0];
	target_ready("%d", (int)getpid());
	while (target_read_line(line, sizeof(line)))
		make(line);
	return 0;
}
