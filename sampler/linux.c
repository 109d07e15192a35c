/*
 * The world of a run under Linux: each function of the table calls a function of attach/ or
 * unwind/, or reads one file. Does not decide anything.
 */
#include "sampler/world.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "attach/calls/mend.h"
#include "base/clock.h"
#include "base/cpu-set.h"
#include "sampler/sampler.h"

struct linux_world {
	struct sprof_target *target;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_switch_log switches;
	struct sprof_perf_timer
		*kept;    /* the first one is opened before the first tick; NULL: none */
	int loadavg_file; /* the kernel's own, which some containers replace; -1: none */
};

static struct linux_world *of(void *data)
{
	return data;
}

static uint64_t now_ns(void *data)
{
	return sprof_clock_now_ns();
}

static uint64_t own_cpu_ns(void *data)
{
	return sprof_clock_own_cpu_ns();
}

static struct sprof_thread **threads(void *data, size_t *ret_count)
{
	return sprof_target_threads(of(data)->target, ret_count);
}

static struct sprof_process **processes(void *data, size_t *ret_count)
{
	return sprof_target_processes(of(data)->target, ret_count);
}

static uint32_t threads_seen(void *data)
{
	return sprof_target_threads_seen(of(data)->target);
}

static uint32_t processes_seen(void *data)
{
	return sprof_target_processes_seen(of(data)->target);
}

static bool has_ended(void *data)
{
	int status;

	return sprof_target_ended(of(data)->target, &status);
}

static bool lacks_memory(void *data)
{
	return sprof_target_lacks_memory(of(data)->target);
}

static struct sprof_event next_event(void *data, uint64_t deadline_ns)
{
	return sprof_target_next_event(of(data)->target, deadline_ns);
}

static struct sprof_event spin(void *data, const struct sprof_thread *thread, uint64_t deadline_ns)
{
	return sprof_target_spin(of(data)->target, thread, deadline_ns);
}

static bool interrupt(void *data, struct sprof_thread *thread)
{
	return sprof_thread_interrupt(thread);
}

static void resume(void *data, struct sprof_thread *thread)
{
	sprof_thread_resume(thread);
}

static void release(void *data, struct sprof_thread *thread)
{
	sprof_target_release(of(data)->target, thread);
}

static bool read_stat(void *data, struct sprof_thread *thread, struct sprof_proc_stat *ret)
{
	return sprof_thread_read_stat(thread, ret);
}

static bool read_schedstat(
	void *data, struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	return sprof_thread_read_schedstat(thread, ret);
}

static bool read_syscall(void *data, struct sprof_thread *thread, struct sprof_proc_syscall *ret)
{
	return sprof_thread_read_syscall(thread, ret);
}

static ssize_t read_status(void *data, struct sprof_thread *thread, char *buffer, size_t size)
{
	return sprof_thread_read_status(thread, false, buffer, size);
}

static ssize_t read_file(
	void *data, const struct sprof_thread *thread, const char *name, char *buffer, size_t size)
{
	return sprof_proc_read_file(thread->process->pid, thread->tid, name, buffer, size);
}

static char *read_whole(
	void *data, const struct sprof_thread *thread, const char *name, size_t *ret_size)
{
	return sprof_proc_read_whole(sprof_proc_path(thread->tid, 0, "%s", name).text, ret_size);
}

static bool read_registers(void *data, struct sprof_thread *thread, struct sprof_regs *ret)
{
	return sprof_thread_mend(thread, true, ret);
}

static bool see_registers(void *data, struct sprof_thread *thread, struct sprof_regs *ret)
{
	if (!sprof_regs_read(thread->tid, ret))
		return false;
	thread->thread_pointer = ret->thread_pointer;
	return true;
}

/* Not by the process id: once the leader has ended, its id has no memory. */
static size_t read_memory(
	void *data, const struct sprof_thread *thread, uint64_t address, void *buffer, size_t size)
{
	return sprof_process_read_memory(thread->process, thread->tid, address, buffer, size);
}

static void read_pieces(void *data, struct sprof_process *process, pid_t tid,
	struct sprof_memory_piece *pieces, size_t count)
{
	sprof_process_read_pieces(process, tid, pieces, count);
}

static bool is_pinned(void *data, const struct sprof_thread *thread)
{
	struct sprof_cpu_set allowed;

	return sprof_cpu_set_of(thread->tid, &allowed) && sprof_cpu_set_count(&allowed) == 1;
}

static uint64_t process_cpu_ns(
	void *data, const struct sprof_process *process, struct sprof_cpu_clock *clock)
{
	return sprof_cpu_clock_read(clock, process->pid);
}

/* lxcfs mounts its own file over it, which covers only the container, some seconds late. */
static int open_loadavg(void)
{
	int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	struct statfs where;

	if (file < 0 || (!fstatfs(file, &where) && where.f_type == PROC_SUPER_MAGIC))
		return file;
	close(file);
	return -1;
}

static uint64_t count_runnable(void *data)
{
	struct sprof_proc_loadavg loadavg;
	char text[128];

	if (sprof_proc_read(of(data)->loadavg_file, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_loadavg(text, &loadavg))
		return 0;
	return loadavg.runnable;
}

static struct sprof_proc_cpus read_cpus(void *data)
{
	struct sprof_proc_cpus cpus;
	char text[256];

	if (sprof_proc_read_path("/proc/stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_cpus(text, &cpus))
		return (struct sprof_proc_cpus){0};
	return cpus;
}

static bool read_maps(void *data, struct sprof_process *process)
{
	return sprof_process_read_maps(process, of(data)->modules);
}

static bool is_file(void *data, uint32_t module)
{
	return sprof_modules_get(of(data)->modules, module)->kind == SPROF_MODULE_FILE;
}

static enum sprof_maps_answer ask_mapping(
	void *data, struct sprof_process *process, const struct sprof_mapping *mapping)
{
	return sprof_maps_query(&process->maps_file, process->pid, mapping,
		sprof_modules_get(of(data)->modules, mapping->module));
}

static bool has_code(void *data, struct sprof_process *process, uint64_t address)
{
	return sprof_maps_query_code(&process->maps_file, process->pid, address);
}

static struct sprof_stack_view walk(
	void *data, const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	return sprof_unwinder_walk(of(data)->unwinder, snapshot, maps);
}

static uint64_t find_creator(
	void *data, const struct sprof_maps *maps, const struct sprof_goroutine *goroutine)
{
	return sprof_unwinder_find_creator(of(data)->unwinder, maps, goroutine);
}

static const struct sprof_go_runtime *find_go(void *data, const struct sprof_maps *maps)
{
	return sprof_unwinder_find_go(of(data)->unwinder, maps);
}

static unsigned go_count(void *data)
{
	return sprof_unwinder_go_count(of(data)->unwinder);
}

static bool timer_open(void *data, struct sprof_perf_timer_plan *plan,
	struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial)
{
	return sprof_perf_timer_open(plan, ret, ret_denial);
}

static void timer_close(void *data, struct sprof_perf_timer *timer)
{
	sprof_perf_timer_close(timer);
}

static bool timer_take(void *data, struct sprof_perf_timer *timer, uint64_t until_ns,
	unsigned char *scratch, struct sprof_perf_timer_record *ret)
{
	return sprof_perf_timer_take(timer, until_ns, scratch, ret);
}

static void timer_set_period(void *data, const struct sprof_perf_timer *timer, uint64_t period_ns)
{
	sprof_perf_timer_set_period(timer, period_ns);
}

static bool switches_begin(
	void *data, const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial)
{
	return sprof_switch_log_begin(&of(data)->switches, plan, ret_denial);
}

static bool switches_cover(
	void *data, const struct sprof_thread *thread, struct sprof_perf_denial *ret_denial)
{
	return sprof_switch_log_cover(&of(data)->switches, thread->tid, ret_denial);
}

static void switches_read(void *data, sprof_switch_taker take, void *taker_data)
{
	sprof_switch_log_read(&of(data)->switches, take, taker_data);
}

static struct sprof_thread *find(void *data, pid_t tid)
{
	return sprof_target_find(of(data)->target, tid);
}

static void find_workers(void *data, const struct sprof_process *process)
{
	sprof_target_find_workers(of(data)->target, process);
}

static const struct sprof_world functions = {
	.now_ns = now_ns,
	.own_cpu_ns = own_cpu_ns,
	.threads = threads,
	.processes = processes,
	.threads_seen = threads_seen,
	.processes_seen = processes_seen,
	.has_ended = has_ended,
	.lacks_memory = lacks_memory,
	.next_event = next_event,
	.spin = spin,
	.interrupt = interrupt,
	.resume = resume,
	.release = release,
	.read_stat = read_stat,
	.read_schedstat = read_schedstat,
	.read_syscall = read_syscall,
	.read_status = read_status,
	.read_file = read_file,
	.read_whole = read_whole,
	.read_registers = read_registers,
	.see_registers = see_registers,
	.read_memory = read_memory,
	.read_pieces = read_pieces,
	.is_pinned = is_pinned,
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
	.timer_open = timer_open,
	.timer_close = timer_close,
	.timer_take = timer_take,
	.timer_set_period = timer_set_period,
	.switches_begin = switches_begin,
	.switches_cover = switches_cover,
	.switches_read = switches_read,
	.find = find,
	.find_workers = find_workers,
};

/* Without schedstat, the kernel writes zeros; a running process has used more. */
static bool has_schedstat(void)
{
	struct sprof_proc_schedstat own;
	char text[128];

	return sprof_proc_read_file(SPROF_PROC_SELF, 0, "schedstat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_schedstat(text, &own) && own.timeslices;
}

bool sprof_sampler_run(const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err)
{
	struct linux_world self = {
		.target = parts->target,
		.modules = parts->modules,
		.unwinder = parts->unwinder,
		.loadavg_file = open_loadavg(),
		.kept = options->by_kernel ? sprof_perf_timer_keep() : NULL,
	};
	struct sprof_world world = functions;
	bool ok;

	for (size_t i = 0; parts->events && parts->events[i]; i++) {
		if (parts->events[i]->begin)
			parts->events[i]->begin(parts->events[i]->data, parts->target);
	}
	*quality = (struct sprof_quality){
		.target_pid = sprof_target_pid(parts->target),
		.schedstat_missing = !has_schedstat(),
	};
	world.data = &self;
	world.interp = parts->interp;
	ok = sprof_sampler_run_in(&world, parts, options, quality, err);
	sprof_switch_log_finish(&self.switches);
	sprof_perf_timer_close(self.kept);
	if (self.loadavg_file >= 0)
		close(self.loadavg_file);
	return ok;
}
