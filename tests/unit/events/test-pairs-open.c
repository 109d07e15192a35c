/*
 * events/pairs: what it counts, what is overdue, many keys, and memory that runs short.
 */
#include "events/pairs/pairs.h"

#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"
#include "tests/unit/short-memory.h"

/* Feeds a stream to pairs of sched:off and sched:on without a listener. */
static struct sprof_pairs *pairs_of(
	struct sprof_event_list *list, size_t max_open, const char *stream)
{
	static const char *const events[] = {"sched:off", "sched:on", NULL};
	struct sprof_pairs_options options = {.list = list, .max_open = max_open};
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	struct sprof_trace_event event;
	struct sprof_pairs *pairs;
	bool trigger;

	recorded_list(events, list);
	pairs = sprof_pairs_create(&options);
	assert_non_null(pairs);
	while (recorded_next(&stream, values, &event))
		assert_true(sprof_pairs_add(pairs, &event, &trigger));
	return pairs;
}

static void counts(void **state)
{
	struct sprof_event_list list;
	struct sprof_pairs *pairs = pairs_of(
		&list, 2, "1@1:off 2@1:off 3@1:on 4@1:on 5@1:off 5@1:on 6@2:off 7@3:off 8@1:sig");
	const struct sprof_pairs_counts *found = sprof_pairs_counts(pairs);

	assert_int_equal(found->events, 8);
	assert_int_equal(found->instances, 1);
	assert_int_equal(found->replaced, 1);
	assert_int_equal(found->second, 1);
	assert_int_equal(found->not_later, 1);
	assert_int_equal(found->overflows, 1);
	assert_int_equal(sprof_pairs_open(pairs), 2);
	assert_int_equal(sprof_pairs_oldest_ns(pairs), 5);
	sprof_pairs_gap(pairs, 6);
	assert_int_equal(found->gaps, 1);
	assert_int_equal(sprof_pairs_oldest_ns(pairs), 6);
	sprof_pairs_close(pairs);
	assert_int_equal(found->open, 1);
	assert_int_equal(sprof_pairs_oldest_ns(pairs), UINT64_MAX);
	sprof_pairs_destroy(pairs);
	sprof_event_list_finish(&list);
}

struct seen {
	uint64_t times[8];
	size_t count, max;
};

static bool see(void *context, const struct sprof_trace_side *side)
{
	struct seen *seen = context;

	seen->times[seen->count++] = side->event->time_ns;
	return seen->count < seen->max;
}

static void overdue_events_are_seen_once(void **state)
{
	struct sprof_event_list list;
	struct sprof_pairs *pairs =
		pairs_of(&list, 0, "10@1:off 20@2:off 30@3:off 35@2:on 40@4:off");
	struct seen seen = {.max = 8};

	/* One that is as old as the threshold is not above it. */
	sprof_pairs_overdue(pairs, 15, 5, see, &seen);
	assert_int_equal(seen.count, 0);
	sprof_pairs_overdue(pairs, 16, 5, see, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.times[0], 10);
	sprof_pairs_overdue(pairs, 16, 5, see, &seen);
	assert_int_equal(seen.count, 1);
	sprof_pairs_overdue(pairs, 100, 5, see, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.times[1], 30);
	assert_int_equal(seen.times[2], 40);
	sprof_pairs_destroy(pairs);
	sprof_event_list_finish(&list);
}

static void overdue_events_can_be_left_for_later(void **state)
{
	struct sprof_event_list list;
	struct sprof_pairs *pairs = pairs_of(&list, 0, "10@1:off 20@2:off 30@3:off");
	struct seen seen = {.max = 1};

	for (size_t i = 1; i <= 3; i++) {
		sprof_pairs_overdue(pairs, 100, 5, see, &seen);
		assert_int_equal(seen.count, i);
	}
	sprof_pairs_overdue(pairs, 5, 5, see, &seen);
	assert_int_equal(seen.count, 3);
	sprof_pairs_destroy(pairs);
	sprof_event_list_finish(&list);
}

/* Many keys come and go: the places are used again, and every instance is found. */
static void many_keys(void **state)
{
	struct sprof_event_list list;
	struct sprof_pairs *pairs = pairs_of(&list, 0, "");
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.fields = values};
	uint32_t threads = 1000;
	bool trigger;

	for (uint64_t round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < 2 * threads; i++) {
			event.time_ns++;
			event.type = i < threads ? SPROF_TRACE_OFF : SPROF_TRACE_ON;
			event.thread = i * 7 % threads;
			assert_true(sprof_pairs_add(pairs, &event, &trigger));
		}
	}
	assert_int_equal(sprof_pairs_counts(pairs)->instances, 5000);
	assert_int_equal(sprof_pairs_counts(pairs)->second, 0);
	assert_int_equal(sprof_pairs_open(pairs), 0);
	sprof_pairs_destroy(pairs);
	sprof_event_list_finish(&list);
}

static void without_memory_an_event_opens_nothing(void **state)
{
	struct sprof_event_list list;
	struct sprof_pairs *pairs = pairs_of(&list, 0, "");
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.time_ns = 1, .type = SPROF_TRACE_OFF, .fields = values};
	unsigned long number = 0;
	bool trigger, ok;

	do {
		short_memory_begin(++number);
		ok = sprof_pairs_add(pairs, &event, &trigger);
		short_memory_end();
		assert_int_equal(sprof_pairs_open(pairs), ok);
	} while (!ok);
	assert_true(number > 1);
	sprof_pairs_destroy(pairs);
	sprof_event_list_finish(&list);
}

TEST_MAIN("pairs-open")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(overdue_events_are_seen_once),
		cmocka_unit_test(overdue_events_can_be_left_for_later),
		cmocka_unit_test(many_keys),
		cmocka_unit_test(without_memory_an_event_opens_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
