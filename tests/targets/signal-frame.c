/*
 * Spends most of its time in a signal handler, handler_spin(), below which a stack goes on through
 * the kernel's signal frame: "raise" gets there from a system call of outer(), "async" by a timer
 * that interrupts interrupted() anywhere, "alt" likewise, on an alternate signal stack. Ends when
 * stdin closes.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define ALTERNATE_SIZE (64 * 1024)

static volatile uint64_t sink;
static char alternate[ALTERNATE_SIZE];

static MEASURED void handler_spin(int number)
{
	for (int i = 0; i < 2000000; i++)
		sink = sink * 6364136223846793005u + (uint64_t)number;
}

static MEASURED void interrupted(void)
{
	uint64_t x = 1;

	for (int i = 0; i < 2000000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static MEASURED void outer(void)
{
	raise(SIGUSR1);
	sink++;
}

static bool told_to_end(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) > 0;
}

static void handle(int number, bool on_alternate)
{
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction action = {.sa_handler = handler_spin};

	action.sa_flags = SA_RESTART | (on_alternate ? SA_ONSTACK : 0);
	if (on_alternate && sigaltstack(&stack, NULL) < 0)
		target_fail("sigaltstack");
	if (sigaction(number, &action, NULL) < 0)
		target_fail("sigaction");
}

int main(int argc, char *argv[])
{
	const struct itimerval soon = {.it_value = {0, 500}};
	bool by_raise;

	target_init(&argc, argv);
	if (argc < 2)
		return 2;
	by_raise = strcmp(argv[1], "raise") == 0;
	handle(by_raise ? SIGUSR1 : SIGALRM, strcmp(argv[1], "alt") == 0);
	target_ready("%d", (int)getpid());
	while (!told_to_end()) {
		if (by_raise) {
			outer();
			continue;
		}
		/* Not again until it has returned: with a handler that takes longer than that, nothing else would run. */
		setitimer(ITIMER_REAL, &soon, NULL);
		interrupted();
	}
	return 0;
}
