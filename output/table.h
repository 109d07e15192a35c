/*
 * Text tables: each column is as wide as its widest cell. If a table exceeds the line width, the
 * least important columns are dropped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "output/out.h"

struct sprof_table_column {
	const char *title;
	bool is_text;        /* left-aligned, and may be truncated */
	unsigned importance; /* columns with the lowest value are dropped first; 0: never dropped */
};

/* Set `columns` and `column_count`; the rest zeroed is empty and valid. */
struct sprof_table {
	const struct sprof_table_column *columns; /* owned by the caller */
	size_t column_count;
	char **cells; /* row by row */
	size_t cell_count, cell_capacity;
	bool out_of_memory;
};

/* An empty table with the columns of an array. */
#define SPROF_TABLE(array) \
	{ \
		.columns = (array), .column_count = sizeof(array) / sizeof((array)[0]) \
	}

/* Adds the current row's next cell. If out of memory, sprof_table_write() reports it. */
void sprof_table_cell(struct sprof_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A time in us: "12.345", "1234.5", "123456". */
void sprof_table_us(struct sprof_table *table, double ns);
/* The same, marked as estimated: "~12.345". */
void sprof_table_about_us(struct sprof_table *table, double ns);
/* A text from the target. */
void sprof_table_text(struct sprof_table *table, const char *text);

/* `width` in columns; 0: no limit. Finishes the table. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_table_write(
	struct sprof_table *table, size_t width, struct sprof_out *out);
void sprof_table_finish(struct sprof_table *table);

/*
 * A row that is written cell by cell, in columns of fixed width. With `is_head`, the same calls
 * write the titles, so that each column has its title, width and value at one place.
 */
struct sprof_row {
	struct sprof_out *out;
	bool is_head;
	size_t length; /* characters so far */
};

/* A blank precedes each cell but the first. `width`: below 0: left-aligned. */
void sprof_row_text(struct sprof_row *row, const char *title, int width, const char *text);
void sprof_row_count(struct sprof_row *row, const char *title, int width, uint64_t count);
void sprof_row_percent(struct sprof_row *row, const char *title, int width, double percent);
void sprof_row_time(struct sprof_row *row, const char *title, int width, uint64_t ns);
/* Leaves space before the last column; in the head, writes that column's title, too. */
void sprof_row_gap(struct sprof_row *row, size_t blanks, const char *title);
