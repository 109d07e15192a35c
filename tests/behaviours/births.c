/*
 * How processes and threads come to be: fork, vfork, posix_spawn, the kinds of clone, orphans,
 * other namespaces. How they end is in deaths.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 30, STACK = 64 * 1024 };

static volatile int shared_word;

static int exit_seven(void)
{
	burn_us(300);
	return 7;
}

static int forks(void)
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++)
		right += WEXITSTATUS(reap(child_of(exit_seven))) == 7;
	target_print("%d right", right);
	return 0;
}

/* Many at once, reaped as they come. */
static int forks_at_once(void)
{
	int right = 0, status;

	for (int i = 0; i < ROUNDS; i++)
		child_of(exit_seven);
	while (wait(&status) > 0)
		right += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	target_print("%d right, then %s", right, strerror(errno));
	return 0;
}

static pid_t vfork_once(int value)
{
	pid_t child = vfork();

	MUST(child >= 0);
	if (child == 0) {
		burn_us(1500);
		shared_word = value;
		_exit(3);
	}
	return child;
}

/* The parent stands still until the child has its own memory. */
static int vforks(void)
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++) {
		shared_word = 0;
		right += WEXITSTATUS(reap(vfork_once(i + 1))) == 3 && shared_word == i + 1;
	}
	target_print("%d right", right);
	return 0;
}

static int spawns(void)
{
	const char *const arguments[] = {"sh", "-c", "exit 5", NULL};
	int right = 0;

	for (int i = 0; i < ROUNDS / 2; i++) {
		pid_t child;

		MUST(posix_spawnp(&child, "sh", NULL, NULL, (char *const *)arguments, environ) ==
			0);
		right += WEXITSTATUS(reap(child)) == 5;
	}
	target_print("%d right", right);
	return 0;
}

/* A spawn that fails tells so, and leaves nothing. */
static int failing_spawns(void)
{
	const char *const arguments[] = {"nothing", NULL};
	int failed = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t child;

		failed += posix_spawn(&child, "/no/such/file", NULL, NULL, (char *const *)arguments,
				  environ) == ENOENT;
	}
	target_print("%d failed, %s", failed, wait(NULL) < 0 ? strerror(errno) : "a child");
	return 0;
}

static int set_word(void *data)
{
	burn_us(800);
	shared_word = (int)(intptr_t)data;
	return 4;
}

static pid_t clone_with(int flags, int value)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	MUST(stack != MAP_FAILED);
	child = clone(set_word, &stack[STACK], flags, (void *)(intptr_t)value);
	MUST(child >= 0);
	return child;
}

static int clones(int flags, bool shares)
{
	int right = 0;

	for (int i = 1; i <= ROUNDS; i++) {
		shared_word = 0;
		right += WEXITSTATUS(reap(clone_with(flags, i))) == 4;
		right += shared_word == (shares ? i : 0);
	}
	target_print("%d right", right);
	return 0;
}

static int clone_plain(void)
{
	return clones(SIGCHLD, false);
}

static int clone_vm(void)
{
	return clones(CLONE_VM | SIGCHLD, true);
}

static int clone_vm_files(void)
{
	return clones(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, true);
}

/* It ends without a signal: only a wait that asks for such children sees it. */
static int clone_silent(void)
{
	return clones(CLONE_VM, true);
}

static int clone_other_signal(void)
{
	signal(SIGUSR1, SIG_IGN);
	return clones(SIGUSR1, false);
}

static int clone_untraced(void)
{
	return clones(CLONE_UNTRACED | SIGCHLD, false);
}

static int clone_vfork(void)
{
	return clones(CLONE_VM | CLONE_VFORK | SIGCHLD, true);
}

/* A child of our parent: a sister. */
static int make_sister(void)
{
	pid_t sister = clone_with(CLONE_PARENT | SIGCHLD, 1);

	burn_us(500);
	return wait(NULL) < 0 && errno == ECHILD && sister > 0 ? 6 : 1;
}

static int clone_parent(void)
{
	int statuses[2] = {0, 0};

	for (int i = 0; i < 10; i++) {
		int first;

		child_of(make_sister);
		MUST(wait(&first) > 0);
		statuses[0] += WEXITSTATUS(first);
		MUST(wait(&first) > 0);
		statuses[1] += WEXITSTATUS(first);
	}
	target_print("sum %d", statuses[0] + statuses[1]);
	return 0;
}

/* With a descriptor for the process (clone3(2)). */
static int clone_pidfd(void)
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++) {
		siginfo_t info;
		int fd = -1;
		struct {
			uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, size, tls;
		} arguments = {
			.flags = CLONE_PIDFD, .pidfd = (uintptr_t)&fd, .exit_signal = SIGCHLD};
		pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

		MUST(child >= 0);
		if (child == 0)
			_exit(exit_seven());
		MUST(waitid((idtype_t)3 /* P_PIDFD */, (id_t)fd, &info, WEXITED) == 0);
		right += info.si_status == 7 && info.si_pid == child;
		close(fd);
	}
	target_print("%d right", right);
	return 0;
}

static int orphan_pipe[2];
static pid_t middle;

static int grandchild(void)
{
	while (getppid() == middle)
		burn_us(100);
	MUST(write(orphan_pipe[1], &(int){getppid()}, sizeof(int)) == sizeof(int));
	return 9;
}

static int leave_an_orphan(void)
{
	middle = getpid();
	child_of(grandchild);
	burn_us(1000);
	return 8;
}

/* An orphan comes to the nearest ancestor that asked for them. */
static int orphans_come_home(void)
{
	int parent, right = 0;

	MUST(pipe(orphan_pipe) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
	for (int i = 0; i < 10; i++) {
		int status;

		reap(child_of(leave_an_orphan));
		MUST(read(orphan_pipe[0], &parent, sizeof(parent)) == sizeof(parent));
		MUST(wait(&status) > 0);
		right += parent == getpid() && WEXITSTATUS(status) == 9;
	}
	target_print("%d right", right);
	return 0;
}

/* Outlives its first process, whose end closes the pipe; it has no terminal and no parent of it. */
static int serve(void)
{
	char byte;

	setsid();
	if (fork() > 0)
		_exit(0);
	close(orphan_pipe[1]);
	burn_us(30000);
	MUST(read(orphan_pipe[0], &byte, 1) == 0);
	target_print("the daemon's last word");
	return 0;
}

static int daemon_outlives(void)
{
	MUST(pipe(orphan_pipe) == 0);
	reap(child_of(serve));
	target_print("the first process ends");
	return 3;
}

/* Threads. */

static atomic_int sum;

static void *add_one(void *unused)
{
	atomic_fetch_add(&sum, 1);
	return unused;
}

static int thread_storm(void)
{
	for (int i = 0; i < 150; i++) {
		pthread_t threads[8];

		for (int j = 0; j < 8; j++)
			threads[j] = thread_of(add_one);
		for (int j = 0; j < 8; j++)
			pthread_join(threads[j], NULL);
	}
	target_print("%d threads", atomic_load(&sum));
	return 0;
}

static void *fork_some(void *unused)
{
	for (int i = 0; i < 8; i++)
		atomic_fetch_add(&sum, WEXITSTATUS(reap(child_of(exit_seven))));
	return unused;
}

static int forks_of_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		threads[i] = thread_of(fork_some);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	target_print("sum %d", atomic_load(&sum));
	return 0;
}

/* Namespaces: as root, or in a user namespace where that is permitted. */

static int tell_ids(void)
{
	burn_us(5000);
	for (int i = 0; i < 8; i++)
		pthread_join(thread_of(add_one), NULL);
	target_print("pid %d, parent %d, child %s, %d threads", getpid(), getppid(),
		status_text(reap(child_of(exit_seven))), atomic_load(&sum));
	return 2;
}

static int unshared(int flags, int (*body)(void))
{
	if (unshare(flags | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0) {
		target_print("not permitted here");
		return 0;
	}
	target_print("%s", status_text(reap(child_of(body))));
	return 0;
}

static int pid_namespace(void)
{
	return unshared(CLONE_NEWPID, tell_ids);
}

static int user_namespace(void)
{
	if (unshare(CLONE_NEWUSER) < 0) {
		target_print("not permitted here");
		return 0;
	}
	burn_us(20000);
	target_print("uid %d, child: %s", (int)getuid(), status_text(reap(child_of(exit_seven))));
	return 0;
}

static int mount_and_run(void)
{
	int file;

	burn_us(5000);
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0)
		return 1;
	file = open("/tmp/here-only", O_CREAT | O_WRONLY, 0600);
	burn_us(20000);
	return file >= 0 && access("/tmp/here-only", F_OK) == 0 ? 0 : 2;
}

static int mount_namespace(void)
{
	return unshared(CLONE_NEWNS, mount_and_run);
}

const struct behaviour birth_behaviours[] = {
	{"forks", forks},
	{"forks-at-once", forks_at_once},
	{"vforks", vforks},
	{"spawns", spawns},
	{"failing-spawns", failing_spawns},
	{"clone-plain", clone_plain},
	{"clone-vm", clone_vm},
	{"clone-vm-files", clone_vm_files},
	{"clone-silent", clone_silent},
	{"clone-other-signal", clone_other_signal},
	{"clone-untraced", clone_untraced},
	{"clone-vfork", clone_vfork},
	{"clone-parent", clone_parent},
	{"clone-pidfd", clone_pidfd},
	{"orphans-come-home", orphans_come_home},
	{"daemon-outlives", daemon_outlives},
	{"thread-storm", thread_storm},
	{"forks-of-threads", forks_of_threads},
	{"pid-namespace", pid_namespace},
	{"user-namespace", user_namespace},
	{"mount-namespace", mount_namespace},
	{NULL, NULL},
};
