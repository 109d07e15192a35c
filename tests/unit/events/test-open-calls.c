/*
 * Which stops are one call: returns, restarts with and without a handler, handlers in handlers, jumps
 * out of handlers, ends.
 */
#include "events/syscalls/open-calls.h"

#include <errno.h>
#include <sys/syscall.h>

#include "tests/unit/check.h"

enum { SP = 0x100000, LOWER = SP - 0x800, ERESTARTSYS = 512, RESTARTBLOCK = 516 };

struct stream {
	struct open_calls open_calls;
	uint64_t now_ns;
	struct sprof_call last;
	unsigned calls;
	bool is_restarted; /* sprof makes the kernel restart the call before the next entry */
};

static void enter(struct stream *stream, int64_t number, uint64_t sp)
{
	const struct sprof_call_state state = {
		.stop = SPROF_CALL_ENTRY, .number = number, .sp = sp, .arguments = {1, 2, 3}};
	struct open_calls_stop entry = {.state = &state, .is_restarted = stream->is_restarted};

	stream->now_ns += 10;
	entry.now_ns = stream->now_ns;
	while (sprof_open_calls_settle(&stream->open_calls, &entry, &stream->last))
		stream->calls++;
	assert_int_not_equal(
		sprof_open_calls_enter(&stream->open_calls, &entry), OPEN_CALLS_BEGINS_UNSEEN);
	stream->is_restarted = false;
}

/* Whether a call ended there. */
static bool leave(struct stream *stream, int64_t result, uint64_t sp)
{
	const struct sprof_call_state state = {.stop = SPROF_CALL_EXIT,
		.result = result,
		.is_error = result < 0 && result >= -4095,
		.sp = sp};
	struct open_calls_stop exit = {.state = &state};

	stream->now_ns += 10;
	exit.now_ns = stream->now_ns;
	if (!sprof_open_calls_leave(&stream->open_calls, &exit, &stream->last))
		return false;
	stream->calls++;
	return true;
}

static bool returned(struct stream *stream, int64_t result)
{
	const struct sprof_call_state state = {.stop = SPROF_CALL_EXIT, .result = result};
	const struct open_calls_stop exit = {.state = &state};

	if (!sprof_open_calls_returned(&stream->open_calls, &exit, &stream->last))
		return false;
	stream->calls++;
	return true;
}

static void check_last(const struct stream *stream, int64_t number, uint64_t ns)
{
	assert_int_equal(stream->last.number, number);
	assert_int_equal(stream->last.end_ns - stream->last.begin_ns, ns);
}

static void a_call_returns(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_true(leave(&stream, 5, SP));
	check_last(&stream, SYS_read, 10);
	assert_int_equal(stream.last.result, 5);
	assert_false(stream.last.is_error);
	assert_int_equal(stream.last.ending, SPROF_CALL_RETURNED);
	assert_int_equal(stream.last.arguments[2], 3);
	assert_int_equal(stream.open_calls.depth, 0);
}

static void a_restart_without_a_handler_is_the_same_call(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_read, SP);
	assert_true(leave(&stream, 1, SP));
	check_last(&stream, SYS_read, 50);
	assert_int_equal(stream.calls, 1);
}

static void restart_syscall_is_the_call_that_it_restarts(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_nanosleep, SP);
	assert_false(leave(&stream, -RESTARTBLOCK, SP));
	enter(&stream, SYS_restart_syscall, SP);
	assert_true(leave(&stream, 0, SP));
	check_last(&stream, SYS_nanosleep, 30);
}

/* SA_RESTART: rt_sigreturn "returns" the number of the call that begins again. */
static void a_handler_and_a_restart(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_write, LOWER);
	assert_true(leave(&stream, 1, LOWER));
	check_last(&stream, SYS_write, 10);
	enter(&stream, SYS_rt_sigreturn, LOWER);
	assert_true(leave(&stream, SYS_read, LOWER));
	assert_false(returned(&stream, SYS_read));
	enter(&stream, SYS_read, SP);
	assert_true(leave(&stream, 1, SP));
	check_last(&stream, SYS_read, 70);
	assert_int_equal(stream.calls, 3);
}

static void a_handler_and_no_restart(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_nanosleep, SP);
	assert_false(leave(&stream, -RESTARTBLOCK, SP));
	enter(&stream, SYS_rt_sigreturn, LOWER);
	assert_true(leave(&stream, -EINTR, LOWER));
	assert_false(stream.last.is_error);
	assert_true(returned(&stream, -EINTR));
	check_last(&stream, SYS_nanosleep, 10);
	assert_true(stream.last.is_error);
	assert_int_equal(stream.last.result, -EINTR);
	/* The same call in the same place is a new one. */
	enter(&stream, SYS_nanosleep, SP);
	assert_true(leave(&stream, 0, SP));
	check_last(&stream, SYS_nanosleep, 10);
}

static void a_handler_in_a_handler(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_futex, LOWER);
	assert_false(leave(&stream, -ERESTARTSYS, LOWER));
	enter(&stream, SYS_rt_sigreturn, LOWER - 0x800);
	assert_true(leave(&stream, SYS_futex, LOWER - 0x800));
	enter(&stream, SYS_futex, LOWER);
	assert_true(leave(&stream, 0, LOWER));
	assert_int_equal(stream.last.number, SYS_futex);
	enter(&stream, SYS_rt_sigreturn, LOWER);
	assert_true(leave(&stream, SYS_read, LOWER));
	enter(&stream, SYS_read, SP);
	assert_true(leave(&stream, 0, SP));
	assert_int_equal(stream.last.number, SYS_read);
	assert_int_equal(stream.open_calls.depth, 0);
}

/* The broken call does not come back: what follows is not taken for it, and it is told at the end. */
static void a_jump_out_of_a_handler(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, LOWER);
	assert_false(leave(&stream, -ERESTARTSYS, LOWER));
	enter(&stream, SYS_write, SP);
	assert_true(leave(&stream, 1, SP));
	check_last(&stream, SYS_write, 10);
	enter(&stream, SYS_read, LOWER);
	assert_true(leave(&stream, 1, LOWER));
	check_last(&stream, SYS_read, 10);
	assert_true(sprof_open_calls_close(&stream.open_calls, SPROF_CALL_CUT, 1000, &stream.last));
	check_last(&stream, SYS_read, 10);
	assert_int_equal(stream.last.result, -EINTR);
	assert_int_equal(stream.last.ending, SPROF_CALL_RETURNED);
}

static void no_jump_is_forgotten(void **state)
{
	enum { JUMPS = 10 * OPEN_CALLS_DEPTH };
	struct stream stream = {0};

	for (uint64_t i = 0; i < JUMPS; i++) {
		enter(&stream, SYS_read, SP - i * 0x1000);
		assert_false(leave(&stream, -ERESTARTSYS, SP - i * 0x1000));
	}
	while (sprof_open_calls_close(&stream.open_calls, SPROF_CALL_CUT, 100000, &stream.last))
		stream.calls++;
	assert_int_equal(stream.calls, JUMPS);
}

/* epoll_wait returns EINTR for an ignored signal, and sprof takes that back. */
static void an_eintr_that_is_taken_back_is_none(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_epoll_pwait, SP);
	assert_false(leave(&stream, -EINTR, SP));
	stream.is_restarted = true;
	enter(&stream, SYS_epoll_pwait, SP);
	assert_true(leave(&stream, 1, SP));
	check_last(&stream, SYS_epoll_pwait, 30);
	assert_int_equal(stream.calls, 1);
}

static void an_eintr_is_told_with_the_next_call(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_epoll_pwait, SP);
	assert_false(leave(&stream, -EINTR, SP));
	enter(&stream, SYS_epoll_pwait, SP);
	assert_int_equal(stream.calls, 1);
	check_last(&stream, SYS_epoll_pwait, 10);
	assert_true(stream.last.is_error);
}

static void a_restart_of_a_call_from_before_is_that_call(void **state)
{
	struct stream stream = {.now_ns = 1000};

	sprof_open_calls_found(&stream.open_calls,
		&(struct open_call){.number = SYS_nanosleep, .begin_ns = 500, .was_before = true});
	enter(&stream, SYS_restart_syscall, SP);
	assert_true(leave(&stream, 0, SP));
	check_last(&stream, SYS_nanosleep, 520);
	assert_int_equal(stream.last.ending, SPROF_CALL_UNDER_WAY);
}

/* The kernel ends the call as if a handler were to run, but none does. */
static void a_kill_is_no_error(void **state)
{
	static const int64_t results[] = {-EINTR, -512};

	for (int i = 0; i < 2; i++) {
		struct stream stream = {.now_ns = 0};

		enter(&stream, SYS_epoll_wait, SP);
		assert_false(leave(&stream, results[i], SP));
		assert_true(sprof_open_calls_close(
			&stream.open_calls, SPROF_CALL_CUT, 100, &stream.last));
		assert_int_equal(stream.last.ending, SPROF_CALL_CUT);
		assert_int_equal(stream.last.end_ns, 100);
		assert_false(stream.last.is_error);
	}
}

static void an_end_closes_all(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_exit_group, LOWER);
	assert_true(sprof_open_calls_close(&stream.open_calls, SPROF_CALL_CUT, 100, &stream.last));
	check_last(&stream, SYS_exit_group, 70);
	assert_int_equal(stream.last.ending, SPROF_CALL_CUT);
	assert_true(sprof_open_calls_close(&stream.open_calls, SPROF_CALL_CUT, 100, &stream.last));
	check_last(&stream, SYS_read, 10);
	assert_true(stream.last.is_error);
	assert_false(sprof_open_calls_close(&stream.open_calls, SPROF_CALL_CUT, 100, &stream.last));
}

static void a_call_from_before_is_said_to_be(void **state)
{
	struct stream stream = {.now_ns = 1000};

	sprof_open_calls_found(&stream.open_calls,
		&(struct open_call){.number = SYS_ppoll, .begin_ns = 500, .was_before = true});
	assert_true(leave(&stream, 0, SP));
	assert_int_equal(stream.last.ending, SPROF_CALL_UNDER_WAY);
	check_last(&stream, SYS_ppoll, 510);
}

static void a_call_from_before_that_ended_unseen_is_dropped(void **state)
{
	const struct sprof_call_state read = {.number = SYS_read, .sp = SP};
	const struct open_calls_stop entry = {.state = &read, .now_ns = 10};
	struct stream stream = {0};

	sprof_open_calls_found(
		&stream.open_calls, &(struct open_call){.number = SYS_ppoll, .was_before = true});
	assert_int_equal(
		sprof_open_calls_enter(&stream.open_calls, &entry), OPEN_CALLS_BEGINS_UNSEEN);
	assert_true(leave(&stream, 0, SP));
	assert_int_equal(stream.last.number, SYS_read);
}

static void an_exec_ends_what_was_broken_off(void **state)
{
	struct stream stream = {0};

	enter(&stream, SYS_read, SP);
	assert_false(leave(&stream, -ERESTARTSYS, SP));
	enter(&stream, SYS_execve, LOWER);
	sprof_open_calls_executed(&stream.open_calls);
	assert_int_equal(stream.open_calls.depth, 1);
	assert_true(leave(&stream, 0, SP));
	assert_int_equal(stream.last.number, SYS_execve);
}

static void an_exit_without_an_entry_is_nothing(void **state)
{
	struct stream stream = {0};

	assert_false(leave(&stream, 0, SP));
}

TEST_MAIN("open-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_returns),
		cmocka_unit_test(a_restart_without_a_handler_is_the_same_call),
		cmocka_unit_test(restart_syscall_is_the_call_that_it_restarts),
		cmocka_unit_test(a_handler_and_a_restart),
		cmocka_unit_test(a_handler_and_no_restart),
		cmocka_unit_test(a_handler_in_a_handler),
		cmocka_unit_test(a_jump_out_of_a_handler),
		cmocka_unit_test(no_jump_is_forgotten),
		cmocka_unit_test(an_eintr_that_is_taken_back_is_none),
		cmocka_unit_test(an_eintr_is_told_with_the_next_call),
		cmocka_unit_test(a_restart_of_a_call_from_before_is_that_call),
		cmocka_unit_test(a_kill_is_no_error),
		cmocka_unit_test(an_end_closes_all),
		cmocka_unit_test(a_call_from_before_is_said_to_be),
		cmocka_unit_test(a_call_from_before_that_ended_unseen_is_dropped),
		cmocka_unit_test(an_exec_ends_what_was_broken_off),
		cmocka_unit_test(an_exit_without_an_entry_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
