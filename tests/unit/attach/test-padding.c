/*
 * attach/padding: the room behind the last instruction of a page.
 */
#include "attach/breakpoints/padding.h"

#include <string.h>

#include "tests/unit/check.h"

static uint8_t page[SPROF_PADDING_PAGE];

static void fill(size_t used)
{
	memset(page, 0x90, used);
	memset(page + used, 0, sizeof(page) - used);
}

static void a_full_page_has_none(void **state)
{
	for (size_t used = sizeof(page) - 32; used <= sizeof(page); used++) {
		fill(used);
		assert_int_equal(sprof_padding_find(page), SPROF_PADDING_PAGE);
	}
}

static void it_is_aligned_and_keeps_its_distance(void **state)
{
	for (size_t used = 0; used < sizeof(page); used++) {
		size_t found;

		fill(used);
		found = sprof_padding_find(page);
		assert_int_equal(found % SPROF_PADDING_ALIGNMENT, 0);
		assert_true(found == SPROF_PADDING_PAGE || found >= used + 16);
		assert_true(found == SPROF_PADDING_PAGE || found < used + 16 + 32);
	}
}

static void zeros_of_an_instruction_are_not_room(void **state)
{
	fill(100);
	page[99] = 0;
	page[98] = 0;
	assert_int_equal(sprof_padding_find(page), 128);
}

TEST_MAIN("padding")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_page_has_none),
		cmocka_unit_test(it_is_aligned_and_keeps_its_distance),
		cmocka_unit_test(zeros_of_an_instruction_are_not_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
