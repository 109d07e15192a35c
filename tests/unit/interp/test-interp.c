/*
 * A process without an interpreter: none of its memory is read, however often it is looked at.
 */
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "interp/interp.h"
#include "tests/unit/check.h"

static unsigned reads;

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	reads++;
	return 0;
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	reads++;
}

static void test_a_process_without_one(void **state)
{
	const struct sprof_interp_memory memory = {NULL, read_memory, read_pieces};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_interp *interp = sprof_interp_create(modules, SPROF_INTERP_CALLS);
	struct sprof_maps maps = {0};

	assert_non_null(interp);
	assert_true(sprof_maps_read(&maps, getpid(), modules));
	assert_true(maps.count > 0);
	for (int i = 0; i < 3; i++)
		assert_null(sprof_interp_find(interp, &maps, &memory, NULL));
	assert_int_equal(reads, 0);
	sprof_maps_finish(&maps);
	sprof_interp_destroy(interp);
	sprof_modules_destroy(modules);
}

TEST_MAIN("interp")
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_process_without_one)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
