/* The contents of a dump: threads with stacks and waits, and deadlocks; as text or JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/dump/lock-cycles.h"
#include "cmd/dump/stacks.h"
#include "elfsym/core/core.h"
#include "elfsym/names/symbols.h"

struct sprof_dump_view {
	const struct sprof_stacks *stacks; /* sorted */
	const struct sprof_lock_cycles *cycles;
	const struct sprof_modules *modules;
	struct sprof_symbols *symbols;
	const struct sprof_core *core; /* NULL: live processes */
	bool short_names;
	bool with_locals; /* the stacks include register and memory state */
	uint64_t time_ns; /* since 1970; for live processes */
};

/* Both write to stdout. Return false if out of memory, or on write errors. */
SPROF_MUST_USE bool sprof_dump_print_text(
	const struct sprof_dump_view *view, struct sprof_error *err);
/* One line. */
SPROF_MUST_USE bool sprof_dump_print_json(
	const struct sprof_dump_view *view, struct sprof_error *err);

/* The lock that a thread waits for. */
struct sprof_dump_lock {
	/* determined from its memory, or from the functions on the stack */
	enum sprof_lock_kind kind;
	const char *variable; /* the variable that contains it; NULL: unknown */
	uint64_t offset;      /* offset in the variable; without one, the address */
};

/* Only for a thread with a lock_address. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_dump_lock_find(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, struct sprof_dump_lock *ret,
	struct sprof_error *err);

/*
 * The functions at a frame, innermost first; see sprof_symbols_resolve(). Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_dump_resolve(const struct sprof_dump_view *view,
	const struct sprof_frame *frame, struct sprof_locations *ret, struct sprof_error *err);
