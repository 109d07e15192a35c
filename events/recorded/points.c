/* Opens points, and finds a record's point by the kernel's event id. Does not read records. */
#include "events/recorded/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "events/perf/registers.h"
#include "events/perf/rings.h"

enum {
	FILTER_SIZE = 4096,
	KERNELS_ENOTSUPP = 524, /* include/linux/errno.h; no errno of libc's */
	NO_CALL =
		/*
		 * the number shown at the exit of rt_sigreturn(2): orig_ax is the interrupted
		 * call's again
		 */
	-1,
};

static bool is_call(enum sprof_trace_type type)
{
	return type == SPROF_TRACE_SYS_ENTER || type == SPROF_TRACE_SYS_EXIT;
}

uint32_t sprof_recorded_calls(void)
{
	return 1U << SPROF_TRACE_SYS_ENTER | 1U << SPROF_TRACE_SYS_EXIT;
}

bool sprof_recorded_has_type(const struct sprof_recorded_wants *wants, enum sprof_trace_type type)
{
	return wants->types & (is_call(type) ? sprof_recorded_calls() : 1U << type);
}

bool sprof_recorded_has_call(const struct sprof_recorded_wants *wants, int64_t number)
{
	for (size_t i = 0; i < wants->call_count; i++) {
		if (wants->calls[i] == number)
			return true;
	}
	return !wants->call_count || number == SYS_restart_syscall;
}

/* One perf event yields switches of both types. Probes have separate points. */
static bool has_point(const struct sprof_recorded_wants *wants, enum sprof_trace_type type)
{
	if (type == SPROF_TRACE_PROBE ||
		(type == SPROF_TRACE_ON && wants->types & 1U << SPROF_TRACE_OFF))
		return false;
	return sprof_recorded_has_type(wants, type);
}

/* Returns NULL if out of memory, or if there is no such event. */
static struct sprof_recorded_point *append_point(struct sprof_recorded_points *points,
	enum sprof_trace_type type, const struct sprof_probe *probe,
	struct sprof_perf_denial *ret_denial)
{
	struct sprof_recorded_point *point;

	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	if (!sprof_array_reserve(
		    &points->items, &points->capacity, points->count + 1, sizeof(*points->items)))
		return NULL;
	point = &points->items[points->count++];
	return sprof_recorded_point_init(point, type, &points->wants, probe, ret_denial) ? point
											 : NULL;
}

static bool add_point(struct sprof_recorded_points *points, enum sprof_trace_type type,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial)
{
	struct sprof_recorded_point *point = append_point(points, type, probe, ret_denial);

	return point &&
		sprof_recorded_point_is_permitted(point, points->rings.cpus.items[0], ret_denial);
}

bool sprof_recorded_points_add_probe(struct sprof_recorded_points *points,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial)
{
	const size_t count = points->count;

	if (append_point(points, SPROF_TRACE_PROBE, probe, ret_denial))
		return true;
	if (points->count > count)
		sprof_recorded_point_finish(&points->items[--points->count]);
	return false;
}

static bool add_probes(struct sprof_recorded_points *points, struct sprof_perf_denial *ret_denial)
{
	for (size_t i = 0; i < points->wants.probe_count; i++) {
		const struct sprof_probe *probe = &points->wants.probes[i];

		points->rings.is_slow_to_close = true;
		if (!add_point(points, SPROF_TRACE_PROBE, probe, ret_denial))
			return false;
	}
	return true;
}

static bool add_all(struct sprof_recorded_points *points, struct sprof_perf_denial *ret_denial)
{
	for (enum sprof_trace_type type = 0; type < SPROF_TRACE_TYPES; type++) {
		if (has_point(&points->wants, type) && !add_point(points, type, NULL, ret_denial))
			return false;
	}
	return add_probes(points, ret_denial);
}

bool sprof_recorded_points_init(struct sprof_recorded_points *points,
	const struct sprof_recorded_wants *wants, bool follow_children,
	enum sprof_trace_type *ret_type, struct sprof_perf_denial *ret_denial)
{
	*points = (struct sprof_recorded_points){.wants = *wants};
	*ret_type = SPROF_TRACE_TYPES;
	if (!sprof_perf_rings_init(&points->rings, ret_denial))
		return false;
	if (!add_all(points, ret_denial)) {
		if (points->count)
			*ret_type = points->items[points->count - 1].type;
		return false;
	}
	points->rings.ring_size = wants->ring_size
		? wants->ring_size
		: sprof_perf_ring_size(points->rings.cpus.count, wants->stacks);
	if (wants->stacks)
		points->rings.largest_record += SPROF_PERF_STACK_SIZE;
	for (size_t i = 0; i < points->count; i++) {
		struct perf_event_attr *attributes = &points->items[i].attributes;

		attributes->inherit_thread = attributes->inherit && !follow_children;
	}
	return true;
}

void sprof_recorded_points_finish(struct sprof_recorded_points *points)
{
	for (size_t i = 0; i < points->count; i++)
		sprof_recorded_point_finish(&points->items[i]);
	free(points->items);
	sprof_perf_rings_finish(&points->rings);
	sprof_idmap_finish(&points->by_id);
	free(points->opened);
	*points = (struct sprof_recorded_points){0};
}

/* "id==0||id==219" */
static void write_filter(const struct sprof_recorded_wants *wants, char *ret, size_t size)
{
	size_t used = (size_t)snprintf(ret, size, "id==%d||id==%d||id==%d", NO_CALL,
		(int)SYS_restart_syscall, (int)SYS_rt_sigreturn);

	for (size_t i = 0; i < wants->call_count && used < size; i++)
		used += (size_t)snprintf(
			ret + used, size - used, "||id==%lld", (long long)wants->calls[i]);
	if (used >= size)
		ret[0] = '\0';
}

/* Filters out unwanted calls in the kernel. If it rejects the filter, they are dropped later. */
static void filter_calls(const struct sprof_recorded_points *points,
	const struct sprof_recorded_point *point, size_t first)
{
	char filter[FILTER_SIZE];

	if (!points->wants.call_count || !is_call(point->type))
		return;
	write_filter(&points->wants, filter, sizeof(filter));
	if (filter[0])
		sprof_perf_rings_filter(
			&points->rings, first, points->rings.fd_count - first, filter);
}

static bool note_opened(
	struct sprof_recorded_points *points, const struct sprof_recorded_opened *opened)
{
	if (!sprof_array_reserve(&points->opened, &points->opened_capacity,
		    points->opened_count + 1, sizeof(*points->opened)))
		return false;
	points->opened[points->opened_count++] = *opened;
	return true;
}

/* Another process may get this pid. */
static void end_program(const struct sprof_recorded_points *points, pid_t pid)
{
	for (size_t i = 0; i < points->count; i++) {
		const struct sprof_probe *probe = points->items[i].probe;

		points->items[i].is_over |= probe && probe->pid == pid;
	}
}

/* The kernel asks each probe at a place about each hit, also those of threads that are gone. */
void sprof_recorded_points_end_thread(struct sprof_recorded_points *points, pid_t tid)
{
	size_t kept = 0;

	end_program(points, tid);
	sprof_perf_rings_end_single(&points->rings, tid);
	for (size_t i = 0; i < points->opened_count; i++) {
		const struct sprof_recorded_opened *opened = &points->opened[i];

		if (opened->tid != tid) {
			points->opened[kept++] = *opened;
			continue;
		}
		sprof_perf_rings_close(&points->rings, opened->index);
		sprof_idmap_remove(&points->by_id, 0, opened->id);
	}
	points->opened_count = kept;
	sprof_perf_rings_flush(&points->rings);
}

bool sprof_recorded_points_see_users_only(const struct sprof_recorded_points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		const struct sprof_recorded_point *point = &points->items[i];

		if (point->attributes.exclude_kernel &&
			(point->type == SPROF_TRACE_FAULT || point->type == SPROF_TRACE_PROFILE))
			return true;
	}
	return false;
}

/* A uprobe takes long to open. No thread inherits it, nor a debug register of an old kernel. */
static bool add(struct sprof_recorded_points *points, const struct sprof_recorded_point *point,
	struct perf_event_attr *attributes, pid_t tid, struct sprof_perf_denial *ret_denial)
{
	return point->probe && !attributes->inherit
		? sprof_perf_rings_add_single(&points->rings, attributes, tid, ret_denial)
		: sprof_perf_rings_add(&points->rings, attributes, tid, ret_denial);
}

/* A uprobe is at no instruction with a lock prefix, for example (arch_uprobe_analyze_insn). */
static void count_denial(
	struct sprof_recorded_points *points, const struct sprof_perf_denial *denial)
{
	if (denial->os_errno == KERNELS_ENOTSUPP)
		points->refused++;
	else if (denial->reason != SPROF_PERF_GONE)
		points->unwatched++;
}

/* tid -1: the machine. */
static void watch(struct sprof_recorded_points *points, size_t index, pid_t tid)
{
	const struct sprof_recorded_point *point = &points->items[index];
	struct perf_event_attr attributes = point->attributes;
	const size_t first = points->rings.fd_count;
	struct sprof_perf_denial denial;
	uint64_t id;

	if (!add(points, point, &attributes, tid, &denial))
		count_denial(points, &denial);
	for (size_t i = first; i < points->rings.fd_count; i++) {
		if (!sprof_perf_rings_id(&points->rings, i, &id))
			continue;
		if (!sprof_idmap_put(&points->by_id, 0, id, (uint32_t)index) ||
			(point->type == SPROF_TRACE_PROBE &&
				!note_opened(points,
					&(struct sprof_recorded_opened){tid, index, i, id})))
			points->out_of_memory = true;
	}
	filter_calls(points, point, first);
}

void sprof_recorded_points_enable(struct sprof_recorded_points *points)
{
	sprof_perf_rings_enable(&points->rings, points->enabled);
	points->enabled = points->rings.fd_count;
}

void sprof_recorded_points_watch_machine(struct sprof_recorded_points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		if (sprof_recorded_point_is_of_machine(&points->items[i]))
			watch(points, i, -1);
	}
}

void sprof_recorded_points_watch_thread(struct sprof_recorded_points *points, pid_t tid)
{
	for (size_t i = 0; i < points->count; i++) {
		if (!sprof_recorded_point_is_of_machine(&points->items[i]))
			watch(points, i, tid);
	}
}

void sprof_recorded_points_watch_added(struct sprof_recorded_points *points, pid_t tid)
{
	watch(points, points->count - 1, tid);
}

/* `point` SIZE_MAX: any. */
static bool is_opened(const struct sprof_recorded_points *points, pid_t tid, size_t point)
{
	for (size_t i = 0; i < points->opened_count; i++) {
		if (points->opened[i].tid == tid &&
			(point == SIZE_MAX || points->opened[i].point == point))
			return true;
	}
	return false;
}

/* Whether a new thread of this process gets the point, and does not inherit it. */
static bool is_probe_for(const struct sprof_recorded_point *point, pid_t pid)
{
	return point->type == SPROF_TRACE_PROBE && !point->attributes.inherit &&
		(point->probe->path || (point->probe->pid == pid && !point->is_over));
}

void sprof_recorded_points_watch_newborn(struct sprof_recorded_points *points, pid_t pid, pid_t tid)
{
	const bool has_some = is_opened(points, tid, SIZE_MAX);
	bool is_late = false;

	for (size_t i = 0; i < points->count; i++) {
		if (is_probe_for(&points->items[i], pid) &&
			!(has_some && is_opened(points, tid, i))) {
			watch(points, i, tid);
			is_late = true;
		}
	}
	points->late += is_late;
}

const struct sprof_recorded_point *sprof_recorded_points_find(
	const struct sprof_recorded_points *points, const struct sprof_perf_record *record)
{
	uint32_t index = record->kind == SPROF_PERF_SAMPLE || record->kind == SPROF_PERF_SWITCH
		? sprof_idmap_find(&points->by_id, 0, record->id)
		: SPROF_IDMAP_NONE;

	return index == SPROF_IDMAP_NONE ? NULL : &points->items[index];
}
