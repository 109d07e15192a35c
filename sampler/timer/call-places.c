/*
 * Places of system calls. Each has a slot by its address; another one with the same slot replaces
 * it. Does not handle code that is replaced at the same address without an exec.
 */
#include "sampler/timer/kernel.h"

#include "attach/calls/number.h"

static struct call_place *slot_of(struct call_places *places, uint64_t pc)
{
	/* Fibonacci hashing: the top 8 bits. */
	return &places->items[(pc * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

enum { CANT_READ = INT16_MIN }; /* the thread has ended */

static int64_t look(
	const struct run *run, const struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const struct sprof_world *world = run->world;
	const uint64_t pc = regs->values[SPROF_REG_PC];
	uint8_t code[SPROF_CALL_CODE];
	size_t size = sizeof(code);

	/* Near the start of a mapping there is less code to read. */
	while (size &&
		world->read_memory(thread->process, thread->tid, pc - size, code, size) != size)
		size /= 2;
	return size ? sprof_call_number(regs, code, size) : CANT_READ;
}

/* Where on the stack the number is; 0: not known. */
static uint64_t address_of(const struct sprof_world *world, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps, int64_t number)
{
	if (number == SPROF_CALL_NUMBER_OF_CALLER)
		return world->find_caller_sp(world->unwinder, snapshot, maps, 2);
	if (number <= SPROF_CALL_NUMBER_AT_FP)
		return snapshot->regs.values[SPROF_REG_FP] +
			(uint64_t)(SPROF_CALL_NUMBER_AT_FP - number);
	return snapshot->regs.values[SPROF_REG_SP] + (uint64_t)(SPROF_CALL_NUMBER_AT_SP - number);
}

static int64_t read_number(const struct sprof_world *world, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps, int64_t number)
{
	const uint64_t address = address_of(world, snapshot, maps, number);
	uint64_t value;

	if (!address ||
		sprof_stack_copy_word(&snapshot->stack, address, &value) != SPROF_STACK_OK ||
		value >= SPROF_CALL_NUMBERS)
		return SPROF_CALL_NUMBER_UNKNOWN;
	return (int64_t)value;
}

int64_t sprof_call_places_find(struct call_places *places, const struct run *run,
	const struct sprof_thread *thread, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps)
{
	const struct sprof_regs *regs = &snapshot->regs;
	const uint64_t pc = regs->values[SPROF_REG_PC];
	const uint32_t process = thread->process->id;
	struct call_place *place = slot_of(places, pc);
	int64_t number;

	if (!sprof_call_is_possible(regs))
		return SPROF_CALL_NUMBER_NONE;
	if (place->pc != pc || place->process != process)
		*place = (struct call_place){pc, process, (int16_t)look(run, thread, regs)};
	if (place->number == CANT_READ) {
		*place = (struct call_place){0};
		return SPROF_CALL_NUMBER_UNKNOWN;
	}
	number = sprof_call_number_again(regs, place->number);
	return number <= SPROF_CALL_NUMBER_OF_CALLER
		? read_number(run->world, snapshot, maps, number)
		: number;
}

struct sprof_proc_syscall sprof_call_at(const struct sprof_regs *regs, int64_t number)
{
	struct sprof_proc_syscall call = {
		.kind = number == SPROF_CALL_NUMBER_NONE ? SPROF_PROC_SYSCALL_OUTSIDE
							 : SPROF_PROC_SYSCALL_INSIDE,
		.number = number,
		.sp = regs->values[SPROF_REG_SP],
		.pc = regs->values[SPROF_REG_PC],
	};

	sprof_regs_arguments(regs, call.arguments);
	return call;
}

void sprof_call_places_forget(struct call_places *places, const struct sprof_process *process)
{
	for (size_t i = 0; i < CALL_PLACES; i++) {
		if (places->items[i].process == process->id)
			places->items[i] = (struct call_place){0};
	}
}
