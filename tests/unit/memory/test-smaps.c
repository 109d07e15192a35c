/*
 * memory/smaps: mappings and their figures, and texts that are none.
 */
#include "memory/smaps.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/memory/texts.h"

enum { KB = 1024 };

static void mappings_have_their_figures(void **state)
{
	const char *cursor = smaps_text;
	struct sprof_smaps_area area;

	assert_true(sprof_smaps_next(&cursor, &area));
	assert_int_equal(area.line.end - area.line.start, 8 * KB);
	assert_int_equal(area.figures.rss, 8 * KB);
	assert_int_equal(area.figures.pss, 4 * KB);
	assert_int_equal(area.figures.uss, 0);
	assert_true(sprof_smaps_next(&cursor, &area));
	assert_int_equal(area.figures.uss, 4 * KB);
	assert_true(sprof_smaps_next(&cursor, &area));
	assert_memory_equal(area.line.path, "[heap]", area.line.path_length);
	assert_int_equal(area.figures.uss, 100 * KB);
	assert_int_equal(area.figures.swap, 16 * KB);
	assert_true(sprof_smaps_next(&cursor, &area));
	assert_int_equal(area.line.path_length, 0);
	assert_false(sprof_smaps_next(&cursor, &area));
}

/* Its one line has "[rollup]" for a path. */
static void a_rollup_is_one_mapping(void **state)
{
	const char *cursor = "557914850000-7ffe2ac6f000 ---p 00000000 00:00 0   [rollup]\n"
			     "Rss:                1712 kB\n"
			     "Pss:                 359 kB\n"
			     "Pss_Anon:            116 kB\n"
			     "Private_Clean:        48 kB\n"
			     "Private_Dirty:       116 kB\n";
	struct sprof_smaps_area area;

	assert_true(sprof_smaps_next(&cursor, &area));
	assert_int_equal(area.figures.rss, 1712 * KB);
	assert_int_equal(area.figures.pss, 359 * KB);
	assert_int_equal(area.figures.uss, 164 * KB);
	assert_false(sprof_smaps_next(&cursor, &area));
}

static void what_is_cut_off_is_read_as_far_as_it_goes(void **state)
{
	const size_t whole = sizeof(smaps_text) - 1;
	char text[sizeof(smaps_text)];

	for (size_t size = 0; size < whole; size++) {
		const char *cursor = text;
		struct sprof_smaps_area area;
		size_t count = 0;

		memcpy(text, smaps_text, size);
		text[size] = '\0';
		while (sprof_smaps_next(&cursor, &area))
			count++;
		assert_true(count <= 4 && cursor >= text && cursor <= text + size);
	}
}

TEST_MAIN("smaps")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_have_their_figures),
		cmocka_unit_test(a_rollup_is_one_mapping),
		cmocka_unit_test(what_is_cut_off_is_read_as_far_as_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
