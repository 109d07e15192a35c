/*
 * What the file of the Python module "greenlet" tells: where it changes from one stack to another.
 */
#ifndef SPROF_ELFSYM_GREENLET_FILE_H
#define SPROF_ELFSYM_GREENLET_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/image.h"

struct sprof_greenlet_file {
	/* Offsets of the function that saves the interpreter's state, changes the stack, and sets the
	 * state of the other greenlet. Equal: it has no symbol. */
	uint64_t switch_begin, switch_end;
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_greenlet_file_read(
	const struct sprof_image *image, struct sprof_greenlet_file *ret);

#endif
