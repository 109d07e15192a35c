/*
 * The table of function starts: sorts it, and searches it. starts-load.c fills it.
 */
#include "elfsym/code/starts.h"

#include <stdlib.h>

#include "base/search.h"
#include "elfsym/code/scan.h"

void sprof_code_starts_sort(struct sprof_code_starts *starts)
{
	sprof_code_set_sort(&starts->functions);
	sprof_code_set_sort(&starts->ends);
	sprof_code_set_sort(&starts->parts);
}

size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address)
{
	size_t behind = sprof_code_set_behind(&starts->functions, address);

	return behind ? behind - 1 : SIZE_MAX;
}

bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address)
{
	return sprof_code_set_has(&starts->ends, address);
}

static bool is_part(const struct sprof_code_starts *starts, uint64_t address)
{
	return sprof_code_set_has(&starts->parts, address);
}

bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address)
{
	return sprof_code_set_has(&starts->functions, address) && !is_part(starts, address);
}

size_t sprof_code_starts_jumps(
	const struct sprof_code_starts *starts, uint64_t part, const struct sprof_code_jump **ret)
{
	const size_t low = sprof_lower_bound(
		starts->jumps, starts->jump_count, SPROF_KEY(starts->jumps, to, part));
	size_t count = 0;

	if (!starts->jump_count)
		return 0;
	*ret = &starts->jumps[low < starts->jump_count ? low : 0];
	while (is_part(starts, part) && low + count < starts->jump_count &&
		(*ret)[count].to == part)
		count++;
	return count;
}

uint64_t sprof_code_starts_room(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set *data = &starts->data;
	size_t behind = sprof_code_set_behind(data, address);

	return behind < data->count ? data->items[behind] - address : UINT64_MAX;
}

void sprof_code_starts_finish(struct sprof_code_starts *starts)
{
	sprof_code_set_finish(&starts->functions);
	sprof_code_set_finish(&starts->ends);
	sprof_code_set_finish(&starts->data);
	sprof_code_set_finish(&starts->parts);
	free(starts->jumps);
	*starts = (struct sprof_code_starts){0};
}
