/*
 * The lines of a program's own code that its figures come from: the innermost line outside
 * libraries. For memory, this is where the program allocates, not the allocator itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/views/view.h"

struct sprof_site {
	uint32_t function;
	const char *file; /* NULL: unknown */
	uint32_t line;    /* 0: unknown */
	uint64_t value;
};

struct sprof_sites {
	struct sprof_site *items; /* by value, descending */
	size_t count;
	uint64_t whole; /* over the view, including stacks without a function */
};

/*
 * Aggregates by the view's weight. A stack with libraries only is attributed to its innermost
 * function. Fills *ret; the caller finishes it. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_sites_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_sites *ret, struct sprof_error *err);
void sprof_sites_finish(struct sprof_sites *sites);

/* "prog.c:16", "prog.c" without a line; empty if unknown. */
struct sprof_site_place {
	char text[64];
};
struct sprof_site_place sprof_site_place(const char *file, uint32_t line);
