/*
 * Which functions lie between two functions that tail calls connect. Needs no file: the graph comes
 * through a function.
 */
#ifndef SPROF_ELFSYM_TAIL_PATHS_H
#define SPROF_ELFSYM_TAIL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Functions are known by the link-time address of their first instruction. */
struct sprof_tail_call {
	uint64_t place;  /* an address inside the instruction that makes the call */
	uint64_t target; /* the function that it enters */
};

/* The tail calls of one function. */
struct sprof_tail_list {
	const struct sprof_tail_call *items;
	size_t count;
	bool leads_anywhere; /* it may make tail calls to functions that are not in the list */
};

struct sprof_tail_graph {
	void *data;
	/* The list is valid until the next call. False: no memory. */
	bool (*calls)(void *data, uint64_t function, struct sprof_tail_list *ret);
};

enum sprof_tail_outcome {
	SPROF_TAIL_PATH_NONE,    /* no known path */
	SPROF_TAIL_PATH_ONE,     /* no other path is possible */
	SPROF_TAIL_PATH_SEVERAL, /* there is one, and others are possible */
};

/* One function on the path, and where it makes the tail call to the next one. */
struct sprof_tail_step {
	uint64_t function;
	uint64_t place; /* 0: there are several such places */
};

/* Zeroed is empty and valid. */
struct sprof_tail_path {
	enum sprof_tail_outcome outcome;
	struct sprof_tail_step *steps; /* if there is one path: from `from` on, without `to` */
	size_t count;
};

/*
 * How tail calls lead from one function to another one. The caller finishes *ret. False: no memory.
 */
bool sprof_tail_path_find(const struct sprof_tail_graph *graph, uint64_t from, uint64_t to,
	struct sprof_tail_path *ret) SPROF_MUST_USE;
void sprof_tail_path_finish(struct sprof_tail_path *path);

#endif
