/*
 * attach/stop: every kind of wait status that ptrace(2) and waitpid(2) describe, and what else is known of a
 * stop.
 */
#include "attach/stop.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "tests/unit/check.h"

/* A stop as waitpid(2) reports it; event is 0 for a signal-delivery-stop. */
static int stopped(int signal, int event)
{
	return event << 16 | W_STOPCODE(signal);
}

static void expect(int status, enum sprof_stop_kind kind, int value)
{
	struct sprof_stop stop = sprof_stop_classify(status);

	assert_int_equal(stop.kind, kind);
	assert_int_equal(stop.value, value);
}

static void every_exit_status(void **state)
{
	for (int code = 0; code < 256; code++)
		expect(W_EXITCODE(code, 0), SPROF_STOP_EXITED, code);
}

static void every_deadly_signal_with_and_without_a_core(void **state)
{
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		expect(W_EXITCODE(0, signal), SPROF_STOP_KILLED, signal);
		expect(W_EXITCODE(0, signal) | WCOREFLAG, SPROF_STOP_KILLED, signal);
	}
}

static void every_signal_on_its_way(void **state)
{
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		expect(stopped(signal, 0), SPROF_STOP_SIGNAL, signal);
}

/* A SIGTRAP of the program's own (int3) carries no event: it is the program's. */
static void a_trap_of_the_program_is_a_signal(void **state)
{
	expect(stopped(SIGTRAP, 0), SPROF_STOP_SIGNAL, SIGTRAP);
}

/* PTRACE_O_TRACESYSGOOD tells it from a SIGTRAP by bit 7. */
static void a_system_call_is_no_signal(void **state)
{
	expect(stopped(SIGTRAP | 0x80, 0), SPROF_STOP_SYSCALL, 0);
}

static void the_four_stopping_signals_make_a_group_stop(void **state)
{
	static const int signals[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (unsigned i = 0; i < 4; i++)
		expect(stopped(signals[i], PTRACE_EVENT_STOP), SPROF_STOP_GROUP, signals[i]);
}

static void a_trap_event_is_ours(void **state)
{
	expect(stopped(SIGTRAP, PTRACE_EVENT_STOP), SPROF_STOP_TRAP, SIGTRAP);
}

static void every_event(void **state)
{
	expect(stopped(SIGTRAP, PTRACE_EVENT_CLONE), SPROF_STOP_NEW_TASK, PTRACE_EVENT_CLONE);
	expect(stopped(SIGTRAP, PTRACE_EVENT_FORK), SPROF_STOP_NEW_TASK, PTRACE_EVENT_FORK);
	expect(stopped(SIGTRAP, PTRACE_EVENT_VFORK), SPROF_STOP_NEW_TASK, PTRACE_EVENT_VFORK);
	expect(stopped(SIGTRAP, PTRACE_EVENT_EXEC), SPROF_STOP_EXEC, PTRACE_EVENT_EXEC);
	expect(stopped(SIGTRAP, PTRACE_EVENT_VFORK_DONE), SPROF_STOP_OTHER_EVENT,
		PTRACE_EVENT_VFORK_DONE);
	expect(stopped(SIGTRAP, PTRACE_EVENT_EXIT), SPROF_STOP_OTHER_EVENT, PTRACE_EVENT_EXIT);
	expect(stopped(SIGTRAP, PTRACE_EVENT_SECCOMP), SPROF_STOP_SYSCALL, PTRACE_EVENT_SECCOMP);
}

/* A kernel newer than this code: an event nobody asked for is passed over. */
static void an_unknown_event_is_passed_over(void **state)
{
	expect(stopped(SIGTRAP, 99), SPROF_STOP_OTHER_EVENT, 99);
}

static void where_in_a_system_call(void **state)
{
	static const struct {
		unsigned op;
		enum sprof_call_stop expected;
	} cases[] = {
		{PTRACE_SYSCALL_INFO_NONE, SPROF_CALL_NONE},
		{PTRACE_SYSCALL_INFO_ENTRY, SPROF_CALL_ENTRY},
		{PTRACE_SYSCALL_INFO_EXIT, SPROF_CALL_EXIT},
		{PTRACE_SYSCALL_INFO_SECCOMP, SPROF_CALL_SECCOMP},
		{99, SPROF_CALL_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct __ptrace_syscall_info info = {.op = (__uint8_t)cases[i].op};

		assert_int_equal(sprof_stop_call(&info), cases[i].expected);
	}
}

static void expect_trap(int code, enum sprof_trap expected)
{
	const siginfo_t info = {.si_signo = SIGTRAP, .si_code = code};

	assert_int_equal(sprof_stop_trap(&info), expected);
}

static void what_has_caused_a_trap(void **state)
{
	expect_trap(TRAP_TRACE, SPROF_TRAP_STEP);
	expect_trap(TRAP_BRANCH, SPROF_TRAP_STEP);
	expect_trap(TRAP_HWBKPT, SPROF_TRAP_WATCHPOINT);
	expect_trap(6 /* TRAP_PERF */, SPROF_TRAP_KERNEL);
	expect_trap(SI_USER, SPROF_TRAP_SENT);
	expect_trap(SI_QUEUE, SPROF_TRAP_SENT);
	expect_trap(SI_TKILL, SPROF_TRAP_SENT);
	expect_trap(SI_TIMER, SPROF_TRAP_SENT);
#if defined(__x86_64__)
	expect_trap(SI_KERNEL, SPROF_TRAP_BREAKPOINT);
	expect_trap(TRAP_BRKPT, SPROF_TRAP_STEP);
#else
	expect_trap(SI_KERNEL, SPROF_TRAP_KERNEL);
	expect_trap(TRAP_BRKPT, SPROF_TRAP_BREAKPOINT);
#endif
}

static void stops_of_ptrace_by_their_code(void **state)
{
	expect_trap(SIGTRAP, SPROF_TRAP_SYSCALL);
	expect_trap(SIGTRAP | 0x80, SPROF_TRAP_SYSCALL);
	expect_trap(SIGTRAP | PTRACE_EVENT_EXEC << 8, SPROF_TRAP_EXEC);
	expect_trap(SIGTRAP | PTRACE_EVENT_CLONE << 8, SPROF_TRAP_EVENT);
	expect_trap(SIGTRAP | PTRACE_EVENT_STOP << 8, SPROF_TRAP_EVENT);
}

TEST_MAIN("stop")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exit_status),
		cmocka_unit_test(every_deadly_signal_with_and_without_a_core),
		cmocka_unit_test(every_signal_on_its_way),
		cmocka_unit_test(a_trap_of_the_program_is_a_signal),
		cmocka_unit_test(a_system_call_is_no_signal),
		cmocka_unit_test(the_four_stopping_signals_make_a_group_stop),
		cmocka_unit_test(a_trap_event_is_ours),
		cmocka_unit_test(every_event),
		cmocka_unit_test(an_unknown_event_is_passed_over),
		cmocka_unit_test(where_in_a_system_call),
		cmocka_unit_test(what_has_caused_a_trap),
		cmocka_unit_test(stops_of_ptrace_by_their_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
