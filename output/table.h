/*
 * Text tables: each column is as wide as its widest cell. If a table exceeds the line width, the
 * least important columns are dropped.
 */
#ifndef SPROF_OUTPUT_TABLE_H
#define SPROF_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"

struct sprof_table_column {
	const char *title;
	bool is_text;        /* left-aligned, and may be truncated */
	unsigned importance; /* columns with the lowest value are dropped first; 0: never dropped */
};

/* Set `columns`; the rest zeroed is empty and valid. */
struct sprof_table {
	const struct sprof_table_column *columns; /* owned by the caller */
	size_t column_count;
	char **cells; /* row by row */
	size_t cell_count, cell_capacity;
	bool out_of_memory;
};

/* Adds the current row's next cell. If out of memory, sprof_table_write() reports it. */
void sprof_table_cell(struct sprof_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Cells with a time in us ("12.345", "1234.5", "123456"; "~12.345"); with a text from the target. */
void sprof_table_us(struct sprof_table *table, double ns);
void sprof_table_about_us(struct sprof_table *table, double ns);
void sprof_table_text(struct sprof_table *table, const char *text);

/* `width` in columns; 0: no limit. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_table_write(
	const struct sprof_table *table, size_t width, struct sprof_out *out);
void sprof_table_finish(struct sprof_table *table);

#endif
