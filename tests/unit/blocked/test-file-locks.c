/* blocked/file-locks: lines as Linux writes them. */
#include "blocked/file-locks.h"

#include "tests/unit/check.h"

static const char locks[] = "1: POSIX  ADVISORY  WRITE 100 fe:00:4711 0 EOF\n"
			    "2: FLOCK  ADVISORY  WRITE 200 fe:00:815 0 EOF\n"
			    "2: -> FLOCK  ADVISORY  WRITE 300 fe:00:815 0 EOF\n"
			    "2:  -> FLOCK  ADVISORY  READ 301 fe:00:815 0 EOF\n"
			    "3: OFDLCK ADVISORY  WRITE -1 00:1b:9 0 9\n"
			    "3: -> POSIX  ADVISORY  READ 300 00:1b:9 0 EOF\n"
			    "4: LEASE  ACTIVE    READ 400 fe:00:12 0 EOF\n"
			    "5: FLOCK  ADVISORY  READ 500 fe:00:16 0 EOF\n"
			    "6: POSIX  ADVISORY  WRITE 600 fe:00:16 0 EOF\n"
			    "6: -> POSIX  ADVISORY  WRITE 500 fe:00:16 0 EOF\n";

static void the_holder_is_above_its_waiters(void **state)
{
	assert_int_equal(sprof_file_locks_find(locks, 300, 815), 200);
	assert_int_equal(sprof_file_locks_find(locks, 301, 815), 200);
	assert_int_equal(sprof_file_locks_find(locks, 301, 0), 200);
	assert_int_equal(sprof_file_locks_find(locks, 500, 16), 600);
}

static void no_holder(void **state)
{
	assert_int_equal(sprof_file_locks_find(locks, 100, 4711), 0); /* has it */
	assert_int_equal(sprof_file_locks_find(locks, 300, 9), 0);    /* of an open file */
	assert_int_equal(sprof_file_locks_find(locks, 300, 16), 0);
	assert_int_equal(sprof_file_locks_find(locks, 400, 12), 0);
	assert_int_equal(sprof_file_locks_find("", 300, 815), 0);
	assert_int_equal(sprof_file_locks_find("garbage\n2: ->\n2: -> FLOCK", 300, 0), 0);
}

TEST_MAIN("file-locks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_holder_is_above_its_waiters),
		cmocka_unit_test(no_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
