/* Short names of functions for display: std::vector<...>::push_back. */
#ifndef SPROF_OUTPUT_SHORT_NAME_H
#define SPROF_OUTPUT_SHORT_NAME_H

/*
 * The demangled name without template arguments ("<...>"), parameters and return type; for Go,
 * without type arguments ("[...]"). Unknown forms are unchanged. The caller frees it. Returns NULL
 * if out of memory.
 */
char *sprof_short_name(const char *name);

#endif
