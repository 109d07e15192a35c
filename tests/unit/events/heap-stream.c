/*
 * Streams of calls of allocators. The number of a call is the place of its name in a list.
 */
#include "tests/unit/events/heap-stream.h"

#include <string.h>

#include "tests/unit/check.h"

static const char *const names[] = {"malloc", "calloc", "realloc", "reallocarray", "free",
	"posix_memalign", "aligned_alloc", "_Znwm", "_ZnwmRKSt9nothrow_t", "_ZdlPv", "xallocx",
	"mi_reallocf", "mi_heap_malloc", "__cxa_allocate_exception"};

static int64_t number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return (int64_t)i;
	}
	return -1;
}

static const struct sprof_allocator *allocator_of(void *data, int64_t number)
{
	return number < 0 ? NULL : sprof_allocator_find(names[number]);
}

static bool read_word(
	void *data, const struct sprof_trace_event *event, uint64_t address, uint64_t *ret_word)
{
	const struct heap_stream *stream = data;

	*ret_word = stream->stored;
	return stream->stored;
}

void heap_stream_begin(struct heap_stream *stream, bool is_whole, bool follow_children)
{
	const struct sprof_allocations_options options = {
		.data = stream,
		.allocator = allocator_of,
		.read_word = read_word,
		.follow_children = follow_children,
		.is_whole = is_whole,
		.releases = true,
	};

	*stream = (struct heap_stream){.allocations = sprof_allocations_create(&options)};
	assert_non_null(stream->allocations);
}

void heap_stream_end(struct heap_stream *stream)
{
	heap_check_sums(stream);
	sprof_allocations_destroy(stream->allocations);
}

struct heap_thread heap_thread(struct heap_stream *stream, uint32_t id)
{
	return (struct heap_thread){
		.stream = stream, .id = id, .pid = HEAP_PID, .tid = HEAP_PID + (pid_t)id};
}

static void add(const struct heap_thread *thread, uint32_t type, uint32_t stack,
	const struct sprof_trace_value *fields)
{
	const struct sprof_trace_event event = {
		.time_ns = ++thread->stream->now_ns,
		.thread = thread->id,
		.pid = thread->pid,
		.tid = thread->tid,
		.cpu = -1,
		.type = type,
		.stack = stack,
		.fields = fields,
	};

	assert_true(sprof_allocations_add(thread->stream->allocations, &event));
}

static uint32_t stack_of(const struct heap_entry *entry)
{
	if (entry->stack == HEAP_NO_STACK)
		return 0;
	return entry->stack ? entry->stack : 1;
}

void heap_enter(const struct heap_thread *thread, const struct heap_entry *entry)
{
	struct sprof_trace_value fields[SPROF_TRACE_MAX_VALUES] = {
		{.integer = number_of(entry->name)},
		{.integer = 0x401000},
		{.integer = (int64_t)entry->sp},
	};

	for (size_t i = 0; i < 4; i++)
		fields[3 + i].integer = (int64_t)entry->arguments[i];
	add(thread, SPROF_TRACE_PROBE, stack_of(entry), fields);
}

void heap_leave(const struct heap_thread *thread, const char *name, uint64_t sp, uint64_t result)
{
	const struct sprof_trace_value fields[SPROF_TRACE_MAX_VALUES] = {
		{.integer = number_of(name)},
		{.integer = 0x402000},
		{.integer = (int64_t)sp + HEAP_RETURN_SIZE},
		{.integer = (int64_t)result},
	};

	add(thread, SPROF_TRACE_RETURN, 0, fields);
}

void heap_call(const struct heap_thread *thread, const char *name, uint64_t first, uint64_t second,
	uint64_t result)
{
	heap_enter(thread, &(struct heap_entry){name, HEAP_SP, {first, second}, 1});
	heap_leave(thread, name, HEAP_SP, result);
}

void heap_malloc(const struct heap_thread *thread, uint64_t size, uint64_t result)
{
	heap_call(thread, "malloc", size, 0, result);
}

/* Frees have no stack. */
void heap_free(const struct heap_thread *thread, uint64_t address)
{
	heap_enter(thread, &(struct heap_entry){"free", HEAP_SP, {address}, HEAP_NO_STACK});
	heap_leave(thread, "free", HEAP_SP, 0);
}

void heap_realloc(
	const struct heap_thread *thread, uint64_t address, uint64_t size, uint64_t result)
{
	heap_call(thread, "realloc", address, size, result);
}

void heap_fork(const struct heap_thread *thread, pid_t child)
{
	add(thread, SPROF_TRACE_FORK, 0, &(struct sprof_trace_value){.integer = child});
}

void heap_exec(const struct heap_thread *thread)
{
	add(thread, SPROF_TRACE_EXEC, 0, &(struct sprof_trace_value){.text = "/bin/true"});
}

void heap_exit(const struct heap_thread *thread)
{
	add(thread, SPROF_TRACE_EXIT, 0, &(struct sprof_trace_value){.integer = 0});
}

void heap_check(const struct heap_stream *stream, enum sprof_heap_figure figure, uint64_t bytes,
	uint64_t objects)
{
	const struct sprof_heap_books *books = sprof_allocations_books(stream->allocations);

	assert_int_equal(books->totals[figure].bytes, bytes);
	assert_int_equal(books->totals[figure].objects, objects);
}

void heap_check_peak(const struct heap_stream *stream, uint64_t bytes, uint64_t objects)
{
	const struct sprof_heap_books *books = sprof_allocations_books(stream->allocations);

	assert_int_equal(books->peak.bytes, bytes);
	assert_int_equal(books->peak.objects, objects);
}

static void add_sum(struct sprof_heap_sum *sum, struct sprof_heap_sum more)
{
	sum->bytes += more.bytes;
	sum->objects += more.objects;
}

static void check_equal(struct sprof_heap_sum a, struct sprof_heap_sum b)
{
	assert_int_equal(a.bytes, b.bytes);
	assert_int_equal(a.objects, b.objects);
}

/* Allocated is what became of it. */
static void check_fates(const struct sprof_heap_sum sums[SPROF_HEAP_FIGURES])
{
	struct sprof_heap_sum sum = {0};

	for (int i = SPROF_HEAP_FREED; i <= SPROF_HEAP_REPLACED; i++)
		add_sum(&sum, sums[i]);
	check_equal(sum, sums[SPROF_HEAP_ALLOCATED]);
	assert_true(sums[SPROF_HEAP_TEMPORARY].objects <= sums[SPROF_HEAP_FREED].objects);
}

static void check_blocks(const struct sprof_heap_books *books)
{
	struct sprof_heap_sum sum = {0};

	for (size_t i = 0; i < books->block_count; i++) {
		const struct sprof_heap_block *block = &books->blocks[i];

		if (block->state != SPROF_HEAP_BLOCK_FREE &&
			!books->processes[block->process].has_ended)
			add_sum(&sum, (struct sprof_heap_sum){block->size, 1});
	}
	check_equal(sum, books->totals[SPROF_HEAP_LIVE]);
}

void heap_check_sums(const struct heap_stream *stream)
{
	const struct sprof_heap_books *books = sprof_allocations_books(stream->allocations);
	struct sprof_heap_sum sums[SPROF_HEAP_FIGURES] = {0}, peak = {0}, sizes = {0};

	for (size_t i = 0; i < books->site_count; i++) {
		check_fates(books->sites[i].sums);
		add_sum(&peak, sprof_heap_at_peak(books, &books->sites[i]));
		for (int figure = 0; figure < SPROF_HEAP_FIGURES; figure++)
			add_sum(&sums[figure], books->sites[i].sums[figure]);
	}
	for (int figure = 0; figure < SPROF_HEAP_FIGURES; figure++)
		check_equal(sums[figure], books->totals[figure]);
	for (size_t i = 0; i < SPROF_HEAP_SIZES; i++)
		add_sum(&sizes, books->sizes[i]);
	check_equal(sizes, books->totals[SPROF_HEAP_ALLOCATED]);
	check_equal(peak, books->peak);
	check_blocks(books);
}
