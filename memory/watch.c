/*
 * Finds children by the parents in /proc: does not see those that end between two scans, nor their
 * children.
 */
#include "memory/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/proc-status.h"
#include "base/proc.h"

enum {
	SHARE = 100,
	PROCESSES = 1000, /* beyond this number, a new process replaces the one that ended first */
	ROUNDS = 3,       /* a program may start processes as fast as they are found */
};

static void drop_ended(struct sprof_memory_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (!watch->items[i].has_ended)
			continue;
		sprof_memory_process_finish(&watch->items[i]);
		memmove(&watch->items[i], &watch->items[i + 1],
			(watch->count - i - 1) * sizeof(*watch->items));
		watch->count--;
		watch->dropped++;
		return;
	}
}

bool sprof_memory_watch_add(struct sprof_memory_watch *watch, pid_t pid)
{
	if (watch->count >= PROCESSES)
		drop_ended(watch);
	if (!sprof_array_reserve(
		    &watch->items, &watch->capacity, watch->count + 1, sizeof(*watch->items))) {
		watch->out_of_memory = true;
		return false;
	}
	if (!sprof_memory_process_begin(&watch->items[watch->count], pid))
		return false;
	watch->count++;
	return true;
}

/* 0: it is gone. */
static pid_t parent_of(pid_t pid)
{
	long parent;

	return sprof_proc_status_read_number(pid, "PPid", &parent) ? (pid_t)parent : 0;
}

static bool has(const struct sprof_memory_watch *watch, pid_t pid)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (watch->items[i].pid == pid && !watch->items[i].has_ended)
			return true;
	}
	return false;
}

/*
 * A child may have a lower id than its parent: look until there is no new one. We may be a child,
 * too: of a shell.
 */
static bool scan_once(struct sprof_memory_watch *watch)
{
	const uint64_t before = watch->count + watch->dropped;
	DIR *folder = sprof_proc_open_processes();
	pid_t pid;

	while (folder && (pid = sprof_proc_next_id(folder))) {
		if (pid != getpid() && !has(watch, pid) && has(watch, parent_of(pid)))
			(void)!sprof_memory_watch_add(watch, pid);
	}
	if (folder)
		closedir(folder);
	return watch->count + watch->dropped > before;
}

static void find_children(struct sprof_memory_watch *watch, uint64_t now_ns)
{
	const uint64_t before = sprof_clock_own_cpu_ns();

	if (!watch->follow_children || now_ns < watch->next_scan_ns)
		return;
	for (int round = 0; round < ROUNDS && scan_once(watch); round++)
		;
	watch->next_scan_ns = now_ns + SHARE * (sprof_clock_own_cpu_ns() - before);
}

static void add_totals(struct sprof_memory_watch *watch, uint64_t now_ns)
{
	for (int metric = 0; metric < SPROF_MEMORY_METRICS; metric++) {
		uint64_t sum = 0;
		bool has_any = false;

		for (size_t i = 0; i < watch->count; i++) {
			const struct sprof_memory_process *process = &watch->items[i];

			has_any |= sprof_memory_process_has(process, metric);
			sum += process->has_ended ? 0 : process->series[metric].last;
		}
		if (has_any)
			sprof_series_add(&watch->totals[metric], now_ns, sum);
	}
}

void sprof_memory_watch_read(struct sprof_memory_watch *watch, uint64_t now_ns, bool is_last)
{
	struct sprof_memory_look look = {
		.now_ns = now_ns, .is_last = is_last, .wants_mappings = watch->wants_mappings};

	find_children(watch, now_ns);
	for (size_t i = 0; i < watch->count; i++)
		look.share += watch->items[i].has_ended ? 0 : SHARE;
	for (size_t i = 0; i < watch->count; i++)
		sprof_memory_process_read(&watch->items[i], &look);
	if (sprof_memory_watch_goes_on(watch))
		add_totals(watch, now_ns);
}

bool sprof_memory_watch_goes_on(const struct sprof_memory_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (!watch->items[i].has_ended)
			return true;
	}
	return false;
}

void sprof_memory_watch_finish(struct sprof_memory_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		sprof_memory_process_finish(&watch->items[i]);
	free(watch->items);
	*watch = (struct sprof_memory_watch){0};
}
