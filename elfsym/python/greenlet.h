/* Where the Python module "greenlet" switches between stacks, from its file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"

struct sprof_greenlet_file {
	/* File offsets of the function that saves the interpreter's state, switches the stack, and
	 * restores the other greenlet's state. Equal: no symbol. */
	uint64_t switch_begin, switch_end;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_greenlet_file_read(
	const struct sprof_image *image, struct sprof_greenlet_file *ret);
