/* The meaning of keys. state.c carries out the actions. */
#include "cmd/top/keys.h"

#include <stdio.h>

enum { KEYS_PER_ROW = 5 };

static const struct row {
	const char *keys; /* as `?` names them; NULL ends the table */
	const char *what;
	struct {
		int key; /* 0: no more */
		enum sprof_top_action action;
	} bound[KEYS_PER_ROW];
} rows[] = {
	{"1 2 3 4 5", "functions, threads, waits, call tree, one thread's stack",
		{{'1', SPROF_TOP_TO_FUNCTIONS}, {'2', SPROF_TOP_TO_THREADS},
			{'3', SPROF_TOP_TO_WAITS}, {'4', SPROF_TOP_TO_TREE},
			{'5', SPROF_TOP_TO_STACK}}},
	{"Tab", "the next view", {{SPROF_TOP_KEY_TAB, SPROF_TOP_NEXT_VIEW}}},
	{"Up Down, k j", "choose a line",
		{{SPROF_TOP_KEY_UP, SPROF_TOP_UP}, {SPROF_TOP_KEY_DOWN, SPROF_TOP_DOWN},
			{'k', SPROF_TOP_UP}, {'j', SPROF_TOP_DOWN}}},
	{"PgUp PgDn", "a page up or down",
		{{SPROF_TOP_KEY_PAGE_UP, SPROF_TOP_PAGE_UP},
			{SPROF_TOP_KEY_PAGE_DOWN, SPROF_TOP_PAGE_DOWN}}},
	{"Home End, g G", "the first or the last line",
		{{SPROF_TOP_KEY_HOME, SPROF_TOP_FIRST}, {SPROF_TOP_KEY_END, SPROF_TOP_BOTTOM},
			{'g', SPROF_TOP_FIRST}, {'G', SPROF_TOP_BOTTOM}}},
	{"Enter", "open the line: a thread's stack, a branch of the tree",
		{{SPROF_TOP_KEY_ENTER, SPROF_TOP_OPEN}, {'\n', SPROF_TOP_OPEN}}},
	{"+ -, Right Left", "unfold or fold a branch of the tree",
		{{'+', SPROF_TOP_UNFOLD}, {'-', SPROF_TOP_FOLD},
			{SPROF_TOP_KEY_RIGHT, SPROF_TOP_UNFOLD},
			{SPROF_TOP_KEY_LEFT, SPROF_TOP_FOLD}}},
	{"e c", "unfold or fold the whole tree",
		{{'e', SPROF_TOP_UNFOLD_ALL}, {'c', SPROF_TOP_FOLD_ALL}}},
	{"o", "sort by the next column", {{'o', SPROF_TOP_SORT_NEXT}}},
	{"r", "reverse the order", {{'r', SPROF_TOP_REVERSE}}},
	{"/", "show only lines that match a pattern", {{'/', SPROF_TOP_FILTER}}},
	{"w", "figures of the last period, the last 10 s, or since the start",
		{{'w', SPROF_TOP_WINDOW}}},
	{"Space", "freeze the screen; sampling continues", {{' ', SPROF_TOP_FREEZE}}},
	{"p", "pause sampling; the program continues", {{'p', SPROF_TOP_PAUSE}}},
	{"s", "save the time shown as a profile, in the format of the suffix",
		{{'s', SPROF_TOP_SAVE}}},
	{"? h", "this help", {{'?', SPROF_TOP_HELP}, {'h', SPROF_TOP_HELP}}},
	{"Esc", "back: from the help, a stack, a filter", {{SPROF_TOP_KEY_ESCAPE, SPROF_TOP_BACK}}},
	{"q, Ctrl-C", "quit; the program continues",
		{{'q', SPROF_TOP_QUIT}, {SPROF_TOP_KEY_INTERRUPT, SPROF_TOP_QUIT}}},
	{0},
};

/* Other hints. */
static const char *const further_help[] = {
	"Mouse: click a view, line or title; twice on a line is Enter; the wheel moves",
	"100 % is the whole time of one thread",
};

enum { FURTHER = sizeof(further_help) / sizeof(further_help[0]) };

enum sprof_top_action sprof_top_action_of(int key)
{
	for (const struct row *row = rows; row->keys; row++) {
		for (int i = 0; i < KEYS_PER_ROW && row->bound[i].key; i++) {
			if (row->bound[i].key == key)
				return row->bound[i].action;
		}
	}
	return SPROF_TOP_NOTHING;
}

bool sprof_top_help_line(size_t number, char *buffer, size_t size)
{
	const size_t keys = sizeof(rows) / sizeof(rows[0]) - 1;

	if (number < keys)
		snprintf(buffer, size, "%-16s %s", rows[number].keys, rows[number].what);
	else if (number - keys < FURTHER)
		snprintf(buffer, size, "%s", further_help[number - keys]);
	return number < keys + FURTHER;
}
