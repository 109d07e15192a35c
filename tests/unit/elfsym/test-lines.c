/*
 * elfsym/dwarf/lines and scopes on files with DWARF of all versions: every row of the line tables as libdw has it, and
 * at the edges of every function and inlined call the same innermost one as dwarf_getscopes().
 */
#include "elfsym/dwarf/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elfsym/dwarf/expand.h"
#include "elfsym/dwarf/scopes.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

enum { SYSTEM_FILES = 6, LARGEST_FILE = 4 << 20 };

struct subject {
	struct sprof_modules *modules;
	struct sprof_image *image, *expanded;
	const struct sprof_image *debug;
	Dwarf *dwarf;
	size_t units, places, rows;
};

static void subject_open(struct subject *subject, const char *path)
{
	struct sprof_error err;

	*subject = (struct subject){.modules = sprof_modules_create()};
	assert_true(sprof_image_open(open_module(subject->modules, path), &subject->image, &err));
	subject->expanded = sprof_expand(subject->image, false);
	subject->debug = subject->expanded ? subject->expanded : subject->image;
	subject->dwarf = dwarf_begin_elf(subject->debug->elf, DWARF_C_READ, NULL);
	assert_non_null(subject->dwarf);
}

static void subject_close(struct subject *subject)
{
	dwarf_end(subject->dwarf);
	sprof_image_close(subject->expanded);
	sprof_image_close(subject->image);
	sprof_modules_destroy(subject->modules);
}

/* sanitizer/lsan_interface.h; NULL without LeakSanitizer. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* The innermost function with code by libdw, 0: none. dwarf_getscopes() of 0.188 leaks where it finds none. */
static Dwarf_Off innermost(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Off offset = 0;
	Dwarf_Die *around = NULL;
	int count;

	if (__lsan_disable)
		__lsan_disable();
	count = dwarf_getscopes(unit, address, &around);
	if (__lsan_enable)
		__lsan_enable();

	for (int i = 0; i < count && !offset; i++) {
		const int tag = dwarf_tag(&around[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			offset = dwarf_dieoffset(&around[i]);
	}
	free(around);
	return offset;
}

static void compare_place(
	struct subject *subject, struct sprof_scopes *scopes, Dwarf_Die *unit, uint64_t address)
{
	const Dwarf_Off wanted = innermost(unit, address);
	size_t budget = SIZE_MAX;
	uint32_t found;

	assert_true(sprof_scopes_find(scopes, subject->image, address, &budget, &found));
	if (!wanted) /* libdw believes a unit that states no range for the function */
		return;
	assert_int_not_equal(found, SPROF_SCOPE_NONE);
	assert_int_equal(dwarf_dieoffset(&scopes->items[found].die), wanted);
	subject->places++;
}

static void compare_edges(struct subject *subject, struct sprof_scopes *scopes, Dwarf_Die *unit,
	const struct sprof_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		const struct sprof_range range = ranges->items[i];

		compare_place(subject, scopes, unit, range.low);
		compare_place(subject, scopes, unit, range.high - 1);
	}
}

static void compare_scopes(struct subject *subject, Dwarf_Die *unit)
{
	struct sprof_scopes scopes = {0};
	size_t budget = SIZE_MAX;

	assert_true(sprof_scopes_load(&scopes, subject->image, unit, &budget));
	compare_edges(subject, &scopes, unit, &scopes.ranges);
	for (size_t i = 0; i < scopes.function_count; i++)
		compare_edges(subject, &scopes, unit, &scopes.functions[i].inlined);
	sprof_scopes_finish(&scopes);
}

/* Whether a sequence ends there: libdw sorts what was said of the same address before behind it. */
static bool is_end(Dwarf_Lines *rows, size_t i, Dwarf_Addr address)
{
	Dwarf_Addr at;
	bool ends;

	return dwarf_lineaddr(dwarf_onesrcline(rows, i), &at) == 0 && at == address &&
		dwarf_lineendsequence(dwarf_onesrcline(rows, i), &ends) == 0 && ends;
}

/* Whether it is the last row of an address, which is what counts. */
static bool is_meant(Dwarf_Lines *rows, size_t count, size_t i)
{
	Dwarf_Addr address, next;

	dwarf_lineaddr(dwarf_onesrcline(rows, i), &address);
	if (i + 1 == count || is_end(rows, i, address) || (i && is_end(rows, i - 1, address)))
		return false;
	dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &next);
	return next > address;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static void compare_row(struct subject *subject, struct sprof_lines *lines,
	struct sprof_strtab *texts, Dwarf_Line *row, Dwarf_Die *unit)
{
	const struct sprof_line_row *found;
	const char *path, *wanted = dwarf_linesrc(row, NULL, NULL), *folder;
	Dwarf_Attribute attribute;
	Dwarf_Addr address;
	int line;

	dwarf_lineaddr(row, &address);
	dwarf_lineno(row, &line);
	if (!sprof_image_executable(subject->image, address))
		return;
	found = sprof_lines_find(lines, address);
	if (!found)
		fail_msg("no row at %llx, line %d", (unsigned long long)address, line);
	assert_int_equal(found->line, line);
	folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	assert_true(sprof_lines_path(lines, found->file, folder, texts, &path));
	if (wanted && path)
		assert_true(ends_with(path, wanted)); /* libdw may leave out the unit's folder */
	subject->rows++;
}

static void compare_lines(struct subject *subject, Dwarf_Die *unit)
{
	const struct sprof_line_sections sections = sprof_line_sections_find(subject->debug);
	struct sprof_strtab *texts = sprof_strtab_create();
	struct sprof_lines lines = {0};
	Dwarf_Attribute attribute;
	Dwarf_Lines *rows;
	Dwarf_Word offset;
	size_t count;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset) == 0 &&
		dwarf_getsrclines(unit, &rows, &count) == 0) {
		assert_true(sprof_lines_load(&lines, &sections, offset, subject->image));
		for (size_t i = 0; i < count; i++) {
			if (is_meant(rows, count, i))
				compare_row(
					subject, &lines, texts, dwarf_onesrcline(rows, i), unit);
		}
	}
	sprof_lines_finish(&lines);
	sprof_strtab_destroy(texts);
}

static struct subject compare_file(const char *path)
{
	struct subject subject;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	subject_open(&subject, path);
	while (dwarf_get_units(subject.dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		subject.units++;
		compare_lines(&subject, &die);
		if (type == DW_UT_compile)
			compare_scopes(&subject, &die);
	}
	print_message("%s: %zu units, %zu places, %zu rows\n", path, subject.units, subject.places,
		subject.rows);
	subject_close(&subject);
	return subject;
}

static void every_version(void **state)
{
	static const char *const names[] = {"subject", "subject-dwarf4", "subject-zlib", "dies-c-3",
		"dies-c-4", "dies-c-5", "dies-cpp-3", "dies-cpp-4", "dies-cpp-5", "dies-cpp-debug",
		"dies-cpp-types"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct subject subject;

		if (access(subject_path(names[i]), R_OK)) /* no C++ compiler */
			continue;
		subject = compare_file(subject_path(names[i]));
		assert_true(subject.places && subject.rows);
	}
}

/* The file has skeletons of units; what they stand for is elsewhere, and libdw reads it. */
static void split(void **state)
{
	struct subject subject;

	if (access(subject_path("dies-cpp-split"), R_OK))
		skip();
	subject = compare_file(subject_path("dies-cpp-split"));
	assert_true(subject.units && subject.rows);
}

static void its_own_file(void **state)
{
	compare_file("/proc/self/exe");
}

/* As they come: from other compilers, dwz, and link-time optimization. */
static void debug_files_of_the_system(void **state)
{
	unsigned compared = 0;
	struct stat status;
	glob_t found;

	if (glob("/usr/lib/debug/.build-id/*/*.debug", 0, NULL, &found))
		skip();
	for (size_t i = 0; i < found.gl_pathc && compared < SYSTEM_FILES; i++) {
		if (stat(found.gl_pathv[i], &status) || status.st_size > LARGEST_FILE)
			continue;
		compare_file(found.gl_pathv[i]);
		compared++;
	}
	globfree(&found);
}

TEST_MAIN("lines")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version),
		cmocka_unit_test(split),
		cmocka_unit_test(its_own_file),
		cmocka_unit_test(debug_files_of_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
