/*
 * Ways in which a thread of the test can come to stand somewhere, and a copy of its stack there.
 */
#pragma once

#include <stdint.h>

#include "unwind/snapshot.h"

enum { PLACE_COPY = 512 * 1024 };

/* Where a thread stood, and its stack then. */
struct place {
	struct sprof_snapshot snapshot;
	uint8_t bytes[PLACE_COPY];
};

/* Where the shapes put their place. */
extern struct place *volatile place_to_fill;

/* Each calls its way to a place and returns; the number is the depth or the size, where there is one. */
typedef unsigned step(unsigned more);

step litter;
step litter_by_alloca;
step leaf;
step plain_leaf;
unsigned by_alloca(step *next, unsigned size);
step middle;
step above_plain;
step recursion;
step recursion_to_itself;
step plain_recursion;
step jumps_on;
step to_what_jumps;
step to_what_jumps_twice;
step to_what_jumps_through_pointer;
step through_pointer;
step above_a_large_frame;
step from_qsort_by_alloca;
step from_qsort;
step from_bsearch;
step from_a_handler;
