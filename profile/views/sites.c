/*
 * Aggregates by function, file and line. Locations must be named. Does not show callers: the graphs
 * do.
 */
#include "profile/views/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/idmap.h"
#include "base/strings.h"
#include "profile/classify/own-place.h"

struct tally {
	struct sprof_sites sites;
	size_t capacity;
	struct sprof_idmap by_place; /* (function and line, file) -> index of the site */
};

static bool add(struct tally *tally, const struct sprof_profile_line *line, const char *file,
	uint64_t value)
{
	struct sprof_sites *sites = &tally->sites;
	const uint64_t high = (uint64_t)line->function << 32 | line->line, low = (uintptr_t)file;
	uint32_t index = sprof_idmap_find(&tally->by_place, high, low);

	if (index == SPROF_IDMAP_NONE) {
		index = (uint32_t)sites->count;
		if (!sprof_array_reserve(&sites->items, &tally->capacity, sites->count + 1,
			    sizeof(*sites->items)) ||
			!sprof_idmap_put(&tally->by_place, high, low, index))
			return false;
		sites->items[sites->count++] = (struct sprof_site){
			.function = line->function, .file = file, .line = line->line};
	}
	sites->items[index].value += value;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct sprof_site *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	if (a->function != b->function)
		return a->function > b->function ? 1 : -1;
	if (a->line != b->line)
		return a->line > b->line ? 1 : -1;
	return a->file && b->file ? strcmp(a->file, b->file) : 0;
}

bool sprof_sites_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_sites *ret, struct sprof_error *err)
{
	struct tally tally = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const uint64_t value = sprof_metrics_get(&row->metrics, view->weight);
		const struct sprof_profile_line *line;

		if (!value || !sprof_view_takes(view, profile, i))
			continue;
		tally.sites.whole += value;
		line = sprof_profile_own_line(profile, row->stack);
		ok = !line || add(&tally, line, sprof_profile_line_file(profile, line), value);
	}
	sprof_idmap_finish(&tally.by_place);
	if (!ok) {
		sprof_sites_finish(&tally.sites);
		return sprof_error_no_memory(err);
	}
	if (tally.sites.count)
		qsort(tally.sites.items, tally.sites.count, sizeof(*tally.sites.items), compare);
	*ret = tally.sites;
	return true;
}

void sprof_sites_finish(struct sprof_sites *sites)
{
	free(sites->items);
	*sites = (struct sprof_sites){0};
}

struct sprof_site_place sprof_site_place(const char *file, uint32_t line)
{
	struct sprof_site_place place = {""};
	char number[16] = "";
	int length;

	if (!file)
		return place;
	if (line)
		snprintf(number, sizeof(number), ":%" PRIu32, line);
	length = snprintf(
		place.text, sizeof(place.text), "%s%s", sprof_string_file_name(file), number);
	if (length < 0 || (size_t)length >= sizeof(place.text))
		place.text[0] = '\0';
	return place;
}
