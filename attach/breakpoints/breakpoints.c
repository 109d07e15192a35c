/*
 * Breakpoints: where replaced instructions run, and how a thread continues past one. Does not
 * handle the purpose of a breakpoint, nor the tracer's death (breakpoints.h).
 *
 * Under a seccomp filter nothing is mapped: instructions run in the padding of the code, and stay
 * there. An instruction that can't be displaced runs in place: the breakpoint is removed for that
 * time, and other threads may miss it.
 */
#include "attach/breakpoints/breakpoints.h"

#include "attach/breakpoints/insert.h"
#include "attach/resume.h"

bool sprof_breakpoints_are_possible(void)
{
	return sprof_displace_has_decoder();
}

/* Behind a first byte there is an instruction only if the first one has a single byte. */
bool sprof_breakpoint_is_certain(const struct sprof_process *process, uint64_t address)
{
	const struct breakpoint *breakpoint = sprof_trap_find(process->breakpoints, address);

	return breakpoint && breakpoint->is_in && breakpoint->is_prepared &&
		breakpoint->displaced.size > SPROF_TRAP_SIZE;
}

/* Whether the address is in a function of a file, not in generated code. */
static bool has_function_in(
	const struct sprof_breakpoints *table, const struct sprof_mapping *mapping)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct breakpoint *breakpoint = &table->items[i];

		if (breakpoint->tag && breakpoint->address >= mapping->start &&
			breakpoint->address < mapping->end)
			return true;
	}
	return false;
}

static bool make_slot(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	const struct sprof_mapping *mapping =
		sprof_maps_find(&thread->process->maps, breakpoint->address);
	const struct sprof_code_slot_request request = {
		.thread = thread,
		.address = breakpoint->address,
		.displaced = &breakpoint->displaced,
		.padded = mapping && has_function_in(table, mapping) ? mapping : NULL,
	};

	breakpoint->slot = sprof_code_slots_write(&table->slots, &request);
	return breakpoint->slot;
}

static void prepare(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	struct sprof_displaced *displaced = &breakpoint->displaced;
	uint8_t code[SPROF_CODE_MAX];

	breakpoint->is_prepared = true;
	sprof_displace(code, sprof_trap_table_read_code(table, breakpoint->address, code),
		breakpoint->address, displaced);
	if (displaced->kind == SPROF_DISPLACE_COPY && !make_slot(table, breakpoint, thread))
		displaced->kind = SPROF_DISPLACE_NEVER;
}

/* The breakpoint is gone while the thread makes one step. */
static void step(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	sprof_regs_move(thread->tid, breakpoint->address);
	if (!sprof_trap_write(table, breakpoint, false))
		return;
	thread->passing = breakpoint->address;
	thread->after_step = thread->resumption;
	thread->resumption = SPROF_RESUME_ONE_STEP;
}

/* If the stack page does not exist yet, the thread executes the call itself, which creates it. */
static void call(struct sprof_breakpoints *table, struct breakpoint *breakpoint,
	struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const struct sprof_displaced *displaced = &breakpoint->displaced;
	const uint64_t sp = regs->values[SPROF_REG_SP] - sizeof(displaced->next);

	if (sprof_trap_table_write(table, sp, &displaced->next, sizeof(displaced->next)))
		sprof_regs_call(thread->tid, displaced->target, sp);
	else
		step(table, breakpoint, thread);
}

/* Where the thread continues; single steps and displaced calls set that themselves. */
static uint64_t way_past(const struct breakpoint *breakpoint, pid_t tid)
{
	const struct sprof_displaced *displaced = &breakpoint->displaced;

	switch (displaced->kind) {
	case SPROF_DISPLACE_COPY:
		return breakpoint->slot;
	case SPROF_DISPLACE_BRANCH:
		if (!sprof_displaced_is_taken(displaced, sprof_regs_flags(tid)))
			return displaced->next;
		return displaced->target;
	case SPROF_DISPLACE_JUMP:
		return displaced->target;
	case SPROF_DISPLACE_CALL:
	case SPROF_DISPLACE_NEVER:
		break;
	}
	return breakpoint->address;
}

/* It came to the breakpoint again before its step: another thread has returned there. */
static void forget_step(struct sprof_thread *thread)
{
	if (!thread->passing)
		return;
	thread->passing = 0;
	thread->resumption = thread->after_step;
}

static struct breakpoint *find_prepared(
	struct sprof_breakpoints *table, struct sprof_thread *thread, uint64_t address)
{
	struct breakpoint *breakpoint = sprof_trap_find(table, address);

	if (!breakpoint || !breakpoint->is_in)
		return NULL;
	if (!breakpoint->is_prepared)
		prepare(table, breakpoint, thread);
	return breakpoint;
}

/* A jump back to the function's start skips the breakpoint there, too. */
static struct breakpoint *follow_loop(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	struct breakpoint *entry;

	if (!breakpoint->loops_to || way_past(breakpoint, thread->tid) != breakpoint->loops_to)
		return breakpoint;
	entry = find_prepared(table, thread, breakpoint->loops_to);
	return entry ? entry : breakpoint;
}

bool sprof_breakpoint_pass(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	struct sprof_breakpoints *table = thread->process->breakpoints;
	struct breakpoint *breakpoint;

	forget_step(thread);
	breakpoint = find_prepared(table, thread, regs->values[SPROF_REG_PC]);
	if (!breakpoint) {
		sprof_regs_move(thread->tid, regs->values[SPROF_REG_PC]);
		sprof_thread_resume(thread);
		return false;
	}
	breakpoint = follow_loop(table, breakpoint, thread);
	if (breakpoint->displaced.kind == SPROF_DISPLACE_NEVER)
		step(table, breakpoint, thread);
	else if (breakpoint->displaced.kind == SPROF_DISPLACE_CALL)
		call(table, breakpoint, thread, regs);
	else
		sprof_regs_move(thread->tid, way_past(breakpoint, thread->tid));
	sprof_thread_resume(thread);
	return thread->passing && thread->process->threads > 1;
}

void sprof_breakpoint_stepped(struct sprof_thread *thread)
{
	struct sprof_breakpoints *table = thread->process->breakpoints;
	struct breakpoint *breakpoint = sprof_trap_find(table, thread->passing);

	thread->passing = 0;
	thread->resumption = thread->after_step;
	if (breakpoint && sprof_trap_table_is_open(table))
		(void)!sprof_trap_write(table, breakpoint, true);
}

void sprof_breakpoint_put_off(struct sprof_thread *thread)
{
	struct sprof_regs regs;

	if (sprof_regs_read(thread->tid, &regs)) {
		thread->put_off.address = thread->passing;
		thread->put_off.sp = regs.values[SPROF_REG_SP];
	}
	sprof_breakpoint_stepped(thread);
}

bool sprof_breakpoint_was_put_off(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	if (regs->values[SPROF_REG_PC] != thread->put_off.address ||
		regs->values[SPROF_REG_SP] != thread->put_off.sp)
		return false;
	thread->put_off.address = 0;
	return true;
}
