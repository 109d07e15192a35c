/*
 * The time of a function by line and by instruction. A sample's self time is at the leaf of its
 * stack, where the address is exact. Kernel time is at the instruction that entered the kernel, or
 * the one after it. A line's total is the time of all samples with the line on the stack. Does not
 * read source or code.
 */
#include "profile/views/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* A line called a function, in a row of the profile. */
struct edge {
	uint32_t line, function;
	size_t row;
};

struct building {
	const struct sprof_profile *profile;
	struct sprof_annotation *annotation;
	uint32_t *extents;   /* by location: how many of its lines are of the function */
	uint32_t *line_ids;  /* by line of the profile */
	uint32_t *place_ids; /* by location */
	/* by line and place of the annotation: 1 + the row that it has last counted for */
	size_t *line_rows, *place_rows;
	struct edge *edges;
	size_t edge_count, edge_capacity;
};

static bool is_kernel(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	return !location->line_count || profile->lines[location->first_line].kernel;
}

uint32_t sprof_annotation_leaf(const struct sprof_profile *profile, uint32_t stack)
{
	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		uint32_t id = profile->stacks[stack].location;

		if (!is_kernel(profile, &profile->locations[id]))
			return id;
	}
	return SPROF_PROFILE_NONE;
}

/* The lines up to the outermost chosen function; code inlined into it comes before. */
static uint32_t find_extent(const struct sprof_profile *profile, uint32_t id, const bool *chosen)
{
	const struct sprof_profile_location *location = &profile->locations[id];
	uint32_t extent = 0;

	if (is_kernel(profile, location))
		return 0;
	for (uint32_t i = 0; i < sprof_profile_own_lines(profile, location); i++) {
		if (chosen[profile->lines[location->first_line + i].function])
			extent = i + 1;
	}
	return extent;
}

/* Locations that no row leads through have no part in it. */
static void find_extents(struct building *building, const bool *chosen)
{
	const struct sprof_profile *profile = building->profile;
	const uint32_t unknown = UINT32_MAX;

	for (size_t i = 0; i < profile->location_count; i++)
		building->extents[i] = unknown;
	for (size_t i = 0; i < profile->row_count; i++) {
		for (uint32_t at = profile->rows[i].stack; at != SPROF_PROFILE_ROOT;
			at = profile->stacks[at].parent) {
			uint32_t id = profile->stacks[at].location;

			if (building->extents[id] == unknown)
				building->extents[id] = find_extent(profile, id, chosen);
		}
	}
	for (size_t i = 0; i < profile->location_count; i++)
		building->extents[i] = building->extents[i] == unknown ? 0 : building->extents[i];
}

/* The function's own file comes first. Equal files are one string of the profile. */
static int compare_files(const struct sprof_profile *profile, const struct sprof_annotated_line *a,
	const struct sprof_annotated_line *b)
{
	const char *own = profile->functions[a->function].file;

	if (a->file == b->file)
		return 0;
	if (a->file == own || b->file == own || !a->file || !b->file)
		return a->file == own || !b->file ? -1 : 1;
	return strcmp(a->file, b->file);
}

static int compare_lines(const void *left, const void *right, void *data)
{
	const struct sprof_annotated_line *a = left, *b = right;
	int files;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	files = compare_files(data, a, b);
	return files ? files : (a->line > b->line) - (a->line < b->line);
}

static struct sprof_annotated_line line_of(const struct sprof_profile *profile, size_t index)
{
	const struct sprof_profile_line *line = &profile->lines[index];

	return (struct sprof_annotated_line){
		.function = line->function,
		.file = sprof_profile_line_file(profile, line),
		.line = line->line,
	};
}

/* Lists the places and their lines; places at one line share it. */
static void list_places(struct building *building)
{
	const struct sprof_profile *profile = building->profile;
	struct sprof_annotation *annotation = building->annotation;
	struct sprof_annotated_line *lines = annotation->lines;
	size_t kept = 0;

	for (uint32_t id = 0; id < profile->location_count; id++) {
		if (!building->extents[id])
			continue;
		building->place_ids[id] = (uint32_t)annotation->place_count;
		annotation->places[annotation->place_count++].location = id;
		for (uint32_t i = 0; i < building->extents[id]; i++)
			lines[annotation->line_count++] =
				line_of(profile, profile->locations[id].first_line + i);
	}
	if (annotation->line_count)
		qsort_r(lines, annotation->line_count, sizeof(*lines), compare_lines,
			(void *)(uintptr_t)profile);
	for (size_t i = 0; i < annotation->line_count; i++) {
		if (!kept || compare_lines(&lines[kept - 1], &lines[i], (void *)(uintptr_t)profile))
			lines[kept++] = lines[i];
	}
	annotation->line_count = kept;
}

struct line_search {
	const struct building *building;
	struct sprof_annotated_line line;
};

static bool is_line_before(const void *search, size_t index)
{
	const struct line_search *wanted = search;
	const struct building *building = wanted->building;

	return compare_lines(&building->annotation->lines[index], &wanted->line,
		       (void *)(uintptr_t)building->profile) < 0;
}

static size_t find_line(const struct building *building, size_t index)
{
	const struct line_search search = {building, line_of(building->profile, index)};

	return sprof_first_index(building->annotation->line_count, is_line_before, &search);
}

static void number_lines(struct building *building)
{
	const struct sprof_annotation *annotation = building->annotation;

	for (size_t i = 0; i < annotation->place_count; i++) {
		uint32_t id = annotation->places[i].location;
		size_t first = building->profile->locations[id].first_line;

		for (uint32_t k = 0; k < building->extents[id]; k++)
			building->line_ids[first + k] = (uint32_t)find_line(building, first + k);
	}
}

static bool allocate(struct building *building, const bool *chosen)
{
	const struct sprof_profile *profile = building->profile;
	struct sprof_annotation *annotation = building->annotation;
	size_t lines = 0, places = 0;

	building->extents = calloc(profile->location_count + 1, sizeof(*building->extents));
	building->place_ids = calloc(profile->location_count + 1, sizeof(*building->place_ids));
	building->line_ids = calloc(profile->line_count + 1, sizeof(*building->line_ids));
	if (!building->extents || !building->place_ids || !building->line_ids)
		return false;
	find_extents(building, chosen);
	for (size_t i = 0; i < profile->location_count; i++) {
		lines += building->extents[i];
		places += building->extents[i] > 0;
	}
	annotation->lines = calloc(lines + 1, sizeof(*annotation->lines));
	annotation->places = calloc(places + 1, sizeof(*annotation->places));
	building->line_rows = calloc(lines + 1, sizeof(*building->line_rows));
	building->place_rows = calloc(places + 1, sizeof(*building->place_rows));
	return annotation->lines && annotation->places && building->line_rows &&
		building->place_rows;
}

/* The outermost function of the location that a location has called. */
static uint32_t called(const struct sprof_profile *profile, uint32_t location)
{
	const struct sprof_profile_location *callee = &profile->locations[location];

	return profile->lines[callee->first_line + callee->line_count - 1].function;
}

static bool add_edge(struct building *building, uint32_t line, uint32_t function, size_t row)
{
	return SPROF_ARRAY_APPEND(building->edges, building->edge_count, building->edge_capacity,
		(struct edge){.line = line, .function = function, .row = row});
}

/* The lines of a row at one location; `callee` is the location that it has called, or NONE. */
static bool add_lines(struct building *building, size_t row, uint32_t id, uint32_t callee)
{
	const struct sprof_profile *profile = building->profile;
	const struct sprof_metrics *metrics = &profile->rows[row].metrics;
	size_t first = profile->locations[id].first_line;

	for (uint32_t i = 0; i < building->extents[id]; i++) {
		uint32_t line = building->line_ids[first + i];
		uint32_t function = SPROF_PROFILE_NONE;

		if (i)
			function = profile->lines[first + i - 1].function;
		else if (callee != SPROF_PROFILE_NONE)
			function = called(profile, callee);
		if (building->line_rows[line] != row + 1)
			sprof_metrics_add(&building->annotation->lines[line].total, metrics);
		building->line_rows[line] = row + 1;
		if (function != SPROF_PROFILE_NONE && !add_edge(building, line, function, row))
			return false;
	}
	return true;
}

static void add_self(struct building *building, const struct sprof_metrics *metrics, uint32_t leaf)
{
	struct sprof_annotation *annotation = building->annotation;
	uint32_t line = building->line_ids[building->profile->locations[leaf].first_line];

	sprof_metrics_add(&annotation->self, metrics);
	sprof_metrics_add(&annotation->lines[line].self, metrics);
	sprof_metrics_add(&annotation->places[building->place_ids[leaf]].self, metrics);
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* A line that recurs on a row's stack has called the same functions again: they count once. */
static void drop_repeated_edges(struct building *building, size_t first)
{
	size_t kept = first;

	if (building->edge_count - first < 2)
		return;
	qsort(building->edges + first, building->edge_count - first, sizeof(*building->edges),
		compare_edges);
	for (size_t i = first; i < building->edge_count; i++) {
		if (kept == first ||
			compare_edges(&building->edges[kept - 1], &building->edges[i]) != 0)
			building->edges[kept++] = building->edges[i];
	}
	building->edge_count = kept;
}

static bool add_row(struct building *building, size_t row)
{
	const struct sprof_profile *profile = building->profile;
	const struct sprof_metrics *metrics = &profile->rows[row].metrics;
	const size_t first_edge = building->edge_count;
	uint32_t callee = SPROF_PROFILE_NONE;
	bool found = false;

	sprof_metrics_add(&building->annotation->whole, metrics);
	for (uint32_t at = profile->rows[row].stack; at != SPROF_PROFILE_ROOT;
		at = profile->stacks[at].parent) {
		uint32_t id = profile->stacks[at].location;
		uint32_t place = building->place_ids[id];

		if (is_kernel(profile, &profile->locations[id]))
			continue;
		if (building->extents[id]) {
			found = true;
			if (callee == SPROF_PROFILE_NONE)
				add_self(building, metrics, id);
			if (building->place_rows[place] != row + 1)
				sprof_metrics_add(
					&building->annotation->places[place].total, metrics);
			building->place_rows[place] = row + 1;
			if (!add_lines(building, row, id, callee))
				return false;
		}
		callee = id;
	}
	drop_repeated_edges(building, first_edge);
	if (found)
		sprof_metrics_add(&building->annotation->total, metrics);
	return true;
}

static bool fold_edges(struct building *building)
{
	struct sprof_annotation *annotation = building->annotation;

	annotation->calls = calloc(building->edge_count + 1, sizeof(*annotation->calls));
	if (!annotation->calls)
		return false;
	if (building->edge_count)
		qsort(building->edges, building->edge_count, sizeof(*building->edges),
			compare_edges);
	for (size_t i = 0; i < building->edge_count; i++) {
		const struct edge *edge = &building->edges[i];
		struct sprof_annotated_line *line = &annotation->lines[edge->line];

		if (!i || edge->line != edge[-1].line || edge->function != edge[-1].function) {
			if (!line->call_count++)
				line->first_call = annotation->call_count;
			annotation->calls[annotation->call_count++].function = edge->function;
		}
		sprof_metrics_add(&annotation->calls[annotation->call_count - 1].total,
			&building->profile->rows[edge->row].metrics);
	}
	return true;
}

static bool build(struct building *building, const bool *chosen)
{
	if (!allocate(building, chosen))
		return false;
	list_places(building);
	number_lines(building);
	for (size_t i = 0; i < building->profile->row_count; i++) {
		if (!add_row(building, i))
			return false;
	}
	return fold_edges(building);
}

bool sprof_annotation_build(const struct sprof_profile *profile, const bool *chosen,
	struct sprof_annotation *ret, struct sprof_error *err)
{
	struct sprof_annotation annotation = {0};
	struct building building = {.profile = profile, .annotation = &annotation};
	bool ok = build(&building, chosen);

	free(building.extents);
	free(building.line_ids);
	free(building.place_ids);
	free(building.line_rows);
	free(building.place_rows);
	free(building.edges);
	if (ok) {
		*ret = annotation;
		return true;
	}
	sprof_annotation_finish(&annotation);
	return sprof_error_no_memory(err);
}

void sprof_annotation_finish(struct sprof_annotation *annotation)
{
	free(annotation->lines);
	free(annotation->calls);
	free(annotation->places);
	*annotation = (struct sprof_annotation){0};
}
