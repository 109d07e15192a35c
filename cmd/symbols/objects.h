/* `sprof symbols` for files that are not linked yet. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/symbols/subject.h"

/*
 * Handles a path that is an object file, an archive, or "ARCHIVE(MEMBER)"; otherwise sets
 * *ret_is_one to false. Operands are addresses with 0x, and names; none: all symbols.
 */
SPROF_MUST_USE bool sprof_symbol_objects_answer(const struct sprof_symbol_options *options,
	char *const operands[], bool *ret_is_one, int *ret_exit, struct sprof_error *err);
