/*
 * The compiled CFI of one module: rules by link-time address, filled as they are needed.
 */
#ifndef SPROF_UNWIND_ROWS_H
#define SPROF_UNWIND_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/cfi.h"
#include "elfsym/go-runtime.h"
#include "elfsym/image.h"
#include "unwind/step.h"

struct sprof_rows;

/* The image outlives the rows. NULL: no memory. */
struct sprof_rows *sprof_rows_create(const struct sprof_image *image);
/* NULL is accepted. */
void sprof_rows_destroy(struct sprof_rows *rows);

/* The rule at a link-time address; its cfa is SPROF_CFA_NONE where neither CFI nor Go's table has one. */
struct sprof_rule sprof_rows_find(struct sprof_rows *rows, uint64_t address);

/*
 * The rule that the function's code says, although there is CFI. The function begins at `start`, and the next one at
 * `next`; link-time addresses. Nothing is kept.
 */
struct sprof_rule sprof_rows_compute(
	struct sprof_rows *rows, uint64_t start, uint64_t next, uint64_t address);

/* Whether a function of a Go program begins at a link-time address. */
bool sprof_rows_is_go_entry(const struct sprof_rows *rows, uint64_t address);
/* NULL: the module has no runtime of Go's, or it is not known how to read it. */
const struct sprof_go_runtime *sprof_rows_go_runtime(const struct sprof_rows *rows);

#endif
