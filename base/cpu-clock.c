/*
 * The kernel adds up the times of all threads for each reading: 0.15 ms for a thousand. While the
 * process has a timer of that clock, the kernel keeps the sum itself
 * (kernel/time/posix-cpu-timers.c, cpu_clock_sample_group). So a timer is set that never expires.
 * On CPUs without ticks (nohz_full=) it would bring the ticks back, so machines with such CPUs get
 * none. Does not handle threads.
 */
#include "base/cpu-clock.h"

#include <ctype.h>
#include <signal.h>

#include "base/clock.h"
#include "base/proc.h"

/* Thirty years of CPU time. */
static const struct itimerspec NEVER = {.it_value = {.tv_sec = 1000 * 1000 * 1000}};

/*
 * The kernel shows a list of CPUs, an empty line, or "(null)" (drivers/base/cpu.c,
 * print_cpus_nohz_full).
 */
static bool has_tickless_cpus(void)
{
	char list[32];

	return sprof_proc_read_path("/sys/devices/system/cpu/nohz_full", list, sizeof(list)) > 0 &&
		isdigit((unsigned char)list[0]);
}

static void open_clock(struct sprof_cpu_clock *clock, pid_t pid)
{
	/* A timer without a signal does not make the kernel keep the sum. */
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};

	clock->is_open = !clock_getcpuclockid(pid, &clock->id);
	clock->has_timer = clock->is_open && !has_tickless_cpus() &&
		!timer_create(clock->id, &event, &clock->timer);
	if (clock->has_timer)
		timer_settime(clock->timer, 0, &NEVER, NULL);
}

uint64_t sprof_cpu_clock_read(struct sprof_cpu_clock *clock, pid_t pid)
{
	struct timespec time;

	if (!clock->is_open)
		open_clock(clock, pid);
	if (!clock->is_open || clock_gettime(clock->id, &time))
		return 0;
	return (uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec;
}

void sprof_cpu_clock_close(struct sprof_cpu_clock *clock)
{
	if (clock->has_timer)
		timer_delete(clock->timer);
	*clock = (struct sprof_cpu_clock){0};
}
