/*
 * A thread of a child, not its leader, executes the program anew when a line comes on stdin, or its end. As
 * soon as it has given its id back, another child gets it. Says "thread PID TID" before, "born PID" and
 * "executed PID" then, and "denied" where ids can't be chosen. The thread calls getppid() three times
 * before and five times afterwards, the other child seven times.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { MEMORY_SIZE = 128 << 20, CALLS_BEFORE = 3, CALLS_AFTER = 5, CALLS_OF_OTHER = 7 };

static char after_word[] = "after";
static int ids[2], orders[2];

static void call(int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* Which the kernel frees between the id and the report of the exec: that takes a while. */
static void take_memory(void)
{
	if (mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
		target_fail("mmap");
}

static void *execute(void *program)
{
	char *argv[] = {program, after_word, NULL};
	const pid_t id = gettid();
	char order;

	call(CALLS_BEFORE);
	target_print("thread %d %d", (int)getpid(), (int)id);
	if (write(ids[1], &id, sizeof(id)) == sizeof(id) && read(orders[0], &order, 1) == 1)
		execv("/proc/self/exe", argv);
	_exit(98);
}

static void run_child(char *program)
{
	pthread_t executing;

	take_memory();
	if (pthread_create(&executing, NULL, execute, program) != 0)
		target_fail("pthread_create");
	pthread_join(executing, NULL);
}

static void wait_for_end_after(int calls, const char *what)
{
	call(calls);
	target_print("%s %d", what, (int)getpid());
	target_wait_for_end();
	_exit(0);
}

/* Starts a child with this id. Until an exec frees the id, another thread has it. */
static pid_t fork_as(pid_t id)
{
	const struct clone_args how = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&id, .set_tid_size = 1};
	long child;

	do
		child = syscall(SYS_clone3, &how, sizeof(how));
	while (child < 0 && errno == EEXIST);
	return (pid_t)child;
}

int main(int argc, char *argv[])
{
	char line[8];
	pid_t id, child;

	target_init(&argc, argv);
	if (argc > 1 && strcmp(argv[1], after_word) == 0)
		wait_for_end_after(CALLS_AFTER, "executed");
	if (pipe(ids) || pipe(orders))
		target_fail("pipe");
	target_ready("%d", (int)getpid());
	if (!fork())
		run_child(argv[0]);
	if (read(ids[0], &id, sizeof(id)) != sizeof(id))
		target_fail("read the id");
	(void)target_read_line(line, sizeof(line));
	if (write(orders[1], "x", 1) != 1)
		target_fail("write the order");
	child = fork_as(id);
	if (!child)
		wait_for_end_after(CALLS_OF_OTHER, "born");
	if (child < 0)
		target_print("denied");
	target_wait_for_end();
	while (wait(NULL) > 0)
		;
	return 0;
}
