/*
 * Guesses what a mistyped word was meant to be.
 */
#ifndef SPROF_CMD_NEAREST_H
#define SPROF_CMD_NEAREST_H

#include <stddef.h>

/* The caller sets the word and zeroes the rest. */
struct sprof_nearest {
	const char *word;
	const char *found; /* NULL: nothing is near */
	unsigned distance; /* of `found` */
};

/*
 * Remembers the candidate if it is nearer than those before, and near enough to be a typing error.
 */
void sprof_nearest_try(struct sprof_nearest *nearest, const char *candidate);

#endif
