/* The scope of a function's declaration: "std::vector<int, std::allocator<int> >". */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/strtab.h"
#include "elfsym/dwarf/scopes.h"

/* Zeroed is empty and valid. */
struct sprof_qualifiers {
	struct sprof_strtab *texts;
	struct sprof_foreign_unit *units; /* other units with declarations found so far */
	size_t count, capacity;
};

/*
 * The names of the namespaces and classes around a function's declaration. The function's DIE
 * belongs to a unit with these scopes. *ret is NULL if there are none. Returns false if out of
 * memory.
 */
bool sprof_qualifiers_find(struct sprof_qualifiers *qualifiers, const struct sprof_image *image,
	const struct sprof_scopes *scopes, Dwarf_Die *function, const char **ret) SPROF_MUST_USE;

void sprof_qualifiers_finish(struct sprof_qualifiers *qualifiers);
