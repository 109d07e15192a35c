/*
 * The stack walk: the order in which methods of stepping are tried. The methods are elsewhere:
 * pcs.c has rows and their cache, step.c a step, recover.c an unsaved frame pointer.
 */
#include "unwind/unwind.h"

#include <stdlib.h>

#include "unwind/full.h"
#include "unwind/pcs.h"
#include "unwind/recover.h"
#include "unwind/registers.h"
#include "unwind/step.h"

struct sprof_unwinder {
	struct sprof_pcs pcs;
	struct sprof_distances distances;
	struct sprof_full_unwinder *full;
	struct sprof_frame *frames;
	struct sprof_full_frame *full_frames;
	size_t max_depth;
	uint64_t signature_mask;
	struct sprof_frame_registers *registers; /* of the frames */
	bool wants_state;
	struct sprof_stack_state state; /* of the last walk */
};

bool sprof_unwinder_create(struct sprof_modules *modules,
	const struct sprof_unwinder_options *options, struct sprof_unwinder **ret,
	struct sprof_error *err)
{
	struct sprof_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	bool has_pcs;

	if (!unwinder)
		return sprof_error_no_memory(err);
	unwinder->max_depth = options->max_depth;
	unwinder->signature_mask = options->signature_mask;
	has_pcs = sprof_pcs_init(&unwinder->pcs, modules);
	unwinder->full = sprof_full_unwinder_create(&unwinder->pcs.images, options->signature_mask);
	unwinder->frames = calloc(options->max_depth, sizeof(*unwinder->frames));
	unwinder->full_frames = calloc(options->max_depth, sizeof(*unwinder->full_frames));
	unwinder->registers = calloc(options->max_depth, sizeof(*unwinder->registers));
	unwinder->wants_state = options->wants_state;
	if (!has_pcs || !unwinder->full || !unwinder->frames || !unwinder->full_frames ||
		!unwinder->registers) {
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
	sprof_pcs_finish(&unwinder->pcs);
	sprof_distances_finish(&unwinder->distances);
	free(unwinder->frames);
	free(unwinder->full_frames);
	free(unwinder->registers);
	free(unwinder);
}

bool sprof_unwinder_knows(const struct sprof_maps *maps, uint64_t pc)
{
	const struct sprof_mapping *mapping = sprof_maps_find(maps, pc);

	return mapping && mapping->executable;
}

const struct sprof_go_runtime *sprof_unwinder_find_go(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps)
{
	return sprof_images_find_go(&unwinder->pcs.images, maps);
}

unsigned sprof_unwinder_go_count(const struct sprof_unwinder *unwinder)
{
	return unwinder->pcs.images.go_count;
}

bool sprof_unwinder_is_go_entry(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps, uint64_t address)
{
	struct sprof_place place;

	return sprof_unwinder_knows(maps, address) &&
		sprof_images_locate(&unwinder->pcs.images, maps, address, &place) && place.rows &&
		sprof_rows_is_go_entry(place.rows, place.address);
}

/*
 * The kernel makes a handler return to the first byte of the signal trampoline, so no call precedes
 * it.
 */
static struct sprof_frame frame_of(const struct sprof_pc *known)
{
	return (struct sprof_frame){
		.offset = known->offset,
		.module = known->module,
		.is_return = known->is_return && !known->is_entered &&
			known->rule.cfa != SPROF_CFA_SIGNAL,
	};
}

/*
 * Code without CFI is a leaf without a frame yet, or has a frame pointer. A leaf's return address
 * is accepted only if it is code.
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

/* Repeats the whole walk with all registers. A frame outside executable memory ends it. */
static struct sprof_stack_view walk_full(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	struct sprof_stack_view stack = {.frames = unwinder->frames};
	size_t count;

	stack.end = end_of_full(sprof_full_unwinder_walk(unwinder->full, snapshot, maps,
		unwinder->full_frames, unwinder->max_depth, &count));
	for (; stack.count < count; stack.count++) {
		const struct sprof_full_frame *frame = &unwinder->full_frames[stack.count];
		const struct sprof_pc *known =
			sprof_pcs_find(&unwinder->pcs, maps, frame->pc, frame->is_return);

		if (!known) {
			stack.end = SPROF_END_NO_MODULE;
			stack.lost_pc = frame->pc - frame->is_return;
			break;
		}
		unwinder->frames[stack.count] = frame_of(known);
		unwinder->registers[stack.count] = (struct sprof_frame_registers){.sp = frame->sp};
	}
	return stack;
}

static bool needs_fp(const struct sprof_pc *known)
{
	return known->rule.cfa == SPROF_CFA_FP || known->rule.cfa == SPROF_CFA_FP_DEREF;
}

/* Whether the next step needs a frame pointer that is unknown. */
static bool lacks_fp(const struct sprof_pc *known, const struct sprof_cursor *cursor)
{
	return !cursor->fp_known &&
		(needs_fp(known) || (known->rule.cfa == SPROF_CFA_NONE && !cursor->innermost));
}

/* Whether a row from instructions may be right: it leads to code that follows a call. */
static bool is_likely(const struct sprof_recovery *recovery, const struct sprof_cursor *caller)
{
	const struct sprof_pc *known =
		sprof_pcs_find(recovery->pcs, recovery->maps, caller->pc, caller->is_return);

	return known &&
		(!caller->is_return || known->is_behind_call || known->is_entered ||
			known->rule.cfa == SPROF_CFA_SIGNAL);
}

/* Interpreters of generated code push return addresses that follow no call. */
static bool is_possible(const struct sprof_recovery *recovery, const struct sprof_cursor *caller)
{
	const struct sprof_pc *known =
		sprof_pcs_find(recovery->pcs, recovery->maps, caller->pc, caller->is_return);

	return known && known->is_generated;
}

/* Steps by the instructions. If they lead to no call, as in generated code, by the frame pointer if
 * it leads to one. */
static enum sprof_step step_by_code(const struct sprof_recovery *recovery,
	const struct sprof_rule *rule, struct sprof_cursor *cursor, enum sprof_way *ret_way)
{
	struct sprof_cursor caller = *cursor, other = *cursor;
	enum sprof_step made = sprof_step(recovery->snapshot, rule, &caller);

	*ret_way = SPROF_WAY_CODE;
	/* A frame pointer of 0 is a root only in the innermost frame: a thread that has just
	 * started. */
	if (made == SPROF_STEP_BAD_MEMORY && (cursor->fp || cursor->innermost)) {
		*ret_way = SPROF_WAY_FRAME_POINTER;
		return sprof_step_frame_pointer(recovery->snapshot, cursor);
	}
	if (made != SPROF_STEP_OK || is_likely(recovery, &caller)) {
		*cursor = caller;
		return made;
	}
	if (sprof_step_frame_pointer(recovery->snapshot, &other) == SPROF_STEP_OK &&
		sprof_unwinder_knows(recovery->maps, other.pc - 1)) {
		*ret_way = SPROF_WAY_FRAME_POINTER;
		*cursor = other;
		return SPROF_STEP_OK;
	}
	if (!is_possible(recovery, &caller))
		return SPROF_STEP_BAD_MEMORY;
	*cursor = caller;
	return SPROF_STEP_OK;
}

/* Before the step: the frame pointer that it needs. */
static enum sprof_step find_fp(
	const struct sprof_recovery *recovery, struct sprof_pc *known, struct sprof_cursor *cursor)
{
	if (lacks_fp(known, cursor))
		return sprof_recover(recovery, cursor);
	if (needs_fp(known) && sprof_regs_has(&recovery->snapshot->regs, SPROF_REG_FP))
		sprof_recover_learn(recovery->distances, known, cursor);
	return SPROF_STEP_OK;
}

static enum sprof_step step(const struct sprof_recovery *recovery, const struct sprof_rule *rule,
	struct sprof_cursor *cursor, enum sprof_way *ret_way)
{
	*ret_way = rule->cfa == SPROF_CFA_NONE ? SPROF_WAY_FRAME_POINTER : SPROF_WAY_TABLES;
	if (rule->cfa == SPROF_CFA_NONE)
		return step_without_cfi(recovery->snapshot, recovery->maps, cursor);
	if (rule->is_computed)
		return step_by_code(recovery, rule, cursor, ret_way);
	return sprof_step(recovery->snapshot, rule, cursor);
}

static enum sprof_step step_by_registers(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, size_t count, struct sprof_cursor *cursor)
{
	const struct sprof_trail trail = {
		.images = &unwinder->pcs.images,
		.frames = unwinder->frames,
		.registers = unwinder->registers,
		.count = count,
	};

	return sprof_step_by_registers(snapshot, &trail, cursor);
}

/* Finds the creator after the root of a goroutine's own stack. Returns the number of frames
 * added. */
static size_t find_creator(struct sprof_unwinder *unwinder, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps, const struct sprof_cursor *cursor, struct sprof_frame *ret)
{
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;
	const struct sprof_pc *known;

	if (!goroutine->creator || cursor->sp < goroutine->low || cursor->sp > goroutine->high)
		return 0;
	known = sprof_pcs_find(&unwinder->pcs, maps, goroutine->creator, true);
	if (!known)
		return 0;
	*ret = frame_of(known);
	ret->is_creator = true;
	unwinder->registers[ret - unwinder->frames] = (struct sprof_frame_registers){0};
	return 1;
}

/*
 * A new thread with a separate stack has no caller, but the CFI where clone(2) returns describes
 * the creating thread's.
 */
static bool is_only_beginning(
	const struct sprof_snapshot *snapshot, const struct sprof_stack_view *stack)
{
	return stack->count == 1 && sprof_regs_are_newborn(&snapshot->regs);
}

static struct sprof_stack_view walk(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	const struct sprof_recovery recovery = {
		.pcs = &unwinder->pcs,
		.distances = &unwinder->distances,
		.snapshot = snapshot,
		.maps = maps,
		.max_depth = unwinder->max_depth,
	};
	struct sprof_stack_view stack = {.frames = unwinder->frames, .end = SPROF_END_DEPTH};
	enum sprof_way way = SPROF_WAY_TABLES; /* the way that led to the frame */
	struct sprof_cursor cursor;

	sprof_cursor_init(&cursor, &snapshot->regs);
	cursor.signature = unwinder->signature_mask;
	cursor.system_sp = snapshot->goroutine.system_sp;
	while (stack.count < unwinder->max_depth) {
		struct sprof_pc *known =
			sprof_pcs_find(&unwinder->pcs, maps, cursor.pc, cursor.is_return);
		struct sprof_rule rule; /* the search for a frame pointer looks up other pcs */
		enum sprof_step made;

		if (!known) {
			stack.lost_pc = cursor.pc - cursor.is_return;
			made = sprof_recover_caller(&recovery, &cursor);
			if (made == SPROF_STEP_OK)
				continue;
			stack.end = made == SPROF_STEP_OTHER ? SPROF_END_NO_MODULE
							     : end_of_step(made, true);
			break;
		}
		rule = known->rule;
		unwinder->frames[stack.count++] = frame_of(known);
		made = find_fp(&recovery, known, &cursor);
		unwinder->registers[stack.count - 1] =
			(struct sprof_frame_registers){cursor.sp, cursor.fp_known ? cursor.fp : 0};
		if (made == SPROF_STEP_OK)
			made = step(&recovery, &rule, &cursor, &way);
		if (made == SPROF_STEP_OTHER)
			made = step_by_registers(unwinder, snapshot, stack.count, &cursor);
		if (made == SPROF_STEP_OK && stack.way < way)
			stack.way = way;
		if (made == SPROF_STEP_OTHER)
			return walk_full(unwinder, snapshot, maps);
		if (made != SPROF_STEP_OK) {
			stack.end =
				end_of_step(made, rule.cfa != SPROF_CFA_NONE && !rule.is_computed);
			break;
		}
	}
	stack.outermost_sp = cursor.sp;
	if (is_only_beginning(snapshot, &stack))
		stack.end = SPROF_END_ROOT;
	if (stack.end == SPROF_END_ROOT && stack.count < unwinder->max_depth)
		stack.count += find_creator(
			unwinder, snapshot, maps, &cursor, &unwinder->frames[stack.count]);
	return stack;
}

struct sprof_stack_view sprof_unwinder_walk(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps)
{
	struct sprof_stack_view stack = walk(unwinder, snapshot, maps);

	if (!unwinder->wants_state)
		return stack;
	unwinder->state = (struct sprof_stack_state){
		.registers = snapshot->regs.values,
		.known = snapshot->regs.known,
		.base = snapshot->stack.base,
		.bytes = snapshot->stack.bytes,
		.size = snapshot->stack.size,
		.frames = unwinder->registers,
	};
	stack.state = &unwinder->state;
	return stack;
}

uint64_t sprof_unwinder_find_caller_sp(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps, size_t depth)
{
	const size_t max_depth = unwinder->max_depth;
	struct sprof_stack_view stack;

	unwinder->max_depth = depth < max_depth ? depth : max_depth;
	stack = walk(unwinder, snapshot, maps);
	unwinder->max_depth = max_depth;
	return stack.count == depth && stack.end == SPROF_END_DEPTH ? stack.outermost_sp : 0;
}
