/* Text tables for terminals. Does not handle rows of several lines. */
#include "output/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"

enum { COLUMNS_MAX = 32, SHORTEST_TEXT = 8 };

struct shape {
	size_t widths[COLUMNS_MAX]; /* 0: the column is left out */
	size_t total;
};

static void add(struct sprof_table *table, char *text)
{
	if (!text ||
		!SPROF_ARRAY_APPEND(table->cells, table->cell_count, table->cell_capacity, text)) {
		free(text);
		table->out_of_memory = true;
	}
}

void sprof_table_cell(struct sprof_table *table, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	add(table, text);
}

void sprof_table_text(struct sprof_table *table, const char *text)
{
	add(table, sprof_clean_text(text, NULL));
}

static void add_us(struct sprof_table *table, const char *mark, double ns)
{
	double us = ns / SPROF_NS_PER_US;

	sprof_table_cell(table, "%s%.*f", mark, us < 1000 ? 3 : us < 100000 ? 1 : 0, us);
}

void sprof_table_us(struct sprof_table *table, double ns)
{
	add_us(table, "", ns);
}

void sprof_table_about_us(struct sprof_table *table, double ns)
{
	add_us(table, "~", ns);
}

void sprof_table_finish(struct sprof_table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->cell_count = table->cell_capacity = 0;
}

static size_t larger(size_t one, size_t other)
{
	return one > other ? one : other;
}

static void sum_up(const struct sprof_table *table, struct shape *shape)
{
	shape->total = 0;
	for (size_t i = 0; i < table->column_count; i++)
		shape->total += shape->widths[i] ? shape->widths[i] + (shape->total ? 2 : 0) : 0;
}

static void measure(const struct sprof_table *table, struct shape *ret)
{
	*ret = (struct shape){0};
	for (size_t i = 0; i < table->column_count; i++)
		ret->widths[i] = sprof_fit_length(table->columns[i].title);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t *width = &ret->widths[i % table->column_count];

		*width = larger(*width, sprof_fit_length(table->cells[i]));
	}
	sum_up(table, ret);
}

/* The last one of the least important columns. -1: all that are left must stay. */
static int least_important(const struct sprof_table *table, const struct shape *shape)
{
	int least = -1;

	for (size_t i = 0; i < table->column_count; i++) {
		unsigned importance = table->columns[i].importance;

		if (importance && shape->widths[i] &&
			(least < 0 || importance <= table->columns[least].importance))
			least = (int)i;
	}
	return least;
}

static void shorten_texts(const struct sprof_table *table, size_t width, struct shape *shape)
{
	for (size_t i = 0; i < table->column_count && shape->total > width; i++) {
		size_t excess = shape->total - width, *own = &shape->widths[i];

		if (!table->columns[i].is_text || *own <= SHORTEST_TEXT)
			continue;
		*own = *own > excess + SHORTEST_TEXT ? *own - excess : SHORTEST_TEXT;
		sum_up(table, shape);
	}
}

static void fit(const struct sprof_table *table, size_t width, struct shape *shape)
{
	int least;

	while (shape->total > width && (least = least_important(table, shape)) >= 0) {
		shape->widths[least] = 0;
		sum_up(table, shape);
	}
	shorten_texts(table, width, shape);
}

/* A row's last cell has no trailing blanks. */
static bool is_last(const struct sprof_table *table, const struct shape *shape, size_t column)
{
	for (size_t i = column + 1; i < table->column_count; i++) {
		if (shape->widths[i])
			return false;
	}
	return true;
}

/* Returns the number of characters. */
static size_t put_padded(struct sprof_out *out, const char *text, size_t width, bool is_text)
{
	const size_t length = sprof_fit_length(text);
	const size_t blanks = width > length ? width - length : 0;

	if (!is_text)
		sprof_out_fill(out, ' ', blanks);
	sprof_out_puts(out, text);
	if (is_text)
		sprof_out_fill(out, ' ', blanks);
	return length + blanks;
}

static bool write_cell(const struct sprof_table *table, const struct shape *shape, size_t column,
	const char *text, struct sprof_out *out)
{
	const bool is_text = table->columns[column].is_text, last = is_last(table, shape, column);
	SPROF_AUTO_FREE char *fitted = sprof_fit(text, larger(shape->widths[column], 5));

	if (!fitted)
		return false;
	put_padded(out, fitted, is_text && last ? 0 : shape->widths[column], is_text);
	sprof_out_puts(out, last ? "\n" : "  ");
	return true;
}

static bool write_rows(const struct sprof_table *table, size_t width, struct sprof_out *out)
{
	struct shape shape;

	measure(table, &shape);
	if (width)
		fit(table, width, &shape);
	for (size_t i = 0; i < table->column_count; i++) {
		if (shape.widths[i] && !write_cell(table, &shape, i, table->columns[i].title, out))
			return false;
	}
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;

		if (shape.widths[column] &&
			!write_cell(table, &shape, column, table->cells[i], out))
			return false;
	}
	return true;
}

bool sprof_table_write(struct sprof_table *table, size_t width, struct sprof_out *out)
{
	const bool done = !table->out_of_memory && write_rows(table, width, out);

	sprof_table_finish(table);
	return done;
}

void sprof_row_text(struct sprof_row *row, const char *title, int width, const char *text)
{
	if (row->length) {
		sprof_out_puts(row->out, " ");
		row->length++;
	}
	row->length += put_padded(row->out, row->is_head ? title : text,
		(size_t)(width < 0 ? -width : width), width < 0);
}

void sprof_row_count(struct sprof_row *row, const char *title, int width, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	sprof_row_text(row, title, width, text);
}

void sprof_row_percent(struct sprof_row *row, const char *title, int width, double percent)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", percent);
	sprof_row_text(row, title, width, text);
}

void sprof_row_time(struct sprof_row *row, const char *title, int width, uint64_t ns)
{
	sprof_row_text(row, title, width, sprof_figure_time(ns).text);
}

void sprof_row_gap(struct sprof_row *row, size_t blanks, const char *title)
{
	sprof_out_fill(row->out, ' ', blanks);
	row->length += blanks;
	if (row->is_head)
		sprof_out_printf(row->out, "%s\n", title);
}
