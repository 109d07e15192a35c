/*
 * Private to profile/: taking rows of one profile over into another, with all they refer to.
 */
#ifndef SPROF_PROFILE_COPY_H
#define SPROF_PROFILE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* What is where in the target; entries are SPROF_PROFILE_NONE until they are asked for. */
struct sprof_copy {
	const struct sprof_profile *source;
	struct sprof_profile *target; /* made by sprof_build_create() */
	const bool *hidden; /* by function of the source: not taken over, their callers stay; NULL: none */
	/* By row of the source: how many of its samples are taken over, and that part of its figures; NULL:
	 * all. Then spans are cut to this time. */
	const uint64_t *inside;
	uint64_t from_ns, to_ns;
	uint32_t *modules, *functions, *locations, *stacks, *threads, *contexts, *rows;
	uint32_t *chain; /* room for a stack on its way */
	size_t chain_capacity;
	struct sprof_profile_line *lines;
	size_t line_capacity;
};

/* False: no memory. To be finished either way. */
bool sprof_copy_init(
	struct sprof_copy *copy, struct sprof_profile *target, const struct sprof_profile *source);
void sprof_copy_finish(struct sprof_copy *copy);

/* What a profile says of itself as a whole: command, start, kinds of values. Not its quality. */
bool sprof_copy_head(struct sprof_copy *copy);
bool sprof_copy_comments(struct sprof_copy *copy);
bool sprof_copy_thread(struct sprof_copy *copy, uint32_t thread);
bool sprof_copy_row(struct sprof_copy *copy, size_t row);
/* The timeline, of the rows that were taken over before. */
bool sprof_copy_spans(struct sprof_copy *copy);

#endif
