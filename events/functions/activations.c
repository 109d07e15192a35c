/*
 * Distributes events to the call stacks of their threads. A forked process starts inside the calls
 * of the thread that forked. Does not handle a single stack (activation-stack.c).
 */
#include "events/functions/activations.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/idmap.h"
#include "events/functions/activation-stack.h"

enum {
	/* Places of values of PROBE and RETURN. */
	FUNCTION = 0,
	STACK_POINTER = 2,
	CHILD = 0,           /* of FORK */
	BIRTHS_LIMIT = 4096, /* processes that may yet call something */
};

struct thread {
	uint32_t id;
	pid_t pid;
	struct sprof_activation_stack stack;
};

/* A process of which nothing was heard yet: its only thread is inside these calls. */
struct birth {
	pid_t pid;
	struct sprof_activation_frame *frames;
	size_t count;
};

struct sprof_activations {
	struct sprof_activations_options options;
	struct sprof_activation_books books;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct sprof_idmap by_id;
	struct birth *births;
	size_t birth_count, birth_capacity;
};

struct sprof_activations *sprof_activations_create(const struct sprof_activations_options *options)
{
	struct sprof_activations *activations = calloc(1, sizeof(*activations));

	if (!activations)
		return NULL;
	activations->options = *options;
	activations->books.weight = 1;
	activations->books.by_thread = options->by_thread;
	activations->books.limit = options->keep_limit;
	activations->books.ended = options->ended;
	activations->books.data = options->data;
	return activations;
}

static struct birth *find_birth(const struct sprof_activations *activations, pid_t pid)
{
	for (size_t i = 0; i < activations->birth_count; i++) {
		if (activations->births[i].pid == pid)
			return &activations->births[i];
	}
	return NULL;
}

static void remove_birth(struct sprof_activations *activations, struct birth *birth)
{
	if (!birth)
		return;
	free(birth->frames);
	*birth = activations->births[--activations->birth_count];
}

/* The first event of a forked process. */
static bool inherit(struct sprof_activations *activations, struct thread *thread, uint64_t now_ns)
{
	struct birth *birth = find_birth(activations, thread->pid);
	bool ok = true;

	for (size_t i = 0; birth && ok && i < birth->count; i++)
		ok = sprof_activation_stack_inherit(&thread->stack, &birth->frames[i], now_ns);
	remove_birth(activations, birth);
	return ok;
}

static struct thread *find_thread(const struct sprof_activations *activations, uint32_t id)
{
	const uint32_t index = sprof_idmap_find(&activations->by_id, 0, id);

	return index == SPROF_IDMAP_NONE ? NULL : &activations->threads[index];
}

/* Returns NULL if out of memory. */
static struct thread *thread_of(
	struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	struct thread *thread = find_thread(activations, event->thread);

	if (thread)
		return thread;
	if (!sprof_array_reserve(&activations->threads, &activations->thread_capacity,
		    activations->thread_count + 1, sizeof(*thread)) ||
		!sprof_idmap_put(
			&activations->by_id, 0, event->thread, (uint32_t)activations->thread_count))
		return NULL;
	thread = &activations->threads[activations->thread_count++];
	*thread = (struct thread){
		.id = event->thread,
		.pid = event->pid,
		.stack = {.books = &activations->books, .thread = event->thread},
	};
	return inherit(activations, thread, event->time_ns) ? thread : NULL;
}

static uint32_t function_of(const struct sprof_trace_event *event)
{
	return (uint32_t)event->fields[FUNCTION].integer;
}

static uint64_t sp_of(const struct sprof_trace_event *event)
{
	return (uint64_t)event->fields[STACK_POINTER].integer;
}

/* A return has taken its address off the stack. Other machines keep that in a register. */
static uint64_t sp_before(const struct sprof_trace_event *event)
{
#ifdef __x86_64__
	return sp_of(event) - sizeof(uint64_t);
#else
	return sp_of(event);
#endif
}

/* Counts the call without a caller. */
static bool count(struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	uint32_t index;

	if (!sprof_activation_books_row(&activations->books, event->thread, function_of(event),
		    SPROF_ACTIVATION_ANY, &index))
		return false;
	activations->books.rows[index].ends[SPROF_ACTIVATION_COUNTED] += activations->books.weight;
	return true;
}

uint64_t sprof_activation_sp(const struct sprof_trace_event *event)
{
	return event->type == SPROF_TRACE_RETURN ? sp_before(event) : sp_of(event);
}

bool sprof_activations_begin(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call)
{
	struct thread *thread = thread_of(activations, event);
	struct sprof_activation_call placed = *call;

	if (thread && !placed.sp)
		placed.sp = sprof_activation_stack_below(&thread->stack);
	return thread && sprof_activation_stack_enter(&thread->stack, &placed, event->time_ns);
}

bool sprof_activations_end(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call)
{
	struct thread *thread = thread_of(activations, event);
	struct sprof_activation_call placed = *call;

	if (thread && !placed.sp)
		placed.sp = sprof_activation_stack_innermost(&thread->stack, call->function);
	return thread && sprof_activation_stack_return(&thread->stack, &placed, event->time_ns);
}

bool sprof_activations_leave(
	struct sprof_activations *activations, uint32_t id, uint64_t sp, uint64_t now_ns)
{
	const struct sprof_activation_call at = {.sp = sp, .kind = SPROF_STACK_OWN};
	struct thread *thread = find_thread(activations, id);

	return !thread || sprof_activation_stack_leave(&thread->stack, &at, now_ns);
}

static bool take_begin(struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	const struct sprof_activation_call call = {
		.function = function_of(event), .sp = sp_of(event), .kind = event->stack_kind};

	if (activations->options.counts_only)
		return count(activations, event);
	return sprof_activations_begin(activations, event, &call);
}

static bool take_return(
	struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	const struct sprof_activation_call call = {
		.function = function_of(event), .sp = sp_before(event), .kind = event->stack_kind};

	return sprof_activations_end(activations, event, &call);
}

/* The last thread takes its place. */
static bool end_thread(
	struct sprof_activations *activations, struct thread *thread, uint64_t now_ns)
{
	const uint32_t index = (uint32_t)(thread - activations->threads);
	const bool ok = sprof_activation_stack_end(&thread->stack, SPROF_ACTIVATION_CUT, now_ns);

	sprof_activation_stack_finish(&thread->stack);
	sprof_idmap_remove(&activations->by_id, 0, thread->id);
	*thread = activations->threads[--activations->thread_count];
	return ok &&
		(index == activations->thread_count ||
			sprof_idmap_put(&activations->by_id, 0, thread->id, index));
}

static bool take_end(struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	struct thread *thread = find_thread(activations, event->thread);

	if (event->tid == event->pid)
		remove_birth(activations, find_birth(activations, event->pid));
	return !thread || end_thread(activations, thread, event->time_ns);
}

/* All other threads of the process are gone, and no call of the old program returns. */
static bool take_exec(struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	remove_birth(activations, find_birth(activations, event->pid));
	for (size_t i = activations->thread_count; i; i--) {
		struct thread *thread = &activations->threads[i - 1];

		if (thread->pid == event->pid && !end_thread(activations, thread, event->time_ns))
			return false;
	}
	return true;
}

static bool has_thread_of(const struct sprof_activations *activations, pid_t pid)
{
	for (size_t i = 0; i < activations->thread_count; i++) {
		if (activations->threads[i].pid == pid)
			return true;
	}
	return false;
}

/* Calls that the child made before its birth was reported stay. */
static bool take_fork(struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	const struct thread *parent = find_thread(activations, event->thread);
	struct birth birth = {.pid = (pid_t)event->fields[CHILD].integer};
	size_t size;

	remove_birth(activations, find_birth(activations, birth.pid));
	if (!parent || !parent->stack.count || activations->birth_count >= BIRTHS_LIMIT ||
		has_thread_of(activations, birth.pid))
		return true;
	if (!sprof_array_reserve(&activations->births, &activations->birth_capacity,
		    activations->birth_count + 1, sizeof(birth)))
		return false;
	birth.count = parent->stack.count;
	while (birth.count && parent->stack.frames[birth.count - 1].is_kernels)
		birth.count--;
	if (!birth.count)
		return true;
	size = birth.count * sizeof(*birth.frames);
	birth.frames = malloc(size);
	if (!birth.frames)
		return false;
	memcpy(birth.frames, parent->stack.frames, size);
	activations->births[activations->birth_count++] = birth;
	return true;
}

bool sprof_activations_take(
	struct sprof_activations *activations, const struct sprof_trace_event *event)
{
	switch (event->type) {
	case SPROF_TRACE_PROBE:
		return take_begin(activations, event);
	case SPROF_TRACE_RETURN:
		return take_return(activations, event);
	case SPROF_TRACE_EXIT:
		return take_end(activations, event);
	case SPROF_TRACE_EXEC:
		return take_exec(activations, event);
	case SPROF_TRACE_FORK:
		return take_fork(activations, event);
	default:
		return true;
	}
}

bool sprof_activations_gap(struct sprof_activations *activations, uint64_t until_ns)
{
	for (size_t i = 0; i < activations->thread_count; i++) {
		if (!sprof_activation_stack_doubt(&activations->threads[i].stack, until_ns))
			return false;
	}
	return true;
}

static bool end_all(
	struct sprof_activations *activations, enum sprof_activation_end end, uint64_t now_ns)
{
	for (size_t i = 0; i < activations->thread_count; i++) {
		if (!sprof_activation_stack_end(&activations->threads[i].stack, end, now_ns))
			return false;
	}
	return true;
}

void sprof_activations_weigh(struct sprof_activations *activations, uint64_t weight)
{
	activations->books.weight = weight;
}

bool sprof_activations_edge(struct sprof_activations *activations, uint64_t now_ns)
{
	while (activations->birth_count)
		remove_birth(activations, activations->births);
	return end_all(activations, SPROF_ACTIVATION_EDGE, now_ns);
}

bool sprof_activations_close(struct sprof_activations *activations, uint64_t now_ns)
{
	return end_all(activations, SPROF_ACTIVATION_OPEN, now_ns);
}

bool sprof_activations_add(
	struct sprof_activations *activations, const struct sprof_activation_estimate *estimate)
{
	return sprof_activation_estimate_add(estimate, &activations->books);
}

const struct sprof_activation_books *sprof_activations_books(
	const struct sprof_activations *activations)
{
	return &activations->books;
}

void sprof_activations_destroy(struct sprof_activations *activations)
{
	if (!activations)
		return;
	for (size_t i = 0; i < activations->thread_count; i++)
		sprof_activation_stack_finish(&activations->threads[i].stack);
	while (activations->birth_count)
		remove_birth(activations, activations->births);
	sprof_activation_books_finish(&activations->books);
	sprof_idmap_finish(&activations->by_id);
	free(activations->threads);
	free(activations->births);
	free(activations);
}
