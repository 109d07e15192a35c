/*
 * The lines above the table of sprof top: what is watched, where its time goes, and how good the
 * figures are. Knows no terminal.
 */
#ifndef SPROF_CMD_TOP_HEAD_H
#define SPROF_CMD_TOP_HEAD_H

#include <stddef.h>

#include "cmd/top-state.h"

enum { SPROF_TOP_HEAD_LINES = 3, SPROF_TOP_HEAD_SIZE = 512 };

struct sprof_top_head {
	const char *command; /* of what is watched */
	const char *end;     /* how that came to its end; NULL: it runs */
	const struct sprof_top_state *state;
	const struct sprof_top_shown *shown; /* NULL: there are no figures yet */
	bool is_cut;                         /* not all of the time since the start */
};

/* The lines, each without a newline. */
void sprof_top_head_lines(
	const struct sprof_top_head *head, char lines[SPROF_TOP_HEAD_LINES][SPROF_TOP_HEAD_SIZE]);

#endif
