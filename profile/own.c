/*
 * A tally by function. A blocking kernel function says little ("[futex]"), its caller more.
 */
#include "profile/own.h"

#include <stdlib.h>

#include "profile/outside.h"

/* The innermost function, and whether it is the kernel's. */
static uint32_t innermost(const struct sprof_profile *profile, uint32_t stack, bool *ret_kernel)
{
	const struct sprof_profile_location *location;
	const struct sprof_profile_line *line;

	*ret_kernel = false;
	if (stack == SPROF_PROFILE_ROOT)
		return SPROF_PROFILE_NONE;
	location = &profile->locations[profile->stacks[stack].location];
	line = &profile->lines[location->first_line];
	*ret_kernel = line->kernel;
	return line->function;
}

uint32_t sprof_own_function(
	const struct sprof_profile *profile, uint32_t stack, uint32_t *ret_kernel)
{
	bool is_kernel;
	uint32_t function = innermost(profile, stack, &is_kernel), owner;

	*ret_kernel = is_kernel ? function : SPROF_PROFILE_NONE;
	if (!is_kernel)
		return function;
	owner = sprof_profile_outside_libc(profile, stack);
	return owner == SPROF_PROFILE_NONE ? function : owner;
}

static int compare(const void *left, const void *right, void *data)
{
	const struct sprof_own_row *a = left, *b = right;
	const enum sprof_weight *weight = data;
	uint64_t one = sprof_metrics_get(&a->self, *weight),
		 other = sprof_metrics_get(&b->self, *weight);

	if (one != other)
		return one < other ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

bool sprof_own_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_own *ret, struct sprof_error *err)
{
	struct sprof_own_row *rows = calloc(profile->function_count + 1, sizeof(*rows));
	enum sprof_weight weight = view->weight;
	size_t count = 0;

	if (!rows)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint32_t kernel, function = sprof_own_function(profile, row->stack, &kernel);

		if (function == SPROF_PROFILE_NONE || !sprof_view_takes(view, profile, i))
			continue;
		sprof_metrics_add(&rows[function].self, &row->metrics);
		sprof_waiting_add(&rows[function].waiting, profile, row);
	}
	for (size_t i = 0; i < profile->function_count; i++) {
		if (!sprof_metrics_get(&rows[i].self, weight))
			continue;
		rows[count] = rows[i];
		rows[count++].function = (uint32_t)i;
	}
	qsort_r(rows, count, sizeof(*rows), compare, &weight);
	*ret = (struct sprof_own){.rows = rows, .count = count};
	return true;
}

void sprof_own_finish(struct sprof_own *own)
{
	free(own->rows);
	*own = (struct sprof_own){0};
}
