/*
 * events/recorded-order: events of several rings and of other sources come out in the order of time.
 */
#include "events/recorded/order.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/short-memory.h"

enum { MOST = 16 };

struct taken {
	uint64_t times[MOST];
	uint32_t types[MOST];
	char texts[MOST][32];
	size_t count;
	bool refuses;
};

static bool take(void *data, const struct sprof_recorded *recorded)
{
	struct taken *taken = data;
	const struct sprof_trace_event *event = &recorded->event;

	taken->times[taken->count] = event->time_ns;
	taken->types[taken->count] = event->type;
	if (event->type == SPROF_TRACE_EXEC)
		strcpy(taken->texts[taken->count], event->fields[0].text);
	if (event->type == SPROF_TRACE_WAKEUP)
		strcpy(taken->texts[taken->count], event->fields[0].text);
	taken->count++;
	return !taken->refuses;
}

static struct sprof_recorded *add(
	struct sprof_recorded_order *order, uint32_t type, uint64_t time_ns)
{
	struct sprof_trace_event event = {.type = type, .time_ns = time_ns};

	return sprof_recorded_order_add(order, &event);
}

static void add_exec(struct sprof_recorded_order *order, uint64_t time_ns)
{
	char path[] = "/bin/true";
	const struct sprof_trace_value fields[] = {{.text = path}};
	const struct sprof_trace_event event = {
		.type = SPROF_TRACE_EXEC, .time_ns = time_ns, .fields = fields};

	assert_true(sprof_recorded_order_add_copy(order, &event));
	memset(path, 'x', sizeof(path) - 1);
}

static void time_decides(void **state)
{
	struct sprof_recorded_order order = {0};
	struct taken taken = {.count = 0};

	add(&order, SPROF_TRACE_FAULT, 30);
	strcpy(add(&order, SPROF_TRACE_WAKEUP, 40)->values.texts[0], "worker");
	add(&order, SPROF_TRACE_FAULT, 10);
	add_exec(&order, 20);
	add(&order, SPROF_TRACE_OFF, 10);
	assert_true(sprof_recorded_order_release(&order, 40, take, &taken));
	assert_int_equal(taken.count, 4);
	assert_int_equal(taken.types[0], SPROF_TRACE_FAULT);
	assert_int_equal(taken.types[1], SPROF_TRACE_OFF);
	assert_string_equal(taken.texts[2], "/bin/true");
	assert_int_equal(taken.times[3], 30);
	add(&order, SPROF_TRACE_FAULT, 35);
	assert_true(sprof_recorded_order_release(&order, UINT64_MAX, take, &taken));
	assert_int_equal(taken.times[4], 35);
	assert_string_equal(taken.texts[5], "worker");
	assert_int_equal(order.count, 0);
	sprof_recorded_order_finish(&order);
}

static void what_the_taker_says_is_told(void **state)
{
	struct sprof_recorded_order order = {0};
	struct taken taken = {.refuses = true};

	assert_true(sprof_recorded_order_release(&order, UINT64_MAX, take, &taken));
	add_exec(&order, 1);
	add_exec(&order, 2);
	assert_false(sprof_recorded_order_release(&order, 2, take, &taken));
	assert_int_equal(taken.count, 1);
	sprof_recorded_order_finish(&order);
}

static void without_memory(void **state)
{
	const struct sprof_trace_value fields[] = {{.text = "/bin/true"}};
	const struct sprof_trace_event event = {.type = SPROF_TRACE_EXEC, .fields = fields};
	struct sprof_recorded_order order = {0};

	for (unsigned long number = 1; number <= 2; number++) {
		short_memory_begin(number);
		assert_false(sprof_recorded_order_add_copy(&order, &event));
		assert_true(short_memory_end());
	}
	assert_int_equal(order.count, 0);
	sprof_recorded_order_finish(&order);
}

TEST_MAIN("recorded-order")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_decides),
		cmocka_unit_test(what_the_taker_says_is_told),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
