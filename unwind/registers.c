/*
 * Steps with all registers. A frame without CFI, or with computed rows, hides its callers'
 * registers except sp and fp. Does not search for an unknown register.
 */
#include "unwind/registers.h"

#include <string.h>

#include "elfsym/locals/caller.h"

_Static_assert((int)SPROF_REG_COUNT <= (int)SPROF_FRAME_MACHINE_REGISTERS,
	"the machine has all registers");

/* A word or a part of one. */
static size_t read_snapshot(void *memory, uint64_t address, void *buffer, size_t size)
{
	uint64_t word;

	if (size > sizeof(word) || sprof_snapshot_word(memory, address, &word) != SPROF_STACK_OK)
		return 0;
	memcpy(buffer, &word, size);
	return size;
}

static struct sprof_frame_machine begin(const struct sprof_snapshot *snapshot)
{
	struct sprof_frame_machine machine = {
		.known = snapshot->regs.known,
		.memory = (void *)snapshot,
		.read = read_snapshot,
	};

	memcpy(machine.registers, snapshot->regs.values, sizeof(snapshot->regs.values));
	return machine;
}

/* The CFI of a frame's module and the frame's link-time address. NULL: none. */
static struct sprof_cfi *cfi_of(
	const struct sprof_images *images, const struct sprof_frame *frame, uint64_t *ret_address)
{
	const struct sprof_image_entry *entry = &images->items[frame->module];

	return entry->image &&
			sprof_image_address(
				entry->image, frame->offset - frame->is_return, ret_address)
		? sprof_rows_cfi(entry->rows)
		: NULL;
}

/* The walk knows them better. */
static void set_known(
	struct sprof_frame_machine *machine, const struct sprof_frame_registers *known)
{
	sprof_frame_machine_set(machine, SPROF_REG_SP, known->sp);
	if (known->fp)
		sprof_frame_machine_set(machine, SPROF_REG_FP, known->fp);
}

/* From the innermost frame's registers to the last one's. */
static void follow(const struct sprof_trail *trail, struct sprof_frame_machine *machine)
{
	uint64_t address, pc;

	set_known(machine, &trail->registers[0]);
	for (size_t i = 0; i + 1 < trail->count; i++) {
		struct sprof_cfi *cfi = cfi_of(trail->images, &trail->frames[i], &address);

		machine->cfa = trail->registers[i + 1].sp;
		if (!cfi || !sprof_cfi_find_caller(cfi, address, machine, &pc))
			machine->known = 0;
		set_known(machine, &trail->registers[i + 1]);
	}
}

static enum sprof_step leave(struct sprof_cfi *cfi, uint64_t address,
	struct sprof_frame_machine *machine, struct sprof_cursor *cursor)
{
	struct sprof_cursor next = {
		.is_return = true,
		.system_sp = cursor->system_sp,
		.is_scheduler = cursor->is_scheduler,
		.signature = cursor->signature,
	};

	if (!sprof_cfi_find_cfa(cfi, address, machine))
		return SPROF_STEP_OTHER;
	next.sp = machine->cfa;
	if (!sprof_cfi_find_caller(cfi, address, machine, &next.pc))
		return SPROF_STEP_OTHER;
	sprof_frame_machine_register(machine, SPROF_REG_SP, &next.sp);
	next.fp_known = sprof_frame_machine_register(machine, SPROF_REG_FP, &next.fp);
	if (next.sp < cursor->sp || (next.sp == cursor->sp && !cursor->innermost))
		return SPROF_STEP_NO_PROGRESS;
	next.pc &= ~next.signature;
	if (!next.pc)
		return SPROF_STEP_ROOT;
	*cursor = next;
	return SPROF_STEP_OK;
}

enum sprof_step sprof_step_by_registers(const struct sprof_snapshot *snapshot,
	const struct sprof_trail *trail, struct sprof_cursor *cursor)
{
	struct sprof_frame_machine machine = begin(snapshot);
	uint64_t address;
	struct sprof_cfi *cfi = cfi_of(trail->images, &trail->frames[trail->count - 1], &address);

	if (!cfi)
		return SPROF_STEP_OTHER;
	follow(trail, &machine);
	sprof_frame_machine_set(&machine, SPROF_REG_PC, cursor->pc);
	return leave(cfi, address, &machine, cursor);
}
