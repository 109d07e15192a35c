/*
 * The kernel's answers about the fake threads, for the sampler's table of functions. Does not
 * simulate unwinding: the pc tells the thread, its program and the act.
 */
#include "tests/unit/sampler/fake-parts.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum { CALL_NANOSLEEP = SYS_clock_nanosleep, CALL_FUTEX = SYS_futex };

static uint64_t now_ns(void)
{
	struct fake_world *world = fake_current;

	fake_pass(world, 20);
	return world->now_ns;
}

static uint64_t own_cpu_ns(void)
{
	const struct fake_world *world = fake_current;

	return world->now_ns / 100;
}

static struct sprof_thread **threads(const struct sprof_target *target, size_t *ret_count)
{
	struct fake_world *world = fake_current;

	*ret_count = world->alive_count;
	return world->table_of_threads;
}

static struct sprof_process **processes(const struct sprof_target *target, size_t *ret_count)
{
	struct fake_world *world = fake_current;

	*ret_count = world->process_count;
	return world->process_table;
}

static uint32_t threads_seen(const struct sprof_target *target)
{
	const struct fake_world *world = fake_current;

	return world->seen;
}

static uint32_t processes_seen(const struct sprof_target *target)
{
	return 1;
}

static bool ended(const struct sprof_target *target, int *ret_wait_status)
{
	return false;
}

static bool lacks_memory(const struct sprof_target *target)
{
	const struct fake_world *world = fake_current;

	return world->lacks_memory;
}

/* Also in a stop that nobody has collected yet. */
static char letter_of(const struct fake_world *world, const struct fake_thread *thread)
{
	if (thread->is_zombie)
		return 'Z';
	if (fake_stands_still(thread) || fake_stops_now(world, thread))
		return 't';
	switch (fake_doing(thread)) {
	case DOING_USER:
	case DOING_CALL:
	case DOING_READY:
	case DOING_EXEC:
		return 'R';
	case DOING_DISK:
		return 'D';
	case DOING_GROUP_STOP:
		return 'T';
	case DOING_SLEEP:
	case DOING_RESTART:
	case DOING_FAULT:
	case DOING_END:
		break;
	}
	return 'S';
}

static bool is_known_to_enter(const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;

	return process && process->entered_ns;
}

static bool read_stat(struct sprof_thread *thread, struct sprof_proc_stat *ret)
{
	const struct fake_world *world = fake_current;
	struct fake_thread *fake = fake_ask(fake_current, thread);

	*ret = (struct sprof_proc_stat){
		.state = letter_of(world, fake),
		.user_ticks = fake->user_ns / (10 * MS),
		.system_ticks = (fake->cpu_ns - fake->user_ns) / (10 * MS),
		.minor_faults = fake->faults,
		.processor = -1,
		.flags = thread->is_worker ? SPROF_PF_IO_WORKER : 0,
	};
	snprintf(ret->comm, sizeof(ret->comm), "%s%u.%u", thread->is_worker ? "iou-" : "t",
		thread->id,
		fake->program + (fake->renamed_ns && world->now_ns >= fake->renamed_ns));
	fake->said_running = ret->state == 'R';
	fake->stat_reads++;
	fake->was_entering |= is_known_to_enter(thread);
	return true;
}

static bool read_schedstat(struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	const struct fake_world *world = fake_current;
	struct fake_thread *fake = fake_ask(fake_current, thread);

	fake->looks++;
	ret->timeslices = fake->timeslices;
	ret->cpu_ns = world->quality.schedstat_missing ? 0 : fake_known_cpu_ns(world, fake);
	/* A wait for a CPU is added when it is over (kernel/sched/stats.h, sched_info_arrive). */
	ret->runq_ns = world->quality.schedstat_missing ? 0 : fake->runq_ns;
	if (ret->runq_ns && fake_doing(fake) == DOING_READY)
		ret->runq_ns -= fake->act_ns;
	return true;
}

static bool read_syscall(struct sprof_thread *thread, struct sprof_proc_syscall *ret)
{
	struct fake_thread *fake = fake_ask(fake_current, thread);
	enum doing doing = fake_doing(fake);
	const char letter = letter_of(fake_current, fake);

	fake->said_running = false;
	*ret = (struct sprof_proc_syscall){.kind = SPROF_PROC_SYSCALL_INSIDE};
	if (fake->is_zombie)
		return true;
	ret->pc = fake_pc(fake);
	ret->sp = 0x7f0000000000u + fake->stack_act * 16;
	ret->number = doing == DOING_RESTART ? SYS_restart_syscall
		: fake->futex                ? CALL_FUTEX
					     : CALL_NANOSLEEP;
	ret->arguments[0] = fake->futex ? fake->futex : fake->stack_act;
	ret->arguments[1] = FUTEX_WAIT | (fake->is_shared ? 0 : FUTEX_PRIVATE_FLAG);
	ret->arguments[2] = 2;
	if (letter == 'R') {
		ret->kind = SPROF_PROC_SYSCALL_RUNNING;
		fake->said_running = true;
	} else if (doing == DOING_FAULT || doing == DOING_GROUP_STOP || letter == 't') {
		ret->kind = SPROF_PROC_SYSCALL_OUTSIDE;
		ret->number = -1;
		fake->said_running = true;
	}
	return true;
}

/* There is none. */
static ssize_t read_file(pid_t pid, pid_t tid, const char *name, char *buffer, size_t size)
{
	return -1;
}

/* Only the thread's switches. */
static ssize_t read_status(struct sprof_thread *thread, bool often, char *buffer, size_t size)
{
	return snprintf(buffer, size,
		"NSpid:\t9\t%u\nNStgid:\t1\nvoluntary_ctxt_switches:\t%llu\n"
		"nonvoluntary_ctxt_switches:\t0\n",
		FAKE_OWN_TID + thread->id,
		(unsigned long long)(((const struct fake_thread *)thread)->timeslices +
			thread->stops));
}

static char *read_whole(const char *path, size_t *ret_size)
{
	*ret_size = 0;
	return NULL;
}

static bool see_registers(struct sprof_thread *thread, struct sprof_regs *ret)
{
	struct fake_thread *fake = fake_ask(fake_current, thread);
	enum doing doing = fake_doing(fake);

	if (thread->phase != SPROF_THREAD_STOPPED)
		fake_wrong(fake_current, fake, "registers of a thread that does not stand still");
	*ret = (struct sprof_regs){.system_call = -1, .coming_call = -1};
	if (doing == DOING_CALL || fake_is_blocked(doing))
		ret->system_call = fake->futex ? CALL_FUTEX : CALL_NANOSLEEP;
	/* The state of a call that the kernel will restart (include/linux/errno.h, ERESTARTSYS). */
	if (fake_is_blocked(doing))
		ret->values[0] = (uint64_t)-512;
	if (ret->values[0] && !sprof_regs_kernel_restarts())
		ret->coming_call = ret->system_call;
	sprof_regs_set(ret, SPROF_REG_PC, fake_pc(fake));
	sprof_regs_set(ret, SPROF_REG_SP, 0x7f0000000000u + fake->stack_act * 16);
	return true;
}

static bool mend(struct sprof_thread *thread, bool timed_too, struct sprof_regs *ret)
{
	return see_registers(thread, ret);
}

static size_t read_memory(
	struct sprof_process *process, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	struct fake_world *world = fake_current;
	const uint64_t begin = FAKE_MEMORY, length = sizeof(world->words);

	errno = EFAULT;
	if (address < begin || address >= begin + length)
		return 0;
	if (size > begin + length - address)
		size = begin + length - address;
	memcpy(buffer, (const uint8_t *)world->words + (address - begin), size);
	return size;
}

static bool is_pinned(const struct sprof_thread *thread)
{
	return false;
}

static uint64_t process_cpu_ns(struct sprof_cpu_clock *clock, pid_t pid)
{
	struct fake_world *world = fake_current;
	uint64_t sum = 0;

	fake_ask(world, NULL);
	for (size_t i = 0; i < world->thread_count; i++) {
		if (world->threads[i].thread.process->pid == pid)
			sum += world->threads[i].cpu_ns;
	}
	return sum;
}

static uint64_t count_runnable(int loadavg_file)
{
	const struct fake_world *world = fake_current;
	uint64_t count = world->is_alone ? 1 : 3;

	for (size_t i = 0; i < world->thread_count; i++) {
		const struct fake_thread *thread = &world->threads[i];

		count += thread->is_born && letter_of(world, thread) == 'R';
	}
	return count;
}

static struct sprof_proc_cpus read_cpus(void)
{
	return (struct sprof_proc_cpus){0};
}

static bool read_maps(struct sprof_process *process, struct sprof_modules *modules)
{
	struct fake_world *world = fake_current;
	struct sprof_mapping *mapping = &world->mapping[process - world->processes];

	fake_ask(world, NULL);
	world->maps_reads++;
	*mapping = (struct sprof_mapping){.end = UINT64_MAX, .executable = true};
	process->maps.items = mapping;
	process->maps.count = 1;
	process->maps.generation++;
	return true;
}

static bool is_file(const struct sprof_modules *modules, uint32_t module)
{
	const struct fake_world *world = fake_current;

	return world->can_ask;
}

static enum sprof_maps_answer ask_mapping(const struct sprof_modules *modules,
	struct sprof_process *process, const struct sprof_mapping *mapping)
{
	return SPROF_MAPS_SAME;
}

static bool has_code(int *maps_file, pid_t pid, uint64_t address)
{
	return false;
}

static struct sprof_stack_view walk(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	static __thread struct sprof_frame frame;
	struct fake_world *world = fake_current;

	world->walks++;
	fake_pass(world, 2 * US);
	frame = (struct sprof_frame){.offset = snapshot->regs.values[SPROF_REG_PC]};
	return (struct sprof_stack_view){.frames = &frame,
		.count = 1,
		.end = fake_timer_end(world, snapshot),
		.outermost_sp = fake_timer_outermost(world, snapshot)};
}

static uint64_t find_creator(struct sprof_unwinder *unwinder, const struct sprof_maps *maps,
	const struct sprof_goroutine *goroutine)
{
	return 0;
}

static const struct sprof_go_runtime *find_go(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps)
{
	return NULL;
}

static unsigned go_count(const struct sprof_unwinder *unwinder)
{
	return 0;
}

static struct sprof_thread *find(const struct sprof_target *target, pid_t tid)
{
	const struct fake_world *world = fake_current;

	for (size_t i = 0; i < world->alive_count; i++) {
		if (world->table_of_threads[i]->tid == tid)
			return world->table_of_threads[i];
	}
	return NULL;
}

static void find_workers(struct sprof_target *target, struct sprof_process *process)
{
	struct fake_world *world = fake_current;

	for (size_t i = 0; i < world->thread_count; i++) {
		struct fake_thread *thread = &world->threads[i];

		if (!thread->thread.is_worker || thread->is_born ||
			thread->thread.process != process || thread->birth_ns > world->now_ns)
			continue;
		/* It has run since its birth. */
		thread->timeslices++;
		fake_bear(world, thread);
		thread->thread.seen_ns = thread->birth_ns;
	}
}

static const struct sprof_world functions = {
	.now_ns = now_ns,
	.own_cpu_ns = own_cpu_ns,
	.threads = threads,
	.processes = processes,
	.threads_seen = threads_seen,
	.processes_seen = processes_seen,
	.find = find,
	.find_workers = find_workers,
	.ended = ended,
	.lacks_memory = lacks_memory,
	.read_stat = read_stat,
	.read_schedstat = read_schedstat,
	.read_syscall = read_syscall,
	.read_status = read_status,
	.read_file = read_file,
	.read_whole = read_whole,
	.is_pinned = is_pinned,
	.mend = mend,
	.see_registers = see_registers,
	.read_memory = read_memory,
	.process_cpu_ns = process_cpu_ns,
	.count_runnable = count_runnable,
	.read_cpus = read_cpus,
	.read_maps = read_maps,
	.is_file = is_file,
	.ask_mapping = ask_mapping,
	.has_code = has_code,
	.walk = walk,
	.find_creator = find_creator,
	.find_go = find_go,
	.go_count = go_count,
};

void fake_kernel_init(struct fake_world *world)
{
	world->table = functions;
	fake_events_init(world);
	fake_timer_init(world);
}
