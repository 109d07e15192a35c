/*
 * Symbols as text. The three formats have one form: hexadecimal numbers, then a name. Skips garbage
 * in between: a JIT may be writing its map right now, or not follow the format well.
 *
 * A failure without an error means no memory.
 */
#include "elfsym/symlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MAX_DIGITS = 16,
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int digit(char c)
{
	return c >= '0' && c <= '9'    ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : -1;
}

/* A hexadecimal number with blanks behind it. */
static bool scan_number(const char **cursor, const char *end, uint64_t *ret)
{
	const char *at = *cursor;
	int digits = 0;

	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (*ret = 0; at < end && digit(*at) >= 0; at++) {
		*ret = *ret << 4 | (unsigned)digit(*at);
		digits++;
	}
	if (!digits || digits > MAX_DIGITS || at == end || !is_blank(*at))
		return false;
	while (at < end && is_blank(*at))
		at++;
	*cursor = at;
	return true;
}

/* The types of nm(1), in the order that a person would choose between several names. */
static enum sprof_symlist_rank rank_of(char type)
{
	switch (type) {
	case 'T':
	case 'i':
	case 'u':
		return SPROF_SYMLIST_GLOBAL;
	case 't':
		return SPROF_SYMLIST_LOCAL;
	case 'W':
	case 'w':
		return SPROF_SYMLIST_WEAK;
	default:
		return SPROF_SYMLIST_NO_FUNCTION;
	}
}

static bool scan_type(const char **cursor, const char *end, enum sprof_symlist_rank *ret_rank)
{
	const char *at = *cursor;

	if (end - at < 2 || !is_blank(at[1]))
		return false;
	*ret_rank = rank_of(*at);
	*cursor = at + 2;
	while (*cursor < end && is_blank(**cursor))
		++*cursor;
	return true;
}

/* Removes from the name's end what a name can't have: blanks, a carriage return. */
static bool take_name(
	const char *at, const char *end, bool first_word, struct sprof_symlist_line *line)
{
	const char *stop = at;

	while (first_word && stop < end && !is_blank(*stop))
		stop++;
	if (!first_word)
		stop = end;
	while (stop > at && (is_blank(stop[-1]) || stop[-1] == '\r'))
		stop--;
	line->name = at;
	line->name_length = (size_t)(stop - at);
	return stop > at && !memchr(at, '\0', line->name_length);
}

static bool parse_sysmap(const char *at, const char *end, struct sprof_symlist_line *line)
{
	const char *behind;

	if (!scan_number(&at, end, &line->address))
		return false;
	behind = at;
	if (scan_number(&behind, end, &line->size) && scan_type(&behind, end, &line->rank))
		return take_name(behind, end, true, line);
	line->size = 0;
	return scan_type(&at, end, &line->rank) && take_name(at, end, true, line);
}

static bool parse_perf_map(const char *at, const char *end, struct sprof_symlist_line *line)
{
	line->rank = SPROF_SYMLIST_GLOBAL;
	return scan_number(&at, end, &line->address) && scan_number(&at, end, &line->size) &&
		line->size && take_name(at, end, false, line);
}

/* Parses the next line in the format, skips others, and moves the cursor behind it. */
static bool parse_line(enum sprof_symlist_format format, const char **cursor, const char *end,
	struct sprof_symlist_line *ret)
{
	while (*cursor < end) {
		const char *at = *cursor;
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		*cursor = stop < end ? stop + 1 : end;
		*ret = (struct sprof_symlist_line){0};
		if (format == SPROF_SYMLIST_SYSMAP ? parse_sysmap(at, stop, ret)
						   : parse_perf_map(at, stop, ret))
			return true;
	}
	return false;
}

static bool append(struct sprof_symlist *list, const struct sprof_symlist_line *line)
{
	if (list->count >= SPROF_RANGES_NONE ||
		!sprof_array_reserve(
			&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
		return false;
	list->items[list->count++] = *line;
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

bool sprof_symlist_create(enum sprof_symlist_format format, char *text, size_t text_size,
	struct sprof_symlist **ret, struct sprof_error *err)
{
	struct sprof_symlist *list = calloc(1, sizeof(*list));
	const char *cursor = text, *end = text + text_size;
	struct sprof_symlist_line line;
	bool ok = list;

	if (!list) {
		free(text);
		return sprof_error_no_memory(err);
	}
	list->text = text;
	list->text_size = text_size;
	while (ok && parse_line(format, &cursor, end, &line)) {
		list->all_zero = !line.address && (list->all_zero || !list->count);
		ok = append(list, &line);
	}
	ok = ok && (format == SPROF_SYMLIST_SYSMAP ? settle_sysmap(list) : settle_perf_map(list));
	if (ok) {
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
