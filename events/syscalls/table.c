/* Statistics of system calls. Does not handle names or layout. */
#include "events/syscalls/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"

/* Rows keep their memory: the next interval has mostly the same calls. */
void sprof_call_table_reset(struct sprof_call_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct sprof_call_row *row = &table->rows[i];
		struct sprof_call_row empty = {.thread = row->thread,
			.arch = row->arch,
			.number = row->number,
			.stack = row->stack};

		sprof_histogram_reset(&row->latency);
		empty.latency = row->latency;
		*row = empty;
	}
}

void sprof_call_table_finish(struct sprof_call_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		sprof_histogram_finish(&table->rows[i].latency);
	sprof_idmap_finish(&table->index);
	free(table->rows);
	*table = (struct sprof_call_table){
		.threshold_ns = table->threshold_ns,
		.by_thread = table->by_thread,
		.by_stack = table->by_stack,
	};
}

/*
 * Finds or adds the row with the key fields of `like` that the table distinguishes. Returns NULL if
 * out of memory.
 */
static struct sprof_call_row *row_of(
	struct sprof_call_table *table, const struct sprof_call_row *like)
{
	const uint32_t thread = table->by_thread ? like->thread : SPROF_CALLS_ALL_THREADS;
	const uint32_t stack = table->by_stack ? like->stack : 0;
	const uint64_t high = (uint64_t)like->arch << 32 | thread;
	const uint64_t low = (uint64_t)(uint32_t)like->number << 32 | stack;
	uint32_t index = sprof_idmap_find(&table->index, high, low);

	if (index != SPROF_IDMAP_NONE)
		return &table->rows[index];
	if (!sprof_array_reserve(
		    &table->rows, &table->capacity, table->count + 1, sizeof(*table->rows)) ||
		!sprof_idmap_put(&table->index, high, low, (uint32_t)table->count))
		return NULL;
	table->rows[table->count] = (struct sprof_call_row){
		.thread = thread, .arch = like->arch, .number = like->number, .stack = stack};
	return &table->rows[table->count++];
}

/* Errors beyond the room are in the sum only. */
static void count_errors(struct sprof_call_row *row, int errnum, uint64_t count)
{
	for (size_t i = 0; i < CALL_ERRORS; i++) {
		struct sprof_call_error *error = &row->by_error[i];

		if (error->count && error->errnum != errnum)
			continue;
		error->errnum = errnum;
		error->count += count;
		return;
	}
}

bool sprof_call_is_whole(const struct sprof_call *call)
{
	return call->ending == SPROF_CALL_RETURNED ||
		(call->ending == SPROF_CALL_CUT && !call->was_before);
}

bool sprof_call_table_add(struct sprof_call_table *table, const struct sprof_call *call)
{
	const struct sprof_call_row like = {
		.thread = call->thread,
		.arch = call->arch,
		.number = call->number,
		.stack = call->stack,
	};
	struct sprof_call_row *row = row_of(table, &like);
	uint64_t ns = sprof_minus(call->end_ns, call->begin_ns);

	if (!row)
		return false;
	if (!sprof_call_is_whole(call)) {
		row->cut_off++;
		row->cut_off_ns += ns;
		row->open += call->ending == SPROF_CALL_OPEN;
		return true;
	}
	if (call->is_error) {
		row->errors++;
		count_errors(row, (int)-call->result, 1);
	}
	row->over += table->threshold_ns && ns > table->threshold_ns;
	return sprof_histogram_add(&row->latency, ns);
}

static bool merge_row(struct sprof_call_row *into, const struct sprof_call_row *from)
{
	into->errors += from->errors;
	for (size_t i = 0; i < CALL_ERRORS && from->by_error[i].count; i++)
		count_errors(into, from->by_error[i].errnum, from->by_error[i].count);
	into->over += from->over;
	into->cut_off += from->cut_off;
	into->cut_off_ns += from->cut_off_ns;
	into->open += from->open;
	return sprof_histogram_merge(&into->latency, &from->latency);
}

bool sprof_call_table_merge(struct sprof_call_table *into, const struct sprof_call_table *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct sprof_call_row *row = &from->rows[i];
		struct sprof_call_row *same = row_of(into, row);

		if (!same || !merge_row(same, row))
			return false;
	}
	return true;
}

static uint64_t time_of(const struct sprof_call_row *row)
{
	return row->latency.total + row->cut_off_ns;
}

static int compare_times(const void *a, const void *b)
{
	const struct sprof_call_row *one = a, *other = b;

	if (time_of(one) != time_of(other))
		return time_of(one) < time_of(other) ? 1 : -1;
	return (one->number > other->number) - (one->number < other->number);
}

static int compare_threads(const void *a, const void *b)
{
	const struct sprof_call_row *one = a, *other = b;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return compare_times(a, b);
}

/* The index no longer fits the rows. */
void sprof_call_table_sort(struct sprof_call_table *table)
{
	if (!table->count)
		return;
	qsort(table->rows, table->count, sizeof(*table->rows),
		table->by_thread ? compare_threads : compare_times);
	sprof_idmap_finish(&table->index);
}
