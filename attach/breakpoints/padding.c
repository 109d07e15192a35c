/*
 * Finds padding zeros. The first zeros may belong to the last instruction, so some are left alone.
 */
#include "attach/breakpoints/padding.h"

enum { KEPT = 16 }; /* more than the longest instruction */

size_t sprof_padding_find(const uint8_t page[SPROF_PADDING_PAGE])
{
	const size_t step = SPROF_PADDING_ALIGNMENT;
	size_t used = SPROF_PADDING_PAGE;

	while (used && !page[used - 1])
		used--;
	used = (used + KEPT + step - 1) / step * step;
	return used < SPROF_PADDING_PAGE ? used : SPROF_PADDING_PAGE;
}
