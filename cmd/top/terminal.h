/*
 * The terminal of sprof top: output of lines, input of keys and clicks. The only part that uses
 * ncurses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top/page.h"

struct sprof_top_terminal;

/* A key, or a click if there is no key. */
struct sprof_top_input {
	int key; /* see keys.h; 0: a click */
	size_t row, column;
	bool is_double; /* two clicks read at once */
};

/* Checks that the terminal can be drawn on, before the run begins. */
SPROF_MUST_USE bool sprof_top_terminal_check(struct sprof_error *err);

/* Takes over the terminal, for use by the calling thread only. */
SPROF_MUST_USE bool sprof_top_terminal_open(
	struct sprof_top_terminal **ret, struct sprof_error *err);
/* Restores the terminal. NULL is accepted. */
void sprof_top_terminal_close(struct sprof_top_terminal *terminal);

/* Readable when there is input. */
int sprof_top_terminal_fd(const struct sprof_top_terminal *terminal);
/* Reads the next input. Returns false if there is none. */
bool sprof_top_terminal_read(struct sprof_top_terminal *terminal, struct sprof_top_input *ret);

/* Call it when the size may have changed. */
void sprof_top_terminal_resize(struct sprof_top_terminal *terminal);
void sprof_top_terminal_size(
	const struct sprof_top_terminal *terminal, size_t *ret_rows, size_t *ret_columns);

/* Writes a line from its first column on, truncated to the width. Appears with the flush. */
void sprof_top_terminal_put(struct sprof_top_terminal *terminal, size_t row, const char *text,
	enum sprof_top_style style);
void sprof_top_terminal_flush(struct sprof_top_terminal *terminal);
