/*
 * events/tracepoint-calls: what the kernel's tracepoints tell becomes one begin and one end for each
 * call, however often the kernel restarts it.
 */
#include "events/tracepoint-calls.h"

#include <errno.h>
#include <sys/syscall.h>

#include "tests/unit/check.h"

enum { TID = 7, RESTART = -512, MOST = 16 };

struct given {
	struct sprof_tracepoint_calls calls;
	struct sprof_trace_sink sink;
	struct {
		uint32_t type;
		int64_t number, result;
		uint64_t time_ns;
	} events[MOST];
	size_t count;
	uint64_t now_ns;
};

static bool take(void *data, const struct sprof_trace_event *event)
{
	struct given *given = data;

	assert_true(given->count < MOST);
	given->events[given->count].type = event->type;
	given->events[given->count].number = event->fields[0].integer;
	given->events[given->count].result = event->fields[1].integer;
	given->events[given->count].time_ns = event->time_ns;
	given->count++;
	return true;
}

static void add(struct given *given, enum sprof_trace_type type, int64_t first, int64_t second)
{
	const struct sprof_trace_value values[1 + SPROF_TRACE_ARGUMENTS] = {
		{.integer = first}, {.integer = second}};
	const struct sprof_trace_event event = {
		.time_ns = ++given->now_ns, .tid = TID, .type = type, .fields = values};

	assert_true(sprof_tracepoint_calls_add(&given->calls, &event, &given->sink));
}

static void enter(struct given *given, int64_t number)
{
	add(given, SPROF_TRACE_SYS_ENTER, number, 0);
}

static void leave(struct given *given, int64_t number, int64_t result)
{
	add(given, SPROF_TRACE_SYS_EXIT, number, result);
}

static void begin(struct given *given)
{
	*given = (struct given){.sink = {given, take}};
}

static void check(const struct given *given, size_t index, enum sprof_trace_type type,
	int64_t number, uint64_t time_ns)
{
	assert_true(index < given->count);
	assert_int_equal(given->events[index].type, type);
	assert_int_equal(given->events[index].number, number);
	assert_int_equal(given->events[index].time_ns, time_ns);
}

static void a_call_is_as_it_was(void **state)
{
	struct given given;

	begin(&given);
	enter(&given, SYS_getppid);
	leave(&given, SYS_getppid, 42);
	assert_int_equal(given.count, 2);
	check(&given, 0, SPROF_TRACE_SYS_ENTER, SYS_getppid, 1);
	check(&given, 1, SPROF_TRACE_SYS_EXIT, SYS_getppid, 2);
	assert_int_equal(given.events[1].result, 42);
	sprof_tracepoint_calls_finish(&given.calls);
}

/* With a handler, whose calls are calls, and which the interrupted one goes on after. */
static void a_restart_is_no_call(void **state)
{
	struct given given;

	begin(&given);
	enter(&given, SYS_read);
	leave(&given, SYS_read, RESTART);
	enter(&given, SYS_getpid);
	leave(&given, SYS_getpid, 1);
	enter(&given, SYS_rt_sigreturn);
	leave(&given, SYS_rt_sigreturn, SYS_read);
	enter(&given, SYS_read);
	leave(&given, SYS_read, 3);
	assert_int_equal(given.count, 6);
	check(&given, 0, SPROF_TRACE_SYS_ENTER, SYS_read, 1);
	check(&given, 1, SPROF_TRACE_SYS_ENTER, SYS_getpid, 3);
	check(&given, 3, SPROF_TRACE_SYS_ENTER, SYS_rt_sigreturn, 5);
	check(&given, 5, SPROF_TRACE_SYS_EXIT, SYS_read, 8);
	assert_int_equal(given.events[5].result, 3);
	sprof_tracepoint_calls_finish(&given.calls);
}

/* The handler's return says so; the end is when the call was broken off. */
static void an_interrupted_call_ends(void **state)
{
	struct given given;

	begin(&given);
	enter(&given, SYS_read);
	leave(&given, SYS_read, RESTART);
	enter(&given, SYS_rt_sigreturn);
	leave(&given, SYS_rt_sigreturn, -EINTR);
	assert_int_equal(given.count, 4);
	check(&given, 3, SPROF_TRACE_SYS_EXIT, SYS_read, 2);
	assert_int_equal(given.events[3].result, -EINTR);
	sprof_tracepoint_calls_finish(&given.calls);
}

static void an_end_without_a_begin_is_left_out(void **state)
{
	struct given given;

	begin(&given);
	leave(&given, SYS_execve, 0);
	assert_int_equal(given.count, 0);
	sprof_tracepoint_calls_finish(&given.calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_as_it_was),
		cmocka_unit_test(a_restart_is_no_call),
		cmocka_unit_test(an_interrupted_call_ends),
		cmocka_unit_test(an_end_without_a_begin_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
