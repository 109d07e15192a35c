/*
 * Variables of frames, from a thread's sample: registers of the innermost frame, sp and frame
 * pointer of each frame, and the copied stack. Other memory (texts, targets of pointers) is read
 * from the process when shown, and may have changed. Does not format variables.
 */
#include "cmd/dump/locals.h"

#include <stdlib.h>
#include <string.h>

#include "attach/proc/memory.h"
#include "attach/regs/regs.h"

_Static_assert(
	(int)SPROF_REG_COUNT <= (int)SPROF_FRAME_MACHINE_REGISTERS, "all registers have a place");

static size_t read_kept(
	const struct sprof_kept_state *state, uint64_t address, void *buffer, size_t size)
{
	const uint64_t offset = address - state->base;

	if (offset >= state->size || state->size - offset < size)
		return 0;
	memcpy(buffer, state->bytes + offset, size);
	return size;
}

static size_t read_memory(void *memory, uint64_t address, void *buffer, size_t size)
{
	const struct sprof_dump_locals *locals = memory;
	const struct sprof_thread_stack *thread = locals->thread;

	if (locals->view->core)
		return sprof_core_read(locals->view->core, address, buffer, size);
	if (read_kept(&thread->kept, address, buffer, size) == size)
		return size;
	return sprof_memory_read(thread->pid, address, buffer, size);
}

/* Adds values that the walk knows better than CFI: sp, the frame pointer, and the CFA, which is the
 * caller's sp (System V ABI, AMD64 supplement, 3.2.2; AAPCS64, 6.4.6). */
static void add_walk(
	const struct sprof_thread_stack *thread, size_t at, struct sprof_frame_machine *machine)
{
	const struct sprof_frame_registers *frames = thread->kept.frames;

	if (frames[at].sp)
		sprof_frame_machine_set(machine, SPROF_REG_SP, frames[at].sp);
	if (frames[at].fp)
		sprof_frame_machine_set(machine, SPROF_REG_FP, frames[at].fp);
	machine->cfa = at + 1 < thread->frame_count ? frames[at + 1].sp : 0;
}

/* Restores registers from the sampled frame outwards, caller by caller. */
static bool restore(struct sprof_dump_locals *locals, struct sprof_frame_machine *machine,
	struct sprof_error *err)
{
	const struct sprof_thread_stack *thread = locals->thread;

	for (size_t i = 0; i < thread->frame_count; i++) {
		struct sprof_frame_position *position = &locals->positions[i];
		const struct sprof_frame *frame = &thread->frames[i];

		add_walk(thread, i, machine);
		*position = (struct sprof_frame_position){
			.module = frame->module,
			.offset = frame->offset - frame->is_return,
			.is_return = frame->is_return,
			.machine = *machine,
		};
		if (!sprof_symbols_leave_frame(locals->view->symbols, position->module,
			    position->offset, machine, err))
			return false;
	}
	return true;
}

bool sprof_dump_locals_init(struct sprof_dump_locals *ret, const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, struct sprof_error *err)
{
	const struct sprof_kept_state *state = &thread->kept;
	struct sprof_frame_machine machine = {
		.known = state->known, .memory = ret, .read = read_memory};

	*ret = (struct sprof_dump_locals){.view = view, .thread = thread};
	if (!state->registers)
		return true;
	ret->positions = calloc(thread->frame_count + 1, sizeof(*ret->positions));
	if (!ret->positions)
		return sprof_error_no_memory(err);
	memcpy(machine.registers, state->registers, SPROF_REG_COUNT * sizeof(*state->registers));
	if (state->known >> SPROF_REG_PC & 1)
		machine.pc = state->registers[SPROF_REG_PC];
	if (restore(ret, &machine, err))
		return true;
	sprof_dump_locals_finish(ret);
	return false;
}

void sprof_dump_locals_finish(struct sprof_dump_locals *locals)
{
	free(locals->positions);
	locals->positions = NULL;
}

bool sprof_dump_locals_find(const struct sprof_dump_locals *locals, size_t level,
	struct sprof_locals *ret, struct sprof_error *err)
{
	const struct sprof_thread_stack *thread = locals->thread;
	struct sprof_local_place place = {.level = level};
	size_t end = locals->frame;

	*ret = (struct sprof_locals){0};
	while (end < thread->frame_count && !thread->frames[end].is_creator)
		end++;
	if (!locals->positions || end == locals->frame)
		return true;
	place.frames = &locals->positions[locals->frame];
	place.frame_count = end - locals->frame;
	return sprof_symbols_find_locals(locals->view->symbols, &place, ret, err);
}
