/*
 * Inserts the functions that made tail calls into the stacks. The missing functions depend on the
 * caller and its callee on the stack, so they are looked up once per pair. The stack gets a
 * separate location with the same frame, and the missing functions as additional lines. So the tree
 * of stacks is unchanged, and all readers of lines see them.
 *
 * Only the function itself is inserted, not its inline chain. If several chains are possible,
 * nothing is inserted, and the found function is marked.
 */
#include "base/array.h"
#include "base/idmap.h"
#include "profile/model/index.h"
#include "profile/names/resolve.h"

struct insertion {
	struct sprof_profile *profile;
	struct sprof_symbols *symbols;
	struct sprof_idmap known; /* (caller's location, location) -> location to take */
};

static bool may_miss_callers(
	const struct sprof_profile_location *caller, const struct sprof_profile_location *callee)
{
	return caller->frame.module != SPROF_PROFILE_NONE &&
		caller->frame.module == callee->frame.module && !caller->frame.is_creator &&
		!callee->frame.is_creator;
}

/* A saved profile may contain the missing functions already. */
static bool is_complete(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	return !location->line_count ||
		profile->lines[location->first_line + location->line_count - 1].mark >=
		SPROF_MARK_TAIL_CALL;
}

static bool append_location(
	struct sprof_profile *profile, uint32_t source, uint32_t *ret, struct sprof_error *err)
{
	const struct sprof_profile_location *from;
	struct sprof_profile_location *to;

	if (!sprof_array_reserve(&profile->locations, &profile->location_capacity,
		    profile->location_count + 1, sizeof(*profile->locations)))
		return sprof_error_no_memory(err);
	from = &profile->locations[source];
	to = &profile->locations[profile->location_count];
	*to = (struct sprof_profile_location){.frame = from->frame};
	for (uint32_t i = 0; i < from->line_count; i++) {
		struct sprof_profile_line line = profile->lines[from->first_line + i];

		if (!sprof_profile_append_line(profile, to, &line))
			return sprof_error_no_memory(err);
	}
	*ret = (uint32_t)profile->location_count++;
	profile->index->locations_named = profile->location_count;
	return true;
}

/* Without a place, the line is not known. */
static bool add_step(struct insertion *insertion, struct sprof_profile_location *location,
	const struct sprof_tail_step *step, struct sprof_error *err)
{
	uint64_t place = step->place ? step->place : step->function;
	struct sprof_locations found;
	struct sprof_location function;

	if (!sprof_symbols_resolve(insertion->symbols, location->frame.module, place, &found, err))
		return false;
	function = found.items[found.count - 1];
	if (!step->place)
		function.line = 0;
	return sprof_profile_add_line(
		       insertion->profile, location, &function, SPROF_MARK_TAIL_CALL) ||
		sprof_error_no_memory(err);
}

static bool change_location(struct insertion *insertion, uint32_t source,
	const struct sprof_tail_path *path, uint32_t *ret, struct sprof_error *err)
{
	struct sprof_profile *profile = insertion->profile;
	struct sprof_profile_location *location;

	if (path->outcome == SPROF_TAIL_PATH_NONE)
		return true;
	if (!append_location(profile, source, ret, err))
		return false;
	location = &profile->locations[*ret];
	if (path->outcome == SPROF_TAIL_PATH_SEVERAL)
		profile->lines[profile->line_count - 1].mark = SPROF_MARK_TAIL_CALLED;
	for (size_t i = path->count; i-- > 0;) {
		if (!add_step(insertion, location, &path->steps[i], err))
			return false;
	}
	return true;
}

/*
 * *ret is the location to use: the given one if nothing is missing. A saved profile has the last
 * byte of a call instead of the return address. At an interrupted pc, no call ends.
 */
static bool look_up(struct insertion *insertion, uint32_t caller, uint32_t callee, uint32_t *ret,
	struct sprof_error *err)
{
	const struct sprof_frame *from = &insertion->profile->locations[caller].frame;
	const struct sprof_frame *to = &insertion->profile->locations[callee].frame;
	const struct sprof_call_edge edge = {
		.behind = from->offset + !from->is_return,
		.place = to->offset - (to->is_return && to->offset),
	};
	struct sprof_tail_path path;
	bool ok;

	*ret = sprof_idmap_find(&insertion->known, caller, callee);
	if (*ret != SPROF_IDMAP_NONE)
		return true;
	*ret = callee;
	if (!sprof_symbols_find_tail_calls(insertion->symbols, from->module, &edge, &path, err))
		return false;
	ok = change_location(insertion, callee, &path, ret, err) &&
		(sprof_idmap_put(&insertion->known, caller, callee, *ret) ||
			sprof_error_no_memory(err));
	sprof_tail_path_finish(&path);
	return ok;
}

static bool insert(struct insertion *insertion, size_t index, struct sprof_error *err)
{
	struct sprof_profile *profile = insertion->profile;
	const struct sprof_profile_stack *stack = &profile->stacks[index];
	uint32_t caller, location;

	if (index == SPROF_PROFILE_ROOT || stack->parent == SPROF_PROFILE_ROOT)
		return true;
	caller = profile->stacks[stack->parent].location;
	if (!may_miss_callers(&profile->locations[caller], &profile->locations[stack->location]) ||
		is_complete(profile, &profile->locations[stack->location]))
		return true;
	if (!look_up(insertion, caller, stack->location, &location, err))
		return false;
	profile->stacks[index].location = location;
	return true;
}

bool sprof_profile_insert_tail_calls(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err)
{
	struct insertion insertion = {.profile = profile, .symbols = symbols};
	size_t *joined = &profile->index->stacks_joined;
	bool ok = true;

	for (; ok && *joined < profile->stack_count; *joined += ok)
		ok = insert(&insertion, *joined, err);
	sprof_idmap_finish(&insertion.known);
	return ok;
}
