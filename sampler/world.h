/*
 * All that the sampler does to the world and asks of it, as a table of functions: time, the target,
 * the kernel's figures, code. Tests have their own world, without a process and without time.
 */
#ifndef SPROF_SAMPLER_WORLD_H
#define SPROF_SAMPLER_WORLD_H

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
	void *data;
	/* Finds and reads interpreters through read_pieces(). NULL: they are native programs. */
	struct sprof_interp *interp;

	/* CLOCK_MONOTONIC, and the CPU time of this process. */
	uint64_t (*now_ns)(void *data);
	uint64_t (*own_cpu_ns)(void *data);

	/* The target: see the functions of these names in attach/target.h. */
	struct sprof_thread **(*threads)(void *data, size_t *ret_count);
	struct sprof_process **(*processes)(void *data, size_t *ret_count);
	uint32_t (*threads_seen)(void *data);
	uint32_t (*processes_seen)(void *data);
	bool (*has_ended)(void *data);
	bool (*lacks_memory)(void *data);
	struct sprof_event (*next_event)(void *data, uint64_t deadline_ns);
	struct sprof_event (*spin)(
		void *data, const struct sprof_thread *thread, uint64_t deadline_ns);
	bool (*interrupt)(void *data, struct sprof_thread *thread);
	void (*resume)(void *data, struct sprof_thread *thread);
	void (*release)(void *data, struct sprof_thread *thread);

	/* The kernel's figures of a thread. Return false if it is gone. */
	bool (*read_stat)(void *data, struct sprof_thread *thread, struct sprof_proc_stat *ret);
	bool (*read_schedstat)(
		void *data, struct sprof_thread *thread, struct sprof_proc_schedstat *ret);
	bool (*read_syscall)(
		void *data, struct sprof_thread *thread, struct sprof_proc_syscall *ret);
	ssize_t (*read_status)(void *data, struct sprof_thread *thread, char *buffer, size_t size);
	/* Another file of its folder in /proc ("io"), like sprof_proc_read_path(). */
	ssize_t (*read_file)(void *data, const struct sprof_thread *thread, const char *name,
		char *buffer, size_t size);
	/* A file of any size, like sprof_proc_read_whole(). */
	char *(*read_whole)(
		void *data, const struct sprof_thread *thread, const char *name, size_t *ret_size);
	/* Of a thread that stands still; repairs a call that the stop broke off. */
	bool (*read_registers)(void *data, struct sprof_thread *thread, struct sprof_regs *ret);
	/* Of a thread at a system call's entry or exit, where nothing is broken off. */
	bool (*see_registers)(void *data, struct sprof_thread *thread, struct sprof_regs *ret);
	/* Like sprof_process_read_memory(). */
	size_t (*read_memory)(void *data, const struct sprof_thread *thread, uint64_t address,
		void *buffer, size_t size);
	/* Several pieces, like sprof_process_read_pieces(). */
	void (*read_pieces)(void *data, struct sprof_process *process, pid_t tid,
		struct sprof_memory_piece *pieces, size_t count);
	bool (*is_pinned)(void *data, const struct sprof_thread *thread);

	/* Of a process: the CPU time of all its threads, including ended ones. 0: not known. */
	uint64_t (*process_cpu_ns)(
		void *data, const struct sprof_process *process, struct sprof_cpu_clock *clock);
	/* Of the machine: runnable tasks, including the calling one. 0: not known. */
	uint64_t (*count_runnable)(void *data);
	struct sprof_proc_cpus (*read_cpus)(void *data);

	/* Code: a process's mappings, and stacks that lead through it; as in attach/, unwind/. */
	bool (*read_maps)(void *data, struct sprof_process *process);
	/* Whether a module is a file: its mappings can be asked about. */
	bool (*is_file)(void *data, uint32_t module);
	enum sprof_maps_answer (*ask_mapping)(
		void *data, struct sprof_process *process, const struct sprof_mapping *mapping);
	/* Whether there is code at the address now. False also if the kernel can't answer. */
	bool (*has_code)(void *data, struct sprof_process *process, uint64_t address);
	struct sprof_stack_view (*walk)(
		void *data, const struct sprof_snapshot *snapshot, const struct sprof_maps *maps);
	uint64_t (*find_creator)(
		void *data, const struct sprof_maps *maps, const struct sprof_goroutine *goroutine);
	const struct sprof_go_runtime *(*find_go)(void *data, const struct sprof_maps *maps);
	unsigned (*go_count)(void *data);

	/* Timers in the kernel: see the functions of these names in events/perf/timer.h. */
	bool (*timer_open)(void *data, struct sprof_perf_timer_plan *plan,
		struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial);
	void (*timer_close)(void *data, struct sprof_perf_timer *timer);
	bool (*timer_take)(void *data, struct sprof_perf_timer *timer, uint64_t until_ns,
		unsigned char *scratch, struct sprof_perf_timer_record *ret);
	void (*timer_set_period)(
		void *data, const struct sprof_perf_timer *timer, uint64_t period_ns);

	/* The one log of switches: see the functions of these names in events/sched/switch-log.h. */
	bool (*switches_begin)(void *data, const struct sprof_switch_log_plan *plan,
		struct sprof_perf_denial *ret_denial);
	bool (*switches_cover)(void *data, const struct sprof_thread *thread,
		struct sprof_perf_denial *ret_denial);
	void (*switches_read)(void *data, sprof_switch_taker take, void *taker_data);
	/* The traced thread of this id; NULL: there is none. */
	struct sprof_thread *(*find)(void *data, pid_t tid);
	/* See sprof_target_find_workers(). */
	void (*find_workers)(void *data, const struct sprof_process *process);
};

#endif
