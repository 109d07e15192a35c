/*
 * CFI rows for code without CFI: computed from the instructions of the function around an address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/elf/image.h"

struct sprof_computed; /* belongs to an image, which must outlive it */

/* Reads nothing yet. Returns NULL if out of memory. */
struct sprof_computed *sprof_computed_create(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_computed_destroy(struct sprof_computed *computed);

/*
 * The row for a link-time address. Its cfa is SPROF_CFA_NONE if it can't be computed, or without a
 * decoder. The first lookup scans the module's code for function starts. Each function is computed
 * once.
 */
struct sprof_cfi_row sprof_computed_find(struct sprof_computed *computed, uint64_t address);

/* As sprof_computed_find(), for a function that starts at `start`, with the next one at `next`. Not
 * cached. */
struct sprof_cfi_row sprof_computed_find_in(
	struct sprof_computed *computed, uint64_t start, uint64_t next, uint64_t address);

/*
 * The function start at or before a link-time address and the next start, as symbols and code show
 * them. Returns false if there is none, or without a decoder.
 */
bool sprof_computed_find_bounds(struct sprof_computed *computed, uint64_t address,
	struct sprof_fde_bounds *ret) SPROF_MUST_USE;
