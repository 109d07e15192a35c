/*
 * Finds the functions between two functions connected by tail calls. Needs no file: a callback
 * provides the graph.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Functions are identified by the link-time address of their first instruction. */
struct sprof_tail_call {
	uint64_t place;  /* an address inside the calling instruction */
	uint64_t target; /* the function entered */
};

/* The tail calls of one function. */
struct sprof_tail_list {
	const struct sprof_tail_call *items;
	size_t count;
	bool leads_anywhere; /* it may make tail calls to functions not in the list */
};

struct sprof_tail_graph {
	void *data;
	/* The list is valid until the next call. Returns false if out of memory. */
	bool (*calls)(void *data, uint64_t function, struct sprof_tail_list *ret);
};

enum sprof_tail_outcome {
	SPROF_TAIL_PATH_NONE,    /* no known path */
	SPROF_TAIL_PATH_ONE,     /* exactly one path is possible */
	SPROF_TAIL_PATH_SEVERAL, /* more than one path is possible */
};

/* A function on the path, and where it makes the tail call to the next one. */
struct sprof_tail_step {
	uint64_t function;
	uint64_t place; /* 0: several such places */
};

/* Zeroed is empty and valid. */
struct sprof_tail_path {
	enum sprof_tail_outcome outcome;
	/* if there is one path: starting with `from`, without `to` */
	struct sprof_tail_step *steps;
	size_t count;
};

/*
 * How tail calls lead from one function to another. The caller finishes *ret. Returns false if out
 * of memory.
 */
bool sprof_tail_path_find(const struct sprof_tail_graph *graph, uint64_t from, uint64_t to,
	struct sprof_tail_path *ret) SPROF_MUST_USE;
void sprof_tail_path_finish(struct sprof_tail_path *path);
