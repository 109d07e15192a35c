/* The user's pager, for text on a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

struct sprof_pager {
	FILE *pipe;   /* NULL: no pager */
	int terminal; /* a copy of the original stdout */
	size_t width; /* columns of the terminal; 0: unknown */
};

/*
 * Redirects stdout to $PAGER (default: less, which exits at once if the text fits). Does nothing if
 * stdout is not a terminal, or PAGER is empty or cat. If the command is missing, prints a note and
 * leaves stdout unchanged.
 */
void sprof_pager_start(struct sprof_pager *pager);
/*
 * Waits for the pager's exit and restores stdout. Returns false, after a note, if the pager could
 * not be run and has shown nothing.
 */
SPROF_MUST_USE bool sprof_pager_finish(struct sprof_pager *pager);
