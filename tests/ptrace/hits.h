/*
 * tests/targets/hits.c as the target of tests with breakpoints: each call of one of its functions is one stop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/ptrace/scene.h"

/* The order of the target's ready line. */
enum function {
	ONE_BYTE,
	RIP_RELATIVE,
	JUMP,
	RELATIVE_CALL,
	BRANCH,
	INDIRECT_CALL,
	OWN_TRAP,
	ADDRESSES
};

enum { CALLS = 1000 };

struct program {
	struct scene *scene;
	uint64_t addresses[ADDRESSES];
};

/* Starts the program and attaches to it. */
struct program hits_attach(void **state);

/* The first process; in the tracing thread. */
struct sprof_process *hits_process(const struct scene *scene);

/* Works: a breakpoint at the address in `*data`; all breakpoints are removed. */
bool hits_insert(struct scene *scene, void *data);
bool hits_remove_all(struct scene *scene, void *unused);

/* Removes all, and fails the test where the code is not as it was. */
void hits_remove_and_compare(struct program *program);

/* A breakpoint at a function. */
void hits_put(struct program *program, enum function function);
/* A line for the program: what to do, with which function, how often. */
void hits_say(struct program *program, const char *what, enum function function, long calls);
/* What its calls must give together. */
long hits_sum_of(enum function function, long calls);
void hits_expect_result(struct program *program, long sum);

/* The hits since the last time. */
size_t hits_take(struct program *program);
