/* Output formats of tools that print symbols, parsed line by line. */
#pragma once

#include "elfsym/symlist/symlist.h"

enum sprof_symlist_verdict {
	SPROF_SYMLIST_STRANGE, /* not a line of this format */
	SPROF_SYMLIST_EMPTY,   /* a heading, a blank line, a symbol without an address */
	SPROF_SYMLIST_SYMBOL,
};

/* Parses one line, given without newline. Sets the result only for a symbol. */
typedef enum sprof_symlist_verdict (*sprof_symlist_parser)(
	const char *line, const char *end, struct sprof_symlist_line *ret);

enum sprof_symlist_verdict sprof_symlist_parse_perf_map(
	const char *line, const char *end, struct sprof_symlist_line *ret);

/* The format of a user's list: the one that fits most lines. */
sprof_symlist_parser sprof_symlist_choose(const char *text, const char *end);

/* Moves the cursor past the next line. Returns false at the end. */
bool sprof_symlist_next_line(
	const char **cursor, const char *end, const char **ret_line, const char **ret_end);
