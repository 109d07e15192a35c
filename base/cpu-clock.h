/*
 * The CPU clock of another process: the time of all its threads, including ended ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Zeroed is closed and valid. */
struct sprof_cpu_clock {
	bool is_open, has_timer;
	clockid_t id;
	timer_t timer;
};

/* Opens it before the first reading. Returns ns; 0: not known. */
uint64_t sprof_cpu_clock_read(struct sprof_cpu_clock *clock, pid_t pid);
void sprof_cpu_clock_close(struct sprof_cpu_clock *clock);
