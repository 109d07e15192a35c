/*
 * The registers of a caller, from those of the frame and CFI (DWARF 5, section 6.4). Registers that
 * the CFI does not mention and the frame may have changed are unknown. Does not compute the CFA:
 * the walk does.
 */
#include "elfsym/locals/caller-registers.h"

#include <elfutils/libdw.h>

#include "base/cleanup.h"
#include "elfsym/locals/location-expression.h"

/* A register's saved place as a value. Returns false if unknown. */
static bool value_of(const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine, uint64_t *ret)
{
	if (place->where == SPROF_WHERE_MEMORY)
		return machine->read(machine->memory, place->number, ret, sizeof(*ret)) ==
			sizeof(*ret);
	*ret = place->number;
	return place->where == SPROF_WHERE_VALUE;
}

/*
 * Whether a register without a rule keeps its value. libdw (backends/x86_64_cfi.c) takes rax
 * instead of rbx for one that functions preserve.
 */
static bool is_unchanged(unsigned number, bool by_libdw)
{
#if defined(__x86_64__)
	enum { RAX = 0, RBX = 3 };

	if (number == RAX || number == RBX)
		return number == RBX;
#endif
	return by_libdw;
}

static bool find(Dwarf_Frame *frame, unsigned number, const struct sprof_frame_machine *machine,
	uint64_t *ret)
{
	struct sprof_location_expression expression = {0};
	struct sprof_place_of_value place;
	Dwarf_Op memory[3], *ops;

	if (dwarf_frame_register(frame, (int)number, memory, &ops, &expression.count))
		return false;
	/* Without operations: unchanged, or undefined (libdw.h). */
	if (!expression.count)
		return is_unchanged(number, !ops) &&
			sprof_frame_machine_register(machine, number, ret);
	expression.ops = ops;
	place = sprof_location_expression_evaluate(
		&expression, &(struct sprof_dwarf_frame){.machine = machine});
	return value_of(&place, machine, ret);
}

void sprof_caller_registers_find(
	struct sprof_cfi *cfi, uint64_t address, struct sprof_frame_machine *machine)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = sprof_cfi_frame(cfi, address);
	struct sprof_frame_machine caller = *machine;
	int return_column = -1;
	uint64_t value;

	caller.known = 0;
	caller.cfa = 0;
	caller.pc = 0;
	if (frame)
		return_column = dwarf_frame_info(frame, NULL, NULL, NULL);
	for (unsigned i = 0; frame && i < SPROF_FRAME_MACHINE_REGISTERS; i++) {
		if (!find(frame, i, machine, &value))
			continue;
		sprof_frame_machine_set(&caller, i, value);
		if ((int)i == return_column)
			caller.pc = value;
	}
	*machine = caller;
}
