/* Adds up memory growth. Does not subtract freed memory; counts a huge page as one page. */
#include "cmd/heap/growth.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/interned.h"
#include "profile/model/kinds.h"

bool sprof_growth_add(struct sprof_growth *growth, uint32_t thread, uint32_t stack, uint64_t bytes,
	uint64_t count)
{
	const struct sprof_growth_row row = {.thread = thread, .stack = stack};
	const struct sprof_interned table = SPROF_INTERNED(
		&growth->by_stack, growth->rows, growth->row_count, growth->row_capacity);
	uint32_t index;

	if (!sprof_intern(&table, sprof_key(thread, stack), &row, &index))
		return false;
	growth->rows[index].bytes += bytes;
	growth->rows[index].count += count;
	return true;
}

const int64_t *sprof_growth_calls(size_t *ret_count)
{
	static const int64_t calls[] = {SYS_brk, SYS_mmap, SYS_mremap, SYS_mprotect};

	*ret_count = sizeof(calls) / sizeof(calls[0]);
	return calls;
}

/* The first call of a process only asks where the end is. Returns false if out of memory. */
static bool move_break(
	struct sprof_growth *growth, const struct sprof_call *call, uint64_t *ret_bytes)
{
	const uint64_t end = (uint64_t)call->result;
	struct sprof_growth_break *found = NULL;

	*ret_bytes = 0;
	for (size_t i = 0; i < growth->break_count; i++) {
		if (growth->breaks[i].pid == call->pid)
			found = &growth->breaks[i];
	}
	if (!found) {
		return SPROF_ARRAY_APPEND(growth->breaks, growth->break_count,
			growth->break_capacity, (struct sprof_growth_break){call->pid, end});
	}
	/* A new program begins below. */
	*ret_bytes = end > found->end && call->arguments[0] ? end - found->end : 0;
	found->end = end;
	return true;
}

static uint64_t in_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Reserved memory (PROT_NONE) counts when it is made writable. */
static uint64_t mapped_by(const struct sprof_call *call)
{
	const uint64_t *arguments = call->arguments;

	switch (call->number) {
	case SYS_mmap:
		return arguments[3] & MAP_ANONYMOUS && arguments[2] & PROT_WRITE
			? in_pages(arguments[1])
			: 0;
	case SYS_mprotect:
		return arguments[2] & PROT_WRITE ? in_pages(arguments[1]) : 0;
	case SYS_mremap:
		return arguments[2] > arguments[1] ? in_pages(arguments[2] - arguments[1]) : 0;
	default:
		return 0;
	}
}

bool sprof_growth_add_call(struct sprof_growth *growth, const struct sprof_call *call)
{
	uint64_t bytes = mapped_by(call);

	if (call->ending != SPROF_CALL_RETURNED || call->is_error || !sprof_call_is_native(call))
		return true;
	if (call->number == SYS_brk && !move_break(growth, call, &bytes))
		return false;
	return !bytes || sprof_growth_add(growth, call->thread, call->stack, bytes, 1);
}

static const struct sprof_kind kinds[][2] = {
	[SPROF_GROWTH_TOUCHED] = {{"growth", "bytes", SPROF_FOLD_SUM},
		{"faults", "count", SPROF_FOLD_SUM}},
	[SPROF_GROWTH_RATE] = {{"allocated_per_second", "bytes", SPROF_FOLD_SUM},
		{"allocations_per_second", "count", SPROF_FOLD_SUM}},
	[SPROF_GROWTH_MAPPED] = {{"mapped", "bytes", SPROF_FOLD_SUM},
		{"calls", "count", SPROF_FOLD_SUM}},
};

void sprof_growth_begin_profile(struct sprof_profile *profile, enum sprof_growth_kind kind)
{
	for (size_t i = 0; i < 2; i++)
		profile->kinds.further[i] = kinds[kind][i];
	profile->kinds.further_count = 2;
	profile->kinds.shown = SPROF_WEIGHT_FURTHER;
}

bool sprof_growth_to_profile(const struct sprof_growth *growth, struct sprof_profile *profile)
{
	for (size_t i = 0; i < growth->row_count; i++) {
		const struct sprof_growth_row *row = &growth->rows[i];
		const uint64_t values[] = {row->bytes, row->count};

		if (row->stack < profile->stack_count &&
			!sprof_profile_add_values(profile, row->thread, row->stack, NULL, values))
			return false;
	}
	return true;
}

void sprof_growth_finish(struct sprof_growth *growth)
{
	free(growth->rows);
	free(growth->breaks);
	sprof_idmap_finish(&growth->by_stack);
	*growth = (struct sprof_growth){0};
}
