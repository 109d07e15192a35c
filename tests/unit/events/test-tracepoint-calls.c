/*
 * events/tracepoint-calls: what the kernel's tracepoints tell becomes one begin and one end for each
 * call, however often the kernel restarts it.
 */
#include "events/recorded/tracepoint-calls.h"

#include <errno.h>
#include <sys/syscall.h>

#include "events/syscalls/events.h"
#include "tests/unit/check.h"

enum { ID = 3, TID = 7, RESTART = -512, MOST = 16 };

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

	assert_true(sprof_tracepoint_calls_add(&given->calls, &event));
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
	given->calls.listener = sprof_call_events_listener(&given->sink);
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

/* What the listener of the tests below was told last. */
struct told {
	struct sprof_tracepoint_calls calls;
	struct sprof_call last;
	unsigned count;
};

static bool hear(void *data, const struct sprof_call *call)
{
	struct told *told = data;

	told->last = *call;
	told->count++;
	return true;
}

static void tell(struct told *told, enum sprof_trace_type type, uint64_t time_ns, int64_t number)
{
	const struct sprof_trace_value values[1 + SPROF_TRACE_ARGUMENTS] = {{.integer = number}};
	const struct sprof_trace_event event = {.time_ns = time_ns,
		.thread = ID,
		.tid = TID,
		.cpu = 1,
		.type = type,
		.fields = values};

	assert_true(sprof_tracepoint_calls_add(&told->calls, &event));
}

/* A thread that is there already, in read(2) since before 100 ns. */
static void find_reader(struct told *told)
{
	struct sprof_process process = {.pid = TID};
	const struct sprof_thread thread = {.id = ID, .tid = TID, .process = &process};
	const struct open_call call = {.number = SYS_read, .begin_ns = 100, .was_before = true};

	*told = (struct told){.calls.listener = {.data = told, .call = hear}};
	assert_true(sprof_tracepoint_calls_found(&told->calls, &thread, &call));
}

static void end_thread(struct told *told, uint32_t thread, uint64_t time_ns)
{
	const struct sprof_trace_event end = {.time_ns = time_ns, .thread = thread};

	assert_true(sprof_tracepoint_calls_end(&told->calls, &end));
}

static void a_thread_ends_in_its_call(void **state)
{
	struct told told = {.calls.listener = {.data = &told, .call = hear}};

	tell(&told, SPROF_TRACE_SYS_ENTER, 10, SYS_exit_group);
	assert_int_equal(told.count, 0);
	end_thread(&told, ID, 50);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.ending, SPROF_CALL_CUT);
	assert_int_equal(told.last.end_ns - told.last.begin_ns, 40);
	end_thread(&told, ID, 60);
	assert_int_equal(told.calls.count, 0);
	sprof_tracepoint_calls_finish(&told.calls);
}

/* The rest keep their calls when one of them goes. */
static void many_threads_end(void **state)
{
	enum { THREADS = 50 };
	struct told told = {.calls.listener = {.data = &told, .call = hear}};

	for (pid_t tid = 1; tid <= THREADS; tid++) {
		const struct sprof_trace_value values[1 + SPROF_TRACE_ARGUMENTS] = {
			{.integer = 1000 + tid}};
		const struct sprof_trace_event event = {.time_ns = 5,
			.thread = (uint32_t)tid,
			.tid = tid,
			.type = SPROF_TRACE_SYS_ENTER,
			.fields = values};

		assert_true(sprof_tracepoint_calls_add(&told.calls, &event));
	}
	for (pid_t tid = 1; tid <= THREADS; tid += 2) {
		end_thread(&told, (uint32_t)tid, 9);
		assert_int_equal(told.last.number, 1000 + tid);
	}
	for (pid_t tid = 2; tid <= THREADS; tid += 2) {
		end_thread(&told, (uint32_t)tid, 9);
		assert_int_equal(told.last.number, 1000 + tid);
		assert_int_equal(told.last.tid, tid);
	}
	assert_int_equal(told.count, THREADS);
	sprof_tracepoint_calls_finish(&told.calls);
}

/* By an exec it has got the process's, and another thread has its own one. */
static void a_call_ends_under_another_id(void **state)
{
	struct told told = {.calls.listener = {.data = &told, .call = hear}};
	const struct sprof_trace_value values[1 + SPROF_TRACE_ARGUMENTS] = {
		{.integer = SYS_execve}};
	struct sprof_trace_event event = {.time_ns = 5,
		.thread = ID,
		.tid = TID,
		.type = SPROF_TRACE_SYS_ENTER,
		.fields = values};

	assert_true(sprof_tracepoint_calls_add(&told.calls, &event));
	event.thread = ID + 1;
	assert_true(sprof_tracepoint_calls_add(&told.calls, &event));
	event = (struct sprof_trace_event){.time_ns = 9,
		.thread = ID,
		.tid = TID - 1,
		.type = SPROF_TRACE_SYS_EXIT,
		.fields = values};
	assert_true(sprof_tracepoint_calls_add(&told.calls, &event));
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.thread, ID);
	assert_int_equal(told.last.tid, TID - 1);
	assert_int_equal(told.last.ending, SPROF_CALL_RETURNED);
	sprof_tracepoint_calls_finish(&told.calls);
}

static void a_call_that_was_under_way_returns(void **state)
{
	struct told told;

	find_reader(&told);
	tell(&told, SPROF_TRACE_SYS_EXIT, 150, SYS_read);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.ending, SPROF_CALL_UNDER_WAY);
	assert_int_equal(told.last.end_ns - told.last.begin_ns, 50);
	assert_int_equal(told.last.thread, ID);
	assert_int_equal(told.calls.ended_unseen, 0);
	sprof_tracepoint_calls_finish(&told.calls);
}

static void a_call_that_was_under_way_goes_on(void **state)
{
	struct told told;

	find_reader(&told);
	assert_true(sprof_tracepoint_calls_close(&told.calls, 180));
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.ending, SPROF_CALL_OPEN);
	assert_true(told.last.was_before);
	sprof_tracepoint_calls_finish(&told.calls);
}

/* What it was found in was over before its records began: no other call has its name. */
static void another_call_returns(void **state)
{
	struct told told;

	find_reader(&told);
	tell(&told, SPROF_TRACE_SYS_EXIT, 150, SYS_futex);
	assert_int_equal(told.count, 0);
	assert_int_equal(told.calls.ended_unseen, 1);
	sprof_tracepoint_calls_finish(&told.calls);
	find_reader(&told);
	tell(&told, SPROF_TRACE_SYS_ENTER, 150, SYS_futex);
	assert_int_equal(told.calls.ended_unseen, 1);
	tell(&told, SPROF_TRACE_SYS_EXIT, 160, SYS_futex);
	assert_int_equal(told.last.number, SYS_futex);
	assert_int_equal(told.last.end_ns - told.last.begin_ns, 10);
	sprof_tracepoint_calls_finish(&told.calls);
}

/* Its end may be among the records that were lost. */
static void a_gap_cuts_all_calls(void **state)
{
	struct told told;

	find_reader(&told);
	tell(&told, SPROF_TRACE_SYS_EXIT, 110, SYS_read);
	tell(&told, SPROF_TRACE_SYS_ENTER, 120, SYS_read);
	sprof_tracepoint_calls_gap(&told.calls);
	tell(&told, SPROF_TRACE_SYS_EXIT, 150, SYS_read);
	assert_int_equal(told.count, 1);
	sprof_tracepoint_calls_finish(&told.calls);
}

TEST_MAIN("tracepoint-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_as_it_was),
		cmocka_unit_test(a_restart_is_no_call),
		cmocka_unit_test(an_interrupted_call_ends),
		cmocka_unit_test(an_end_without_a_begin_is_left_out),
		cmocka_unit_test(a_thread_ends_in_its_call),
		cmocka_unit_test(many_threads_end),
		cmocka_unit_test(a_call_ends_under_another_id),
		cmocka_unit_test(a_call_that_was_under_way_returns),
		cmocka_unit_test(a_call_that_was_under_way_goes_on),
		cmocka_unit_test(another_call_returns),
		cmocka_unit_test(a_gap_cuts_all_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
