/*
 * Looks whether a thread runs, on which CPU, and how many page faults it has had. Does not stop it.
 */
#include "base/clock.h"
#include "sampler/stack/mappings.h"
#include "sampler/stop/hop.h"
#include "sampler/tick/tick.h"

enum {
	CPU_AGE_NS = 50 * SPROF_NS_PER_MS,
	FEW_FAULTS = 2, /* by chance between two looks */
};

/*
 * With page faults, the mappings may have changed. With more than one in each ms, an interrupt is
 * likely to find the thread in one.
 */
static void note_faults(
	struct sprof_thread *thread, const struct sprof_proc_stat *stat, uint64_t now_ns)
{
	struct sampled *sampled = thread->sampling;
	const uint64_t faults = stat->minor_faults + stat->major_faults;
	const uint64_t more = faults - sampled->faults, last_ns = sampled->faults_ns;

	sampled->faults = faults;
	sampled->faults_ns = now_ns;
	if (more)
		sprof_mappings_doubt(&thread->process->sampling->mappings);
	if (last_ns && more > FEW_FAULTS + (now_ns - last_ns) / SPROF_NS_PER_MS)
		thread->process->sampling->entered_ns = now_ns;
}

bool sprof_running_is(const struct run *run, struct sprof_thread *thread)
{
	const struct sprof_world *world = run->world;
	const uint64_t now_ns = run->tick.ns;
	struct sampled *sampled = thread->sampling;
	struct known_mappings *mappings = &thread->process->sampling->mappings;
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	/* Page faults are in stat. Where asking is cheap, the mappings are doubted without them. */
	if (!run->options->cpus && mappings->can_ask &&
		sampled->cpu.seen_ns + CPU_AGE_NS > now_ns && world->read_syscall(thread, &call)) {
		sprof_mappings_doubt(mappings);
		return call.kind == SPROF_PROC_SYSCALL_RUNNING;
	}
	sampled->cpu.seen_ns = 0;
	if (!world->read_stat(thread, &stat))
		return false;
	note_faults(thread, &stat, now_ns);
	/* It counts as seen on that CPU only if it runs. */
	sampled->cpu = (struct known_cpu){
		.number = stat.processor,
		.pinned = stat.state == 'R' && world->is_pinned(thread),
		.rank = sprof_priority_rank(stat.policy, stat.priority),
		.seen_ns = stat.state == 'R' ? now_ns : 0,
	};
	return stat.state == 'R';
}
