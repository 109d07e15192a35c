/*
 * The table of function starts: adds to it, sorts it, and searches it. starts-load.c fills it.
 */
#include "elfsym/code/starts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "elfsym/code/scan.h"

static bool append(uint64_t **items, size_t *count, size_t *capacity, uint64_t address,
	struct sprof_error *err)
{
	if (!sprof_array_reserve(items, capacity, *count + 1, sizeof(**items)))
		return sprof_error_no_memory(err);
	(*items)[(*count)++] = address;
	return true;
}

bool sprof_code_starts_add(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	return append(&starts->items, &starts->count, &starts->capacity, address, err);
}

bool sprof_code_starts_add_end(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	return append(&starts->ends, &starts->end_count, &starts->end_capacity, address, err);
}

bool sprof_code_starts_add_part(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err)
{
	return append(&starts->parts, &starts->part_count, &starts->part_capacity, address, err);
}

void sprof_code_starts_sort(struct sprof_code_starts *starts)
{
	struct sprof_code_set items = {.items = starts->items, .count = starts->count};
	struct sprof_code_set ends = {.items = starts->ends, .count = starts->end_count};
	struct sprof_code_set parts = {.items = starts->parts, .count = starts->part_count};

	sprof_code_set_sort(&items);
	sprof_code_set_sort(&ends);
	sprof_code_set_sort(&parts);
	starts->count = items.count;
	starts->end_count = ends.count;
	starts->part_count = parts.count;
}

size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set items = {.items = starts->items, .count = starts->count};
	size_t behind = sprof_code_set_behind(&items, address);

	return behind ? behind - 1 : SIZE_MAX;
}

bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set ends = {.items = starts->ends, .count = starts->end_count};

	return sprof_code_set_has(&ends, address);
}

static bool is_part(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set parts = {.items = starts->parts, .count = starts->part_count};

	return sprof_code_set_has(&parts, address);
}

bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address)
{
	const struct sprof_code_set items = {.items = starts->items, .count = starts->count};

	return sprof_code_set_has(&items, address) && !is_part(starts, address);
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
	const struct sprof_code_set data = {.items = starts->data, .count = starts->data_count};
	size_t behind = sprof_code_set_behind(&data, address);

	return behind < data.count ? data.items[behind] - address : UINT64_MAX;
}

void sprof_code_starts_finish(struct sprof_code_starts *starts)
{
	free(starts->items);
	free(starts->ends);
	free(starts->data);
	free(starts->parts);
	free(starts->jumps);
	*starts = (struct sprof_code_starts){0};
}
