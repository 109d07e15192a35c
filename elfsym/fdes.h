/*
 * The starts and ends of functions by the unwind tables, which stripped files still have.
 */
#ifndef SPROF_ELFSYM_FDES_H
#define SPROF_ELFSYM_FDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/image.h"

/* The code that one FDE describes; link-time addresses. */
struct sprof_fde {
	uint64_t address, size;
};

/* Sorted by address. Zeroed is empty and valid. */
struct sprof_fdes {
	struct sprof_fde *items;
	size_t count, capacity;
};

/* Reads .eh_frame and skips broken entries. False: no memory. */
bool sprof_fdes_load(struct sprof_fdes *fdes, const struct sprof_image *image,
	struct sprof_error *err) SPROF_MUST_USE;
void sprof_fdes_finish(struct sprof_fdes *fdes);

/* The FDE that covers the address; NULL: none. */
const struct sprof_fde *sprof_fdes_find(const struct sprof_fdes *fdes, uint64_t address);

/* Link-time addresses. */
struct sprof_fde_bounds {
	uint64_t start; /* the last FDE's begin at or before the address */
	uint64_t next;  /* the first begin behind it; UINT64_MAX: there is none */
};

/*
 * The start is a function's, or that of a part that the compiler has moved away. False: no FDE
 * begins at or before the address.
 */
bool sprof_fdes_bounds(
	const struct sprof_fdes *fdes, uint64_t address, struct sprof_fde_bounds *ret);

#endif
