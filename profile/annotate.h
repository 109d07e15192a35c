/*
 * The self time of one function by source line and by place in the code.
 */
#ifndef SPROF_PROFILE_ANNOTATE_H
#define SPROF_PROFILE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/* A source line: that of the innermost function there, which may be inlined. */
struct sprof_annotated_line {
	uint32_t function; /* whose code the line is */
	uint32_t line;     /* 0: unknown */
	struct sprof_metrics self;
};

/* An instruction. Several locations may be at one address. */
struct sprof_annotated_place {
	uint32_t location;
	struct sprof_metrics self;
};

struct sprof_annotation {
	struct sprof_annotated_line *lines; /* by function, then line */
	size_t line_count;
	struct sprof_annotated_place *places; /* by location */
	size_t place_count;
	struct sprof_metrics self;  /* the sum of either list */
	struct sprof_metrics whole; /* of the profile */
};

/*
 * The location where a stack's thread was in user code: the innermost outside the kernel. NONE: there
 * is none.
 */
uint32_t sprof_annotation_leaf(const struct sprof_profile *profile, uint32_t stack);

/*
 * Adds up all rows whose leaf is in one of the functions, itself or inlined, or in what is inlined
 * into it. `chosen` is by function. The caller finishes *ret. False: no memory.
 */
SPROF_MUST_USE bool sprof_annotation_build(const struct sprof_profile *profile, const bool *chosen,
	struct sprof_annotation *ret, struct sprof_error *err);
void sprof_annotation_finish(struct sprof_annotation *annotation);

#endif
