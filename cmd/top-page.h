/*
 * The screen of sprof top as lines of text: what stands in which of them. Knows no terminal.
 */
#ifndef SPROF_CMD_TOP_PAGE_H
#define SPROF_CMD_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/top-head.h"
#include "cmd/top-state.h"
#include "cmd/top-table.h"

enum sprof_top_style {
	SPROF_TOP_PLAIN,
	SPROF_TOP_BOLD,
	SPROF_TOP_REVERSED, /* titles */
	SPROF_TOP_CHOSEN,   /* the selected row */
};

/* A small terminal has less above the table. */
struct sprof_top_page {
	size_t rows, columns;
	size_t head_rows;
	size_t tabs_row, titles_row; /* = rows: there is none */
	size_t first_row, table_rows;
};

struct sprof_top_contents {
	struct sprof_top_head head;
	const struct sprof_top_table *table;
	struct sprof_top_layout layout;
};

struct sprof_top_page sprof_top_page_plan(size_t rows, size_t columns);

/* A row of the screen, to be freed; it may be longer than the screen is wide. NULL: no memory. */
char *sprof_top_page_line(const struct sprof_top_page *page,
	const struct sprof_top_contents *contents, size_t row, enum sprof_top_style *ret_style);

/* What a click at that place means. The state changes as by keys. False: no memory. */
bool sprof_top_page_click(const struct sprof_top_page *page, struct sprof_top_state *state,
	const struct sprof_top_contents *contents, size_t row, size_t column);

#endif
