/*
 * Reads status (RSS and its parts), smaps_rollup (PSS, USS) and smaps (mappings) of a process. Does
 * not handle kernel memory: page tables, sockets, kernel stacks.
 */
#include "memory/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/proc/procfs.h"
#include "base/clock.h"
#include "base/proc-status.h"
#include "memory/smaps.h"

enum {
	KB = 1024,
	PEAK_GROWTH = 20, /* mappings of a peak are read again when it is a 20th higher */
	ROLLUP_SIZE = 4096,
	STAT_SIZE = 1024,
	SLACK = 256 * KB, /* the least difference of two readings that is one of memory */
};

static bool read_start(pid_t pid, uint64_t *ret)
{
	struct sprof_proc_stat stat;
	char text[STAT_SIZE];

	if (sprof_proc_read_file(pid, 0, "stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat))
		return false;
	*ret = stat.start_ticks;
	return true;
}

bool sprof_memory_process_begin(struct sprof_memory_process *process, pid_t pid)
{
	*process = (struct sprof_memory_process){.pid = pid};
	return read_start(pid, &process->started) &&
		sprof_proc_read_comm(pid, process->comm, sizeof(process->comm));
}

void sprof_memory_process_finish(struct sprof_memory_process *process)
{
	for (int i = 0; i < SPROF_MEMORY_MOMENTS; i++)
		free(process->mappings[i]);
	*process = (struct sprof_memory_process){0};
}

/* The pid may have been reused. */
static bool is_there(const struct sprof_memory_process *process)
{
	uint64_t started;

	return read_start(process->pid, &started) && started == process->started;
}

static void add(struct sprof_memory_process *process, enum sprof_memory_metric metric,
	uint64_t now_ns, uint64_t value)
{
	sprof_series_add(&process->series[metric], now_ns, value);
}

static bool read_status(const struct sprof_memory_process *process, pid_t tid, char *text)
{
	long rss;

	return sprof_proc_status_read(process->pid, tid, text, SPROF_PROC_STATUS_MAX) > 0 &&
		sprof_proc_status_number(text, "VmRSS", &rss);
}

/* The leader may have ended while others continue: then its files don't show the memory. */
static bool find_status(struct sprof_memory_process *process, char *text)
{
	bool found = read_status(process, process->tid, text);
	DIR *tasks = found ? NULL : sprof_proc_open_tasks(process->pid);
	pid_t tid;

	while (tasks && !found && (tid = sprof_proc_next_id(tasks))) {
		found = read_status(process, tid, text);
		process->tid = tid;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

/* The kernel's counters that status shows are a little late. */
static bool has_changed(const struct sprof_memory_process *process, const char *status)
{
	const uint64_t rss = process->whole.rss, margin = rss / 64 + SLACK;
	long value;

	return sprof_proc_status_number(status, "VmRSS", &value) &&
		((uint64_t)value * KB + margin < rss || (uint64_t)value * KB > rss + margin);
}

/*
 * RSS is smaps_rollup's where that was read: it is of one moment with PSS and USS. Then its parts
 * are added only if they are of that moment, too.
 */
static void add_parts(struct sprof_memory_process *process, const char *text, uint64_t now_ns)
{
	static const struct {
		const char *name;
		enum sprof_memory_metric metric;
	} fields[] = {
		{"VmSwap", SPROF_MEMORY_SWAP},
		{"VmRSS", SPROF_MEMORY_RSS},
		{"RssAnon", SPROF_MEMORY_ANON},
		{"RssFile", SPROF_MEMORY_FILE},
		{"RssShmem", SPROF_MEMORY_SHMEM},
	};
	const bool has_rss = process->whole_ns == now_ns;
	const size_t count =
		has_rss && has_changed(process, text) ? 1 : sizeof(fields) / sizeof(fields[0]);
	long value;

	for (size_t i = 0; i < count; i++) {
		if ((!has_rss || fields[i].metric != SPROF_MEMORY_RSS) &&
			sprof_proc_status_number(text, fields[i].name, &value))
			add(process, fields[i].metric, now_ns, (uint64_t)value * KB);
	}
	/* VmHWM starts over at an exec. */
	if (sprof_proc_status_number(text, "VmHWM", &value) &&
		(uint64_t)value * KB > process->kernels_peak)
		process->kernels_peak = (uint64_t)value * KB;
	/* An exec changes it. */
	(void)!sprof_proc_read_comm(process->pid, process->comm, sizeof(process->comm));
}

static void read_rollup(struct sprof_memory_process *process, uint64_t now_ns)
{
	char text[ROLLUP_SIZE];
	const char *cursor = text;
	struct sprof_smaps_area whole;

	errno = 0;
	if (sprof_proc_read_file(process->pid, process->tid, "smaps_rollup", text, sizeof(text)) >
			0 &&
		sprof_smaps_next(&cursor, &whole)) {
		add(process, SPROF_MEMORY_RSS, now_ns, whole.figures.rss);
		add(process, SPROF_MEMORY_PSS, now_ns, whole.figures.pss);
		add(process, SPROF_MEMORY_USS, now_ns, whole.figures.uss);
		if (whole.figures.rss > process->kernels_peak)
			process->kernels_peak = whole.figures.rss;
		process->whole = whole.figures;
		process->whole_ns = now_ns;
	}
	process->is_denied |= errno == EACCES || errno == EPERM;
}

static void read_mappings(
	struct sprof_memory_process *process, enum sprof_memory_moment moment, uint64_t now_ns)
{
	size_t size;
	char *text = sprof_proc_read_whole(
		sprof_proc_path(process->pid, process->tid, "smaps").text, &size);

	if (!text || !size) {
		free(text);
		return;
	}
	free(process->mappings[moment]);
	process->mappings[moment] = text;
	process->mappings_ns[moment] = now_ns;
}

/* Whether there is a new peak, considerably above the one with known mappings. */
static bool is_new_peak(const struct sprof_memory_process *process)
{
	const struct sprof_series *rss = &process->series[SPROF_MEMORY_RSS];

	return rss->last == rss->max &&
		rss->last > process->mapped_peak + process->mapped_peak / PEAK_GROWTH;
}

static void read_wanted_mappings(
	struct sprof_memory_process *process, const struct sprof_memory_look *look)
{
	if (!process->mappings[SPROF_MEMORY_START])
		read_mappings(process, SPROF_MEMORY_START, look->now_ns);
	else if (is_new_peak(process)) {
		read_mappings(process, SPROF_MEMORY_PEAK, look->now_ns);
		process->mapped_peak = process->series[SPROF_MEMORY_RSS].last;
	}
	if (look->is_last)
		read_mappings(process, SPROF_MEMORY_END, look->now_ns);
}

void sprof_memory_process_read(
	struct sprof_memory_process *process, const struct sprof_memory_look *look)
{
	const bool is_due = look->is_last || look->now_ns >= process->next_map_ns;
	char text[SPROF_PROC_STATUS_MAX], again[SPROF_PROC_STATUS_MAX];
	uint64_t before;

	if (process->has_ended)
		return;
	if (!is_there(process) || !find_status(process, text)) {
		process->has_ended = true;
		return;
	}
	before = sprof_clock_own_cpu_ns();
	if (is_due) {
		read_rollup(process, look->now_ns);
		/* Again, so that the parts of a process that grows are at least the whole. */
		if (read_status(process, process->tid, again))
			memcpy(text, again, sizeof(again));
	}
	add_parts(process, text, look->now_ns);
	if (!is_due)
		return;
	if (look->wants_mappings)
		read_wanted_mappings(process, look);
	process->next_map_ns = look->now_ns + look->share * (sprof_clock_own_cpu_ns() - before);
}
