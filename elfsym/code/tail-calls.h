/*
 * The functions that made tail calls between a caller and its callee on the stack. A tail call is a
 * jump and leaves no return address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/code/tail-paths.h"
#include "elfsym/dwarf/dwarf.h"
#include "elfsym/elf/symtab.h"

struct sprof_tail_calls;

/* All must outlive the results. */
struct sprof_tail_calls_source {
	struct sprof_dwarf *dwarf;
	const struct sprof_image *image;
	const struct sprof_symtab *symtab; /* NULL: the image contains code, which is preferred */
};

/* Returns false if out of memory. */
bool sprof_tail_calls_create(const struct sprof_tail_calls_source *source,
	struct sprof_tail_calls **ret, struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_tail_calls_destroy(struct sprof_tail_calls *calls);

/*
 * The functions between the call that returns to `behind` and the function at `place`, both
 * link-time addresses. The caller finishes *ret. Returns false if out of memory.
 */
bool sprof_tail_calls_find(struct sprof_tail_calls *calls, uint64_t behind, uint64_t place,
	struct sprof_tail_path *ret, struct sprof_error *err) SPROF_MUST_USE;
