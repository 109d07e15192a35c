/*
 * events/perf-record: records as the kernel writes them, and damaged ones.
 */
#include "events/perf/record.h"

#include "tests/unit/check.h"
#include "tests/unit/events/records.h"

static struct sprof_perf_record parse(const struct made *made)
{
	struct sprof_perf_record record;

	assert_true(sprof_perf_record_parse(made->bytes, made->size, false, &record));
	return record;
}

static void switches(void **state)
{
	struct made made = made_switch(0, 5000);
	struct sprof_perf_record record = parse(&made);

	assert_int_equal(made.size, 40);
	assert_int_equal(record.kind, SPROF_PERF_SWITCH);
	assert_false(record.switch_out);
	assert_int_equal(record.time_ns, 5000);
	assert_int_equal(record.pid, MADE_PID);
	assert_int_equal(record.tid, MADE_TID);
	assert_int_equal(record.cpu, MADE_CPU);
	assert_int_equal(record.id, MADE_EVENT);
	made = made_switch(PERF_RECORD_MISC_SWITCH_OUT, 1);
	record = parse(&made);
	assert_true(record.switch_out);
	assert_false(record.preempted);
	made = made_switch(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 1);
	record = parse(&made);
	assert_true(record.switch_out);
	assert_true(record.preempted);
}

static void tasks(void **state)
{
	static const struct {
		uint32_t type;
		enum sprof_perf_kind kind;
	} cases[] = {
		{PERF_RECORD_FORK, SPROF_PERF_FORK},
		{PERF_RECORD_EXIT, SPROF_PERF_EXIT},
	};

	for (size_t i = 0; i < 2; i++) {
		struct sprof_perf_record record;
		struct made made;

		made_begin(&made, cases[i].type, 0);
		made_add_32(&made, 50);
		made_add_32(&made, 51);
		made_add_32(&made, 52);
		made_add_32(&made, 53);
		made_add_64(&made, 1);
		made_add_id(&made, 99);
		made_end(&made);
		record = parse(&made);
		assert_int_equal(record.kind, cases[i].kind);
		assert_int_equal(record.pid, 50);
		assert_int_equal(record.tid, 52);
		assert_int_equal(record.parent, 53);
		assert_int_equal(record.time_ns, 99);
	}
}

static void names(void **state)
{
	static const char name[24] = "worker-of-a-long-name";
	struct sprof_perf_record record;
	struct made made;

	made_begin(&made, PERF_RECORD_COMM, 0);
	made_add_32(&made, 50);
	made_add_32(&made, 51);
	made_add(&made, "worker\0", 8);
	made_add_id(&made, 99);
	made_end(&made);
	record = parse(&made);
	assert_int_equal(record.kind, SPROF_PERF_NAME);
	assert_int_equal(record.tid, 51);
	assert_string_equal(record.name, "worker");
	assert_false(record.is_exec);
	made_begin(&made, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	made_add_32(&made, 50);
	made_add_32(&made, 51);
	made_add(&made, name, sizeof(name));
	made_add_id(&made, 99);
	made_end(&made);
	record = parse(&made);
	assert_string_equal(record.name, "worker-of-a-lon");
	assert_true(record.is_exec);
}

static void losses(void **state)
{
	struct made made = made_lost(42, 7);
	struct sprof_perf_record record = parse(&made);

	assert_int_equal(record.kind, SPROF_PERF_LOST);
	assert_int_equal(record.lost, 42);
	assert_int_equal(record.time_ns, 7);
	made_begin(&made, PERF_RECORD_LOST_SAMPLES, 0);
	made_add_64(&made, 9);
	made_add_id(&made, 8);
	made_end(&made);
	record = parse(&made);
	assert_int_equal(record.kind, SPROF_PERF_LOST);
	assert_int_equal(record.lost, 9);
}

static struct made made_sample(uint32_t raw_size, size_t there)
{
	struct made made;

	made_begin(&made, PERF_RECORD_SAMPLE, 0);
	made_add_head(&made, 77);
	made_add_32(&made, raw_size);
	for (size_t i = 0; i < there; i++)
		made_add(&made, "\x11", 1);
	made_end(&made);
	return made;
}

static void samples(void **state)
{
	struct made made = made_sample(12, 12);
	struct sprof_perf_record record = parse(&made);

	assert_int_equal(record.kind, SPROF_PERF_SAMPLE);
	assert_int_equal(record.time_ns, 77);
	assert_int_equal(record.tid, MADE_TID);
	assert_int_equal(record.id, MADE_EVENT);
	assert_int_equal(record.ip, MADE_IP);
	assert_int_equal(record.address, MADE_ADDRESS);
	assert_int_equal(record.raw_size, 12);
	assert_ptr_equal(record.raw, made.bytes + 60);
	assert_int_equal(record.rest_size, 0);
	made = made_sample(12, 20);
	record = parse(&made);
	assert_ptr_equal(record.rest, made.bytes + 72);
	assert_int_equal(record.rest_size, 8);
}

/* The number of addresses and these come before the raw bytes. */
static struct made made_chain(uint64_t count, size_t there)
{
	struct made made;

	made_begin(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	made_add_head(&made, 77);
	made_add_64(&made, count);
	for (size_t i = 0; i < there; i++)
		made_add_64(&made, 100 + i);
	made_add_32(&made, 4);
	made_add_32(&made, 0x22);
	made_end(&made);
	return made;
}

static void stacks_of_the_kernel(void **state)
{
	struct made made = made_chain(3, 3);
	struct sprof_perf_record record;
	uint64_t addresses[3];

	assert_true(sprof_perf_record_parse(made.bytes, made.size, true, &record));
	assert_true(record.in_kernel);
	assert_int_equal(record.chain_count, 3);
	memcpy(addresses, record.chain, sizeof(addresses));
	assert_int_equal(addresses[0], 100);
	assert_int_equal(addresses[2], 102);
	assert_int_equal(record.raw_size, 4);
	assert_int_equal(record.rest_size, 0);
	made = made_chain(0, 0);
	assert_true(sprof_perf_record_parse(made.bytes, made.size, true, &record));
	assert_int_equal(record.chain_count, 0);
	assert_int_equal(record.raw_size, 4);
	made = made_chain(5, 3);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, true, &record));
	made = made_chain(UINT64_MAX, 3);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, true, &record));
}

static void throttled_ones(void **state)
{
	struct sprof_perf_record record;
	struct made made;

	made_begin(&made, PERF_RECORD_THROTTLE, 0);
	made_add_64(&made, 70);
	made_add_64(&made, 5);
	made_add_64(&made, 5);
	made_add_id(&made, 70);
	made_end(&made);
	record = parse(&made);
	assert_int_equal(record.kind, SPROF_PERF_THROTTLED);
	assert_int_equal(record.time_ns, 70);
}

static void new_mappings(void **state)
{
	struct sprof_perf_record record;
	struct made made;

	made_begin(&made, PERF_RECORD_MMAP, 0);
	for (uint64_t i = 0; i < 5; i++)
		made_add_64(&made, 0x1000 * i);
	made_add_id(&made, 90);
	made_end(&made);
	record = parse(&made);
	assert_int_equal(record.kind, SPROF_PERF_MAPPED);
	assert_int_equal(record.time_ns, 90);
	assert_int_equal(record.mapped, 0x1000);
	assert_int_equal(record.mapped_size, 0x2000);
}

static void others_are_unknown(void **state)
{
	struct sprof_perf_record record;
	struct made made;

	made_begin(&made, PERF_RECORD_UNTHROTTLE, 0);
	made_end(&made);
	record = parse(&made);
	assert_int_equal(record.kind, SPROF_PERF_UNKNOWN);
}

static void refuses_damaged_ones(void **state)
{
	struct sprof_perf_record record;
	struct made made = made_switch(0, 1);

	for (size_t size = 0; size < made.size; size++)
		assert_false(sprof_perf_record_parse(made.bytes, size, false, &record));
	made = made_sample(13, 12);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, false, &record));
	made = made_sample(1, 4);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, false, &record));
	made_begin(&made, PERF_RECORD_LOST, 0);
	made_add_id(&made, 1);
	made_end(&made);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, false, &record));
	made_begin(&made, PERF_RECORD_COMM, 0);
	made_add_id(&made, 1);
	made_end(&made);
	assert_false(sprof_perf_record_parse(made.bytes, made.size, false, &record));
}

TEST_MAIN("perf-record")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches),
		cmocka_unit_test(tasks),
		cmocka_unit_test(names),
		cmocka_unit_test(losses),
		cmocka_unit_test(samples),
		cmocka_unit_test(stacks_of_the_kernel),
		cmocka_unit_test(throttled_ones),
		cmocka_unit_test(new_mappings),
		cmocka_unit_test(others_are_unknown),
		cmocka_unit_test(refuses_damaged_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
