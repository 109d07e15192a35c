/* The function of the program's own code that a stack's time is charged to. */
#pragma once

#include <stdint.h>

#include "profile/model/expand.h"
#include "profile/model/profile.h"

/* The function that a stack's time is charged to. */
struct sprof_own_place {
	/*
	 * The innermost function of the most specific code on the stack, which is the program's own
	 * if there is any. In place of a library's function without a name: its nearest caller with
	 * a name. In place of a program's one: the innermost library function that it called. NONE:
	 * an empty stack.
	 */
	uint32_t function;
	const struct sprof_profile_line *line; /* where it is on the stack; NULL: an empty stack */
	/*
	 * The function with a name that it called, if that is other code; NONE: none, or the kernel
	 */
	uint32_t inner;
	uint32_t kernel; /* the kernel's entry, "[read]"; NONE: the stack ends in user space */
};

struct sprof_own_place sprof_own_place_of(const struct sprof_profile *profile, uint32_t stack);

/* Keeps only the function that is charged and its callers of the same code. */
void sprof_own_frames_keep(
	const struct sprof_profile *profile, uint32_t stack, struct sprof_expansion *frames);

/* The number of the program's own functions, except main. */
uint8_t sprof_own_frames_depth(
	const struct sprof_profile *profile, const struct sprof_expansion *frames);

/* The line of the charged function. NULL: an empty stack. */
const struct sprof_profile_line *sprof_profile_own_line(
	const struct sprof_profile *profile, uint32_t stack);
