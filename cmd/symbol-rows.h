/*
 * Symbols as rows of a table, and which of them an argument of `sprof symbols` means.
 */
#ifndef SPROF_CMD_SYMBOL_ROWS_H
#define SPROF_CMD_SYMBOL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/symbol-subject.h"
#include "elfsym/listing.h"

/* Whether the name, as the linker knows it, or demangled with or without arguments, is the
 * pattern or matches it as a glob. A name that sprof has made up doesn't. */
bool sprof_symbol_row_matches(const struct sprof_listed *item, const char *pattern);

/* Prints address, size, name and source, separated by tabs; with `all` also type, binding and
 * section, "-" for what isn't known. The bias is added to what has an address. */
void sprof_symbol_row_print(const struct sprof_listed *item, uint64_t bias, bool all);

/* The symbol as the options want to see it; the caller frees it. NULL: no memory. */
char *sprof_symbol_plain_name(
	const struct sprof_symbol_options *options, const char *symbol) SPROF_MUST_USE;

/* Says on stderr that nothing has the name. */
void sprof_symbol_row_tell_missing(const char *pattern, bool with_data);

#endif
