/*
 * The walkers of the product. A walk of libunwind's gives addresses; they are turned into frames
 * when they are read, which is not timed.
 */
#include "bench/walkers.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/full.h"
#include "unwind/images.h"
#include "unwind/unwind.h"

struct ours {
	struct sprof_unwinder *unwinder;
	const struct sprof_maps *maps;
	struct sprof_stack_view last;
};

static void *ours_create(const struct walk_parts *parts)
{
	static const struct sprof_unwinder_options options = {.max_depth = WALK_DEPTH};
	struct ours *ours = calloc(1, sizeof(*ours));
	struct sprof_error err;

	if (!ours || !sprof_unwinder_create(parts->modules, &options, &ours->unwinder, &err))
		exit(2);
	ours->maps = parts->maps;
	return ours;
}

static void ours_destroy(void *walker)
{
	struct ours *ours = walker;

	sprof_unwinder_destroy(ours->unwinder);
	free(ours);
}

static size_t ours_walk(void *walker, const struct sprof_snapshot *snapshot)
{
	struct ours *ours = walker;

	ours->last = sprof_unwinder_walk(ours->unwinder, snapshot, ours->maps);
	return ours->last.count;
}

static void ours_read(void *walker, struct walked *ret)
{
	struct ours *ours = walker;

	ret->count = ours->last.count;
	ret->complete = ours->last.end == SPROF_END_ROOT;
	memcpy(ret->frames, ours->last.frames, ret->count * sizeof(ret->frames[0]));
}

const struct walker walker_sprof = {"sprof", ours_create, ours_destroy, ours_walk, ours_read};

struct full {
	struct sprof_full_unwinder *unwinder;
	struct sprof_images images;
	const struct sprof_maps *maps;
	struct sprof_full_frame frames[WALK_DEPTH];
	size_t count;
	enum sprof_full_end end;
};

static void *full_create(const struct walk_parts *parts)
{
	struct full *full = calloc(1, sizeof(*full));

	if (!full)
		exit(2);
	full->images.modules = parts->modules;
	full->maps = parts->maps;
	full->unwinder = sprof_full_unwinder_create(&full->images, 0);
	if (!full->unwinder)
		exit(2);
	return full;
}

static void full_destroy(void *walker)
{
	struct full *full = walker;

	sprof_full_unwinder_destroy(full->unwinder);
	sprof_images_finish(&full->images);
	free(full);
}

static size_t full_walk(void *walker, const struct sprof_snapshot *snapshot)
{
	struct full *full = walker;

	full->end = sprof_full_unwinder_walk(
		full->unwinder, snapshot, full->maps, full->frames, WALK_DEPTH, &full->count);
	return full->count;
}

static void full_read(void *walker, struct walked *ret)
{
	struct full *full = walker;
	struct sprof_place place;

	ret->complete = full->end == SPROF_FULL_ROOT;
	for (ret->count = 0; ret->count < full->count; ret->count++) {
		const struct sprof_full_frame *frame = &full->frames[ret->count];

		if (!sprof_images_locate(
			    &full->images, full->maps, frame->pc - frame->is_return, &place))
			return;
		ret->frames[ret->count] = (struct sprof_frame){
			.offset = place.offset + frame->is_return,
			.module = place.module,
			.is_return = frame->is_return,
		};
	}
}

const struct walker walker_libunwind = {
	"libunwind", full_create, full_destroy, full_walk, full_read};
