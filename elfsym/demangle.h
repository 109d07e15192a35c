/*
 * Makes the programmer's names from the linker's names.
 */
#ifndef SPROF_ELFSYM_DEMANGLE_H
#define SPROF_ELFSYM_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/*
 * Demangles C++, Rust (both manglings) and D. The caller frees the result. NULL: the name is not
 * (validly) mangled, its plain form is absurdly long, or libiberty has no memory, which it does not
 * report.
 */
char *sprof_demangle(const char *linkage) SPROF_MUST_USE;

/* Whether the name may be mangled: it starts with _Z, _R or _D. */
bool sprof_is_mangled(const char *linkage);

/*
 * The length of a function's name in that of a part that the compiler has moved away: "work" of
 * "work.cold", "work.cold.1", "work.__part.2". The whole length if it names no part.
 */
size_t sprof_part_owner_length(const char *name);

#endif
