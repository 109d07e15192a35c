/*
 * A table of the live view: rows of figures and texts, sorted, filtered and made into lines. Knows no
 * terminal.
 */
#ifndef SPROF_CMD_TOP_TABLE_H
#define SPROF_CMD_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/strtab.h"

enum { SPROF_TOP_CELLS = 10 };

enum sprof_top_kind {
	SPROF_TOP_TEXT,
	SPROF_TOP_FUNCTION, /* the name of one */
	SPROF_TOP_PERCENT,  /* of the time of one thread */
	SPROF_TOP_COUNT,
};

struct sprof_top_column {
	const char *title;
	enum sprof_top_kind kind;
	unsigned width;      /* of a text; 0: all that is left, of the last column only */
	unsigned importance; /* on a narrow terminal the lowest goes first; 0: the column stays */
};

struct sprof_top_cell {
	double number;
	const char *text; /* lives as long as the table or the profile */
};

struct sprof_top_row {
	uint64_t id;    /* the same thing has the same one after the next refresh */
	uint32_t depth; /* in a tree */
	char mark;      /* in front of the last text: '+' folded, '-' unfolded; 0: none */
	struct sprof_top_cell cells[SPROF_TOP_CELLS];
};

/* Zeroed is empty and valid. */
struct sprof_top_table {
	const struct sprof_top_column *columns;
	size_t column_count;
	bool short_names; /* of functions */
	bool keeps_order; /* neither sorted nor, except with the rows above, filtered */
	struct sprof_top_row *rows;
	size_t count, capacity;
	struct sprof_strtab *texts;
	bool out_of_memory;
};

/* Where each column is. */
struct sprof_top_layout {
	size_t start[SPROF_TOP_CELLS];
	size_t width[SPROF_TOP_CELLS]; /* 0: not shown */
};

/* A new row; NULL: no memory, and the table is marked. */
struct sprof_top_row *sprof_top_table_add(struct sprof_top_table *table);

/* A text of the table's own. Lack of memory marks the table. */
const char *sprof_top_table_text(struct sprof_top_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void sprof_top_table_finish(struct sprof_top_table *table);

/* Figures fall and texts rise, or the other way round. Rows that are equal in it have one order, too. */
void sprof_top_table_sort(struct sprof_top_table *table, size_t column, bool reversed);

/*
 * Leaves the rows with a text that the pattern matches, whatever the case; in a tree also the rows
 * above them. False: it is no pattern (kind USAGE).
 */
SPROF_MUST_USE bool sprof_top_table_filter(
	struct sprof_top_table *table, const char *pattern, struct sprof_error *err);

/* Leaves out columns until the rest fits into a line of that many characters. */
struct sprof_top_layout sprof_top_table_layout(const struct sprof_top_table *table, size_t width);

/* The titles, and a row, as a line to be freed. NULL: no memory. */
char *sprof_top_table_head(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout);
char *sprof_top_table_line(const struct sprof_top_table *table,
	const struct sprof_top_layout *layout, const struct sprof_top_row *row);

/* The column at that place of a line; the count of columns: none. */
size_t sprof_top_table_column_at(
	const struct sprof_top_table *table, const struct sprof_top_layout *layout, size_t place);

#endif
