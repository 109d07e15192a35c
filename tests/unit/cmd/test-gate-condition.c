/*
 * cmd/gate-condition: the language of --fail-if.
 */
#include "cmd/saved/gate.h"

#include <math.h>
#include <string.h>

#include "tests/unit/check.h"

static void conditions(void **state)
{
	static const struct {
		const char *text, *function;
		enum sprof_weight weight;
		bool self, relative;
		double limit;
	} rows[] = {
		{"wall(parse) > +5%", "parse", SPROF_WEIGHT_WALL, false, true, 0.05},
		{"user(parse)>5%", "parse", SPROF_WEIGHT_USER, false, true, 0.05},
		{"  sys ( a b ) >  +0.5 % ", "a b", SPROF_WEIGHT_SYS, false, true, 0.005},
		{"self(f) > 0%", "f", SPROF_WEIGHT_WALL, true, true, 0},
		{"self-runq(f) > +20ms", "f", SPROF_WEIGHT_RUNQ, true, false, 20e6},
		{"wait > 1.5s", "", SPROF_WEIGHT_WAIT, false, false, 1.5e9},
		{"wall(f) > 3us", "f", SPROF_WEIGHT_WALL, false, false, 3e3},
		{"wall(f) > 3 ns", "f", SPROF_WEIGHT_WALL, false, false, 3},
		{"samples(f) > 10%", "f", SPROF_WEIGHT_SAMPLES, false, true, 0.1},
		{"wall(std::map<int, long>::at(int)) > 5%", "std::map<int, long>::at(int)",
			SPROF_WEIGHT_WALL, false, true, 0.05},
		{"wall(operator>>(A&, B)) > 5%", "operator>>(A&, B)", SPROF_WEIGHT_WALL, false,
			true, 0.05},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sprof_gate_condition condition;
		struct sprof_error err;

		if (!sprof_gate_condition_parse(rows[i].text, &condition, &err))
			fail_msg("%s: %s", rows[i].text, err.message);
		assert_string_equal(condition.function, rows[i].function);
		assert_int_equal(condition.weight, rows[i].weight);
		assert_int_equal(condition.self, rows[i].self);
		assert_int_equal(condition.relative, rows[i].relative);
		assert_true(fabs(condition.limit - rows[i].limit) <= 1e-9 * rows[i].limit);
		assert_ptr_equal(condition.text, rows[i].text);
	}
}

static void no_conditions(void **state)
{
	static const char *const texts[] = {"", ">", "wall", "wall(f)", "wall(f) >", "wall(f) > 5",
		"wall(f) > %", "wall(f) > -5%", "wall(f) > +-5%", "wall(f) > nan%",
		"wall(f) > inf%", "wall(f) > 5 m", "wall(f) > 5%%", "wall(f > 5%", "wallf) > 5%",
		"wall() > 5%", "wall( ) > 5%", "(f) > 5%", "walls(f) > 5%", "selfish(f) > 5%",
		"self-self(f) > 5%", "self > 5%", "self-user > 5%", "samples(f) > 5ms",
		"wall(f) >= 5%", "wall(f) < 5%", "wall(f)x > 5%"};
	char long_name[SPROF_GATE_NAME_SIZE + 32];
	struct sprof_gate_condition condition;
	struct sprof_error err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (sprof_gate_condition_parse(texts[i], &condition, &err))
			fail_msg("%s", texts[i]);
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	}
	memset(long_name, 'f', sizeof(long_name));
	memcpy(long_name, "wall(", 5);
	memcpy(long_name + sizeof(long_name) - 7, ") > 5%", 7);
	assert_false(sprof_gate_condition_parse(long_name, &condition, &err));
}

TEST_MAIN("gate-condition")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions),
		cmocka_unit_test(no_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
