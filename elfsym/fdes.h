/*
 * Where functions begin and end as far as the unwind tables know: what is left of a stripped file.
 */
#ifndef SPROF_ELFSYM_FDES_H
#define SPROF_ELFSYM_FDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Reads .eh_frame; what is broken in it is left out. False: no memory. */
bool sprof_fdes_load(
	struct sprof_fdes *fdes, const struct sprof_image *image, struct sprof_error *err);
void sprof_fdes_finish(struct sprof_fdes *fdes);

/* The FDE that covers the address; NULL: none. */
const struct sprof_fde *sprof_fdes_find(const struct sprof_fdes *fdes, uint64_t address);

/* Link-time addresses. */
struct sprof_fde_bounds {
	uint64_t start; /* the last begin of an FDE's code at or before the address */
	uint64_t next;  /* the first one behind it; UINT64_MAX: there is none */
};

/*
 * The start is that of the function, or of a part of it that the compiler has moved away. False: no FDE begins
 * before the address.
 */
bool sprof_fdes_bounds(
	const struct sprof_fdes *fdes, uint64_t address, struct sprof_fde_bounds *ret);

#endif
