/*
 * Tables of text: each column is as wide as its widest cell. If a table is wider than its line, the
 * least important columns are left out.
 */
#ifndef SPROF_OUTPUT_TABLE_H
#define SPROF_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"

struct sprof_table_column {
	const char *title;
	bool is_text;        /* at the left of its column, and may be shortened */
	unsigned importance; /* the lowest goes first; 0: the column always stays */
};

/* Zeroed with its columns is empty and valid. */
struct sprof_table {
	const struct sprof_table_column *columns; /* of the caller */
	size_t column_count;
	char **cells; /* row by row */
	size_t cell_count, cell_capacity;
	bool out_of_memory;
};

/* The next cell of the present row. Lack of memory is reported by sprof_table_write(). */
void sprof_table_cell(struct sprof_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Cells with a time in us: "12.345", "1234.5", "123456"; "~12.345"; and text from the target. */
void sprof_table_us(struct sprof_table *table, double ns);
void sprof_table_about_us(struct sprof_table *table, double ns);
void sprof_table_text(struct sprof_table *table, const char *text);

/* `width` in columns; 0: any. False: no memory. */
SPROF_MUST_USE bool sprof_table_write(
	const struct sprof_table *table, size_t width, struct sprof_out *out);
void sprof_table_finish(struct sprof_table *table);

#endif
