/*
 * Interned locations, stacks (the prefix tree) and functions. Does not handle threads and weights.
 *
 * Most stacks are known, and found in one lookup by a hash of all their frames. A new stack takes
 * one lookup per frame: a node's key is its parent and the raw frame. The frame's location is
 * looked up only if the node is new.
 */
#include <assert.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/model/index.h"

/* Replaces module and kind of a frame in the key of a stack that was pushed by location. */
#define NAMED UINT32_MAX

/* Replaces module and kind in the key of a location that is only a name. */
#define PLAIN UINT64_MAX
#define KERNEL (UINT64_MAX - 1)

static uint64_t frame_bits(const struct sprof_frame *frame)
{
	assert(frame->module < NAMED / 4);
	return (uint64_t)frame->module << 2 | (uint64_t)frame->is_creator << 1 | frame->is_return;
}

static bool intern_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	struct sprof_hash key, uint32_t *ret_location)
{
	const struct sprof_interned locations = SPROF_INTERNED(&profile->index->locations,
		profile->locations, profile->location_count, profile->location_capacity);
	const struct sprof_profile_location location = {.frame = *frame};

	return sprof_intern(&locations, key, &location, ret_location);
}

static bool intern_stack(struct sprof_profile *profile, struct sprof_hash key,
	const struct sprof_profile_stack *stack, uint32_t *ret_stack)
{
	const struct sprof_interned stacks = SPROF_INTERNED(&profile->index->stacks,
		profile->stacks, profile->stack_count, profile->stack_capacity);

	return sprof_intern(&stacks, key, stack, ret_stack);
}

static bool push_frame(struct sprof_profile *profile, uint32_t parent,
	const struct sprof_frame *frame, uint32_t *ret_stack)
{
	const uint64_t bits = frame_bits(frame);
	const struct sprof_hash key = sprof_key((uint64_t)parent << 32 | bits, frame->offset);
	struct sprof_profile_stack stack = {.parent = parent};

	*ret_stack = sprof_idmap_find(&profile->index->stacks, key.high, key.low);
	return *ret_stack != SPROF_IDMAP_NONE ||
		(intern_location(profile, frame, sprof_key(bits, frame->offset), &stack.location) &&
			intern_stack(profile, key, &stack, ret_stack));
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

/* Keyed by location, not by frame: two locations of a file stay two. */
bool sprof_profile_push(
	struct sprof_profile *profile, uint32_t parent, uint32_t location, uint32_t *ret_stack)
{
	const struct sprof_profile_stack stack = {.parent = parent, .location = location};

	return intern_stack(
		profile, sprof_key((uint64_t)parent << 32 | NAMED, location), &stack, ret_stack);
}

bool sprof_profile_intern_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function)
{
	const struct sprof_interned functions = SPROF_INTERNED(&profile->index->functions,
		profile->functions, profile->function_count, profile->function_capacity);

	return sprof_intern(&functions, sprof_identity_key(function), function, ret_function);
}

uint32_t sprof_profile_joined_function(const struct sprof_profile *profile, uint32_t function)
{
	uint32_t next = function;

	do {
		function = next;
		next = sprof_idmap_find(&profile->index->joined, 0, function);
	} while (next != SPROF_IDMAP_NONE);
	return function;
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

/* A location of this kind always has one line, so room for the line is reserved first. */
static bool intern_named(
	struct sprof_profile *profile, const char *name, uint64_t high, uint32_t *ret_location)
{
	const struct sprof_frame frame = {.module = SPROF_PROFILE_NONE};
	const char *text = sprof_strtab_intern(profile->index->strings, name);
	struct sprof_profile_line line = {.kernel = high == KERNEL};
	const struct sprof_profile_function function = {.name = text,
		.linkage = line.kernel ? SPROF_MODULE_KERNEL : text,
		.module = SPROF_PROFILE_NONE};
	const size_t before = profile->location_count;

	return text && sprof_profile_intern_function(profile, &function, &line.function) &&
		reserve_line(profile) &&
		intern_location(profile, &frame, sprof_key(high, (uintptr_t)text), ret_location) &&
		(*ret_location < before ||
			sprof_profile_append_line(
				profile, &profile->locations[*ret_location], &line));
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

bool sprof_profile_other_stack(struct sprof_profile *profile, uint32_t *ret_stack)
{
	uint32_t location;

	if (!sprof_profile_name_location(profile, SPROF_PROFILE_OTHER, &location) ||
		!sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, ret_stack))
		return false;
	profile->index->other_stack = *ret_stack;
	return true;
}

bool sprof_profile_is_other(const struct sprof_profile *profile, uint32_t stack)
{
	const uint32_t other = profile->index->other_stack;

	/* The kernel's end was added later, so its index is larger. */
	while (other && stack > other)
		stack = profile->stacks[stack].parent;
	return other && stack == other;
}
