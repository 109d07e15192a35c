/*
 * Makes disjoint ranges from overlapping ones, by address and priority. A sweep over the sorted
 * starts keeps the open ranges in a heap, with the best one on top. Ended ranges are dropped only
 * when they reach the top, so the cost is O(n log n) for any overlap.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/elf/ranges.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"

struct sweep {
	const struct sprof_range *sorted;
	const struct sprof_range **heap;
	size_t heap_count;
	struct sprof_ranges result;
};

bool sprof_ranges_add(struct sprof_ranges *ranges, const struct sprof_range *range)
{
	if (range->low >= range->high)
		return true;
	return SPROF_ARRAY_APPEND(ranges->items, ranges->count, ranges->capacity, *range);
}

void sprof_ranges_finish(struct sprof_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct sprof_ranges){0};
}

static int compare_low(const void *left, const void *right)
{
	const struct sprof_range *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

static bool better(const struct sprof_range *a, const struct sprof_range *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->low != b->low)
		return a->low > b->low;
	return a->value > b->value;
}

static void heap_push(struct sweep *sweep, const struct sprof_range *range)
{
	size_t i = sweep->heap_count++;

	while (i > 0 && better(range, sweep->heap[(i - 1) / 2])) {
		sweep->heap[i] = sweep->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sweep->heap[i] = range;
}

static void heap_pop(struct sweep *sweep)
{
	const struct sprof_range *moved = sweep->heap[--sweep->heap_count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < sweep->heap_count) {
		if (child + 1 < sweep->heap_count &&
			better(sweep->heap[child + 1], sweep->heap[child]))
			child++;
		if (!better(sweep->heap[child], moved))
			break;
		sweep->heap[i] = sweep->heap[child];
		i = child;
	}
	sweep->heap[i] = moved;
}

/* Appends a piece of the result, or makes the last one longer. */
static bool emit(struct sweep *sweep, uint64_t low, uint64_t high, uint32_t value)
{
	struct sprof_ranges *result = &sweep->result;
	struct sprof_range *last = result->count ? &result->items[result->count - 1] : NULL;

	if (last && last->high == low && last->value == value) {
		last->high = high;
		return true;
	}
	return sprof_ranges_add(
		result, &(struct sprof_range){.low = low, .high = high, .value = value});
}

static bool run_sweep(struct sweep *sweep, size_t count)
{
	uint64_t position = 0;
	size_t next = 0;

	for (;;) {
		const struct sprof_range *top;
		uint64_t end;

		while (sweep->heap_count && sweep->heap[0]->high <= position)
			heap_pop(sweep);
		if (!sweep->heap_count && next == count)
			return true;
		if (!sweep->heap_count)
			position = sweep->sorted[next].low;
		while (next < count && sweep->sorted[next].low <= position)
			heap_push(sweep, &sweep->sorted[next++]);
		top = sweep->heap[0];
		end = top->high;
		if (next < count && sweep->sorted[next].low < end)
			end = sweep->sorted[next].low;
		if (!emit(sweep, position, end, top->value))
			return false;
		position = end;
	}
}

/* Compilers write most tables sorted. */
static bool is_sorted(const struct sprof_ranges *ranges)
{
	for (size_t i = 1; i < ranges->count; i++) {
		if (ranges->items[i].low < ranges->items[i - 1].low)
			return false;
	}
	return true;
}

bool sprof_ranges_settle(struct sprof_ranges *ranges)
{
	SPROF_AUTO_FREE const struct sprof_range **heap = NULL;
	struct sweep sweep = {.sorted = ranges->items};

	if (!ranges->count)
		return true;
	heap = calloc(ranges->count, sizeof(*heap));
	if (!heap)
		return false;
	if (!is_sorted(ranges))
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare_low);
	sweep.heap = heap;
	if (!run_sweep(&sweep, ranges->count)) {
		sprof_ranges_finish(&sweep.result);
		return false;
	}
	sprof_ranges_finish(ranges);
	*ranges = sweep.result;
	return true;
}

uint32_t sprof_ranges_find(const struct sprof_ranges *ranges, uint64_t address)
{
	const size_t low = sprof_upper_bound(
		ranges->items, ranges->count, SPROF_KEY(ranges->items, high, address));

	if (low == ranges->count || address < ranges->items[low].low)
		return SPROF_RANGES_NONE;
	return ranges->items[low].value;
}
