/*
 * Assigns addresses to modules. A module with known segments gets one mapping per executable
 * segment, at its link-time address plus the module's base. Code outside these segments, and a
 * module with an unknown file, gets one mapping of the file from its start. Anonymous memory has
 * real addresses already; its mapping has size 0.
 *
 * The base is 0 if that range is free; modules with most samples choose first. Then the addresses
 * are those that nm and objdump show. Go's pprof disassembles only then: it takes every address as
 * one of the file (golang.org/issue/46639).
 */
#include "output/formats/layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/model/addresses.h"
#include "profile/views/annotate.h"

static const uint64_t page = 4096;
static const uint64_t first_base = 0x10000;
/* No program is linked beyond that: the end of an address space of x86-64 or AArch64. */
static const uint64_t last_address = UINT64_C(1) << 47;

/* How many modules choose: each looks at all before it. */
enum { CHOOSERS = 256 };

static uint64_t round_up(uint64_t value)
{
	return (value + page - 1) & ~(page - 1);
}

/* By module: the end, in its file, of the frames outside all segments; 0: there are none. */
static uint64_t *find_rest(const struct sprof_profile *profile, size_t modules)
{
	uint64_t *rest = calloc(modules + 1, sizeof(*rest));

	for (size_t i = 0; rest && i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];
		uint32_t module = location->frame.module;
		uint64_t offset = sprof_location_offset(location);

		if (module >= modules || sprof_profile_segment_at(profile, module, offset))
			continue;
		if (rest[module] <= offset)
			rest[module] = offset + 1 ? offset + 1 : offset;
	}
	return rest;
}

static bool append(struct sprof_layout *layout, const struct sprof_layout_mapping *mapping)
{
	return SPROF_ARRAY_APPEND(layout->mappings, layout->count, layout->capacity, *mapping);
}

/* The address range of a module with base 0, and its base. */
struct extent {
	uint64_t begin, end; /* without segments, begin is 0; the remainder comes last */
	uint64_t rest;       /* see find_rest() */
	uint64_t weight;     /* of the samples in its code */
	uint64_t base;
	uint32_t module;
	bool has_segments, is_placed;
};

static struct sprof_layout_mapping map_segment(uint32_t module, const struct sprof_segment *segment)
{
	uint64_t before = segment->address % page;

	return (struct sprof_layout_mapping){
		.module = module,
		.start = segment->address - before,
		.size = round_up(segment->file_size + before),
		.offset = segment->offset - before,
	};
}

static void measure(const struct sprof_profile *profile, uint64_t rest, struct extent *extent)
{
	const struct sprof_profile_module *facts =
		sprof_profile_module_facts(profile, extent->module);

	extent->rest = round_up(rest);
	for (size_t i = 0; i < facts->segment_count; i++) {
		const struct sprof_layout_mapping mapping =
			map_segment(extent->module, &facts->segments[i]);

		if (!i || mapping.start < extent->begin)
			extent->begin = mapping.start;
		if (extent->end < mapping.start + mapping.size)
			extent->end = mapping.start + mapping.size;
		extent->has_segments = true;
	}
	extent->end += extent->rest;
}

static void weigh(const struct sprof_profile *profile, struct extent *extents, size_t modules)
{
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint32_t leaf = sprof_annotation_leaf(profile, row->stack);
		uint32_t module = leaf == SPROF_PROFILE_NONE
			? SPROF_PROFILE_NONE
			: profile->locations[leaf].frame.module;

		if (module < modules)
			extents[module].weight +=
				sprof_metrics_get(&row->metrics, profile->kinds.shown);
	}
}

static int compare_weights(const void *left, const void *right)
{
	const struct extent *a = *(struct extent *const *)left, *b = *(struct extent *const *)right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->module > b->module) - (a->module < b->module);
}

/* Whether the extent has its link-time addresses for itself. */
static bool is_free(const struct extent *extent, struct extent *const *before, size_t count)
{
	/* Address 0 is that of frames without a place. */
	if (!extent->has_segments || !extent->begin || extent->end > last_address ||
		extent->end <= extent->begin)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (before[i]->is_placed && extent->begin < before[i]->end &&
			before[i]->begin < extent->end)
			return false;
	}
	return true;
}

/* Places the modules with link-time addresses first, then the others after them. */
static bool place(struct extent *extents, size_t modules)
{
	SPROF_AUTO_FREE struct extent **order = calloc(modules + 1, sizeof(*order));
	uint64_t next = first_base;

	if (!order)
		return false;
	for (size_t i = 0; i < modules; i++)
		order[i] = &extents[i];
	qsort(order, modules, sizeof(*order), compare_weights);
	for (size_t i = 0; i < modules && i < CHOOSERS; i++) {
		order[i]->is_placed = is_free(order[i], order, i);
		if (order[i]->is_placed && next < order[i]->end + page)
			next = order[i]->end + page;
	}
	for (size_t i = 0; i < modules; i++) {
		if (extents[i].is_placed || !extents[i].end)
			continue;
		extents[i].base = next;
		next = round_up(next + extents[i].end) + page;
	}
	return true;
}

static bool append_module(struct sprof_layout *layout, const struct sprof_profile *profile,
	const struct extent *extent)
{
	const struct sprof_profile_module *facts =
		sprof_profile_module_facts(profile, extent->module);
	const struct sprof_layout_mapping rest = {
		.module = extent->module,
		.start = extent->base + extent->end - extent->rest,
		.size = extent->rest,
	};

	for (size_t i = 0; i < facts->segment_count; i++) {
		struct sprof_layout_mapping mapping =
			map_segment(extent->module, &facts->segments[i]);

		mapping.start += extent->base;
		if (!append(layout, &mapping))
			return false;
	}
	return !extent->rest || append(layout, &rest);
}

/* Whether its offsets are places in an ELF file. */
static bool has_places(const struct sprof_module *module)
{
	return module->kind == SPROF_MODULE_FILE || module->kind == SPROF_MODULE_MEMORY;
}

/* By module. Returns NULL if out of memory. */
static struct extent *find_extents(const struct sprof_profile *profile, size_t modules)
{
	SPROF_AUTO_FREE uint64_t *rest = find_rest(profile, modules);
	struct extent *extents = calloc(modules + 1, sizeof(*extents));

	if (!rest || !extents) {
		free(extents);
		return NULL;
	}
	for (uint32_t i = 0; i < modules; i++) {
		extents[i].module = i;
		if (has_places(sprof_modules_get(profile->modules, i)))
			measure(profile, rest[i], &extents[i]);
	}
	weigh(profile, extents, modules);
	return extents;
}

bool sprof_layout_build(const struct sprof_profile *profile, struct sprof_layout *ret)
{
	size_t modules = sprof_modules_count(profile->modules);
	SPROF_AUTO_FREE struct extent *extents = find_extents(profile, modules);

	*ret = (struct sprof_layout){.module_count = modules};
	ret->first = calloc(modules + 1, sizeof(*ret->first));
	if (!extents || !ret->first || !place(extents, modules))
		return false;
	for (size_t i = 0; i < modules; i++) {
		const struct sprof_module *module =
			sprof_modules_get(profile->modules, (uint32_t)i);
		const struct sprof_layout_mapping anonymous = {.module = (uint32_t)i};
		bool ok = has_places(module) ? append_module(ret, profile, &extents[i])
					     : append(ret, &anonymous);

		if (!ok)
			return false;
		ret->first[i + 1] = (uint32_t)ret->count;
	}
	return true;
}

void sprof_layout_finish(struct sprof_layout *layout)
{
	free(layout->mappings);
	free(layout->first);
	*layout = (struct sprof_layout){0};
}

size_t sprof_layout_find(const struct sprof_layout *layout,
	const struct sprof_profile_location *location, uint64_t *ret_address)
{
	uint32_t module = location->frame.module;
	uint64_t offset = sprof_location_offset(location);
	size_t i = layout->first[module];

	while (i + 1 < layout->first[module + 1] &&
		offset - layout->mappings[i].offset >= layout->mappings[i].size)
		i++;
	*ret_address = layout->mappings[i].start + (offset - layout->mappings[i].offset);
	return i;
}
