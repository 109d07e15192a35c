/* The compiled CFI of one module: rules by link-time address, filled on demand. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/elf/image.h"
#include "elfsym/go/runtime.h"
#include "unwind/step.h"

struct sprof_rows;

/* The image must outlive the rows. Returns NULL if out of memory. */
struct sprof_rows *sprof_rows_create(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_rows_destroy(struct sprof_rows *rows);

/* The rule at a link-time address. Its cfa is SPROF_CFA_NONE if CFI, Go's table and the code have
 * none. */
struct sprof_rule sprof_rows_find(struct sprof_rows *rows, uint64_t address);

/*
 * The rule computed from the function's code, ignoring its CFI. The function starts at `start`, the
 * next one at `next`; link-time addresses. Not cached.
 */
struct sprof_rule sprof_rows_compute(
	struct sprof_rows *rows, uint64_t start, uint64_t next, uint64_t address);

/* The bounds of the function around a link-time address that .eh_frame does not cover; see
 * sprof_computed_find_bounds(). */
bool sprof_rows_find_bounds(
	struct sprof_rows *rows, uint64_t address, struct sprof_fde_bounds *ret) SPROF_MUST_USE;

/* The CFI that the rows are compiled from. */
struct sprof_cfi *sprof_rows_cfi(const struct sprof_rows *rows);

/* Whether a function of a Go program starts at a link-time address. */
bool sprof_rows_is_go_entry(const struct sprof_rows *rows, uint64_t address);
/* NULL: the module has no Go runtime, or its layout is unknown. */
const struct sprof_go_runtime *sprof_rows_go_runtime(const struct sprof_rows *rows);
