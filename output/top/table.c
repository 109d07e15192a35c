/*
 * Tables of the live view. The views provide the content. Does not handle characters that are two
 * columns wide.
 */
#include "output/top/table.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"

enum {
	PERCENT_WIDTH = 7,
	COUNT_WIDTH = 7,
	REST_LEAST = 30, /* minimum width of the last column before others are dropped */
	FIT_LEAST = 5,   /* of sprof_fit() */
	DEPTH_MAX = 20,  /* deeper rows of a tree are not indented further */
};

struct sprof_top_row *sprof_top_table_add(struct sprof_top_table *table)
{
	if (!sprof_array_reserve(
		    &table->rows, &table->capacity, table->count + 1, sizeof(*table->rows))) {
		table->out_of_memory = true;
		return NULL;
	}
	table->rows[table->count] = (struct sprof_top_row){0};
	return &table->rows[table->count++];
}

const char *sprof_top_table_text(struct sprof_top_table *table, const char *format, ...)
{
	SPROF_AUTO_FREE char *text = NULL;
	const char *kept = NULL;
	va_list values;

	va_start(values, format);
	if (vasprintf(&text, format, values) < 0)
		text = NULL;
	va_end(values);
	if (!table->texts)
		table->texts = sprof_strtab_create();
	if (text && table->texts)
		kept = sprof_strtab_intern(table->texts, text);
	table->out_of_memory |= !kept;
	return kept ? kept : "";
}

void sprof_top_table_finish(struct sprof_top_table *table)
{
	free(table->rows);
	sprof_strtab_destroy(table->texts);
	sprof_briefs_destroy(table->briefs);
	*table = (struct sprof_top_table){0};
}

static bool is_text(const struct sprof_top_column *column)
{
	return column->kind == SPROF_TOP_TEXT || column->kind == SPROF_TOP_FUNCTION;
}

static const char *text_of(const struct sprof_top_cell *cell)
{
	return cell->text ? cell->text : "";
}

/* Below 0: `a` stands above `b`. */
static int compare_cell(const struct sprof_top_column *column, const struct sprof_top_cell *a,
	const struct sprof_top_cell *b)
{
	if (is_text(column))
		return strcmp(text_of(a), text_of(b));
	return (a->number < b->number) - (a->number > b->number);
}

struct order {
	const struct sprof_top_table *table;
	size_t column;
	bool reversed;
};

static int compare(const void *one, const void *other, void *data)
{
	const struct sprof_top_row *a = one, *b = other;
	const struct order *order = data;
	const struct sprof_top_table *table = order->table;
	const size_t first = order->column;
	int result = compare_cell(&table->columns[first], &a->cells[first], &b->cells[first]);

	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (result)
		return order->reversed ? -result : result;
	for (size_t i = 0; i < table->column_count && !result; i++)
		result = compare_cell(&table->columns[i], &a->cells[i], &b->cells[i]);
	return result ? result : (a->id > b->id) - (a->id < b->id);
}

void sprof_top_table_sort(struct sprof_top_table *table, size_t column, bool reversed)
{
	struct order order = {table, column, reversed};

	if (!table->keeps_order && table->count && column < table->column_count)
		qsort_r(table->rows, table->count, sizeof(*table->rows), compare, &order);
}

static bool matches(const struct sprof_top_table *table, const struct sprof_top_row *row,
	const regex_t *pattern)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (is_text(&table->columns[i]) &&
			!regexec(pattern, text_of(&row->cells[i]), 0, NULL, 0))
			return true;
	}
	return false;
}

/* From the end on: a row that leads to a kept one has the depth that is still wanted. */
static void mark_kept(const struct sprof_top_table *table, const regex_t *pattern, bool *kept)
{
	uint32_t wanted = 0;

	for (size_t i = table->count; i-- > 0;) {
		const uint32_t depth = table->rows[i].depth;

		kept[i] = matches(table, &table->rows[i], pattern) || (wanted && depth < wanted);
		if (kept[i])
			wanted = depth;
	}
}

bool sprof_top_table_filter(
	struct sprof_top_table *table, const char *pattern, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *kept = calloc(table->count + 1, sizeof(*kept));
	regex_t expression;
	size_t count = 0;

	if (!kept)
		return sprof_error_no_memory(err);
	if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB | REG_ICASE))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "'%s' is not a pattern", pattern);
	mark_kept(table, &expression, kept);
	regfree(&expression);
	for (size_t i = 0; i < table->count; i++) {
		if (kept[i])
			table->rows[count++] = table->rows[i];
	}
	table->count = count;
	return true;
}

static size_t width_of(const struct sprof_top_column *column)
{
	if (column->kind == SPROF_TOP_PERCENT)
		return PERCENT_WIDTH;
	return column->kind == SPROF_TOP_COUNT ? COUNT_WIDTH : column->width;
}

/* Each column is followed by a blank. */
static size_t width_of_shown(const struct sprof_top_table *table, const bool *shown)
{
	size_t sum = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		const size_t width = width_of(&table->columns[i]);

		if (shown[i])
			sum += width ? width + 1 : REST_LEAST;
	}
	return sum;
}

/* Returns false if no column can be dropped. */
static bool drop_least(const struct sprof_top_table *table, bool *shown)
{
	size_t least = table->column_count;

	for (size_t i = 0; i < table->column_count; i++) {
		const unsigned importance = table->columns[i].importance;

		if (shown[i] && importance &&
			(least == table->column_count ||
				importance < table->columns[least].importance))
			least = i;
	}
	if (least == table->column_count)
		return false;
	shown[least] = false;
	return true;
}

struct sprof_top_layout sprof_top_table_layout(const struct sprof_top_table *table, size_t width)
{
	struct sprof_top_layout layout = {0};
	bool shown[SPROF_TOP_CELLS];
	size_t at = 0;

	memset(shown, true, sizeof(shown));
	while (width_of_shown(table, shown) > width && drop_least(table, shown))
		;
	for (size_t i = 0; i < table->column_count; i++) {
		const size_t wanted = width_of(&table->columns[i]);
		const size_t room = at < width ? width - at : 0;

		if (!shown[i] || !room)
			continue;
		layout.start[i] = at;
		layout.width[i] = wanted && wanted < room ? wanted : room;
		at += layout.width[i] + 1;
	}
	return layout;
}

static char *fit_text(const struct sprof_top_table *table, enum sprof_top_kind kind,
	const char *text, size_t room)
{
	SPROF_AUTO_FREE char *clean = text[0] ? sprof_clean_text(text, NULL) : strdup("");

	if (!clean)
		return NULL;
	if (room < FIT_LEAST)
		return strndup(clean, sprof_fit_bytes(clean, room));
	if (kind == SPROF_TOP_FUNCTION && text[0])
		return sprof_briefs_fit(table->briefs, text, room);
	return sprof_fit(clean, room);
}

static void put_padded(FILE *stream, const char *text, size_t width)
{
	const size_t length = sprof_fit_length(text);

	fputs(text, stream);
	for (size_t i = length; i < width; i++)
		fputc(' ', stream);
}

static void put_blanks(FILE *stream, size_t *at, size_t until)
{
	for (; *at < until; (*at)++)
		fputc(' ', stream);
}

/* A tree's indentation and mark; returns how much room they take. */
static size_t put_branch(FILE *stream, const struct sprof_top_row *row, size_t room)
{
	const size_t depth = row->depth < DEPTH_MAX ? row->depth : DEPTH_MAX;
	size_t used = 0;

	if (!row->mark && !row->depth)
		return 0;
	for (; used < depth && used + 2 + FIT_LEAST < room; used++)
		fputc(' ', stream);
	if (used + 2 > room)
		return used;
	fputc(row->mark ? row->mark : ' ', stream);
	fputc(' ', stream);
	return used + 2;
}

static bool put_text(FILE *stream, const struct sprof_top_table *table, size_t number,
	const struct sprof_top_row *row, size_t width)
{
	const struct sprof_top_column *column = &table->columns[number];
	const char *text = text_of(&row->cells[number]);
	const size_t branch = column->width ? 0 : put_branch(stream, row, width);
	SPROF_AUTO_FREE char *fitted = fit_text(table, column->kind, text, width - branch);

	if (fitted)
		put_padded(stream, fitted, width - branch);
	return fitted;
}

static void put_number(
	FILE *stream, const struct sprof_top_column *column, double number, size_t width)
{
	char text[32];

	if (column->kind == SPROF_TOP_COUNT)
		snprintf(text, sizeof(text), "%.0f", number);
	else
		snprintf(text, sizeof(text), number < 99999 ? "%.1f" : "%.0f", number);
	if (strlen(text) > width)
		text[width] = '\0';
	fprintf(stream, "%*s", (int)width, text);
}

char *sprof_top_table_line(const struct sprof_top_table *table,
	const struct sprof_top_layout *layout, const struct sprof_top_row *row)
{
	char *text = NULL;
	size_t size, at = 0;
	FILE *stream = open_memstream(&text, &size);
	bool ok = true;

	for (size_t i = 0; stream && ok && i < table->column_count; i++) {
		const struct sprof_top_column *column = &table->columns[i];

		if (!layout->width[i])
			continue;
		put_blanks(stream, &at, layout->start[i]);
		if (is_text(column))
			ok = put_text(stream, table, i, row, layout->width[i]);
		else
			put_number(stream, column, row->cells[i].number, layout->width[i]);
		at += layout->width[i];
	}
	return sprof_string_close(stream, &text, ok);
}

char *sprof_top_table_head(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout)
{
	char *text = NULL;
	size_t size, at = 0;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; stream && i < table->column_count; i++) {
		const struct sprof_top_column *column = &table->columns[i];
		const int width = (int)layout->width[i];

		if (!width)
			continue;
		put_blanks(stream, &at, layout->start[i]);
		fprintf(stream, is_text(column) ? "%-*.*s" : "%*.*s", width, width, column->title);
		at += (size_t)width;
	}
	return sprof_string_close(stream, &text, true);
}

size_t sprof_top_table_column_at(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout, size_t place)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (layout->width[i] && place >= layout->start[i] &&
			place < layout->start[i] + layout->width[i])
			return i;
	}
	return table->column_count;
}
