/*
 * Finds frame pointers on the stack. First tries the distance from sp observed before, or predicted
 * from the function's code (predict.c). Then tries each word of the copied stack as the target of
 * the frame pointer. Remains of earlier calls look like frames, too, and so do the frames of outer
 * callers. In most of them, the call before the return address calls a different function, so they
 * are rejected.
 *
 * Does not handle rows that need other registers, and does not guess: if an old frame is possible,
 * and the function allocates a variable amount of stack, was called through a pointer or was
 * reached by several jumps, no value is accepted.
 */
#include "unwind/recover.h"

#include "elfsym/cfi/cfi.h"
#include "elfsym/code/call-decode.h"
#include "elfsym/elf/plt-decode.h"
#include "unwind/predict.h"

enum {
	WORD = 8,
	MOST_STEPS = 1 << 15,     /* per recovery, for all walks; a few times the default depth */
	MOST_DISTANCES = 1 << 16, /* remembered; a large program has a few thousand */
	/* maximum bytes of a function with unknown start */
	NEAR = 16 * 1024,
	LONGEST_CALLEE = 16 * 1024, /* bytes of code to search for a jump */
	PLT_ENTRY = 16,
	LARGE_COPY = 256 * 1024, /* bytes of stack; a function's own data is rarely larger */
};

/* In a remembered value: the frame pointer was known when the distance was seen. */
static const uint32_t distance_is_sure = 1u << 31;
/* In place of a value: the function allocates on its stack, so seen distances mean nothing. */
static const uint32_t distance_varies = (1u << 31) - 1;

/* The code of one frame of a walk. Link-time addresses. */
struct code {
	const struct sprof_image *image; /* NULL: not known */
	uint32_t module;
	bool has_cfi, is_whole;  /* whole: the function is entered at `start` */
	uint64_t address, start; /* of the pc; the start of its FDE's code */
	enum sprof_call call;    /* the call before the pc, which is a return address */
	uint64_t target;
};

/* Whether a call names the function whose frame follows. */
enum edge {
	EDGE_FITS,
	EDGE_UNKNOWN, /* an indirect call, or through the PLT */
	EDGE_OTHER,   /* a direct call of another function; the callee may have made a tail call */
	EDGE_NO_CALL,
};

/* The result of a walk with a value on trial. */
struct trial {
	bool reaches_root, beyond_copy;
	enum edge first; /* the innermost call */
	/* further calls of other functions, where remains of old frames join the real ones */
	unsigned others;
};

void sprof_distances_finish(struct sprof_distances *distances)
{
	sprof_idmap_finish(&distances->map);
}

static uint32_t remembered(const struct sprof_distances *distances, const struct sprof_pc *known)
{
	return sprof_idmap_find(
		&distances->map, (uint64_t)known->module << 1 | known->is_return, known->offset);
}

/* Failing to remember is harmless. A distance that was only found may be wrong: a new one replaces
 * it. */
static void remember(struct sprof_distances *distances, const struct sprof_pc *known,
	int64_t distance, uint32_t sure)
{
	uint64_t words = (uint64_t)distance / WORD;
	uint32_t before = remembered(distances, known), value = (uint32_t)words | sure;

	bool is_new = before == SPROF_IDMAP_NONE;

	if (distance % WORD || words >= distance_varies ||
		(is_new && distances->map.count >= MOST_DISTANCES))
		return;
	if (before == distance_varies ||
		(!is_new && before != value && (!sure || (before & distance_is_sure))))
		value = distance_varies;
	if (!sprof_idmap_put(&distances->map, (uint64_t)known->module << 1 | known->is_return,
		    known->offset, value))
		return; /* no memory: it is searched again next time */
}

void sprof_recover_learn(struct sprof_distances *distances, struct sprof_pc *known,
	const struct sprof_cursor *cursor)
{
	int64_t distance = (int64_t)(cursor->fp - cursor->sp);

	if (distance <= 0 || distance > INT32_MAX || distance == known->fp_distance)
		return;
	known->fp_distance = (int32_t)distance;
	remember(distances, known, distance, distance_is_sure);
}

static bool is_plt(const struct sprof_image *image, uint64_t address)
{
	const uint8_t *bytes = sprof_image_at(image, address, PLT_ENTRY);
	struct sprof_plt_jump jump;

	return bytes && sprof_plt_decode(SPROF_MACHINE, bytes, PLT_ENTRY, address, &jump);
}

static enum sprof_call find_call(
	const struct sprof_image *image, uint64_t behind, uint64_t *ret_target)
{
	const uint8_t *before =
		sprof_image_at(image, behind - SPROF_CALL_LONGEST, SPROF_CALL_LONGEST);
	enum sprof_call call = before ? sprof_call_decode(SPROF_MACHINE, before, behind, ret_target)
				      : SPROF_CALL_NONE;

	return call == SPROF_CALL_DIRECT && is_plt(image, *ret_target) ? SPROF_CALL_INDIRECT : call;
}

/* Whether it is the row of a function's first instruction; parts that were moved away start with
 * other rows. */
static bool is_entry(const struct sprof_rule *rule)
{
#if defined(__x86_64__)
	return rule->cfa == SPROF_CFA_SP && rule->cfa_offset == WORD;
#else
	return rule->cfa == SPROF_CFA_SP && !rule->cfa_offset;
#endif
}

static struct code read_code(const struct sprof_recovery *recovery, const struct sprof_pc *known)
{
	/* Code in no file can't be read here: a call may be anywhere in it. */
	struct code code = {
		.module = known->module,
		.has_cfi = known->rule.cfa != SPROF_CFA_NONE,
		.call = SPROF_CALL_INDIRECT,
	};
	struct sprof_place place;
	struct sprof_fde_bounds bounds;
	struct sprof_rule entry;

	if (!sprof_images_locate(
		    &recovery->pcs->images, recovery->maps, known->pc - known->is_return, &place))
		return code;
	if (!place.image) {
		/* The last page of a file's mapping may extend past the file's code. */
		if (recovery->pcs->images.items[place.module].image)
			code.call = SPROF_CALL_NONE;
		return code;
	}
	code.image = place.image;
	code.address = place.address;
	code.call = find_call(place.image, place.address + known->is_return, &code.target);
	if (!sprof_images_find_bounds(&recovery->pcs->images, place.module, place.address, &bounds))
		return code;
	code.start = bounds.start;
	entry = sprof_rows_find(place.rows, code.start);
	code.is_whole = code.has_cfi && is_entry(&entry);
	return code;
}

/* Whether a call of this target may have reached the pc: a part that was moved away has several
 * entries. */
static bool is_way_into(const struct code *callee, uint64_t target)
{
	return callee->has_cfi &&
		(target == callee->start ||
			(!callee->is_whole && target > callee->start && target <= callee->address));
}

/* Whether the called function may have jumped to the function that owns the frame. */
static enum edge judge_jumps(
	struct sprof_images *images, const struct code *caller, const struct code *callee)
{
	bool may_leave = false;
	struct sprof_fde_bounds bounds;
	const uint8_t *code = NULL;
	uint64_t size = 0, target;

	if (sprof_images_find_bounds(images, caller->module, caller->target, &bounds) &&
		bounds.next - caller->target <= LONGEST_CALLEE) {
		size = bounds.next - caller->target;
		code = sprof_image_at(caller->image, caller->target, size);
	}
	if (!code)
		return EDGE_UNKNOWN;
	for (size_t at = 0; at < size; at += SPROF_CALL_STEP) {
		enum sprof_call jump = sprof_call_decode_jump(
			SPROF_MACHINE, code + at, size - at, caller->target + at, &target);
		bool is_direct = jump == SPROF_CALL_DIRECT;

		if (is_direct && caller->module == callee->module && is_way_into(callee, target))
			return EDGE_FITS;
		may_leave |= jump == SPROF_CALL_INDIRECT ||
			(is_direct && target - bounds.start >= bounds.next - bounds.start &&
				is_plt(caller->image, target));
	}
	return may_leave ? EDGE_UNKNOWN : EDGE_OTHER;
}

/* Compares the call before the caller's return address with the frame that was called. */
static enum edge judge(
	struct sprof_images *images, const struct code *caller, const struct code *callee)
{
	enum edge jumps;

	if (caller->call == SPROF_CALL_NONE)
		return EDGE_NO_CALL;
	if (caller->call == SPROF_CALL_INDIRECT)
		return EDGE_UNKNOWN;
	/* A direct call never leaves its file, but its callee may jump on through the PLT. */
	if (caller->module != callee->module)
		return judge_jumps(images, caller, callee);
	if (callee->has_cfi && caller->target == callee->start)
		return EDGE_FITS;
	if (!callee->has_cfi && caller->target >= callee->start &&
		callee->address - caller->target < NEAR)
		return EDGE_FITS;
	jumps = judge_jumps(images, caller, callee);
	if (jumps == EDGE_FITS)
		return EDGE_FITS;
	return callee->is_whole || caller->target > callee->address ? EDGE_OTHER : EDGE_UNKNOWN;
}

/* Accepts only an explicit root: a return address of 0 may be an empty word. */
static bool is_root(const struct sprof_pc *known, const struct sprof_cursor *cursor)
{
	if (known->rule.cfa == SPROF_CFA_NONE)
		return !cursor->fp;
	return (known->rule.regs & SPROF_RULE_RA_MASK) == SPROF_REG_UNDEFINED;
}

static enum sprof_step step_over(const struct sprof_recovery *recovery,
	const struct sprof_pc *known, struct sprof_cursor *cursor)
{
	if (known->rule.cfa == SPROF_CFA_NONE)
		return sprof_step_frame_pointer(recovery->snapshot, cursor);
	return sprof_step(recovery->snapshot, &known->rule, cursor);
}

/* Compares the function of the caller's frame with the one that was called. */
static enum edge look_at_call(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	bool is_call, struct code *callee)
{
	struct code code = read_code(recovery, known);
	enum edge edge = is_call ? judge(&recovery->pcs->images, &code, callee) : EDGE_UNKNOWN;

	*callee = code;
	return edge;
}

static bool is_beyond_copy(const struct sprof_recovery *recovery, enum sprof_step step)
{
	return step == SPROF_STEP_STACK_COPY && recovery->snapshot->stack.size < LARGE_COPY;
}

enum sprof_step sprof_recover_caller(
	const struct sprof_recovery *recovery, struct sprof_cursor *cursor)
{
	struct sprof_cursor caller = *cursor;
	const struct sprof_pc *known;
	enum sprof_step step;

	if (!cursor->innermost)
		return SPROF_STEP_OTHER;
	step = sprof_step_leaf(recovery->snapshot, &caller);
	if (step != SPROF_STEP_OK)
		return step;
	known = sprof_pcs_find(recovery->pcs, recovery->maps, caller.pc, true);
	if (!known || !known->is_behind_call)
		return SPROF_STEP_OTHER;
	*cursor = caller;
	return SPROF_STEP_OK;
}

/* Continues the walk from the cursor, with the frame pointer on trial, while steps are left. */
static struct trial try_walk(
	const struct sprof_recovery *recovery, struct sprof_cursor cursor, size_t *steps)
{
	struct trial trial = {.first = EDGE_NO_CALL};
	enum sprof_step step = SPROF_STEP_OK;
	struct code callee = {0};

	for (size_t depth = 0; depth < recovery->max_depth && *steps && step == SPROF_STEP_OK;
		depth++, --*steps) {
		const struct sprof_pc *known =
			sprof_pcs_find(recovery->pcs, recovery->maps, cursor.pc, cursor.is_return);
		bool is_call = depth && cursor.is_return;
		struct sprof_pc here;
		enum edge edge;

		if (!known) {
			step = sprof_recover_caller(recovery, &cursor);
			trial.beyond_copy = is_beyond_copy(recovery, step);
			continue;
		}
		here = *known;
		edge = look_at_call(recovery, &here,
			is_call && !here.is_entered && here.rule.cfa != SPROF_CFA_SIGNAL, &callee);
		if (depth == 1)
			trial.first = edge;
		else
			trial.others += edge == EDGE_OTHER;
		if (edge == EDGE_NO_CALL)
			return trial;
		step = step_over(recovery, &here, &cursor);
		trial.reaches_root = depth && step == SPROF_STEP_ROOT && is_root(&here, &cursor);
		trial.beyond_copy = is_beyond_copy(recovery, step);
	}
	return trial;
}

/* gcc pushes the return address again in a frame that it realigns by a register, above the saved
 * frame pointer. */
static bool repeats_return_address(const struct sprof_recovery *recovery,
	const struct sprof_pc *known, uint64_t fp, uint64_t return_address)
{
	uint64_t word;

	return known->rule.cfa != SPROF_CFA_FP_DEREF ||
		(sprof_step_read(recovery->snapshot, fp + WORD, &word) == SPROF_STEP_OK &&
			word == return_address);
}

/* The cheap part of a trial: whether one step leads to executable memory. */
static bool is_worth_a_trial(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor)
{
	struct sprof_cursor next = *cursor;
	const struct sprof_mapping *mapping;

	if (step_over(recovery, known, &next) != SPROF_STEP_OK ||
		!repeats_return_address(recovery, known, cursor->fp, next.pc))
		return false;
	mapping = sprof_maps_find(recovery->maps, next.pc - 1);
	return mapping && mapping->executable;
}

/* The findings of a search so far. */
struct search {
	size_t steps; /* steps left */
	unsigned roots;
	bool beyond_copy, is_ambiguous;
	struct trial best;
	uint64_t fp; /* of the best value; 0: none yet */
};

static bool is_better(const struct trial *one, const struct trial *other)
{
	return one->first != other->first ? one->first < other->first : one->others < other->others;
}

/* Whether the best value's frames include this value's caller, so that this value skips frames. */
static bool skips_frames(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor, struct search *search)
{
	struct sprof_cursor caller = *cursor, best = *cursor;
	struct sprof_pc here = *known;

	best.fp = search->fp;
	if (step_over(recovery, known, &caller) != SPROF_STEP_OK)
		return false;
	for (; search->steps && best.sp < caller.sp; search->steps--) {
		if (step_over(recovery, &here, &best) != SPROF_STEP_OK)
			return false;
		known = sprof_pcs_find(recovery->pcs, recovery->maps, best.pc, best.is_return);
		if (!known)
			return false;
		here = *known;
	}
	return best.sp == caller.sp && best.pc == caller.pc;
}

/*
 * Whether the function's code should have given the distance: then several fitting values are no
 * reason to accept one. Generated code has no such prologues, and on arm64 they are not searched.
 */
static bool has_prologue(const struct sprof_pc *known)
{
#if defined(__x86_64__)
	return known->rule.cfa != SPROF_CFA_NONE || !known->is_generated;
#else
	return known->rule.cfa != SPROF_CFA_NONE;
#endif
}

static void try_value(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor, struct search *search)
{
	struct trial trial;

	if (!is_worth_a_trial(recovery, known, cursor))
		return;
	trial = try_walk(recovery, *cursor, &search->steps);
	search->beyond_copy |= trial.beyond_copy;
	if (!trial.reaches_root)
		return;
	search->roots++;
	if (!search->fp || is_better(&trial, &search->best)) {
		search->fp = cursor->fp;
		search->best = trial;
		search->is_ambiguous = false;
	} else if (!is_better(&search->best, &trial)) {
		/* An old frame may also have come in between, unless there is no other evidence. */
		search->is_ambiguous |=
			has_prologue(known) || !skips_frames(recovery, known, cursor, search);
	}
}

/* Tries all possible values of the frame pointer, the nearest first. */
static void search_stack(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor, struct search *search)
{
	const struct sprof_stack_copy *stack = &recovery->snapshot->stack;
	uint64_t end = stack->base + stack->size;
	struct sprof_cursor trial = *cursor;

	trial.fp_known = true;
	for (trial.fp = cursor->sp; trial.fp >= stack->base && trial.fp < end; trial.fp += WORD) {
		try_value(recovery, known, &trial, search);
		if (!search->steps)
			break;
	}
	/* A call of another function is accepted only if there is no other candidate. */
	if (search->is_ambiguous || (search->best.first == EDGE_OTHER && search->roots > 1))
		search->fp = 0;
	/* The frame may be larger than the copy. */
	search->beyond_copy |= !search->roots && end < stack->limit && stack->size < LARGE_COPY;
}

/* The distance from the function's own code, as if seen before. SPROF_IDMAP_NONE: unknown. */
static uint32_t predict(const struct sprof_recovery *recovery, const struct sprof_pc *known)
{
	struct sprof_prediction prediction;

	if (!sprof_predict(recovery, known, &prediction) || prediction.distance % WORD ||
		prediction.distance / WORD >= distance_varies)
		return SPROF_IDMAP_NONE;
	return (uint32_t)(prediction.distance / WORD) | (prediction.is_sure ? distance_is_sure : 0);
}

/* Tries the distance seen here before, and takes it if it leads to the root again. */
static void repeat(const struct sprof_recovery *recovery, uint32_t distance,
	const struct sprof_cursor *cursor, struct search *search)
{
	struct sprof_cursor again = *cursor;
	struct trial trial;

	if (distance == SPROF_IDMAP_NONE || distance == distance_varies)
		return;
	again.fp = cursor->sp + (uint64_t)(distance & ~distance_is_sure) * WORD;
	again.fp_known = true;
	trial = try_walk(recovery, again, &search->steps);
	search->beyond_copy = trial.beyond_copy;
	if (trial.reaches_root && (trial.first != EDGE_OTHER || distance & distance_is_sure))
		search->fp = again.fp;
}

enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor)
{
	const struct sprof_pc known =
		*sprof_pcs_find(recovery->pcs, recovery->maps, cursor->pc, cursor->is_return);
	struct search search = {.steps = MOST_STEPS};

	uint32_t distance = remembered(recovery->distances, &known);

	if (distance == SPROF_IDMAP_NONE)
		distance = predict(recovery, &known);
	repeat(recovery, distance, cursor, &search);
	if (!search.fp) {
		search_stack(recovery, &known, cursor, &search);
		distance = 0;
	}
	if (!search.fp)
		return search.beyond_copy ? SPROF_STEP_STACK_COPY : SPROF_STEP_REGISTER;
	remember(recovery->distances, &known, (int64_t)(search.fp - cursor->sp),
		distance & distance_is_sure);
	cursor->fp = search.fp;
	cursor->fp_known = true;
	return SPROF_STEP_OK;
}
