/* SIGTRAP is what the first argument says: "block", "ignore" or "handle". Nothing of that may have changed at the end. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void (*disposition)(int) = SIG_DFL;
	struct sigaction action;
	sigset_t blocked;

	if (strcmp(how, "ignore") == 0)
		disposition = SIG_IGN;
	else if (strcmp(how, "handle") == 0)
		disposition = on_trap;
	signal(SIGTRAP, disposition);
	if (strcmp(how, "block") == 0) {
		sigfillset(&blocked);
		sigprocmask(SIG_SETMASK, &blocked, NULL);
	}
	for (int i = 0; i < 20; i++)
		if (work(i) != i + 1)
			return 1;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigaction(SIGTRAP, NULL, &action);
	if (sigismember(&blocked, SIGTRAP) != (strcmp(how, "block") == 0) ||
		action.sa_handler != disposition)
		return 2;
	raise(SIGTRAP);
	return disposition == on_trap && handled != 1 ? 3 : 0;
}
