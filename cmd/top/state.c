/*
 * The state of sprof top's screen. Slow or fallible actions are only requested here: saving a file,
 * pausing.
 */
#include "cmd/top/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { OPEN_DEPTH = 8, FIRST_CHARACTER = ' ', DELETE = 127 };

static const struct view {
	const char *name;
	bool (*fill)(const struct sprof_top_shown *shown, struct sprof_top_table *table,
		struct sprof_error *err);
} views[SPROF_TOP_VIEWS] = {
	[SPROF_TOP_FUNCTIONS] = {"functions", sprof_top_functions},
	[SPROF_TOP_THREADS] = {"threads", sprof_top_threads},
	[SPROF_TOP_WAITS] = {"waits", sprof_top_waits},
	[SPROF_TOP_TREE] = {"tree", sprof_top_tree},
	[SPROF_TOP_STACK] = {"stack", sprof_top_stack},
};

static const char *const window_names[SPROF_TOP_WINDOWS] = {
	[SPROF_TOP_LAST] = "figures of the last period",
	[SPROF_TOP_RECENT] = "figures of the last 10 s",
	[SPROF_TOP_ALL] = "figures since the start",
};

struct sprof_top_state sprof_top_state_begin(void)
{
	struct sprof_top_state state = {
		.window = SPROF_TOP_RECENT,
		.folds.open_depth = OPEN_DEPTH,
		.page = 1,
	};

	state.places[SPROF_TOP_THREADS].column = 1;
	return state;
}

void sprof_top_state_finish(struct sprof_top_state *state)
{
	free(state->folds.toggled);
	*state = (struct sprof_top_state){0};
}

const char *sprof_top_view_name(enum sprof_top_view view)
{
	return views[view].name;
}

static struct sprof_top_place *place_of(struct sprof_top_state *state)
{
	return &state->places[state->view];
}

/* Scrolls so that the selected row is visible. */
static void scroll(struct sprof_top_state *state, size_t count)
{
	struct sprof_top_place *place = place_of(state);
	const size_t page = state->page ? state->page : 1;

	if (place->at < place->first)
		place->first = place->at;
	if (place->at >= place->first + page)
		place->first = place->at - page + 1;
	if (place->first + page > count)
		place->first = count > page ? count - page : 0;
}

static void move_to(struct sprof_top_state *state, const struct sprof_top_table *table, size_t at)
{
	struct sprof_top_place *place = place_of(state);

	place->at = at < table->count ? at : table->count - !!table->count;
	place->selected = table->count ? table->rows[place->at].id : 0;
	scroll(state, table->count);
}

/* A selection that was never moved stays in the top line, also if another row gets there. */
static void find_selected(struct sprof_top_state *state, const struct sprof_top_table *table)
{
	struct sprof_top_place *place = place_of(state);

	for (size_t i = 0; place->at && i < table->count; i++) {
		if (table->rows[i].id == place->selected) {
			move_to(state, table, i);
			return;
		}
	}
	move_to(state, table, place->at);
}

bool sprof_top_state_table(struct sprof_top_state *state, const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_top_place *place = place_of(state);
	struct sprof_top_shown settled = *shown;

	settled.folds = &state->folds;
	settled.unfolds_all = state->filter[0];
	settled.thread = state->thread;
	if (!views[state->view].fill(&settled, table, err))
		return false;
	if (state->filter[0] && !sprof_top_table_filter(table, state->filter, err))
		return false;
	sprof_top_table_sort(table, place->column, place->reversed);
	find_selected(state, table);
	return true;
}

static void say(struct sprof_top_state *state, const char *message)
{
	snprintf(state->message, sizeof(state->message), "%s", message);
}

static void show(struct sprof_top_state *state, enum sprof_top_view view)
{
	state->view = view;
	state->shows_help = false;
	if (view == SPROF_TOP_STACK && !state->thread)
		say(state, "no thread is chosen: Enter on a line of the threads (2)");
}

/* The selected row, if it can be folded; NULL: it can't, and a message says why. */
static const struct sprof_top_row *branch_of(
	struct sprof_top_state *state, const struct sprof_top_table *table)
{
	const size_t at = place_of(state)->at;

	if (state->view == SPROF_TOP_TREE && at < table->count && table->rows[at].mark &&
		!state->filter[0])
		return &table->rows[at];
	if (state->view != SPROF_TOP_TREE)
		say(state, "only the call tree (4) folds");
	else if (state->filter[0])
		say(state, "with a filter the whole tree is unfolded; Esc drops the filter");
	else
		say(state, "nothing is called here");
	return NULL;
}

static bool toggle(struct sprof_top_folds *folds, uint64_t id)
{
	for (size_t i = 0; i < folds->count; i++) {
		if (folds->toggled[i] == id) {
			folds->toggled[i] = folds->toggled[--folds->count];
			return true;
		}
	}
	return SPROF_ARRAY_APPEND(folds->toggled, folds->count, folds->capacity, id);
}

/* Only a branch with the mark `wanted`; 0: any. */
static bool fold(struct sprof_top_state *state, const struct sprof_top_table *table, char wanted)
{
	const struct sprof_top_row *branch = branch_of(state, table);

	if (!branch || (wanted && branch->mark != wanted))
		return true;
	return toggle(&state->folds, branch->id);
}

static void fold_all(struct sprof_top_state *state, uint32_t open_depth)
{
	if (state->view != SPROF_TOP_TREE)
		say(state, "only the call tree (4) folds");
	state->folds.open_depth = open_depth;
	state->folds.count = 0;
}

static bool open(struct sprof_top_state *state, const struct sprof_top_table *table)
{
	const struct sprof_top_place *place = place_of(state);

	if (state->view == SPROF_TOP_TREE)
		return fold(state, table, 0);
	if (state->view != SPROF_TOP_THREADS || place->at >= table->count) {
		say(state, "Enter opens a thread (2) or a branch of the call tree (4)");
		return true;
	}
	state->thread = table->rows[place->at].id;
	show(state, SPROF_TOP_STACK);
	return true;
}

static void sort_by(struct sprof_top_state *state, const struct sprof_top_table *table,
	size_t column, bool reversed)
{
	struct sprof_top_place *place = place_of(state);

	if (table->keeps_order || column >= table->column_count) {
		say(state, "this view has a fixed order");
		return;
	}
	place->column = column;
	place->reversed = reversed;
	snprintf(state->message, sizeof(state->message), "sorted by %s%s",
		table->columns[column].title, reversed ? ", reversed" : "");
}

void sprof_top_state_sort(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t column)
{
	const struct sprof_top_place *place = place_of(state);

	sort_by(state, table, column, place->column == column && !place->reversed);
}

static void ask(struct sprof_top_state *state, enum sprof_top_prompt prompt, const char *typed)
{
	state->prompt = prompt;
	state->is_proposal = prompt == SPROF_TOP_ASKS_FILE;
	snprintf(state->typed, sizeof(state->typed), "%s", typed);
}

static void go_back(struct sprof_top_state *state)
{
	if (state->shows_help)
		state->shows_help = false;
	else if (state->filter[0])
		state->filter[0] = '\0';
	else if (state->view == SPROF_TOP_STACK)
		show(state, SPROF_TOP_THREADS);
}

static void change_window(struct sprof_top_state *state)
{
	state->window = (state->window + 1) % SPROF_TOP_WINDOWS;
	say(state, window_names[state->window]);
}

static void freeze(struct sprof_top_state *state)
{
	state->is_frozen = !state->is_frozen;
	say(state, state->is_frozen ? "frozen: sampling continues" : "");
}

static void pause_sampling(struct sprof_top_state *state)
{
	state->is_paused = !state->is_paused;
	say(state, state->is_paused ? "paused: nothing is sampled" : "sampling continues");
}

/* Moves in the table, or in the help page while it is shown. */
static void move_by(struct sprof_top_state *state, const struct sprof_top_table *table, long rows)
{
	size_t *from = state->shows_help ? &state->help_first : &place_of(state)->at;
	size_t at = rows < 0 && (size_t)-rows > *from ? 0 : *from + (size_t)rows;

	if (state->shows_help)
		state->help_first = at;
	else
		move_to(state, table, at);
}

static void move(struct sprof_top_state *state, const struct sprof_top_table *table,
	enum sprof_top_action action)
{
	const long page = (long)(state->page ? state->page : 1);
	const long all = (long)table->count + page;
	const long rows[] = {
		[SPROF_TOP_UP] = -1,
		[SPROF_TOP_DOWN] = 1,
		[SPROF_TOP_PAGE_UP] = -page,
		[SPROF_TOP_PAGE_DOWN] = page,
		[SPROF_TOP_FIRST] = -all,
		[SPROF_TOP_BOTTOM] = all,
	};

	move_by(state, table, rows[action]);
}

static void sort_by_next(struct sprof_top_state *state, const struct sprof_top_table *table)
{
	const size_t next = place_of(state)->column + 1;

	sort_by(state, table, next < table->column_count ? next : 0, false);
}

static void reverse(struct sprof_top_state *state, const struct sprof_top_table *table)
{
	const struct sprof_top_place *place = place_of(state);

	sort_by(state, table, place->column, !place->reversed);
}

static void toggle_help(struct sprof_top_state *state)
{
	state->shows_help = !state->shows_help;
	state->help_first = 0;
}

/* Returns false if out of memory. */
static bool act(struct sprof_top_state *state, const struct sprof_top_table *table,
	enum sprof_top_action action)
{
	if (action >= SPROF_TOP_TO_FUNCTIONS && action <= SPROF_TOP_TO_STACK) {
		show(state, (enum sprof_top_view)(action - SPROF_TOP_TO_FUNCTIONS));
		return true;
	}
	if (action >= SPROF_TOP_UP && action <= SPROF_TOP_BOTTOM) {
		move(state, table, action);
		return true;
	}
	switch ((int)action) {
	case SPROF_TOP_NEXT_VIEW:
		show(state, (state->view + 1) % SPROF_TOP_VIEWS);
		break;
	case SPROF_TOP_OPEN:
		return open(state, table);
	case SPROF_TOP_UNFOLD:
		return fold(state, table, '+');
	case SPROF_TOP_FOLD:
		return fold(state, table, '-');
	case SPROF_TOP_UNFOLD_ALL:
		fold_all(state, UINT32_MAX);
		break;
	case SPROF_TOP_FOLD_ALL:
		fold_all(state, 0);
		break;
	case SPROF_TOP_SORT_NEXT:
		sort_by_next(state, table);
		break;
	case SPROF_TOP_REVERSE:
		reverse(state, table);
		break;
	case SPROF_TOP_FILTER:
		ask(state, SPROF_TOP_ASKS_FILTER, state->filter);
		break;
	case SPROF_TOP_WINDOW:
		change_window(state);
		break;
	case SPROF_TOP_FREEZE:
		freeze(state);
		break;
	case SPROF_TOP_PAUSE:
		pause_sampling(state);
		break;
	case SPROF_TOP_SAVE:
		ask(state, SPROF_TOP_ASKS_FILE, "");
		break;
	case SPROF_TOP_HELP:
		toggle_help(state);
		break;
	case SPROF_TOP_BACK:
		go_back(state);
		break;
	case SPROF_TOP_QUIT:
		state->quits = true;
		break;
	default:
		say(state, "this key does nothing; ? lists the keys");
		break;
	}
	return true;
}

/* Whole characters, of several bytes. */
static void erase(char *typed)
{
	size_t length = strlen(typed);

	while (length && ((unsigned char)typed[length - 1] & 0xc0) == 0x80)
		length--;
	typed[length - !!length] = '\0';
}

/* A byte of UTF-8. */
static void type(char *typed, int key)
{
	const size_t length = strlen(typed);

	if (length + 1 >= SPROF_TOP_TYPED)
		return;
	typed[length] = (char)key;
	typed[length + 1] = '\0';
}

static void check_filter(struct sprof_top_state *state)
{
	struct sprof_top_table nothing = {0};
	struct sprof_error err;

	if (sprof_top_table_filter(&nothing, state->typed, &err))
		memcpy(state->filter, state->typed, sizeof(state->filter));
	else
		say(state, err.message);
}

static void answer(struct sprof_top_state *state)
{
	const enum sprof_top_prompt prompt = state->prompt;

	state->prompt = SPROF_TOP_NO_PROMPT;
	if (prompt == SPROF_TOP_ASKS_FILTER)
		check_filter(state);
	else if (state->typed[0])
		state->saves = true;
}

static void edit(struct sprof_top_state *state, int key)
{
	const bool is_character = key >= FIRST_CHARACTER && key < 256 && key != DELETE;

	if (state->is_proposal && is_character)
		state->typed[0] = '\0';
	state->is_proposal = false;
	if (key == SPROF_TOP_KEY_ESCAPE || key == SPROF_TOP_KEY_INTERRUPT)
		state->prompt = SPROF_TOP_NO_PROMPT;
	else if (sprof_top_action_of(key) == SPROF_TOP_OPEN)
		answer(state);
	else if (key == SPROF_TOP_KEY_BACKSPACE || key == DELETE || key == '\b')
		erase(state->typed);
	else if (key == ('u' & 31))
		state->typed[0] = '\0';
	else if (is_character)
		type(state->typed, key);
}

bool sprof_top_state_key(
	struct sprof_top_state *state, const struct sprof_top_table *table, int key)
{
	state->message[0] = '\0';
	if (state->prompt == SPROF_TOP_NO_PROMPT)
		return act(state, table, sprof_top_action_of(key));
	edit(state, key);
	return true;
}

void sprof_top_state_select(
	struct sprof_top_state *state, const struct sprof_top_table *table, size_t row)
{
	state->message[0] = '\0';
	if (row < table->count)
		move_to(state, table, row);
}
