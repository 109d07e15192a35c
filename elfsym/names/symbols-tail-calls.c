/*
 * Tail calls by module and offset. Go programs are named by their own table, so their DWARF is not
 * used.
 */
#include "elfsym/names/names.h"
#include "elfsym/names/symbols.h"

/* Returns false if a step is not in the file. */
static bool to_offsets(const struct sprof_image *image, struct sprof_tail_path *path)
{
	for (size_t i = 0; i < path->count; i++) {
		struct sprof_tail_step *step = &path->steps[i];

		if (!sprof_image_offset(image, step->function, &step->function) ||
			(step->place && !sprof_image_offset(image, step->place, &step->place)))
			return false;
	}
	return true;
}

bool sprof_symbols_find_tail_calls(struct sprof_symbols *symbols, uint32_t module,
	const struct sprof_call_edge *edge, struct sprof_tail_path *ret, struct sprof_error *err)
{
	struct sprof_names *names;
	uint64_t call, place;

	*ret = (struct sprof_tail_path){0};
	if (!sprof_symbols_names(symbols, module, &names, err))
		return false;
	if (!names || !names->image || !edge->behind ||
		!sprof_names_address(names, edge->behind - 1, &call) ||
		!sprof_names_address(names, edge->place, &place))
		return true;
	sprof_names_load_go(names);
	if (names->go)
		return true;
	if (!sprof_names_load_tail_calls(names, err))
		return false;
	if (!names->tail_calls)
		return true;
	if (!sprof_tail_calls_find(names->tail_calls, call + 1, place, ret, err))
		return false;
	if (!to_offsets(names->image, ret))
		sprof_tail_path_finish(ret);
	return true;
}
