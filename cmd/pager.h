/*
 * The user's pager, for text on a terminal.
 */
#ifndef SPROF_CMD_PAGER_H
#define SPROF_CMD_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

struct sprof_pager {
	FILE *pipe;   /* NULL: there is none */
	int terminal; /* what stdout was */
	size_t width; /* of the terminal behind it, in columns; 0: not known */
};

/*
 * Puts $PAGER (else less, which leaves at once what fits on the screen) between stdout and the
 * terminal. Does nothing when stdout is no terminal, or PAGER is empty or cat. Without such a
 * command a note says so, and stdout stays the terminal.
 */
void sprof_pager_start(struct sprof_pager *pager);
/*
 * Waits until the user has seen enough; stdout is the terminal again. False: the pager could not be run
 * and has shown nothing, as a note says.
 */
SPROF_MUST_USE bool sprof_pager_finish(struct sprof_pager *pager);

#endif
