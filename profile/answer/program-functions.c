/*
 * Aggregates by function. A blocking kernel function is not informative ("[futex]"); its caller is.
 */
#include "profile/answer/program-functions.h"

#include <stdlib.h>

#include "profile/answer/boundaries.h"

static const struct sprof_profile_line *line_of(const struct sprof_profile *profile, uint32_t stack)
{
	return &profile->lines[profile->locations[profile->stacks[stack].location].first_line];
}

/* The outermost kernel frame, which names the entry: "[read]". */
static uint32_t entry_of(const struct sprof_profile *profile, uint32_t stack)
{
	uint32_t entry = SPROF_PROFILE_NONE;

	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		const struct sprof_profile_line *line = line_of(profile, stack);

		if (!line->kernel)
			break;
		entry = line->function;
	}
	return entry;
}

uint32_t sprof_own_function(
	const struct sprof_profile *profile, uint32_t stack, uint32_t *ret_kernel)
{
	uint32_t function, owner;

	*ret_kernel = entry_of(profile, stack);
	if (stack == SPROF_PROFILE_ROOT)
		return SPROF_PROFILE_NONE;
	function = line_of(profile, stack)->function;
	if (*ret_kernel == SPROF_PROFILE_NONE)
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
