/*
 * Names as the programmer wrote them, from names as the linker knows them.
 */
#ifndef SPROF_ELFSYM_DEMANGLE_H
#define SPROF_ELFSYM_DEMANGLE_H

#include <stdbool.h>

/*
 * Demangles C++, Rust (both manglings) and D. The result is the caller's to free. NULL: the name is
 * not mangled, or not validly, or its plain form is absurdly long, or there is no memory.
 */
char *sprof_demangle(const char *linkage);

/* Whether the name looks like one of those: starts with _Z, _R or _D. */
bool sprof_is_mangled(const char *linkage);

#endif
