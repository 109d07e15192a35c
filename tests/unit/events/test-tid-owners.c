/*
 * events/tid-owners: an id is found to be its owner's of that time, whatever became of it since.
 */
#include "events/recorded/tid-owners.h"

#include "tests/unit/check.h"

enum { TID = 40, FIRST = 1, SECOND, THIRD };

static const uint64_t LONG_AFTER = UINT64_C(1) << 40;

static void check(const struct sprof_tid_owners *owners, uint64_t time_ns, uint32_t thread)
{
	assert_int_equal(sprof_tid_owners_find(owners, TID, time_ns), thread);
}

static void begin(struct sprof_tid_owners *owners, uint32_t thread, uint64_t seen_ns)
{
	assert_true(sprof_tid_owners_begin(owners, TID, thread, seen_ns));
}

static void end(struct sprof_tid_owners *owners, uint32_t thread, uint64_t time_ns)
{
	assert_true(sprof_tid_owners_end(owners, TID, thread, time_ns));
}

static void one_after_the_other(void **state)
{
	struct sprof_tid_owners owners = {0};

	check(&owners, 1, SPROF_IDMAP_NONE);
	begin(&owners, FIRST, 100);
	begin(&owners, FIRST, 100);
	check(&owners, 1, FIRST);
	check(&owners, LONG_AFTER, FIRST);
	end(&owners, FIRST, 200);
	begin(&owners, SECOND, 300);
	end(&owners, SECOND, 400);
	begin(&owners, THIRD, 500);
	check(&owners, 200, FIRST);
	check(&owners, 201, SECOND);
	check(&owners, 400, SECOND);
	check(&owners, 401, THIRD);
	check(&owners, LONG_AFTER, THIRD);
	assert_int_equal(sprof_tid_owners_find(&owners, TID + 1, 300), SPROF_IDMAP_NONE);
	sprof_tid_owners_finish(&owners);
}

/* It leaves its CPU after its end; long after, the id is another program's. */
static void what_comes_after_an_end(void **state)
{
	struct sprof_tid_owners owners = {0};

	end(&owners, FIRST, 200);
	check(&owners, 100, FIRST);
	check(&owners, 300, FIRST);
	check(&owners, LONG_AFTER, SPROF_IDMAP_NONE);
	sprof_tid_owners_finish(&owners);
}

/* It ended before its birth was reported: no later than the next one was seen. */
static void an_end_that_comes_late(void **state)
{
	struct sprof_tid_owners owners = {0};

	begin(&owners, FIRST, 100);
	begin(&owners, SECOND, 300);
	end(&owners, FIRST, 400);
	check(&owners, 300, FIRST);
	check(&owners, 301, SECOND);
	sprof_tid_owners_finish(&owners);
}

/* Millions of threads cost no more than the kernel has ids. */
static void old_owners_are_forgotten(void **state)
{
	struct sprof_tid_owners owners = {0};

	for (uint32_t thread = 0; thread < 1000; thread++) {
		begin(&owners, thread, 10 * thread);
		end(&owners, thread, 10 * thread + 5);
		owners.settled_ns = 10 * thread;
	}
	assert_true(owners.count < 4);
	check(&owners, 10 * 999, 999);
	sprof_tid_owners_finish(&owners);
}

TEST_MAIN("tid-owners")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(what_comes_after_an_end),
		cmocka_unit_test(an_end_that_comes_late),
		cmocka_unit_test(old_owners_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
