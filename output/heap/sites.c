/* Adds up the heap books by stack. Does not handle names. */
#include "output/heap/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/interned.h"
#include "base/numbers.h"
#include "profile/model/kinds.h"

/* Each kind is of bytes or of objects. */
static const struct sprof_kind kinds[SPROF_HEAP_KINDS] = {
	[SPROF_HEAP_ALLOC_OBJECTS] = {"alloc_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_ALLOC_SPACE] = {"alloc_space", "bytes", SPROF_FOLD_SUM},
	[SPROF_HEAP_INUSE_OBJECTS] = {"inuse_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_INUSE_SPACE] = {"inuse_space", "bytes", SPROF_FOLD_SUM},
	[SPROF_HEAP_PEAK_OBJECTS] = {"peak_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_PEAK_SPACE] = {"peak_space", "bytes", SPROF_FOLD_SUM},
	[SPROF_HEAP_FREED_OBJECTS] = {"freed_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_FREED_SPACE] = {"freed_space", "bytes", SPROF_FOLD_SUM},
	[SPROF_HEAP_TEMPORARY_OBJECTS] = {"temporary_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_TEMPORARY_SPACE] = {"temporary_space", "bytes", SPROF_FOLD_SUM},
	[SPROF_HEAP_RELEASED_OBJECTS] = {"released_objects", "count", SPROF_FOLD_SUM},
	[SPROF_HEAP_RELEASED_SPACE] = {"released_space", "bytes", SPROF_FOLD_SUM},
};

static bool is_bytes(enum sprof_heap_kind kind)
{
	return kind % 2 == SPROF_HEAP_ALLOC_SPACE;
}

static struct sprof_heap_sum plus(struct sprof_heap_sum a, struct sprof_heap_sum b)
{
	return (struct sprof_heap_sum){a.bytes + b.bytes, a.objects + b.objects};
}

struct sprof_heap_sum sprof_heap_unfreed(const struct sprof_heap_sum sums[SPROF_HEAP_FIGURES])
{
	return plus(sums[SPROF_HEAP_LIVE], sums[SPROF_HEAP_LEFT]);
}

struct sprof_heap_sum sprof_heap_row_figure(
	const struct sprof_heap_row *row, enum sprof_heap_kind kind)
{
	switch (kind) {
	case SPROF_HEAP_INUSE_OBJECTS:
	case SPROF_HEAP_INUSE_SPACE:
		return sprof_heap_unfreed(row->sums);
	case SPROF_HEAP_PEAK_OBJECTS:
	case SPROF_HEAP_PEAK_SPACE:
		return row->at_peak;
	case SPROF_HEAP_FREED_OBJECTS:
	case SPROF_HEAP_FREED_SPACE:
		return row->sums[SPROF_HEAP_FREED];
	case SPROF_HEAP_TEMPORARY_OBJECTS:
	case SPROF_HEAP_TEMPORARY_SPACE:
		return row->sums[SPROF_HEAP_TEMPORARY];
	case SPROF_HEAP_RELEASED_OBJECTS:
	case SPROF_HEAP_RELEASED_SPACE:
		return row->sums[SPROF_HEAP_RELEASED];
	case SPROF_HEAP_ALLOC_OBJECTS:
	case SPROF_HEAP_ALLOC_SPACE:
	case SPROF_HEAP_KINDS:
		break;
	}
	return row->sums[SPROF_HEAP_ALLOCATED];
}

bool sprof_heap_needs_releases(const char *name)
{
	return name &&
		(!strcmp(name, kinds[SPROF_HEAP_RELEASED_OBJECTS].name) ||
			!strcmp(name, kinds[SPROF_HEAP_RELEASED_SPACE].name));
}

void sprof_heap_begin_profile(
	struct sprof_profile *profile, enum sprof_heap_kind shown, bool with_releases)
{
	profile->kinds.further_count =
		with_releases ? SPROF_HEAP_KINDS : SPROF_HEAP_RELEASED_OBJECTS;
	for (size_t i = 0; i < profile->kinds.further_count; i++)
		profile->kinds.further[i] = kinds[i];
	profile->kinds.shown = (enum sprof_weight)(SPROF_WEIGHT_FURTHER + (unsigned)shown);
}

/* A stack of the allocator alone keeps its frame. */
static uint32_t caller_of(const struct sprof_profile *profile, uint32_t stack)
{
	uint32_t parent;

	if (stack >= profile->stack_count || stack == SPROF_PROFILE_ROOT)
		return SPROF_PROFILE_ROOT;
	parent = profile->stacks[stack].parent;
	return parent == SPROF_PROFILE_ROOT ? stack : parent;
}

static void add_site(const struct sprof_heap_books *books, const struct sprof_heap_site *site,
	struct sprof_heap_row *row)
{
	for (size_t i = 0; i < SPROF_HEAP_FIGURES; i++)
		row->sums[i] = plus(row->sums[i], site->sums[i]);
	row->at_peak = plus(row->at_peak, sprof_heap_at_peak(books, site));
}

bool sprof_heap_to_profile(const struct sprof_heap_books *books, struct sprof_profile *profile)
{
	for (size_t i = 0; i < books->site_count; i++) {
		const struct sprof_heap_site *site = &books->sites[i];
		struct sprof_heap_row from = {0};
		uint64_t values[SPROF_HEAP_KINDS];

		add_site(books, site, &from);
		for (enum sprof_heap_kind kind = 0; kind < SPROF_HEAP_KINDS; kind++) {
			const struct sprof_heap_sum sum = sprof_heap_row_figure(&from, kind);

			values[kind] = is_bytes(kind) ? sum.bytes : sum.objects;
		}
		if (!sprof_profile_add_values(
			    profile, site->thread, caller_of(profile, site->stack), NULL, values))
			return false;
	}
	return true;
}

static bool row_of(struct sprof_heap_rows *rows, uint32_t stack, struct sprof_heap_row **ret_row)
{
	const struct sprof_heap_row row = {.stack = stack};
	const struct sprof_interned table =
		SPROF_INTERNED(&rows->by_stack, rows->items, rows->count, rows->capacity);
	uint32_t index;

	if (!sprof_intern(&table, sprof_key(0, stack), &row, &index))
		return false;
	*ret_row = &rows->items[index];
	return true;
}

static uint64_t age_of(
	const struct sprof_heap_books *books, const struct sprof_heap_block *block, uint64_t now_ns)
{
	const struct sprof_heap_process *process = &books->processes[block->process];
	const uint64_t end_ns = process->has_ended ? process->ended_ns : now_ns;

	return sprof_minus(end_ns, block->born_ns);
}

static void add_old(
	struct sprof_heap_rows *rows, struct sprof_heap_row *row, uint64_t size, uint64_t age_ns)
{
	const struct sprof_heap_sum sum = {size, 1};

	rows->old = plus(rows->old, sum);
	row->old = plus(row->old, sum);
	row->oldest_ns = age_ns > row->oldest_ns ? age_ns : row->oldest_ns;
}

bool sprof_heap_rows_create(const struct sprof_heap_books *books,
	const struct sprof_profile *profile, uint64_t now_ns, uint64_t older_ns,
	struct sprof_heap_rows *ret)
{
	struct sprof_heap_row *row;

	*ret = (struct sprof_heap_rows){0};
	for (size_t i = 0; i < books->site_count; i++) {
		if (!row_of(ret, caller_of(profile, books->sites[i].stack), &row))
			return false;
		add_site(books, &books->sites[i], row);
	}
	for (size_t i = 0; i < books->block_count; i++) {
		const struct sprof_heap_block *block = &books->blocks[i];
		uint64_t age_ns;

		if (block->state == SPROF_HEAP_BLOCK_FREE)
			continue;
		age_ns = age_of(books, block, now_ns);
		if (!row_of(ret, caller_of(profile, books->sites[block->site].stack), &row))
			return false;
		if (age_ns >= older_ns)
			add_old(ret, row, block->size, age_ns);
	}
	return true;
}

/* Equal figures stay in the order of their stacks. */
static int compare_with(const struct sprof_heap_row *a, const struct sprof_heap_row *b,
	uint64_t a_value, uint64_t b_value)
{
	if (a_value != b_value)
		return a_value > b_value ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static int compare(const void *a, const void *b, void *data)
{
	const enum sprof_heap_kind kind = *(const enum sprof_heap_kind *)data;
	const struct sprof_heap_sum a_sum = sprof_heap_row_figure(a, kind);
	const struct sprof_heap_sum b_sum = sprof_heap_row_figure(b, kind);

	return is_bytes(kind) ? compare_with(a, b, a_sum.bytes, b_sum.bytes)
			      : compare_with(a, b, a_sum.objects, b_sum.objects);
}

void sprof_heap_rows_sort(struct sprof_heap_rows *rows, enum sprof_heap_kind kind)
{
	if (rows->count)
		qsort_r(rows->items, rows->count, sizeof(*rows->items), compare, &kind);
}

static int compare_old(const void *a, const void *b)
{
	const struct sprof_heap_row *first = a, *second = b;

	return compare_with(first, second, first->old.bytes, second->old.bytes);
}

void sprof_heap_rows_sort_old(struct sprof_heap_rows *rows)
{
	if (rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_old);
}

void sprof_heap_rows_finish(struct sprof_heap_rows *rows)
{
	free(rows->items);
	sprof_idmap_finish(&rows->by_stack);
	*rows = (struct sprof_heap_rows){0};
}
