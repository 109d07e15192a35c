/* Which symbol a place gets, on the symbols that subject.c lays out in assembly. */
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/image.h"
#include "elfsym/elf/symtab.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

struct opened {
	struct sprof_modules *modules;
	struct sprof_image *image;
	struct sprof_symtab *symtab;
	const char *subject;
};

static struct opened open_symtab(const char *path)
{
	struct opened opened = {.modules = sprof_modules_create()};
	struct sprof_error err;

	assert_true(sprof_image_open(open_module(opened.modules, path), &opened.image, &err));
	assert_true(sprof_symtab_create(
		&(struct sprof_symtab_files){.image = opened.image}, &opened.symtab, &err));
	return opened;
}

static void close_symtab(struct opened *opened)
{
	sprof_symtab_destroy(opened->symtab);
	sprof_image_close(opened->image);
	sprof_modules_destroy(opened->modules);
}

/* NULL: no symbol there. */
static void check(
	const struct opened *opened, const char *label, uint64_t distance, const char *expected)
{
	struct subject_place place = subject_place(opened->subject, label);
	struct sprof_symbol symbol;
	uint64_t address;

	assert_true(sprof_image_address(opened->image, place.offset + distance, &address));
	if (!expected) {
		assert_false(sprof_symtab_find(opened->symtab, address, &symbol));
		return;
	}
	assert_true(sprof_symtab_find(opened->symtab, address, &symbol));
	assert_int_equal(symbol.name_length, strlen(expected));
	assert_memory_equal(symbol.name, expected, symbol.name_length);
	assert_true(symbol.address <= address);
}

static struct opened open_subject(const char *name)
{
	struct opened opened = open_symtab(subject_path(name));

	opened.subject = name;
	return opened;
}

/* Behind a sized symbol there is nothing, whatever mapping symbols stand there. */
static void test_end_of_sized(void **state)
{
	struct opened opened = open_subject("subject");

	check(&opened, "sized", 0, "asm_sized");
	check(&opened, "sized", 7, "asm_sized");
	check(&opened, "sized", 8, NULL);
	check(&opened, "sized", 12, NULL);
	check(&opened, "sized", 15, NULL);
	close_symtab(&opened);
}

static void test_aliases(void **state)
{
	struct opened opened = open_subject("subject");

	check(&opened, "aliases", 0, "asm_global");
	check(&opened, "aliases", 15, "asm_global");
	check(&opened, "weak", 0, "asm_local");
	check(&opened, "versioned", 3, "asm_versioned");
	close_symtab(&opened);
}

/* Without .symtab there are only the exported ones. */
static void test_dynsym(void **state)
{
	struct opened opened = open_symtab(subject_path("subject-stripped"));

	opened.subject = "subject";
	check(&opened, "aliases", 0, "asm_global");
	check(&opened, "weak", 0, "asm_weak");
	check(&opened, "outer", 0, NULL);
	close_symtab(&opened);
}

/* An unsized function reaches to the next one, over the labels inside; a label in a sized one is
 * nothing. */
static void test_unsized(void **state)
{
	struct opened opened = open_subject("subject");

	check(&opened, "unsized", 0, "asm_unsized");
	check(&opened, "unsized", 16, "asm_unsized");
	check(&opened, "unsized", 31, "asm_unsized");
	check(&opened, "nested", 0, "asm_outer");
	check(&opened, "nested", 8, "asm_nested");
	check(&opened, "nested", 15, "asm_nested");
	check(&opened, "nested", 16, "asm_outer");
	check(&opened, "nested", 31, "asm_outer");
	check(&opened, "bare", 4, "asm_bare");
	close_symtab(&opened);
}

/* No function begins at one, and so none is listed, stopped at or has rows of it. */
static void test_labels_are_no_symbols(void **state)
{
	struct opened opened = open_subject("subject");
	size_t labels = 0, unsized = 0;

	for (size_t i = 0; i < sprof_symtab_count(opened.symtab); i++) {
		const struct sprof_symbol symbol = sprof_symtab_at(opened.symtab, i);

		labels += !strcmp(symbol.name, "asm_label") ||
			!strcmp(symbol.name, "asm_inner_label");
		unsized += !strcmp(symbol.name, "asm_unsized");
	}
	assert_int_equal(labels, 0);
	assert_true(unsized > 0);
	close_symtab(&opened);
}

static void check_label(
	const struct opened *opened, const char *label, uint64_t distance, const char *expected)
{
	struct subject_place place = subject_place(opened->subject, label);
	struct sprof_symbol symbol;
	uint64_t address;

	assert_true(sprof_image_address(opened->image, place.offset + distance, &address));
	assert_int_equal(
		sprof_symtab_find_label(opened->symtab, address, &symbol), expected != NULL);
	if (!expected)
		return;
	assert_int_equal(symbol.name_length, strlen(expected));
	assert_memory_equal(symbol.name, expected, symbol.name_length);
	assert_int_equal(symbol.address, address);
}

/* One in an unsized function may be another function's name; one in a sized function never is. */
static void test_labels_by_address(void **state)
{
	struct opened opened = open_subject("subject");

	check_label(&opened, "unsized", 0, NULL);
	check_label(&opened, "unsized", 15, NULL);
	check_label(&opened, "unsized", 16, "asm_label");
	check_label(&opened, "unsized", 17, NULL);
	check_label(&opened, "nested", 16, NULL);
	close_symtab(&opened);
}

static void test_kinds_of_programs(void **state)
{
	static const char *const names[] = {"subject-no-pie", "subject-static", "subject-no-dwarf"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct opened opened = open_subject(names[i]);

		check(&opened, "main", 0, "main");
		check(&opened, "outer", 0, "outer");
		check(&opened, "nested", 8, "asm_nested");
		close_symtab(&opened);
	}
}

TEST_MAIN("symtab")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_of_sized),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_dynsym),
		cmocka_unit_test(test_unsized),
		cmocka_unit_test(test_labels_are_no_symbols),
		cmocka_unit_test(test_labels_by_address),
		cmocka_unit_test(test_kinds_of_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
