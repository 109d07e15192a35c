/*
 * Computes while a timer sends it a signal each 200 us, and never blocks, until N have come: `alarms N`.
 */
#include <signal.h>
#include <sys/time.h>

#include "tests/targets/target.h"

static volatile sig_atomic_t count;
static volatile uint64_t spun;

static void handle(int number)
{
	count++;
}

int main(int argc, char *argv[])
{
	const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 200}, {0, 200}};
	long wanted;

	target_init(&argc, argv);
	wanted = target_number(argc, argv, 1, 1000);
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		target_fail("setitimer");
	while (count < wanted)
		spun++;
	return 0;
}
