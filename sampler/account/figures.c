/*
 * The kernel's figures of a thread, by its files in /proc. A thread older than the run has counted
 * before it, so facts are relative to the first sight of the thread.
 */
#include "sampler/account/account.h"

#include "base/numbers.h"
#include "base/proc-status.h"
#include "sampler/sampled.h"
#include "sampler/world.h"

static bool is_stopping(const struct sprof_thread *thread, const char *status)
{
	char state[32];

	return thread->phase != SPROF_THREAD_STOPPED && thread->phase != SPROF_THREAD_LISTENING &&
		sprof_proc_status_field(status, "State", state, sizeof(state)) && state[0] == 't';
}

/* Returns the number of its stops that were not dispatched yet: the kernel has counted a switch. */
static unsigned read_status(const struct sprof_world *world, struct sprof_thread *thread,
	struct sprof_thread_facts *facts)
{
	long voluntary, involuntary;
	char text[8192];

	if (world->read_status(thread, false, text, sizeof(text)) <= 0)
		return 0;
	facts->own_tid = sprof_proc_status_inner_id(text, "NSpid");
	facts->own_pid = sprof_proc_status_inner_id(text, "NStgid");
	/* A process that has ended has no memory any more: its peak was reported at its end. */
	if (thread->tid == thread->process->pid) {
		sprof_process_note_peak(thread->process, text);
		facts->max_rss_bytes =
			thread->max_rss_bytes ? thread->max_rss_bytes : thread->process->peak_bytes;
	}
	facts->has_switches =
		sprof_proc_status_number(text, "voluntary_ctxt_switches", &voluntary) &&
		sprof_proc_status_number(text, "nonvoluntary_ctxt_switches", &involuntary);
	if (!facts->has_switches)
		return 0;
	facts->counters[SPROF_COUNTER_VOLUNTARY] = (uint64_t)voluntary;
	facts->counters[SPROF_COUNTER_INVOLUNTARY] = (uint64_t)involuntary;
	return is_stopping(thread, text);
}

static void read_io(const struct sprof_world *world, const struct sprof_thread *thread,
	struct sprof_thread_facts *facts)
{
	struct sprof_proc_io io;
	char text[512];

	facts->has_io =
		world->read_file(thread->process->pid, thread->tid, "io", text, sizeof(text)) > 0 &&
		sprof_proc_parse_io(text, &io);
	if (!facts->has_io)
		return;
	facts->counters[SPROF_COUNTER_READ_BYTES] = io.read_bytes;
	facts->counters[SPROF_COUNTER_WRITTEN_BYTES] = io.written_bytes;
	facts->counters[SPROF_COUNTER_DISK_READ_BYTES] = io.disk_read_bytes;
	facts->counters[SPROF_COUNTER_DISK_WRITTEN_BYTES] = io.disk_written_bytes;
}

/*
 * What sprof itself did to the thread until now, so that it is not taken for the thread's doing.
 * The switches of its stops and of its end don't count as its own.
 */
static void subtract_stops(struct sprof_thread *thread, const struct sprof_thread_facts *facts,
	unsigned pending, struct sprof_figures *figures)
{
	struct sampled *sampled = thread->sampling;
	const bool has_ended =
		thread->phase == SPROF_THREAD_ENDED || (sampled && sampled->has_ended);

	if (sampled) {
		sampled->stood_ns += sprof_standing_take(&thread->standing);
		figures->stood_ns = sampled->stood_ns;
	}
	figures->is_stopping = pending;
	figures->has_switches = facts->has_switches;
	if (facts->has_switches)
		figures->switches = sprof_minus(facts->counters[SPROF_COUNTER_VOLUNTARY],
			thread->stops + has_ended + pending);
}

/* If the thread did not stop at birth, its switches so far were before its first sight. */
struct sprof_figures sprof_figures_at_birth(
	const struct sprof_world *world, struct sprof_thread *thread)
{
	struct sprof_figures figures = {.time_ns = thread->seen_ns};
	struct sprof_thread_facts facts = {.has_switches = true};
	unsigned pending = 0;

	if (!thread->stops)
		pending = read_status(world, thread, &facts);
	subtract_stops(thread, &facts, pending, &figures);
	return figures;
}

bool sprof_reading_take(
	const struct sprof_world *world, struct sprof_thread *thread, struct reading *ret)
{
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_stat stat;
	unsigned pending;

	if (!world->read_stat(thread, &stat) || !world->read_schedstat(thread, &schedstat))
		return false;
	ret->schedstat = schedstat;
	ret->figures = sprof_figures_make(world->now_ns(), &schedstat, &stat);
	ret->facts = (struct sprof_thread_facts){
		.processor = stat.processor,
		.counters = {[SPROF_COUNTER_MINOR_FAULTS] = stat.minor_faults,
			[SPROF_COUNTER_MAJOR_FAULTS] = stat.major_faults,
			[SPROF_COUNTER_SIGNALS] = thread->signals},
	};
	pending = read_status(world, thread, &ret->facts);
	read_io(world, thread, &ret->facts);
	subtract_stops(thread, &ret->facts, pending, &ret->figures);
	return true;
}
