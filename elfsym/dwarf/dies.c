/*
 * The choice between the readers of DIEs; see dies.h for the rule.
 */
#include "elfsym/dwarf/dies.h"

#include <stdlib.h>

bool sprof_dies_open(
	struct sprof_dies *dies, const struct sprof_image *debug, const Dwarf_Die *unit)
{
	enum sprof_skim_outcome outcome = SPROF_SKIM_UNKNOWN;

	*dies = (struct sprof_dies){.reader = &sprof_dies_libdw, .unit = *unit};
	if (debug)
		outcome = sprof_skim_open(&dies->skim, debug, &dies->unit);
	if (outcome == SPROF_SKIM_OPENED)
		dies->reader = &sprof_dies_fast;
	else
		sprof_skim_close(&dies->skim);
	return outcome != SPROF_SKIM_NO_MEMORY;
}

void sprof_dies_close(struct sprof_dies *dies)
{
	sprof_skim_close(&dies->skim);
	free(dies->levels);
	*dies = (struct sprof_dies){0};
}

bool sprof_dies_enter(struct sprof_dies *dies, Dwarf_Off parent)
{
	return dies->reader->enter(dies, parent);
}

bool sprof_dies_next(struct sprof_dies *dies, struct sprof_die *ret)
{
	return dies->reader->next(dies, ret);
}

void sprof_dies_skip(struct sprof_dies *dies)
{
	dies->reader->skip(dies);
}
