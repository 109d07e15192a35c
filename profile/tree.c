/*
 * Locations, the prefix tree of stacks, and functions: everything that is interned. Knows nothing
 * of threads and weights.
 *
 * A stack that was seen before, which most are, is found by a hash of all its frames in one lookup.
 * A new one takes a lookup per frame: the key of a node is its parent and the raw frame itself, and
 * the frame's location is looked up only where a new node begins.
 */
#include <assert.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/index.h"

/* Stands for a frame's module and kind in the key of a stack that was pushed by its location. */
#define NAMED UINT32_MAX

/* Stand for them in the key of a location that is a name only. */
#define PLAIN UINT64_MAX
#define KERNEL (UINT64_MAX - 1)

static uint64_t frame_bits(const struct sprof_frame *frame)
{
	assert(frame->module < NAMED / 4);
	return (uint64_t)frame->module << 2 | (uint64_t)frame->is_creator << 1 | frame->is_return;
}

bool sprof_profile_append_location(
	struct sprof_profile *profile, const struct sprof_frame *frame, uint32_t *ret_location)
{
	uint32_t id = (uint32_t)profile->location_count;

	if (!sprof_array_reserve(&profile->locations, &profile->location_capacity, id + 1,
		    sizeof(*profile->locations)))
		return false;
	profile->locations[profile->location_count++] =
		(struct sprof_profile_location){.frame = *frame};
	*ret_location = id;
	return true;
}

/* Its key comes last where memory may run short: a key leads to what there is. */
static bool append_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	uint64_t high, uint64_t low, uint32_t *ret)
{
	uint32_t id;

	if (!sprof_profile_append_location(profile, frame, &id))
		return false;
	if (!sprof_idmap_put(&profile->index->locations, high, low, id)) {
		profile->location_count--;
		return false;
	}
	*ret = id;
	return true;
}

static bool intern_frame(
	struct sprof_profile *profile, const struct sprof_frame *frame, uint32_t *ret_location)
{
	uint64_t bits = frame_bits(frame);
	uint32_t found = sprof_idmap_find(&profile->index->locations, bits, frame->offset);

	if (found == SPROF_IDMAP_NONE)
		return append_location(profile, frame, bits, frame->offset, ret_location);
	*ret_location = found;
	return true;
}

static bool append_stack(struct sprof_profile *profile, uint32_t parent, uint32_t location,
	uint64_t high, uint64_t low, uint32_t *ret)
{
	uint32_t id = (uint32_t)profile->stack_count;

	if (!sprof_array_reserve(
		    &profile->stacks, &profile->stack_capacity, id + 1, sizeof(*profile->stacks)))
		return false;
	if (!sprof_idmap_put(&profile->index->stacks, high, low, id))
		return false;
	profile->stacks[profile->stack_count++] =
		(struct sprof_profile_stack){.parent = parent, .location = location};
	*ret = id;
	return true;
}

static bool push_frame(struct sprof_profile *profile, uint32_t parent,
	const struct sprof_frame *frame, uint32_t *ret_stack)
{
	uint64_t high = (uint64_t)parent << 32 | frame_bits(frame);
	uint32_t found = sprof_idmap_find(&profile->index->stacks, high, frame->offset);
	uint32_t location;

	if (found != SPROF_IDMAP_NONE) {
		*ret_stack = found;
		return true;
	}
	return intern_frame(profile, frame, &location) &&
	       append_stack(profile, parent, location, high, frame->offset, ret_stack);
}

bool sprof_profile_push_frames(struct sprof_profile *profile, const struct sprof_frame *frames,
	size_t count, uint32_t *ret_stack)
{
	struct sprof_hash hash = sprof_hash_start(count);
	uint32_t id;

	for (size_t i = 0; i < count; i++)
		sprof_hash_add_pair(&hash, frames[i].offset, frame_bits(&frames[i]));
	id = sprof_idmap_find(&profile->index->whole, hash.high, hash.low);
	if (id == SPROF_IDMAP_NONE &&
		sprof_profile_is_full(profile->index->whole.count, profile->index->bounds.stacks))
		return sprof_profile_other_stack(profile, ret_stack);
	if (id == SPROF_IDMAP_NONE) {
		id = SPROF_PROFILE_ROOT;
		for (size_t i = count; i-- > 0;) {
			if (!push_frame(profile, id, &frames[i], &id))
				return false;
		}
		if (!sprof_idmap_put(&profile->index->whole, hash.high, hash.low, id))
			return false;
	}
	*ret_stack = id;
	return true;
}

/* Keyed by the location and not by its frame: what a file calls two locations stays two. */
bool sprof_profile_push(
	struct sprof_profile *profile, uint32_t parent, uint32_t location, uint32_t *ret_stack)
{
	uint64_t high = (uint64_t)parent << 32 | NAMED;
	uint32_t found = sprof_idmap_find(&profile->index->stacks, high, location);

	if (found == SPROF_IDMAP_NONE)
		return append_stack(profile, parent, location, high, location, ret_stack);
	*ret_stack = found;
	return true;
}

bool sprof_profile_intern_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function)
{
	uint64_t key = (uint64_t)(uintptr_t)function->name;
	uint32_t id = sprof_idmap_find(&profile->index->functions, key, function->module);

	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)profile->function_count;
		if (!sprof_array_reserve(&profile->functions, &profile->function_capacity, id + 1,
			    sizeof(*profile->functions)) ||
			!sprof_idmap_put(&profile->index->functions, key, function->module, id))
			return false;
		profile->functions[profile->function_count++] = *function;
	}
	*ret_function = id;
	return true;
}

static bool reserve_line(struct sprof_profile *profile)
{
	return sprof_array_reserve(&profile->lines, &profile->line_capacity,
		profile->line_count + 1, sizeof(*profile->lines));
}

bool sprof_profile_append_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_profile_line *line)
{
	if (!reserve_line(profile))
		return false;
	if (!location->line_count)
		location->first_line = profile->line_count;
	assert(location->first_line + location->line_count == profile->line_count);
	profile->lines[profile->line_count++] = *line;
	location->line_count++;
	return true;
}

static bool append_named(struct sprof_profile *profile, const char *name, uint64_t high,
	uint32_t *ret_location)
{
	const struct sprof_frame frame = {.module = SPROF_PROFILE_NONE};
	struct sprof_profile_line line = {.kernel = high == KERNEL};
	uint64_t low = (uint64_t)(uintptr_t)name;

	if (!sprof_profile_intern_function(profile,
		    &(struct sprof_profile_function){
			    .name = name,
			    .linkage = line.kernel ? SPROF_MODULE_KERNEL : name,
			    .module = SPROF_PROFILE_NONE},
		    &line.function))
		return false;
	/* A location of this kind is never without its line. */
	if (!reserve_line(profile) || !append_location(profile, &frame, high, low, ret_location))
		return false;
	return sprof_profile_append_line(profile, &profile->locations[*ret_location], &line);
}

static bool intern_named(
	struct sprof_profile *profile, const char *name, uint64_t high, uint32_t *ret_location)
{
	const char *text = sprof_strtab_intern(profile->index->strings, name);
	uint32_t found;

	if (!text)
		return false;
	found = sprof_idmap_find(&profile->index->locations, high, (uint64_t)(uintptr_t)text);
	if (found == SPROF_IDMAP_NONE)
		return append_named(profile, text, high, ret_location);
	*ret_location = found;
	return true;
}

bool sprof_profile_name_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location)
{
	return intern_named(profile, name, PLAIN, ret_location);
}

bool sprof_profile_kernel_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location)
{
	return intern_named(profile, name, KERNEL, ret_location);
}
