/*
 * Where a function was inlined: code that has no entry of its own, so that nobody can watch its calls.
 */
#ifndef SPROF_ELFSYM_INLINED_H
#define SPROF_ELFSYM_INLINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/module.h"
#include "elfsym/debugfile.h"

/* Which function is meant. It is asked of each inlined call. */
struct sprof_inlined_wish {
	const void *data;
	/* By the source's name without what is around it, and by the linker's; NULL: there is none. */
	bool (*is_meant)(const void *data, const char *name, const char *linkage);
};

struct sprof_inlined {
	size_t count;   /* of its calls that were inlined; 0: none is known */
	char into[128]; /* the function that has the first of them; empty: not known */
	char file[128]; /* of that call, without folders; empty: not known */
	uint32_t line;
};

/*
 * Looks at the DWARF of a module, or of its debug file. Reads at most some million DIEs, of large
 * programs not all. A module that can't be read has none.
 */
struct sprof_inlined sprof_inlined_find(const struct sprof_module *module,
	const struct sprof_debug_places *places, const struct sprof_inlined_wish *wish);

#endif
