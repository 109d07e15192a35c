/*
 * Saves the look at each sleeper of a large process, by three facts that are read in this order:
 *
 * - Of its threads not known to sleep, and of all threads of other processes, it is known which
 *   run, and how much CPU time each has used. Neither changes before the other two facts are read.
 * - Only these threads and we are runnable on the machine (/proc/loadavg). So no sleeper runs now;
 *   one that ran before has left its CPU, and the kernel then added up its time.
 * - The process's CPU clock (clock_getcpuclockid(3)) equals the known sum of its threads, including
 *   ended ones. So no sleeper has run since the last look at it.
 *
 * The clock alone is not enough: the kernel adds a running thread's time to it only at its own
 * ticks, up to 10 ms late (kernel/sched/cputime.c, thread_group_cputime). If other programs run, or
 * if /proc/loadavg is not the kernel's (containers may have their own, seconds old), every thread
 * is looked at.
 *
 * Looking at very many threads takes as long as a short burst of work, and comes late for the last
 * of them; a quiet tick is never late. Alternating would favour the ends of bursts, so soon after a
 * burst every thread is looked at.
 *
 * Does not see a sleeper that runs exactly when another thread uses up its group's cpu.max: that
 * other thread is ready, but not counted as runnable. The next tick finds that the sleeper has run.
 */
#include "sampler/tick/quiet.h"

#include "base/clock.h"

enum {
	MANY_THREADS = 16, /* with fewer threads, the clock costs more than the looks it saves */
	AWAKE_MAX = 64,    /* with more awake threads, the clock costs more too */
	/* bursts that come more often than that are sampled without bias */
	BURSTS_NS = SPROF_NS_PER_S / 8,
};

/* A thread that is not known to sleep. */
struct awake {
	struct sprof_thread *thread;
	struct sprof_proc_schedstat schedstat;
	bool runs; /* or is ready to run */
};

struct scene {
	struct awake awake[AWAKE_MAX];
	size_t count, running;
};

static struct known_quiet *quiet_of(const struct sprof_process *process)
{
	struct sampled_process *sampled = process->sampling;

	return &sampled->quiet;
}

static bool is_large(const struct sprof_process *process)
{
	return process->threads >= MANY_THREADS;
}

static bool has_large(struct sprof_process *const *processes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_large(processes[i]))
			return true;
	}
	return false;
}

/* A tick begins. The tick before looked at all sleepers of every process that was not quiet. */
static void begin(struct known_quiet *quiet, uint64_t last_ns)
{
	if (!quiet->is_quiet && quiet->has_rest && quiet->moved_ns != last_ns) {
		quiet->known_rest_ns = quiet->rest_ns;
		quiet->knows_rest = true;
	}
	quiet->was_quiet = quiet->is_quiet;
	quiet->is_quiet = quiet->has_rest = quiet->has_awake = false;
	quiet->seen_ns = quiet->waiters = 0;
}

static bool see(const struct sprof_world *world, struct sprof_thread *thread, struct awake *ret)
{
	struct sprof_proc_syscall call;

	ret->thread = thread;
	if (sprof_thread_has_figures(thread) ||
		!world->read_schedstat(world->data, thread, &ret->schedstat) ||
		!world->read_syscall(world->data, thread, &call))
		return false;
	ret->runs = call.kind == SPROF_PROC_SYSCALL_RUNNING;
	return true;
}

static bool is_unchanged(const struct sprof_world *world, const struct awake *awake)
{
	struct awake now;

	return see(world, awake->thread, &now) && now.runs == awake->runs &&
		now.schedstat.cpu_ns == awake->schedstat.cpu_ns &&
		now.schedstat.timeslices == awake->schedstat.timeslices;
}

static bool add_awake(
	const struct sprof_world *world, struct scene *scene, struct sprof_thread *thread)
{
	struct known_quiet *quiet = quiet_of(thread->process);
	struct awake *awake = &scene->awake[scene->count];

	if (scene->count == AWAKE_MAX || !see(world, thread, awake))
		return false;
	scene->count++;
	scene->running += awake->runs;
	quiet->has_awake = true;
	quiet->seen_ns += awake->schedstat.cpu_ns;
	return true;
}

static void add_asleep(struct known_quiet *quiet, const struct sampled *sampled)
{
	quiet->seen_ns += sampled->sleep.cpu_ns;
	quiet->waiters += sampled->wait.lock.active;
}

/* Returns false if it is not known of some thread whether it runs. */
static bool see_all(const struct sprof_world *world, struct scene *scene)
{
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		const struct sampled *sampled = threads[i]->sampling;

		if (sampled && sampled->sleep.active)
			add_asleep(quiet_of(threads[i]->process), sampled);
		else if (!add_awake(world, scene, threads[i]))
			return false;
	}
	return true;
}

static bool are_unchanged(const struct sprof_world *world, const struct scene *scene)
{
	for (size_t i = 0; i < scene->count; i++) {
		if (!is_unchanged(world, &scene->awake[i]))
			return false;
	}
	return true;
}

static void read_rest(const struct sprof_world *world, const struct sprof_process *process)
{
	struct known_quiet *quiet = quiet_of(process);
	uint64_t clock_ns = is_large(process) ? world->process_cpu_ns(world->data, process) : 0;

	quiet->has_rest = clock_ns;
	quiet->rest_ns = clock_ns - quiet->seen_ns;
}

static void judge(struct known_quiet *quiet, uint64_t tick_ns)
{
	quiet->is_quiet = quiet->has_rest && quiet->knows_rest &&
		quiet->rest_ns == quiet->known_rest_ns && tick_ns > quiet->moved_ns + BURSTS_NS;
}

/* No other task wants a CPU, only these threads and we. */
static bool are_alone(const struct sprof_world *world, size_t running)
{
	return world->count_runnable(world->data) == running + 1;
}

static void look(const struct sprof_world *world, struct sprof_process **processes, size_t count,
	struct quiet_tick *tick)
{
	struct scene scene = {.count = 0};
	bool is_known = see_all(world, &scene);

	tick->running = scene.running;
	if (!is_known || !are_alone(world, scene.running))
		return;
	for (size_t i = 0; i < count; i++)
		read_rest(world, processes[i]);
	if (are_unchanged(world, &scene)) {
		for (size_t i = 0; i < count; i++)
			judge(quiet_of(processes[i]), tick->ns);
		return;
	}
	for (size_t i = 0; i < count; i++)
		quiet_of(processes[i])->has_rest = false;
}

bool sprof_quiet_look(const struct run *run, struct quiet_tick *tick)
{
	const struct sprof_world *world = run->world;
	struct sprof_process **processes;
	bool any_woken = false;
	size_t count;

	processes = world->processes(world->data, &count);
	for (size_t i = 0; i < count; i++)
		begin(quiet_of(processes[i]), tick->last_ns);
	if (!tick->closing && !run->quality->schedstat_missing && has_large(processes, count))
		look(world, processes, count, tick);
	for (size_t i = 0; i < count; i++)
		any_woken |= sprof_quiet_has_woken(quiet_of(processes[i]));
	return any_woken;
}

bool sprof_quiet_has_woken(const struct known_quiet *quiet)
{
	return quiet->was_quiet && !quiet->is_quiet;
}

void sprof_quiet_moved(struct known_quiet *quiet, uint64_t tick_ns)
{
	quiet->moved_ns = tick_ns;
}
