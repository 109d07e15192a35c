/*
 * Looks whether a thread runs, on which CPU, and how many page faults it has had. Does not stop it.
 */
#include "sampler/tick/running.h"

#include "base/clock.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"
#include "sampler/stop/priority.h"

enum {
	CPU_AGE_NS = 50 * SPROF_NS_PER_MS,
	FEW_FAULTS = 2, /* by chance between two looks */
};

static struct known_mappings *mappings_of(const struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	return &process->mappings;
}

/* Notes the CPU that stat shows. It counts as seen there only if it runs. */
static void note_cpu(const struct run *run, struct sprof_thread *thread,
	const struct sprof_proc_stat *stat, uint64_t now_ns)
{
	const struct sprof_world *world = run->world;
	struct sampled *sampled = thread->sampling;

	sampled->cpu = (struct known_cpu){
		.number = stat->processor,
		.pinned = stat->state == 'R' && world->is_pinned(world->data, thread),
		.rank = sprof_priority_rank(stat->policy, stat->priority),
		.seen_ns = stat->state == 'R' ? now_ns : 0,
	};
}

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
		sprof_mappings_doubt(mappings_of(thread));
	if (last_ns && more > FEW_FAULTS + (now_ns - last_ns) / SPROF_NS_PER_MS)
		sprof_sampled_process_entered(thread->process->sampling, now_ns);
}

/*
 * Whether its CPU is known without stat. Then page faults are not known, but to doubt the mappings
 * is cheap if they can be asked about.
 */
static bool is_cpu_known(const struct sprof_thread *thread, uint64_t now_ns)
{
	const struct sampled *sampled = thread->sampling;

	return mappings_of(thread)->can_ask && sampled->cpu.seen_ns + CPU_AGE_NS > now_ns;
}

bool sprof_running_is(const struct run *run, struct sprof_thread *thread, uint64_t now_ns)
{
	const struct sprof_world *world = run->world;
	struct sampled *sampled = thread->sampling;
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (!run->options->cpus && is_cpu_known(thread, now_ns) &&
		world->read_syscall(world->data, thread, &call)) {
		sprof_mappings_doubt(mappings_of(thread));
		return call.kind == SPROF_PROC_SYSCALL_RUNNING;
	}
	sampled->cpu.seen_ns = 0;
	if (!world->read_stat(world->data, thread, &stat))
		return false;
	note_faults(thread, &stat, now_ns);
	note_cpu(run, thread, &stat, now_ns);
	return stat.state == 'R';
}
