/*
 * Frame pointers found on the stack. Tries each word of the copied stack as the place that the frame
 * pointer may point to, first the one at the distance that was seen before. What is left of earlier calls
 * looks like a frame too, and so does the frame of a caller further out: most of these are told by the call
 * before the return address, which names another function than the one that was called.
 *
 * Does not handle rows that need other registers, nor functions that were reached by a jump and have a
 * second frame in sight: calls don't tell which one is right, and no value is taken.
 */
#include "unwind/recover.h"

#include "elfsym/call-decode.h"
#include "elfsym/cfi.h"
#include "elfsym/fde-table.h"
#include "elfsym/plt-decode.h"

enum {
	WORD = 8,
	MOST_TRIALS = 64,           /* walks per recovery */
	MOST_DISTANCES = 1 << 16,   /* remembered; a large program has some thousands */
	NEAR = 16 * 1024,           /* bytes of code that one function may have, where its start is not known */
	LONGEST_CALLEE = 64 * 1024, /* bytes of code that are searched for a jump */
	PLT_ENTRY = 16,
};

/* In a remembered value: the frame pointer was known when the distance was seen. */
static const uint32_t distance_is_sure = 1u << 31;

/* One frame of a walk: what its code says. Link-time addresses. */
struct code {
	const struct sprof_image *image; /* NULL: not known */
	uint32_t module;
	bool has_cfi, is_whole;   /* whole: `start` is where the function is entered */
	uint64_t address, start;  /* of the pc; where the code of its FDE begins */
	enum sprof_call call;     /* before the pc, which is a return address */
	uint64_t target;
};

/* Whether a call is of the function that was called. */
enum edge {
	EDGE_FITS,
	EDGE_UNKNOWN, /* an indirect call, or through the PLT */
	EDGE_OTHER,   /* a direct call of another function; what was called may have jumped on */
	EDGE_NO_CALL,
};

/* How a walk with a value on trial went. */
struct trial {
	bool reaches_root, beyond_copy;
	enum edge first; /* the innermost call */
	unsigned others; /* further calls of other functions: what is left of old frames joins the real ones there */
};

void sprof_distances_finish(struct sprof_distances *distances)
{
	sprof_idmap_finish(&distances->map);
}

/* Failing to remember is harmless. */
static void remember(
	struct sprof_distances *distances, const struct sprof_pc *known, int64_t distance, uint32_t sure)
{
	uint64_t words = (uint64_t)distance / WORD;

	if (distance % WORD || words >= distance_is_sure - 1 || distances->map.count >= MOST_DISTANCES)
		return;
	sprof_idmap_put(&distances->map, (uint64_t)known->module << 1 | known->is_return,
		known->offset, (uint32_t)words | sure);
}

static uint32_t remembered(const struct sprof_distances *distances, const struct sprof_pc *known)
{
	return sprof_idmap_find(&distances->map,
		(uint64_t)known->module << 1 | known->is_return, known->offset);
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

#if defined(__x86_64__)
	return bytes && sprof_plt_decode_x86_64(bytes, PLT_ENTRY, address, &jump);
#else
	return bytes && sprof_plt_decode_aarch64(bytes, PLT_ENTRY, address, &jump);
#endif
}

static enum sprof_call find_call(
	const struct sprof_image *image, uint64_t behind, uint64_t *ret_target)
{
	const uint8_t *before =
		sprof_image_at(image, behind - SPROF_CALL_LONGEST, SPROF_CALL_LONGEST);
	enum sprof_call call =
		before ? sprof_call_decode(before, behind, ret_target) : SPROF_CALL_NONE;

	return call == SPROF_CALL_DIRECT && is_plt(image, *ret_target) ? SPROF_CALL_INDIRECT : call;
}

/* The row of a function's first instruction; parts of functions that were moved away begin with others. */
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
	/* Code that is in no file can't be read here: a call may be anywhere in it. */
	struct code code = {
		.module = known->module,
		.has_cfi = known->rule.cfa != SPROF_CFA_NONE,
		.call = SPROF_CALL_INDIRECT,
	};
	struct sprof_place place;
	struct sprof_fde_bounds bounds;
	struct sprof_rule entry;

	if (!sprof_images_locate(&recovery->pcs->images, recovery->maps,
		    known->pc - known->is_return, &place) ||
		!place.image)
		return code;
	code.image = place.image;
	code.address = place.address;
	code.call = find_call(place.image, place.address + known->is_return, &code.target);
	if (!sprof_fde_table_find(place.image, place.address, &bounds))
		return code;
	code.start = bounds.start;
	entry = sprof_rows_find(place.rows, code.start);
	code.is_whole = code.has_cfi && is_entry(&entry);
	return code;
}

/* Whether the function that was called may have gone on to the one whose frame it is. */
static bool is_tail_call(const struct code *caller, const struct code *callee)
{
	struct sprof_fde_bounds bounds;
	const uint8_t *code;
	uint64_t size;

	if (!sprof_fde_table_find(caller->image, caller->target, &bounds))
		return false;
	size = bounds.next - caller->target;
	if (size > LONGEST_CALLEE)
		return false;
	code = sprof_image_at(caller->image, caller->target, size);
	return code && sprof_call_jumps(code, size, caller->target, callee->start);
}

/* The call before the caller's return address, against the frame that was called. */
static enum edge judge(const struct code *caller, const struct code *callee)
{
	if (caller->call == SPROF_CALL_NONE)
		return EDGE_NO_CALL;
	if (caller->call == SPROF_CALL_INDIRECT)
		return EDGE_UNKNOWN;
	/* A call never leaves its file, but what it calls may jump on through the PLT. */
	if (caller->module != callee->module)
		return EDGE_UNKNOWN;
	if (callee->has_cfi && (caller->target == callee->start || is_tail_call(caller, callee)))
		return EDGE_FITS;
	if (callee->is_whole || caller->target > callee->address)
		return EDGE_OTHER;
	if (!callee->has_cfi && caller->target >= callee->start &&
		callee->address - caller->target < NEAR)
		return EDGE_FITS;
	return EDGE_UNKNOWN;
}

/* Only what says that there is no caller: a return address of 0 may as well be an empty word. */
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

/* The caller's frame, against the one that was called. */
static enum edge look_at_call(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	bool is_call, struct code *callee)
{
	struct code code = read_code(recovery, known);
	enum edge edge = is_call ? judge(&code, callee) : EDGE_UNKNOWN;

	*callee = code;
	return edge;
}

/* Walks on from the cursor, whose frame pointer is the value on trial. */
static struct trial try_walk(const struct sprof_recovery *recovery, struct sprof_cursor cursor)
{
	struct trial trial = {.first = EDGE_NO_CALL};
	enum sprof_step step = SPROF_STEP_OK;
	struct code callee = {0};

	for (size_t depth = 0; depth < recovery->max_depth && step == SPROF_STEP_OK; depth++) {
		const struct sprof_pc *known = sprof_pcs_find(
			recovery->pcs, recovery->maps, cursor.pc, cursor.is_return);
		bool is_call = depth && cursor.is_return;
		struct sprof_pc here;
		enum edge edge;

		if (!known)
			return trial;
		here = *known;
		edge = look_at_call(recovery, &here, is_call && here.rule.cfa != SPROF_CFA_SIGNAL,
			&callee);
		if (depth == 1)
			trial.first = edge;
		else
			trial.others += edge == EDGE_OTHER;
		if (edge == EDGE_NO_CALL)
			return trial;
		step = step_over(recovery, &here, &cursor);
		trial.reaches_root = depth && step == SPROF_STEP_ROOT && is_root(&here, &cursor);
		trial.beyond_copy = step == SPROF_STEP_STACK_COPY;
	}
	return trial;
}

/* The cheap part of a trial: whether one step leads to executable memory. */
static bool is_worth_a_trial(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor)
{
	struct sprof_cursor next = *cursor;
	const struct sprof_mapping *mapping;

	if (step_over(recovery, known, &next) != SPROF_STEP_OK)
		return false;
	mapping = sprof_maps_find(recovery->maps, next.pc - 1);
	return mapping && mapping->executable;
}

/* What a search has found so far. */
struct search {
	unsigned trials, roots;
	bool beyond_copy;
	struct trial best;
	uint64_t fp; /* of the best one; 0: none yet */
};

static bool is_better(const struct trial *one, const struct trial *other)
{
	return one->first != other->first ? one->first < other->first : one->others < other->others;
}

static void try_value(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	const struct sprof_cursor *cursor, struct search *search)
{
	struct trial trial;

	if (!is_worth_a_trial(recovery, known, cursor))
		return;
	search->trials++;
	trial = try_walk(recovery, *cursor);
	search->beyond_copy |= trial.beyond_copy;
	if (!trial.reaches_root)
		return;
	search->roots++;
	if (search->fp && !is_better(&trial, &search->best))
		return;
	search->fp = cursor->fp;
	search->best = trial;
}

/* All values that the frame pointer may have, the nearest first. */
static struct search search_stack(const struct sprof_recovery *recovery,
	const struct sprof_pc *known, const struct sprof_cursor *cursor)
{
	const struct sprof_stack_copy *stack = &recovery->snapshot->stack;
	struct sprof_cursor trial = *cursor;
	struct search search = {0};

	trial.fp_known = true;
	for (trial.fp = cursor->sp; trial.fp < stack->base + stack->size; trial.fp += WORD) {
		try_value(recovery, known, &trial, &search);
		if (search.trials == MOST_TRIALS || (search.fp && search.best.first == EDGE_FITS))
			break;
	}
	/* A call of another function is believed if nothing else is in sight. */
	if (search.best.first == EDGE_OTHER && search.roots > 1)
		search.fp = 0;
	return search;
}

/* Whether what was seen here before leads to the root again. */
static bool repeat(
	const struct sprof_recovery *recovery, uint32_t distance, struct sprof_cursor *cursor)
{
	struct sprof_cursor again = *cursor;
	struct trial trial;

	if (distance == SPROF_IDMAP_NONE)
		return false;
	again.fp = cursor->sp + (uint64_t)(distance & ~distance_is_sure) * WORD;
	again.fp_known = true;
	trial = try_walk(recovery, again);
	if (!trial.reaches_root || (trial.first == EDGE_OTHER && !(distance & distance_is_sure)))
		return false;
	*cursor = again;
	return true;
}

enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor)
{
	const struct sprof_pc known =
		*sprof_pcs_find(recovery->pcs, recovery->maps, cursor->pc, cursor->is_return);
	struct search search;

	if (repeat(recovery, remembered(recovery->distances, &known), cursor))
		return SPROF_STEP_OK;
	search = search_stack(recovery, &known, cursor);
	if (!search.fp)
		return search.beyond_copy ? SPROF_STEP_STACK_COPY : SPROF_STEP_REGISTER;
	remember(recovery->distances, &known, (int64_t)(search.fp - cursor->sp), 0);
	cursor->fp = search.fp;
	cursor->fp_known = true;
	return SPROF_STEP_OK;
}
