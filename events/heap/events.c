/*
 * Heap accounts from arbitrary events. Does not handle partial frees or overlapping blocks: an
 * address identifies one block.
 */
#include "events/heap/events.h"

#include <stdlib.h>

#include "base/interned.h"

enum { LAST_ERROR = 4095 }; /* results of system calls from -4095 on are errors */

struct thread {
	uint64_t size;  /* of the allocation in progress */
	uint64_t stack; /* of that; 0: none */
	uint64_t last;  /* the serial number of its last allocation */
	bool has_begun;
};

struct process {
	uint32_t number; /* of the books */
	bool has_ended;
};

struct sprof_heap_events {
	const struct sprof_event_list *list;
	const struct sprof_expression_lookup *lookup;
	struct sprof_heap_books books;
	struct sprof_allocations_counts counts;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct sprof_idmap by_thread;
	struct process *processes;
	size_t process_count, process_capacity;
	struct sprof_idmap by_pid;
};

static size_t address_position(const struct sprof_event_list *list)
{
	return list->position_count - 2;
}

/* In the first position are the sizes, in the last two the addresses. */
static const char *lacks(const struct sprof_event_list *list, const struct sprof_event_item *item)
{
	if (!item->position && !item->size)
		return "size=";
	return item->position >= address_position(list) && !item->key ? "key=" : NULL;
}

bool sprof_heap_events_check(const struct sprof_event_list *list, struct sprof_error *err)
{
	if (list->position_count < 2 || list->position_count > 3) {
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--impl kmemprof needs two -e (an allocation, a free) or three (the start "
			"of an allocation, its end, a free)");
		sprof_error_hint(err,
			"for example: -e 'uprobe:take//size=arg1/key=arg0/stack/' -e "
			"'uprobe:give//key=arg0/'; sprof heap --exact knows the allocators");
		return false;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];
		const char *missing = item->untraced ? NULL : lacks(list, item);

		if (missing)
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"--impl kmemprof: %s in -e number %zu has no %s", item->name,
				item->position + 1, missing);
	}
	return true;
}

struct sprof_heap_events *sprof_heap_events_create(
	const struct sprof_event_list *list, const struct sprof_expression_lookup *lookup)
{
	struct sprof_heap_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->list = list;
	events->lookup = lookup;
	return events;
}

void sprof_heap_events_destroy(struct sprof_heap_events *events)
{
	if (!events)
		return;
	sprof_heap_finish(&events->books);
	sprof_idmap_finish(&events->by_thread);
	sprof_idmap_finish(&events->by_pid);
	free(events->threads);
	free(events->processes);
	free(events);
}

/* Returns NULL if out of memory. */
static struct thread *thread_of(
	struct sprof_heap_events *events, const struct sprof_trace_event *event)
{
	const struct sprof_interned table = SPROF_INTERNED(
		&events->by_thread, events->threads, events->thread_count, events->thread_capacity);
	const struct thread thread = {0};
	uint32_t index;

	return sprof_intern(&table, sprof_key(0, event->thread), &thread, &index)
		? &events->threads[index]
		: NULL;
}

/* A process may continue after the end of its first thread. Returns false if out of memory. */
static bool process_of(
	struct sprof_heap_events *events, const struct sprof_trace_event *event, uint32_t *ret)
{
	const struct sprof_interned table = SPROF_INTERNED(&events->by_pid, events->processes,
		events->process_count, events->process_capacity);
	const struct process empty = {0};
	const size_t before = events->process_count;
	struct process *process;
	uint32_t index;

	if (!sprof_intern(&table, sprof_key(0, (uint64_t)event->pid), &empty, &index))
		return false;
	process = &events->processes[index];
	if (events->process_count > before && !sprof_heap_process(&events->books, &process->number))
		return false;
	if (process->has_ended)
		sprof_heap_process_revive(&events->books, process->number);
	process->has_ended = false;
	*ret = process->number;
	return true;
}

static struct process *find_process(const struct sprof_heap_events *events, pid_t pid)
{
	const uint32_t index = sprof_idmap_find(&events->by_pid, 0, (uint64_t)pid);

	return index == SPROF_IDMAP_NONE ? NULL : &events->processes[index];
}

static bool is_address(uint64_t address)
{
	return address && address < UINT64_MAX - LAST_ERROR + 1;
}

/* Records the allocation that a thread is about to make, by the item. */
static void begin(struct thread *thread, const struct sprof_event_item *item,
	struct sprof_expression_frame *frame)
{
	thread->size = (uint64_t)sprof_expression_integer(item->size, frame);
	thread->stack = frame->event->stack;
	thread->has_begun = true;
}

static bool allocate(struct sprof_heap_events *events, const struct sprof_event_item *item,
	struct sprof_expression_frame *frame)
{
	const struct sprof_trace_event *event = frame->event;
	struct sprof_heap_request request = {.time_ns = event->time_ns};
	struct thread *thread = thread_of(events, event);

	if (!thread)
		return false;
	if (!item->position)
		begin(thread, item, frame);
	request.address = (uint64_t)sprof_expression_integer(item->key, frame);
	request.size = thread->size;
	events->counts.unpaired_returns += !thread->has_begun;
	events->counts.failed += thread->has_begun && !is_address(request.address);
	if (!thread->has_begun || !is_address(request.address)) {
		thread->has_begun = false;
		return true;
	}
	thread->has_begun = false;
	if (!process_of(events, event, &request.process) ||
		!sprof_heap_site(
			&events->books, event->thread, (uint32_t)thread->stack, &request.site) ||
		!sprof_heap_allocate(&events->books, &request))
		return false;
	thread->last = events->books.serial;
	return true;
}

static bool release(struct sprof_heap_events *events, const struct sprof_event_item *item,
	struct sprof_expression_frame *frame)
{
	const struct sprof_trace_event *event = frame->event;
	const uint64_t address = (uint64_t)sprof_expression_integer(item->key, frame);
	const struct thread *thread = thread_of(events, event);
	uint32_t process, block, site;

	if (!address) {
		events->counts.null_frees++;
		return true;
	}
	if (!thread || !process_of(events, event, &process))
		return false;
	block = sprof_heap_find(&events->books, process, address);
	if (block == SPROF_HEAP_NONE) {
		events->counts.unknown_frees++;
		return true;
	}
	if (event->stack) {
		if (!sprof_heap_site(&events->books, event->thread, (uint32_t)event->stack, &site))
			return false;
		sprof_heap_release(&events->books, block, site);
	}
	return sprof_heap_free(&events->books, block, event->time_ns,
		events->books.blocks[block].serial == thread->last);
}

static bool act(struct sprof_heap_events *events, const struct sprof_event_item *item,
	struct sprof_expression_frame *frame)
{
	struct thread *thread;

	if (item->position == events->list->position_count - 1)
		return release(events, item, frame);
	if (item->position == address_position(events->list))
		return allocate(events, item, frame);
	thread = thread_of(events, frame->event);
	if (!thread)
		return false;
	events->counts.left += thread->has_begun;
	begin(thread, item, frame);
	return true;
}

/* The memory of the old program is no longer used. */
static void end_process(struct sprof_heap_events *events, const struct sprof_trace_event *event)
{
	struct process *process = find_process(events, event->pid);

	if (!process || process->has_ended)
		return;
	if (event->type == SPROF_TRACE_EXEC)
		sprof_heap_process_replace(&events->books, process->number);
	if (event->type != SPROF_TRACE_EXIT || event->tid != event->pid)
		return;
	sprof_heap_process_end(&events->books, process->number, event->time_ns);
	process->has_ended = true;
}

/* The first traced item of a position that matches the event. NULL: none. */
static const struct sprof_event_item *find_item(const struct sprof_heap_events *events,
	size_t position, struct sprof_expression_frame *frame)
{
	for (size_t i = 0; i < events->list->count; i++) {
		const struct sprof_event_item *item = &events->list->items[i];

		if (item->position == position && !item->untraced &&
			sprof_event_item_matches(item, frame))
			return item;
	}
	return NULL;
}

static bool is_trigger(const struct sprof_heap_events *events, struct sprof_expression_frame *frame)
{
	for (size_t i = 0; i < events->list->count; i++) {
		const struct sprof_event_item *item = &events->list->items[i];

		if (item->trigger && sprof_event_item_matches(item, frame))
			return true;
	}
	return false;
}

/* The last position is first: a resize frees before it allocates. */
bool sprof_heap_events_add(
	struct sprof_heap_events *events, const struct sprof_trace_event *event, bool *ret_trigger)
{
	struct sprof_expression_frame frame = {.event = event, .lookup = events->lookup};
	bool is_known = false;

	*ret_trigger = is_trigger(events, &frame);
	for (size_t i = events->list->position_count; i; i--) {
		const struct sprof_event_item *item = find_item(events, i - 1, &frame);

		if (item && !act(events, item, &frame))
			return false;
		is_known |= item != NULL;
	}
	events->counts.calls += is_known;
	end_process(events, event);
	return true;
}

void sprof_heap_events_gap(struct sprof_heap_events *events)
{
	events->counts.gaps++;
	for (size_t i = 0; i < events->thread_count; i++)
		events->threads[i].has_begun = false;
}

const struct sprof_heap_books *sprof_heap_events_books(const struct sprof_heap_events *events)
{
	return &events->books;
}

const struct sprof_allocations_counts *sprof_heap_events_counts(
	const struct sprof_heap_events *events)
{
	return &events->counts;
}
