/*
 * All that the sampler does to the world and asks of it, as a table of functions: time, the target,
 * the kernel's figures, code. Most of them are functions of lower folders as they are. Tests have
 * their own world, without a process and without time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/maps-query.h"
#include "attach/proc/procfs.h"
#include "attach/regs/regs.h"
#include "attach/target.h"
#include "base/cpu-clock.h"
#include "base/record.h"
#include "events/perf/timer.h"
#include "events/sched/switch-log.h"
#include "unwind/unwind.h"

struct sprof_interp;

struct sprof_world {
	struct sprof_target *target;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_switch_log *switches;
	/* Finds and reads interpreters through read_pieces(). NULL: they are native programs. */
	struct sprof_interp *interp;
	int loadavg_file; /* the kernel's own, which some containers replace; -1: none */

	/* CLOCK_MONOTONIC, and the CPU time of this process. */
	uint64_t (*now_ns)(void);
	uint64_t (*own_cpu_ns)(void);

	/* See the functions of these names in attach/target.h. */
	struct sprof_thread **(*threads)(const struct sprof_target *target, size_t *ret_count);
	struct sprof_process **(*processes)(const struct sprof_target *target, size_t *ret_count);
	uint32_t (*threads_seen)(const struct sprof_target *target);
	uint32_t (*processes_seen)(const struct sprof_target *target);
	struct sprof_thread *(*find)(const struct sprof_target *target, pid_t tid);
	void (*find_workers)(struct sprof_target *target, struct sprof_process *process);
	bool (*ended)(const struct sprof_target *target, int *ret_wait_status);
	bool (*lacks_memory)(const struct sprof_target *target);
	struct sprof_event (*next_event)(struct sprof_target *target, uint64_t deadline_ns);
	struct sprof_event (*spin)(struct sprof_target *target, const struct sprof_thread *thread,
		uint64_t deadline_ns);
	bool (*interrupt)(struct sprof_thread *thread);
	void (*resume)(struct sprof_thread *thread);
	void (*release)(struct sprof_target *target, struct sprof_thread *thread);

	/* The kernel's figures of a thread: see attach/thread.h and base/proc.h. */
	bool (*read_stat)(struct sprof_thread *thread, struct sprof_proc_stat *ret);
	bool (*read_schedstat)(struct sprof_thread *thread, struct sprof_proc_schedstat *ret);
	bool (*read_syscall)(struct sprof_thread *thread, struct sprof_proc_syscall *ret);
	ssize_t (*read_status)(struct sprof_thread *thread, bool often, char *buffer, size_t size);
	ssize_t (*read_file)(pid_t pid, pid_t tid, const char *name, char *buffer, size_t size);
	char *(*read_whole)(const char *path, size_t *ret_size);
	bool (*is_pinned)(const struct sprof_thread *thread);
	/* Of a thread that stands still: see attach/calls/mend.h. */
	bool (*mend)(struct sprof_thread *thread, bool timed_too, struct sprof_regs *ret);
	/* Of a thread at a system call's entry or exit, where nothing is broken off. */
	bool (*see_registers)(struct sprof_thread *thread, struct sprof_regs *ret);
	size_t (*read_memory)(struct sprof_process *process, pid_t tid, uint64_t address,
		void *buffer, size_t size);
	void (*read_pieces)(struct sprof_process *process, pid_t tid,
		struct sprof_memory_piece *pieces, size_t count);

	/* See base/cpu-clock.h. */
	uint64_t (*process_cpu_ns)(struct sprof_cpu_clock *clock, pid_t pid);
	/* The machine's runnable tasks, with the calling one; 0: not known. */
	uint64_t (*count_runnable)(int loadavg_file);
	struct sprof_proc_cpus (*read_cpus)(void);

	/* Code: a process's mappings, and stacks that lead through it; as in attach/, unwind/. */
	bool (*read_maps)(struct sprof_process *process, struct sprof_modules *modules);
	/* Whether a module is a file: its mappings can be asked about. */
	bool (*is_file)(const struct sprof_modules *modules, uint32_t module);
	enum sprof_maps_answer (*ask_mapping)(const struct sprof_modules *modules,
		struct sprof_process *process, const struct sprof_mapping *mapping);
	/* Whether there is code at the address now. False also if the kernel can't answer. */
	bool (*has_code)(int *maps_file, pid_t pid, uint64_t address);
	struct sprof_stack_view (*walk)(struct sprof_unwinder *unwinder,
		const struct sprof_snapshot *snapshot, const struct sprof_maps *maps);
	uint64_t (*find_caller_sp)(struct sprof_unwinder *unwinder,
		const struct sprof_snapshot *snapshot, const struct sprof_maps *maps, size_t depth);
	uint64_t (*find_creator)(struct sprof_unwinder *unwinder, const struct sprof_maps *maps,
		const struct sprof_goroutine *goroutine);
	const struct sprof_go_runtime *(*find_go)(
		struct sprof_unwinder *unwinder, const struct sprof_maps *maps);
	unsigned (*go_count)(const struct sprof_unwinder *unwinder);

	/* Timers in the kernel: see events/perf/timer.h. */
	bool (*timer_open)(struct sprof_perf_timer_plan *plan, struct sprof_perf_timer **ret,
		struct sprof_perf_denial *ret_denial);
	void (*timer_close)(struct sprof_perf_timer *timer);
	bool (*timer_take)(struct sprof_perf_timer *timer, uint64_t until_ns,
		unsigned char *scratch, struct sprof_perf_timer_record *ret);
	void (*timer_set_period)(const struct sprof_perf_timer *timer, uint64_t period_ns);

	/* The one log of switches: see events/sched/switch-log.h. */
	bool (*switches_begin)(struct sprof_switch_log *log,
		const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial);
	bool (*switches_cover)(
		struct sprof_switch_log *log, pid_t tid, struct sprof_perf_denial *ret_denial);
	void (*switches_read)(struct sprof_switch_log *log, sprof_switch_taker take, void *data);
};
