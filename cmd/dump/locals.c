/*
 * Variables of frames, from a thread's sample: registers of the innermost frame, sp and frame
 * pointer of each frame, and the copied stack. Other memory (texts, targets of pointers) is read
 * from the process when shown, and may have changed. Does not format variables.
 */
#include "cmd/dump/locals.h"

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

static const struct sprof_frame *current(const struct sprof_dump_locals *locals)
{
	return &locals->thread->frames[locals->frame];
}

/* The instruction that the frame is at. */
static uint64_t place_of(const struct sprof_frame *frame)
{
	return frame->offset - frame->is_return;
}

/* Adds values that the walk knows better than CFI: sp, the frame pointer, and the CFA, which is the
 * caller's sp (System V ABI, AMD64 supplement, 3.2.2; AAPCS64, 6.4.6). */
static void add_walk(struct sprof_dump_locals *locals)
{
	const struct sprof_frame_registers *frames = locals->thread->kept.frames;
	struct sprof_frame_machine *machine = &locals->machine;
	const size_t at = locals->frame;

	if (at >= locals->thread->frame_count)
		return;
	if (frames[at].sp)
		sprof_frame_machine_set(machine, SPROF_REG_SP, frames[at].sp);
	if (frames[at].fp)
		sprof_frame_machine_set(machine, SPROF_REG_FP, frames[at].fp);
	machine->cfa = at + 1 < locals->thread->frame_count ? frames[at + 1].sp : 0;
}

void sprof_dump_locals_begin(struct sprof_dump_locals *locals, const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread)
{
	const struct sprof_kept_state *state = &thread->kept;

	*locals = (struct sprof_dump_locals){
		.view = view,
		.thread = thread,
		.machine = {.known = state->known, .memory = locals, .read = read_memory},
	};
	if (!state->registers)
		return;
	memcpy(locals->machine.registers, state->registers,
		SPROF_REG_COUNT * sizeof(*state->registers));
	add_walk(locals);
}

bool sprof_dump_locals_find(struct sprof_dump_locals *locals, size_t level,
	struct sprof_locals *ret, struct sprof_error *err)
{
	const struct sprof_frame *frame = current(locals);
	const struct sprof_local_place place = {
		.module = frame->module,
		.offset = place_of(frame),
		.level = level,
	};

	*ret = (struct sprof_locals){0};
	if (!locals->thread->kept.registers || frame->is_creator)
		return true;
	return sprof_symbols_find_locals(locals->view->symbols, &place, &locals->machine, ret, err);
}

bool sprof_dump_locals_step(struct sprof_dump_locals *locals, struct sprof_error *err)
{
	const struct sprof_frame *frame = current(locals);

	if (!locals->thread->kept.registers) {
		locals->frame++;
		return true;
	}
	if (!sprof_symbols_leave_frame(
		    locals->view->symbols, frame->module, place_of(frame), &locals->machine, err))
		return false;
	locals->frame++;
	add_walk(locals);
	return true;
}
