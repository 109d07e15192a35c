/*
 * Lists threads and reads their schedstat. Does not handle the final figures of an ended thread:
 * they disappear from /proc with the thread.
 */
#include "events/sched/threads.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "attach/proc/procfs.h"
#include "base/array.h"
#include "base/clock.h"

/* A reading takes longer only if sprof had to wait for a CPU. */
static const uint64_t in_time_ns = 200 * SPROF_NS_PER_US;

enum { TRIES = 4 };

bool sprof_tids_list(pid_t pid, struct sprof_tids *ret)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	bool done = true;
	pid_t tid;

	ret->count = 0;
	if (!tasks)
		return false;
	while ((tid = sprof_proc_next_id(tasks))) {
		done = sprof_array_reserve(
			&ret->items, &ret->capacity, ret->count + 1, sizeof(*ret->items));
		if (!done)
			break;
		ret->items[ret->count++] = tid;
	}
	closedir(tasks);
	return done && ret->count;
}

static void read_name(pid_t pid, pid_t tid, char name[SPROF_SCHED_NAME_SIZE])
{
	if (sprof_proc_read_file(pid, tid, "comm", name, SPROF_SCHED_NAME_SIZE) <= 0)
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

/* '\0': unknown. */
static char state_of(pid_t pid, pid_t tid)
{
	struct sprof_proc_stat stat;
	char text[1024];

	if (sprof_proc_read_file(pid, tid, "stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat))
		return '\0';
	return stat.state;
}

void sprof_sched_threads_add(struct sprof_delays *delays, pid_t pid, const struct sprof_tids *tids)
{
	char name[SPROF_SCHED_NAME_SIZE];

	for (size_t i = 0; i < tids->count; i++) {
		if (sprof_delays_find(delays, tids->items[i]))
			continue;
		read_name(pid, tids->items[i], name);
		sprof_delays_add_thread(
			delays, tids->items[i], name, state_of(pid, tids->items[i]) == 'R');
	}
}

static bool read_schedstat(pid_t pid, pid_t tid, struct sprof_proc_schedstat *ret)
{
	char text[128];

	return sprof_proc_read_file(pid, tid, "schedstat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_schedstat(text, ret);
}

/*
 * Reads again if sprof has had to wait for a CPU meanwhile: records in between would be counted
 * twice.
 */
static bool read_in_time(
	pid_t pid, pid_t tid, struct sprof_proc_schedstat *ret, uint64_t *ret_time_ns)
{
	uint64_t time_ns;

	for (int i = 0; i < TRIES; i++) {
		time_ns = sprof_clock_now_ns();
		if (!read_schedstat(pid, tid, ret))
			return false;
		*ret_time_ns = time_ns;
		if (sprof_clock_now_ns() - time_ns < in_time_ns)
			break;
	}
	return true;
}

void sprof_sched_threads_read(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_tids *tids)
{
	struct sprof_proc_schedstat schedstat;

	for (size_t i = 0; i < tids->count; i++) {
		struct sprof_sched_record record = {
			.tid = tids->items[i],
			.kind = SPROF_SCHED_READING,
		};

		if (!read_in_time(pid, tids->items[i], &schedstat, &record.time_ns))
			continue;
		record.delay_ns = schedstat.runq_ns;
		record.slices = schedstat.timeslices;
		sprof_sched_order_add(order, &record);
	}
}

static int compare_tids(const void *a, const void *b)
{
	const pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return left < right ? -1 : left > right;
}

static void add_ends(struct sprof_sched_order *order, const struct sprof_delays *delays,
	const struct sprof_tids *tids, uint64_t now)
{
	for (size_t i = 0; i < delays->count; i++) {
		const struct sprof_sched_record record = {
			.time_ns = now, .tid = delays->threads[i]->tid, .kind = SPROF_SCHED_EXIT};

		if (!delays->threads[i]->ended &&
			!bsearch(&record.tid, tids->items, tids->count, sizeof(*tids->items),
				compare_tids))
			sprof_sched_order_add(order, &record);
	}
}

/* The first thread is listed until its process ends, even if it has ended. */
static void add_births(struct sprof_sched_order *order, const struct sprof_delays *delays,
	pid_t pid, const struct sprof_tids *tids, uint64_t now)
{
	for (size_t i = 0; i < tids->count; i++) {
		struct sprof_sched_record record = {
			.time_ns = now, .tid = tids->items[i], .kind = SPROF_SCHED_BIRTH};

		if (!sprof_delays_find(delays, record.tid) && state_of(pid, record.tid) != 'Z')
			sprof_sched_order_add(order, &record);
		if (!delays->options.per_thread)
			continue;
		record.kind = SPROF_SCHED_NAME;
		read_name(pid, record.tid, record.name);
		if (record.name[0])
			sprof_sched_order_add(order, &record);
	}
}

void sprof_sched_threads_compare(struct sprof_sched_order *order, const struct sprof_delays *delays,
	pid_t pid, struct sprof_tids *tids)
{
	const uint64_t now = sprof_clock_now_ns();

	qsort(tids->items, tids->count, sizeof(*tids->items), compare_tids);
	add_births(order, delays, pid, tids, now);
	add_ends(order, delays, tids, now);
}
