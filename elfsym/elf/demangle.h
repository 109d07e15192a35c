/* Converts linkage names to source names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/*
 * Demangles C++, Rust (both schemes), D, and Lisp as Emacs compiles it. The caller frees the result. NULL: the name is not
 * (validly) mangled, the result would be excessively long, or libiberty is out of memory, which it
 * does not report.
 */
char *sprof_demangle(const char *linkage) SPROF_MUST_USE;

/*
 * The length of Rust's part of a name, without suffixes such as ".llvm.7". In the older mangling it
 * ends with a hash. 0: the name is not Rust's.
 */
size_t sprof_rust_length(const char *linkage);

/*
 * The type arguments that Rust's older mangling lacks, such as "<u32>": the end of the function's
 * name in DWARF. NULL: none, or the demangled name has them.
 */
const char *sprof_rust_arguments(const char *linkage, const char *demangled, const char *dwarf);

/* Whether the name may be mangled: it starts with _Z, _R, _D, or as Emacs's names do. */
bool sprof_is_mangled(const char *linkage);

/*
 * The length of the function's name in the name of a part moved away by the compiler: of "work" in
 * "work.cold", "work.cold.1", "work.__part.2". The whole length if it is not a part.
 */
size_t sprof_part_owner_length(const char *name);
