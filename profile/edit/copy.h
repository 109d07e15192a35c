/* Private to profile/: copies rows between profiles, with everything they refer to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/identity/identity.h"
#include "profile/model/profile.h"

/* Maps source indices to target indices; SPROF_PROFILE_NONE: not copied yet. */
struct sprof_copy {
	const struct sprof_profile *source;
	struct sprof_profile *target; /* from sprof_build_create() */
	/* by source function: removed from stacks, their callers stay; NULL: none */
	const bool *hidden;
	/* by source location: a row is attributed to its innermost location in this set, if any;
	 * NULL: to its leaf */
	const bool *charged;
	bool drops_estimates; /* they are [unsampled] again */
	/*
	 * By source row: the number of samples to copy, with the same share of its figures; NULL:
	 * all. If set, spans are cut to the selected time.
	 */
	const uint64_t *inside;
	uint64_t from_ns, to_ns;
	/* matches modules and functions with the target's; arrays NULL: by key */
	struct sprof_identity identity;
	uint32_t *modules, *functions, *locations, *stacks, *threads, *contexts, *rows;
	uint32_t *chain; /* buffer for the stack being copied */
	size_t chain_capacity;
	struct sprof_profile_line *lines;
	size_t line_capacity;
};

/* Returns false if out of memory. The caller must finish it in either case. */
bool sprof_copy_init(
	struct sprof_copy *copy, struct sprof_profile *target, const struct sprof_profile *source);
void sprof_copy_finish(struct sprof_copy *copy);

/* Copies what concerns the whole profile, except quality: command, start, kinds of values. */
bool sprof_copy_head(struct sprof_copy *copy);
/* Copies the modules in order; the first is the program. */
bool sprof_copy_modules(struct sprof_copy *copy);
bool sprof_copy_comments(struct sprof_copy *copy);
bool sprof_copy_thread(struct sprof_copy *copy, uint32_t thread);
bool sprof_copy_row(struct sprof_copy *copy, size_t row);
/* Copies the timeline of the copied rows. */
bool sprof_copy_spans(struct sprof_copy *copy);
