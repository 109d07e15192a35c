/*
 * Says which signals come, and with which value: SIGUSR1 and the real-time ones, each queued one.
 * Waits for them in a read() of stdin, or with the argument "spin" in no system call at all; in
 * both cases until stdin closes, at the latest.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;

static void note(int number, siginfo_t *info, void *context)
{
	int before = errno;

	if (number == SIGUSR1)
		target_print("usr1 %d", info->si_value.sival_int);
	else
		target_print("rt%d %d", number - SIGRTMIN, info->si_value.sival_int);
	errno = before;
}

static void handle(int number)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};

	/* One at a time, so that they are said in the order in which they are delivered. */
	sigfillset(&action.sa_mask);
	if (sigaction(number, &action, NULL) < 0)
		target_fail("sigaction");
}

static MEASURED void spin(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	while (poll(&in, 1, 0) <= 0) {
		for (int i = 0; i < 10000000; i++)
			sink = sink * 6364136223846793005u + 1;
	}
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	handle(SIGUSR1);
	for (int number = SIGRTMIN; number < SIGRTMIN + 3; number++)
		handle(number);
	target_ready("%d", (int)getpid());
	if (argc > 1 && strcmp(argv[1], "spin") == 0)
		spin();
	else
		target_wait_for_end();
	return 0;
}
