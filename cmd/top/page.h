/* The layout of sprof top's screen as lines of text. Independent of the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cmd/top/state.h"
#include "output/top/table.h"

/* The lines above the table: the target, where its time goes, and the accuracy of the figures. */
enum { SPROF_TOP_HEAD_LINES = 3, SPROF_TOP_HEAD_SIZE = 512 };

struct sprof_top_head {
	const char *command; /* of the target */
	const char *end;     /* how the run ended; NULL: running */
	const struct sprof_top_state *state;
	const struct sprof_top_shown *shown; /* NULL: no figures yet */
	/* figures don't cover the whole time since the start */
	bool is_cut;
};

enum sprof_top_style {
	SPROF_TOP_PLAIN,
	SPROF_TOP_BOLD,
	SPROF_TOP_REVERSED, /* titles */
	SPROF_TOP_CHOSEN,   /* the selected row */
};

/* A small terminal has fewer lines above the table. */
struct sprof_top_page {
	size_t rows, columns;
	size_t head_rows;
	size_t tabs_row, titles_row; /* equal to rows: none */
	size_t first_row, table_rows;
};

struct sprof_top_contents {
	struct sprof_top_head head;
	const struct sprof_top_table *table;
	struct sprof_top_layout layout;
};

struct sprof_top_page sprof_top_page_plan(size_t rows, size_t columns);

/*
 * A row of the screen, to be freed; may be longer than the screen's width. Returns NULL if out of
 * memory.
 */
char *sprof_top_page_line(const struct sprof_top_page *page,
	const struct sprof_top_contents *contents, size_t row, enum sprof_top_style *ret_style);

/* Handles a click, which changes the state as keys do. Returns false if out of memory. */
bool sprof_top_page_click(const struct sprof_top_page *page, struct sprof_top_state *state,
	const struct sprof_top_contents *contents, size_t row, size_t column);
