/*
 * The places in a program's own code that its figures come from: the innermost line outside of
 * libraries. Of memory it is where the program allocates; the allocator's own functions tell nothing.
 */
#ifndef SPROF_PROFILE_SITES_H
#define SPROF_PROFILE_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/view.h"

struct sprof_site {
	uint32_t function;
	const char *file; /* NULL: unknown */
	uint32_t line;    /* 0: unknown */
	uint64_t value;
};

struct sprof_sites {
	struct sprof_site *items; /* by value, falling */
	size_t count;
	uint64_t whole; /* of the view, stacks without a function too */
};

/*
 * By the view's weight. A stack of libraries only counts for its innermost function. Fills *ret; the
 * caller finishes it. False: no memory.
 */
SPROF_MUST_USE bool sprof_sites_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_sites *ret, struct sprof_error *err);
void sprof_sites_finish(struct sprof_sites *sites);

/* "prog.c:16"; empty if the line is not known. */
struct sprof_site_place {
	char text[64];
};
struct sprof_site_place sprof_site_place(const char *file, uint32_t line);

#endif
