/* The view of sprof top's user, and how keys change it. Independent of the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top/keys.h"
#include "output/top/table.h"
#include "output/top/views.h"
#include "profile/edit/history.h"

enum { SPROF_TOP_TYPED = 256, SPROF_TOP_MESSAGE = 512 };

enum sprof_top_prompt {
	SPROF_TOP_NO_PROMPT,
	SPROF_TOP_ASKS_FILTER,
	SPROF_TOP_ASKS_FILE,
};

/* Position in a view. */
struct sprof_top_place {
	size_t column; /* sort column */
	bool reversed;
	uint64_t selected; /* id of the selected row */
	size_t at;         /* index of that row */
	size_t first;      /* first visible row */
};

struct sprof_top_state {
	enum sprof_top_view view;
	enum sprof_top_window window;
	struct sprof_top_place places[SPROF_TOP_VIEWS];
	struct sprof_top_folds folds;
	uint64_t thread; /* row id of the thread in the stack view */
	char filter[SPROF_TOP_TYPED];
	enum sprof_top_prompt prompt;
	char typed[SPROF_TOP_TYPED];
	/*
	 * `typed` is a default, which the first character replaces; the owner proposes a file's
	 * name
	 */
	bool is_proposal;
	char message[SPROF_TOP_MESSAGE]; /* result of the last key; empty: none */
	bool is_frozen, is_paused, shows_help, quits;
	bool saves; /* the user has entered a file name to save to; the owner resets it */
	size_t help_first;
	size_t page; /* rows that fit on the screen; set by the owner */
};

struct sprof_top_state sprof_top_state_begin(void);
void sprof_top_state_finish(struct sprof_top_state *state);

/* The title of a view: "functions". */
const char *sprof_top_view_name(enum sprof_top_view view);

/*
 * Fills an empty table with the view's rows, filtered and sorted, and finds the selected row. The
 * caller finishes it, also after a failure.
 */
SPROF_MUST_USE bool sprof_top_state_table(struct sprof_top_state *state,
	const struct sprof_top_shown *shown, struct sprof_top_table *table,
	struct sprof_error *err);

/* Handles a key for the table on the screen. Returns false if out of memory. */
bool sprof_top_state_key(
	struct sprof_top_state *state, const struct sprof_top_table *table, int key);

/* Mouse clicks on a row, and on a column title. */
void sprof_top_state_select(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t row);
void sprof_top_state_sort(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t column);
