/* Computes while signals of a timer interrupt it; it never waits. */

#include "tests/cases/work.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile long signals;

static void on_alarm(int number)
{
	(void)number;
	signals++;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}};
	volatile double number = 1;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (has_work())
		for (int i = 0; i < 100000; i++)
			number = number * 1.0000001 + 0.1;
	return 0;
}
