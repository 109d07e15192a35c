/*
 * What a call of an allocator does to the books. Does not handle: a signal handler that allocates on the
 * stack of a thread that is in an allocator (nobody may do that), and a child of vfork() that frees its
 * parent's memory.
 */
#include "events/heap-step.h"

#include "events/heap-calls.h"

/* Of the values of an event. */
enum { ARGUMENTS = 3, RESULT = 3 };

/* The call has not done anything. False: no memory. */
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

/* If nothing else is unknown, memory that nobody knows is that whose address could not be read. */
static uint32_t find_block(const struct sprof_heap_step *step, uint64_t address)
{
	const uint32_t block = sprof_heap_find(step->books, step->process, address);

	if (block != SPROF_HEAP_NONE || !step->options->is_whole)
		return block;
	return sprof_heap_find_adrift(step->books, step->process, address);
}

static bool free_block(const struct sprof_heap_step *step, uint32_t block)
{
	struct sprof_heap_books *books = step->books;

	return sprof_heap_free(books, block, step->event->time_ns,
		books->blocks[block].serial == *step->last_serial);
}

static bool free_memory(const struct sprof_heap_step *step, uint64_t address)
{
	uint32_t block;

	if (!address) {
		step->counts->null_frees++;
		return true;
	}
	block = find_block(step, address);
	if (block != SPROF_HEAP_NONE)
		return free_block(step, block);
	count_unknown(step, &step->counts->unknown_frees);
	return true;
}

/* The old memory may be another thread's before the call returns. */
static void begin_resize(const struct sprof_heap_step *step, struct sprof_heap_call *call)
{
	if (!call->pointer)
		return;
	call->block = find_block(step, call->pointer);
	if (call->block != SPROF_HEAP_NONE)
		sprof_heap_take_off(step->books, call->block);
	else
		count_unknown(step, &step->counts->unknown_resizes);
}

/* Calls that the thread can't be in any more. `ret_jumped`: the last of them may have become this one. */
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

static bool is_free(const struct sprof_heap_call *call)
{
	return call->allocator && call->allocator->kind == SPROF_ALLOCATOR_FREE;
}

/*
 * Memory that is known was allocated by a call that counts, so its end counts as well. It is not that
 * of the outer call, which is not found by its address any more. `ret_goes_on`: the call counts.
 */
static bool begin_inner(const struct sprof_heap_step *step, struct sprof_heap_call *outer,
	const struct sprof_heap_call *call, bool *ret_goes_on)
{
	const uint32_t block = call->pointer && call->allocator->kind != SPROF_ALLOCATOR_STORES
		? sprof_heap_find(step->books, step->process, call->pointer)
		: SPROF_HEAP_NONE;

	*ret_goes_on = block != SPROF_HEAP_NONE && !is_free(call);
	if (block != SPROF_HEAP_NONE && is_free(call))
		return free_block(step, block);
	if (!*ret_goes_on)
		sprof_heap_call_count(outer);
	return true;
}

static bool open_call(const struct sprof_heap_step *step, struct sprof_heap_call *call)
{
	struct sprof_heap_call oldest;

	step->counts->calls++;
	switch (call->allocator->kind) {
	case SPROF_ALLOCATOR_FREE:
		if (!free_memory(step, call->pointer))
			return false;
		break;
	case SPROF_ALLOCATOR_RESIZE:
	case SPROF_ALLOCATOR_RESIZE_F:
	case SPROF_ALLOCATOR_EXPAND:
		begin_resize(step, call);
		break;
	case SPROF_ALLOCATOR_NEW:
	case SPROF_ALLOCATOR_STORES:
	case SPROF_ALLOCATOR_THROWS:
		break;
	}
	if (!sprof_heap_calls_put(step->calls, call, &oldest))
		return true;
	step->counts->left++;
	return forget(step, &oldest);
}

/*
 * A call with the same sp has jumped here, to a function that does the same. So this one counts, on the
 * stack of the other one, and what that has freed at its entry is not freed again.
 */
static bool continue_call(const struct sprof_heap_step *step, struct sprof_heap_call *call,
	const struct sprof_heap_call *jumped)
{
	struct sprof_heap_call oldest;

	call->tails = jumped->tails + 1;
	call->stack = jumped->stack;
	if (is_free(jumped) && is_free(call) && jumped->pointer == call->pointer)
		return !sprof_heap_calls_put(step->calls, call, &oldest) || forget(step, &oldest);
	step->counts->calls--;
	return open_call(step, call);
}

bool sprof_heap_step_enter(const struct sprof_heap_step *step)
{
	struct sprof_heap_calls *calls = step->calls;
	struct sprof_heap_call call, jumped = {0}, *outer;
	bool goes_on = true;

	if (step->allocator->kind == SPROF_ALLOCATOR_THROWS) {
		sprof_heap_calls_doubt(calls, step->sp);
		return true;
	}
	call = call_of(step);
	if (!forget_left(step, step->sp, &jumped))
		return false;
	if (jumped.allocator)
		return continue_call(step, &call, &jumped);
	outer = sprof_heap_calls_around(calls, step->sp);
	if (outer && !begin_inner(step, outer, &call, &goes_on))
		return false;
	return !goes_on || open_call(step, &call);
}

static bool site_of(const struct sprof_heap_step *step, uint32_t stack, uint32_t *ret_site)
{
	return sprof_heap_site(step->books, step->event->thread, stack, ret_site);
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

/* Size 0 frees, unless the result says that there is memory of that size. */
static bool end_resize(
	const struct sprof_heap_step *step, const struct sprof_heap_call *call, uint64_t result)
{
	const bool frees = !call->size || call->allocator->kind == SPROF_ALLOCATOR_RESIZE_F;

	if (result)
		return resize(step, call, result);
	count_failure(step, call);
	if (call->block == SPROF_HEAP_NONE)
		return true;
	return frees ? free_block(step, call->block) : forget(step, call);
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

/* Of a call around it that may have been left, what is below sp may well be within it. */
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

	if (step->allocator->kind == SPROF_ALLOCATOR_THROWS)
		return true;
	if (!forget_left(step, step->sp - 1, &none))
		return false;
	if (sprof_heap_calls_take(calls, step->sp, &call))
		return end_call(step, &call);
	step->counts->unpaired_returns += !is_expected(calls, step->sp);
	return true;
}
