/*
 * Symbols as text, by address. forms.c parses the lines. Skips invalid lines: a JIT may be
 * writing its map now, or deviate from the format.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/symlist/symlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/symlist/forms.h"

/* Blank lines and comments are in every form. */
static bool has_content(const char *line, const char *end)
{
	while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
		line++;
	return line < end && *line != '#';
}

static bool append(struct sprof_symlist *list, const struct sprof_symlist_line *line)
{
	if (list->count >= SPROF_RANGES_NONE ||
		!SPROF_ARRAY_APPEND(list->items, list->count, list->capacity, *line))
		return false;
	return true;
}

/* By address; at one address the best name first, then the first line. */
static int compare(const void *left, const void *right)
{
	const struct sprof_symlist_line *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static bool add_range(struct sprof_symlist *list, size_t i, uint64_t next, uint32_t priority)
{
	const struct sprof_symlist_line *item = &list->items[i];
	struct sprof_range range = {
		.low = item->address,
		.high = next,
		.value = (uint32_t)i,
		.priority = priority,
	};

	if (item->size && __builtin_add_overflow(item->address, item->size, &range.high))
		range.high = UINT64_MAX;
	return item->rank == SPROF_SYMLIST_NO_FUNCTION || sprof_ranges_add(&list->ranges, &range);
}

/* One name per address; unsized ones reach to the next higher address. */
static bool settle_sysmap(struct sprof_symlist *list)
{
	uint64_t next = UINT64_MAX;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	for (size_t i = list->count; i-- > 0;) {
		if (i && list->items[i - 1].address == list->items[i].address)
			continue;
		if (!add_range(list, i, next, 0))
			return false;
		next = list->items[i].address;
	}
	return sprof_ranges_settle(&list->ranges);
}

static bool settle_perf_map(struct sprof_symlist *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!add_range(list, i, 0, (uint32_t)i))
			return false;
	}
	return sprof_ranges_settle(&list->ranges);
}

static bool read_lines(struct sprof_symlist *list, sprof_symlist_parser parse)
{
	const char *cursor = list->text, *end = list->text + list->text_size, *line, *stop;

	while (sprof_symlist_next_line(&cursor, end, &line, &stop)) {
		struct sprof_symlist_line symbol = {0};

		switch (parse(line, stop, &symbol)) {
		case SPROF_SYMLIST_SYMBOL:
			list->all_zero = !symbol.address && (list->all_zero || !list->count);
			list->functions += symbol.rank != SPROF_SYMLIST_NO_FUNCTION;
			if (!append(list, &symbol))
				return false;
			break;
		case SPROF_SYMLIST_STRANGE:
			list->skipped += has_content(line, stop);
			break;
		case SPROF_SYMLIST_EMPTY:
			break;
		}
	}
	return true;
}

bool sprof_symlist_create(enum sprof_symlist_format format, char *text, size_t text_size,
	struct sprof_symlist **ret, struct sprof_error *err)
{
	struct sprof_symlist *list = calloc(1, sizeof(*list));
	bool is_map = format == SPROF_SYMLIST_PERF_MAP;

	if (!list) {
		free(text);
		return sprof_error_no_memory(err);
	}
	list->text = text;
	list->text_size = text_size;
	if (read_lines(list,
		    is_map ? sprof_symlist_parse_perf_map
			   : sprof_symlist_choose(text, text + text_size)) &&
		(is_map ? settle_perf_map(list) : settle_sysmap(list))) {
		*ret = list;
		return true;
	}
	sprof_symlist_destroy(list);
	return sprof_error_no_memory(err);
}

void sprof_symlist_destroy(struct sprof_symlist *list)
{
	if (!list)
		return;
	free(list->text);
	free(list->items);
	sprof_ranges_finish(&list->ranges);
	free(list);
}

const struct sprof_symlist_line *sprof_symlist_find(
	const struct sprof_symlist *list, uint64_t address)
{
	uint32_t index = sprof_ranges_find(&list->ranges, address);

	return index == SPROF_RANGES_NONE ? NULL : &list->items[index];
}
