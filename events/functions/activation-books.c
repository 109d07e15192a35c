/*
 * Rows of functions and callers, and the list of calls. Does not match begins with returns
 * (activation-stack.c).
 */
#include "events/functions/activation-books.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interned.h"

bool sprof_activation_books_row(struct sprof_activation_books *books, uint32_t thread,
	uint32_t function, uint32_t caller, uint32_t *ret_row)
{
	const struct sprof_interned table =
		SPROF_INTERNED(&books->index, books->rows, books->row_count, books->row_capacity);
	const struct sprof_activation_row row = {
		.thread = books->by_thread ? thread : SPROF_ACTIVATION_ANY,
		.function = function,
		.caller = caller,
	};

	return sprof_intern(
		&table, sprof_key((uint64_t)row.thread << 32 | function, caller), &row, ret_row);
}

bool sprof_activation_books_keep(struct sprof_activation_books *books,
	const struct sprof_activation *call, uint32_t *ret_call)
{
	*ret_call = SPROF_ACTIVATION_NONE;
	if (books->call_count >= books->limit) {
		books->dropped += books->limit > 0;
		return true;
	}
	if (!sprof_array_reserve(&books->calls, &books->call_capacity, books->call_count + 1,
		    sizeof(*books->calls)))
		return false;
	*ret_call = (uint32_t)books->call_count;
	books->calls[books->call_count++] = *call;
	return true;
}

bool sprof_activation_is_timed(enum sprof_activation_end end)
{
	return end < SPROF_ACTIVATION_LEFT;
}

uint64_t sprof_activation_row_calls(const struct sprof_activation_row *row)
{
	uint64_t calls = 0;

	for (int i = 0; i < SPROF_ACTIVATION_ENDS; i++)
		calls += row->ends[i];
	return calls;
}

void sprof_activation_books_finish(struct sprof_activation_books *books)
{
	for (size_t i = 0; i < books->row_count; i++)
		sprof_histogram_finish(&books->rows[i].whole);
	sprof_idmap_finish(&books->index);
	free(books->rows);
	free(books->calls);
	*books = (struct sprof_activation_books){0};
}
