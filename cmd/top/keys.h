/* The keys of sprof top: one table, also used for the help page. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Keys without a character. */
enum {
	SPROF_TOP_KEY_ENTER = '\r',
	SPROF_TOP_KEY_TAB = '\t',
	SPROF_TOP_KEY_ESCAPE = 27,
	SPROF_TOP_KEY_INTERRUPT = 3, /* Ctrl-C */
	SPROF_TOP_KEY_UP = 0x110000, /* after the last Unicode character */
	SPROF_TOP_KEY_DOWN,
	SPROF_TOP_KEY_LEFT,
	SPROF_TOP_KEY_RIGHT,
	SPROF_TOP_KEY_PAGE_UP,
	SPROF_TOP_KEY_PAGE_DOWN,
	SPROF_TOP_KEY_HOME,
	SPROF_TOP_KEY_END,
	SPROF_TOP_KEY_BACKSPACE,
};

enum sprof_top_action {
	SPROF_TOP_NOTHING,
	SPROF_TOP_TO_FUNCTIONS,
	SPROF_TOP_TO_THREADS,
	SPROF_TOP_TO_WAITS,
	SPROF_TOP_TO_TREE,
	SPROF_TOP_TO_STACK,
	SPROF_TOP_NEXT_VIEW,
	SPROF_TOP_UP,
	SPROF_TOP_DOWN,
	SPROF_TOP_PAGE_UP,
	SPROF_TOP_PAGE_DOWN,
	SPROF_TOP_FIRST,
	SPROF_TOP_BOTTOM,
	SPROF_TOP_OPEN,
	SPROF_TOP_UNFOLD,
	SPROF_TOP_FOLD,
	SPROF_TOP_UNFOLD_ALL,
	SPROF_TOP_FOLD_ALL,
	SPROF_TOP_SORT_NEXT,
	SPROF_TOP_REVERSE,
	SPROF_TOP_FILTER,
	SPROF_TOP_WINDOW,
	SPROF_TOP_FREEZE,
	SPROF_TOP_PAUSE,
	SPROF_TOP_SAVE,
	SPROF_TOP_HELP,
	SPROF_TOP_BACK,
	SPROF_TOP_QUIT,
};

/* NOTHING: the key has no meaning. */
enum sprof_top_action sprof_top_action_of(int key);

/* Writes a line of the help page, from 0; returns false after the last. */
bool sprof_top_help_line(size_t number, char *buffer, size_t size);
