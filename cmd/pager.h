/*
 * The user's pager, for text on a terminal.
 */
#ifndef SPROF_CMD_PAGER_H
#define SPROF_CMD_PAGER_H

#include <stddef.h>
#include <stdio.h>

struct sprof_pager {
	FILE *pipe;   /* NULL: there is none */
	size_t width; /* of the terminal behind it, in columns; 0: not known */
};

/*
 * Puts $PAGER (else less, which leaves at once what fits on the screen) between stdout and the
 * terminal. Does nothing when stdout is no terminal, or PAGER is empty or cat.
 */
void sprof_pager_start(struct sprof_pager *pager);
/* Waits until the user has seen enough. */
void sprof_pager_finish(struct sprof_pager *pager);

#endif
