/* Inline chains with the lines of every step, in both versions of DWARF that compilers write. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfsym/dwarf/dwarf.h"
#include "elfsym/elf/image.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

struct opened {
	struct sprof_modules *modules;
	struct sprof_image *image;
	struct sprof_dwarf *dwarf;
};

static struct opened open_dwarf(const char *name)
{
	static const struct sprof_debug_places nowhere = {.root = "/nowhere"};
	struct opened opened = {.modules = sprof_modules_create()};
	struct sprof_dwarf_source source = {.path = name, .places = &nowhere};
	struct sprof_error err;

	assert_true(sprof_image_open(
		open_module(opened.modules, subject_path(name)), &opened.image, &err));
	source.image = source.debug = opened.image;
	assert_true(sprof_dwarf_open(&source, &opened.dwarf, &err));
	return opened;
}

static void close_dwarf(struct opened *opened)
{
	sprof_dwarf_close(opened->dwarf);
	sprof_image_close(opened->image);
	sprof_modules_destroy(opened->modules);
}

static struct sprof_dwarf_chain find(const struct opened *opened, uint64_t offset)
{
	struct sprof_dwarf_chain chain;
	struct sprof_error err;
	uint64_t address;

	assert_true(sprof_image_address(opened->image, offset, &address));
	assert_true(sprof_dwarf_find(opened->dwarf, address, &chain, &err));
	return chain;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static const char *const subjects[] = {"subject", "subject-dwarf4", "subject-no-pie",
	"subject-static", "subject-zlib", "subject-zlib-gnu"};

enum { SUBJECT_COUNT = sizeof(subjects) / sizeof(*subjects) };

static void check_chain(const char *subject)
{
	static const char *const names[] = {"inner", "middle", "outer"};
	struct subject_place place = subject_place(subject, "inlined");
	struct opened opened = open_dwarf(subject);
	struct sprof_dwarf_chain chain = find(&opened, place.offset);

	assert_int_equal(chain.count, 3);
	for (size_t i = 0; i < chain.count; i++) {
		assert_string_equal(chain.items[i].name, names[i]);
		assert_int_equal(chain.items[i].inlined, i < 2);
		assert_int_equal(chain.items[i].line, place.lines[i]);
		assert_true(ends_with(chain.items[i].file, "subject.c"));
		assert_in_range(
			chain.items[i].function_line, place.lines[i] - 3, place.lines[i] - 1);
	}
	close_dwarf(&opened);
}

static void test_chains(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++)
		check_chain(subjects[i]);
}

static void test_function_line(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++) {
		struct subject_place place = subject_place(subjects[i], "main");
		struct opened opened = open_dwarf(subjects[i]);
		struct sprof_dwarf_chain chain = find(&opened, place.offset);

		assert_true(chain.count >= 1);
		assert_string_equal(chain.items[chain.count - 1].name, "main");
		assert_int_equal(chain.items[chain.count - 1].function_line, place.lines[0]);
		close_dwarf(&opened);
	}
}

/* Code of no unit has no chain; code that DWARF knows no function for has one step without names.
 */
static void test_no_function(void **state)
{
	struct opened opened = open_dwarf("subject");
	struct subject_place place = subject_place("subject", "nested");
	struct sprof_dwarf_chain chain = find(&opened, place.offset);

	assert_true(chain.count == 0 || !chain.items[0].name);
	assert_true(sprof_dwarf_find(opened.dwarf, UINT64_MAX, &chain, &(struct sprof_error){0}));
	assert_int_equal(chain.count, 0);
	close_dwarf(&opened);
}

static void test_line_only(void **state)
{
	struct opened opened = open_dwarf("subject");
	struct subject_place place = subject_place("subject", "inlined");
	struct sprof_dwarf_chain chain;
	struct sprof_error err;
	uint64_t address;

	assert_true(sprof_image_address(opened.image, place.offset, &address));
	assert_true(sprof_dwarf_find_line(opened.dwarf, address, &chain, &err));
	assert_int_equal(chain.count, 1);
	assert_int_equal(chain.items[0].line, place.lines[0]);
	close_dwarf(&opened);
}

/* _start() has no debug information, and gets none from a function that isn't in the file. */
static void test_left_out(void **state)
{
	const char *name = "left-out-subject";
	struct sprof_dwarf_chain chain;
	struct sprof_error err;
	struct opened opened;

	if (access(subject_path(name), F_OK) < 0) {
		print_message("this linker has always a segment of its own for code\n");
		skip();
	}
	opened = open_dwarf(name);
	assert_true(sprof_dwarf_find(opened.dwarf, sprof_image_entry(opened.image), &chain, &err));
	assert_int_equal(chain.count, 0);
	assert_false(sprof_image_executable(opened.image, 0));
	close_dwarf(&opened);
}

static void test_none(void **state)
{
	struct opened opened = open_dwarf("subject-stripped");

	assert_null(opened.dwarf);
	close_dwarf(&opened);
	sprof_dwarf_close(NULL);
}

TEST_MAIN("dwarf")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_function_line),
		cmocka_unit_test(test_no_function),
		cmocka_unit_test(test_line_only),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
