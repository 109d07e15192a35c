/*
 * cmd/signals: what each signal asks for, in a command that switches sampling and in one that does not.
 */
#include "cmd/signals.h"

#include <unistd.h>

#include "tests/unit/check.h"

static enum sprof_order handle(struct sprof_signals *signals, int number, int code)
{
	const siginfo_t info = {.si_signo = number, .si_code = code};

	return sprof_signals_handle(signals, &info);
}

static void requests(void **state)
{
	struct sprof_signals signals;

	sprof_signals_survive();
	sprof_signals_block(&signals, false);
	assert_true(sigismember(&signals.control, SIGUSR1));
	assert_true(sigismember(&signals.control, SIGUSR2));
	assert_int_equal(handle(&signals, SIGUSR1, SI_USER), SPROF_ORDER_GO_ON);
	assert_int_equal(handle(&signals, SIGUSR2, SI_USER), SPROF_ORDER_GO_ON);
	sprof_signals_switch(&signals, NULL);
	assert_int_equal(handle(&signals, SIGUSR2, SI_USER), SPROF_ORDER_TOGGLE);
	signals.guardian = SIGUSR2;
	assert_int_equal(handle(&signals, SIGUSR2, SI_USER), SPROF_ORDER_TOGGLE);
	signals.parent = getpid(); /* it has died, and we have another one */
	assert_int_equal(handle(&signals, SIGUSR2, SI_USER), SPROF_ORDER_END);
}

static void ignored(void **state)
{
	struct sprof_signals signals;

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sprof_signals_block(&signals, false);
	assert_false(sigismember(&signals.control, SIGHUP));
	assert_true(sigismember(&signals.control, SIGINT));
	assert_int_equal(handle(&signals, SIGINT, SI_KERNEL), SPROF_ORDER_GO_ON);
	assert_int_equal(handle(&signals, SIGINT, SI_USER), SPROF_ORDER_END);
	sprof_signals_block(&signals, true);
	assert_false(sigismember(&signals.control, SIGINT));
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

TEST_MAIN("signals")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
