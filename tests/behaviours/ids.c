/*
 * Ids that are given out again: processes and threads that have, one after the other, the id of one
 * that has just ended. The kernel does so by itself when it has been through all of them; here it is
 * asked to, where that is permitted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum {
	LIVES = 30,
	/* somebody else may take the id, or the last one to have it is not quite gone */
	TRIES = 100000
};

static int say_not_permitted(void)
{
	target_print("not permitted here");
	return 0;
}

static int live(void)
{
	burn_us(2500);
	return 7;
}

/* Like fork(2), with this id. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args arguments = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
	pid_t child;
	int tries = 0;

	do {
		child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
	} while (child < 0 && errno == EEXIST && ++tries < TRIES);
	return child;
}

/* Every second one becomes another program. */
static int pids_again(void)
{
	pid_t pid = child_of(live);
	int right = 0;

	reap(pid);
	for (int i = 0; i < LIVES; i++) {
		pid_t child = fork_as(pid);

		if (child == 0) {
			if (i % 2)
				exec_again("/proc/self/exe", ".live");
			_exit(live());
		}
		if (child < 0 && errno == EPERM)
			return say_not_permitted();
		MUST(child == pid);
		right += reap(child) == 7 << 8;
	}
	target_print("%d right", right);
	return 0;
}

static atomic_int lives, last_tid;

static void *live_as_thread(void *unused)
{
	atomic_store(&last_tid, gettid());
	burn_us(700);
	atomic_fetch_add(&lives, 1);
	return unused;
}

static pid_t life_of_a_thread(void)
{
	pthread_join(thread_of(live_as_thread), NULL);
	return atomic_load(&last_tid);
}

static void ask_for(int file, pid_t tid)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", (int)tid - 1);

	MUST(pwrite(file, text, (size_t)length, 0) == length);
}

/* The id that the kernel has given out last is the one before. */
static int tids_again(void)
{
	int file = open("/proc/sys/kernel/ns_last_pid", O_RDWR | O_CLOEXEC), right = 0, made = 1;
	char text[16];
	pid_t tid;

	if (file < 0 || read(file, text, sizeof(text)) <= 0 ||
		pwrite(file, text, strlen("1"), 0) < 0)
		return say_not_permitted();
	tid = life_of_a_thread();
	for (int tries = 0; right < LIVES && tries < TRIES; tries++) {
		ask_for(file, tid);
		right += life_of_a_thread() == tid;
		made++;
	}
	close(file);
	target_print("%d right, none lost: %d", right, atomic_load(&lives) == made);
	return 0;
}

const struct behaviour id_behaviours[] = {
	{"pids-again", pids_again},
	{".live", live},
	{"tids-again", tids_again},
	{NULL, NULL},
};
