/* Code that is in no file: computes rows from the bytes in the process's memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "unwind/step.h"

struct sprof_generated;

/* Returns NULL if out of memory. */
struct sprof_generated *sprof_generated_create(void) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_generated_destroy(struct sprof_generated *generated);

/*
 * The rule at a pc, from the paths from there to a return. Its cfa is SPROF_CFA_NONE if they are
 * inconclusive, or if the bytes can't be read. *ret_is_behind_call: whether a call may end right
 * before the pc; also true if unreadable. Reads the process's memory once.
 */
struct sprof_rule sprof_generated_find(struct sprof_generated *generated,
	const struct sprof_maps *maps, uint64_t pc, bool *ret_is_behind_call);
