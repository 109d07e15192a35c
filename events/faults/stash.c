/*
 * A queue of records in one buffer. The buffer is reused from its start once the queue is empty. A
 * record that does not fit is rejected, and the caller unwinds it at once.
 */
#include "events/faults/stash.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MOST = 16 << 20, /* bytes: to walk as many stacks takes some 10 ms */
	ALIGN = 16,
};

static size_t size_of(const struct sprof_fault_kept *kept)
{
	const size_t size = sizeof(*kept) + kept->user.stack_size;

	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

bool sprof_fault_stash_put(struct sprof_fault_stash *stash, const struct sprof_fault_kept *kept)
{
	const size_t size = size_of(kept);
	unsigned char *at;

	if (stash->used + size > MOST ||
		!sprof_array_reserve(&stash->bytes, &stash->capacity, stash->used + size, 1))
		return false;
	at = stash->bytes + stash->used;
	memcpy(at, kept, sizeof(*kept));
	if (kept->user.stack_size)
		memcpy(at + sizeof(*kept), kept->user.stack, kept->user.stack_size);
	stash->used += size;
	return true;
}

bool sprof_fault_stash_take(struct sprof_fault_stash *stash, struct sprof_fault_kept *ret)
{
	const unsigned char *at = stash->bytes + stash->first;

	if (stash->first == stash->used)
		return false;
	memcpy(ret, at, sizeof(*ret));
	ret->record.raw = ret->record.rest = NULL;
	ret->user.stack = ret->user.stack ? at + sizeof(*ret) : NULL;
	stash->first += size_of(ret);
	if (stash->first == stash->used)
		stash->first = stash->used = 0;
	return true;
}

void sprof_fault_stash_finish(struct sprof_fault_stash *stash)
{
	free(stash->bytes);
	*stash = (struct sprof_fault_stash){0};
}
