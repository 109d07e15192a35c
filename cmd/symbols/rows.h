/* Symbols as rows of a table, and which of them an argument of `sprof symbols` selects. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/symbols/subject.h"
#include "elfsym/names/listing.h"

/* Whether the linkage name, or the demangled name with or without arguments, equals the pattern or
 * matches it as a glob. Names made up by sprof never match. */
bool sprof_symbol_row_matches(const struct sprof_listed *item, const char *pattern);

/* Prints address, size, name and source, separated by tabs; with `all` also type, binding and
 * section, "-" if unknown. Adds the bias to addresses. */
void sprof_symbol_row_print(const struct sprof_listed *item, uint64_t bias, bool all);

/* The symbol's name in the requested form; the caller frees it. Returns NULL if out of memory. */
char *sprof_symbol_plain_name(
	const struct sprof_symbol_options *options, const char *symbol) SPROF_MUST_USE;

/* Prints on stderr that no symbol has the name. */
void sprof_symbol_row_note_missing(const char *pattern, bool with_data);
