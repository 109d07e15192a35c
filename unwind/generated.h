/*
 * Code that is in no file: rows from the bytes that the process has in memory.
 */
#ifndef SPROF_UNWIND_GENERATED_H
#define SPROF_UNWIND_GENERATED_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/maps.h"
#include "unwind/step.h"

struct sprof_generated;

/* NULL: no memory. */
struct sprof_generated *sprof_generated_create(void);
/* NULL is accepted. */
void sprof_generated_destroy(struct sprof_generated *generated);

/*
 * The rule at a pc of a process, by the ways from there to a return; its cfa is SPROF_CFA_NONE where they don't tell,
 * or the bytes can't be read. *ret_is_behind_call: whether a call may end right before the pc; true where that can't be
 * read. One read of the process's memory.
 */
struct sprof_rule sprof_generated_find(struct sprof_generated *generated,
	const struct sprof_maps *maps, uint64_t pc, bool *ret_is_behind_call);

#endif
