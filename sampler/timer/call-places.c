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

enum { CANT_READ = SPROF_CALL_NUMBER_UNKNOWN - 1 }; /* the thread has ended */

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

int64_t sprof_call_places_find(struct call_places *places, const struct run *run,
	const struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const uint64_t pc = regs->values[SPROF_REG_PC];
	const uint32_t process = thread->process->id;
	struct call_place *place = slot_of(places, pc);

	if (!sprof_call_is_possible(regs))
		return SPROF_CALL_NUMBER_NONE;
	if (place->pc != pc || place->process != process)
		*place = (struct call_place){pc, process, (int16_t)look(run, thread, regs)};
	if (place->number == CANT_READ) {
		*place = (struct call_place){0};
		return SPROF_CALL_NUMBER_UNKNOWN;
	}
	return sprof_call_number_again(regs, place->number);
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
