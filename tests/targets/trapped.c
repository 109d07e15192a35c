/*
 * SIGTRAP is what the first argument says: "block" (it alone), "ignore" or "handle". The ready line has the address of
 * work(). At the test's word, a thread and main() call it a hundred times each, and main() says what SIGTRAP then is:
 * "blocked" or "free", and "default", "ignored" or "handled".
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { CALLS = 100 };

static void on_trap(int number)
{
}

__attribute__((noinline, noclone)) static int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

static void *work_often(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		if (work(i) != i + 1)
			target_fail("a result");
	}
	return NULL;
}

static void prepare(const char *how)
{
	sigset_t trap;

	if (!strcmp(how, "ignore"))
		signal(SIGTRAP, SIG_IGN);
	if (!strcmp(how, "handle"))
		signal(SIGTRAP, on_trap);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	if (!strcmp(how, "block"))
		sigprocmask(SIG_BLOCK, &trap, NULL);
}

static void say(void)
{
	struct sigaction action;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigaction(SIGTRAP, NULL, &action);
	target_print("%s %s", sigismember(&mask, SIGTRAP) ? "blocked" : "free",
		action.sa_handler == SIG_DFL           ? "default"
			: action.sa_handler == SIG_IGN ? "ignored"
						       : "handled");
}

int main(int argc, char *argv[])
{
	char line[64];
	pthread_t thread;

	target_init(&argc, argv);
	prepare(argc > 1 ? argv[1] : "");
	target_ready("%d %lx", getpid(), (long)work);
	if (!target_read_line(line, sizeof(line)) ||
		pthread_create(&thread, NULL, work_often, NULL))
		target_fail("a thread");
	work_often(NULL);
	pthread_join(thread, NULL);
	say();
	target_wait_for_end();
	return 0;
}
