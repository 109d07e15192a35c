/* The self and total time of one function by source line and by instruction. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* A call made from a line. */
struct sprof_annotated_call {
	uint32_t function; /* the callee, which may be inlined into the line */
	struct sprof_metrics total;
};

/* A source line. Code inlined into it is listed under separate lines. */
struct sprof_annotated_line {
	uint32_t function; /* the function that contains the line */
	const char *file;  /* NULL: unknown */
	uint32_t line;     /* 0: unknown */
	struct sprof_metrics self;
	/* counts each sample once, even if the line is on the stack more than once */
	struct sprof_metrics total;
	size_t first_call, call_count;
};

/* An instruction. Several locations may have the same address. */
struct sprof_annotated_place {
	uint32_t location;
	struct sprof_metrics self, total;
};

struct sprof_annotation {
	/* by function, then file (the function's own first), then line */
	struct sprof_annotated_line *lines;
	size_t line_count;
	struct sprof_annotated_call *calls; /* by line, then function */
	size_t call_count;
	struct sprof_annotated_place *places; /* by location */
	size_t place_count;
	struct sprof_metrics self;  /* sum over the lines, and over the places */
	struct sprof_metrics total; /* of the function: counts each sample once */
	struct sprof_metrics whole; /* of the whole profile */
};

/* The innermost location outside the kernel. NONE: there is none. */
uint32_t sprof_annotation_leaf(const struct sprof_profile *profile, uint32_t stack);

/*
 * Adds up all rows with one of the chosen functions on the stack, inlined or not. Code inlined into
 * the function is part of it. `chosen` is indexed by function. The caller finishes *ret. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_annotation_build(const struct sprof_profile *profile, const bool *chosen,
	struct sprof_annotation *ret, struct sprof_error *err);
void sprof_annotation_finish(struct sprof_annotation *annotation);
