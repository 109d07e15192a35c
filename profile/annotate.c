/*
 * The self time of a function by line and by instruction. Time in the kernel belongs to the
 * instruction that a thread went there by, or the one behind it. Only leaves count, so every address
 * is exact. Does not read source or code.
 */
#include "profile/annotate.h"

#include <stdlib.h>

uint32_t sprof_annotation_leaf(const struct sprof_profile *profile, uint32_t stack)
{
	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		uint32_t id = profile->stacks[stack].location;
		const struct sprof_profile_location *location = &profile->locations[id];

		if (location->line_count && !profile->lines[location->first_line].kernel)
			return id;
	}
	return SPROF_PROFILE_NONE;
}

static bool has_chosen(const struct sprof_profile *profile, uint32_t id, const bool *chosen)
{
	const struct sprof_profile_location *location = &profile->locations[id];

	for (uint32_t i = 0; i < sprof_profile_own_lines(profile, location); i++) {
		if (chosen[profile->lines[location->first_line + i].function])
			return true;
	}
	return false;
}

static int compare_lines(const void *left, const void *right)
{
	const struct sprof_annotated_line *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* One entry per place becomes one per line. */
static void fold_lines(struct sprof_annotation *annotation)
{
	struct sprof_annotated_line *lines = annotation->lines;
	size_t kept = 0;

	if (annotation->line_count)
		qsort(lines, annotation->line_count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < annotation->line_count; i++) {
		if (kept && compare_lines(&lines[kept - 1], &lines[i]) == 0)
			sprof_metrics_add(&lines[kept - 1].self, &lines[i].self);
		else
			lines[kept++] = lines[i];
	}
	annotation->line_count = kept;
}

static void add_place(const struct sprof_profile *profile, uint32_t location,
	const struct sprof_metrics *self, struct sprof_annotation *annotation)
{
	const struct sprof_profile_line *line =
		&profile->lines[profile->locations[location].first_line];

	annotation->places[annotation->place_count++] =
		(struct sprof_annotated_place){.location = location, .self = *self};
	annotation->lines[annotation->line_count++] = (struct sprof_annotated_line){
		.function = line->function, .line = line->line, .self = *self};
	sprof_metrics_add(&annotation->self, self);
}

bool sprof_annotation_build(const struct sprof_profile *profile, const bool *chosen,
	struct sprof_annotation *ret, struct sprof_error *err)
{
	struct sprof_metrics *sums = calloc(profile->location_count + 1, sizeof(*sums));
	bool *hit = calloc(profile->location_count + 1, sizeof(*hit));
	struct sprof_annotation annotation = {0};
	size_t hits = 0;

	for (size_t i = 0; sums && hit && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint32_t leaf = sprof_annotation_leaf(profile, row->stack);

		sprof_metrics_add(&annotation.whole, &row->metrics);
		if (leaf == SPROF_PROFILE_NONE || !has_chosen(profile, leaf, chosen))
			continue;
		sprof_metrics_add(&sums[leaf], &row->metrics);
		hits += !hit[leaf];
		hit[leaf] = true;
	}
	annotation.lines = calloc(hits + 1, sizeof(*annotation.lines));
	annotation.places = calloc(hits + 1, sizeof(*annotation.places));
	if (sums && hit && annotation.lines && annotation.places) {
		for (uint32_t i = 0; i < profile->location_count; i++) {
			if (hit[i])
				add_place(profile, i, &sums[i], &annotation);
		}
		fold_lines(&annotation);
		*ret = annotation;
		annotation = (struct sprof_annotation){0};
		free(sums);
		free(hit);
		return true;
	}
	free(sums);
	free(hit);
	sprof_annotation_finish(&annotation);
	return sprof_error_no_memory(err);
}

void sprof_annotation_finish(struct sprof_annotation *annotation)
{
	free(annotation->lines);
	free(annotation->places);
	*annotation = (struct sprof_annotation){0};
}
