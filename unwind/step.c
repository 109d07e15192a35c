/*
 * One step of a stack walk, by the machine's calling convention. Reads only the snapshot: does not
 * handle modules, files or processes.
 */
#include "unwind/step.h"

#include "elfsym/cfi/cfi.h"

enum { WORD = 8 };

#if defined(__x86_64__)
/*
 * In a signal frame, sp points to the ucontext that the kernel pushed
 * (arch/x86/include/asm/sigframe.h, struct rt_sigframe). Its uc_mcontext is at 40, in the order of
 * REG_* in <sys/ucontext.h>.
 */
enum { CONTEXT_FP = 40 + 10 * WORD, CONTEXT_SP = 40 + 15 * WORD, CONTEXT_PC = 40 + 16 * WORD };
#elif defined(__aarch64__)
/*
 * sp points to a siginfo of 128 bytes, followed by the ucontext with its uc_mcontext at 176:
 * fault_address, x0-x30, sp, pc (arch/arm64/include/uapi/asm/sigcontext.h).
 */
enum {
	CONTEXT_REGS = 128 + 176 + WORD,
	CONTEXT_FP = CONTEXT_REGS + 29 * WORD,
	CONTEXT_LR = CONTEXT_REGS + 30 * WORD,
	CONTEXT_SP = CONTEXT_REGS + 31 * WORD,
	CONTEXT_PC = CONTEXT_REGS + 32 * WORD,
};
#endif

void sprof_cursor_init(struct sprof_cursor *cursor, const struct sprof_regs *regs)
{
	*cursor = (struct sprof_cursor){
		.pc = regs->values[SPROF_REG_PC],
		.sp = regs->values[SPROF_REG_SP],
		.fp = regs->values[SPROF_REG_FP],
		.fp_known = sprof_regs_has(regs, SPROF_REG_FP),
		.innermost = true,
	};
#if defined(__aarch64__)
	cursor->lr = regs->values[SPROF_REG_LR];
	cursor->lr_known = sprof_regs_has(regs, SPROF_REG_LR);
#endif
}

static inline uint64_t without_signature(const struct sprof_cursor *cursor, uint64_t address)
{
	return address & ~cursor->signature;
}

static enum sprof_step step_signal(
	const struct sprof_snapshot *snapshot, struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.fp_known = true,
		.innermost = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};
	uint64_t context = cursor->sp;
	enum sprof_step step = sprof_step_read(snapshot, context + CONTEXT_PC, &next.pc);

	if (step == SPROF_STEP_OK)
		step = sprof_step_read(snapshot, context + CONTEXT_SP, &next.sp);
	if (step == SPROF_STEP_OK)
		step = sprof_step_read(snapshot, context + CONTEXT_FP, &next.fp);
#if defined(__aarch64__)
	next.lr_known = true;
	if (step == SPROF_STEP_OK)
		step = sprof_step_read(snapshot, context + CONTEXT_LR, &next.lr);
#endif
	if (step == SPROF_STEP_OK)
		*cursor = next;
	return step;
}

static enum sprof_step find_cfa(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, const struct sprof_cursor *cursor, uint64_t *ret)
{
	uint64_t offset = (uint64_t)(int64_t)rule->cfa_offset;
	enum sprof_step step;

	switch ((enum sprof_cfa_rule)rule->cfa) {
	case SPROF_CFA_SP:
		/* The callee may have popped its arguments, as in JavaScript: then only the frame
		 * pointer gives the CFA. */
		*ret = rule->words_above_fp && cursor->fp_known
			? cursor->fp + rule->words_above_fp * WORD
			: cursor->sp + offset;
		return SPROF_STEP_OK;
	case SPROF_CFA_FP:
		*ret = cursor->fp + offset;
		return cursor->fp_known ? SPROF_STEP_OK : SPROF_STEP_REGISTER;
	case SPROF_CFA_SP_DEREF:
		step = sprof_step_read(snapshot, cursor->sp + offset, ret);
		*ret += (uint64_t)(int64_t)rule->cfa_add;
		return step;
	case SPROF_CFA_FP_DEREF:
		if (!cursor->fp_known)
			return SPROF_STEP_REGISTER;
		step = sprof_step_read(snapshot, cursor->fp + offset, ret);
		*ret += (uint64_t)(int64_t)rule->cfa_add;
		return step;
	case SPROF_CFA_PLT:
		/* At this offset in the 16-byte entry the push is done. */
		*ret = cursor->sp + WORD + (cursor->pc % 16 >= offset ? WORD : 0);
		return SPROF_STEP_OK;
	case SPROF_CFA_NONE:
	case SPROF_CFA_SIGNAL:
	case SPROF_CFA_GO_SYSTEM_CALL:
	case SPROF_CFA_GO_SYSTEM_LEFT:
	case SPROF_CFA_GO_SCHEDULER:
	case SPROF_CFA_GO_C_CALL:
	case SPROF_CFA_GO_C_CALL_HERE:
	case SPROF_CFA_GO_CALLBACK:
	case SPROF_CFA_GO_VDSO:
	case SPROF_CFA_OTHER:
		break;
	}
	return SPROF_STEP_OTHER;
}

/* Gets the caller's return address and frame pointer from a known CFA. */
static enum sprof_step find_caller(const struct sprof_snapshot *snapshot,
	const struct sprof_rule *rule, const struct sprof_cursor *cursor, struct sprof_cursor *next)
{
	unsigned ra = rule->regs & SPROF_RULE_RA_MASK, fp = rule->regs >> SPROF_RULE_FP_SHIFT;
	enum sprof_step step;
	uint64_t saved;

	next->is_return = ra != SPROF_REG_SAVED_PLACE;
	if (ra == SPROF_REG_SAVED || ra == SPROF_REG_SAVED_PLACE) {
		step = sprof_step_read(
			snapshot, next->sp + (uint64_t)(int64_t)rule->ra_offset, &next->pc);
		if (step != SPROF_STEP_OK)
			return step;
	} else {
		next->pc = cursor->lr;
		if (!cursor->lr_known)
			return cursor->innermost ? SPROF_STEP_REGISTER : SPROF_STEP_NO_PROGRESS;
	}
	next->pc = without_signature(cursor, next->pc);
	if (fp == SPROF_REG_UNDEFINED)
		next->fp_known = false;
	if (fp != SPROF_REG_SAVED && (fp != SPROF_REG_SAVED_AT_FP || !cursor->fp_known))
		return SPROF_STEP_OK;
	saved = fp == SPROF_REG_SAVED_AT_FP ? cursor->fp : next->sp;
	step = sprof_step_read(snapshot, saved + (uint64_t)(int64_t)rule->fp_offset, &next->fp);
	next->fp_known = true;
	/* In an epilogue the slot may lie below sp, already popped: then fp is the caller's
	 * again. */
	if (step == SPROF_STEP_BAD_MEMORY && cursor->innermost) {
		next->fp = cursor->fp;
		next->fp_known = cursor->fp_known;
		return SPROF_STEP_OK;
	}
	return step;
}

/*
 * The row of __morestack (-fsplit-stack), which calls on another piece of stack and leaves out its
 * own return address (libgcc, config/i386/morestack.S). The caller's piece may have lower
 * addresses.
 */
static bool leaves_piece(const struct sprof_rule *rule)
{
	return rule->cfa == SPROF_CFA_FP && rule->cfa_offset == 3 * WORD &&
		rule->regs >> SPROF_RULE_FP_SHIFT == SPROF_REG_SAVED &&
		rule->fp_offset == -3 * WORD;
}

static bool goes_up(const struct sprof_rule *rule, const struct sprof_cursor *cursor, uint64_t cfa)
{
	return cfa > cursor->sp || leaves_piece(rule) ||
		(cfa == cursor->sp && cursor->innermost && cursor->lr_known);
}

enum sprof_step sprof_step(const struct sprof_snapshot *snapshot, const struct sprof_rule *rule,
	struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.fp = cursor->fp,
		.fp_known = cursor->fp_known,
		.is_return = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};
	enum sprof_step step;

	if ((rule->regs & SPROF_RULE_RA_MASK) == SPROF_REG_UNDEFINED)
		return SPROF_STEP_ROOT;
	if (rule->cfa == SPROF_CFA_SIGNAL)
		return step_signal(snapshot, cursor);
	if (rule->cfa >= SPROF_CFA_GO_SYSTEM_CALL && rule->cfa <= SPROF_CFA_GO_VDSO)
		return sprof_step_go(snapshot, rule, cursor);
	step = find_cfa(snapshot, rule, cursor, &next.sp);
	if (step == SPROF_STEP_OK && !goes_up(rule, cursor, next.sp))
		return SPROF_STEP_NO_PROGRESS;
	if (step == SPROF_STEP_OK)
		step = find_caller(snapshot, rule, cursor, &next);
	/* Computed rows identify the outermost function; a wrong row by sp may lead to any word. */
	if (step == SPROF_STEP_OK && !next.pc)
		return rule->is_computed && rule->cfa != SPROF_CFA_FP && !rule->words_above_fp
			? SPROF_STEP_BAD_MEMORY
			: SPROF_STEP_ROOT;
	if (step == SPROF_STEP_OK)
		*cursor = next;
	return step;
}

enum sprof_step sprof_step_frame_pointer(
	const struct sprof_snapshot *snapshot, struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.fp_known = true,
		.is_return = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};
	enum sprof_step step;

	if (!cursor->fp_known)
		return SPROF_STEP_REGISTER;
	if (!cursor->fp)
		return SPROF_STEP_ROOT;
	if (cursor->fp < cursor->sp || cursor->fp % WORD)
		return SPROF_STEP_BAD_MEMORY;
	next.sp = cursor->fp + 2 * WORD;
	step = sprof_step_read(snapshot, cursor->fp, &next.fp);
	if (step == SPROF_STEP_OK)
		step = sprof_step_read(snapshot, cursor->fp + WORD, &next.pc);
	next.pc = without_signature(cursor, next.pc);
	if (step == SPROF_STEP_OK && !next.pc)
		return SPROF_STEP_ROOT;
	if (step == SPROF_STEP_OK)
		*cursor = next;
	return step;
}

enum sprof_step sprof_step_leaf(const struct sprof_snapshot *snapshot, struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.sp = cursor->sp,
		.fp = cursor->fp,
		.fp_known = cursor->fp_known,
		.is_return = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};
#if defined(__x86_64__)
	enum sprof_step step = sprof_step_read(snapshot, cursor->sp, &next.pc);

	next.sp += WORD;
#else
	enum sprof_step step = cursor->lr_known ? SPROF_STEP_OK : SPROF_STEP_REGISTER;

	next.pc = cursor->lr;
#endif
	next.pc = without_signature(cursor, next.pc);
	if (step == SPROF_STEP_OK)
		*cursor = next;
	return step;
}
