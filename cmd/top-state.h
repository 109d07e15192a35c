/*
 * What the user of sprof top looks at, and how keys change that. Knows no terminal.
 */
#ifndef SPROF_CMD_TOP_STATE_H
#define SPROF_CMD_TOP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top-history.h"
#include "cmd/top-keys.h"
#include "cmd/top-table.h"
#include "cmd/top-views.h"

enum { SPROF_TOP_TYPED = 256, SPROF_TOP_MESSAGE = 512 };

enum sprof_top_prompt {
	SPROF_TOP_NO_PROMPT,
	SPROF_TOP_ASKS_FILTER,
	SPROF_TOP_ASKS_FILE,
};

/* How far a view is scrolled, and the like. */
struct sprof_top_place {
	size_t column; /* it is sorted by that */
	bool reversed;
	uint64_t selected; /* the row's id */
	size_t at;         /* where that row is */
	size_t first;      /* the row at the top of the screen */
};

struct sprof_top_state {
	enum sprof_top_view view;
	enum sprof_top_window window;
	struct sprof_top_place places[SPROF_TOP_VIEWS];
	struct sprof_top_folds folds;
	uint64_t thread; /* whose stack is shown */
	char filter[SPROF_TOP_TYPED];
	enum sprof_top_prompt prompt;
	char typed[SPROF_TOP_TYPED];
	char message[SPROF_TOP_MESSAGE]; /* what the last key led to; empty: nothing to say */
	bool is_frozen, is_paused, shows_help, quits;
	bool saves; /* the typed file is to be written; the owner resets it */
	size_t help_first;
	size_t page; /* rows that fit on the screen; the owner sets it */
};

struct sprof_top_state sprof_top_state_begin(void);
void sprof_top_state_finish(struct sprof_top_state *state);

/* The title of a view: "functions". */
const char *sprof_top_view_name(enum sprof_top_view view);

/*
 * Fills an empty table with the view's rows, filtered and sorted, and finds the selected row again.
 * The caller finishes it, also after a failure.
 */
SPROF_MUST_USE bool sprof_top_state_table(struct sprof_top_state *state,
	const struct sprof_top_shown *shown, struct sprof_top_table *table,
	struct sprof_error *err);

/* A key, while that table is on the screen. False: no memory. */
bool sprof_top_state_key(
	struct sprof_top_state *state, const struct sprof_top_table *table, int key);

/* The mouse: a row of the table, a column's title. */
void sprof_top_state_select(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t row);
void sprof_top_state_sort(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t column);

#endif
