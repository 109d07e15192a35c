/* Finds the function of a frame, and where its module is. */
#include "elfsym/locals/dwarf-frame.h"

#include <dwarf.h>
#include <unistd.h>

bool sprof_dwarf_frame_names(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_names **ret, struct sprof_error *err)
{
	if (!sprof_symbols_names(symbols, module, ret, err))
		return false;
	if (!*ret || !(*ret)->image) {
		*ret = NULL;
		return true;
	}
	sprof_names_load_go(*ret);
	return sprof_names_load_dwarf(*ret, err);
}

/* The bias is a multiple of the page size. */
static void find_bias(const struct sprof_frame_position *position, struct sprof_dwarf_frame *frame)
{
	const uint64_t pc = position->machine.pc;

	frame->bias = pc - position->is_return - frame->address;
	frame->has_bias = pc && frame->bias % (uint64_t)sysconf(_SC_PAGESIZE) == 0;
}

bool sprof_dwarf_frame_find(struct sprof_symbols *symbols,
	const struct sprof_frame_position *position, struct sprof_dwarf_frame *ret,
	struct sprof_error *err)
{
	struct sprof_dwarf_frame frame = {.machine = &position->machine, .symbols = symbols};
	struct sprof_names *names;

	*ret = frame;
	if (!sprof_dwarf_frame_names(symbols, position->module, &names, err))
		return false;
	if (!names || !names->dwarf || names->go ||
		!sprof_names_address(names, position->offset, &frame.address))
		return true;
	if (!sprof_dwarf_find_function(names->dwarf, frame.address, &frame.function))
		return sprof_error_no_memory(err);
	frame.has_base = frame.function.scopes &&
		dwarf_attr_integrate(&frame.function.die, DW_AT_frame_base, &frame.base);
	find_bias(position, &frame);
	*ret = frame;
	return true;
}
