/* A program says when it is where it shall be looked at; it stays there until it is killed. */

#pragma once

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, unused))

static inline void say_ready(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		abort();
}
