/*
 * The stack walk. Knows in which order the ways of stepping are tried and keeps what was found out
 * about each pc, so that a step of a warm walk is one look-up and two or three reads.
 */
#include "unwind/unwind.h"

#include <stdlib.h>

#include "unwind/full.h"
#include "unwind/images.h"
#include "unwind/step.h"

enum {
	CACHE_SIZE = 1 << 14, /* a power of two; the hot pcs of a large program */
	CACHE_LINE = 64,
};

/*
 * What is known of a pc in one state of a process's maps. In a cache line of its own: what a look-up
 * waits for is memory, and that must not be two lines.
 */
struct cached_pc {
	_Alignas(CACHE_LINE) uint64_t pc;
	uint64_t generation;
	uint64_t offset;
	uint32_t module;
	bool is_return; /* the same address means another row for a return address */
	struct sprof_rule rule;
};

struct sprof_unwinder {
	struct sprof_images images;
	struct sprof_full_unwinder *full;
	void *cache_memory; /* zeroed by calloc, so that only what is used is ever touched */
	struct cached_pc *cache;
	struct sprof_frame *frames;
	struct sprof_full_frame *full_frames;
	size_t max_depth;
};

static void *align_to_line(void *memory)
{
	return (void *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

bool sprof_unwinder_create(struct sprof_modules *modules,
	const struct sprof_unwinder_options *options, struct sprof_unwinder **ret,
	struct sprof_error *err)
{
	struct sprof_unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return sprof_error_no_memory(err);
	unwinder->images.modules = modules;
	unwinder->max_depth = options->max_depth;
	unwinder->full = sprof_full_unwinder_create(&unwinder->images);
	unwinder->cache_memory = calloc(CACHE_SIZE + 1, sizeof(*unwinder->cache));
	unwinder->cache = align_to_line(unwinder->cache_memory);
	unwinder->frames = calloc(options->max_depth, sizeof(*unwinder->frames));
	unwinder->full_frames = calloc(options->max_depth, sizeof(*unwinder->full_frames));
	if (!unwinder->full || !unwinder->cache_memory || !unwinder->frames || !unwinder->full_frames) {
		sprof_unwinder_destroy(unwinder);
		return sprof_error_no_memory(err);
	}
	*ret = unwinder;
	return true;
}

void sprof_unwinder_destroy(struct sprof_unwinder *unwinder)
{
	if (!unwinder)
		return;
	sprof_full_unwinder_destroy(unwinder->full);
	sprof_images_finish(&unwinder->images);
	free(unwinder->cache_memory);
	free(unwinder->frames);
	free(unwinder->full_frames);
	free(unwinder);
}

bool sprof_unwinder_knows(const struct sprof_maps *maps, uint64_t pc)
{
	const struct sprof_mapping *mapping = sprof_maps_find(maps, pc);

	return mapping && mapping->executable;
}

static bool fill(struct sprof_unwinder *unwinder, const struct sprof_maps *maps, uint64_t pc,
	bool is_return, struct cached_pc *entry)
{
	struct sprof_place place;

	if (!sprof_images_locate(&unwinder->images, maps, pc - is_return, &place))
		return false;
	*entry = (struct cached_pc){
		.pc = pc,
		.generation = maps->generation,
		.offset = place.offset + is_return,
		.module = place.module,
		.is_return = is_return,
	};
	if (place.rows)
		entry->rule = sprof_rows_find(place.rows, place.address);
	return true;
}

/* NULL: the pc is not in executable memory. */
static const struct cached_pc *look_up(struct sprof_unwinder *unwinder,
	const struct sprof_maps *maps, uint64_t pc, bool is_return)
{
	struct cached_pc *entry = &unwinder->cache[(pc ^ pc >> 14) & (CACHE_SIZE - 1)];

	/* An entry of generation 0 is empty, and so are the maps. */
	if (maps->generation && entry->pc == pc && entry->generation == maps->generation &&
		entry->is_return == is_return)
		return entry;
	return fill(unwinder, maps, pc, is_return, entry) ? entry : NULL;
}

/*
 * The kernel makes a handler return to the first byte of the signal trampoline: there is no call
 * before it.
 */
static struct sprof_frame frame_of(const struct cached_pc *known)
{
	return (struct sprof_frame){
		.offset = known->offset,
		.module = known->module,
		.is_return = known->is_return && known->rule.cfa != SPROF_CFA_SIGNAL,
	};
}

/*
 * Code without CFI: a leaf that has no frame yet, or a frame pointer. The return address that a leaf
 * would have is believed only if it is code.
 */
static enum sprof_step step_without_cfi(const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps, struct sprof_cursor *cursor)
{
	struct sprof_cursor leaf = *cursor;

	if (cursor->innermost && sprof_step_leaf(snapshot, &leaf) == SPROF_STEP_OK &&
		sprof_unwinder_knows(maps, leaf.pc - 1)) {
		*cursor = leaf;
		return SPROF_STEP_OK;
	}
	return sprof_step_frame_pointer(snapshot, cursor);
}

static enum sprof_end end_of_step(enum sprof_step step, bool has_cfi)
{
	switch (step) {
	case SPROF_STEP_ROOT:
		return SPROF_END_ROOT;
	case SPROF_STEP_STACK_COPY:
		return SPROF_END_STACK_COPY;
	case SPROF_STEP_NO_PROGRESS:
		return SPROF_END_NO_PROGRESS;
	case SPROF_STEP_REGISTER:
		return SPROF_END_REGISTER;
	case SPROF_STEP_BAD_MEMORY:
	case SPROF_STEP_OTHER:
	case SPROF_STEP_OK:
		break;
	}
	return has_cfi ? SPROF_END_BAD_MEMORY : SPROF_END_NO_CFI;
}

static enum sprof_end end_of_full(enum sprof_full_end end)
{
	switch (end) {
	case SPROF_FULL_ROOT:
		return SPROF_END_ROOT;
	case SPROF_FULL_DEPTH:
		return SPROF_END_DEPTH;
	case SPROF_FULL_STACK_COPY:
		return SPROF_END_STACK_COPY;
	case SPROF_FULL_REGISTER:
		return SPROF_END_REGISTER;
	case SPROF_FULL_FAILED:
		break;
	}
	return SPROF_END_BAD_MEMORY;
}

/* The whole walk again, with all registers. A frame outside executable memory ends it. */
static struct sprof_stack_view walk_full(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	struct sprof_stack_view stack = {.frames = unwinder->frames};
	size_t count;

	stack.end = end_of_full(sprof_full_unwinder_walk(unwinder->full, snapshot, maps,
		unwinder->full_frames, unwinder->max_depth, &count));
	for (; stack.count < count; stack.count++) {
		const struct sprof_full_frame *frame = &unwinder->full_frames[stack.count];
		const struct cached_pc *known =
			look_up(unwinder, maps, frame->pc, frame->is_return);

		if (!known) {
			stack.end = SPROF_END_NO_MODULE;
			break;
		}
		unwinder->frames[stack.count] = frame_of(known);
	}
	return stack;
}

struct sprof_stack_view sprof_unwinder_walk(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	struct sprof_stack_view stack = {.frames = unwinder->frames, .end = SPROF_END_DEPTH};
	struct sprof_cursor cursor;

	sprof_cursor_init(&cursor, &snapshot->regs);
	while (stack.count < unwinder->max_depth) {
		const struct cached_pc *known =
			look_up(unwinder, maps, cursor.pc, cursor.is_return);
		bool has_cfi = known && known->rule.cfa != SPROF_CFA_NONE;
		enum sprof_step step;

		if (!known) {
			stack.end = SPROF_END_NO_MODULE;
			break;
		}
		unwinder->frames[stack.count++] = frame_of(known);
		step = has_cfi ? sprof_step(snapshot, &known->rule, &cursor)
			       : step_without_cfi(snapshot, maps, &cursor);
		if (step == SPROF_STEP_OTHER)
			return walk_full(unwinder, snapshot, maps);
		if (step != SPROF_STEP_OK) {
			stack.end = end_of_step(step, has_cfi);
			break;
		}
	}
	stack.outermost_sp = cursor.sp;
	return stack;
}
