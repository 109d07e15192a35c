/*
 * Applies an allocator call to the accounts. Does not handle a signal handler that allocates while
 * its thread is in an allocator (which is not permitted), nor a vfork() child that frees its
 * parent's memory.
 */
#include "events/heap/step.h"

#include "events/heap/calls.h"

/* Indices of an event's values. */
enum { ARGUMENTS = 3, RESULT = 3 };

/* The call has not done anything. Returns false if out of memory. */
static bool forget(const struct sprof_heap_step *step, const struct sprof_heap_call *call)
{
	return call->block == SPROF_HEAP_NONE || sprof_heap_put_back(step->books, call->block);
}

static uint64_t argument_of(const struct sprof_heap_step *step, int8_t number)
{
	return number < 0 ? 0 : (uint64_t)step->event->fields[ARGUMENTS + number].integer;
}

static uint64_t size_of(const struct sprof_heap_step *step)
{
	uint64_t arguments[SPROF_TRACE_ARGUMENTS];

	for (size_t i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		arguments[i] = (uint64_t)step->event->fields[ARGUMENTS + i].integer;
	return sprof_allocator_size(step->allocator, arguments);
}

static struct sprof_heap_call call_of(const struct sprof_heap_step *step)
{
	return (struct sprof_heap_call){
		.allocator = step->allocator,
		.sp = step->sp,
		.pointer = argument_of(step, step->allocator->pointer),
		.size = size_of(step),
		.alignment = argument_of(step, step->allocator->alignment),
		.stack = (uint32_t)step->event->stack,
		.block = SPROF_HEAP_NONE,
	};
}

static void count_unknown(const struct sprof_heap_step *step, uint64_t *counter)
{
	if (step->is_copy)
		step->counts->inherited_frees++;
	else
		++*counter;
}

/*
 * If only one allocation's address could not be read, an unknown block is taken to be that one.
 * `is_inner`: an allocator's internal memory is unknown as well.
 */
static uint32_t find_block(const struct sprof_heap_step *step, uint64_t address, bool is_inner)
{
	const uint32_t block = sprof_heap_find(step->books, step->process, address);

	if (block != SPROF_HEAP_NONE || is_inner || !step->options->is_whole)
		return block;
	return sprof_heap_find_adrift(step->books, step->process, address);
}

static bool free_block(const struct sprof_heap_step *step, uint32_t block)
{
	struct sprof_heap_books *books = step->books;

	return sprof_heap_free(books, block, step->event->time_ns,
		books->blocks[block].serial == *step->last_serial);
}

static bool site_of(const struct sprof_heap_step *step, uint32_t stack, uint32_t *ret_site)
{
	return sprof_heap_site(step->books, step->event->thread, stack, ret_site);
}

/*
 * Counts it for the code that frees, if that is wanted: calls have stacks for other reasons, too.
 */
static bool release(const struct sprof_heap_step *step, uint32_t stack, uint32_t block)
{
	uint32_t site;

	if (!stack || !step->options->releases)
		return true;
	if (!site_of(step, stack, &site))
		return false;
	sprof_heap_release(step->books, block, site);
	return true;
}

/*
 * Frees at the entry, without waiting for the return: calls inside either free the same memory,
 * which is already removed, or other memory of an outer call.
 */
static bool free_memory(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, bool is_inner)
{
	const bool goes_on = sprof_heap_calls_free(step->calls, call->pointer, call->sp);
	const uint32_t block = call->pointer ? find_block(step, call->pointer, is_inner || goes_on)
					     : SPROF_HEAP_NONE;

	if (block == SPROF_HEAP_NONE && (is_inner || goes_on))
		return true;
	step->counts->calls += !is_inner;
	if (block != SPROF_HEAP_NONE)
		return release(step, call->stack, block) && free_block(step, block);
	if (call->pointer)
		count_unknown(step, &step->counts->unknown_frees);
	else
		step->counts->null_frees++;
	return true;
}

/* The old memory may be another thread's before the call returns. */
static void begin_resize(const struct sprof_heap_step *step, struct sprof_heap_call *call)
{
	if (!call->pointer)
		return;
	call->block = find_block(step, call->pointer, false);
	if (call->block != SPROF_HEAP_NONE)
		sprof_heap_take_off(step->books, call->block);
	else
		count_unknown(step, &step->counts->unknown_resizes);
}

/*
 * Removes calls that the thread can't be in any more. `ret_jumped`: the last of them may have
 * become this one by a tail call.
 */
static bool forget_left(
	const struct sprof_heap_step *step, uint64_t sp, struct sprof_heap_call *ret_jumped)
{
	struct sprof_heap_calls *calls = step->calls;
	struct sprof_heap_call left;

	while (sprof_heap_calls_take_left(calls, sp, &left)) {
		if (!forget(step, &left))
			return false;
		if (left.sp == step->sp && !left.is_doubtful)
			*ret_jumped = left;
		else
			step->counts->left++;
	}
	return true;
}

/* Inner calls count only if they resize known memory. */
static bool counts_within(const struct sprof_heap_step *step, const struct sprof_heap_call *call)
{
	return call->pointer && call->allocator->kind != SPROF_ALLOCATOR_STORES &&
		sprof_heap_find(step->books, step->process, call->pointer) != SPROF_HEAP_NONE;
}

static bool open_call(const struct sprof_heap_step *step, struct sprof_heap_call *call)
{
	struct sprof_heap_call oldest;

	step->counts->calls++;
	if (call->allocator->kind == SPROF_ALLOCATOR_RESIZE ||
		call->allocator->kind == SPROF_ALLOCATOR_RESIZE_F ||
		call->allocator->kind == SPROF_ALLOCATOR_EXPAND)
		begin_resize(step, call);
	if (!sprof_heap_calls_put(step->calls, call, &oldest))
		return true;
	step->counts->left++;
	return forget(step, &oldest);
}

/*
 * A call with the same sp has made a tail call to a function of the same kind. So this one counts,
 * with the stack of the other.
 */
static bool continue_call(const struct sprof_heap_step *step, struct sprof_heap_call *call,
	const struct sprof_heap_call *jumped)
{
	call->tails = jumped->tails + 1;
	call->stack = jumped->stack;
	step->counts->calls--;
	if (call->allocator->kind != SPROF_ALLOCATOR_FREE)
		return open_call(step, call);
	step->calls->late_sp = call->sp;
	step->calls->late = call->tails;
	return free_memory(step, call, false);
}

bool sprof_heap_step_enter(const struct sprof_heap_step *step)
{
	struct sprof_heap_call call, jumped = {0}, *outer;

	if (step->allocator->kind == SPROF_ALLOCATOR_THROWS) {
		sprof_heap_calls_doubt(step->calls, step->sp);
		return true;
	}
	call = call_of(step);
	if (!forget_left(step, step->sp, &jumped))
		return false;
	if (jumped.allocator)
		return continue_call(step, &call, &jumped);
	outer = sprof_heap_calls_around(step->calls, step->sp);
	if (call.allocator->kind == SPROF_ALLOCATOR_FREE)
		return free_memory(step, &call, outer);
	if (!outer || counts_within(step, &call))
		return open_call(step, &call);
	sprof_heap_call_count(outer);
	return true;
}

static bool allocate(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t address)
{
	struct sprof_heap_books *books = step->books;
	struct sprof_heap_request request = {
		.time_ns = step->event->time_ns,
		.address = address,
		.size = call->size,
		.process = step->process,
	};

	if (call->allocator->kind == SPROF_ALLOCATOR_STORES)
		request.alignment = call->alignment ? call->alignment : 1;
	if (!site_of(step, call->stack, &request.site) || !sprof_heap_allocate(books, &request))
		return false;
	*step->last_serial = books->serial;
	return true;
}

static bool resize(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t address)
{
	struct sprof_heap_books *books = step->books;
	struct sprof_heap_request request = {
		.time_ns = step->event->time_ns,
		.address = address,
		.size = call->size,
		.process = step->process,
	};

	if (call->block == SPROF_HEAP_NONE)
		return allocate(step, call, address);
	if (!site_of(step, call->stack, &request.site) ||
		!sprof_heap_resize(books, call->block, &request))
		return false;
	*step->last_serial = books->serial;
	return true;
}

static void count_failure(const struct sprof_heap_step *step, const struct sprof_heap_call *call)
{
	step->counts->failed += call->size != 0;
}

static bool end_new(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t result)
{
	if (result)
		return allocate(step, call, result);
	count_failure(step, call);
	return true;
}

static bool end_store(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t result)
{
	const struct sprof_allocations_options *options = step->options;
	uint64_t address = 0;

	if (result) {
		count_failure(step, call);
		return true;
	}
	if (!options->read_word ||
		!options->read_word(options->data, step->event, call->pointer, &address) ||
		(call->alignment && address % call->alignment))
		address = 0;
	step->counts->unread += !address;
	return allocate(step, call, address);
}

/* Size 0 frees, unless the result is memory of size 0. */
static bool end_resize(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t result)
{
	const bool frees = !call->size || call->allocator->kind == SPROF_ALLOCATOR_RESIZE_F;

	if (result)
		return resize(step, call, result);
	count_failure(step, call);
	if (call->block == SPROF_HEAP_NONE)
		return true;
	if (!frees)
		return forget(step, call);
	return release(step, call->stack, call->block) && free_block(step, call->block);
}

static bool end_expand(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t result)
{
	if (call->block == SPROF_HEAP_NONE)
		return true;
	return result < call->size ? forget(step, call) : resize(step, call, call->pointer);
}

static bool end_call(const struct sprof_heap_step *step, const struct sprof_heap_call *call)
{
	const uint64_t result = (uint64_t)step->event->fields[RESULT].integer;

	switch (call->allocator->kind) {
	case SPROF_ALLOCATOR_NEW:
		return end_new(step, call, result);
	case SPROF_ALLOCATOR_STORES:
		return end_store(step, call, (uint32_t)result);
	case SPROF_ALLOCATOR_RESIZE:
	case SPROF_ALLOCATOR_RESIZE_F:
		return end_resize(step, call, result);
	case SPROF_ALLOCATOR_EXPAND:
		return end_expand(step, call, result);
	case SPROF_ALLOCATOR_FREE:
	case SPROF_ALLOCATOR_THROWS:
		break;
	}
	return true;
}

/* If an enclosing call may have been left, code below its sp may still be inside it. */
static bool is_expected(struct sprof_heap_calls *calls, uint64_t sp)
{
	if (sprof_heap_calls_around(calls, sp) || sprof_heap_calls_take_late(calls, sp))
		return true;
	for (size_t i = 0; i < calls->count; i++) {
		if (calls->open[i].is_doubtful)
			return true;
	}
	return false;
}

bool sprof_heap_step_leave(const struct sprof_heap_step *step)
{
	struct sprof_heap_calls *calls = step->calls;
	struct sprof_heap_call call, none;

	if (step->allocator->kind == SPROF_ALLOCATOR_THROWS ||
		step->allocator->kind == SPROF_ALLOCATOR_FREE)
		return true;
	if (!forget_left(step, step->sp - 1, &none))
		return false;
	if (sprof_heap_calls_take(calls, step->sp, &call))
		return end_call(step, &call);
	step->counts->unpaired_returns += !is_expected(calls, step->sp);
	return true;
}
