/*
 * cmd/top-state and cmd/top-keys: what keys do, and that `?` names each of them.
 */
#include "cmd/top/state.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

static const struct sprof_top_column columns[] = {
	{"TID", SPROF_TOP_COUNT, 0, 0},
	{"CPU%", SPROF_TOP_PERCENT, 0, 0},
	{"THREAD", SPROF_TOP_TEXT, 0, 0},
};

enum { ROWS = 30 };

static struct sprof_top_table make_table(void)
{
	struct sprof_top_table table = {.columns = columns, .column_count = 3};

	for (uint64_t i = 0; i < ROWS; i++)
		sprof_top_table_add(&table)->id = 1000 + i;
	return table;
}

static void press(struct sprof_top_state *state, const struct sprof_top_table *table, int key)
{
	assert_true(sprof_top_state_key(state, table, key));
}

static void type(
	struct sprof_top_state *state, const struct sprof_top_table *table, const char *text)
{
	for (; *text; text++)
		press(state, table, (unsigned char)*text);
}

static void moving_scrolls(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = make_table();
	const struct sprof_top_place *place = &state.places[SPROF_TOP_FUNCTIONS];

	state.page = 10;
	press(&state, &table, SPROF_TOP_KEY_UP);
	assert_int_equal(place->at, 0);
	press(&state, &table, SPROF_TOP_KEY_PAGE_DOWN);
	press(&state, &table, 'j');
	assert_int_equal(place->at, 11);
	assert_int_equal(place->first, 2);
	assert_int_equal(place->selected, 1011);
	press(&state, &table, 'G');
	assert_int_equal(place->at, ROWS - 1);
	assert_int_equal(place->first, ROWS - 10);
	press(&state, &table, SPROF_TOP_KEY_DOWN);
	assert_int_equal(place->at, ROWS - 1);
	press(&state, &table, 'g');
	assert_int_equal(place->at + place->first, 0);
	sprof_top_table_finish(&table);
	press(&state, &table, 'G');
	assert_int_equal(place->at, 0);
	sprof_top_state_finish(&state);
}

static void columns_are_chosen_in_turns(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = make_table();
	const struct sprof_top_place *place = &state.places[SPROF_TOP_FUNCTIONS];

	press(&state, &table, 'o');
	assert_int_equal(place->column, 1);
	press(&state, &table, 'r');
	assert_true(place->reversed);
	press(&state, &table, 'o');
	press(&state, &table, 'o');
	assert_int_equal(place->column, 0);
	assert_false(place->reversed);
	sprof_top_state_sort(&state, &table, 0);
	assert_true(place->reversed);
	table.keeps_order = true;
	press(&state, &table, 'o');
	assert_int_equal(place->column, 0);
	assert_non_null(strstr(state.message, "a fixed order"));
	sprof_top_table_finish(&table);
	sprof_top_state_finish(&state);
}

static void prompts_take_text(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = make_table();

	type(&state, &table, "/qx");
	press(&state, &table, 0xc3);
	press(&state, &table, 0xa4);
	press(&state, &table, SPROF_TOP_KEY_BACKSPACE);
	press(&state, &table, SPROF_TOP_KEY_BACKSPACE);
	press(&state, &table, SPROF_TOP_KEY_ENTER);
	assert_string_equal(state.filter, "q");
	assert_false(state.quits);
	type(&state, &table, "/(\r");
	assert_string_equal(state.filter, "q");
	assert_non_null(strstr(state.message, "not a pattern"));
	press(&state, &table, SPROF_TOP_KEY_ESCAPE);
	assert_string_equal(state.filter, "");
	press(&state, &table, 's');
	press(&state, &table, SPROF_TOP_KEY_ESCAPE);
	assert_false(state.saves);
	press(&state, &table, 's');
	strcpy(state.typed, "app.pb.gz");
	press(&state, &table, '\r');
	assert_true(state.saves);
	assert_string_equal(state.typed, "app.pb.gz");
	/* What is typed takes the place of the proposal; a key that edits keeps it. */
	press(&state, &table, 's');
	strcpy(state.typed, "app.pb.gz");
	type(&state, &table, "x.html");
	assert_string_equal(state.typed, "x.html");
	press(&state, &table, SPROF_TOP_KEY_ESCAPE);
	press(&state, &table, 's');
	strcpy(state.typed, "app.pb.gz");
	press(&state, &table, SPROF_TOP_KEY_BACKSPACE);
	press(&state, &table, 'x');
	assert_string_equal(state.typed, "app.pb.gx");
	press(&state, &table, SPROF_TOP_KEY_ESCAPE);
	press(&state, &table, '/');
	for (int i = 0; i < 2 * SPROF_TOP_TYPED; i++)
		press(&state, &table, 'a');
	assert_int_equal(strlen(state.typed), SPROF_TOP_TYPED - 1);
	sprof_top_table_finish(&table);
	sprof_top_state_finish(&state);
}

static void branches_fold_by_their_id(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = make_table();

	press(&state, &table, '-');
	assert_non_null(strstr(state.message, "only the call tree"));
	press(&state, &table, '4');
	press(&state, &table, '-');
	assert_non_null(strstr(state.message, "nothing is called"));
	table.rows[0].mark = '-';
	press(&state, &table, '+');
	assert_int_equal(state.folds.count, 0);
	press(&state, &table, '-');
	assert_int_equal(state.folds.count, 1);
	assert_int_equal(state.folds.toggled[0], 1000);
	press(&state, &table, SPROF_TOP_KEY_ENTER);
	assert_int_equal(state.folds.count, 0);
	press(&state, &table, 'e');
	assert_int_equal(state.folds.open_depth, UINT32_MAX);
	press(&state, &table, 'c');
	assert_int_equal(state.folds.open_depth, 0);
	sprof_top_table_finish(&table);
	sprof_top_state_finish(&state);
}

static void a_thread_has_a_stack(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = make_table();

	type(&state, &table, "2j\r");
	assert_int_equal(state.view, SPROF_TOP_STACK);
	assert_int_equal(state.thread, 1001);
	press(&state, &table, SPROF_TOP_KEY_ESCAPE);
	assert_int_equal(state.view, SPROF_TOP_THREADS);
	sprof_top_table_finish(&table);
	sprof_top_state_finish(&state);
}

/* Whether a line of `?` has the character as a word before the words about it. */
static bool help_has(char key)
{
	char line[256], keys[17], word[2] = {key, '\0'};

	for (size_t i = 0; sprof_top_help_line(i, line, sizeof(line)); i++) {
		if (!strncmp(line, "Mouse", 5) || !strncmp(line, "100 %", 5))
			continue;
		snprintf(keys, sizeof(keys), "%.16s", line);
		for (char *at = strtok(keys, " ,"); at; at = strtok(NULL, " ,")) {
			if (!strcmp(at, word))
				return true;
		}
	}
	return false;
}

static void help_names_every_key(void **unused)
{
	char line[256];
	size_t lines = 0;

	for (char key = '!'; key <= '~'; key++)
		assert_int_equal(sprof_top_action_of(key) != SPROF_TOP_NOTHING, help_has(key));
	for (; sprof_top_help_line(lines, line, sizeof(line)); lines++)
		assert_true(strlen(line) < 80);
	assert_true(lines < 24);
	assert_int_equal(sprof_top_action_of(0), SPROF_TOP_NOTHING);
}

TEST_MAIN("top-state")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moving_scrolls),
		cmocka_unit_test(columns_are_chosen_in_turns),
		cmocka_unit_test(prompts_take_text),
		cmocka_unit_test(branches_fold_by_their_id),
		cmocka_unit_test(a_thread_has_a_stack),
		cmocka_unit_test(help_names_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
