/*
 * The world of a run under Linux: functions of attach/, unwind/ and events/, and some that read one
 * file. Does not decide anything.
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

static bool see_registers(struct sprof_thread *thread, struct sprof_regs *ret)
{
	if (!sprof_regs_read(thread->tid, ret))
		return false;
	thread->thread_pointer = ret->thread_pointer;
	return true;
}

static bool is_pinned(const struct sprof_thread *thread)
{
	struct sprof_cpu_set allowed;

	return sprof_cpu_set_of(thread->tid, &allowed) && sprof_cpu_set_count(&allowed) == 1;
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

static uint64_t count_runnable(int loadavg_file)
{
	struct sprof_proc_loadavg loadavg;
	char text[128];

	if (sprof_proc_read(loadavg_file, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_loadavg(text, &loadavg))
		return 0;
	return loadavg.runnable;
}

static struct sprof_proc_cpus read_cpus(void)
{
	struct sprof_proc_cpus cpus;
	char text[256];

	if (sprof_proc_read_path("/proc/stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_cpus(text, &cpus))
		return (struct sprof_proc_cpus){0};
	return cpus;
}

static bool is_file(const struct sprof_modules *modules, uint32_t module)
{
	return sprof_modules_get(modules, module)->kind == SPROF_MODULE_FILE;
}

static enum sprof_maps_answer ask_mapping(const struct sprof_modules *modules,
	struct sprof_process *process, const struct sprof_mapping *mapping)
{
	return sprof_maps_query(&process->maps_file, process->pid, mapping,
		sprof_modules_get(modules, mapping->module));
}

static const struct sprof_world functions = {
	.now_ns = sprof_clock_now_ns,
	.own_cpu_ns = sprof_clock_own_cpu_ns,
	.threads = sprof_target_threads,
	.processes = sprof_target_processes,
	.threads_seen = sprof_target_threads_seen,
	.processes_seen = sprof_target_processes_seen,
	.find = sprof_target_find,
	.find_workers = sprof_target_find_workers,
	.ended = sprof_target_ended,
	.lacks_memory = sprof_target_lacks_memory,
	.next_event = sprof_target_next_event,
	.spin = sprof_target_spin,
	.interrupt = sprof_thread_interrupt,
	.resume = sprof_thread_resume,
	.release = sprof_target_release,
	.read_stat = sprof_thread_read_stat,
	.read_schedstat = sprof_thread_read_schedstat,
	.read_syscall = sprof_thread_read_syscall,
	.read_status = sprof_thread_read_status,
	.read_file = sprof_proc_read_file,
	.read_whole = sprof_proc_read_whole,
	.is_pinned = is_pinned,
	.mend = sprof_thread_mend,
	.see_registers = see_registers,
	.read_memory = sprof_process_read_memory,
	.read_pieces = sprof_process_read_pieces,
	.process_cpu_ns = sprof_cpu_clock_read,
	.count_runnable = count_runnable,
	.read_cpus = read_cpus,
	.read_maps = sprof_process_read_maps,
	.is_file = is_file,
	.ask_mapping = ask_mapping,
	.has_code = sprof_maps_query_code,
	.walk = sprof_unwinder_walk,
	.find_caller_sp = sprof_unwinder_find_caller_sp,
	.find_creator = sprof_unwinder_find_creator,
	.find_go = sprof_unwinder_find_go,
	.go_count = sprof_unwinder_go_count,
	.timer_open = sprof_perf_timer_open,
	.timer_close = sprof_perf_timer_close,
	.timer_take = sprof_perf_timer_take,
	.timer_set_period = sprof_perf_timer_set_period,
	.switches_begin = sprof_switch_log_begin,
	.switches_cover = sprof_switch_log_cover,
	.switches_read = sprof_switch_log_read,
};

bool sprof_sampler_run(const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err)
{
	struct sprof_switch_log switches = {0};
	/* The first timer is opened before the first tick. */
	struct sprof_perf_timer *kept = options->by_kernel ? sprof_perf_timer_keep() : NULL;
	struct sprof_world world = functions;
	struct sprof_proc_schedstat own;
	char text[128];
	bool ok;

	world.target = parts->target;
	world.modules = parts->modules;
	world.unwinder = parts->unwinder;
	world.switches = &switches;
	world.interp = parts->interp;
	world.loadavg_file = open_loadavg();
	for (size_t i = 0; parts->events && parts->events[i]; i++) {
		if (parts->events[i]->begin)
			parts->events[i]->begin(parts->events[i]->data, parts->target);
	}
	*quality = (struct sprof_quality){
		.target_pid = sprof_target_pid(parts->target),
		.schedstat_missing = true,
	};
	/* Without schedstat, the kernel writes zeros; a running process has used more. */
	if (sprof_proc_read_file(SPROF_PROC_SELF, 0, "schedstat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_schedstat(text, &own) && own.timeslices)
		quality->schedstat_missing = false;
	ok = sprof_sampler_run_in(&world, parts, options, quality, err);
	sprof_switch_log_finish(&switches);
	sprof_perf_timer_close(kept);
	if (world.loadavg_file >= 0)
		close(world.loadavg_file);
	return ok;
}
