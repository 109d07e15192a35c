/*
 * events/recorded-point: the perf events that need neither tracefs nor a right, and their records.
 */
#include "events/recorded/point.h"

#include "tests/unit/check.h"

static struct sprof_recorded_point point_of(
	enum sprof_trace_type type, const struct sprof_recorded_wants *wants)
{
	struct sprof_recorded_point point;
	struct sprof_perf_denial denial;

	assert_true(sprof_recorded_point_init(&point, type, wants, NULL, &denial));
	return point;
}

static void what_the_kernel_is_asked_for(void **state)
{
	const struct sprof_recorded_wants wants = {
		.rate_hz = 200, .stacks = 1 << SPROF_TRACE_FAULT};
	struct sprof_recorded_point point = point_of(SPROF_TRACE_FAULT, &wants);

	assert_int_equal(point.attributes.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(point.attributes.sample_period, 1);
	assert_true(point.has_stack && point.attributes.sample_stack_user);
	assert_true(point.attributes.inherit && point.attributes.disabled);
	sprof_recorded_point_finish(&point);
	point = point_of(SPROF_TRACE_PROFILE, &wants);
	assert_int_equal(point.attributes.config, PERF_COUNT_SW_TASK_CLOCK);
	assert_int_equal(point.attributes.sample_period, 5 * 1000 * 1000);
	assert_false(point.has_stack || point.attributes.sample_stack_user);
	sprof_recorded_point_finish(&point);
	point = point_of(SPROF_TRACE_ON, &wants);
	assert_true(point.attributes.context_switch);
	assert_false(sprof_recorded_point_is_of_machine(&point));
	sprof_recorded_point_finish(&point);
}

static void records_have_values(void **state)
{
	const struct sprof_recorded_wants wants = {.rate_hz = 99};
	struct sprof_perf_record record = {
		.kind = SPROF_PERF_SAMPLE, .ip = 0x401000, .address = 0x7000, .cpu = 3};
	struct sprof_recorded_point point = point_of(SPROF_TRACE_FAULT, &wants);
	struct sprof_tracepoint_values read;

	sprof_recorded_point_read(&point, &record, &read);
	assert_int_equal(read.values[0].integer, 0x7000);
	assert_int_equal(read.values[1].integer, 0x401000);
	assert_int_equal(sprof_recorded_point_type(&point, &record), SPROF_TRACE_FAULT);
	point = point_of(SPROF_TRACE_OFF, &wants);
	record.kind = SPROF_PERF_SWITCH;
	record.switch_out = record.preempted = true;
	sprof_recorded_point_read(&point, &record, &read);
	assert_int_equal(sprof_recorded_point_type(&point, &record), SPROF_TRACE_OFF);
	assert_int_equal(read.values[0].integer, 1);
	assert_int_equal(read.values[1].integer, 3);
	record.switch_out = false;
	sprof_recorded_point_read(&point, &record, &read);
	assert_int_equal(sprof_recorded_point_type(&point, &record), SPROF_TRACE_ON);
	assert_int_equal(read.values[0].integer, 3);
}

/* Its registers are missing: only its number is known. */
static void a_damaged_probe_has_its_number(void **state)
{
	const struct sprof_probe probe = {.number = 5};
	const struct sprof_recorded_point point = {.type = SPROF_TRACE_PROBE, .probe = &probe};
	const struct sprof_perf_record record = {.kind = SPROF_PERF_SAMPLE};
	struct sprof_tracepoint_values read;

	sprof_recorded_point_read(&point, &record, &read);
	assert_int_equal(read.values[0].integer, 5);
	for (size_t i = 1; i < SPROF_TRACE_MAX_VALUES; i++)
		assert_int_equal(read.values[i].integer, 0);
}

TEST_MAIN("recorded-point")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_is_asked_for),
		cmocka_unit_test(records_have_values),
		cmocka_unit_test(a_damaged_probe_has_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
