/*
 * Private to profile/: copies rows of one profile to another, with all they refer to.
 */
#ifndef SPROF_PROFILE_COPY_H
#define SPROF_PROFILE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/identity.h"
#include "profile/profile.h"

/* Translates the source's indexes to the target's; SPROF_PROFILE_NONE: not asked for yet. */
struct sprof_copy {
	const struct sprof_profile *source;
	struct sprof_profile *target; /* made by sprof_build_create() */
	/* by function of the source: dropped from stacks, their callers stay; NULL: none */
	const bool *hidden;
	/* by location of the source: a row counts for its innermost one of these, if there is any; NULL: for
	 * its leaf */
	const bool *charged;
	bool drops_estimates; /* they are [unsampled] again */
	/*
	 * By row of the source: how many samples are copied, with that share of its figures; NULL:
	 * all. If set, spans are cut to the time.
	 */
	const uint64_t *inside;
	uint64_t from_ns, to_ns;
	/* what the target has already; the arrays are NULL: whatever has the same key */
	struct sprof_identity identity;
	uint32_t *modules, *functions, *locations, *stacks, *threads, *contexts, *rows;
	uint32_t *chain; /* room for a stack being copied */
	size_t chain_capacity;
	struct sprof_profile_line *lines;
	size_t line_capacity;
};

/* False: no memory. The caller must finish it either way. */
bool sprof_copy_init(
	struct sprof_copy *copy, struct sprof_profile *target, const struct sprof_profile *source);
void sprof_copy_finish(struct sprof_copy *copy);

/* Copies what describes the whole profile: command, start, kinds of values. Not its quality. */
bool sprof_copy_head(struct sprof_copy *copy);
/* Copies the modules in their order, in which the first file is the program. */
bool sprof_copy_modules(struct sprof_copy *copy);
bool sprof_copy_comments(struct sprof_copy *copy);
bool sprof_copy_thread(struct sprof_copy *copy, uint32_t thread);
bool sprof_copy_row(struct sprof_copy *copy, size_t row);
/* Copies the timeline of the rows copied before. */
bool sprof_copy_spans(struct sprof_copy *copy);

#endif
