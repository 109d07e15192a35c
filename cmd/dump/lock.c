/*
 * The lock that a thread waits for: its kind and its variable. The kind comes from the lock's
 * memory or, if that is inconclusive, as with an rwlock held by readers, from the functions on the
 * stack.
 */
#include "cmd/dump/dump.h"

#include "profile/answer/boundaries.h"
#include "profile/names/resolve.h"

/* Frames between the system call and the function that a program calls, at most. */
enum { DEEPEST = 6 };

bool sprof_dump_resolve(const struct sprof_dump_view *view, const struct sprof_frame *frame,
	struct sprof_locations *ret, struct sprof_error *err)
{
	return sprof_symbols_resolve(
		view->symbols, frame->module, frame->offset - (frame->is_return ? 1 : 0), ret, err);
}

size_t sprof_dump_process_end(const struct sprof_stacks *stacks, size_t first)
{
	size_t end = first + 1;

	while (end < stacks->thread_count && stacks->threads[end].pid == stacks->threads[first].pid)
		end++;
	return end;
}

/* The frames of the module that made the call: libc, or a static program. */
static bool find_kind(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	enum sprof_lock_kind *ret, struct sprof_error *err)
{
	struct sprof_locations locations;

	*ret = SPROF_LOCK_UNKNOWN;
	for (size_t i = 0; i < thread->frame_count && i < DEEPEST; i++) {
		if (thread->frames[i].module != thread->frames[0].module)
			return true;
		if (!sprof_dump_resolve(view, &thread->frames[i], &locations, err))
			return false;
		for (size_t j = 0; j < locations.count && *ret == SPROF_LOCK_UNKNOWN; j++)
			*ret = sprof_profile_lock_by_name(locations.items[j].function);
		if (*ret != SPROF_LOCK_UNKNOWN)
			return true;
	}
	return true;
}

bool sprof_dump_lock_find(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, struct sprof_dump_lock *ret,
	struct sprof_error *err)
{
	uint64_t back;

	*ret = (struct sprof_dump_lock){.kind = thread->lock};
	if (ret->kind == SPROF_LOCK_UNKNOWN && !find_kind(view, thread, &ret->kind, err))
		return false;
	back = sprof_profile_lock_distance(ret->kind, thread->lock_address, &thread->lock_traits);
	if (thread->lock_module != SPROF_RECORD_NONE && ret->kind != SPROF_LOCK_JOIN &&
		!sprof_symbols_find_data(view->symbols, thread->lock_module,
			thread->lock_offset - back, &ret->variable, &ret->offset, err))
		return false;
	if (!ret->variable)
		ret->offset = thread->lock_address - back;
	return true;
}
