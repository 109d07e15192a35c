/*
 * Snapshots of running programs. Registers and memory are taken in the tracing thread, everything
 * else happens in the test's own.
 */
#include "tests/ptrace/stacks.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "attach/module/read-maps.h"
#include "attach/proc/memory.h"
#include "base/clock.h"
#include "tests/unit/check.h"

struct stacks *stacks_create(void)
{
	const struct sprof_unwinder_options options = {
		.max_depth = STACK_DEPTH, .signature_mask = sprof_regs_signature_mask()};
	struct stacks *stacks = calloc(1, sizeof(*stacks));
	struct sprof_error err;

	assert_non_null(stacks);
	stacks->modules = sprof_modules_create();
	assert_true(sprof_unwinder_create(stacks->modules, &options, &stacks->unwinder, &err));
	stacks->images.modules = stacks->modules;
	stacks->full = sprof_full_unwinder_create(&stacks->images, options.signature_mask);
	stacks->copy = malloc(STACK_COPY);
	stacks->full_frames = calloc(STACK_DEPTH, sizeof(*stacks->full_frames));
	assert_true(stacks->full && stacks->copy && stacks->full_frames);
	return stacks;
}

void stacks_destroy(struct stacks *stacks)
{
	sprof_full_unwinder_destroy(stacks->full);
	sprof_images_finish(&stacks->images);
	sprof_unwinder_destroy(stacks->unwinder);
	sprof_maps_finish(&stacks->maps);
	sprof_modules_destroy(stacks->modules);
	free(stacks->full_frames);
	free(stacks->copy);
	free(stacks);
}

static struct sprof_thread *this_thread(const struct stacks *stacks, const struct scene *scene)
{
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	return count ? threads[stacks->next_thread % count] : NULL;
}

static bool copy(struct stacks *stacks, const struct sprof_thread *thread)
{
	struct sprof_snapshot *snapshot = &stacks->snapshot;

	if (!sprof_regs_read(thread->tid, &snapshot->regs))
		return false;
	snapshot->stack.base = snapshot->regs.values[SPROF_REG_SP] - SPROF_RED_ZONE;
	snapshot->stack.bytes = stacks->copy;
	snapshot->stack.size = sprof_memory_read(
		thread->process->pid, snapshot->stack.base, stacks->copy, STACK_COPY);
	snapshot->stack.limit = UINT64_MAX;
	return snapshot->stack.size > 0;
}

/* Lets the program run until the deadline. */
static void let_run(struct scene *scene, uint64_t deadline)
{
	while (sprof_clock_now_ns() < deadline) {
		struct sprof_event event = scene_next_event(scene, deadline);

		sprof_event_answer(scene->target, &event);
	}
}

static bool take(struct scene *scene, void *data)
{
	uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();
	struct stacks *stacks = data;
	struct sprof_thread *thread;
	struct sprof_event event;
	bool copied = false;

	let_run(scene, sprof_clock_now_ns() + SPROF_NS_PER_MS / 2);
	thread = this_thread(stacks, scene);
	if (!thread || !sprof_thread_interrupt(thread))
		return false;
	stacks->tid = thread->tid;
	do {
		event = scene_next_event(scene, limit);
		if (event.kind == SPROF_EVENT_TIMEOUT || event.kind == SPROF_EVENT_EMPTY)
			return false;
		if (event.kind == SPROF_EVENT_STOPPED)
			copied = copy(stacks, event.thread);
		sprof_event_answer(scene->target, &event);
	} while (event.kind != SPROF_EVENT_STOPPED);
	return copied;
}

static void walk(struct stacks *stacks)
{
	stacks->stack = sprof_unwinder_walk(stacks->unwinder, &stacks->snapshot, &stacks->maps);
	stacks->full_end = sprof_full_unwinder_walk(stacks->full, &stacks->snapshot, &stacks->maps,
		stacks->full_frames, STACK_DEPTH, &stacks->full_count);
}

static bool is_newborn(const struct stacks *stacks)
{
	int64_t call = stacks->snapshot.regs.system_call;

	return call == SYS_clone || call == SYS_clone3;
}

void stacks_take(struct stacks *stacks, struct scene *scene)
{
	do {
		assert_true(scene_do(scene, take, stacks));
	} while (is_newborn(stacks));
	stacks->next_thread++;
	if (!stacks->maps.count)
		assert_true(sprof_maps_read(&stacks->maps, scene->pid, stacks->modules));
	walk(stacks);
	if (stacks->stack.end == SPROF_END_ROOT)
		return;
	/* Something may have been mapped meanwhile. */
	assert_true(sprof_maps_read(&stacks->maps, scene->pid, stacks->modules));
	walk(stacks);
}

/*
 * The full unwinder takes the signal trampoline for a place that was called; what returns there was
 * called by the kernel, so that in a stack it is no return address.
 */
static bool is_same(
	struct stacks *stacks, const struct sprof_frame *frame, const struct sprof_full_frame *full)
{
	struct sprof_place place;
	bool is_return = full->is_return;

	if (!sprof_images_locate(&stacks->images, &stacks->maps, full->pc - is_return, &place))
		return false;
	if (place.rows && sprof_rows_find(place.rows, place.address).cfa == SPROF_CFA_SIGNAL)
		is_return = false;
	return frame->is_return == is_return && place.module == frame->module &&
		place.offset + full->is_return == frame->offset;
}

size_t stacks_common(struct stacks *stacks, size_t first, size_t full_first)
{
	size_t count = 0;

	while (first + count < stacks->stack.count && full_first + count < stacks->full_count &&
		is_same(stacks, &stacks->stack.frames[first + count],
			&stacks->full_frames[full_first + count]))
		count++;
	return count;
}

uint64_t stacks_frame_pc(const struct stacks *stacks, const struct sprof_frame *frame)
{
	uint64_t offset = frame->offset - frame->is_return;

	for (size_t i = 0; i < stacks->maps.count; i++) {
		const struct sprof_mapping *mapping = &stacks->maps.items[i];
		uint64_t start;

		if (!mapping->executable || mapping->module != frame->module)
			continue;
		start = sprof_mapping_offset(mapping,
			sprof_modules_get(stacks->modules, mapping->module), mapping->start);
		if (offset >= start && offset - start < mapping->end - mapping->start)
			return mapping->start + (offset - start) + frame->is_return;
	}
	return 0;
}
