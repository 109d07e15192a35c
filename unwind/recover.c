/*
 * Frame pointers found on the stack. Tries each word of the copied stack as the place that the frame
 * pointer may point to, first the one at the distance that was seen before. What is left of earlier calls
 * can look like a frame too; it is told by calls that name another function than the one that was called.
 * Does not handle code without CFI, nor rows that need other registers.
 */
#include "unwind/recover.h"

#include "elfsym/call-decode.h"
#include "elfsym/cfi.h"
#include "elfsym/fde-table.h"

enum {
	WORD = 8,
	MOST_TRIALS = 64,          /* walks per recovery */
	MOST_DISTANCES = 1 << 16,  /* remembered; a large program has some thousands */
	DISTANCE_IS_SURE = 1u << 31, /* in a map's value: seen with the frame pointer known */
};

/* What was found out about the code around a pc; in struct sprof_pc's call. */
enum { CALL_UNKNOWN, CALL_NONE, CALL_DIRECT, CALL_INDIRECT };

/* How well a value fits; less is better. */
struct fit {
	bool reaches_root, beyond_copy;
	unsigned doubts; /* direct calls of another function: tail calls, or what is left of old frames */
	bool is_unproven; /* the first call is indirect, or goes through the PLT */
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

	if (distance % WORD || words >= DISTANCE_IS_SURE - 1 ||
		distances->map.count >= MOST_DISTANCES)
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
	remember(distances, known, distance, DISTANCE_IS_SURE);
}

/* The function around the pc, and the call before it. */
static void look_at_code(
	const struct sprof_recovery *recovery, const struct sprof_place *place, struct sprof_pc *known)
{
	static const uint8_t calls[] = {
		[SPROF_CALL_NONE] = CALL_NONE,
		[SPROF_CALL_DIRECT] = CALL_DIRECT,
		[SPROF_CALL_INDIRECT] = CALL_INDIRECT,
	};
	uint64_t behind = place->address + known->is_return;
	const uint8_t *before =
		sprof_image_at(place->image, behind - SPROF_CALL_LONGEST, SPROF_CALL_LONGEST);
	uint64_t start;

	(void)recovery;
	known->call = CALL_NONE;
	if (before)
		known->call = calls[sprof_call_decode(before, behind, &known->target)];
	if (!sprof_fde_table_start(place->image, place->address, &known->start))
		known->start = 0;
	/* An entry of the PLT is no function's start, and may lead to any function. */
	if (known->call == CALL_DIRECT &&
		(!sprof_fde_table_start(place->image, known->target, &start) ||
			start != known->target))
		known->call = CALL_INDIRECT;
}

static void ask_code(const struct sprof_recovery *recovery, struct sprof_pc *known)
{
	struct sprof_place place;

	if (known->call != CALL_UNKNOWN)
		return;
	known->call = CALL_NONE;
	if (sprof_images_locate(&recovery->pcs->images, recovery->maps,
		    known->pc - known->is_return, &place) &&
		place.image)
		look_at_code(recovery, &place, known);
}

/* One call of a walk: the frame that was called, as the look-up before the step had it. */
struct callee {
	uint32_t module;
	uint64_t start;
};

/* False: there is no call before the return address. */
static bool judge_call(const struct sprof_recovery *recovery, struct sprof_pc *caller,
	const struct callee *callee, bool is_first, struct fit *fit)
{
	bool fits;

	ask_code(recovery, caller);
	fits = caller->call == CALL_DIRECT && caller->module == callee->module &&
		caller->target == callee->start;
	fit->doubts += caller->call == CALL_DIRECT && !fits;
	if (is_first)
		fit->is_unproven = !fits;
	return caller->call != CALL_NONE;
}

/* Walks on from the cursor, whose frame pointer is the value on trial. */
static struct fit try_walk(const struct sprof_recovery *recovery, struct sprof_cursor cursor)
{
	struct fit fit = {0};
	struct callee callee = {0};

	for (size_t depth = 0; depth < recovery->max_depth; depth++) {
		struct sprof_pc *known = sprof_pcs_find(
			recovery->pcs, recovery->maps, cursor.pc, cursor.is_return);
		enum sprof_step step;

		if (!known || known->rule.cfa == SPROF_CFA_NONE)
			return fit;
		if (depth && cursor.is_return && known->rule.cfa != SPROF_CFA_SIGNAL &&
			!judge_call(recovery, known, &callee, depth == 1, &fit))
			return fit;
		ask_code(recovery, known);
		callee = (struct callee){known->module, known->start};
		step = sprof_step(recovery->snapshot, &known->rule, &cursor);
		fit.reaches_root = step == SPROF_STEP_ROOT;
		fit.beyond_copy = step == SPROF_STEP_STACK_COPY;
		if (step != SPROF_STEP_OK)
			return fit;
	}
	return fit;
}

static bool is_better(const struct fit *one, const struct fit *other)
{
	if (!one->reaches_root || !other->reaches_root)
		return one->reaches_root;
	if (one->doubts != other->doubts)
		return one->doubts < other->doubts;
	return !one->is_unproven && other->is_unproven;
}

/* The cheap part of a trial: whether one step leads to executable memory. */
static bool is_worth_a_trial(const struct sprof_recovery *recovery, const struct sprof_rule *rule,
	const struct sprof_cursor *trial)
{
	struct sprof_cursor next = *trial;
	const struct sprof_mapping *mapping;

	if (sprof_step(recovery->snapshot, rule, &next) != SPROF_STEP_OK)
		return false;
	mapping = sprof_maps_find(recovery->maps, next.pc - 1);
	return mapping && mapping->executable;
}

/* All values that the frame pointer may have, the nearest first. 0: none of them fits. */
static uint64_t search(const struct sprof_recovery *recovery, const struct sprof_rule *rule,
	const struct sprof_cursor *cursor, struct fit *ret_fit)
{
	const struct sprof_stack_copy *stack = &recovery->snapshot->stack;
	uint64_t end = stack->base + stack->size, found = 0;
	unsigned trials = 0;

	for (uint64_t fp = cursor->sp; fp < end && trials < MOST_TRIALS; fp += WORD) {
		struct sprof_cursor trial = *cursor;
		struct fit fit;

		trial.fp = fp;
		trial.fp_known = true;
		if (!is_worth_a_trial(recovery, rule, &trial))
			continue;
		trials++;
		fit = try_walk(recovery, trial);
		ret_fit->beyond_copy = ret_fit->beyond_copy || fit.beyond_copy;
		if (!is_better(&fit, ret_fit))
			continue;
		fit.beyond_copy = ret_fit->beyond_copy;
		*ret_fit = fit;
		found = fp;
		if (!fit.doubts && !fit.is_unproven)
			break;
	}
	return found;
}

static void set_fp(struct sprof_cursor *cursor, uint64_t fp)
{
	cursor->fp = fp;
	cursor->fp_known = true;
}

/* Whether what was seen here before leads to the root again. */
static bool repeat(
	const struct sprof_recovery *recovery, uint32_t distance, struct sprof_cursor *cursor)
{
	struct sprof_cursor trial = *cursor;
	struct fit fit;

	if (distance == SPROF_IDMAP_NONE)
		return false;
	set_fp(&trial, cursor->sp + (uint64_t)(distance & ~(uint32_t)DISTANCE_IS_SURE) * WORD);
	fit = try_walk(recovery, trial);
	if (!fit.reaches_root || (fit.doubts && !(distance & DISTANCE_IS_SURE)))
		return false;
	*cursor = trial;
	return true;
}

enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor)
{
	const struct sprof_pc *known =
		sprof_pcs_find(recovery->pcs, recovery->maps, cursor->pc, cursor->is_return);
	struct sprof_pc here = *known;
	struct fit fit = {0};
	uint64_t fp;

	if (repeat(recovery, remembered(recovery->distances, &here), cursor))
		return SPROF_STEP_OK;
	fp = search(recovery, &here.rule, cursor, &fit);
	if (!fp)
		return fit.beyond_copy ? SPROF_STEP_STACK_COPY : SPROF_STEP_REGISTER;
	remember(recovery->distances, &here, (int64_t)(fp - cursor->sp), 0);
	set_fp(cursor, fp);
	return SPROF_STEP_OK;
}
