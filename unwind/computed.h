/*
 * CFI rows of code that has none: computed from the instructions of the function around an address.
 */
#ifndef SPROF_UNWIND_COMPUTED_H
#define SPROF_UNWIND_COMPUTED_H

#include <stdint.h>

#include "elfsym/cfi.h"
#include "elfsym/image.h"

struct sprof_computed; /* belongs to an image, which outlives it */

/* Reads nothing yet. NULL: no memory. */
struct sprof_computed *sprof_computed_create(const struct sprof_image *image);
/* NULL is accepted. */
void sprof_computed_destroy(struct sprof_computed *computed);

/*
 * The row for a link-time address. Its cfa is SPROF_CFA_NONE where the code doesn't tell, and without a decoder.
 * The first question reads all the module's code, for where functions begin; each function is computed once.
 */
struct sprof_cfi_row sprof_computed_find(struct sprof_computed *computed, uint64_t address);

/* The same where the function is known to begin at `start`, and the next one at `next`. Nothing is kept. */
struct sprof_cfi_row sprof_computed_find_in(
	struct sprof_computed *computed, uint64_t start, uint64_t next, uint64_t address);

#endif
