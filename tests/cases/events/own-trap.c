/*
 * SIGTRAP is what the first argument says, and nothing of that may have changed at the end:
 *
 *   block       with all other signals    one         alone            ignore
 *   handle      by a handler              both        by a handler, and blocked with all others
 *   handler     work is called by the handler of another signal, which blocks SIGTRAP alone meanwhile
 *   exec        ignored, also by the program that this one executes
 *   thread      blocked, also by a thread that is born then
 *   raise       handled, and raised in the midst of the work: the handler blocks it while it runs
 */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_trap(int number)
{
	(void)number;
	handled++;
}

__attribute__((noinline, noclone)) int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

static void work_often(int times)
{
	for (int i = 0; i < times; i++)
		if (work(i) != i + 1)
			_exit(1);
}

static int is_blocked(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, SIGTRAP);
}

static void on_other(int number)
{
	(void)number;
	work_often(10);
	if (!is_blocked())
		_exit(4);
}

static void work_in_handler(void)
{
	struct sigaction action = {.sa_handler = on_other};

	sigaddset(&action.sa_mask, SIGTRAP);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	work_often(10);
}

static void block(int all)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	if (all)
		sigfillset(&blocked);
	sigaddset(&blocked, SIGTRAP);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static void unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void *work_in_thread(void *unused)
{
	work_often(20);
	if (!is_blocked())
		_exit(7);
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const int blocks = !strcmp(how, "block") || !strcmp(how, "one") || !strcmp(how, "both");
	const int ignores = !strcmp(how, "ignore") || !strcmp(how, "exec");
	const int handles = !strcmp(how, "handle") || !strcmp(how, "both") || !strcmp(how, "raise");
	void (*const disposition)(int) = ignores ? SIG_IGN : handles ? on_trap : SIG_DFL;
	struct sigaction action;

	if (strcmp(how, "inherited"))
		signal(SIGTRAP, disposition);
	if (blocks)
		block(strcmp(how, "one"));
	if (!strcmp(how, "handler"))
		work_in_handler();
	else
		work_often(10);
	if (!strcmp(how, "thread")) {
		pthread_t thread;

		block(0);
		return pthread_create(&thread, NULL, work_in_thread, NULL) ||
			pthread_join(thread, NULL);
	}
	if (!strcmp(how, "raise")) {
		raise(SIGTRAP);
		work_often(10);
		return is_blocked() || handled != 1 ? 6 : 0;
	}
	if (strcmp(how, "handler"))
		work_often(10);
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], "inherited", (char *)NULL);
	sigaction(SIGTRAP, NULL, &action);
	if (!strcmp(how, "inherited"))
		return action.sa_handler == SIG_IGN ? 0 : 5;
	if (is_blocked() != blocks || action.sa_handler != disposition)
		return 2;
	if (!strcmp(how, "handler"))
		return 0;
	raise(SIGTRAP);
	if (handles && blocks)
		unblock();
	return handles && handled != 1 ? 3 : 0;
}
