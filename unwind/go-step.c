/*
 * Steps over the functions of Go's runtime that switch stacks. A thread has a system stack (g0's),
 * and a goroutine that runs on it has another. The snapshot contains the places where one stack was
 * left for the other. If such a place is unknown, the stack ends there.
 *
 * Does not handle the switch between goroutines in the runtime's scheduler: for some instructions
 * (of gogo) the thread is on the new goroutine's stack with the old one's registers.
 */
#include "elfsym/cfi/cfi.h"
#include "unwind/step.h"

enum { WORD = 8 };

static bool is_on_goroutine(const struct sprof_snapshot *snapshot, uint64_t sp)
{
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;

	return goroutine->is_known && sp >= goroutine->low && sp < goroutine->high;
}

/* Steps to the caller of the frame with this CFA. */
static enum sprof_step step_to(const struct sprof_snapshot *snapshot, const struct sprof_rule *rule,
	uint64_t cfa, struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.sp = cfa,
		.is_return = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};
	enum sprof_step step = sprof_step_read(snapshot, cfa - WORD, &next.pc);

	if (rule->regs >> SPROF_RULE_FP_SHIFT == SPROF_REG_SAVED)
		next.fp_known =
			sprof_snapshot_word(snapshot, cfa + (uint64_t)(int64_t)rule->fp_offset,
				&next.fp) == SPROF_STACK_OK;
	if (step == SPROF_STEP_OK && !next.pc)
		return SPROF_STEP_ROOT;
	if (step == SPROF_STEP_OK)
		*cursor = next;
	return step;
}

/* Steps on the stack that the function was called on; its callees use the same stack. */
static enum sprof_step step_here(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	return step_to(snapshot, rule, cursor->sp + (uint64_t)(int64_t)rule->cfa_offset, cursor);
}

static enum sprof_step step_system_call(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;

	if (cursor->innermost || is_on_goroutine(snapshot, cursor->sp))
		return step_here(snapshot, rule, cursor);
	if (!goroutine->is_known)
		return SPROF_STEP_REGISTER;
	return step_to(
		snapshot, rule, goroutine->sched_sp + (uint64_t)(int64_t)rule->cfa_offset, cursor);
}

static enum sprof_step step_scheduler(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	enum sprof_step step = step_here(snapshot, rule, cursor);

	if (step == SPROF_STEP_OK)
		cursor->is_scheduler = true;
	return step;
}

/*
 * On the thread's stack the scheduler often runs. Then the goroutine is no longer the thread's; the
 * thread may even have another one already.
 */
static enum sprof_step step_system_left(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;

	if (cursor->innermost || is_on_goroutine(snapshot, cursor->sp))
		return step_here(snapshot, rule, cursor);
	if (cursor->is_scheduler)
		return SPROF_STEP_ROOT;
	if (!goroutine->is_known)
		return SPROF_STEP_REGISTER;
	if (!goroutine->g || !goroutine->sched_sp)
		return SPROF_STEP_ROOT;
	*cursor = (struct sprof_cursor){
		.pc = goroutine->sched_pc,
		.sp = goroutine->sched_sp,
		.is_return = true,
		.system_sp = cursor->system_sp,
		.signature = cursor->signature,
	};
	return SPROF_STEP_OK;
}

/* The goroutine's stack may move while C runs, so the frame holds its depth, and right above it the
 * g. */
static enum sprof_step step_c_call(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	uint64_t slot = cursor->sp + (uint64_t)(int64_t)rule->fp_offset, depth, g;
	enum sprof_step step;

	if (cursor->innermost)
		return step_here(snapshot, rule, cursor);
	step = sprof_step_read(snapshot, slot, &depth);
	if (step == SPROF_STEP_OK && rule->cfa == SPROF_CFA_GO_C_CALL)
		step = sprof_step_read(snapshot, slot + WORD, &g);
	if (step != SPROF_STEP_OK)
		return step;
	if (rule->cfa == SPROF_CFA_GO_C_CALL_HERE)
		return step_to(snapshot, rule, depth + (uint64_t)(int64_t)rule->cfa_offset, cursor);
	if (!snapshot->goroutine.is_known || snapshot->goroutine.g != g)
		return SPROF_STEP_REGISTER;
	return step_to(snapshot, rule,
		snapshot->goroutine.high - depth + (uint64_t)(int64_t)rule->cfa_offset, cursor);
}

/*
 * C called Go. The goroutine's stack then names as caller the Go code below the C code. The frame
 * on the thread's stack leads to the C code, and holds at its sp where that stack was left the time
 * before.
 */
static enum sprof_step step_callback(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	uint64_t sp = cursor->system_sp, before;
	enum sprof_step step;

	/* A thread known to have run no goroutine yet is still on its own stack. */
	if (!snapshot->goroutine.is_known && !snapshot->regs.thread_pointer && !cursor->innermost)
		return SPROF_STEP_REGISTER;
	/* Still, or again, on the thread's stack. It may say already that it was left here. */
	if (!is_on_goroutine(snapshot, cursor->sp) && cursor->sp != sp)
		return step_here(snapshot, rule, cursor);
	if (!sp)
		return snapshot->goroutine.has_system ? step_here(snapshot, rule, cursor)
						      : SPROF_STEP_STACK_COPY;
	step = sprof_step_read(snapshot, sp, &before);
	if (step == SPROF_STEP_OK)
		step = step_to(snapshot, rule, sp + (uint64_t)(int64_t)rule->cfa_offset, cursor);
	if (step == SPROF_STEP_OK)
		cursor->system_sp = before > sp ? before : 0;
	return step;
}

/* The saved value is 0 if the vDSO isn't being called, or not yet. */
static enum sprof_step step_vdso(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, struct sprof_cursor *cursor)
{
	uint64_t cfa = snapshot->goroutine.vdso_sp;
	bool changes = is_on_goroutine(snapshot, cfa) != is_on_goroutine(snapshot, cursor->sp);

	if (!snapshot->goroutine.is_known && !cursor->innermost)
		return SPROF_STEP_REGISTER;
	if (!cfa || (!changes && cfa <= cursor->sp))
		return step_here(snapshot, rule, cursor);
	return step_to(snapshot, rule, cfa, cursor);
}

enum sprof_step sprof_step_go(const struct sprof_snapshot *snapshot, const struct sprof_rule *rule,
	struct sprof_cursor *cursor)
{
	switch ((enum sprof_cfa_rule)rule->cfa) {
	case SPROF_CFA_GO_SYSTEM_CALL:
		return step_system_call(snapshot, rule, cursor);
	case SPROF_CFA_GO_SYSTEM_LEFT:
		return step_system_left(snapshot, rule, cursor);
	case SPROF_CFA_GO_SCHEDULER:
		return step_scheduler(snapshot, rule, cursor);
	case SPROF_CFA_GO_C_CALL:
	case SPROF_CFA_GO_C_CALL_HERE:
		return step_c_call(snapshot, rule, cursor);
	case SPROF_CFA_GO_CALLBACK:
		return step_callback(snapshot, rule, cursor);
	case SPROF_CFA_GO_VDSO:
		return step_vdso(snapshot, rule, cursor);
	case SPROF_CFA_NONE:
	case SPROF_CFA_SP:
	case SPROF_CFA_FP:
	case SPROF_CFA_SP_DEREF:
	case SPROF_CFA_FP_DEREF:
	case SPROF_CFA_PLT:
	case SPROF_CFA_SIGNAL:
	case SPROF_CFA_OTHER:
		break;
	}
	return SPROF_STEP_OTHER;
}
