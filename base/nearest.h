/* Suggestions for mistyped words. */
#pragma once

#include <stddef.h>

/* Set the word and zero the rest. */
struct sprof_nearest {
	const char *word;
	const char *found; /* NULL: no near candidate */
	unsigned distance; /* of `found` */
};

/* Keeps the candidate if it is nearer than earlier ones, and near enough for a typing error. */
void sprof_nearest_try(struct sprof_nearest *nearest, const char *candidate);
