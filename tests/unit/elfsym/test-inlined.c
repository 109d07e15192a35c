/* elfsym/inlined: a function without code of its own, and who has its code, in both versions of DWARF, also compressed. */
#include "elfsym/dwarf/inlined.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static const struct sprof_debug_places nowhere = {.root = "/nowhere"};

static bool is_meant(const void *data, const char *name, const char *linkage)
{
	return strcmp(data, linkage ? linkage : name) == 0;
}

static struct sprof_inlined find(const char *subject, const char *name)
{
	const struct sprof_inlined_wish wish = {name, is_meant};
	struct sprof_modules *modules = sprof_modules_create();
	const struct sprof_inlined found =
		sprof_inlined_find(open_module(modules, subject_path(subject)), &nowhere, &wish);

	sprof_modules_destroy(modules);
	return found;
}

static void its_callers_code_is_named(void **state)
{
	static const char *const subjects[] = {
		"subject", "subject-dwarf4", "subject-no-pie", "subject-zlib", "subject-zlib-gnu"};

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		const struct subject_place place = subject_place(subjects[i], "inlined");
		const struct sprof_inlined inner = find(subjects[i], "inner"),
					   middle = find(subjects[i], "middle");

		assert_int_equal(inner.count, 1);
		assert_string_equal(inner.into, "outer");
		assert_string_equal(inner.file, "subject.c");
		assert_int_equal(inner.line, place.lines[1]);
		assert_string_equal(middle.into, "outer");
		assert_int_equal(middle.line, place.lines[2]);
	}
}

static void what_is_not_inlined_is_not_found(void **state)
{
	assert_int_equal(find("subject", "outer").count, 0);
	assert_int_equal(find("subject", "no_such_function").count, 0);
	assert_int_equal(find("subject-no-dwarf", "inner").count, 0);
	assert_int_equal(find("subject-stripped", "inner").count, 0);
}

TEST_MAIN("inlined")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_callers_code_is_named),
		cmocka_unit_test(what_is_not_inlined_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
