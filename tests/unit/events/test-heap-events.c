/*
 * events/heap-events: what is allocated and freed, sizes that come before their addresses, threads,
 * processes, what is odd, and memory that runs short.
 */
#include "events/heap/events.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"
#include "tests/unit/short-memory.h"

/* close(address, size) allocates, write(address) frees; or mmap(2) by begin and end. */
static const char *const two[] = {"syscalls:sys_enter_close//size=args[1]/key=args[0]/",
	"syscalls:sys_enter_write//key=args[0]/", NULL};
static const char *const three[] = {"syscalls:sys_enter_close//size=args[0]/",
	"syscalls:sys_exit_close//key=ret/", "syscalls:sys_enter_write//key=args[0]/", NULL};

struct heap {
	struct sprof_event_list list;
	struct sprof_heap_events *events;
};

static bool feed(struct sprof_heap_events *events, const char *stream)
{
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	struct sprof_trace_event event;
	bool trigger;

	while (recorded_next(&stream, values, &event)) {
		if (event.type == SPROF_TRACE_TYPES)
			sprof_heap_events_gap(events);
		else if (!sprof_heap_events_add(events, &event, &trigger))
			return false;
	}
	return true;
}

static struct heap heap_of(const char *const *events)
{
	struct heap heap;
	struct sprof_error err;

	recorded_list(events, &heap.list);
	assert_true(sprof_heap_events_check(&heap.list, &err));
	heap.events = NULL;
	return heap;
}

static void begin(struct heap *heap, const char *const *events, const char *stream)
{
	*heap = heap_of(events);
	heap->events = sprof_heap_events_create(&heap->list, NULL);
	assert_non_null(heap->events);
	assert_true(feed(heap->events, stream));
}

static void end(struct heap *heap)
{
	sprof_heap_events_destroy(heap->events);
	sprof_event_list_finish(&heap->list);
}

static void check(
	const struct heap *heap, enum sprof_heap_figure figure, uint64_t bytes, uint64_t objects)
{
	const struct sprof_heap_sum sum = sprof_heap_events_books(heap->events)->totals[figure];

	assert_int_equal(sum.bytes, bytes);
	assert_int_equal(sum.objects, objects);
}

static void size_and_address_in_one_event(void **state)
{
	struct heap heap;

	begin(&heap, two,
		"1@1:enter(3 64 100) 2@1:enter(3 128 50) 3@2:enter(1 64) 4@1:enter(1 64) "
		"5@1:enter(1 0) 6@1:enter(3 0 8)");
	check(&heap, SPROF_HEAP_ALLOCATED, 150, 2);
	check(&heap, SPROF_HEAP_FREED, 100, 1);
	check(&heap, SPROF_HEAP_LIVE, 50, 1);
	check(&heap, SPROF_HEAP_TEMPORARY, 0, 0);
	assert_int_equal(sprof_heap_events_counts(heap.events)->unknown_frees, 1);
	assert_int_equal(sprof_heap_events_counts(heap.events)->null_frees, 1);
	assert_int_equal(sprof_heap_events_counts(heap.events)->failed, 1);
	assert_int_equal(sprof_heap_events_counts(heap.events)->calls, 6);
	end(&heap);
}

static void a_size_before_the_address(void **state)
{
	struct heap heap;

	begin(&heap, three,
		"1@1:enter(3 100) 2@2:enter(3 7) 3@1:exit(3 64) 4@2:exit(3 -12) 5@1:exit(3 128) "
		"6@1:enter(1 64)");
	check(&heap, SPROF_HEAP_ALLOCATED, 100, 1);
	check(&heap, SPROF_HEAP_FREED, 100, 1);
	check(&heap, SPROF_HEAP_TEMPORARY, 100, 1);
	assert_int_equal(sprof_heap_events_counts(heap.events)->failed, 1);
	assert_int_equal(sprof_heap_events_counts(heap.events)->unpaired_returns, 1);
	/* What is lost may be the end of it. */
	assert_true(feed(heap.events, "7@1:enter(3 9) !8 9@1:exit(3 64)"));
	check(&heap, SPROF_HEAP_ALLOCATED, 100, 1);
	end(&heap);
}

static void the_end_of_a_process(void **state)
{
	struct heap heap;

	/* Thread 0 is its first one. */
	begin(&heap, two, "1@0:enter(3 64 100) 2@1:enter(3 128 50) 3@1:end(0) 4@0:end(0)");
	check(&heap, SPROF_HEAP_LEFT, 150, 2);
	/* Others may go on without it. */
	assert_true(feed(heap.events, "5@2:enter(1 64) 6@2:enter(3 256 1)"));
	check(&heap, SPROF_HEAP_LEFT, 0, 0);
	check(&heap, SPROF_HEAP_LIVE, 51, 2);
	end(&heap);
}

static void refuse(const char *const *events, const char *words)
{
	struct sprof_event_list list;
	struct sprof_error err;

	recorded_list(events, &list);
	assert_false(sprof_heap_events_check(&list, &err));
	assert_non_null(strstr(err.message, words));
	sprof_event_list_finish(&list);
}

static void lists_that_are_none_of_memory(void **state)
{
	static const char *const one[] = {"sched:off", NULL};
	static const char *const no_size[] = {"sched:off//key=cpu/", "sched:on//key=cpu/", NULL};
	static const char *const no_key[] = {"sched:off//size=cpu/", "sched:on//key=cpu/", NULL};

	refuse(one, "two -e");
	refuse(no_size, "size=");
	refuse(no_key, "key=");
}

static void memory_runs_short(void **state)
{
	struct heap heap = heap_of(two);
	bool was_short = true;

	for (unsigned long number = 1; was_short; number++) {
		bool done;

		short_memory_begin(number);
		heap.events = sprof_heap_events_create(&heap.list, NULL);
		done = heap.events && feed(heap.events, "1@1:enter(3 64 100) 2@1:enter(1 64)");
		was_short = short_memory_end();
		assert_true(done != was_short);
		sprof_heap_events_destroy(heap.events);
	}
	sprof_event_list_finish(&heap.list);
}

TEST_MAIN("heap-events")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_and_address_in_one_event),
		cmocka_unit_test(a_size_before_the_address),
		cmocka_unit_test(the_end_of_a_process),
		cmocka_unit_test(lists_that_are_none_of_memory),
		cmocka_unit_test(memory_runs_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
