/*
 * The time of one function by source line and by place in the code: its own, and with what was
 * called from there.
 */
#ifndef SPROF_PROFILE_ANNOTATE_H
#define SPROF_PROFILE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/* What a line called. */
struct sprof_annotated_call {
	uint32_t function; /* also one that is inlined into the line */
	struct sprof_metrics total;
};

/* A source line. What is inlined there has lines of its own. */
struct sprof_annotated_line {
	uint32_t function; /* whose code the line is */
	const char *file;  /* NULL: unknown */
	uint32_t line;     /* 0: unknown */
	struct sprof_metrics self;
	struct sprof_metrics total; /* each sample once, however often the line recurs on it */
	size_t first_call, call_count;
};

/* An instruction. Several locations may be at one address. */
struct sprof_annotated_place {
	uint32_t location;
	struct sprof_metrics self, total;
};

struct sprof_annotation {
	struct sprof_annotated_line *lines; /* by function, then file (its own first), then line */
	size_t line_count;
	struct sprof_annotated_call *calls; /* by line, then function */
	size_t call_count;
	struct sprof_annotated_place *places; /* by location */
	size_t place_count;
	struct sprof_metrics self;  /* the sum of either list */
	struct sprof_metrics total; /* of the function: each sample once */
	struct sprof_metrics whole; /* of the profile */
};

/*
 * The location where a stack's thread was in user code: the innermost outside the kernel. NONE: there
 * is none.
 */
uint32_t sprof_annotation_leaf(const struct sprof_profile *profile, uint32_t stack);

/*
 * Adds up all rows that have one of the functions on their stack, itself or inlined. What is inlined
 * into it is part of it. `chosen` is by function. The caller finishes *ret. False: no memory.
 */
SPROF_MUST_USE bool sprof_annotation_build(const struct sprof_profile *profile, const bool *chosen,
	struct sprof_annotation *ret, struct sprof_error *err);
void sprof_annotation_finish(struct sprof_annotation *annotation);

#endif
