/*
 * Reads the kernel's figures at each stop: exact, because the thread is on no CPU. Does not judge
 * them: cmd/functions/window-times.c does.
 */
#include "events/functions/stop-times.h"

#include "base/clock.h"
#include "events/functions/follow-cpu.h"

/* Where the thread runs is looked up at every eighth stop. */
enum { LOOK_WHERE = 8 };

static void read_figures(struct sprof_stop_times *times, struct sprof_thread *thread)
{
	const struct sprof_proc_schedstat before = times->schedstat;
	struct sprof_breakpoint_load *load = &times->load;

	if (!sprof_thread_read_schedstat(thread, &times->schedstat))
		times->schedstat = (struct sprof_proc_schedstat){0};
	load->cpu_ns = times->schedstat.cpu_ns - before.cpu_ns;
	load->runq_ns = times->schedstat.runq_ns - before.runq_ns;
	load->all_runq_ns = times->schedstat.runq_ns;
	load->slices = times->schedstat.timeslices - before.timeslices;
}

void sprof_stop_times_begin_gap(struct sprof_stop_times *times, struct sprof_thread *thread)
{
	times->passed_ns = sprof_clock_now_ns();
	read_figures(times, thread);
}

void sprof_stop_times_begin(struct sprof_stop_times *times, struct sprof_thread *thread,
	uint64_t now_ns, bool with_figures)
{
	struct sprof_breakpoint_load *load = &times->load;

	load->stopped_ns = now_ns;
	load->gap_ns = times->passed_ns ? now_ns - times->passed_ns : 0;
	if (!with_figures)
		return;
	read_figures(times, thread);
	if (load->stops % LOOK_WHERE == 0)
		load->is_elsewhere = sprof_follow_cpu_is_elsewhere(thread);
}

void sprof_stop_times_end(struct sprof_stop_times *times, uint64_t began_ns, uint64_t passed_ns)
{
	times->passed_ns = passed_ns;
	times->load.stops++;
	times->load.read_ns += passed_ns - began_ns;
}
