/* Memory growth by thread and stack, and its rows in a profile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/syscalls/calls.h"
#include "profile/model/profile.h"

/* What is counted. */
enum sprof_growth_kind {
	SPROF_GROWTH_TOUCHED, /* pages, when first touched */
	SPROF_GROWTH_RATE,    /* bytes requested from allocators, per second */
	SPROF_GROWTH_MAPPED,  /* memory made usable by system calls; it may stay untouched */
};

/* Zeroed is empty and valid. */
struct sprof_growth {
	struct sprof_growth_row {
		uint32_t thread, stack; /* ids of the profile */
		uint64_t bytes, count;
	} * rows;
	size_t row_count, row_capacity;
	struct sprof_idmap by_stack;
	struct sprof_growth_break {
		pid_t pid;
		uint64_t end;
	} * breaks; /* end of each process's data segment after its last brk(2) */
	size_t break_count, break_capacity;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_growth_add(struct sprof_growth *growth, uint32_t thread, uint32_t stack,
	uint64_t bytes, uint64_t count);

/* The numbers of system calls that make memory usable. */
const int64_t *sprof_growth_calls(size_t *ret_count);
/* Counts the memory that such a call has made usable. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_growth_add_call(
	struct sprof_growth *growth, const struct sprof_call *call);

/* Adds the kinds to the profile; call it before the first row. */
void sprof_growth_begin_profile(struct sprof_profile *profile, enum sprof_growth_kind kind);
/* Adds the rows, once locations are named. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_growth_to_profile(
	const struct sprof_growth *growth, struct sprof_profile *profile);

void sprof_growth_finish(struct sprof_growth *growth);
