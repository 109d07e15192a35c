/*
 * `sprof symbols` on files that are not linked yet.
 */
#ifndef SPROF_CMD_SYMBOL_OBJECTS_H
#define SPROF_CMD_SYMBOL_OBJECTS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/symbol-subject.h"

/*
 * Answers if the path is an object file, an archive of them, or "ARCHIVE(MEMBER)". *ret_is_one is
 * false if it is none of these. The operands are addresses with 0x, and names; none: all symbols.
 */
SPROF_MUST_USE bool sprof_symbol_objects_answer(const struct sprof_symbol_options *options,
	char *const operands[], bool *ret_is_one, int *ret_exit, struct sprof_error *err);

#endif
