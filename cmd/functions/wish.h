/* One function that the user wants, or a pattern: "ns::Tree::*", "malloc@libc.so.6". */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_function_wish {
	char *name; /* a name or a pattern */
	char *file; /* the same; NULL: any */
	bool is_pattern;
	bool is_in_program;
	bool is_found;
	bool returns_twice; /* some function that it means does, and can't be watched */
};

/*
 * Parses FUNC or FUNC@FILE, which must extend to `end`. FUNC and FILE may be quoted. FILE is a file
 * name, a path if it contains a slash, or a pattern. A trailing "@plt" is a part of FUNC: it names
 * a PLT entry. Call sprof_function_wish_finish() whether or not this succeeds.
 */
SPROF_MUST_USE bool sprof_function_wish_read(const char *text, const char *end,
	struct sprof_function_wish *ret, struct sprof_error *err);
void sprof_function_wish_finish(struct sprof_function_wish *wish);

/* The end of one wish in a list: a comma outside of brackets and quotes, or the end of the text. */
const char *sprof_function_wish_end(const char *begin);
