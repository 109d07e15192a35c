/*
 * Steps to the caller with any row of CFI, a hundred times slower than the rows of cfi.c. For code
 * whose CFA depends on a register other than sp and fp, such as a realigned frame, or one that is
 * being left.
 */
#include "elfsym/locals/caller.h"

#include <elfutils/libdw.h>

#include "base/cleanup.h"
#include "elfsym/locals/caller-registers.h"
#include "elfsym/locals/location-expression.h"

bool sprof_cfi_find_cfa(
	struct sprof_cfi *cfi, uint64_t address, struct sprof_frame_machine *machine)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = sprof_cfi_frame(cfi, address);
	struct sprof_location_expression expression = {0};
	struct sprof_place_of_value place;
	Dwarf_Op *ops;

	if (!frame || dwarf_frame_cfa(frame, &ops, &expression.count))
		return false;
	expression.ops = ops;
	place = sprof_location_expression_evaluate(
		&expression, &(struct sprof_dwarf_frame){.machine = machine});
	machine->cfa = place.number;
	return place.where == SPROF_WHERE_MEMORY || place.where == SPROF_WHERE_VALUE;
}

/* The column of the return address. Negative: there is no CFI. */
static int return_column(struct sprof_cfi *cfi, uint64_t address)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = sprof_cfi_frame(cfi, address);

	return frame ? dwarf_frame_info(frame, NULL, NULL, NULL) : -1;
}

bool sprof_cfi_find_caller(struct sprof_cfi *cfi, uint64_t address,
	struct sprof_frame_machine *machine, uint64_t *ret_pc)
{
	const int column = return_column(cfi, address);

	if (column < 0)
		return false;
	sprof_caller_registers_find(cfi, address, machine);
	return sprof_frame_machine_register(machine, (uint64_t)column, ret_pc);
}
