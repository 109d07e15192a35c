/* Starts and ends of functions from the unwind tables, which stripped files still have. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/elf/image.h"

/* The code covered by one FDE; link-time addresses. */
struct sprof_fde {
	uint64_t address, size;
};

/* Sorted by address. Zeroed is empty and valid. */
struct sprof_fdes {
	struct sprof_fde *items;
	size_t count, capacity;
};

/* Reads .eh_frame and skips invalid entries. Returns false if out of memory. */
bool sprof_fdes_load(struct sprof_fdes *fdes, const struct sprof_image *image,
	struct sprof_error *err) SPROF_MUST_USE;
void sprof_fdes_finish(struct sprof_fdes *fdes);

/* The FDE that covers the address; NULL: none. */
const struct sprof_fde *sprof_fdes_find(const struct sprof_fdes *fdes, uint64_t address);

/* Link-time addresses. */
struct sprof_fde_bounds {
	uint64_t start; /* start of the last FDE at or before the address */
	uint64_t next;  /* start of the next FDE; UINT64_MAX: none */
};

/*
 * `start` is that of a function, or of a part moved away by the compiler. Returns false if no FDE
 * begins at or before the address.
 */
bool sprof_fdes_bounds(
	const struct sprof_fdes *fdes, uint64_t address, struct sprof_fde_bounds *ret);
