/*
 * The fast reader of DIEs: skim.c behind the cursor. Does not read attributes.
 */
#include "elfsym/dwarf/dies.h"

static void end_all(struct sprof_dies *dies)
{
	dies->at = dies->skim.info.end;
}

static bool enter(struct sprof_dies *dies, Dwarf_Off parent)
{
	dies->at = sprof_skim_children(&dies->skim, parent);
	return dies->at;
}

static bool next(struct sprof_dies *dies, struct sprof_die *ret)
{
	enum sprof_skim_step step = sprof_skim_next(&dies->skim, &dies->at, &dies->last);

	if (step == SPROF_SKIM_BROKEN)
		end_all(dies);
	if (step != SPROF_SKIM_DIE)
		return false;
	*ret = (struct sprof_die){
		.offset = dies->last.offset,
		.tag = dies->last.kind->tag,
		.has_children = dies->last.kind->has_children,
		.has_code = dies->last.kind->has_code,
	};
	return true;
}

static void skip(struct sprof_dies *dies)
{
	if (!sprof_skim_pass(&dies->skim, &dies->last, &dies->at))
		end_all(dies);
}

const struct sprof_dies_reader sprof_dies_fast = {.enter = enter, .next = next, .skip = skip};
