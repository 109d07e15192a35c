/*
 * Makes one child in the way it is told (fork, vfork, exec, spawn, or double: the grandchild
 * outlives its parent), which computes for a while in child_work() and exits with 7; the parent
 * computes in parent_work(), then checks the exit code and prints the child's pid. As its own
 * child's program it is called with "child".
 */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define CHILD_CODE 7

static volatile uint64_t sink;
static char child_word[] = "child";

static MEASURED void child_work(void)
{
	for (long i = 0; i < 100000000; i++)
		sink = sink * 6364136223846793005u + 1;
}

static MEASURED void parent_work(void)
{
	for (long i = 0; i < 50000000; i++)
		sink = sink * 6364136223846793005u + 3;
}

static _Noreturn void be_child(void)
{
	child_work();
	_exit(CHILD_CODE);
}

static _Noreturn void exec_child(char *program)
{
	char *argv[] = {program, child_word, NULL};

	execv("/proc/self/exe", argv);
	_exit(98);
}

static pid_t start_vforked(char *program)
{
	pid_t pid = vfork();

	if (pid == 0)
		exec_child(program);
	return pid;
}

static pid_t start_spawned(char *program)
{
	char *argv[] = {program, child_word, NULL};
	pid_t pid;

	return posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) == 0 ? pid : -1;
}

static pid_t start_forked(char *program, bool with_exec)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (with_exec)
		exec_child(program);
	be_child();
}

/* The child leaves the work to a grandchild and ends at once, with the code that is expected of it.
 */
static pid_t start_double(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (fork() == 0)
		be_child();
	_exit(CHILD_CODE);
}

static pid_t start_child(char *program, const char *how)
{
	if (strcmp(how, "vfork") == 0)
		return start_vforked(program);
	if (strcmp(how, "spawn") == 0)
		return start_spawned(program);
	if (strcmp(how, "double") == 0)
		return start_double();
	return start_forked(program, strcmp(how, "exec") == 0);
}

int main(int argc, char *argv[])
{
	int status;
	pid_t pid;

	target_init(&argc, argv);
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], child_word) == 0)
		be_child();
	target_ready("%d", (int)getpid());
	pid = start_child(argv[0], argv[1]);
	parent_work();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		target_fail("the child");
	target_print("child %d", (int)pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CODE ? 0 : 1;
}
