/* Short names of functions for display: std::vector<...>::push_back. */
#pragma once

#include <stdbool.h>

/* What a short name has beyond the plain one. */
struct sprof_short_form {
	unsigned
		depth; /* of template arguments: 1 for "map<int, vector>", 2 for "map<int, vector<int>>" */
	bool parameters; /* and those */
};

/*
 * The demangled name without template arguments ("<...>"), parameters, return type and the numbers
 * of link-time optimization; for Go, without type arguments ("[...]"). Types within Rust's "<T as
 * Trait>" are without their paths and arguments. Unknown forms are unchanged. The caller frees it.
 * Returns NULL if out of memory.
 */
char *sprof_short_name(const char *name);

/* The same, with some of what is left out. Types have no paths. */
char *sprof_short_name_as(const char *name, struct sprof_short_form form);
