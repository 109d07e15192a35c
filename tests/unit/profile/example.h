/*
 * Profiles made by hand, for the tests of profile/ and output/.
 */
#pragma once

#include "profile/model/profile.h"

/* The thread `name` (tid 101 and up) of process 100 "example". Returns its index. */
uint32_t example_thread(struct sprof_profile *profile, const char *name);

/* The stack of "main;a;b", outermost function first. */
uint32_t example_stack(struct sprof_profile *profile, const char *folded);

struct example_function {
	const char *name; /* NULL: behind the last one */
	const char *module;
	const char *file; /* NULL: unknown */
	uint32_t line;    /* of the place in it */
};
/* The stack of these functions, outermost first. */
uint32_t example_stack_in(struct sprof_profile *profile, const struct example_function *functions);

/* Weight of a thread on a stack, its state not known. */
void example_add_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_metrics *metrics);

/* The same on a stack of that kind. */
void example_add(struct sprof_profile *profile, uint32_t thread, const char *folded,
	const struct sprof_metrics *metrics);

/* The example of the reports' specification: 17 samples of one thread, each 1 ms of user time. */
struct sprof_profile *example_worked(void);
