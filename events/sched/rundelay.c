/*
 * Chooses a source and passes its records to delays.h in order of time. Does not write messages
 * about the choice, nor decide when to poll.
 */
#include "events/sched/rundelay.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "events/sched/threads.h"

/*
 * A reading costs about 5 us per thread. One of all threads each 0.2 ms times their number takes a
 * fortieth of a CPU.
 */
static const uint64_t reading_ns_per_thread = 200 * SPROF_NS_PER_US;
/* How often the threads are listed again only to narrow the filter. */
static const uint64_t list_period_ns = 10ull * SPROF_NS_PER_S;

static bool begin_tracepoints(struct sprof_rundelay *rundelay)
{
	if (sprof_sched_tracepoints_begin(&rundelay->tracepoints, rundelay->pid,
		    rundelay->ring_size, &rundelay->no_tracepoints))
		return true;
	sprof_sched_tracepoints_finish(&rundelay->tracepoints);
	return false;
}

static bool begin_switches(struct sprof_rundelay *rundelay)
{
	if (sprof_switches_begin(&rundelay->switches, rundelay->pid, &rundelay->no_switches))
		return true;
	sprof_switches_finish(&rundelay->switches);
	return false;
}

static enum sprof_rundelay_source choose(
	struct sprof_rundelay *rundelay, enum sprof_rundelay_request request)
{
	if (request == SPROF_RUNDELAY_PROC)
		return SPROF_RUNDELAY_SCHEDSTAT;
	if (begin_tracepoints(rundelay)) {
		/* Without them, the tracepoints are still the best source. */
		rundelay->has_both = begin_switches(rundelay);
		return SPROF_RUNDELAY_TRACEPOINTS;
	}
	return begin_switches(rundelay) ? SPROF_RUNDELAY_SWITCHES : SPROF_RUNDELAY_SCHEDSTAT;
}

/* `last` is from before the threads were listed, so that no birth is missed in between. */
static bool list_threads(struct sprof_rundelay *rundelay, struct sprof_tids *tids)
{
	const pid_t last = sprof_last_tid();

	if (!sprof_tids_list(rundelay->pid, tids))
		return false;
	if (rundelay->source == SPROF_RUNDELAY_TRACEPOINTS && last) {
		sprof_sched_tracepoints_filter(
			&rundelay->tracepoints, tids->items, tids->count, last);
		rundelay->delays.filtered_up_to = last;
		rundelay->delays.filtered_ns = sprof_clock_now_ns();
	}
	return true;
}

enum sprof_rundelay_begun sprof_rundelay_begin(
	struct sprof_rundelay *rundelay, pid_t pid, const struct sprof_rundelay_options *options)
{
	struct sprof_tids tids = {0};
	bool listed;

	*rundelay = (struct sprof_rundelay){
		.pid = pid, .previous_ns = sprof_clock_now_ns(), .ring_size = options->ring_size};
	rundelay->source = choose(rundelay, options->request);
	if (rundelay->source == SPROF_RUNDELAY_SCHEDSTAT && options->request == SPROF_RUNDELAY_PERF)
		return rundelay->no_switches.reason == SPROF_PERF_GONE ? SPROF_RUNDELAY_GONE
								       : SPROF_RUNDELAY_DENIED;
	rundelay->delays.interval_begin_ns = rundelay->previous_ns;
	rundelay->delays.options = (struct sprof_delay_options){
		.than_ns = options->than_ns,
		.per_thread = options->per_thread,
		.has_switches = rundelay->source != SPROF_RUNDELAY_SCHEDSTAT,
		.has_wakeups = rundelay->source == SPROF_RUNDELAY_TRACEPOINTS,
		.noted = options->noted,
		.data = options->data,
	};
	listed = list_threads(rundelay, &tids);
	if (listed) {
		sprof_sched_threads_add(&rundelay->delays, pid, &tids);
		sprof_sched_threads_read(&rundelay->order, pid, &tids);
	}
	free(tids.items);
	return listed ? SPROF_RUNDELAY_BEGUN : SPROF_RUNDELAY_GONE;
}

int sprof_rundelay_fd(const struct sprof_rundelay *rundelay)
{
	switch (rundelay->source) {
	case SPROF_RUNDELAY_TRACEPOINTS:
		return rundelay->tracepoints.rings.poll_fd;
	case SPROF_RUNDELAY_SWITCHES:
		return rundelay->switches.rings.poll_fd;
	case SPROF_RUNDELAY_SCHEDSTAT:
		break;
	}
	return -1;
}

static void read_rings(struct sprof_rundelay *rundelay)
{
	if (rundelay->source == SPROF_RUNDELAY_TRACEPOINTS)
		sprof_sched_tracepoints_read(&rundelay->tracepoints, &rundelay->order);
	if (rundelay->source == SPROF_RUNDELAY_SWITCHES || rundelay->has_both)
		sprof_switches_read(&rundelay->switches, &rundelay->order);
}

/* Also adds threads whose BIRTH record is lost, and ends those whose EXIT record is. */
static void read_threads(struct sprof_rundelay *rundelay, uint64_t now_ns)
{
	const bool is_proc = rundelay->source == SPROF_RUNDELAY_SCHEDSTAT;
	const bool has_filter = rundelay->source == SPROF_RUNDELAY_TRACEPOINTS;
	const bool has_lost = rundelay->lost_before != rundelay->delays.lost;
	struct sprof_tids tids = {0};
	bool listed;

	rundelay->unseen_before = rundelay->delays.unseen;
	if (has_lost || (has_filter && now_ns >= rundelay->list_due_ns)) {
		listed = list_threads(rundelay, &tids);
		rundelay->lost_before = rundelay->delays.lost;
		rundelay->list_due_ns = now_ns + list_period_ns;
	} else {
		listed = sprof_tids_list(rundelay->pid, &tids);
	}
	if (listed && (is_proc || has_lost))
		sprof_sched_threads_compare(
			&rundelay->order, &rundelay->delays, rundelay->pid, &tids);
	if (listed) {
		sprof_sched_threads_read(&rundelay->order, rundelay->pid, &tids);
		rundelay->readings++;
	}
	free(tids.items);
}

static bool is_reading_due(const struct sprof_rundelay *rundelay, uint64_t now_ns)
{
	if (rundelay->delays.options.has_wakeups)
		return now_ns >= rundelay->list_due_ns ||
			(now_ns >= rundelay->reading_due_ns &&
				(rundelay->lost_before != rundelay->delays.lost ||
					rundelay->unseen_before != rundelay->delays.unseen));
	return now_ns >= rundelay->reading_due_ns;
}

static void take(void *data, const struct sprof_sched_record *record)
{
	sprof_delays_take(data, record);
}

void sprof_rundelay_poll(struct sprof_rundelay *rundelay, uint64_t now_ns)
{
	read_rings(rundelay);
	if (is_reading_due(rundelay, now_ns)) {
		read_threads(rundelay, now_ns);
		rundelay->reading_due_ns = now_ns +
			(rundelay->delays.count - rundelay->delays.ended) * reading_ns_per_thread;
	}
	sprof_sched_order_release(&rundelay->order, rundelay->previous_ns, take, &rundelay->delays);
	rundelay->previous_ns = now_ns;
}

void sprof_rundelay_end(struct sprof_rundelay *rundelay, uint64_t now_ns)
{
	read_threads(rundelay, now_ns);
	if (rundelay->source == SPROF_RUNDELAY_TRACEPOINTS)
		sprof_perf_rings_disable(&rundelay->tracepoints.rings);
	if (rundelay->source == SPROF_RUNDELAY_SWITCHES || rundelay->has_both)
		sprof_perf_rings_disable(&rundelay->switches.rings);
	read_rings(rundelay);
	sprof_sched_order_release(&rundelay->order, UINT64_MAX, take, &rundelay->delays);
}

void sprof_rundelay_finish(struct sprof_rundelay *rundelay)
{
	sprof_sched_tracepoints_finish(&rundelay->tracepoints);
	sprof_switches_finish(&rundelay->switches);
	sprof_sched_order_finish(&rundelay->order);
	sprof_delays_finish(&rundelay->delays);
}
