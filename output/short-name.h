/*
 * Short names of functions, for people: std::vector<...>::push_back.
 */
#ifndef SPROF_OUTPUT_SHORT_NAME_H
#define SPROF_OUTPUT_SHORT_NAME_H

/*
 * The demangled name without template arguments ("<...>"), parameters and return type, to be freed;
 * Go's without type arguments ("[...]"). Unknown forms stay unchanged. NULL: no memory.
 */
char *sprof_short_name(const char *name);

#endif
