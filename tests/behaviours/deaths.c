/*
 * How processes and threads end: by a signal from outside at any moment, with threads left over, as
 * zombies, by the death of their parent, by a filter of system calls.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/regs/regs.h"
#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 30, THREADS = 4 };

static void *sleep_long(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int compute_in_threads(void)
{
	for (int i = 1; i < THREADS; i++)
		thread_of(i % 2 ? burn_on : sleep_long);
	burn_on(NULL);
	return 0;
}

static int killed_at_any_moment(void)
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = child_of(compute_in_threads);

		burn_us(97 * (unsigned)(i + 1));
		kill(child, SIGKILL);
		right += reap(child) == SIGKILL;
	}
	target_print("%d right", right);
	return 0;
}

/* Every signal that ends a program by itself. */
static int end_by(int number)
{
	leave_no_core();
	burn_us(1200);
	raise(number);
	return 1;
}

static int death_by_each_signal(void)
{
	for (int number = 1; number <= SIGRTMAX; number++) {
		pid_t child;

		if (number == SIGCHLD || number == SIGCONT || number == SIGURG ||
			number == SIGWINCH || (number >= SIGSTOP && number <= SIGTTOU) ||
			(number > 31 && number < SIGRTMIN))
			continue;
		child = fork();
		if (child == 0)
			_exit(end_by(number));
		target_print("%d: %s", number, status_text(reap(child)));
	}
	return 0;
}

static int dies_itself(void)
{
	leave_no_core();
	burn_us(20000);
	raise(SIGABRT);
	return 0;
}

static int dies_of_a_real_time_signal(void)
{
	burn_us(20000);
	raise(SIGRTMIN + 5);
	return 0;
}

static int exits_with_255(void)
{
	burn_us(20000);
	return 255;
}

static void *exit_later(void *unused)
{
	burn_us(60000);
	target_print("the last thread");
	exit(11);
	return unused;
}

static int leader_ends_first(void)
{
	thread_of(exit_later);
	thread_of(burn_on);
	burn_us(10000);
	pthread_exit(NULL);
}

static void *end_later(void *unused)
{
	burn_us(30000);
	return unused;
}

/* Without an exit(): the end of the last thread is the end of the process, with 0. */
static int all_threads_end(void)
{
	for (int i = 0; i < THREADS; i++)
		thread_of(end_later);
	pthread_exit(NULL);
}

static void *exit_now(void *unused)
{
	burn_us(500);
	_exit(12);
	return unused;
}

static int exit_in_many_threads(void)
{
	for (int i = 0; i < THREADS; i++)
		thread_of(exit_now);
	burn_on(NULL);
	return 0;
}

static int exits_race(void)
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++)
		right += WEXITSTATUS(reap(child_of(exit_in_many_threads))) == 12;
	target_print("%d right", right);
	return 0;
}

static char state_of(pid_t pid)
{
	char path[64], text[512];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	MUST(file != NULL && fgets(text, sizeof(text), file) != NULL);
	fclose(file);
	return strrchr(text, ')')[2];
}

static int exit_five(void)
{
	burn_us(300);
	return 5;
}

/* A child that nobody has reaped yet stays one, and can be looked at twice. */
static int zombies(void)
{
	pid_t children[10];
	int right = 0;
	siginfo_t info;

	for (int i = 0; i < 10; i++)
		children[i] = child_of(exit_five);
	for (int i = 0; i < 10; i++) {
		MUST(waitid(P_PID, (id_t)children[i], &info, WEXITED | WNOWAIT) == 0);
		right += info.si_status == 5 && state_of(children[i]) == 'Z';
	}
	burn_us(20000);
	for (int i = 0; i < 10; i++)
		right += WEXITSTATUS(reap(children[i])) == 5;
	target_print("%d right, then %s", right, wait(NULL) < 0 ? strerror(errno) : "one more");
	return 0;
}

/* Whoever ignores SIGCHLD has no zombies, and a wait that ends when the last child has. */
static int children_without_wait(void)
{
	int status = 0;

	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 10; i++)
		child_of(exit_five);
	while (wait(&status) > 0)
		target_print("a child that should not be there");
	target_print("%s, %d", strerror(errno), status);
	return 0;
}

static volatile sig_atomic_t children_ended, statuses;

static void note_child(int number, siginfo_t *info, void *context)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0) {
		children_ended++;
		statuses += WEXITSTATUS(status);
	}
}

static int reaping_in_a_handler(void)
{
	handle(SIGCHLD, note_child, SA_RESTART);
	for (int i = 0; i < ROUNDS; i++) {
		child_of(exit_five);
		burn_us(200);
	}
	while (children_ended < ROUNDS)
		burn_us(100);
	target_print("%d, %d", (int)children_ended, (int)statuses);
	return 0;
}

static int end_pipe[2];

static void note_parents_death(int number, siginfo_t *info, void *context)
{
	MUST(write(end_pipe[1], "d", 1) == 1);
	_exit(0);
}

static int outlive_parent(void)
{
	handle(SIGUSR2, note_parents_death, 0);
	MUST(prctl(PR_SET_PDEATHSIG, SIGUSR2) == 0);
	MUST(write(end_pipe[1], "r", 1) == 1);
	burn_on(NULL);
	return 0;
}

static int parent_of_one(void)
{
	char byte;

	child_of(outlive_parent);
	MUST(read(end_pipe[0], &byte, 1) == 1 && byte == 'r');
	burn_us(500);
	return 0;
}

static int death_of_the_parent(void)
{
	int right = 0;

	MUST(pipe(end_pipe) == 0);
	for (int i = 0; i < 10; i++) {
		char byte = 0;

		reap(child_of(parent_of_one));
		MUST(read(end_pipe[0], &byte, 1) == 1);
		right += byte == 'd';
	}
	target_print("%d right", right);
	return 0;
}

/* Who waits for the child of a vfork(2) can't be stopped meanwhile, but killed. */
static int wait_in_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		MUST(write(end_pipe[1], "r", 1) == 1);
		sleep_long(NULL);
	}
	return 1;
}

static int killed_in_vfork(void)
{
	int right = 0;

	MUST(pipe(end_pipe) == 0);
	for (unsigned i = 0; i < 10; i++) {
		pid_t child = child_of(wait_in_vfork);
		char byte;

		MUST(read(end_pipe[0], &byte, 1) == 1);
		burn_us(400 * i);
		kill(child, SIGKILL);
		right += reap(child) == SIGKILL;
	}
	target_print("%d right", right);
	return 0;
}

/* A filter that answers getppid() in its own way. */
static void filter_getppid(uint32_t action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static int filtered_error(void)
{
	int right = 0;

	filter_getppid(SECCOMP_RET_ERRNO | EDOM);
	for (int i = 0; i < 100; i++) {
		right += syscall(SYS_getppid) < 0 && errno == EDOM;
		burn_us(300);
	}
	target_print("%d right", right);
	return 0;
}

static volatile sig_atomic_t filtered;

static void note_filtered(int number, siginfo_t *info, void *context)
{
	filtered += info->si_syscall == SYS_getppid;
}

static int filtered_signal(void)
{
	handle(SIGSYS, note_filtered, 0);
	filter_getppid(SECCOMP_RET_TRAP);
	for (int i = 0; i < 100; i++) {
		syscall(SYS_getppid);
		burn_us(300);
	}
	target_print("%d right", (int)filtered);
	return 0;
}

static int call_and_die(void)
{
	leave_no_core();
	filter_getppid(SECCOMP_RET_KILL_PROCESS);
	burn_us(1500);
	syscall(SYS_getppid);
	return 0;
}

static int filtered_death(void)
{
	for (int i = 0; i < 10; i++)
		target_print("%s", status_text(reap(child_of(call_and_die))));
	return 0;
}

/* Where no tracer takes part in the filter, the call is not there. */
static int filtered_for_a_tracer(void)
{
	int right = 0;

	filter_getppid(SECCOMP_RET_TRACE);
	for (int i = 0; i < 100; i++) {
		right += syscall(SYS_getppid) < 0 && errno == ENOSYS;
		burn_us(200);
	}
	target_print("%d right", right);
	return 0;
}

static int undumpable(void)
{
	MUST(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
	burn_us(10000);
	thread_of(end_later);
	target_print("%s, dumpable %d", status_text(reap(child_of(exit_five))),
		prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	burn_us(20000);
	return 4;
}

static void touch_nothing(void)
{
	*(volatile char *)0 = 1;
}

static void trap_now(void)
{
	SPROF_TRAP;
}

static void call_forbidden(void)
{
	filter_getppid(SECCOMP_RET_TRAP);
	syscall(SYS_getppid);
}

static void (*fault)(void);

static int fault_it(void)
{
	leave_no_core();
	burn_us(2000);
	fault();
	return 7;
}

/* A user who may not make a namespace shows what any other process does. */
static int first_of_a_namespace(void)
{
	if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		return 0;
	target_print("%s", status_text(reap(child_of(fault_it))));
	return 0;
}

/* A signal without a handler does not kill the first process of a container. Its own fault does. */
static int faults_of_the_first_process(void)
{
	static void (*const faults[])(void) = {
		touch_nothing, abort, trap_now, long_trap, call_forbidden};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		fault = faults[i];
		reap(child_of(first_of_a_namespace));
	}
	return 0;
}

/* Both ends of a pipe. */
static int write_on(void)
{
	for (;;) {
		burn_us(100);
		if (write(end_pipe[1], "x", 1) < 0)
			return 1;
	}
}

static int broken_pipe(void)
{
	int right = 0;

	for (int i = 0; i < 10; i++) {
		pid_t child;
		char byte;

		MUST(pipe(end_pipe) == 0);
		child = fork();
		if (child == 0) {
			close(end_pipe[0]);
			_exit(write_on());
		}
		close(end_pipe[1]);
		MUST(read(end_pipe[0], &byte, 1) == 1);
		close(end_pipe[0]);
		right += WTERMSIG(reap(child)) == SIGPIPE;
	}
	target_print("%d right", right);
	return 0;
}

const struct behaviour death_behaviours[] = {
	{"killed-at-any-moment", killed_at_any_moment},
	{"killed-in-vfork", killed_in_vfork},
	{"death-by-each-signal", death_by_each_signal},
	{"dies-itself", dies_itself},
	{"dies-of-a-real-time-signal", dies_of_a_real_time_signal},
	{"exits-with-255", exits_with_255},
	{"leader-ends-first", leader_ends_first},
	{"all-threads-end", all_threads_end},
	{"exits-race", exits_race},
	{"zombies", zombies},
	{"children-without-wait", children_without_wait},
	{"reaping-in-a-handler", reaping_in_a_handler},
	{"death-of-the-parent", death_of_the_parent},
	{"filtered-error", filtered_error},
	{"filtered-signal", filtered_signal},
	{"filtered-death", filtered_death},
	{"filtered-for-a-tracer", filtered_for_a_tracer},
	{"undumpable", undumpable},
	{"faults-of-the-first-process", faults_of_the_first_process},
	{"broken-pipe", broken_pipe},
	{NULL, NULL},
};
