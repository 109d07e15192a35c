/*
 * Recursion on a path, folded: a series of calls that follows itself becomes one, with the number
 * of calls in each of its steps.
 *
 *   main fib fib fib            ->  main fib[x3]
 *   main even odd even odd even ->  main even[x2] odd[x2] even
 *
 * So every function of the path stays on it, in the same order, its last step stays the last, and
 * the calls of the steps add up to the length of the path.
 */
#ifndef SPROF_PROFILE_RECURSION_H
#define SPROF_PROFILE_RECURSION_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* The longest series of calls that is recognized. */
enum { SPROF_RECURSION_LONGEST = 16 };

struct sprof_step {
	uint32_t function;
	enum sprof_mark mark; /* joined of all its calls */
	uint32_t calls;       /* how many are folded into it; 1: none */
};

/*
 * Folds in place and returns the number of steps that are left. Time: as many comparisons as there
 * are steps, times the longest series at most.
 */
size_t sprof_recursion_fold(struct sprof_step *steps, size_t count);

#endif
