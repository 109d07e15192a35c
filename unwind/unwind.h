/*
 * Unwinds a copied stack into raw frames.
 *
 * A walk steps by compiled CFI rows. If they can't express a step, the full unwinder repeats the
 * walk from the start. Code without CFI is walked by frame pointer. A stack that ends early is a
 * result, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "unwind/snapshot.h"

struct sprof_unwinder; /* caches of CFI, for all processes */

enum { SPROF_UNWIND_DEFAULT_DEPTH = 8192 };

struct sprof_unwinder_options {
	size_t max_depth;        /* frames per stack, positive */
	uint64_t signature_mask; /* from sprof_regs_signature_mask() */
	bool wants_state;        /* views include `state` */
};

/* The modules must outlive the unwinder. Returns false if out of memory. */
bool sprof_unwinder_create(struct sprof_modules *modules,
	const struct sprof_unwinder_options *options, struct sprof_unwinder **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_unwinder_destroy(struct sprof_unwinder *unwinder);

/* The frames found, innermost first, and why the walk ended. Valid until the next walk. */
struct sprof_stack_view sprof_unwinder_walk(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps);

/* The sp in the innermost function's caller of that depth, from 1; 0: no walk leads there. */
uint64_t sprof_unwinder_find_caller_sp(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps, size_t depth);

/* See sprof_images_find_go(). */
const struct sprof_go_runtime *sprof_unwinder_find_go(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps);
/* The number of modules with Go's runtime that walks have led through: a new one may change the
 * result. */
unsigned sprof_unwinder_go_count(const struct sprof_unwinder *unwinder);

/* Whether a function of a Go program starts at an address. */
bool sprof_unwinder_is_go_entry(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps, uint64_t address);
/* In goroutine.c: the pc after the go statement that started the goroutine. 0: unknown, or the main
 * goroutine. */
uint64_t sprof_unwinder_find_creator(struct sprof_unwinder *unwinder, const struct sprof_maps *maps,
	const struct sprof_goroutine *goroutine);

/* Whether the address is in executable memory of the maps. */
bool sprof_unwinder_knows(const struct sprof_maps *maps, uint64_t pc);
