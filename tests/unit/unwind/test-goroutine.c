/* unwind/goroutine: the number of a goroutine, in the layouts of Go's versions. */
#include "unwind/goroutine.h"

#include "tests/unit/check.h"

enum { RUNNING = 2, IN_SYSCALL = 3, SCANNED = 0x1000, STATUS_BEFORE_1_23 = 18 };

static struct sprof_goroutine make(size_t status_at, uint64_t status, uint64_t id)
{
	struct sprof_goroutine goroutine = {.is_known = true, .g = 0xc000007380};

	goroutine.words[status_at] = status;
	goroutine.words[status_at + 1] = id;
	return goroutine;
}

static void the_number_is_behind_the_status(void **state)
{
	struct sprof_goroutine old = make(STATUS_BEFORE_1_23, RUNNING, 17);
	struct sprof_goroutine new = make(STATUS_BEFORE_1_23 + 1, IN_SYSCALL | SCANNED, 18);

	assert_int_equal(sprof_goroutine_id(&old), 17);
	assert_int_equal(sprof_goroutine_id(&new), 18);
	/* What was passed to it, in front of the status. */
	new.words[STATUS_BEFORE_1_23] = 0xc000123450;
	assert_int_equal(sprof_goroutine_id(&new), 18);
}

static void what_is_no_status_tells_nothing(void **state)
{
	struct sprof_goroutine goroutine = make(STATUS_BEFORE_1_23, 0, 17);

	assert_int_equal(sprof_goroutine_id(&goroutine), 0);
	goroutine = make(STATUS_BEFORE_1_23, 77, 17);
	assert_int_equal(sprof_goroutine_id(&goroutine), 0);
	goroutine = make(STATUS_BEFORE_1_23, RUNNING, 17);
	goroutine.g = 0;
	assert_int_equal(sprof_goroutine_id(&goroutine), 0);
	goroutine.g = 1;
	goroutine.is_known = false;
	assert_int_equal(sprof_goroutine_id(&goroutine), 0);
}

TEST_MAIN("goroutine")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_is_behind_the_status),
		cmocka_unit_test(what_is_no_status_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
