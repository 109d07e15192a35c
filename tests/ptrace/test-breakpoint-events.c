/*
 * events/breakpoint-events with real processes: begins and returns of calls. Which functions there are:
 * tests/targets/hits.c.
 */
#include "events/functions/breakpoint-events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/breakpoints/breakpoints.h"
#include "base/clock.h"
#include "tests/ptrace/code.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

/* The order of the target's ready line. */
enum { RELATIVE_CALL = 3, ODD = 7, CALLS = 1000 };

struct counting {
	struct sprof_breakpoint_events *events;
	struct sprof_event_source source;
	uint64_t address;
	long begins, returns;
	long wanted_begins, wanted_returns;
};

static bool count(void *data, const struct sprof_trace_event *event)
{
	struct counting *counting = data;

	counting->begins += event->type == SPROF_TRACE_PROBE;
	counting->returns += event->type == SPROF_TRACE_RETURN;
	return true;
}

static bool watch(struct scene *scene, void *data)
{
	struct counting *counting = data;
	const struct sprof_breakpoint_options options = {.sink = {counting, count}};
	size_t processes;

	counting->events = sprof_breakpoint_events_create(&options);
	if (!counting->events)
		return false;
	counting->source = sprof_breakpoint_events_source(counting->events);
	counting->source.begin(counting->source.data, scene->target);
	return sprof_breakpoint_events_add(sprof_target_processes(scene->target, &processes)[0],
		counting->address, 0, SPROF_BREAKPOINT_CALL);
}

/* Serves the target until all is counted that is wanted. */
static bool serve(struct scene *scene, void *data)
{
	const uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();
	struct counting *counting = data;

	while (counting->begins < counting->wanted_begins ||
		counting->returns < counting->wanted_returns) {
		const struct sprof_event event = scene_next_event(scene, limit);

		if (event.kind == SPROF_EVENT_TIMEOUT)
			return false;
		if (event.kind == SPROF_EVENT_HELD && event.held == SPROF_HELD_BREAKPOINT)
			counting->source.take(counting->source.data, &event);
		else
			sprof_event_answer(scene->target, &event);
	}
	return true;
}

static bool end(struct scene *scene, void *data)
{
	struct counting *counting = data;

	counting->source.end(counting->source.data, sprof_clock_now_ns());
	sprof_breakpoint_events_destroy(counting->events);
	return true;
}

/* Attaches, and watches the function with this place in the ready line. */
static void begin(struct scene *scene, struct counting *counting, int place)
{
	char *at;

	scene_start(scene, "hits", NULL);
	at = strchr(scene->line, ' ');
	strtol(at, &at, 10);
	for (int i = 0; i <= place; i++)
		counting->address = strtoull(at, &at, 16);
	scene_attach(scene);
	assert_true(scene_do(scene, watch, counting));
}

static void finish(struct scene *scene, struct counting *counting, const char *result)
{
	assert_true(scene_do(scene, serve, counting));
	scene_expect_line(scene, result);
	assert_true(scene_do(scene, end, counting));
	assert_int_equal(counting->begins, counting->wanted_begins);
	assert_int_equal(counting->returns, counting->wanted_returns);
	expect_code_of_files(scene->pid);
}

static void each_call_begins_and_returns(void **state)
{
	struct counting counting = {.wanted_begins = CALLS, .wanted_returns = CALLS};
	char line[64];

	begin(*state, &counting, RELATIVE_CALL);
	snprintf(line, sizeof(line), "call %d %d", RELATIVE_CALL, CALLS);
	scene_say(*state, line);
	snprintf(line, sizeof(line), "result %d", CALLS * (CALLS - 1) / 2 + CALLS * RELATIVE_CALL);
	finish(*state, &counting, line);
}

static void what_is_no_place_of_code_stays(void **state)
{
	struct counting counting = {.wanted_begins = 1};

	begin(*state, &counting, ODD);
	scene_say(*state, "odd");
	finish(*state, &counting, "result 7");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_create_holding, scene_destroy)

TEST_MAIN("breakpoint-events")
{
	const struct CMUnitTest tests[] = {
		TEST(each_call_begins_and_returns),
		TEST(what_is_no_place_of_code_stays),
	};

	if (!sprof_breakpoints_are_possible()) {
		puts("this build has no breakpoints: it lacks libZydis, or x86-64");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
