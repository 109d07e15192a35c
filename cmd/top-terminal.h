/*
 * The terminal of sprof top: lines out, keys and clicks in. The only part that knows ncurses.
 */
#ifndef SPROF_CMD_TOP_TERMINAL_H
#define SPROF_CMD_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top-page.h"

struct sprof_top_terminal;

/* A key, or a click if there is no key. */
struct sprof_top_input {
	int key; /* as top-keys.h has them; 0: a click */
	size_t row, column;
	bool is_double; /* two clicks that were read at once */
};

/* Whether there is one that can be drawn on, before anything is begun. */
SPROF_MUST_USE bool sprof_top_terminal_check(struct sprof_error *err);

/* Takes the terminal over, for the calling thread alone. */
SPROF_MUST_USE bool sprof_top_terminal_open(
	struct sprof_top_terminal **ret, struct sprof_error *err);
/* Gives it back as it was. NULL is accepted. */
void sprof_top_terminal_close(struct sprof_top_terminal *terminal);

/* Readable when there is input. */
int sprof_top_terminal_fd(const struct sprof_top_terminal *terminal);
/* The next input; false: none waits. */
bool sprof_top_terminal_read(struct sprof_top_terminal *terminal, struct sprof_top_input *ret);

/* The size may have changed. */
void sprof_top_terminal_resize(struct sprof_top_terminal *terminal);
void sprof_top_terminal_size(
	const struct sprof_top_terminal *terminal, size_t *ret_rows, size_t *ret_columns);

/* A line from its first column on; what is too long is cut. Appears with the flush. */
void sprof_top_terminal_put(struct sprof_top_terminal *terminal, size_t row, const char *text,
	enum sprof_top_style style);
void sprof_top_terminal_flush(struct sprof_top_terminal *terminal);

#endif
