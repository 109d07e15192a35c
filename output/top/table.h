/*
 * A table of the live view: rows of figures and texts, sorted, filtered and formatted. Independent
 * of the terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/strtab.h"
#include "output/briefs.h"

enum { SPROF_TOP_CELLS = 10 };

enum sprof_top_kind {
	SPROF_TOP_TEXT,
	SPROF_TOP_FUNCTION, /* the name of a function */
	SPROF_TOP_PERCENT,  /* of the time of one thread */
	SPROF_TOP_COUNT,
};

struct sprof_top_column {
	const char *title;
	enum sprof_top_kind kind;
	unsigned width;      /* of a text column; 0: the rest of the line, last column only */
	unsigned importance; /* columns with the lowest value are dropped first; 0: never dropped */
};

struct sprof_top_cell {
	double number;
	const char *text; /* valid as long as the table or the profile */
};

struct sprof_top_row {
	uint64_t id;    /* identifies the same thing after a refresh */
	uint32_t depth; /* in a tree */
	char mark;      /* before the last text: '+' folded, '-' unfolded; 0: none */
	bool is_last;   /* below the others, however they are sorted */
	struct sprof_top_cell cells[SPROF_TOP_CELLS];
};

/* Zeroed is empty and valid. */
struct sprof_top_table {
	const struct sprof_top_column *columns;
	size_t column_count;
	struct sprof_briefs *briefs; /* short names of functions, owned; NULL: whole names */
	bool keeps_order;            /* don't sort; when filtering, keep the rows above a match */
	struct sprof_top_row *rows;
	size_t count, capacity;
	struct sprof_strtab *texts;
	bool out_of_memory;
};

/* The position of each column. */
struct sprof_top_layout {
	size_t start[SPROF_TOP_CELLS];
	size_t width[SPROF_TOP_CELLS]; /* 0: not shown */
};

/* Appends a row. Returns NULL, and marks the table, if out of memory. */
struct sprof_top_row *sprof_top_table_add(struct sprof_top_table *table);

/* Formats a text owned by the table. Marks the table if out of memory. */
const char *sprof_top_table_text(struct sprof_top_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void sprof_top_table_finish(struct sprof_top_table *table);

/*
 * Figures descending and texts ascending, or the reverse. Rows with equal values have a stable
 * order.
 */
void sprof_top_table_sort(struct sprof_top_table *table, size_t column, bool reversed);

/*
 * Keeps the rows with a text that matches the pattern, ignoring case; in a tree also the rows above
 * them. Returns false if the pattern is invalid (kind USAGE).
 */
SPROF_MUST_USE bool sprof_top_table_filter(
	struct sprof_top_table *table, const char *pattern, struct sprof_error *err);

/* Drops columns until the rest fits into `width` characters. */
struct sprof_top_layout sprof_top_table_layout(const struct sprof_top_table *table, size_t width);

/* The titles, and a row, as lines to be freed. Return NULL if out of memory. */
char *sprof_top_table_head(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout);
char *sprof_top_table_line(const struct sprof_top_table *table,
	const struct sprof_top_layout *layout, const struct sprof_top_row *row);

/* The column at a position of the line; the number of columns: none. */
size_t sprof_top_table_column_at(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout, size_t place);
