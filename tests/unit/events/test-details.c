/*
 * events/details: windows, what is hidden, and the bound of the ring, on recorded streams
 * (recorded.h).
 */
#include "events/pairs/details.h"

#include "tests/unit/check.h"
#include "tests/unit/events/recorded.h"

static void check_all(const struct recorded *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		recorded_check(&cases[i]);
}

#define CHECK_ALL(cases) check_all((cases), sizeof(cases) / sizeof((cases)[0]))
#define OFF_ON "sched:off,signal:deliver//untraced/alias=sig/,proc:fork//untraced/", "sched:on"

static const struct recorded windows_cases[] = {
	{.name = "what lies between",
		.events = {OFF_ON},
		.detail = "",
		.stream = "1@1:sig 2@1:off 4@1:sig 5@2:fork 9@1:on 10@1:sig",
		.expected = "off=>on 7 k1 {off 2:sig 1:fork }4:on ."},
	{.name = "nothing between",
		.events = {OFF_ON},
		.detail = "",
		.stream = "2@1:off 9@1:on",
		.expected = "off=>on 7 k1 {off }7:on ."},
	{.name = "before event1",
		.events = {OFF_ON},
		.detail = "-10ns",
		.stream = "9@1:sig 10@1:fork 15@1:sig 20@1:off 22@1:on",
		.expected = "off=>on 2 k1 <10:fork <5:sig {off }2:on ."},
	{.name = "after event2",
		.events = {OFF_ON},
		.detail = "+10ns",
		.stream = "1@1:off 3@1:on 4@1:sig 13@1:fork 14@1:sig",
		.expected = "off=>on 2 k1 {off }2:on >1:sig >10:fork ."},
	{.name = "after event2, at the end of the stream",
		.events = {OFF_ON},
		.detail = "+10ns",
		.stream = "1@1:off 3@1:on 4@1:sig",
		.expected = "off=>on 2 k1 {off }2:on >1:sig ."},
	{.name = "both sides",
		.events = {OFF_ON},
		.detail = "-1us,+1us",
		.stream = "1@1:sig 2000@1:sig 2500@1:off 2600@1:sig 2700@1:on 3700@1:sig "
			  "3701@1:sig",
		.expected = "off=>on 200 k1 <500:sig {off 100:sig }100:on >1000:sig ."},
	{.name = "events at the same time keep their order",
		.events = {OFF_ON},
		.detail = "-5ns,+5ns",
		.stream = "5@1:sig 5@1:off 5@1:fork 9@1:sig 9@1:on 9@1:fork",
		.expected = "off=>on 4 k1 <0:sig {off 0:fork 4:sig }0:on >0:fork ."},
	{.name = "the events of other instances",
		.events = {OFF_ON},
		.detail = "",
		.stream = "1@1:off 3@2:off 4@2:on 8@1:on",
		.expected = "off=>on 1 k2 {off }1:on . off=>on 7 k1 {off 2:off 1:on }4:on ."},
	{.name = "windows that overlap",
		.events = {OFF_ON},
		.detail = "+5ns",
		.stream = "1@1:off 2@2:off 4@1:on 6@2:on 8@1:sig 20@1:sig",
		.expected = "off=>on 3 k1 off=>on 4 k2 {off 1:off }2:on >2:on >4:sig . "
			    "{off 2:on }2:on >2:sig ."},
	{.name = "a middle event ends one and begins the next",
		.events = {"sched:off", "signal:deliver//alias=sig/,proc:fork//untraced/",
			"sched:on"},
		.detail = "",
		.stream = "1@1:off 2@1:fork 4@1:sig 7@1:fork 9@1:on",
		.expected = "off=>sig 3 k1 {off 1:fork }2:sig . sig=>on 5 k1 {sig 3:fork "
			    "}2:on ."},
	{.name = "an instance without an event2",
		.events = {OFF_ON},
		.detail = "-2ns,sametid,2",
		.stream = "1@1:sig 3@1:fork 5@1:off 6@1:sig 7@2:sig 9@1:sig 11@2:fork",
		.expected = "off~open k1 <2:fork {off 1:sig [1]3:sig [1]."},
	{.name = "only of instances above the threshold",
		.events = {OFF_ON},
		.detail = "",
		.than = "5ns",
		.stream = "1@1:off 2@1:sig 6@1:on 11@1:off 12@1:sig 17@1:on",
		.expected = "off=>on 5 k1 off=>on 6! k1 {off 1:sig }5:on ."},
	{.name = "events that the filter keeps out are not there",
		.events = {"sched:off,signal:deliver/sig==2/untraced/alias=sig/", "sched:on"},
		.detail = "",
		.stream = "1@1:off 2@1:sig(1) 3@1:sig(2) 4@1:on",
		.expected = "off=>on 3 k1 {off 2:sig }1:on ."},
};

static void windows(void **state)
{
	CHECK_ALL(windows_cases);
}

static const struct recorded hidden_cases[] = {
	{.name = "what follows a shown line too soon",
		.events = {OFF_ON},
		.detail = "hide<10ns",
		.stream = "100@1:off 105@1:sig 110@1:sig 119@1:sig 121@1:sig 125@1:on",
		.expected = "off=>on 25 k1 {off [1]10:sig [1]11:sig }4:on ."},
	{.name = "all of it",
		.events = {OFF_ON},
		.detail = "hide<1us",
		.stream = "100@1:off 105@1:sig 110@1:sig 119@1:sig 125@1:on",
		.expected = "off=>on 25 k1 {off [3]}25:on ."},
	{.name = "not around the instance",
		.events = {OFF_ON},
		.detail = "hide<1us,-9ns,+9ns",
		.stream = "95@1:sig 100@1:off 101@1:sig 125@1:on 126@1:sig",
		.expected = "off=>on 25 k1 <5:sig {off [1]}25:on >1:sig ."},
	{.name = "of other threads",
		.events = {OFF_ON},
		.detail = "sametid",
		.stream = "1@1:off 2@2:sig 3@1:sig 4@2:fork 5@2:fork 6@1:on",
		.expected = "off=>on 5 k1 {off [1]2:sig [2]}3:on ."},
	{.name = "the process is the same",
		.events = {OFF_ON},
		.detail = "samepid",
		.stream = "1@1:off 2@2:sig 6@1:on",
		.expected = "off=>on 5 k1 {off 1:sig }4:on ."},
	{.name = "of other keys",
		.events = {"sched:off//key=_cpu/,signal:deliver//key=sig/untraced/alias=sig/",
			"sched:on//key=_cpu/"},
		.detail = "samekey",
		.stream = "1@1:off/3 2@2:sig(3) 3@1:sig(4) 6@4:on/3",
		.expected = "off=>on 5 k3 {off 1:sig [1]}4:on ."},
	{.name = "of other CPUs than either event's",
		.events = {OFF_ON},
		.detail = "samecpu",
		.stream = "1@1:off/0 2@2:sig/0 3@3:sig/1 4@4:sig/2 6@1:on/1",
		.expected = "off=>on 5 k1 {off 1:sig 1:sig [1]}3:on ."},
	{.name = "of other CPUs than event1's",
		.events = {OFF_ON},
		.detail = "samecpu,1",
		.stream = "1@1:off/0 2@2:sig/0 3@3:sig/1 4@4:sig/2 6@1:on/1",
		.expected = "off=>on 5 k1 {off 1:sig [2]}4:on ."},
	{.name = "of other CPUs than event2's",
		.events = {OFF_ON},
		.detail = "2,samecpu",
		.stream = "1@1:off/0 2@2:sig/0 3@3:sig/1 4@4:sig/2 6@1:on/1",
		.expected = "off=>on 5 k1 {off [1]2:sig [1]}3:on ."},
	{.name = "1 and 2 are both",
		.events = {OFF_ON},
		.detail = "1,2,samecpu",
		.stream = "1@1:off/0 2@2:sig/0 3@3:sig/1 6@1:on/1",
		.expected = "off=>on 5 k1 {off 1:sig 1:sig }3:on ."},
	{.name = "CPU and thread together",
		.events = {OFF_ON},
		.detail = "samecpu,sametid",
		.stream = "1@1:off/0 2@2:sig/0 3@1:sig/5 4@1:sig/0 6@1:on/0",
		.expected = "off=>on 5 k1 {off [2]3:sig }2:on ."},
	{.name = "around the instance, counted at the end",
		.events = {OFF_ON},
		.detail = "sametid,-9ns,+9ns",
		.stream = "10@2:sig 11@1:off 12@1:on 13@2:sig 14@1:sig 15@2:sig",
		.expected = "off=>on 1 k1 [1]{off }1:on [1]>2:sig [1]."},
};

static void hidden(void **state)
{
	CHECK_ALL(hidden_cases);
}

static void the_ring_is_bounded(void **state)
{
	/* Room for two events with two values. */
	size_t two = 2 *
		(sizeof(struct sprof_trace_side) + sizeof(struct sprof_trace_event) +
			2 * sizeof(struct sprof_trace_value));
	const struct recorded cases[] = {
		{.name = "what has no room is said to be missing",
			.events = {"sched:off,sched:on", "proc:exit"},
			.detail = "",
			.max_bytes = two,
			.stream = "1@1:off 2@2:off 3@3:off 4@1:end",
			.stays_open = true,
			.expected = "off=>exit 3 k1 {?off 2:off }1:exit ."},
		{.name = "with room for all nothing is",
			.events = {"sched:off,sched:on", "proc:exit"},
			.detail = "",
			.stream = "1@1:off 2@2:off 3@3:off 4@1:end",
			.stays_open = true,
			.expected = "off=>exit 3 k1 {off 1:off 1:off }1:exit ."},
		{.name = "what was lost before the window doesn't matter",
			.events = {"sched:off,sched:on", "proc:exit"},
			.detail = "",
			.max_bytes = two,
			.stream = "1@1:off 2@2:off 3@3:off 4@3:end",
			.stays_open = true,
			.expected = "off=>exit 1 k3 {off }1:exit ."},
	};

	CHECK_ALL(cases);
}

static void ignore_line(void *context, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line)
{
	(*(size_t *)context)++;
}

static struct sprof_details *details_of(const struct sprof_details_options *options, size_t *lines)
{
	struct sprof_details_listener listener = {ignore_line, lines};
	struct sprof_details *details = sprof_details_create(options, &listener);

	assert_non_null(details);
	return details;
}

/* No instance is open: only what is before the next event can still be asked for. */
static void what_no_instance_needs_is_forgotten(void **state)
{
	struct sprof_details_options options = {.before_ns = 100};
	size_t lines = 0, bytes = 0;
	struct sprof_details *details = details_of(&options, &lines);
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.type = SPROF_TRACE_OFF, .fields = values};
	struct sprof_trace_side side = {.event = &event};

	for (uint64_t i = 1; i <= 1000; i++) {
		event.time_ns = i * 10;
		side.sequence = i;
		assert_true(sprof_details_add(details, &side, UINT64_MAX));
		if (i == 11)
			bytes = sprof_details_bytes(details);
	}
	assert_int_equal(sprof_details_bytes(details), bytes);
	assert_int_equal(sprof_details_evicted(details), 0);
	/* An old event1 keeps them. */
	for (uint64_t i = 1001; i <= 2000; i++) {
		event.time_ns = i * 10;
		assert_true(sprof_details_add(details, &side, 10000));
	}
	assert_true(sprof_details_bytes(details) > 90 * bytes);
	sprof_details_destroy(details);
}

static void many_instances_wait(void **state)
{
	struct sprof_details_options options = {.after_ns = 1000};
	size_t lines = 0;
	struct sprof_details *details = details_of(&options, &lines);
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event first = {.type = SPROF_TRACE_OFF, .fields = values};
	struct sprof_trace_event second = {.type = SPROF_TRACE_ON, .fields = values};
	struct sprof_trace_instance instance = {
		.event1 = {.event = &first}, .event2 = {.event = &second}};

	for (uint64_t i = 1; i <= 5000; i++) {
		first.time_ns = i * 10;
		second.time_ns = i * 10 + 5;
		instance.event1.sequence = 2 * i;
		instance.event2.sequence = 2 * i + 1;
		assert_true(sprof_details_add(details, &instance.event1, UINT64_MAX));
		assert_true(sprof_details_add(details, &instance.event2, first.time_ns));
		assert_true(sprof_details_request(details, &instance));
	}
	assert_true(lines > 4000 * 3);
	/* Those that still wait are freed with the rest. */
	sprof_details_destroy(details);
}

static void check_error(const char *text, const char *message)
{
	struct sprof_details_options options;
	struct sprof_error err = {0};

	assert_false(sprof_details_parse(text, &options, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_string_equal(err.message, message);
}

static void options_are_strict(void **state)
{
	struct sprof_details_options options;
	struct sprof_error err;

	assert_true(sprof_details_parse("-1ms,+2us,hide<3ns,samekey", &options, &err));
	assert_int_equal(options.before_ns, 1000000);
	assert_int_equal(options.after_ns, 2000);
	assert_int_equal(options.hide_ns, 3);
	assert_true(options.same_key && !options.same_cpu);
	check_error("-1", "column 2: not a time with a unit, such as 4ms or 10us");
	check_error("samecpu,hide<5", "column 14: not a time with a unit, such as 4ms or 10us");
	check_error("samecpu,+1h", "column 10: not a time with a unit, such as 4ms or 10us");
	check_error("samecpus", "column 1: no detail is called 'samecpus'");
	check_error("samecpu,", "column 9: no detail is called ''");
	check_error("", "column 1: no detail is called ''");
	check_error("3", "column 1: no detail is called '3'");
}

TEST_MAIN("details")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(hidden),
		cmocka_unit_test(the_ring_is_bounded),
		cmocka_unit_test(what_no_instance_needs_is_forgotten),
		cmocka_unit_test(many_instances_wait),
		cmocka_unit_test(options_are_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
