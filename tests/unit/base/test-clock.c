/*
 * base/clock: the durations that users write, and clocks that don't go back.
 */
#include "base/clock.h"

#include "tests/unit/check.h"

static void reads_durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"10s", 10000000000},
		{"10", 10000000000},
		{"500ms", 500000000},
		{"250us", 250000},
		{"7ns", 7},
		{"2m", 120000000000},
		{"1h", 3600000000000},
		{"1.5s", 1500000000},
		{".5", 500000000},
		{"0", 0},
		{"1m30s", 90000000000},
		{"1m30", 90000000000},
		{"0m0.2s", 200000000},
		{"1h2m3s4ms", 3723004000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = UINT64_MAX;

		assert_true(sprof_duration_parse(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
}

static void refuses_what_is_no_duration(void **state)
{
	static const char *const cases[] = {"", "s", "-1", "-1s", "+1", " 1", "1 s", "1s ", "10x",
		"1ss", "nan", "inf", "1e400", "1000000000h", "ten", "1,5s", ".", "30s1m", "5s5",
		"1m1m", "1e3", "0x10", "1m-3s"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 42;

		assert_false(sprof_duration_parse(cases[i], &ns));
		assert_int_equal(ns, 42);
	}
}

static void clocks_go_forward(void **state)
{
	uint64_t wall = sprof_clock_now_ns(), cpu = sprof_clock_own_cpu_ns();
	volatile unsigned spin = 0;

	while (spin < 1000 * 1000)
		spin++;
	assert_true(sprof_clock_now_ns() > wall);
	assert_true(sprof_clock_own_cpu_ns() > cpu);
}

TEST_MAIN("clock")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_durations),
		cmocka_unit_test(refuses_what_is_no_duration),
		cmocka_unit_test(clocks_go_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
