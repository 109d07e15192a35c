/*
 * What job control does to a program on a terminal: says whether its process group is the
 * terminal's foreground one, then computes until Ctrl-C, which it answers with a line and exit
 * code 5. Ctrl-Z has its default effect; "continued" is said afterwards.
 */
#include <signal.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;
static volatile sig_atomic_t interrupts, continues;

static void note(int number)
{
	if (number == SIGINT)
		interrupts++;
	else
		continues++;
}

static MEASURED void compute(void)
{
	for (int i = 0; i < 1000000; i++)
		sink = sink * 6364136223846793005u + 1;
}

static void handle(int number)
{
	const struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};

	if (sigaction(number, &action, NULL) < 0)
		target_fail("sigaction");
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	handle(SIGINT);
	handle(SIGCONT);
	target_ready("%d %s", (int)getpid(),
		tcgetpgrp(STDIN_FILENO) == getpgrp() ? "foreground" : "background");
	while (interrupts == 0) {
		compute();
		if (continues > 0) {
			target_print("continued");
			continues = 0;
		}
	}
	target_print("interrupted");
	return 5;
}
