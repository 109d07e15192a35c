/*
 * The lines above the table of sprof top: the target, where its time goes, and the accuracy of the
 * figures. Independent of the terminal.
 */
#ifndef SPROF_CMD_TOP_HEAD_H
#define SPROF_CMD_TOP_HEAD_H

#include <stddef.h>

#include "cmd/top/state.h"

enum { SPROF_TOP_HEAD_LINES = 3, SPROF_TOP_HEAD_SIZE = 512 };

struct sprof_top_head {
	const char *command; /* of the target */
	const char *end;     /* how the run ended; NULL: running */
	const struct sprof_top_state *state;
	const struct sprof_top_shown *shown; /* NULL: no figures yet */
	/* figures don't cover the whole time since the start */
	bool is_cut;
};

/* Writes the lines, without newlines. */
void sprof_top_head_lines(
	const struct sprof_top_head *head, char lines[SPROF_TOP_HEAD_LINES][SPROF_TOP_HEAD_SIZE]);

#endif
