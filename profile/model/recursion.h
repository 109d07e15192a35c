/*
 * Folds recursion on a path: a repeated series of calls becomes one series, with the number of
 * calls in each step.
 *
 *   main fib fib fib            -> main fib[x3]
 *   main even odd even odd even -> main even[x2] odd[x2] even
 *
 * All functions stay on the path in the same order, the last step stays last, and the calls of all
 * steps add up to the path's length.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* The longest repeated series that is recognised. */
enum { SPROF_RECURSION_LONGEST = 16 };

struct sprof_step {
	uint32_t function;
	enum sprof_mark mark; /* combined mark of all its calls */
	uint32_t calls;       /* number of calls folded into it; 1: not folded */
};

/*
 * Folds in place and returns the remaining number of steps. Takes at most count *
 * SPROF_RECURSION_LONGEST comparisons.
 */
size_t sprof_recursion_fold(struct sprof_step *steps, size_t count);
