/*
 * events/nested-calls: which call an event begins or ends, by thread and by key, what has no partner, lost
 * records, and memory that runs short.
 */
#include "events/functions/nested-calls.h"

#include <stdio.h>
#include <string.h>

#include "events/pairs/open-events.h"
#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"
#include "tests/unit/short-memory.h"

enum { TEXT = 1024 };

static const char *const off_on_and_sleep[] = {
	"sched:off,sched:on", "syscalls:sys_enter_nanosleep,syscalls:sys_exit_nanosleep", NULL};
static const char *const all_calls[] = {"raw_syscalls:sys_enter,raw_syscalls:sys_exit", NULL};
static const char *const by_signal[] = {
	"signal:deliver/sig==1/key=code/,signal:deliver/sig==2/key=code/", NULL};
static const char *const two_positions[] = {"sched:off", "sched:on", NULL};

struct heard {
	char text[TEXT];
};

static void say(struct heard *heard, uint64_t time_ns, char sign, uint64_t what)
{
	const size_t length = strlen(heard->text);

	snprintf(heard->text + length, TEXT - length, "%lu%c%lu ", (unsigned long)time_ns, sign,
		(unsigned long)what);
}

static void on_instance(void *context, const struct sprof_trace_instance *instance)
{
	say(context, instance->event1.event->time_ns, '+', instance->latency_ns);
}

static void on_unpaired(
	void *context, const struct sprof_trace_side *side, enum sprof_unpaired reason)
{
	say(context, side->event->time_ns, '~', reason);
}

static bool feed(struct sprof_nested *nested, const char *stream)
{
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	struct sprof_trace_event event;
	bool trigger;

	while (recorded_next(&stream, values, &event)) {
		if (event.type == SPROF_TRACE_TYPES ? !sprof_nested_gap(nested, event.time_ns)
						    : !sprof_nested_add(nested, &event, &trigger))
			return false;
	}
	return true;
}

static void check(const char *const *events, const char *stream, const char *expected)
{
	struct heard heard = {""};
	struct sprof_event_list list;
	const struct sprof_pairs_options options = {.list = &list,
		.listener = {NULL, on_instance, on_unpaired, NULL, &heard},
		.max_open = 4};
	struct sprof_error err;
	struct sprof_nested *nested;

	recorded_list(events, &list);
	assert_true(sprof_nested_check(&list, &err));
	nested = sprof_nested_create(&options, true, 0);
	assert_non_null(nested);
	assert_true(feed(nested, stream));
	assert_true(sprof_nested_close(nested, 1000));
	assert_string_equal(heard.text, expected);
	assert_int_equal(sprof_nested_open(nested)->count, 0);
	sprof_nested_destroy(nested);
	sprof_event_list_finish(&list);
}

static void an_end_ends_the_innermost_call_of_its_function(void **state)
{
	check(two_positions, "1@1:off 2@1:off 5@1:on 9@1:on", "2+3 1+8 ");
	check(off_on_and_sleep, "1@1:off 2@1:enter(35) 3@1:exit(35) 7@1:on", "2+1 1+6 ");
	check(off_on_and_sleep, "1@1:off 2@2:off 3@1:on 7@2:on", "1+2 2+5 ");
	/* What is inside of it and has not ended is left. */
	check(off_on_and_sleep, "1@1:off 2@1:enter(35) 7@1:on 8@1:exit(35)", "2~2 1+6 8~3 ");
}

static void what_has_no_partner(void **state)
{
	check(two_positions, "1@1:on 2@1:off", "1~3 2~2 ");
	check(two_positions, "1@1:off 2@1:end(0) 3@1:on", "1~2 3~3 ");
	/* Records were lost inside: nobody knows whether it is the same call that ends. */
	check(two_positions, "1@1:off !5 6@1:on 7@1:off 8@1:on", "1~1 7+1 ");
	/* Beyond the limit of four. */
	check(two_positions, "1@1:off 2@1:off 3@1:off 4@1:off 5@1:off 6@1:on 7@1:on 8@1:on 9@1:on",
		"4+2 3+4 2+6 1+8 ");
}

static void keys_have_stacks(void **state)
{
	check(by_signal, "1@1:sig(1 7) 2@2:sig(1 8) 3@2:sig(2 7) 4@1:sig(2 8)", "1+2 2+2 ");
	/* The end of a thread is none of a key. */
	check(by_signal, "1@1:sig(1 7) 2@1:end(0) 3@2:sig(2 7)", "1+2 ");
}

static void each_system_call_is_a_function(void **state)
{
	struct sprof_event_list list;
	const struct sprof_pairs_options options = {.list = &list};
	struct sprof_nested *nested;
	size_t count;

	recorded_list(all_calls, &list);
	nested = sprof_nested_create(&options, false, 0);
	assert_non_null(nested);
	/* 335 is made by the kernel's own probes. */
	assert_true(feed(nested,
		"1@1:enter(0) 2@1:exit(0) 3@1:enter(257) 4@1:exit(257) 5@1:enter(0) "
		"6@1:exit(0)"));
#ifdef __x86_64__
	assert_true(feed(nested, "7@1:enter(335) 8@1:exit(335)"));
#endif
	assert_int_equal(sprof_nested_function_count(nested), 2);
	assert_int_equal(sprof_nested_function(nested, 1).call, 257);
	assert_int_equal(sprof_nested_counts(nested)->instances, 3);
	assert_int_equal(sprof_nested_counts(nested)->second, 0);
	assert_null(sprof_nested_keys(nested, &count));
	sprof_nested_destroy(nested);
	sprof_event_list_finish(&list);
}

static void refuse(const char *const *events, const char *words)
{
	struct sprof_event_list list;
	struct sprof_error err;

	recorded_list(events, &list);
	assert_false(sprof_nested_check(&list, &err));
	assert_non_null(strstr(err.message, words));
	sprof_event_list_finish(&list);
}

static void lists_that_are_none_of_functions(void **state)
{
	static const char *const one[] = {"sched:off", NULL};
	static const char *const three[] = {"sched:off,sched:on,proc:exit", NULL};
	static const char *const uneven[] = {"sched:off", "sched:on,proc:exit", NULL};
	static const char *const half_keyed[] = {"sched:off//key=cpu/,sched:on", NULL};

	refuse(one, "two events");
	refuse(three, "two events");
	refuse(uneven, "two events");
	refuse(half_keyed, "keys");
}

static void memory_runs_short(void **state)
{
	struct sprof_event_list list;
	const struct sprof_pairs_options options = {.list = &list};
	bool was_short = true;

	recorded_list(by_signal, &list);
	for (unsigned long number = 1; was_short; number++) {
		struct sprof_nested *nested;
		bool done;

		short_memory_begin(number);
		nested = sprof_nested_create(&options, true, 2);
		done = nested &&
			feed(nested, "1@1:sig(1 7) 2@2:sig(1 8) 3@2:sig(2 7) 4@1:sig(2 8)");
		was_short = short_memory_end();
		assert_true(done != was_short);
		sprof_nested_destroy(nested);
	}
	sprof_event_list_finish(&list);
}

TEST_MAIN("nested-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_ends_the_innermost_call_of_its_function),
		cmocka_unit_test(what_has_no_partner),
		cmocka_unit_test(keys_have_stacks),
		cmocka_unit_test(each_system_call_is_a_function),
		cmocka_unit_test(lists_that_are_none_of_functions),
		cmocka_unit_test(memory_runs_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
