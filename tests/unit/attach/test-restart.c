/*
 * attach/restart: which sleepers may be stopped. What the repair does to a program is told by the
 * tests of suite ptrace.
 */
#include "attach/restart.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/check.h"

static bool harmless(int64_t number, unsigned argument, uint64_t value)
{
	struct sprof_proc_syscall call = {.kind = SPROF_PROC_SYSCALL_INSIDE, .number = number};

	call.arguments[argument] = value;
	return sprof_restart_is_harmless(getpid(), &call);
}

static void calls_that_the_kernel_restarts(void **state)
{
	static const int64_t calls[] = {SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll,
		SYS_pselect6, SYS_wait4, SYS_waitid, SYS_restart_syscall};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_true(harmless(calls[i], 0, 0));
}

/* A restart would start their time over: signal(7), "Interruption of system calls ...". */
static void calls_that_end_with_eintr_and_have_a_timeout(void **state)
{
	assert_false(harmless(SYS_epoll_pwait, 3, 0));
	assert_false(harmless(SYS_epoll_pwait, 3, 1000));
	assert_false(harmless(SYS_epoll_pwait, 3, INT32_MAX));
	assert_false(harmless(SYS_semtimedop, 3, 0x7ffd0000));
	assert_false(harmless(SYS_rt_sigtimedwait, 2, 0x7ffd0000));
	assert_false(harmless(SYS_io_getevents, 4, 0x7ffd0000));
}

/* They can be repaired exactly, where the machine allows for it. The int is in half a register. */
static void the_same_calls_without_one(void **state)
{
	bool repaired = sprof_regs_can_restart();

	assert_int_equal(harmless(SYS_epoll_pwait, 3, UINT64_MAX), repaired);
	assert_int_equal(harmless(SYS_epoll_pwait, 3, UINT32_MAX), repaired);
	assert_int_equal(harmless(SYS_semop, 3, 0), repaired);
	assert_int_equal(harmless(SYS_semtimedop, 3, 0), repaired);
	assert_int_equal(harmless(SYS_rt_sigtimedwait, 2, 0), repaired);
	assert_int_equal(harmless(SYS_io_getevents, 4, 0), repaired);
}

/* A socket may have a time-out that nobody sees; other files have none. */
static void calls_on_sockets(void **state)
{
	int sockets[2], pipes[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_false(harmless(SYS_read, 0, (uint64_t)sockets[0]));
	assert_false(harmless(SYS_recvfrom, 0, (uint64_t)sockets[0]));
	assert_false(harmless(SYS_accept, 0, (uint64_t)sockets[0]));
	assert_true(harmless(SYS_read, 0, (uint64_t)pipes[0]));
	assert_true(harmless(SYS_writev, 0, (uint64_t)pipes[1]));
	close(pipes[0]);
	assert_false(harmless(SYS_read, 0, (uint64_t)pipes[0]));
	close(pipes[1]);
	close(sockets[0]);
	close(sockets[1]);
}

static void calls_that_nobody_knows(void **state)
{
	assert_false(harmless(100000, 0, 0));
	assert_false(harmless(INT64_MIN, 0, 0));
	assert_false(harmless((int64_t)SYS_futex | (int64_t)1 << 32, 0, 0));
}

static void a_thread_that_is_in_no_call(void **state)
{
	struct sprof_proc_syscall call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = SYS_futex};

	assert_false(sprof_restart_is_harmless(getpid(), &call));
	call.kind = SPROF_PROC_SYSCALL_RUNNING;
	assert_false(sprof_restart_is_harmless(getpid(), &call));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_the_kernel_restarts),
		cmocka_unit_test(calls_that_end_with_eintr_and_have_a_timeout),
		cmocka_unit_test(the_same_calls_without_one),
		cmocka_unit_test(calls_on_sockets),
		cmocka_unit_test(calls_that_nobody_knows),
		cmocka_unit_test(a_thread_that_is_in_no_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
