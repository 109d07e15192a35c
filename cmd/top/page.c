/*
 * Combines head, views, table and message line. In the lines of the head, the most important comes
 * first. Does not handle characters that are two columns wide.
 */
#include "cmd/top/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/strings.h"
#include "output/clean.h"
#include "profile/answer/doubts.h"
#include "profile/model/weight.h"

static const char *word_of(const struct sprof_top_head *head)
{
	if (head->end)
		return head->end;
	if (head->state->is_paused)
		return "paused";
	return head->state->is_frozen ? "frozen" : "running";
}

static void put_window(const struct sprof_top_head *head, char *text, size_t size)
{
	const double seconds = (double)head->shown->duration_ns / SPROF_NS_PER_S;

	if (head->state->window == SPROF_TOP_ALL)
		snprintf(text, size, "%s %.0f s", head->is_cut ? "the last" : "all", seconds);
	else
		snprintf(text, size, "last %.1f s", seconds);
}

enum { FEW_SAMPLES = 100 };

static uint64_t samples_of(const struct sprof_profile *profile)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		samples += profile->rows[i].metrics.samples;
	return samples;
}

/* How many threads were in a class, on average. */
static double threads_in(const struct sprof_top_head *head, const struct sprof_times *times,
	enum sprof_weight weight)
{
	return sprof_top_percent(head->shown, sprof_times_get(times, weight)) / 100;
}

static void put_times(const struct sprof_top_head *head, char *text, size_t size)
{
	const struct sprof_times times = sprof_profile_sum(head->shown->profile).times;

	snprintf(text, size,
		"wall %.2f = user %.2f + sys %.2f + runq %.2f + wait %.2f   %zu thread%s",
		threads_in(head, &times, SPROF_WEIGHT_WALL),
		threads_in(head, &times, SPROF_WEIGHT_USER),
		threads_in(head, &times, SPROF_WEIGHT_SYS),
		threads_in(head, &times, SPROF_WEIGHT_RUNQ),
		threads_in(head, &times, SPROF_WEIGHT_WAIT), head->shown->latest->thread_count,
		sprof_string_plural(head->shown->latest->thread_count));
}

/* That there are few samples: by how much a share of 10 % may be off. */
static void put_doubt(const struct sprof_top_head *head, char *text, size_t size)
{
	const uint64_t samples = samples_of(head->shown->profile);

	if (samples && samples < FEW_SAMPLES)
		snprintf(text, size, ", only %" PRIu64 " sample%s (±%.0f points)", samples,
			sprof_string_plural(samples), sprof_doubts_uncertainty((double)samples));
}

static void put_quality(const struct sprof_top_head *head, char *text, size_t size)
{
	const struct sprof_quality *quality = &head->shown->profile->quality;
	uint64_t stacks = 0;

	for (int i = 0; i < SPROF_END_COUNT; i++)
		stacks += quality->stacks[i];
	snprintf(text, size,
		"%.1f samples/s, %.1f %% of stacks whole, stopped %.2f %%, sprof %.1f %% of a CPU",
		(double)quality->ticks * SPROF_NS_PER_S /
			(double)(head->shown->duration_ns + !head->shown->duration_ns),
		stacks ? sprof_percent(quality->stacks[SPROF_END_ROOT], stacks) : 100.0,
		sprof_top_percent(head->shown, quality->stop_ns_total),
		sprof_top_percent(head->shown, quality->profiler_cpu_ns));
}

static void head_lines(
	const struct sprof_top_head *head, char lines[SPROF_TOP_HEAD_LINES][SPROF_TOP_HEAD_SIZE])
{
	char window[64] = "", doubt[64] = "", command[SPROF_TOP_HEAD_SIZE / 2];

	if (head->shown) {
		put_window(head, window, sizeof(window));
		put_doubt(head, doubt, sizeof(doubt));
	}
	sprof_clean_copy(head->command, command, sizeof(command));
	snprintf(lines[0], SPROF_TOP_HEAD_SIZE, "%s%s%s%s: %s", word_of(head),
		window[0] ? ", " : "", window, doubt, command);
	lines[1][0] = lines[2][0] = '\0';
	if (!head->shown)
		return;
	put_times(head, lines[1], SPROF_TOP_HEAD_SIZE);
	put_quality(head, lines[2], SPROF_TOP_HEAD_SIZE);
}

enum {
	/* How many rows there must be for the head, a short one, a line of views, titles. */
	ROWS_FOR_HEAD = 12,
	ROWS_FOR_SHORT_HEAD = 7,
	ROWS_FOR_TABS = 5,
	ROWS_FOR_TITLES = 3,
	TABS_WIDTH = 48, /* of the names of all views */
	TABS_SIZE = 512,
};

struct sprof_top_page sprof_top_page_plan(size_t rows, size_t columns)
{
	struct sprof_top_page page = {
		.rows = rows, .columns = columns, .tabs_row = rows, .titles_row = rows};

	if (rows >= ROWS_FOR_HEAD)
		page.head_rows = SPROF_TOP_HEAD_LINES;
	else if (rows >= ROWS_FOR_SHORT_HEAD)
		page.head_rows = 2;
	page.first_row = page.head_rows;
	if (rows >= ROWS_FOR_TABS)
		page.tabs_row = page.first_row++;
	if (rows >= ROWS_FOR_TITLES)
		page.titles_row = page.first_row++;
	page.table_rows = rows > page.first_row + 1 ? rows - page.first_row - 1 : 0;
	return page;
}

static const char *thread_name(const struct sprof_top_contents *contents)
{
	const struct sprof_top_shown *shown = contents->head.shown;
	const uint32_t thread = shown
		? sprof_top_find_thread(shown->latest, contents->head.state->thread)
		: SPROF_PROFILE_NONE;

	return thread == SPROF_PROFILE_NONE ? "ended" : shown->latest->threads[thread].name;
}

/* Writes what the table is filtered and sorted by. */
static void put_choice(const struct sprof_top_contents *contents, char *text, size_t size)
{
	const struct sprof_top_state *state = contents->head.state;
	const struct sprof_top_place *place = &state->places[state->view];
	const struct sprof_top_table *table = contents->table;
	size_t used = 0;

	text[0] = '\0';
	if (state->view == SPROF_TOP_STACK && state->thread)
		used = (size_t)snprintf(text, size, "  thread %u (%s)", (unsigned)state->thread,
			thread_name(contents));
	else if (!table->keeps_order && place->column < table->column_count)
		used = (size_t)snprintf(text, size, "  by %s%s",
			table->columns[place->column].title, place->reversed ? ", reversed" : "");
	if (state->filter[0] && used < size)
		snprintf(text + used, size - used, "  /%s/", state->filter);
}

/* "[1 functions] 2 threads ..."; a narrow one has only the number of the others. */
static size_t put_tab(const struct sprof_top_page *page, const struct sprof_top_state *state,
	enum sprof_top_view view, char *text, size_t size)
{
	const bool is_current = view == state->view;
	const bool is_named = is_current || page->columns >= TABS_WIDTH;

	return (size_t)snprintf(text, size, "%s%d%s%s%s", is_current ? "[" : " ", (int)view + 1,
		is_named ? " " : "", is_named ? sprof_top_view_name(view) : "",
		is_current ? "]" : " ");
}

static char *tabs_line(const struct sprof_top_page *page, const struct sprof_top_contents *contents)
{
	char tabs[TABS_SIZE], choice[TABS_SIZE];
	size_t used = 0;

	for (int i = 0; i < SPROF_TOP_VIEWS; i++)
		used += put_tab(page, contents->head.state, (enum sprof_top_view)i, tabs + used,
			sizeof(tabs) - used);
	put_choice(contents, choice, sizeof(choice));
	return sprof_string_print("%s%s", tabs, choice);
}

static char *bottom_line(const struct sprof_top_contents *contents)
{
	const struct sprof_top_state *state = contents->head.state;

	if (state->prompt == SPROF_TOP_ASKS_FILTER)
		return sprof_string_print("lines that match: %s_", state->typed);
	if (state->prompt == SPROF_TOP_ASKS_FILE)
		return sprof_string_print("save to: %s_%s", state->typed,
			state->is_proposal
				? "   (Enter: this file; or type another: .html, .txt, .svg, .json)"
				: "");
	return strdup(state->message[0] ? state->message : "? help   q leave");
}

static char *help_line(const struct sprof_top_state *state, size_t row, enum sprof_top_style *style)
{
	char line[256] = "";

	if (!row) {
		*style = SPROF_TOP_REVERSED;
		return strdup("sprof top: keys   (Esc: back)");
	}
	sprof_top_help_line(state->help_first + row - 1, line, sizeof(line));
	return strdup(line);
}

static char *table_line(
	const struct sprof_top_contents *contents, size_t row, enum sprof_top_style *style)
{
	const struct sprof_top_state *state = contents->head.state;
	const struct sprof_top_place *place = &state->places[state->view];
	const size_t at = place->first + row;

	if (at >= contents->table->count)
		return strdup("");
	if (at == place->at)
		*style = SPROF_TOP_CHOSEN;
	return sprof_top_table_line(contents->table, &contents->layout, &contents->table->rows[at]);
}

char *sprof_top_page_line(const struct sprof_top_page *page,
	const struct sprof_top_contents *contents, size_t row, enum sprof_top_style *ret_style)
{
	char lines[SPROF_TOP_HEAD_LINES][SPROF_TOP_HEAD_SIZE];

	*ret_style = SPROF_TOP_PLAIN;
	if (contents->head.state->shows_help)
		return help_line(contents->head.state, row, ret_style);
	if (row + 1 == page->rows)
		return bottom_line(contents);
	if (row < page->head_rows) {
		head_lines(&contents->head, lines);
		*ret_style = row ? SPROF_TOP_PLAIN : SPROF_TOP_BOLD;
		return strdup(lines[row]);
	}
	if (row == page->tabs_row)
		return tabs_line(page, contents);
	if (row != page->titles_row)
		return table_line(contents, row - page->first_row, ret_style);
	*ret_style = SPROF_TOP_REVERSED;
	return sprof_top_table_head(contents->table, &contents->layout);
}

/* The view with its name at this column; the number of views: none. */
static int tab_at(
	const struct sprof_top_page *page, const struct sprof_top_state *state, size_t column)
{
	char tab[TABS_SIZE];
	size_t end = 0;

	for (int i = 0; i < SPROF_TOP_VIEWS; i++) {
		end += put_tab(page, state, (enum sprof_top_view)i, tab, sizeof(tab));
		if (column < end)
			return i;
	}
	return SPROF_TOP_VIEWS;
}

bool sprof_top_page_click(const struct sprof_top_page *page, struct sprof_top_state *state,
	const struct sprof_top_contents *contents, size_t row, size_t column)
{
	const struct sprof_top_table *table = contents->table;
	size_t title;
	int tab;

	if (state->shows_help || state->prompt)
		return true;
	if (row == page->tabs_row) {
		tab = tab_at(page, state, column);
		return tab == SPROF_TOP_VIEWS || sprof_top_state_key(state, table, '1' + tab);
	}
	if (row == page->titles_row) {
		title = sprof_top_table_column_at(table, &contents->layout, column);
		if (title < table->column_count)
			sprof_top_state_sort(state, table, title);
	} else if (row >= page->first_row && row < page->first_row + page->table_rows) {
		sprof_top_state_select(
			state, table, state->places[state->view].first + row - page->first_row);
	}
	return true;
}
