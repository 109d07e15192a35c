/*
 * The lock that a thread waits for: its kind and its variable. The kind comes from the lock's
 * memory or, if that is inconclusive, as with an rwlock held by readers, from the functions on the
 * stack.
 */
#include "cmd/dump/dump.h"

#include "profile/classify/boundaries.h"
#include "profile/names/resolve.h"

/* Frames between the system call and the function that a program calls, at most. */
enum { DEEPEST = 8 };

bool sprof_dump_resolve(const struct sprof_dump_view *view, const struct sprof_frame *frame,
	struct sprof_locations *ret, struct sprof_error *err)
{
	return sprof_symbols_resolve(
		view->symbols, frame->module, frame->offset - (frame->is_return ? 1 : 0), ret, err);
}

/* Python's locks are semaphores, whose functions have no names in a stripped libc. */
static bool look_at_python(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, enum sprof_lock_kind *ret, struct sprof_error *err)
{
	struct sprof_locations locations;
	bool takes_lock = false;

	for (size_t i = 0; i < thread->frame_count && i < 2 * DEEPEST; i++) {
		const struct sprof_module *module =
			sprof_modules_get(view->modules, thread->frames[i].module);

		if (!sprof_dump_resolve(view, &thread->frames[i], &locations, err))
			return false;
		if (module->kind == SPROF_MODULE_SCRIPT && takes_lock && locations.count)
			*ret = sprof_profile_python_lock(locations.items[0].function, module->path);
		if (module->kind == SPROF_MODULE_SCRIPT)
			return true;
		for (size_t j = 0; j < locations.count; j++)
			takes_lock |= sprof_profile_takes_python_lock(locations.items[j].function);
	}
	return true;
}

/*
 * The frames of the module that made the call: libc, or a static program. Rust's locks call libc's
 * syscall() from further functions.
 */
static bool find_kind(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	enum sprof_lock_kind *ret, struct sprof_error *err)
{
	struct sprof_locations locations;
	bool is_callers = false;

	*ret = SPROF_LOCK_UNKNOWN;
	for (size_t i = 0; i < thread->frame_count && i < DEEPEST && *ret == SPROF_LOCK_UNKNOWN;
		i++) {
		is_callers |= thread->frames[i].module != thread->frames[0].module;
		if (!sprof_dump_resolve(view, &thread->frames[i], &locations, err))
			return false;
		for (size_t j = 0; j < locations.count && *ret == SPROF_LOCK_UNKNOWN; j++)
			*ret = sprof_profile_lock_by_name(locations.items[j].function);
		if (is_callers && *ret != SPROF_LOCK_RUST && *ret != SPROF_LOCK_PARKING)
			*ret = SPROF_LOCK_UNKNOWN;
	}
	return (*ret != SPROF_LOCK_UNKNOWN && *ret != SPROF_LOCK_SEMAPHORE) ||
		look_at_python(view, thread, ret, err);
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
		ret->kind != SPROF_LOCK_PARKING &&
		!sprof_symbols_find_data(view->symbols, thread->lock_module,
			thread->lock_offset - back, &ret->variable, &ret->offset, err))
		return false;
	if (!ret->variable)
		ret->offset = thread->lock_address - back;
	return true;
}
