/*
 * Makes the programmer's names from the linker's names.
 */
#ifndef SPROF_ELFSYM_DEMANGLE_H
#define SPROF_ELFSYM_DEMANGLE_H

#include <stdbool.h>

#include "base/attributes.h"

/*
 * Demangles C++, Rust (both manglings) and D. The caller frees the result. NULL: the name is not
 * (validly) mangled, its plain form is absurdly long, or libiberty has no memory, which it does not
 * report.
 */
char *sprof_demangle(const char *linkage) SPROF_MUST_USE;

/* Whether the name may be mangled: it starts with _Z, _R or _D. */
bool sprof_is_mangled(const char *linkage);

#endif
